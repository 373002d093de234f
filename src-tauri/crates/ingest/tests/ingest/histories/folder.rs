//! The files, on the disk and as they were meant.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use super::lines::{self, Line, Said};

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Chat,
    Transcript,
    Log,
    Note,
    Graph,
}

impl Kind {
    pub const LOGS: [Self; 3] = [Self::Chat, Self::Transcript, Self::Log];
    pub const STORES: [Self; 2] = [Self::Note, Self::Graph];

    pub fn is_store(self) -> bool {
        Self::STORES.contains(&self)
    }

    /// A name that the readers know; a log's program is told by it, and is the same for all.
    fn name(self, number: u8, rotated: bool) -> String {
        match self {
            Self::Chat => format!("chat-{number}.jsonl"),
            Self::Transcript => format!("transcript-{number}.jsonl"),
            Self::Log if rotated => format!("d{number}/pump.log.1"),
            Self::Log => format!("d{number}/pump.log"),
            Self::Note => format!("note-{number}.md"),
            Self::Graph => format!("g{number}/memory.jsonl"),
        }
    }

    fn line(self, line: Line) -> (String, Said) {
        match self {
            Self::Chat => line.chat(),
            Self::Transcript => line.transcript(),
            Self::Log => line.entry(),
            Self::Note => lines::rule(line.words),
            Self::Graph => lines::observation(line.words),
        }
    }
}

/// One file.
#[derive(Clone, Debug)]
pub struct File {
    /// Which file this is, whatever its name.
    pub number: u32,
    pub kind: Kind,
    pub path: PathBuf,
    /// What it says, in order, with the bytes that say it.
    pub said: Vec<(String, Said)>,
    /// How many bytes of the last one are not written yet.
    pub missing: usize,
    pub packed: bool,
}

impl File {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self
            .said
            .iter()
            .flat_map(|(line, _)| line.bytes())
            .collect();
        bytes.truncate(bytes.len() - self.missing);
        bytes
    }

    /// What it says in full; the last entry of a log only when all its lines are there.
    pub fn complete(&self) -> impl Iterator<Item = &Said> {
        let torn = usize::from(self.missing > 0);
        self.said[..self.said.len() - torn]
            .iter()
            .map(|(_, said)| said)
    }

    /// What is not complete: what can be stored of it, and what it will be.
    pub fn half(&self) -> Option<(BTreeSet<Said>, Said)> {
        let (line, whole) = self.said.last().filter(|_| self.missing > 0)?;
        let written = &line[..line.len() - self.missing];
        let mut shown = BTreeSet::new();
        if self.kind == Kind::Log {
            // With the line that is being written, and without.
            let whole_lines = written.rfind('\n').map_or("", |end| &written[..end]);
            for text in [written, whole_lines] {
                shown.insert(Said::of(&whole.org, text.trim_end().to_owned()));
            }
        }
        if self.missing == 1 {
            shown.insert(whole.clone());
        }
        Some((shown, whole.clone()))
    }
}

/// The folder.
pub struct Folder {
    root: PathBuf,
    pub files: Vec<File>,
    written: u64,
    made: u32,
}

impl Folder {
    pub fn at(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            files: Vec::new(),
            written: 0,
            made: 0,
        }
    }

    /// When anything was written last, in milliseconds.
    pub fn last_written(&self) -> i64 {
        (1_798_761_600 + self.written) as i64 * 1000
    }

    fn date(&mut self, path: &Path) {
        self.written += 10;
        let at = UNIX_EPOCH + Duration::from_millis(self.last_written() as u64);
        let file = fs::File::open(path).unwrap();
        file.set_modified(at).unwrap();
    }

    /// Writes a file in place.
    fn write(&mut self, at: usize) {
        let (path, bytes) = (self.files[at].path.clone(), self.files[at].bytes());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        self.date(&path);
    }

    /// Puts a file written aside in its place.
    fn publish(&mut self, at: usize) {
        let (path, bytes) = (self.files[at].path.clone(), self.files[at].bytes());
        let aside = self.root.join("aside.tmp");
        fs::write(&aside, bytes).unwrap();
        fs::rename(&aside, &path).unwrap();
        self.date(&path);
    }

    fn of_name(&mut self, kind: Kind, number: u8) -> usize {
        let path = self.root.join(kind.name(number, false));
        if let Some(at) = self.files.iter().position(|file| file.path == path) {
            return at;
        }
        self.add(File {
            number: 0,
            kind,
            path,
            said: Vec::new(),
            missing: 0,
            packed: false,
        })
    }

    fn add(&mut self, mut file: File) -> usize {
        self.made += 1;
        file.number = self.made;
        self.files.push(file);
        self.files.len() - 1
    }

    fn chosen(&self, number: u8, fits: impl Fn(&File) -> bool) -> Option<usize> {
        let fitting: Vec<usize> = (0..self.files.len())
            .filter(|at| fits(&self.files[*at]))
            .collect();
        let at = usize::from(number).checked_rem(fitting.len())?;
        fitting.get(at).copied()
    }

    pub fn append(&mut self, kind: Kind, number: u8, lines: &[Line], cut: Option<u8>) {
        let at = self.of_name(kind, number);
        let file = &mut self.files[at];
        let before = file.bytes().len();
        file.missing = 0;
        file.said.extend(lines.iter().map(|line| kind.line(*line)));
        if let (Some(cut), Some((line, _))) = (cut, file.said.last()) {
            // Far enough in that it is known whose beginning it is.
            let least = line.len().min(36);
            file.missing = line.len()
                - (least + usize::from(cut) % (line.len() - least).max(1)).min(line.len());
        }
        let bytes = file.bytes();
        let path = file.path.clone();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut open = fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)
            .unwrap();
        open.write_all(&bytes[before..]).unwrap();
        self.date(&path);
    }

    pub fn save(&mut self, kind: Kind, number: u8, entries: &[u8]) {
        let at = self.of_name(kind, number);
        let said = |entry: &u8| match kind {
            Kind::Note => lines::rule(*entry),
            _ => lines::observation(*entry),
        };
        self.files[at].said = entries.iter().map(said).collect();
        self.write(at);
    }

    pub fn rename(&mut self, number: u8, to: u8) {
        let Some(at) = self.chosen(number, |file| !file.packed) else {
            return;
        };
        let kind = self.files[at].kind;
        let path = self.root.join(kind.name(to % 6, to % 2 == 1));
        if self.files.iter().any(|file| file.path == path) {
            return;
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::rename(&self.files[at].path, &path).unwrap();
        self.files[at].path = path;
    }

    pub fn copy_truncate(&mut self, number: u8) {
        let fits = |file: &File| file.kind == Kind::Log && file.path.ends_with("pump.log");
        let Some(at) = self.chosen(number, fits) else {
            return;
        };
        let mut copy = self.files[at].clone();
        copy.path.set_extension("log.2");
        let old = self.files.iter().position(|file| file.path == copy.path);
        if let Some(old) = old {
            // Written over in place.
            let number = self.files[old].number;
            self.files[old] = File { number, ..copy };
            self.write(old);
        } else {
            let copied = self.add(copy);
            self.write(copied);
        }
        let file = &mut self.files[at];
        (file.said, file.missing) = (Vec::new(), 0);
        self.write(at);
    }

    pub fn replace(&mut self, number: u8, line: Line) {
        let Some(at) = self.chosen(number, |file| !file.packed && file.missing == 0) else {
            return;
        };
        let kind = self.files[at].kind;
        self.files[at].said.push(kind.line(line));
        self.publish(at);
    }

    pub fn change_line(&mut self, number: u8, place: u8, line: Line) {
        let Some(at) = self.chosen(number, |file| {
            !file.packed && !file.said.is_empty() && file.missing == 0
        }) else {
            return;
        };
        let file = &mut self.files[at];
        let place = usize::from(place) % file.said.len();
        file.said[place] = file.kind.line(line);
        self.write(at);
    }

    pub fn copy(&mut self, number: u8) {
        let Some(at) = self.chosen(number, |file| !file.packed) else {
            return;
        };
        let mut copy = self.files[at].clone();
        let Some(path) = (6..12)
            .map(|number| self.root.join(copy.kind.name(number, false)))
            .find(|path| self.files.iter().all(|file| file.path != *path))
        else {
            return;
        };
        copy.path = path;
        let copied = self.add(copy);
        self.write(copied);
    }

    pub fn pack(&mut self, number: u8) {
        let Some(at) = self.chosen(number, |file| !file.packed && !file.kind.is_store()) else {
            return;
        };
        let bytes = self.files[at].bytes();
        let old = self.files[at].path.clone();
        let path = PathBuf::from(format!("{}.gz", old.display()));
        if self.files.iter().any(|file| file.path == path) {
            return;
        }
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(&bytes).unwrap();
        fs::write(&path, packed.finish().unwrap()).unwrap();
        fs::remove_file(&old).unwrap();
        self.date(&path);
        self.files[at].path = path;
        self.files[at].packed = true;
    }

    pub fn remove(&mut self, number: u8) {
        let Some(at) = self.chosen(number, |_| true) else {
            return;
        };
        fs::remove_file(&self.files[at].path).unwrap();
        self.files.remove(at);
    }
}
