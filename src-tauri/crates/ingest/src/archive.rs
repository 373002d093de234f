//! Archives, read like the folders that they hold: each member of a zip is a file of its own, under a
//! path that goes through the archive's (`export.zip/conversations.json`).
//!
//! Nothing is written to the disk, so no member's name can lead anywhere. A member is unpacked into
//! memory when its turn comes, up to what its entry says and never beyond the limit of packed files;
//! an archive whose entries share their bytes, or say more than the limit in all, is not begun.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use zip::read::ZipFileEntry;
use zip::{CompressionMethod, ZipArchive};

use crate::tally::add;
use crate::unpack::{UNPACKED_LIMIT, is_zip_name};
use crate::walk::{FileFound, OTHER_KIND, left_alone};

mod member;

pub(crate) use member::Member;
use member::{ENCRYPTED, UNKNOWN, why};

/// How much may come out of one archive, in bytes: of the files that are read.
const LIMIT: u64 = 16 * UNPACKED_LIMIT;
/// How many files are named that are left alone.
const NAMED: usize = 6;

/// What an archive holds.
#[derive(Debug, Default)]
pub(crate) struct Content {
    /// The files to be read, by their names.
    pub members: Vec<FileFound>,
    /// How many others there are, by the reason why they are left alone.
    pub others: BTreeMap<String, u32>,
    /// The names of those, for a person.
    pub names: Vec<String>,
    /// What cannot be read, and why.
    pub faults: Vec<(FileFound, String)>,
}

impl Content {
    /// What is left alone, named.
    pub(crate) fn note(&self, archive: &Path) -> Option<String> {
        let archive = archive.file_name()?.to_string_lossy();
        let named = self.names.get(..self.names.len().min(NAMED))?.join(", ");
        let more = self.names.len().saturating_sub(NAMED);
        match (named.is_empty(), more) {
            (true, _) => None,
            (_, 0) => Some(format!("left alone in {archive}: {named}")),
            _ => Some(format!("left alone in {archive}: {named} and {more} more")),
        }
    }
}

/// What is in a file, if it is an archive: a zip by its name and its first bytes, or by these alone
/// when a person named it.
///
/// # Errors
/// Why nothing of it can be read, in plain words.
pub(crate) fn look(found: &FileFound) -> Option<Result<Content, String>> {
    const MAGIC: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
    if found.member.is_some() || !(found.named || is_zip_name(&found.path)) {
        return None;
    }
    let mut begins = Vec::new();
    // What cannot be opened is told by whoever reads it as a file.
    let file = File::open(&found.path).ok()?;
    (&file).take(4).read_to_end(&mut begins).ok()?;
    MAGIC
        .contains(&begins.as_slice())
        .then(|| unfold(found, file))
}

fn unfold(archive: &FileFound, file: File) -> Result<Content, String> {
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|error| why(&error))?;
    if zip.has_overlapping_files().map_err(|error| why(&error))? {
        return Err("an archive whose files share their bytes: not unpacked".to_owned());
    }
    if zip.has_duplicate_names() {
        return Err("an archive with two files of one name: unpack it first".to_owned());
    }
    let entries = zip.metadata();
    let zip = Arc::new(Mutex::new(zip));
    let mut content = Content::default();
    let mut files = 0_usize;
    let mut strange = None;
    for index in 0..entries.len() {
        let entry = entries.entry(index).map_err(|error| why(&error))?;
        if entry.is_dir() {
            continue;
        }
        files += 1;
        let name = entry.enclosed_name();
        let mut found = FileFound {
            identity: String::new(),
            size: entry.size(),
            modified: archive.modified,
            path: archive.path.clone(),
            named: false,
            member: Some(Member {
                zip: Arc::clone(&zip),
                index,
                size: entry.size(),
            }),
        };
        let Some(name) = name else {
            content.faults.push((found, LEADS_OUT.to_owned()));
            continue;
        };
        found.path.push(&name);
        // A checksum of all that it is makes another content another file.
        let (whole, crc, name) = (&archive.identity, entry.crc32(), name.display());
        found.identity = format!("zip:{whole}:{crc:08x}:{name}");
        let reason = if entry.is_symlink() {
            Some("a link in an archive")
        } else if is_zip_name(&found.path) {
            Some("an archive in an archive: unpack it first")
        } else {
            left_alone(&archive.path, &found.path)
        };
        if let Some(reason) = reason {
            add(&mut content.others, reason, 1);
            content.names.push(name.to_string());
            strange = (reason == OTHER_KIND).then_some((found, obstacle(&entry)));
        } else if let Some(obstacle) = obstacle(&entry) {
            content.faults.push((found, obstacle.to_owned()));
        } else {
            content.members.push(found);
        }
    }
    // Who names an archive of one file names that file.
    if let Some((mut found, obstacle)) = strange.filter(|_| archive.named && files == 1) {
        content = Content::default();
        found.named = true;
        match obstacle {
            Some(obstacle) => content.faults.push((found, obstacle.to_owned())),
            None => content.members.push(found),
        }
    }
    content.members.sort_by(|a, b| a.path.cmp(&b.path));
    content.names.sort();
    match why_nothing(&content, files) {
        Some(reason) => Err(reason.to_owned()),
        None => Ok(content),
    }
}

/// Why nothing of an archive is read, where that is one reason.
fn why_nothing(content: &Content, files: usize) -> Option<&str> {
    let sum: u128 = content.members.iter().map(|it| u128::from(it.size)).sum();
    if files == 0 {
        return Some("an archive without a file in it");
    }
    if sum > u128::from(LIMIT) {
        return Some("unpacked it is longer than 4 GiB: unpack it first");
    }
    let (_, first) = content.faults.first()?;
    let same = content.faults.iter().all(|(_, reason)| reason == first);
    (content.members.is_empty() && same).then_some(first)
}

/// Why a file in an archive cannot be unpacked.
fn obstacle(entry: &ZipFileEntry<'_>) -> Option<&'static str> {
    match entry.compression() {
        _ if entry.encrypted() => Some(ENCRYPTED),
        CompressionMethod::Stored | CompressionMethod::Deflated => None,
        _ => Some(UNKNOWN),
    }
}

const LEADS_OUT: &str = "a file in it has a name that leads out of the archive: not read";
