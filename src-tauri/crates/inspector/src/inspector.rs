//! The state behind the use-cases: at most one open vault, one model, and who is told about both.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use ingest::Watcher;
use memory::{Millis, Vault, VaultError};
use models::{Embedder, LateInteraction, Reranker};
use parking_lot::{Mutex, RwLock};
use retrieval::trace::Trace;
use retrieval::{Engine, Rerankers};

use crate::channel::ChannelName;
use crate::embedding::{self, Surroundings};
use crate::error::{EdgeError, ErrorCode};
use crate::keychain::{self, Keychain};
use crate::left_out;
use crate::model::Model;
use crate::notices::{Listener, Notices};
use crate::paths::Paths;
use crate::session::Session;
use crate::settings;
use crate::time::{Clock, system_clock};
use crate::view::Notice;
use crate::workers::Workers;

/// Everything a window, a script or an agent can ask for.
pub struct Inspector {
    pub(crate) inner: Arc<Inner>,
}

impl Drop for Inspector {
    fn drop(&mut self) {
        self.end();
    }
}

/// Shared with the background threads.
pub(crate) struct Inner {
    pub(crate) paths: Paths,
    clock: Clock,
    pub(crate) keychain: Arc<dyn Keychain>,
    pub(crate) model: Model,
    pub(crate) notices: Notices,
    pub(crate) session: RwLock<Option<Arc<Session>>>,
    /// Whether watchers and embedding run by themselves.
    pub(crate) background: bool,
    /// Who asks, when questions leave their account in the vault.
    pub(crate) asked_by: Option<ChannelName>,
    /// In which of the agent's conversations, as far as it says.
    pub(crate) asked_in: Mutex<Option<String>>,
    /// The vault is closed for work on its files, and opens again by itself.
    pub(crate) at_work: AtomicBool,
    /// When somebody last used the vault; it locks when idle for too long.
    pub(crate) last_use: AtomicI64,
    /// Wrong passphrases in a row.
    pub(crate) wrong_tries: AtomicU32,
    pub(crate) last_trace: Mutex<Option<Trace>>,
    /// They store the accounts of queries.
    pub(crate) storing: Workers,
    /// They do everything else behind the answers.
    workers: Workers,
}

/// How long the words in memory may fall behind: queries catch up with little by themselves.
const WORDS_NAP: Duration = Duration::from_millis(500);

impl Inner {
    /// The time by which everything is dated and ages.
    pub(crate) fn now(&self) -> Millis {
        (self.clock)()
    }

    /// The open vault.
    pub(crate) fn session(&self) -> Result<Arc<Session>, EdgeError> {
        self.session
            .read()
            .clone()
            .ok_or_else(|| EdgeError::new(ErrorCode::Locked, &[]))
    }

    /// The open vault, for something a person did: the idle clock starts anew.
    pub(crate) fn session_in_use(&self) -> Result<Arc<Session>, EdgeError> {
        self.last_use.store(self.now(), Ordering::Relaxed);
        self.session()
    }

    /// The open vault, to be searched with the model. Scripts wait for it here and nowhere else.
    pub(crate) fn session_searching(&self) -> Result<Arc<Session>, EdgeError> {
        let session = self.session_in_use()?;
        if !self.background
            && session.engine.embedder().is_none()
            && let Some(embedder) = self.model.wait()
        {
            let rerankers = session.rerankers(Some(embedded(&embedder)));
            session.engine.set_models(Some(embedder), rerankers);
            session.engine.refresh_mirror()?;
        }
        Ok(session)
    }

    /// The open vault, for a question that goes with the model or without.
    pub(crate) fn session_asked(&self, with_model: bool) -> Result<Arc<Session>, EdgeError> {
        if with_model {
            self.session_searching()
        } else {
            self.session_in_use()
        }
    }

    /// Rouses the background work that embeds.
    pub(crate) fn wake_embedding(&self) {
        if let Ok(session) = self.session() {
            session.wake.rouse();
        }
    }

    /// Closes the open vault, if there is one; one that is at work stays closed after it.
    pub(crate) fn close(&self) {
        self.at_work.store(false, Ordering::SeqCst);
        let open = self.session.write().take();
        if let Some(session) = open {
            session.close();
            *self.last_trace.lock() = None;
            self.notices.tell(&Notice::Locked);
        }
    }
}

impl Inspector {
    /// For a window: the model loads, folders are watched and texts embedded in the background.
    pub fn new(paths: Paths) -> Self {
        Self::with(paths, true, Some(ChannelName::Window), system_clock())
    }

    /// For scripts: nothing happens that was not asked for.
    pub fn for_scripts(paths: Paths) -> Self {
        Self::for_scripts_at(paths, system_clock())
    }

    /// For an agent: like for scripts, but what it asks leaves its account, so that a person can see
    /// what was asked and what was missed.
    pub fn for_agent(paths: Paths, channel: ChannelName) -> Self {
        Self::with(paths, false, Some(channel), system_clock())
    }

    /// For scripts that need the same answers whenever they run: it is always when `clock` says.
    pub fn for_scripts_at(paths: Paths, clock: Clock) -> Self {
        Self::with(paths, false, None, clock)
    }

    fn with(paths: Paths, background: bool, asked_by: Option<ChannelName>, clock: Clock) -> Self {
        Self::over(keychain::of_system(), paths, background, asked_by, clock)
    }

    /// The same over a keychain that need not be the system's.
    pub(crate) fn over(
        keychain: Arc<dyn Keychain>,
        paths: Paths,
        background: bool,
        asked_by: Option<ChannelName>,
        clock: Clock,
    ) -> Self {
        let inner = Arc::new(Inner {
            keychain,
            model: Model::new(paths.models.clone()),
            paths,
            notices: Notices::default(),
            session: RwLock::new(None),
            background,
            asked_by,
            asked_in: Mutex::default(),
            at_work: AtomicBool::new(false),
            last_use: AtomicI64::new(clock()),
            wrong_tries: AtomicU32::new(0),
            clock,
            last_trace: Mutex::new(None),
            storing: Workers::default(),
            workers: Workers::default(),
        });
        if background {
            let loading = Arc::clone(&inner);
            std::thread::spawn(move || {
                loading.model.load();
                loading.model_changed();
            });
            idle_lock(&inner);
        }
        Self { inner }
    }

    /// From now on, questions are asked in this conversation of the agent.
    pub fn ask_in(&self, session: &str) {
        *self.inner.asked_in.lock() = Some(session.to_owned());
    }

    /// Tells `listener` about everything that happens inside.
    pub fn subscribe(&self, listener: Listener) {
        self.inner.notices.subscribe(listener);
    }

    /// Closes the vault and waits for whatever works behind the answers. For the end of a program.
    pub fn end(&self) {
        self.inner.close();
        self.inner.storing.end();
        self.inner.workers.end();
    }

    /// Waits until the accounts of what was asked are stored, or patience ends: another program may
    /// be writing. For programs that end after their answer.
    pub fn settle(&self, patience: Duration) {
        let start = Instant::now();
        while start.elapsed() < patience {
            if self.inner.storing.are_done() {
                return;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// Begins to load the model, behind what the caller does meanwhile. For programs that know that
    /// their question needs it.
    pub fn load_model_ahead(&self) {
        if self.inner.model.begin() {
            let inner = Arc::clone(&self.inner);
            std::thread::spawn(move || inner.model.fill());
        }
    }

    /// Waits until the model is loaded, cannot be, or patience ends; false while it is still loading.
    pub fn model_settles(&self, patience: Duration) -> bool {
        self.inner.model.settles_within(patience)
    }

    /// Waits until every memory has its vector, there is no model, or patience ends.
    pub fn wait_until_embedded(&self, patience: Duration) {
        let start = Instant::now();
        while start.elapsed() < patience {
            match self.status() {
                Ok(status) if status.embedded < status.embeddable => {}
                _ => return,
            }
            if self.inner.model.wait().is_none() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits for a query whose reranker has read its window.
    pub fn wait_for_complete_trace(&self, patience: Duration) -> Option<Trace> {
        let start = Instant::now();
        while start.elapsed() < patience {
            if let Some(trace) = self.inner.last_trace.lock().clone() {
                return Some(trace);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }
}

impl Inner {
    /// Makes an opened vault the open one and starts what works in the background.
    pub(crate) fn adopt(self: &Arc<Self>, vault: Vault, demo: bool) -> Result<(), EdgeError> {
        // A script has none before it searches.
        let embedder = self.model.get();
        let engine = Engine::new(vault.clone(), None, Rerankers::default());
        let session = Arc::new(Session::new(
            vault,
            demo,
            engine,
            Arc::clone(&self.clock),
            self.workers.clone(),
        ));
        let rerankers = session.rerankers(embedder.as_ref().map(embedded));
        session.engine.set_models(embedder, rerankers);
        let before = self.session.write().replace(Arc::clone(&session));
        if let Some(before) = before {
            before.close();
        }
        self.last_use.store(self.now(), Ordering::Relaxed);
        if self.background {
            self.watch(&session)?;
            keep_words(&session);
            self.start_embedding(&session);
            self.load_reranker(&session);
        }
        Ok(())
    }

    /// Watches what the vault says is to be watched.
    fn watch(self: &Arc<Self>, session: &Arc<Session>) -> Result<(), EdgeError> {
        let told = Arc::downgrade(self);
        let watcher = Watcher::start(
            session.vault.clone(),
            Arc::clone(&self.clock),
            Box::new(move |change| {
                if let Some(inner) = told.upgrade() {
                    inner.changed(&change);
                }
            }),
        );
        for source in session.vault.read(|r| r.sources().all())? {
            watcher.watch(left_out::watched(&session.vault, &source));
        }
        *session.watcher.lock() = Some(watcher);
        Ok(())
    }

    /// Embeds what the session lacks, once there is a model.
    fn start_embedding(self: &Arc<Self>, session: &Arc<Session>) {
        if let Some(embedder) = self.model.get() {
            embedding::start(session, embedder, Arc::downgrade(self));
        }
    }

    /// Gives a session that was opened before the model was ready what it lacks.
    pub(crate) fn model_changed(self: &Arc<Self>) {
        self.notices.tell(&Notice::Model);
        let Ok(session) = self.session() else { return };
        let embedder = self.model.get();
        let rerankers = session.rerankers(embedder.as_ref().map(embedded));
        session.engine.set_models(embedder, rerankers);
        if self.background {
            self.start_embedding(&session);
        }
    }

    /// Loads a cross-encoder that is in use, so that the first query need not wait for it.
    fn load_reranker(self: &Arc<Self>, session: &Arc<Session>) {
        let (inner, session) = (Arc::clone(self), Arc::clone(session));
        self.workers.start(move || {
            let presets = settings::view(&session.vault, &inner.paths);
            if let Some(preset) = presets
                .presets
                .iter()
                .find(|one| one.name == presets.preset)
            {
                inner.prepare_reranker(&session, &preset.constants);
            }
        });
    }
}

impl Surroundings for Weak<Inner> {
    fn idle(&self) -> Option<i64> {
        let inner = self.upgrade()?;
        Some(inner.now() - inner.last_use.load(Ordering::Relaxed))
    }

    fn tell(&self, notice: &Notice) {
        if let Some(inner) = self.upgrade() {
            inner.notices.tell(notice);
        }
    }
}

/// The reranker that needs nothing but the local model.
pub(crate) fn embedded(embedder: &Arc<dyn Embedder>) -> Arc<dyn Reranker> {
    Arc::new(LateInteraction::new(Arc::clone(embedder)))
}

/// Keeps the words of a session's memories in memory, in the background; ends when it closes.
fn keep_words(session: &Arc<Session>) {
    let workers = session.workers.clone();
    let session = Arc::clone(session);
    workers.start(move || {
        while !session.closing.load(Ordering::SeqCst) {
            match session.engine.refresh_postings() {
                Ok(_) => {}
                Err(VaultError::Locked) => break,
                Err(error) => tracing::warn!(%error, "the words could not be read into memory"),
            }
            Workers::nap(WORDS_NAP);
        }
    });
}

/// Locks the vault when nobody has used it for as long as its settings say.
fn idle_lock(inner: &Arc<Inner>) {
    let inner = Arc::downgrade(inner);
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(5));
            let Some(inner) = inner.upgrade() else { return };
            let Ok(session) = inner.session() else {
                continue;
            };
            let minutes = settings::lock_after_minutes(&session.vault);
            let idle = inner.now() - inner.last_use.load(Ordering::Relaxed);
            if minutes > 0 && idle >= i64::from(minutes) * 60_000 {
                inner.close();
            }
        }
    });
}
