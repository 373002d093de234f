//! One file of an archive.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::sync::Arc;

use parking_lot::Mutex;
use zip::ZipArchive;
use zip::result::ZipError;

use crate::report::in_words;
use crate::unpack::{Source, UNPACKED_LIMIT};

pub(super) type Zip = ZipArchive<BufReader<File>>;

const DAMAGED: &str = "a damaged or unfinished zip archive";
pub(super) const UNKNOWN: &str = "packed in a way that is not read: unpack it first";
pub(super) const ENCRYPTED: &str = "encrypted: unpack it with its password first";

/// A file in an archive.
#[derive(Clone)]
pub(crate) struct Member {
    pub(super) zip: Arc<Mutex<Zip>>,
    pub(super) index: usize,
    pub(super) size: u64,
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member")
            .field("index", &self.index)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl Member {
    /// Its bytes, unpacked; those of a log that was packed before it was put there, too.
    ///
    /// # Errors
    /// Why they cannot be read, in plain words.
    pub(crate) fn open(&self) -> Result<Source, String> {
        if self.size > UNPACKED_LIMIT {
            return Err(in_words(&io::ErrorKind::FileTooLarge.into()));
        }
        let mut zip = self.zip.lock();
        let mut entry = zip.by_index(self.index).map_err(|error| why(&error))?;
        let mut bytes = Vec::new();
        (&mut entry)
            .take(self.size + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| why(&ZipError::Io(error)))?;
        if bytes.len() as u64 != self.size {
            return Err("damaged: not as long as the archive says".to_owned());
        }
        Source::of_bytes(bytes).map_err(|error| in_words(&error))
    }
}

/// An error of the archive, in plain words.
pub(super) fn why(error: &ZipError) -> String {
    match error {
        ZipError::Io(error) => match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::Other => DAMAGED.to_owned(),
            _ => in_words(error),
        },
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword => {
            ENCRYPTED.to_owned()
        }
        ZipError::UnsupportedArchive(_) | ZipError::CompressionMethodNotSupported(_) => {
            UNKNOWN.to_owned()
        }
        _ => DAMAGED.to_owned(),
    }
}
