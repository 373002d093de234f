//! What lies on the disk, to be looked at: that it says nothing, and what takes the space.

use memory::{FileOnDisk, ListQuery, StorageKind};
use serde::{Deserialize, Serialize};

use crate::error::EdgeError;
use crate::inspector::Inspector;

/// Bytes of a file's beginning that are shown.
const HEAD: usize = 64;

/// Shorter runs of bytes occur in encrypted files by chance: four of them once in four gigabytes on
/// average, in each of the forms that are sought; six once in 280 terabytes.
const SHORTEST: usize = 6;

/// A file of the vault as it lies on the disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct FileOnDiskView {
    /// Its name in the vault's folder.
    pub name: String,
    /// Its size in bytes.
    pub bytes: f64,
    /// How it begins, two hexadecimal digits for each byte.
    pub head: String,
    /// How often what was sought occurs in it; nothing was, when only the beginnings are asked for.
    pub found: u32,
}

/// Whether a word that is stored can be read on the disk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ProofView {
    /// Living memories in which it stands: without any, finding nothing on the disk says little.
    pub memories: u32,
    /// The vault's files.
    pub files: Vec<FileOnDiskView>,
}

/// What one kind of thing takes of the database.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct StorageView {
    /// `memories`, `keywords`, `vectors`, `documents`, `research`, `history`, `judgements`,
    /// `sources`, `other` or `free`.
    pub kind: String,
    /// Bytes of its pages.
    pub bytes: f64,
    /// What there is of it, where that can be counted.
    pub rows: Option<u32>,
}

impl Inspector {
    /// The open vault's files, and how each of them begins.
    pub fn files_on_disk(&self) -> Result<Vec<FileOnDiskView>, EdgeError> {
        let files = self.inner.session()?.vault.files_on_disk(HEAD, &[])?;
        Ok(files.into_iter().map(file_view).collect())
    }

    /// Seeks a word in every byte of the vault's files: as it is typed and in lower case, as the
    /// searchable copies hold it, in UTF-8 and both orders of UTF-16. The word is kept nowhere.
    pub fn prove(&self, word: &str) -> Result<ProofView, EdgeError> {
        let word = word.trim();
        let forms = forms_of(word);
        if forms.iter().any(|form| form.len() < SHORTEST) {
            return Err(EdgeError::bad_request(
                "word",
                "six letters or more, three of Chinese or Japanese; shorter ones occur in encrypted files by chance",
            ));
        }
        let session = self.inner.session_in_use()?;
        let (memories, ..) = session.vault.list(&ListQuery {
            contains: Some(word.to_owned()),
            limit: 1,
            now: self.inner.now(),
            ..ListQuery::default()
        })?;
        let sought: Vec<&[u8]> = forms.iter().map(Vec::as_slice).collect();
        let files = session.vault.files_on_disk(HEAD, &sought)?;
        Ok(ProofView {
            memories,
            files: files.into_iter().map(file_view).collect(),
        })
    }

    /// What takes the space of the open vault's database. Looks at every page.
    pub fn storage(&self) -> Result<Vec<StorageView>, EdgeError> {
        let storage = self.inner.session()?.vault.storage()?;
        let view = |one: memory::Storage| StorageView {
            kind: name_of(one.kind).to_owned(),
            bytes: one.bytes as f64,
            rows: one.rows,
        };
        Ok(storage.into_iter().map(view).collect())
    }
}

fn file_view(file: FileOnDisk) -> FileOnDiskView {
    FileOnDiskView {
        name: file.name.to_owned(),
        bytes: file.bytes as f64,
        head: hex::encode(file.head),
        found: u32::try_from(file.found).unwrap_or(u32::MAX),
    }
}

fn forms_of(word: &str) -> Vec<Vec<u8>> {
    let lower = word.to_lowercase();
    let mut forms = Vec::new();
    for text in [word, lower.as_str()] {
        let units = || text.encode_utf16();
        forms.push(text.as_bytes().to_vec());
        forms.push(units().flat_map(u16::to_le_bytes).collect());
        forms.push(units().flat_map(u16::to_be_bytes).collect());
    }
    // A word that is in lower case already is not counted twice.
    forms.sort();
    forms.dedup();
    forms
}

const fn name_of(kind: StorageKind) -> &'static str {
    match kind {
        StorageKind::Memories => "memories",
        StorageKind::Keywords => "keywords",
        StorageKind::Vectors => "vectors",
        StorageKind::TokenVectors => "token_vectors",
        StorageKind::WordWeights => "word_weights",
        StorageKind::Documents => "documents",
        StorageKind::Research => "research",
        StorageKind::History => "history",
        StorageKind::Judgements => "judgements",
        StorageKind::Sources => "sources",
        StorageKind::Other => "other",
        StorageKind::Free => "free",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_sought_in_every_form_it_could_have_once() {
        let forms = forms_of("Kettle");
        assert_eq!(forms.len(), 6);
        let has = |form: &[u8]| forms.iter().any(|one| one == form);
        assert!(has(b"kettle") && has(b"Kettle") && has(b"K\0e\0t\0t\0l\0e\0"));
        assert_eq!(forms_of("kettle").len(), 3);
        let shortest = |word| forms_of(word).iter().map(Vec::len).min();
        assert_eq!(shortest("会議室"), Some(6));
    }
}
