use std::fs;
use std::path::Path;

use memory::{
    CreatedAtQuality, Filter, Inserted, KdfCost, Kind, MemoryId, NewMemory, Passphrase, Role,
    Scope, Trust, Vault,
};
use tempfile::TempDir;

pub const NOW: i64 = 1_780_000_000_000;

pub fn pass(text: &str) -> Passphrase {
    Passphrase::new(text.to_owned()).unwrap()
}

/// A fresh vault in a folder that lives as long as the test.
pub fn vault() -> (TempDir, Vault) {
    let dir = TempDir::new().unwrap();
    let vault = Vault::create(&dir.path().join("v"), &pass("open sesame"), KdfCost::TEST).unwrap();
    (dir, vault)
}

pub fn record(key: &str, content: &str) -> NewMemory {
    NewMemory {
        scope: Scope {
            org: String::new(),
            agent: "scout".to_owned(),
            session: Some("s1".to_owned()),
        },
        role: Role::User,
        kind: Kind::Text,
        content: content.to_owned(),
        tool_name: None,
        tool_payload: None,
        created_at: Some(NOW - 1_000),
        created_at_quality: CreatedAtQuality::Record,
        expires_at: None,
        provenance: None,
        source_key: key.to_owned(),
        tags: Vec::new(),
        pinned: false,
        trust: Trust::Normal,
    }
}

pub fn insert(vault: &Vault, new: &NewMemory) -> Inserted {
    vault.write(|w| w.memories().insert(new, NOW)).unwrap()
}

/// Stores a text under itself as key.
pub fn store(vault: &Vault, content: &str) -> MemoryId {
    match insert(vault, &record(content, content)) {
        Inserted::Stored(id) => id,
        other => panic!("{content:?}: {other:?}"),
    }
}

pub fn words(vault: &Vault, expression: &str) -> Vec<MemoryId> {
    let found = vault
        .read(|r| r.words().search(expression, &Filter::default(), NOW, 100))
        .unwrap();
    found.into_iter().map(|(id, _)| id).collect()
}

pub fn trigrams(vault: &Vault, expression: &str) -> Vec<MemoryId> {
    let found = vault
        .read(|r| {
            r.trigrams()
                .search(expression, &Filter::default(), NOW, 100)
        })
        .unwrap();
    found.into_iter().map(|(id, _)| id).collect()
}

/// A phrase as FTS5 takes it, folded.
pub fn phrase(text: &str) -> String {
    format!("\"{}\"", memory::fold(text).replace('"', "\"\""))
}

/// The names of what lies in a folder, in order.
pub fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
