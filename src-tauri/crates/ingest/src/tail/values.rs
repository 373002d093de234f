//! Cuts a JSON document into its values: the records of a list, or one object as a whole.
//!
//! Brackets and commas between the values are left aside, so that a list of any length is read
//! record by record. Whether a value is valid is the parser's to say; here only its end is found.

use std::io::{self, BufRead as _};

use super::{Lines, RawLine, STUB_BYTES};
use crate::format::Framing;

/// Where in a value a byte stands.
#[derive(Default)]
struct Inside {
    depth: u32,
    string: bool,
    escaped: bool,
    scalar: bool,
}

/// What a byte means for the value it stands in.
enum Step {
    Goes,
    /// The value ends with this byte.
    Ends,
    /// The value has ended before this byte.
    Ended,
}

impl Inside {
    fn step(&mut self, byte: u8) -> Step {
        if self.string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => {
                    self.string = false;
                    if self.depth == 0 {
                        return Step::Ends;
                    }
                }
                _ => {}
            }
            return Step::Goes;
        }
        match byte {
            b'"' => self.string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                if self.depth == 0 {
                    return Step::Ends;
                }
            }
            _ if self.depth > 0 => {}
            b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n' => return Step::Ended,
            _ => self.scalar = true,
        }
        Step::Goes
    }
}

/// What stands between values.
fn between(byte: u8) -> bool {
    matches!(
        byte,
        b'[' | b']' | b'}' | b',' | b' ' | b'\t' | b'\r' | b'\n' | 0 | 0xef | 0xbb | 0xbf
    )
}

impl Lines {
    /// The next record, as the file is cut.
    pub(crate) fn next(&mut self, framing: Framing) -> io::Result<Option<RawLine<'_>>> {
        match framing {
            Framing::Lines => self.next_line(),
            Framing::Values => self.next_value(),
        }
    }

    /// The next value of a document; `None` at the end of the file.
    pub fn next_value(&mut self) -> io::Result<Option<RawLine<'_>>> {
        if self.buffer.capacity() > 1024 * 1024 {
            self.buffer = Vec::new();
        }
        self.buffer.clear();
        self.skip_between()?;
        let (offset, number) = (self.offset, self.ends + 1);
        let mut inside = Inside::default();
        let mut length = 0_u64;
        let (mut oversized, mut terminated) = (false, false);
        while !terminated {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                break;
            }
            let mut used = 0;
            for &byte in chunk {
                match inside.step(byte) {
                    Step::Goes => used += 1,
                    Step::Ends => {
                        used += 1;
                        terminated = true;
                        break;
                    }
                    Step::Ended => {
                        terminated = true;
                        break;
                    }
                }
            }
            self.ends += memchr::memchr_iter(b'\n', &chunk[..used]).count() as u64;
            if self.buffer.len() + used > self.limit {
                oversized = true;
            }
            let room = if oversized {
                STUB_BYTES.saturating_sub(self.buffer.len()).min(used)
            } else {
                used
            };
            self.buffer.extend_from_slice(&chunk[..room]);
            self.reader.consume(used);
            length += used as u64;
        }
        if length == 0 {
            return Ok(None);
        }
        self.offset += length;
        if oversized {
            self.buffer.truncate(STUB_BYTES);
        }
        if terminated {
            self.skip_between()?;
        }
        Ok(Some(RawLine {
            bytes: &self.buffer,
            offset,
            number,
            length,
            terminated,
            oversized,
            gap: 0,
        }))
    }

    fn skip_between(&mut self) -> io::Result<()> {
        loop {
            let chunk = self.reader.fill_buf()?;
            let used = chunk.iter().take_while(|byte| between(**byte)).count();
            if used == 0 {
                return Ok(());
            }
            self.ends += memchr::memchr_iter(b'\n', &chunk[..used]).count() as u64;
            self.offset += used as u64;
            self.reader.consume(used);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::super::{Encoding, Lines};

    fn values(text: &str, limit: usize) -> Vec<(String, u64, u64, bool, bool)> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let mut lines = Lines::of(file, Encoding::Utf8).unwrap().with_limit(limit);
        let mut all = Vec::new();
        while let Some(value) = lines.next_value().unwrap() {
            let text = String::from_utf8(value.bytes.to_vec()).unwrap();
            all.push((
                text,
                value.offset,
                value.number,
                value.terminated,
                value.oversized,
            ));
        }
        assert_eq!(lines.offset(), text.len() as u64);
        all
    }

    #[test]
    fn a_list_comes_apart_into_its_records() {
        let whole = |text: &str, offset, line| (text.to_owned(), offset, line, true, false);
        assert_eq!(
            values(
                "[\n  {\"a\": \"}],\\\"\"},\n  {\"b\": [1, {}]}, 7 ,\"x\"\n]\n",
                1000
            ),
            [
                whole("{\"a\": \"}],\\\"\"}", 4, 2),
                whole("{\"b\": [1, {}]}", 22, 3),
                whole("7", 38, 3),
                whole("\"x\"", 41, 3),
            ]
        );
        assert_eq!(
            values("{\n\"a\": 1\n}", 1000),
            [whole("{\n\"a\": 1\n}", 0, 1)]
        );
        assert_eq!(values(" [ ] ", 1000), []);
    }

    #[test]
    fn a_value_without_its_end_is_not_finished() {
        let found = values("[{\"a\":1},{\"b\":", 1000);
        assert_eq!(found.len(), 2);
        assert!(found[0].3 && !found[1].3);
    }

    #[test]
    fn a_long_value_leaves_a_stub_and_the_next_one_whole() {
        let text = format!("[{{\"a\":\"{}\"}},{{\"b\":1}}]", "x".repeat(200_000));
        let found = values(&text, 50_000);
        assert!(found[0].4 && found[0].0.len() <= 16 * 1024);
        assert_eq!(found[1].0, "{\"b\":1}");
    }
}
