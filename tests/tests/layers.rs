//! Dependencies point one way: between the crates, and between the folders of the page. No file of
//! the page reaches itself again through what it imports, and every Rust file belongs to a program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};
use regex::Regex;
use walkdir::WalkDir;

use crate::support::root;

/// Each crate of ours with the crates of ours that it may know.
const ALLOWED: [(&str, &[&str]); 8] = [
    ("memory", &[]),
    ("models", &[]),
    ("retrieval", &["memory", "models"]),
    ("ingest", &["memory", "models"]),
    ("evaluation", &["memory", "models", "retrieval"]),
    (
        "inspector",
        &["memory", "models", "retrieval", "ingest", "evaluation"],
    ),
    ("lethescope", &["inspector"]),
    ("desktop", &["inspector"]),
];

/// Nothing below the desktop knows the window's library.
const WINDOW_LIBRARIES: [&str; 3] = ["tauri", "wry", "tao"];

/// The folders of `ui/src`, each knowing only those after it.
const PAGE: [&str; 11] = [
    "app",
    "features",
    "shell",
    "stages",
    "charts",
    "components",
    "trace",
    "words",
    "locales",
    "ipc",
    "styles",
];

pub(crate) fn workspace() -> Metadata {
    MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .unwrap()
}

#[test]
fn crates_know_only_what_lies_below_them() {
    let metadata = workspace();
    let ours: BTreeSet<&str> = metadata
        .packages
        .iter()
        .map(|package| package.name.as_str())
        .collect();
    for (name, _) in ALLOWED {
        assert!(ours.contains(name), "{name} is gone: correct this list");
    }
    for package in &metadata.packages {
        if package.name == "acceptance" {
            continue;
        }
        let allowed = ALLOWED
            .iter()
            .find(|(name, _)| *name == package.name.as_str())
            .unwrap_or_else(|| panic!("{} is new: say what it may know", package.name))
            .1;
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            if ours.contains(name) && dependency.kind != DependencyKind::Development {
                assert!(
                    allowed.contains(&name),
                    "{} must not know {name}",
                    package.name
                );
            }
            if package.name != "desktop" {
                assert!(
                    !WINDOW_LIBRARIES.contains(&name) && !name.starts_with("tauri-"),
                    "{} must not know the window's library {name}",
                    package.name
                );
            }
        }
    }
}

/// What leads to what: a file of the page to those that it imports, as paths below `ui/src`.
pub(crate) type Imports = BTreeMap<String, BTreeSet<String>>;

/// Reads every relative import of the page's code, of modules and of styles.
fn imports() -> Imports {
    let top = root().join("ui/src");
    let names: BTreeSet<String> = WalkDir::new(&top)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| slashed(entry.path().strip_prefix(&top).unwrap()))
        .collect();
    let import =
        Regex::new(r#"(?:\bfrom\s*|\bimport\s*\(?\s*)['"](\.[^'"?]*)(?:\?[^'"]*)?['"]"#).unwrap();
    let mut found = Imports::new();
    for name in &names {
        let ending = Path::new(name).extension();
        if !ending.is_some_and(|ending| ending == "ts" || ending == "tsx") {
            continue;
        }
        let text = fs::read_to_string(top.join(name)).unwrap();
        let targets = found.entry(name.clone()).or_default();
        for captures in import.captures_iter(&text) {
            let wanted = joined(name, &captures[1]);
            let target = ["", ".ts", ".tsx", "/index.ts", "/index.tsx"]
                .iter()
                .map(|ending| format!("{wanted}{ending}"))
                .find(|target| names.contains(target))
                .unwrap_or_else(|| panic!("{name} imports {wanted}, which is nowhere"));
            targets.insert(target);
        }
    }
    found
}

/// `../b` seen from `a/file.ts`: "b".
fn joined(from: &str, import: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in import.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop().unwrap();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// How high a file of the page stands: the tests and what they share over everything, then what
/// starts the page, then the folders.
fn height(name: &str) -> usize {
    let below_start = |folder: &str| {
        PAGE.iter()
            .rev()
            .position(|one| *one == folder)
            .unwrap_or_else(|| panic!("ui/src/{folder} is new: say what it may know"))
    };
    match name.split_once('/') {
        _ if name.contains(".test.") => PAGE.len() + 1,
        Some(("testing", _)) => PAGE.len() + 1,
        Some((folder, _)) => below_start(folder),
        None => PAGE.len(),
    }
}

#[test]
fn the_page_knows_only_what_lies_below() {
    let imports = imports();
    for folder in PAGE {
        let there = root().join("ui/src").join(folder).is_dir();
        assert!(there, "{folder} is gone: correct this list");
    }
    let mut upwards = Vec::new();
    let mut read = 0;
    for (name, targets) in &imports {
        let own = height(name);
        for target in targets {
            read += 1;
            if height(target) > own {
                upwards.push(format!("{name} -> {target}"));
            }
        }
    }
    assert!(read > 1000, "the search for imports is broken: {read}");
    assert!(upwards.is_empty(), "{upwards:#?}");
}

/// What reaches itself again through what it leads to.
pub(crate) fn in_circles(leads: &Imports) -> BTreeSet<&str> {
    // What leads to nothing that is left can be part of no circle; what stays in the end is one, or
    // leads to one.
    let mut left: BTreeSet<&str> = leads.keys().map(String::as_str).collect();
    loop {
        let through: Vec<&str> = left
            .iter()
            .filter(|name| {
                leads[**name]
                    .iter()
                    .all(|target| !left.contains(target.as_str()))
            })
            .copied()
            .collect();
        if through.is_empty() {
            break;
        }
        for name in through {
            left.remove(name);
        }
    }
    // The other way round, so that only the circles themselves are told.
    loop {
        let known: BTreeSet<&str> = left
            .iter()
            .flat_map(|name| leads[*name].iter().map(String::as_str))
            .collect();
        let before = left.len();
        left.retain(|name| known.contains(name));
        if left.len() == before {
            return left;
        }
    }
}

#[test]
fn nothing_in_the_page_reaches_itself() {
    let imports = imports();
    let left = in_circles(&imports);
    assert!(
        left.is_empty(),
        "these import each other in a circle: {left:#?}"
    );
}

#[test]
fn every_rust_file_is_declared() {
    let declaration = Regex::new(
        r#"(?m)(?:#\[path = "([^"]+)"\]\s*)?^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;"#,
    )
    .unwrap();
    let metadata = workspace();
    let mut declared: BTreeSet<PathBuf> = BTreeSet::new();
    for target in metadata
        .packages
        .iter()
        .flat_map(|package| &package.targets)
    {
        let start = target.src_path.clone().into_std_path_buf();
        let mut waiting = vec![(start, true)];
        while let Some((file, owns_folder)) = waiting.pop() {
            let text = fs::read_to_string(&file).unwrap();
            let beside = file.parent().unwrap();
            let inside = if owns_folder {
                beside.to_path_buf()
            } else {
                file.with_extension("")
            };
            for captures in declaration.captures_iter(&text) {
                let name = &captures[2];
                let flat = inside.join(format!("{name}.rs"));
                let next = match captures.get(1) {
                    Some(path) => (beside.join(path.as_str()), true),
                    None if flat.is_file() => (flat, false),
                    None => (inside.join(name).join("mod.rs"), true),
                };
                assert!(next.0.is_file(), "{} has no {name}", file.display());
                waiting.push(next);
            }
            declared.insert(file);
        }
    }
    assert!(
        declared.len() > 300,
        "the walk is broken: {}",
        declared.len()
    );
    let mut undeclared = Vec::new();
    for package in &metadata.packages {
        let folder = package.manifest_path.parent().unwrap().as_std_path();
        // A folder with a manifest of its own is another package.
        let other = |path: &Path| path != folder && path.join("Cargo.toml").is_file();
        let files = WalkDir::new(folder)
            .into_iter()
            .filter_entry(|entry| !(entry.file_type().is_dir() && other(entry.path())))
            .map(|entry| entry.unwrap().into_path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "rs"));
        undeclared.extend(files.filter(|file| !declared.contains(file)));
    }
    assert!(undeclared.is_empty(), "no module declares {undeclared:#?}");
}
