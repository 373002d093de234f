//! What a file looks like, for recognising its format: lines of its beginning and, when it is long,
//! of its middle and its end. A format is weighed by its share of all of them: one object in a log,
//! or a quotation of another format, decides nothing.

use std::io::{self, Read as _, Seek as _, SeekFrom};

use serde_json::{Map, Value};

use super::document::Document;
use super::{Framing, json};
use crate::tail::{self, Encoding};
use crate::unpack::Source;

/// How much of the beginning is looked at, in bytes.
pub(crate) const BEGINNING: u64 = 256 * 1024;
/// How much of the middle and of the end.
const WINDOW: u64 = 64 * 1024;
/// The first lines, all of which are looked at.
const FIRST: usize = 60;
/// How many are looked at of the rest of each window.
const OTHERS: usize = 60;

/// Some lines of a file.
#[derive(Debug, Default)]
pub struct Head {
    /// Whole lines that are not blank, in their order; the beginning of the first line where no line
    /// is whole.
    pub lines: Vec<String>,
    /// Those of them that are whole JSON objects.
    pub objects: Vec<Map<String, Value>>,
    /// The first line is such an object.
    pub begins: bool,
    /// What the file is when it is one JSON document.
    pub document: Option<Document>,
}

/// A stretch of a file.
struct Window {
    bytes: Vec<u8>,
    /// It begins where a line does.
    whole_start: bool,
    /// It ends where the file does.
    whole_end: bool,
}

impl Head {
    /// Of a file whose first bytes, at most [`BEGINNING`] of them, are known. `begin` is where they
    /// stand: behind a gap of zeros, not at the file's start.
    ///
    /// # Errors
    /// Those of reading.
    pub(crate) fn of(
        file: &mut Source,
        beginning: &[u8],
        begin: u64,
        encoding: Encoding,
    ) -> io::Result<Self> {
        let size = file.size()?;
        let read_to = begin + beginning.len() as u64;
        let mut windows = vec![Window {
            bytes: beginning.to_vec(),
            whole_start: true,
            whole_end: size <= read_to,
        }];
        if size > read_to {
            let middle = read_to + (size - read_to) / 2;
            let mut free = read_to;
            for wanted in [
                middle.saturating_sub(WINDOW / 2),
                size.saturating_sub(WINDOW),
            ] {
                // Even, for characters of two bytes.
                let at = wanted.max(free).next_multiple_of(2);
                let mut bytes = Vec::new();
                file.seek(SeekFrom::Start(at))?;
                file.by_ref().take(WINDOW).read_to_end(&mut bytes)?;
                free = at + bytes.len() as u64;
                windows.push(Window {
                    bytes,
                    whole_start: false,
                    whole_end: free >= size,
                });
            }
        }
        Ok(Self::of_windows(&windows, encoding))
    }

    fn of_windows(windows: &[Window], encoding: Encoding) -> Self {
        let mut head = Self::default();
        let mut first = String::new();
        let mut begins = false;
        for (at, window) in windows.iter().enumerate() {
            let (text, _) = tail::decode(&window.bytes, encoding);
            let mut whole: &str = &text;
            if at == 0 {
                whole
                    .split('\n')
                    .map(plain)
                    .find(|line| !line.trim().is_empty())
                    .unwrap_or_default()
                    .clone_into(&mut first);
                head.document = Document::of(whole);
            }
            if !window.whole_start {
                whole = whole.split_once('\n').map_or("", |(_, rest)| rest);
            }
            let (lines, last) = whole.rsplit_once('\n').unwrap_or(("", whole));
            // What is still being written says nothing about what it will be.
            let torn = !window.whole_end
                || last.trim_start().starts_with('{') && !json::is_whole_object(last);
            if torn {
                whole = lines;
            }
            let mut lines: Vec<&str> = whole
                .split('\n')
                .map(plain)
                .filter(|line| !line.trim().is_empty())
                .collect();
            let others = lines.split_off(if at == 0 { FIRST.min(lines.len()) } else { 0 });
            lines.extend(evenly(&others));
            begins |= at == 0 && !lines.is_empty();
            head.lines.extend(lines.into_iter().map(str::to_owned));
        }
        if head.lines.is_empty() {
            head.lines.push(first);
        }
        for (at, line) in head.lines.iter().enumerate() {
            if !line.trim_start().starts_with('{') {
                continue;
            }
            let before = head.objects.len();
            let records = json::records(line).0.into_iter();
            head.objects
                .extend(records.filter_map(|record| match record {
                    json::Record::Object(object) => Some(object),
                    _ => None,
                }));
            head.begins |= begins && at == 0 && head.objects.len() > before;
        }
        head
    }

    /// The share of the lines whose objects pass; 0 when there are none.
    pub(crate) fn share(&self, test: impl Fn(&Map<String, Value>) -> bool) -> f64 {
        let passing = self.objects.iter().filter(|object| test(object)).count();
        (passing as f64 / self.lines.len().max(1) as f64).min(1.0)
    }

    /// Whether the file is one JSON object, over lines or not, that has these keys. Of one that is
    /// longer than what is looked at, the beginning must hold them somewhere.
    pub(crate) fn is_one(&self, keys: &[&str]) -> bool {
        let opening = match (&self.document, self.lines.as_slice()) {
            (Some(document), _) if document.list => return false,
            (Some(document), _) => match &document.one {
                Some(object) => return keys.iter().all(|key| object.contains_key(*key)),
                None => document.opening.as_str(),
            },
            (None, [line]) if line.trim_start().starts_with('{') => match self.objects.as_slice() {
                [object] => return keys.iter().all(|key| object.contains_key(*key)),
                [] => line.as_str(),
                _ => return false,
            },
            _ => return false,
        };
        keys.iter()
            .all(|key| opening.contains(&format!("\"{key}\"")))
    }

    /// The object that the file is, where what is looked at holds all of it.
    pub(crate) fn one(&self) -> Option<&Map<String, Value>> {
        match (
            &self.document,
            self.lines.as_slice(),
            self.objects.as_slice(),
        ) {
            (Some(document), ..) => document.one.as_ref(),
            (None, [_], [object]) => Some(object),
            _ => None,
        }
    }

    /// The share of a list's objects, or of the lines, that pass.
    pub(crate) fn share_of_records(&self, test: impl Fn(&Map<String, Value>) -> bool) -> f64 {
        match &self.document {
            Some(document) => document.share(test),
            None => self.share(test),
        }
    }

    /// Values where the file is a document, else lines.
    pub(crate) fn cut(&self) -> Framing {
        match self.document {
            Some(_) => Framing::Values,
            None => Framing::Lines,
        }
    }

    /// The share of the lines that are objects.
    pub(crate) fn share_of_objects(&self) -> f64 {
        self.share(|_| true)
    }

    /// Whether the first line is an object that passes and half of the rest pass the other test.
    /// There may be no rest yet.
    pub(crate) fn headed(
        &self,
        header: impl Fn(&Map<String, Value>) -> bool,
        rest: impl Fn(&Map<String, Value>) -> bool,
    ) -> bool {
        let Some(first) = self.objects.first().filter(|_| self.begins) else {
            return false;
        };
        let others = self.lines.len().saturating_sub(1);
        let passing = self.objects.iter().skip(1).filter(|object| rest(object));
        header(first) && passing.count() * 2 >= others
    }
}

/// A line without its end and without the zeros of a power cut.
fn plain(line: &str) -> &str {
    line.trim_end_matches('\r').trim_matches('\0')
}

/// At most [`OTHERS`] of the lines, from all places alike.
fn evenly<'a>(lines: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let taken = lines.len().min(OTHERS);
    (0..taken).map(move |index| lines[index * lines.len() / taken])
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn head(text: &str) -> Head {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let beginning = &text.as_bytes()[..text.len().min(BEGINNING as usize)];
        Head::of(&mut file.into(), beginning, 0, Encoding::Utf8).unwrap()
    }

    #[test]
    fn objects_count_only_as_whole_lines() {
        let found = head("got {\"text\":\"x\"}\n{\"text\":\"y\"}\n\n{\"torn\n");
        assert_eq!((found.lines.len(), found.objects.len()), (3, 1));
        assert!((found.share_of_objects() - 1.0 / 3.0).abs() < 1e-9);
        assert!(!found.begins);
    }

    #[test]
    fn a_long_file_is_weighed_in_all_its_parts() {
        let lines: Vec<String> = (0..200_000).map(|at| format!("line {at}\n")).collect();
        let text = lines.concat();
        let found = head(&text);
        assert_eq!(found.lines.len(), FIRST + 3 * OTHERS);
        assert_eq!(found.lines[FIRST - 1], format!("line {}", FIRST - 1));
        let number = |line: &String| line[5..].parse::<u32>().unwrap();
        let all: Vec<u32> = found.lines.iter().map(number).collect();
        assert!(all.is_sorted());
        assert!(all.iter().any(|at| (90_000..120_000).contains(at)));
        assert!(*all.last().unwrap() > 199_000);
    }

    #[test]
    fn one_endless_line_is_its_own_beginning() {
        let found = head(&"x".repeat(300_000));
        assert_eq!(found.lines.len(), 1);
        assert!(found.lines[0].starts_with("xxx"));
        assert_eq!(head("{\"a\":1}").objects.len(), 1);
    }
}
