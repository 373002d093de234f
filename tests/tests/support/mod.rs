//! What the tests share: where things lie, a sandbox for one program, and the demo vault.

mod demo_vault;
mod sandbox;
pub mod stand_in;

use std::path::{Path, PathBuf};

pub use demo_vault::{Answer, Demo, demo};
#[cfg(unix)]
pub use demo_vault::{copy, demo_sandbox};
#[cfg(unix)]
pub use sandbox::{Run, run_with};
pub use sandbox::{Sandbox, ingest, stop};

/// A passphrase that the strength estimate accepts.
pub const PASSPHRASE: &str = "seven kettles under the linden";

/// The top of the checkout.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the tests lie inside the checkout")
        .to_path_buf()
}

/// The folder with the local model, when it was set up.
pub fn model_folder() -> Option<PathBuf> {
    let folder = std::env::var_os("LETHESCOPE_MODEL_DIR")
        .map_or_else(|| root().join(".local/model"), PathBuf::from);
    folder.join("manifest.json").is_file().then_some(folder)
}

/// Says that a test did not run. With `LETHESCOPE_REQUIRE_MODEL=1` that is a failure.
pub fn skip(reason: &str) {
    let required = std::env::var("LETHESCOPE_REQUIRE_MODEL").is_ok_and(|value| value == "1");
    assert!(!required, "cannot run: {reason}");
    eprintln!("SKIPPED: {reason}");
}

/// Says that a test did not run for a reason that no set-up can mend.
#[cfg(target_os = "linux")]
pub fn skip_without_requirement(reason: &str) {
    eprintln!("SKIPPED: {reason}");
}

/// The `lethescope` program that was built beside this test.
pub fn program() -> PathBuf {
    const ADVICE: &str = "run `cargo build --workspace` first, or `npm test`";
    let test = std::env::current_exe().expect("a test knows its own program");
    let name = format!("lethescope{}", std::env::consts::EXE_SUFFIX);
    let program = test
        .ancestors()
        .skip(1)
        .map(|folder| folder.join(&name))
        .find(|path| path.is_file())
        .unwrap_or_else(|| panic!("the program is not built: {ADVICE}"));
    // Cargo does not build another package's program for a test: an old one would be judged.
    if let Some(newer) = newer_source(&program) {
        panic!("the program is older than {}: {ADVICE}", newer.display());
    }
    program
}

/// A source of the program that was changed after it was built.
fn newer_source(program: &Path) -> Option<PathBuf> {
    let time = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let built = time(program)?;
    walkdir::WalkDir::new(root().join("src-tauri/crates"))
        .into_iter()
        // What only tests compile does not make the program old.
        .filter_entry(|entry| {
            !matches!(
                entry.file_name().to_str(),
                Some("tests" | "tests.rs" | "benches" | "examples")
            )
        })
        .filter_map(Result::ok)
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .find(|path| time(path).is_some_and(|changed| changed > built))
}
