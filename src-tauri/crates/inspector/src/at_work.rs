//! The vault closed for work on its files, and open again afterwards.
//!
//! Another key, a repair and a backup that comes back exchange the files of the vault, so nobody may
//! have it open. For a person this is one action: the window stays where it is, and is told that
//! what it had read means nothing any more.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use crate::inspector::Inner;
use crate::session::Session;
use crate::view::Notice;

/// As long as it lives, the vault is not locked but at work.
pub(crate) struct AtWork {
    inner: Arc<Inner>,
    /// What was open when the work began; a script has nothing.
    before: Option<Weak<Session>>,
}

impl AtWork {
    /// Begins; the vault is still open, if it was.
    pub(crate) fn begin(inner: &Arc<Inner>) -> Self {
        let before = inner.session().ok().map(|open| Arc::downgrade(&open));
        if before.is_some() {
            inner.at_work.store(true, Ordering::SeqCst);
        }
        Self {
            inner: Arc::clone(inner),
            before,
        }
    }

    /// Closes the vault without calling that locked.
    pub(crate) fn close(&self) {
        if let Some(session) = self.inner.session.write().take() {
            session.close();
            *self.inner.last_trace.lock() = None;
        }
    }

    /// Whether a vault is to be open when the work is done.
    pub(crate) fn is_to_open(&self) -> bool {
        self.before.is_some()
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let Some(before) = &self.before else { return };
        // Whoever locked meanwhile took the mark away and wants it to stay locked.
        if !self.inner.at_work.swap(false, Ordering::SeqCst) {
            self.close();
        }
        match self.inner.session() {
            Ok(open) if before.ptr_eq(&Arc::downgrade(&open)) => {}
            Ok(_) => self.inner.notices.tell(&Notice::Reopened),
            Err(_) => self.inner.notices.tell(&Notice::Locked),
        }
    }
}
