//! Settings and presets.

use retrieval::constants::Constants;

use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::request::SettingsRequest;
use crate::view::{PresetView, SettingsView};
use crate::{derived, presets, settings, tuning};

/// Longer names do not fit anywhere.
const NAME_LENGTH: usize = 60;

impl Inspector {
    /// The settings of the open vault.
    pub fn settings(&self) -> Result<SettingsView, EdgeError> {
        Ok(settings::view(
            &self.inner.session()?.vault,
            &self.inner.paths,
        ))
    }

    /// Changes settings.
    pub fn save_settings(&self, request: &SettingsRequest) -> Result<SettingsView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let vault = &session.vault;
        if let Some(theme) = request.theme.as_deref()
            && !settings::THEMES.contains(&theme)
        {
            return Err(EdgeError::bad_request("theme", "system, light or dark"));
        }
        if request
            .lock_after_minutes
            .is_some_and(|minutes| minutes > 1440)
        {
            return Err(EdgeError::bad_request("lock_after_minutes", "0 to 1440"));
        }
        if let Some(name) = request.preset.as_deref() {
            self.preset(Some(name))?;
        }
        if let Some(command) = request.editor.as_deref()
            && !command.trim().is_empty()
        {
            crate::editor::check(command.trim(), self.inner.paths.editor.as_deref())?;
        }
        if let Some(kept) = request.keep_token_vectors {
            derived::keep_tokens(&session, kept)?;
        }
        settings::save(
            vault,
            request.lock_after_minutes,
            request.theme.as_deref(),
            request.preset.as_deref(),
            request.editor.as_deref(),
        )?;
        Ok(settings::view(vault, &self.inner.paths))
    }

    /// The constants of a preset; of the one in force when no name is given.
    pub fn preset(&self, name: Option<&str>) -> Result<Constants, EdgeError> {
        let view = self.settings()?;
        let name = name.unwrap_or(&view.preset);
        Ok(presets::named(view.presets, name)?.constants)
    }

    /// Stores a named set of constants; one of the same name is replaced.
    pub fn save_preset(
        &self,
        name: &str,
        constants: &Constants,
    ) -> Result<SettingsView, EdgeError> {
        let vault = &self.inner.session_in_use()?.vault;
        let name = name.trim();
        let is_builtin = presets::builtin()
            .iter()
            .any(|preset| preset.name.eq_ignore_ascii_case(name));
        if name.is_empty() || name.chars().count() > NAME_LENGTH || is_builtin {
            return Err(EdgeError::bad_request(
                "name",
                "1 to 60 characters, and not the name of a preset that ships with the program",
            ));
        }
        tuning::check(constants)?;
        let mut own = settings::own_presets(vault);
        own.retain(|preset| preset.name != name);
        own.push(PresetView {
            name: name.to_owned(),
            description: String::new(),
            constants: constants.clone(),
            builtin: false,
            recommended: false,
        });
        settings::save_own_presets(vault, &own)?;
        Ok(settings::view(vault, &self.inner.paths))
    }

    /// Forgets a named set of constants.
    pub fn delete_preset(&self, name: &str) -> Result<SettingsView, EdgeError> {
        let vault = &self.inner.session_in_use()?.vault;
        let mut own = settings::own_presets(vault);
        let before = own.len();
        own.retain(|preset| preset.name != name);
        if own.len() == before {
            return Err(EdgeError::not_found(&format!("preset {name} of your own")));
        }
        settings::save_own_presets(vault, &own)?;
        Ok(settings::view(vault, &self.inner.paths))
    }
}
