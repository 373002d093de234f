//! What a vault keeps for the use-cases: JSON values under one key each.

use memory::Vault;
use serde_json::Value;

/// The JSON under a key.
pub(crate) fn value(vault: &Vault, key: &str) -> Option<Value> {
    let text = vault.read(|r| r.settings().get(key)).ok().flatten()?;
    serde_json::from_str(&text).ok()
}

/// Under which key stands whether the vectors of tokens are kept.
pub(crate) const TOKENS: &str = "keep_token_vectors";

/// Whether this vault keeps the vectors of tokens; it does unless it was told not to.
pub(crate) fn tokens_are_kept(vault: &Vault) -> bool {
    value(vault, TOKENS).and_then(|value| value.as_bool()) != Some(false)
}
