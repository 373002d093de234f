//! From which cosine on a memory is linked to an older one as a near duplicate, and the work of it.

use memory::{ModelRow, Vault, VaultError};
use serde_json::{Value, json};

use crate::error::EdgeError;
use crate::kept::value;
use crate::session::Session;

const THRESHOLD: &str = "near_duplicate";
/// By which model and which threshold the links were made.
const MADE_BY: &str = "near_links_of";

/// The lowest and the highest threshold: below, sentences of one topic are taken for one.
pub(crate) const RANGE: (f64, f64) = (0.8, 1.0);

const STANDARD: f64 = 0.95;

/// From which cosine on two memories say nearly the same.
pub(crate) fn threshold(vault: &Vault) -> f64 {
    let stored = value(vault, THRESHOLD).and_then(|value| value.as_f64());
    stored
        .filter(|at| (RANGE.0..=RANGE.1).contains(at))
        .unwrap_or(STANDARD)
}

/// Whether that is a threshold.
///
/// # Errors
/// `bad_request` outside [`RANGE`].
pub(crate) fn check(name: &str, at: f64) -> Result<(), EdgeError> {
    if (RANGE.0..=RANGE.1).contains(&at) {
        Ok(())
    } else {
        Err(EdgeError::bad_request(name, "0.8 to 1"))
    }
}

/// Moves the threshold; the links are made anew in the background.
pub(crate) fn set_threshold(session: &Session, at: f64) -> Result<(), EdgeError> {
    session
        .vault
        .write(|w| w.settings().set(THRESHOLD, &json!(at).to_string()))?;
    session.wake.rouse();
    Ok(())
}

/// Links at most so many of the memories that wait to be compared; how many were compared.
pub(crate) fn link(session: &Session, model: &ModelRow, most: u32) -> Result<usize, VaultError> {
    let from = threshold(&session.vault);
    let made_by = json!({ "model": model.model_id, "from": from });
    let before: Option<Value> = value(&session.vault, MADE_BY);
    if before.as_ref() != Some(&made_by) {
        session.vault.write(|w| {
            w.memories().near_anew()?;
            w.settings().set(MADE_BY, &made_by.to_string())
        })?;
    }
    session.engine.link_near(from, most)
}
