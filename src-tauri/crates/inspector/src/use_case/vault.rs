//! Creating, opening, locking the vault, and its state.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;

use memory::{KdfCost, Passphrase, Vault, VaultError};

use crate::error::{EdgeError, ErrorCode};
use crate::inspector::{Inner, Inspector};
use crate::session::Session;
use crate::view::{GuideStep, StatusView, StrengthView, VaultState};
use crate::{demo, settings, strength};

impl Inspector {
    /// The state of everything. A script is told about the model once it is known.
    pub fn status(&self) -> Result<StatusView, EdgeError> {
        if !self.inner.background {
            self.inner.model.wait();
        }
        self.status_now()
    }

    fn status_now(&self) -> Result<StatusView, EdgeError> {
        let inner = &self.inner;
        match inner.session() {
            Ok(session) => status_of(inner, &session),
            Err(_) => Ok(closed_status(inner)),
        }
    }

    /// Creates the person's vault and opens it.
    pub fn create_vault(&self, passphrase: String) -> Result<StatusView, EdgeError> {
        let rating = strength::estimate(&passphrase);
        if rating.score < strength::LOWEST_ACCEPTED {
            return Err(EdgeError::new(
                ErrorCode::WeakPassphrase,
                &[("advice", &rating.advice)],
            ));
        }
        let folder = &self.inner.paths.vault;
        let vault = Vault::create(folder, &Passphrase::new(passphrase)?, KdfCost::STANDARD)
            .map_err(|error| about(folder, error))?;
        self.inner.adopt(vault, false)?;
        self.status_now()
    }

    /// Opens the person's vault.
    pub fn unlock(&self, passphrase: String) -> Result<StatusView, EdgeError> {
        let folder = &self.inner.paths.vault;
        let vault = Vault::unlock(folder, &Passphrase::new(passphrase)?)
            .map_err(|error| about(folder, error))?;
        self.inner.adopt(vault, false)?;
        self.status_now()
    }

    /// Builds the demo vault anew from the logs that ship with the program, and opens it. Its key
    /// is random and never leaves memory: what happens in the demo ends with it.
    pub fn open_demo(&self) -> Result<StatusView, EdgeError> {
        let folder = &self.inner.paths.demo;
        self.inner.close();
        remove_old_demo(folder)?;
        // The key is as strong as a random passphrase, so slowing down guesses would gain nothing.
        let vault = Vault::create(folder, &random_passphrase()?, KdfCost::TEST)
            .map_err(|error| about(folder, error))?;
        demo::fill(&vault, &self.inner.paths.demo_logs, Inner::now())?;
        self.inner.adopt(vault, true)?;
        self.status_now()
    }

    /// Creates the person's vault and fills it with the demo's logs; for scripts and tests.
    pub fn create_demo_vault(&self, passphrase: String) -> Result<StatusView, EdgeError> {
        demo::check(&self.inner.paths.demo_logs)?;
        self.create_vault(passphrase)?;
        let session = self.inner.session_in_use()?;
        demo::fill(&session.vault, &self.inner.paths.demo_logs, Inner::now())?;
        self.status_now()
    }

    /// Closes the vault and forgets its key.
    pub fn lock(&self) -> Result<StatusView, EdgeError> {
        self.inner.close();
        self.status_now()
    }

    /// How hard a passphrase is to guess.
    pub fn passphrase_strength(&self, passphrase: String) -> StrengthView {
        let passphrase = secrecy::SecretString::from(passphrase);
        strength::estimate(secrecy::ExposeSecret::expose_secret(&passphrase))
    }

    /// Queries to try on the demo memory; none outside the demo.
    pub fn demo_guide(&self) -> Result<Vec<GuideStep>, EdgeError> {
        let session = self.inner.session()?;
        if !session.demo {
            return Ok(Vec::new());
        }
        demo::guide(&session.vault, &self.inner.paths.demo_logs)
    }

    /// Tries to load the model again.
    pub fn retry_model(&self) -> Result<StatusView, EdgeError> {
        self.inner.model.load();
        self.inner.model_changed();
        self.status_now()
    }
}

fn random_passphrase() -> Result<Passphrase, EdgeError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|_| EdgeError::internal("draw a random key"))?;
    Ok(Passphrase::new(hex::encode(bytes))?)
}

/// Names the folder in an error that is about one.
fn about(folder: &Path, error: VaultError) -> EdgeError {
    let mut edge = EdgeError::from(error);
    edge.args
        .entry("path".to_owned())
        .or_insert_with(|| folder.display().to_string());
    edge
}

fn remove_old_demo(folder: &Path) -> Result<(), EdgeError> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(EdgeError::new(
            ErrorCode::Unreadable,
            &[
                ("path", &folder.display().to_string()),
                ("reason", &error.kind().to_string()),
            ],
        )),
        _ => Ok(()),
    }
}

fn closed_status(inner: &Inner) -> StatusView {
    let folder = &inner.paths.vault;
    StatusView {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        vault: if Vault::exists(folder) {
            VaultState::Locked
        } else {
            VaultState::None
        },
        demo: false,
        folder: folder.display().to_string(),
        model: inner.model.state(),
        memories: 0,
        trash: 0,
        embedded: 0,
        embeddable: 0,
        sources: 0,
        tables: BTreeMap::default(),
        schema: memory::SCHEMA_VERSION,
        libraries: BTreeMap::default(),
        lock_after_minutes: 0,
        idle_lock_in_seconds: None,
        undo: None,
    }
}

fn status_of(inner: &Inner, session: &Session) -> Result<StatusView, EdgeError> {
    let now = Inner::now();
    let identity = inner.model.get().map(|model| model.identity().clone());
    let lock_after_minutes = settings::lock_after_minutes(&session.vault);
    let idle_seconds = (now - inner.last_use.load(Ordering::Relaxed)) / 1000;
    let view = session.vault.read(|r| {
        let model = match &identity {
            Some(identity) => r.embeddings().find(&identity.id, identity.dimension)?,
            None => r.embeddings().active()?,
        };
        let memories = r.memories().living(now)?;
        let (embedded, embeddable) = match &model {
            Some(model) => r.embeddings().counts(model)?,
            None => (0, memories),
        };
        Ok(StatusView {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            vault: VaultState::Open,
            demo: session.demo,
            folder: session.vault.dir().display().to_string(),
            model: inner.model.state(),
            memories,
            trash: r.memories().trash_count()?,
            embedded,
            embeddable,
            sources: u32::try_from(r.sources().all()?.len()).unwrap_or(u32::MAX),
            tables: r.table_counts()?,
            schema: r.schema()?,
            libraries: r.library_versions()?,
            lock_after_minutes,
            idle_lock_in_seconds: (lock_after_minutes > 0).then(|| {
                u32::try_from((i64::from(lock_after_minutes) * 60 - idle_seconds).max(0))
                    .unwrap_or(u32::MAX)
            }),
            undo: r.undo().next()?,
        })
    })?;
    Ok(view)
}
