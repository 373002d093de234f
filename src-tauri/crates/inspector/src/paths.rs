//! Where the program keeps and finds its things.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folders the program works with. Every one of them can be moved through the environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// Folder of the person's vault.
    pub vault: PathBuf,
    /// Folder of the demo vault.
    pub demo: PathBuf,
    /// Throw-away vaults of retrieval sets, kept so that the next run need not embed again.
    pub evaluation: PathBuf,
    /// Folders that may hold the model, best first.
    pub models: Vec<PathBuf>,
    /// Folders that may hold the demo's logs, best first.
    pub demo_logs: Vec<PathBuf>,
    /// Folders that may hold the licences of everything that is shipped, best first.
    pub notices: Vec<PathBuf>,
    /// Where agents' folders are looked for.
    pub home: PathBuf,
    /// The person's own command that opens a log at a line.
    pub editor: Option<String>,
}

impl Paths {
    /// Finds the folders. `variable` reads the environment; `program_folder` is the folder of the
    /// running program, whose neighbours hold the resources of a package.
    ///
    /// `LETHESCOPE_DATA_DIR`, `LETHESCOPE_MODEL_DIR`, `LETHESCOPE_DEMO_DIR` and `LETHESCOPE_HOME`
    /// move one folder each; `LETHESCOPE_EDITOR` is a command that opens a log.
    pub fn find(
        variable: &dyn Fn(&str) -> Option<OsString>,
        program_folder: Option<&Path>,
    ) -> Result<Self, &'static str> {
        let moved = |name: &str| variable(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let home = moved("LETHESCOPE_HOME")
            .or_else(dirs::home_dir)
            .ok_or("no home folder: set LETHESCOPE_HOME")?;
        let data = moved("LETHESCOPE_DATA_DIR")
            .or_else(|| dirs::data_dir().map(|folder| folder.join("lethescope")))
            .ok_or("no data folder: set LETHESCOPE_DATA_DIR")?;
        Ok(Self {
            vault: data.join("vault"),
            demo: data.join("demo"),
            evaluation: data.join("evaluation"),
            models: resources(
                moved("LETHESCOPE_MODEL_DIR"),
                program_folder,
                "model",
                ".local/model",
            ),
            demo_logs: resources(
                moved("LETHESCOPE_DEMO_DIR"),
                program_folder,
                "demo",
                "src-tauri/demo",
            ),
            notices: resources(None, program_folder, "notices", ".local/notices"),
            home,
            editor: variable("LETHESCOPE_EDITOR").and_then(|text| text.into_string().ok()),
        })
    }
}

/// A resource is where the environment says, or beside the packaged program, or in the checkout
/// above a program that was just built.
fn resources(
    moved: Option<PathBuf>,
    program_folder: Option<&Path>,
    packaged: &str,
    in_checkout: &str,
) -> Vec<PathBuf> {
    if let Some(folder) = moved {
        return vec![folder];
    }
    let Some(folder) = program_folder else {
        return Vec::new();
    };
    let mut found = vec![
        folder.join(packaged),
        folder.join("../lib/Lethescope").join(packaged),
        folder.join("../Resources").join(packaged),
    ];
    // `target/debug` and, for test programs, `target/debug/deps` lie two or three levels down.
    found.extend(
        folder
            .ancestors()
            .skip(2)
            .take(2)
            .map(|above| above.join(in_checkout)),
    );
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_moves_every_folder() {
        let moved = |name: &str| Some(OsString::from(format!("/moved/{name}")));
        let paths = Paths::find(&moved, None).unwrap();
        assert_eq!(paths.vault, Path::new("/moved/LETHESCOPE_DATA_DIR/vault"));
        assert_eq!(paths.models, [Path::new("/moved/LETHESCOPE_MODEL_DIR")]);
        assert_eq!(paths.demo_logs, [Path::new("/moved/LETHESCOPE_DEMO_DIR")]);
        assert_eq!(paths.home, Path::new("/moved/LETHESCOPE_HOME"));
    }

    #[test]
    fn an_installed_program_finds_what_the_package_brought() {
        let none = |_: &str| None;
        for (program, resources) in [
            ("/usr/bin", "/usr/bin/../lib/Lethescope"),
            (
                "/Applications/Lethescope.app/Contents/MacOS",
                "/Applications/Lethescope.app/Contents/MacOS/../Resources",
            ),
            (
                "/somewhere/beside/the/program",
                "/somewhere/beside/the/program",
            ),
        ] {
            let paths = Paths::find(&none, Some(Path::new(program))).unwrap();
            let resources = Path::new(resources);
            assert!(paths.models.contains(&resources.join("model")));
            assert!(paths.demo_logs.contains(&resources.join("demo")));
            assert!(paths.notices.contains(&resources.join("notices")));
        }
    }

    #[test]
    fn a_program_in_a_checkout_finds_the_checkout() {
        let none = |_: &str| None;
        let paths = Paths::find(&none, Some(Path::new("/code/target/debug"))).unwrap();
        assert!(paths.models.contains(&PathBuf::from("/code/.local/model")));
        assert!(
            paths
                .demo_logs
                .contains(&PathBuf::from("/code/src-tauri/demo"))
        );
    }
}
