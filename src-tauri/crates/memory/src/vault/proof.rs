//! What lies on the disk, for whoever wants to see that it says nothing: how each file begins, and how
//! often given bytes occur in all of them.
//!
//! No file is opened that carries somebody's locks: the database is read as SQLite holds it, and so is
//! the index of its log. What is sought leaves no trace: it is neither kept nor named in an error.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use memchr::memmem::Finder;

use super::Vault;
use super::folder::{self, DATABASE, INDEX, KEYS, LOG, UNFINISHED_KEYS};
use super::sqlite::{self, RawFile};
use crate::error::VaultError;

/// What is read at once.
const CHUNK: usize = 1024 * 1024;

/// A file of the vault as it lies on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOnDisk {
    /// Its name in the vault's folder.
    pub name: &'static str,
    /// Its size in bytes.
    pub bytes: u64,
    /// How it begins.
    pub head: Vec<u8>,
    /// How often what was sought occurs in it, in any of its forms.
    pub found: u64,
}

impl Vault {
    /// The vault's files, and how often any of the given runs of bytes occurs in each. With nothing
    /// to seek only the beginnings are read, `head` bytes each.
    ///
    /// # Errors
    /// [`VaultError::File`] and [`VaultError::Sqlite`] when a file cannot be read;
    /// [`VaultError::Locked`].
    pub fn files_on_disk(
        &self,
        head: usize,
        sought: &[&[u8]],
    ) -> Result<Vec<FileOnDisk>, VaultError> {
        let mut files = Vec::new();
        for name in [DATABASE, LOG, INDEX, KEYS, UNFINISHED_KEYS] {
            let path = self.dir().join(name);
            let Some(known) = folder::look(&path)? else {
                continue;
            };
            let mut scan = Scan::new(head, sought);
            match name {
                DATABASE => {
                    let file = RawFile::open(&path)?;
                    scan.all(|buffer, from| file.read(buffer, from))?;
                }
                // A vault that cannot be written has no index that this program keeps.
                INDEX if self.is_read_only() => continue,
                INDEX => {
                    let size = usize::try_from(known.len()).unwrap_or(usize::MAX);
                    let index = self.read(|r| {
                        // Opens the log, and with it the index.
                        r.epoch()?;
                        sqlite::log_index(r.connection(), size)
                    })?;
                    scan.piece(&index);
                }
                _ => scan.plain_file(&path)?,
            }
            files.push(FileOnDisk {
                name,
                bytes: known.len(),
                head: scan.head,
                found: scan.found,
            });
        }
        Ok(files)
    }
}

/// Reads a file piece by piece; what lies across the border of two pieces is found as well.
struct Scan<'a> {
    finders: Vec<Finder<'a>>,
    longest: usize,
    wanted: usize,
    head: Vec<u8>,
    tail: Vec<u8>,
    found: u64,
}

impl<'a> Scan<'a> {
    fn new(wanted: usize, sought: &[&'a [u8]]) -> Self {
        Self {
            finders: sought.iter().map(|one| Finder::new(*one)).collect(),
            longest: sought.iter().map(|one| one.len()).max().unwrap_or(0),
            wanted,
            head: Vec::new(),
            tail: Vec::new(),
            found: 0,
        }
    }

    /// Everything that `read` gives: it fills a buffer from a place on and says how far.
    fn all(
        &mut self,
        mut read: impl FnMut(&mut [u8], u64) -> Result<usize, VaultError>,
    ) -> Result<(), VaultError> {
        let length = if self.finders.is_empty() {
            self.wanted
        } else {
            CHUNK
        };
        let mut buffer = vec![0; length];
        let mut from = 0;
        loop {
            let known = read(&mut buffer, from)?;
            if known == 0 {
                return Ok(());
            }
            self.piece(&buffer[..known]);
            if self.finders.is_empty() {
                return Ok(());
            }
            from += known as u64;
        }
    }

    fn plain_file(&mut self, path: &Path) -> Result<(), VaultError> {
        let refused = |error| VaultError::reading(path, &error);
        let mut file = File::open(path).map_err(refused)?;
        self.all(|buffer, _| file.read(buffer).map_err(refused))
    }

    fn piece(&mut self, bytes: &[u8]) {
        let missing = self.wanted - self.head.len();
        self.head.extend(bytes.iter().take(missing));
        if self.longest == 0 {
            return;
        }
        let carried = self.tail.len();
        let mut both = std::mem::take(&mut self.tail);
        both.extend_from_slice(bytes);
        for finder in &self.finders {
            let length = finder.needle().len();
            // What ends within the carried part was counted with the piece before.
            self.found += finder
                .find_iter(&both)
                .filter(|start| start + length > carried)
                .count() as u64;
        }
        self.tail = both.split_off(both.len().saturating_sub(self.longest - 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_across_borders_is_found_once() {
        let text = b"..kettle.....kettle...tea..";
        for length in 1..=text.len() {
            let mut scan = Scan::new(4, &[b"kettle", b"tea"]);
            for piece in text.chunks(length) {
                scan.piece(piece);
            }
            assert_eq!(scan.found, 3, "pieces of {length}");
            assert_eq!(scan.head, b"..ke");
        }
    }
}
