//! Cuts a growing file into lines and remembers, to the byte, how far it was read.
//!
//! A [`Cursor`] says where to go on and carries enough of the bytes before that place (as hashes)
//! to notice that they are no longer the same. Offsets are bytes of whole lines, so a half-written
//! last line is simply read again next time. Lines end at `\n` and nowhere else: U+2028 and its
//! kin are legal inside JSON strings. Memory is bounded: of a line longer than [`LINE_LIMIT`] only
//! the first bytes are kept.

mod values;

use std::borrow::Cow;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use sha2::{Digest, Sha256};

use crate::unpack::Source;

/// Longest line that is read in full, in bytes.
pub const LINE_LIMIT: usize = 64 * 1024 * 1024;
/// How much is kept of a longer one, for its time and type.
const STUB_BYTES: usize = 16 * 1024;
/// How many bytes at the beginning and before the offset are hashed.
const HASHED: u64 = 1024;

/// How far a file was read, and what it looked like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Bytes read.
    pub offset: u64,
    /// Line ends (`\n`) among them.
    pub lines: u64,
    /// SHA-256, in hex, of the first 1,024 bytes read (fewer when fewer were).
    pub head_hash: String,
    /// SHA-256, in hex, of the last 1,024 bytes read.
    pub tail_hash: String,
    /// SHA-256, in hex, of all bytes read; empty when it is not known.
    pub digest: String,
}

fn hashes(file: &mut Source, offset: u64) -> io::Result<(String, String)> {
    let length = offset.min(HASHED);
    Ok((
        hash_of(file, 0, length)?,
        hash_of(file, offset - length, length)?,
    ))
}

fn hash_of(file: &mut Source, from: u64, length: u64) -> io::Result<String> {
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(length).read_to_end(&mut bytes)?;
    Ok(hex::encode(Sha256::digest(&bytes)))
}

/// How a file's bytes become text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16, little-endian, with its mark.
    Utf16Le,
    /// UTF-16, big-endian, with its mark.
    Utf16Be,
}

/// Why a file cannot be read as text, in plain words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// A SQLite database.
    #[error("a SQLite database that was packed: unpack it first")]
    Sqlite,
    /// Compressed.
    #[error("compressed: unpack it first")]
    Compressed,
    /// UTF-16 that doesn't say so.
    #[error("UTF-16 without a byte order mark: save it as UTF-8")]
    UnmarkedUtf16,
    /// Anything else that is no text.
    #[error("a binary file")]
    Binary,
}

/// Tells the encoding from the first bytes, or why they are no text.
pub fn encoding_of(head: &[u8]) -> Result<Encoding, NotText> {
    const COMPRESSED: [&[u8]; 5] = [
        b"\x1f\x8b",
        b"\x28\xb5\x2f\xfd",
        b"PK\x03\x04",
        b"BZh",
        b"\xfd7zXZ",
    ];
    if head.starts_with(b"SQLite format 3\0") {
        return Err(NotText::Sqlite);
    }
    if COMPRESSED.iter().any(|magic| head.starts_with(magic)) {
        return Err(NotText::Compressed);
    }
    if head.starts_with(b"\xff\xfe") {
        return Ok(Encoding::Utf16Le);
    }
    if head.starts_with(b"\xfe\xff") {
        return Ok(Encoding::Utf16Be);
    }
    let pairs = head.len() / 2;
    for zero in [0, 1] {
        let zeros = head
            .chunks_exact(2)
            .filter(|pair| pair[zero] == 0 && pair[1 - zero] != 0)
            .count();
        if pairs >= 8 && zeros * 10 >= pairs * 6 {
            return Err(NotText::UnmarkedUtf16);
        }
    }
    // A power cut leaves zeros behind in honest logs; other control bytes don't occur in text.
    let control = head
        .iter()
        .filter(|b| matches!(b, 0x01..=0x08 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f))
        .count();
    if control * 20 > head.len() {
        return Err(NotText::Binary);
    }
    Ok(Encoding::Utf8)
}

/// One line as it stands in the file, without its end.
#[derive(Debug)]
pub struct RawLine<'a> {
    /// The bytes; the first [`STUB_BYTES`] when `oversized`.
    pub bytes: &'a [u8],
    /// Where it begins.
    pub offset: u64,
    /// Its number, from 1.
    pub number: u64,
    /// Bytes in the file, with the line end.
    pub length: u64,
    /// False when the file ends before the line does.
    pub terminated: bool,
    /// Longer than [`LINE_LIMIT`].
    pub oversized: bool,
    /// Zeros before it that belong to no line.
    pub gap: u64,
}

/// Reads lines one after the other.
#[derive(Debug)]
pub struct Lines {
    reader: BufReader<Source>,
    encoding: Encoding,
    offset: u64,
    ends: u64,
    buffer: Vec<u8>,
    limit: usize,
    /// Of the bytes before `digested`. Cursors only ever move forward, so it is never begun anew
    /// while a file only grows.
    digest: Sha256,
    digested: u64,
}

impl Lines {
    /// From the beginning of a file.
    pub fn of(file: impl Into<Source>, encoding: Encoding) -> io::Result<Self> {
        let mut lines = Self {
            reader: BufReader::with_capacity(256 * 1024, file.into()),
            encoding,
            offset: 0,
            ends: 0,
            buffer: Vec::new(),
            limit: LINE_LIMIT,
            digest: Sha256::new(),
            digested: 0,
        };
        lines.go_to(0, 0)?;
        Ok(lines)
    }

    /// Whether what is read was unpacked into memory.
    pub(crate) fn is_unpacked(&self) -> bool {
        self.reader.get_ref().is_unpacked()
    }

    /// The same with another limit for the length of a line.
    #[must_use]
    pub fn with_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// The cursor at a place up to which everything was read.
    pub fn cursor(&mut self, offset: u64, lines: u64) -> io::Result<Cursor> {
        let (head_hash, tail_hash) = hashes(self.reader.get_mut(), offset)?;
        let digest = self.digest_up_to(offset)?;
        self.reader.seek(SeekFrom::Start(self.offset))?;
        Ok(Cursor {
            offset,
            lines,
            head_hash,
            tail_hash,
            digest,
        })
    }

    /// The digest of everything before a place; what was digested already is not read again.
    fn digest_up_to(&mut self, offset: u64) -> io::Result<String> {
        if offset < self.digested {
            (self.digest, self.digested) = (Sha256::new(), 0);
        }
        let file = self.reader.get_mut();
        file.seek(SeekFrom::Start(self.digested))?;
        let mut buffer = vec![0; 64 * 1024];
        while self.digested < offset {
            let wanted = (offset - self.digested).min(buffer.len() as u64) as usize;
            let read = file.read(&mut buffer[..wanted])?;
            if read == 0 {
                break;
            }
            self.digest.update(&buffer[..read]);
            self.digested += read as u64;
        }
        Ok(hex::encode(self.digest.clone().finalize()))
    }

    /// Whether the bytes before a cursor are still there, unchanged.
    ///
    /// False after a truncation, a rotation, a rewrite and a change in the middle: then everything is
    /// read again, and what is already stored is recognised.
    pub fn continues(&mut self, cursor: &Cursor) -> io::Result<bool> {
        let same = self.seems_to_continue(cursor)?
            && (cursor.digest.is_empty() || self.digest_up_to(cursor.offset)? == cursor.digest);
        self.reader.seek(SeekFrom::Start(self.offset))?;
        Ok(same)
    }

    /// SHA-256, in hex, of what stands between two places; of less where the file ends before.
    pub fn hash_between(&mut self, from: u64, to: u64) -> io::Result<String> {
        let hash = hash_of(self.reader.get_mut(), from, to.saturating_sub(from))?;
        self.reader.seek(SeekFrom::Start(self.offset))?;
        Ok(hash)
    }

    /// The same by the first and the last bytes before the cursor, without reading those between.
    pub fn seems_to_continue(&mut self, cursor: &Cursor) -> io::Result<bool> {
        let file = self.reader.get_mut();
        let same = file.size()? >= cursor.offset && {
            let (head_hash, tail_hash) = hashes(file, cursor.offset)?;
            head_hash == cursor.head_hash && tail_hash == cursor.tail_hash
        };
        self.reader.seek(SeekFrom::Start(self.offset))?;
        Ok(same)
    }

    /// Goes to another place of the file.
    pub fn go_to(&mut self, offset: u64, lines: u64) -> io::Result<()> {
        self.reader.seek(SeekFrom::Start(offset))?;
        (self.offset, self.ends) = (offset, lines);
        Ok(())
    }

    /// Where the next line begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Line ends before that place.
    pub fn lines(&self) -> u64 {
        self.ends
    }

    /// The next line; `None` at the end of the file.
    pub fn next_line(&mut self) -> io::Result<Option<RawLine<'_>>> {
        if self.buffer.capacity() > 1024 * 1024 {
            self.buffer = Vec::new();
        }
        self.buffer.clear();
        let gap = self.skip_zeros()?;
        let mut length = 0_u64;
        let mut oversized = false;
        let mut terminated = false;
        loop {
            let room = (self.limit + 1).saturating_sub(self.buffer.len()).max(1) as u64;
            let read = self
                .reader
                .by_ref()
                .take(room)
                .read_until(b'\n', &mut self.buffer)?;
            if read == 0 {
                break;
            }
            length += read as u64;
            if self.ends_line(&mut length)? {
                terminated = true;
                break;
            }
            if self.buffer.len() > self.limit {
                oversized = true;
                self.buffer.truncate(STUB_BYTES);
                terminated = self.skip_line(&mut length)?;
                break;
            }
        }
        if length == 0 && gap == 0 {
            return Ok(None);
        }
        let (offset, number) = (self.offset, self.ends + 1);
        self.offset += length;
        self.ends += u64::from(terminated);
        let mut bytes = self.buffer.as_slice();
        if terminated && !oversized {
            let end: &[u8] = match self.encoding {
                Encoding::Utf8 => b"\n",
                Encoding::Utf16Le => b"\n\0",
                Encoding::Utf16Be => b"\0\n",
            };
            bytes = bytes.strip_suffix(end).unwrap_or(bytes);
        }
        Ok(Some(RawLine {
            bytes,
            offset,
            number,
            length,
            terminated,
            oversized,
            gap,
        }))
    }

    /// Leaves zeros at the beginning of a line aside, however many: a writer that keeps its place
    /// in a file that was cut to nothing leaves a gap of them, a power cut does too.
    fn skip_zeros(&mut self) -> io::Result<u64> {
        if self.encoding != Encoding::Utf8 {
            return Ok(0);
        }
        let mut skipped = 0;
        loop {
            let ahead = self.reader.fill_buf()?;
            let zeros = ahead.iter().take_while(|byte| **byte == 0).count();
            let more = zeros > 0 && zeros == ahead.len();
            self.reader.consume(zeros);
            skipped += zeros as u64;
            if !more {
                self.offset += skipped;
                return Ok(skipped);
            }
        }
    }

    /// Whether the buffer ends a line, taking the second byte of a little-endian line end along.
    ///
    /// In UTF-16 a byte 0x0A may be half of another character: only U+000A at an even place counts.
    fn ends_line(&mut self, length: &mut u64) -> io::Result<bool> {
        if self.buffer.last() != Some(&b'\n') {
            return Ok(false);
        }
        let even = (self.offset + *length).is_multiple_of(2);
        match self.encoding {
            Encoding::Utf8 => Ok(true),
            Encoding::Utf16Be => {
                let before = self.buffer.len().checked_sub(2);
                Ok(even && before.is_some_and(|index| self.buffer[index] == 0))
            }
            Encoding::Utf16Le => {
                let next = self.reader.fill_buf()?.first().copied();
                let ends = !even && next == Some(0);
                if ends {
                    self.reader.consume(1);
                    self.buffer.push(0);
                    *length += 1;
                }
                Ok(ends)
            }
        }
    }

    /// Leaves the rest of a line aside; true when its end was there.
    fn skip_line(&mut self, length: &mut u64) -> io::Result<bool> {
        let stub = std::mem::take(&mut self.buffer);
        let mut ended = false;
        loop {
            self.buffer.clear();
            let read = self
                .reader
                .by_ref()
                .take(64 * 1024)
                .read_until(b'\n', &mut self.buffer)?;
            if read == 0 {
                break;
            }
            *length += read as u64;
            if self.ends_line(length)? {
                ended = true;
                break;
            }
        }
        self.buffer = stub;
        Ok(ended)
    }
}

/// The text of a line: without byte order mark, `\r` at the end, and the zeros that a power cut
/// leaves around it. The flag is true when bytes had to be replaced.
pub fn decode<'a>(bytes: &'a [u8], encoding: Encoding) -> (Cow<'a, str>, bool) {
    let (text, lossy) = match encoding {
        Encoding::Utf8 => match std::str::from_utf8(bytes) {
            Ok(text) => (Cow::Borrowed(text), false),
            Err(_) => (
                Cow::Owned(String::from_utf8_lossy(bytes).into_owned()),
                true,
            ),
        },
        Encoding::Utf16Le | Encoding::Utf16Be => {
            let units = bytes.chunks_exact(2).map(|pair| {
                let pair = [pair[0], pair[1]];
                match encoding {
                    Encoding::Utf16Be => u16::from_be_bytes(pair),
                    _ => u16::from_le_bytes(pair),
                }
            });
            let mut lossy = !bytes.len().is_multiple_of(2);
            let text: String = char::decode_utf16(units)
                .map(|unit| {
                    unit.unwrap_or_else(|_| {
                        lossy = true;
                        char::REPLACEMENT_CHARACTER
                    })
                })
                .collect();
            (Cow::Owned(text), lossy)
        }
    };
    let frame = |c: char| matches!(c, '\0' | '\u{feff}');
    let trim = |text: &'a str| -> &'a str {
        let text = text.trim_matches(frame);
        text.strip_suffix('\r')
            .unwrap_or(text)
            .trim_end_matches(frame)
    };
    match text {
        Cow::Borrowed(text) => (Cow::Borrowed(trim(text)), lossy),
        Cow::Owned(text) => {
            let trimmed = text.trim_matches(frame);
            let trimmed = trimmed.strip_suffix('\r').unwrap_or(trimmed);
            (
                Cow::Owned(trimmed.trim_end_matches(frame).to_owned()),
                lossy,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write as _;

    use super::*;

    fn lines_of(bytes: &[u8], limit: usize) -> Vec<(String, u64, u64, bool, bool)> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let encoding = encoding_of(bytes).unwrap();
        let mut lines = Lines::of(file, encoding).unwrap().with_limit(limit);
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            let text = decode(line.bytes, encoding).0.into_owned();
            all.push((
                text,
                line.offset,
                line.number,
                line.terminated,
                line.oversized,
            ));
        }
        assert_eq!(lines.offset(), bytes.len() as u64);
        all
    }

    fn line(
        text: &str,
        offset: u64,
        number: u64,
        terminated: bool,
    ) -> (String, u64, u64, bool, bool) {
        (text.to_owned(), offset, number, terminated, false)
    }

    #[test]
    fn lines_end_at_line_feeds_only() {
        assert_eq!(
            lines_of("\u{feff}a\r\n\nb\u{2028}c\rd\nhalf".as_bytes(), 100),
            vec![
                line("a", 0, 1, true),
                line("", 6, 2, true),
                line("b\u{2028}c\rd", 7, 3, true),
                line("half", 15, 4, false),
            ]
        );
    }

    #[test]
    fn utf_16_is_cut_between_characters() {
        // U+0A0A and U+010A hold the byte 0x0A without being a line end.
        let text = "\u{feff}\u{a0a}a\u{10a}\r\nb\n\u{a00}c";
        for big in [false, true] {
            let bytes: Vec<u8> = text
                .encode_utf16()
                .flat_map(|unit| {
                    if big {
                        unit.to_be_bytes()
                    } else {
                        unit.to_le_bytes()
                    }
                })
                .collect();
            assert_eq!(
                lines_of(&bytes, 100),
                vec![
                    line("\u{a0a}a\u{10a}", 0, 1, true),
                    line("b", 12, 2, true),
                    line("\u{a00}c", 16, 3, false),
                ],
                "big-endian: {big}"
            );
        }
    }

    #[test]
    fn a_line_beyond_the_limit_leaves_a_stub_and_the_next_line_whole() {
        let mut bytes = b"first\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', 200_000));
        bytes.extend(b"\nthird\n");
        let lines = lines_of(&bytes, 50_000);
        assert_eq!(lines[0].0, "first");
        assert_eq!((lines[1].0.len(), lines[1].4), (STUB_BYTES, true));
        assert_eq!(lines[2], line("third", 200_007, 3, true));
    }

    #[test]
    fn zeros_of_a_power_cut_are_no_text() {
        assert_eq!(decode(b"\0\0{}\0\r\0", Encoding::Utf8).0, "{}");
        let mut bytes = b"{\"a\":1}\n".to_vec();
        bytes.extend([0; 4096]);
        assert_eq!(encoding_of(&bytes), Ok(Encoding::Utf8));
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_reason() {
        assert_eq!(encoding_of(b"SQLite format 3\0..."), Err(NotText::Sqlite));
        assert_eq!(
            encoding_of(b"\x28\xb5\x2f\xfd1234"),
            Err(NotText::Compressed)
        );
        assert_eq!(
            encoding_of(b"a\0b\0c\0d\0e\0f\0g\0h\0i\0"),
            Err(NotText::UnmarkedUtf16)
        );
        assert_eq!(
            encoding_of(b"\x7fELF\x02\x01\x01\x00\x03\x01"),
            Err(NotText::Binary)
        );
    }

    #[test]
    fn a_cursor_notices_that_the_past_has_changed() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        std::fs::write(&path, b"one\ntwo\n").unwrap();
        let mut lines = Lines::of(File::open(&path).unwrap(), Encoding::Utf8).unwrap();
        let cursor = lines.cursor(8, 2).unwrap();
        let mut check = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            lines.continues(&cursor).unwrap()
        };
        assert!(check(b"one\ntwo\nthree\n"), "appended");
        assert!(!check(b"one\ntwx\nthree\n"), "rewritten");
        assert!(!check(b"one\n"), "truncated");
        assert!(check(b"one\ntwo\n"), "as it was");
    }

    #[test]
    fn going_back_reads_the_same_line_again() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"one\ntwo").unwrap();
        let mut lines = Lines::of(file, Encoding::Utf8).unwrap();
        lines.next_line().unwrap();
        for _ in 0..2 {
            let line = lines.next_line().unwrap().unwrap();
            assert_eq!(
                (line.bytes, line.offset, line.number),
                (b"two".as_slice(), 4, 2)
            );
            lines.go_to(4, 1).unwrap();
        }
    }
}
