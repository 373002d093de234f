//! A file's bytes, unpacked where it is compressed. Offsets are those of the unpacked text, so that
//! a log keeps its places when it is packed.
//!
//! Unpacked text stays in memory: a temporary file would be plaintext on the disk.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Longest text that is unpacked, in bytes.
pub(crate) const UNPACKED_LIMIT: u64 = 256 * 1024 * 1024;

const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// Where bytes are read from.
#[derive(Debug)]
pub enum Source {
    /// A file as it is.
    Plain(File),
    /// What a compressed file holds.
    Unpacked(Cursor<Vec<u8>>),
}

impl From<File> for Source {
    fn from(file: File) -> Self {
        Self::Plain(file)
    }
}

impl Source {
    /// Opens a file and unpacks it if it is compressed with gzip or zstd.
    ///
    /// # Errors
    /// Those of reading; `InvalidData` for damaged archives, `FileTooLarge` beyond 256 MiB.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut magic = Vec::new();
        (&mut file).take(4).read_to_end(&mut magic)?;
        file.seek(SeekFrom::Start(0))?;
        if magic.starts_with(GZIP) {
            let unpacker = flate2::read::MultiGzDecoder::new(BufReader::new(file));
            let unpacked = limited(unpacker, UNPACKED_LIMIT)?;
            return Ok(Self::Unpacked(Cursor::new(unpacked)));
        }
        if magic.starts_with(ZSTD) {
            let unpacked = unpack_zstd(BufReader::new(file), UNPACKED_LIMIT)?;
            return Ok(Self::Unpacked(Cursor::new(unpacked)));
        }
        Ok(Self::Plain(file))
    }

    /// The same for what an archive held.
    pub(crate) fn of_bytes(bytes: Vec<u8>) -> io::Result<Self> {
        let unpacked = if bytes.starts_with(GZIP) {
            limited(
                flate2::read::MultiGzDecoder::new(bytes.as_slice()),
                UNPACKED_LIMIT,
            )?
        } else if bytes.starts_with(ZSTD) {
            unpack_zstd(bytes.as_slice(), UNPACKED_LIMIT)?
        } else {
            bytes
        };
        Ok(Self::Unpacked(Cursor::new(unpacked)))
    }

    /// Whether it lies in memory as a whole, so that it doesn't grow with its file.
    pub(crate) fn is_unpacked(&self) -> bool {
        matches!(self, Self::Unpacked(_))
    }

    /// Bytes in all.
    pub fn size(&self) -> io::Result<u64> {
        match self {
            Self::Plain(file) => Ok(file.metadata()?.len()),
            Self::Unpacked(bytes) => Ok(bytes.get_ref().len() as u64),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(buffer),
            Self::Unpacked(bytes) => bytes.read(buffer),
        }
    }
}

impl Seek for Source {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Plain(file) => file.seek(place),
            Self::Unpacked(bytes) => bytes.seek(place),
        }
    }
}

fn limited(reader: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut unpacked = Vec::new();
    reader.take(limit + 1).read_to_end(&mut unpacked)?;
    if unpacked.len() as u64 > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(unpacked)
}

/// What zstd packed, if it is no longer than the limit. It may be several frames, one behind the other.
pub(crate) fn unpack_zstd(mut packed: impl BufRead, limit: u64) -> io::Result<Vec<u8>> {
    let damaged = |_| io::Error::from(io::ErrorKind::InvalidData);
    let mut unpacked = Vec::new();
    while !packed.fill_buf()?.is_empty() {
        let frame = ruzstd::decoding::StreamingDecoder::new(&mut packed).map_err(damaged)?;
        unpacked.extend(limited(frame, limit)?);
        if unpacked.len() as u64 > limit {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
    }
    Ok(unpacked)
}

/// The name that a packed file had before, or has once the archive that it lies in is unpacked.
pub fn unpacked_name(path: &Path) -> PathBuf {
    let path = match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz" | "zst") => path.with_extension(""),
        _ => path.to_path_buf(),
    };
    match (path.parent(), path.file_name()) {
        (Some(folder), Some(name)) if folder.ancestors().any(is_zip_name) => {
            let mut unpacked = PathBuf::new();
            for part in folder.components() {
                let part: &Path = part.as_ref();
                unpacked.push(if is_zip_name(part) {
                    part.file_stem().unwrap_or_default()
                } else {
                    part.as_os_str()
                });
            }
            unpacked.join(name)
        }
        _ => path,
    }
}

/// Whether a name is one that zip archives have.
pub(crate) fn is_zip_name(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("zip"))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn packed_files_read_like_plain_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl.gz");
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(b"one\ntwo\n").unwrap();
        std::fs::write(&path, packer.finish().unwrap()).unwrap();
        let zst = folder.path().join("b.jsonl.zst");
        let frame = ruzstd::encoding::compress_to_vec(
            &b"one\ntwo\n"[..],
            ruzstd::encoding::CompressionLevel::Fastest,
        );
        std::fs::write(&zst, [frame.clone(), frame].concat()).unwrap();
        for (path, expected) in [(path, "one\ntwo\n"), (zst, "one\ntwo\none\ntwo\n")] {
            let mut source = Source::open(&path).unwrap();
            assert_eq!(source.size().unwrap(), expected.len() as u64);
            let mut text = String::new();
            source.read_to_string(&mut text).unwrap();
            assert_eq!(text, expected);
            assert_eq!(unpacked_name(&path).extension().unwrap(), "jsonl");
        }
        for (packed, before) in [
            ("/h/export.ZIP/notes/a.jsonl.gz", "/h/export/notes/a.jsonl"),
            ("/h/export.zip", "/h/export.zip"),
            ("/h/a.zip.d/b.md", "/h/a.zip.d/b.md"),
        ] {
            assert_eq!(unpacked_name(Path::new(packed)), Path::new(before));
        }
        let torn = folder.path().join("c.zst");
        std::fs::write(&torn, b"\x28\xb5\x2f\xfd\xa0").unwrap();
        assert!(Source::open(&torn).is_err());
    }
}
