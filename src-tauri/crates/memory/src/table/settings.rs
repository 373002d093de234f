//! Settings: a name and a JSON value each.

use std::ops::Deref;

use rusqlite::{Connection, OptionalExtension as _};

use crate::error::VaultError;

pub(crate) const MIGRATION: &str = "
CREATE TABLE settings(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
";

/// Reads settings.
pub struct Settings<'a>(&'a Connection);

impl<'a> Settings<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(connection)
    }

    /// The JSON text stored under `key`.
    pub fn get(&self, key: &str) -> Result<Option<String>, VaultError> {
        Ok(self
            .0
            .prepare_cached("SELECT value FROM settings WHERE key = ?")?
            .query_row([key], |row| row.get(0))
            .optional()?)
    }
}

/// Writes settings.
pub struct SettingsMut<'a>(Settings<'a>);

impl<'a> Deref for SettingsMut<'a> {
    type Target = Settings<'a>;

    fn deref(&self) -> &Settings<'a> {
        &self.0
    }
}

impl<'a> SettingsMut<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self(Settings(connection))
    }

    /// Stores JSON text under `key`.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] when `value` is not JSON.
    pub fn set(&self, key: &str, value: &str) -> Result<(), VaultError> {
        if serde_json::from_str::<serde::de::IgnoredAny>(value).is_err() {
            return Err(VaultError::Invalid { what: "setting" });
        }
        self.0
            .0
            .prepare_cached("INSERT OR REPLACE INTO settings VALUES(?, ?)")?
            .execute([key, value])?;
        Ok(())
    }

    /// Forgets `key`; false when it was not there.
    pub fn remove(&self, key: &str) -> Result<bool, VaultError> {
        let removed = self
            .0
            .0
            .execute("DELETE FROM settings WHERE key = ?", [key])?;
        Ok(removed > 0)
    }
}
