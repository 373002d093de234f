//! Tells whoever subscribed what happened inside.

use parking_lot::Mutex;

use crate::view::Notice;

/// A subscriber. It must return at once.
pub type Listener = Box<dyn Fn(Notice) + Send + Sync>;

/// The list of subscribers.
#[derive(Default)]
pub(crate) struct Notices(Mutex<Vec<Listener>>);

impl Notices {
    pub(crate) fn subscribe(&self, listener: Listener) {
        self.0.lock().push(listener);
    }

    pub(crate) fn tell(&self, notice: &Notice) {
        for listener in self.0.lock().iter() {
            listener(notice.clone());
        }
    }
}
