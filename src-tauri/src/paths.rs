//! Where things are on this machine. The only place that reads the environment.

use std::path::PathBuf;

use inspector::Paths;

/// Finds the folders; the environment may move each of them (tests do).
pub fn from_environment() -> Result<Paths, &'static str> {
    let beside = std::env::current_exe()
        .ok()
        .and_then(|program| program.parent().map(PathBuf::from));
    Paths::find(&|name| std::env::var_os(name), beside.as_deref())
}
