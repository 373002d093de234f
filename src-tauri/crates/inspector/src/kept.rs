//! What a vault keeps for the use-cases: JSON values under one key each.

use memory::Vault;
use serde_json::Value;

/// The JSON under a key.
pub(crate) fn value(vault: &Vault, key: &str) -> Option<Value> {
    let text = vault.read(|r| r.settings().get(key)).ok().flatten()?;
    serde_json::from_str(&text).ok()
}
