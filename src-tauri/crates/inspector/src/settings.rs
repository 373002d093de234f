//! Settings live in the vault, as JSON values under one key each.

use memory::Vault;
use retrieval::constants::{Constants, RerankBackend};
use serde_json::Value;

use crate::error::EdgeError;
use crate::kept::{tokens_are_kept, value};
use crate::paths::Paths;
use crate::presets;
use crate::rerankers::Choice;
use crate::view::{PresetView, SettingsView};

const LOCK_AFTER: &str = "lock_after_minutes";
const THEME: &str = "theme";
const PRESET: &str = "preset";
const EDITOR: &str = "editor";
const OWN_PRESETS: &str = "presets";

/// Minutes without use after which a vault locks, when nothing else was set.
const LOCK_AFTER_DEFAULT: u32 = 15;

/// As many texts as a reranker is given that has to read them anew for every query: the windows of
/// the presets are made for kept token vectors.
const READ_AS_TEXTS: u32 = 40;

/// The themes one can choose.
pub(crate) const THEMES: [&str; 3] = ["system", "light", "dark"];

/// Minutes without use after which this vault locks; 0 = never.
pub(crate) fn lock_after_minutes(vault: &Vault) -> u32 {
    value(vault, LOCK_AFTER)
        .and_then(|value| u32::try_from(value.as_u64()?).ok())
        .unwrap_or(LOCK_AFTER_DEFAULT)
}

/// All settings.
pub(crate) fn view(vault: &Vault, paths: &Paths) -> SettingsView {
    let text = |key: &str| value(vault, key).and_then(|v| v.as_str().map(str::to_owned));
    let presets = all_presets(vault);
    let preset = text(PRESET)
        .filter(|name| presets.iter().any(|preset| &preset.name == name))
        // A vault from before a new one began with the recommended preset ranks as it did.
        .unwrap_or_else(|| presets::STANDARD.to_owned());
    SettingsView {
        lock_after_minutes: lock_after_minutes(vault),
        theme: text(THEME).unwrap_or_else(|| THEMES[0].to_owned()),
        preset,
        presets,
        editor: editor(vault),
        keep_token_vectors: tokens_are_kept(vault),
        editors: crate::editor::choices(paths.editor.as_deref()),
    }
}

/// The command that opens a log; empty when none was set.
pub(crate) fn editor(vault: &Vault) -> String {
    let stored = value(vault, EDITOR).and_then(|v| v.as_str().map(str::to_owned));
    stored.unwrap_or_default()
}

/// Stores what changed.
pub(crate) fn save(
    vault: &Vault,
    lock_after: Option<u32>,
    theme: Option<&str>,
    preset: Option<&str>,
    editor: Option<&str>,
) -> Result<(), EdgeError> {
    vault.write(|w| {
        if let Some(minutes) = lock_after {
            w.settings().set(LOCK_AFTER, &minutes.to_string())?;
        }
        if let Some(theme) = theme {
            w.settings().set(THEME, &Value::from(theme).to_string())?;
        }
        if let Some(preset) = preset {
            w.settings().set(PRESET, &Value::from(preset).to_string())?;
        }
        if let Some(editor) = editor {
            w.settings()
                .set(EDITOR, &Value::from(editor.trim()).to_string())?;
        }
        Ok(())
    })?;
    Ok(())
}

/// Stores which preset a new question starts with.
pub(crate) fn save_preset_in_force(vault: &Vault, name: &str) -> Result<(), EdgeError> {
    save(vault, None, None, Some(name), None)
}

/// The presets that ship with the program, with the reranker that was chosen, then the person's own.
pub(crate) fn all_presets(vault: &Vault) -> Vec<PresetView> {
    let mut presets = presets::builtin();
    if let Some(backend) = Choice::read(vault).backend {
        for preset in &mut presets {
            preset.constants.rerank = backend;
            if backend != RerankBackend::Embedded {
                let window = &mut preset.constants.rerank_window;
                *window = (*window).min(READ_AS_TEXTS);
            }
        }
    }
    presets.extend(own_presets(vault));
    presets
}

/// Stores the person's own presets.
pub(crate) fn save_own_presets(vault: &Vault, presets: &[PresetView]) -> Result<(), EdgeError> {
    let text =
        serde_json::to_string(presets).map_err(|_| EdgeError::internal("write the presets"))?;
    vault.write(|w| w.settings().set(OWN_PRESETS, &text))?;
    Ok(())
}

/// The person's own presets. Constants that the program has learnt since take their default.
pub(crate) fn own_presets(vault: &Vault) -> Vec<PresetView> {
    let Some(Value::Array(stored)) = value(vault, OWN_PRESETS) else {
        return Vec::new();
    };
    stored
        .into_iter()
        .filter_map(|mut preset| {
            let constants = preset.get("constants").cloned().unwrap_or_default();
            let completed = serde_json::to_value(complete(constants)).ok()?;
            let fields = preset.as_object_mut()?;
            fields.insert("constants".into(), completed);
            // Older programs stored nothing of it.
            fields.insert("recommended".into(), Value::Bool(false));
            serde_json::from_value(preset).ok()
        })
        .collect()
}

/// Lays stored constants over the defaults, one by one, so that neither a missing nor an outdated
/// one loses the others.
fn complete(stored: Value) -> Constants {
    let mut constants = Constants::default();
    let Value::Object(stored) = stored else {
        return constants;
    };
    for (name, value) in stored {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(&constants) else {
            continue;
        };
        if fields.contains_key(&name) {
            fields.insert(name, value);
            if let Ok(changed) = serde_json::from_value(Value::Object(fields)) {
                constants = changed;
            }
        }
    }
    constants
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn old_presets_gain_new_constants_and_keep_what_still_fits() {
        let constants = complete(json!({ "rrf_k": 5.0, "fusion": "sum", "gone": 1, "mmr": true }));
        assert_eq!(
            constants,
            Constants {
                rrf_k: 5.0,
                mmr: true,
                ..Constants::default()
            }
        );
    }
}
