//! Where a window of the editor works: the folder in `workspace.json` beside its database, or the one
//! that a composer or a bubble names.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

/// Such a file is a line long.
const LONGEST: u64 = 64 * 1024;

/// The folder that lies open in the window whose store this is.
pub(super) fn folder_of(store: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(store.join("workspace.json"))
        .ok()?
        .take(LONGEST)
        .read_to_end(&mut bytes)
        .ok()?;
    let said: Map<String, Value> = serde_json::from_slice(&bytes).ok()?;
    ["folder", "workspace"]
        .iter()
        .find_map(|key| path_of(said.get(*key)?.as_str()?))
}

/// The folder of the window with this name, as seen from the database that all windows share.
pub(super) fn of(name: &str, database: &Path) -> Option<String> {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let plain = !name.is_empty() && name.chars().all(safe);
    let user = database.ancestors().nth(2).filter(|_| plain)?;
    folder_of(&user.join("workspaceStorage").join(name))
}

/// The folder that a composer names, or that of the window that it names.
pub(super) fn named(workspace: &Value, database: &Path) -> Option<String> {
    let uri = workspace.get("uri").or_else(|| workspace.get("configPath"));
    let path = uri.and_then(|uri| {
        let path = uri.get("fsPath").or_else(|| uri.get("path"))?.as_str()?;
        (!path.is_empty()).then(|| path.to_owned())
    });
    path.or_else(|| of(workspace.get("id")?.as_str()?, database))
}

/// The folder that a bubble names.
pub(super) fn within(bubble: &Map<String, Value>) -> Option<String> {
    let listed = bubble.get("workspaceUris").and_then(Value::as_array);
    let first = listed.and_then(|uris| uris.first()?.as_str());
    first.and_then(path_of)
}

/// The path in a `file://` address; another machine's address stays as it is.
fn path_of(address: &str) -> Option<String> {
    let path = match address.strip_prefix("file://") {
        Some(path) => percent_decode_str(path).decode_utf8_lossy().into_owned(),
        None => address.to_owned(),
    };
    // `/c:/Users` on Windows.
    let drive = path.as_bytes().get(2) == Some(&b':') && path.starts_with('/');
    let path = path[usize::from(drive)..].trim_end_matches('/');
    (!path.is_empty()).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_paths() {
        for (address, path) in [
            ("file:///home/ana/ferry/", Some("/home/ana/ferry")),
            (
                "file:///c%3A/Users/Ana/F%C3%A4hre",
                Some("c:/Users/Ana/Fähre"),
            ),
            (
                "vscode-remote://wsl%2Bubuntu/home/ana",
                Some("vscode-remote://wsl%2Bubuntu/home/ana"),
            ),
            ("file:///a%zz%", Some("/a%zz%")),
            ("file:///é:x", Some("/é:x")),
            ("file://", None),
            ("", None),
        ] {
            assert_eq!(path_of(address).as_deref(), path, "{address}");
        }
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        let home = tempfile::tempdir().unwrap();
        let database = home.path().join("User/globalStorage/state.vscdb");
        let store = home.path().join("User/workspaceStorage/ab12");
        std::fs::create_dir_all(&store).unwrap();
        let said = r#"{"folder":"file:///home/ana/ferry"}"#;
        std::fs::write(store.join("workspace.json"), said).unwrap();
        std::fs::write(home.path().join("User/workspace.json"), said).unwrap();
        assert_eq!(of("ab12", &database).as_deref(), Some("/home/ana/ferry"));
        for name in ["", "..", "ab12/..", "none"] {
            assert_eq!(of(name, &database), None, "{name}");
        }
    }
}
