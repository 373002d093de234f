//! Dependencies point one way.

use std::collections::BTreeSet;

use cargo_metadata::{DependencyKind, MetadataCommand};

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

#[test]
fn crates_know_only_what_lies_below_them() {
    let metadata = MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .no_deps()
        .exec()
        .unwrap();
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
