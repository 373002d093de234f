//! The threads that work on a vault behind the answers, and the end that waits for them: a process that ends
//! under a thread which still reads the vault takes the libraries away from under it.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::Mutex;

/// Those of one program; each of its sessions has a share of them.
#[derive(Clone, Default)]
pub(crate) struct Workers(Arc<Mutex<Vec<JoinHandle<()>>>>);

impl Workers {
    /// Starts one.
    pub(crate) fn start(&self, work: impl FnOnce() + Send + 'static) {
        let mut all = self.0.lock();
        all.retain(|earlier| !earlier.is_finished());
        all.push(std::thread::spawn(work));
    }

    /// How a worker sleeps, so that [`Workers::end`] need not wait for it to wake up.
    pub(crate) fn nap(nap: Duration) {
        std::thread::park_timeout(nap);
    }

    /// Waits for all of them; each must have been told to end.
    pub(crate) fn end(&self) {
        let all = std::mem::take(&mut *self.0.lock());
        for worker in all {
            worker.thread().unpark();
            // One that broke off has ended, too.
            let _ = worker.join();
        }
    }

    /// Whether all have ended by themselves.
    pub(crate) fn are_done(&self) -> bool {
        self.0.lock().iter().all(JoinHandle::is_finished)
    }
}
