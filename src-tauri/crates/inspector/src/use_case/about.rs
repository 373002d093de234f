//! What this program is and where its things lie: for the page about it, and for a bug report.
//! Nothing in it says what a memory says.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::report;
use crate::view::{ModelState, StatusView, VaultState};

/// The licences of everything that is shipped, as one text.
const NOTICES: &str = "third-party.txt";

/// The program and its surroundings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct AboutView {
    /// The program's version.
    pub version: String,
    /// The system and the processor it was built for, such as `linux x86_64`.
    pub system: String,
    /// The model's identity, or why there is none.
    pub model: ModelState,
    /// Where the model's files are.
    pub model_folder: Option<String>,
    /// The vault's folder.
    pub vault_folder: String,
    /// Where the demo's logs are.
    pub demo_folder: Option<String>,
    /// What the program's own log is filtered by.
    pub log: String,
    /// Versions of the libraries inside, by name; known while a vault is open.
    pub libraries: BTreeMap<String, String>,
    /// Version of the vault's schema.
    pub schema: u32,
    /// All of it and the counts as text for a bug report; the home folder stands as `~` in it.
    pub diagnostics: String,
}

impl Inspector {
    /// What this program is and where its things lie. `log` is what its own log is filtered by.
    ///
    /// # Errors
    /// Those of [`Inspector::status`].
    pub fn about(&self, log: &str) -> Result<AboutView, EdgeError> {
        let status = self.status()?;
        let paths = &self.inner.paths;
        let model_folder = first_with(&paths.models, "manifest.json");
        let demo_folder = first_with(&paths.demo_logs, "demo.json");
        let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        let diagnostics = diagnostics(
            &status,
            &system,
            model_folder.as_deref(),
            demo_folder.as_deref(),
            log,
            &paths.home,
        );
        Ok(AboutView {
            version: status.version,
            system,
            model: status.model,
            model_folder: model_folder.map(|folder| folder.display().to_string()),
            vault_folder: status.folder,
            demo_folder: demo_folder.map(|folder| folder.display().to_string()),
            log: log.to_owned(),
            libraries: status.libraries,
            schema: status.schema,
            diagnostics,
        })
    }

    /// The licences of everything that is shipped with the program.
    ///
    /// # Errors
    /// [`crate::error::ErrorCode::NotFound`] when none of the places has the file.
    pub fn third_party_notices(&self) -> Result<String, EdgeError> {
        self.inner
            .paths
            .notices
            .iter()
            .find_map(|folder| std::fs::read_to_string(folder.join(NOTICES)).ok())
            .ok_or_else(|| EdgeError::not_found(NOTICES))
    }
}

/// The first folder that holds the file, without the detours in its path.
fn first_with(folders: &[PathBuf], file: &str) -> Option<PathBuf> {
    let found = folders.iter().find(|folder| folder.join(file).is_file())?;
    Some(found.canonicalize().unwrap_or_else(|_| found.clone()))
}

fn diagnostics(
    status: &StatusView,
    system: &str,
    model_folder: Option<&Path>,
    demo_folder: Option<&Path>,
    log: &str,
    home: &Path,
) -> String {
    let place = |folder: Option<&Path>| {
        folder.map_or_else(|| "not found".to_owned(), |folder| homely(folder, home))
    };
    let vault = match status.vault {
        VaultState::None => "none yet",
        VaultState::Locked => "locked",
        VaultState::AtWork => "closed for work on its files",
        VaultState::Open if status.demo => "open, the demo",
        VaultState::Open => "open",
    };
    let mut text = format!("Lethescope {} on {system}\n", status.version);
    let mut line = |name: &str, value: &str| {
        let _ = writeln!(text, "{name:<10} {value}");
    };
    line(
        "vault",
        &format!(
            "{vault}, schema {}, {}",
            status.schema,
            homely(Path::new(&status.folder), home)
        ),
    );
    if status.vault == VaultState::Open {
        line(
            "memories",
            &format!(
                "{} ({} in the trash), {} of {} embedded, {} sources",
                status.memories, status.trash, status.embedded, status.embeddable, status.sources
            ),
        );
        if !status.damaged.is_empty() {
            line("damaged", &status.damaged.join(", "));
        }
    }
    line(
        "model",
        &report::model(&status.model).replace(&*home.to_string_lossy(), "~"),
    );
    line("model at", &place(model_folder));
    line("demo at", &place(demo_folder));
    line("log", log);
    for (name, version) in &status.libraries {
        line(name, version);
    }
    text
}

/// A path as it may be shown to strangers: whose home it is stays at home.
fn homely(path: &Path, home: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(rest) if !home.as_os_str().is_empty() => Path::new("~").join(rest).display().to_string(),
        _ => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paths;

    #[test]
    fn diagnostics_name_everything_but_whose_home_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home/ada");
        std::fs::create_dir_all(home.join("notices")).unwrap();
        std::fs::write(home.join("notices").join(NOTICES), "MIT\n").unwrap();
        let inspector = Inspector::for_scripts(Paths {
            vault: home.join("data/vault"),
            demo: home.join("data/demo"),
            evaluation: home.join("data/evaluation"),
            models: vec![home.join("model")],
            demo_logs: vec![home.join("logs")],
            notices: vec![home.join("elsewhere"), home.join("notices")],
            home: home.clone(),
            editor: None,
        });
        let about = inspector.about("warn").unwrap();
        let text = &about.diagnostics;
        assert!(text.starts_with("Lethescope "), "{text}");
        assert!(text.contains("vault      none yet, schema"), "{text}");
        assert!(text.contains("~/data/vault"), "{text}");
        assert!(text.contains("model at   not found"), "{text}");
        assert!(text.contains("log        warn"), "{text}");
        assert!(!text.contains("ada"), "{text}");
        assert_eq!(inspector.third_party_notices().unwrap(), "MIT\n");
    }
}
