//! Creating, opening, locking the vault, and its state.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use memory::{KdfCost, Passphrase, Vault, VaultError};

use crate::convert::reason;
use crate::error::{EdgeError, ErrorCode};
use crate::inspector::{Inner, Inspector};
use crate::session::Session;
use crate::strength::{self, strong};
use crate::view::{GuideStep, StatusView, StrengthView, VaultState};
use crate::{demo, presets, settings};

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
        let passphrase = strong(passphrase)?;
        let folder = &self.inner.paths.vault;
        let vault = Vault::create(folder, &passphrase, KdfCost::STANDARD)
            .map_err(|error| EdgeError::about(folder, error))?;
        settings::save_preset_in_force(&vault, presets::RECOMMENDED)?;
        self.inner.adopt(vault, false)?;
        self.status_now()
    }

    /// Opens the person's vault.
    pub fn unlock(&self, passphrase: String) -> Result<StatusView, EdgeError> {
        self.open(passphrase)?;
        self.status_now()
    }

    /// Opens the person's vault and looks no further: a damaged page somewhere else stays unseen.
    /// Where a person types, guesses in a row are slowed down; nothing about them is kept, so that
    /// starting the program anew locks nobody out.
    pub fn open(&self, passphrase: String) -> Result<(), EdgeError> {
        let inner = &self.inner;
        let folder = &inner.paths.vault;
        if inner.background {
            std::thread::sleep(pause_after(inner.wrong_tries.load(Ordering::Relaxed)));
        }
        let vault = Vault::unlock(folder, &Passphrase::new(passphrase)?).map_err(|error| {
            if matches!(error, VaultError::WrongPassphrase) {
                inner.wrong_tries.fetch_add(1, Ordering::Relaxed);
            }
            EdgeError::about(folder, error)
        })?;
        inner.wrong_tries.store(0, Ordering::Relaxed);
        inner.adopt(vault, false)
    }

    /// Builds the demo vault anew from the logs that ship with the program, and opens it. Its key
    /// is random and never leaves memory: what happens in the demo ends with it.
    pub fn open_demo(&self) -> Result<StatusView, EdgeError> {
        let folder = &self.inner.paths.demo;
        self.inner.close();
        remove_old_demo(folder)?;
        // The key is as strong as a random passphrase, so slowing down guesses would gain nothing.
        let vault = Vault::create(folder, &random_passphrase()?, KdfCost::TEST)
            .map_err(|error| EdgeError::about(folder, error))?;
        demo::fill(&vault, &self.inner.paths.demo_logs, self.inner.now())?;
        self.inner.adopt(vault, true)?;
        self.status_now()
    }

    /// Creates the person's vault and fills it with the demo's logs; for scripts and tests.
    pub fn create_demo_vault(&self, passphrase: String) -> Result<StatusView, EdgeError> {
        demo::check(&self.inner.paths.demo_logs)?;
        self.create_vault(passphrase)?;
        let session = self.inner.session_in_use()?;
        demo::fill(
            &session.vault,
            &self.inner.paths.demo_logs,
            self.inner.now(),
        )?;
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

/// How long the next try waits after so many wrong ones in a row.
fn pause_after(wrong: u32) -> Duration {
    const FREE: u32 = 5;
    const LONGEST: u32 = 4;
    match wrong.checked_sub(FREE) {
        None => Duration::ZERO,
        Some(more) => Duration::from_secs(1 << more.min(LONGEST)),
    }
}

/// What could be read; a damaged page costs what stands on it.
fn unless_damaged<T: Default>(result: Result<T, VaultError>) -> Result<T, VaultError> {
    match result {
        Err(VaultError::Damaged) => Ok(T::default()),
        result => result,
    }
}

fn random_passphrase() -> Result<Passphrase, EdgeError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|_| EdgeError::internal("draw a random key"))?;
    Ok(Passphrase::new(hex::encode(bytes))?)
}

fn remove_old_demo(folder: &Path) -> Result<(), EdgeError> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(EdgeError::new(
            ErrorCode::Unreadable,
            &[
                ("path", &folder.display().to_string()),
                ("reason", &reason(error.kind())),
            ],
        )),
        _ => Ok(()),
    }
}

fn closed_status(inner: &Inner) -> StatusView {
    let folder = &inner.paths.vault;
    StatusView {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        vault: if inner.at_work.load(Ordering::SeqCst) {
            VaultState::AtWork
        } else if Vault::exists(folder) {
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
        vectors_of: None,
        sources: 0,
        tables: BTreeMap::default(),
        damaged: Vec::new(),
        schema: memory::SCHEMA_VERSION,
        libraries: BTreeMap::default(),
        lock_after_minutes: 0,
        idle_lock_in_seconds: None,
        undo: None,
    }
}

fn status_of(inner: &Inner, session: &Session) -> Result<StatusView, EdgeError> {
    let now = inner.now();
    let identity = inner.model.get().map(|model| model.identity().clone());
    let lock_after_minutes = settings::lock_after_minutes(&session.vault);
    let idle_seconds = (now - inner.last_use.load(Ordering::Relaxed)) / 1000;
    let vault = &session.vault;
    let (tables, damaged) = vault.count_tables()?;
    let (embedded, embeddable, vectors_of) = unless_damaged(vault.read(|r| {
        let active = r.embeddings().active()?;
        let (model, other) = match &identity {
            Some(identity) => (
                r.embeddings().find(&identity.id, identity.dimension)?,
                active.filter(|active| active.model_id != identity.id),
            ),
            None => (active, None),
        };
        let (embedded, embeddable) = match &model {
            Some(model) => r.embeddings().counts(model)?,
            None => (0, r.memories().living(now)?),
        };
        Ok((embedded, embeddable, other.map(|other| other.model_id)))
    }))?;
    let (schema, libraries) = vault.read(|r| Ok((r.schema()?, r.library_versions()?)))?;
    let sources = unless_damaged(vault.read(|r| r.sources().all()))?;
    Ok(StatusView {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        vault: VaultState::Open,
        demo: session.demo,
        folder: vault.dir().display().to_string(),
        model: inner.model.state(),
        memories: unless_damaged(vault.read(|r| r.memories().living(now)))?,
        trash: unless_damaged(vault.read(|r| r.memories().trash_count()))?,
        embedded,
        embeddable,
        vectors_of,
        sources: u32::try_from(sources.len()).unwrap_or(u32::MAX),
        tables,
        damaged,
        schema,
        libraries,
        lock_after_minutes,
        idle_lock_in_seconds: (lock_after_minutes > 0).then(|| {
            u32::try_from((i64::from(lock_after_minutes) * 60 - idle_seconds).max(0))
                .unwrap_or(u32::MAX)
        }),
        undo: unless_damaged(vault.read(|r| r.undo().next()))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_wait_longer_and_never_too_long() {
        let seconds: Vec<u64> = (3..12).map(|wrong| pause_after(wrong).as_secs()).collect();
        assert_eq!(seconds, [0, 0, 1, 2, 4, 8, 16, 16, 16]);
    }
}
