//! Reads one file from where it was left: opens it, recognises it, brings the parser to the right
//! state and gives out what comes next in parts of bounded size.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};

use jiff::tz::TimeZone;
use memory::{CreatedAtQuality, Kind, Millis, Role, Scope};
use sha2::{Digest as _, Sha256};

use crate::fault::Fault;
use crate::format::{
    self, BEGINNING, FileContext, Format, Framing, Head, Line, Outcome, Parser, Place, Recognised,
    digest, draft,
};
use crate::report::Options;
use crate::screen::Screen;
use crate::tail::{self, Cursor, Encoding, Lines};
use crate::time;
use crate::unpack::unpacked_name;
use crate::walk::FileFound;

/// Before a file has this many lines, what it was taken for is open: its first lines may be anyone's.
const SETTLED: u64 = 12;
/// A file that is rewritten as a whole must fit into memory.
const REWRITTEN_LIMIT: u64 = 16 * 1024 * 1024;
/// Fewer zeros than this before a line are not worth a remark.
const GAP_BYTES: u64 = 4096;
/// A part ends after this many bytes, however few records they were.
pub(crate) const PART_BYTES: u64 = 8 * 1024 * 1024;

/// How far the end of a file may be taken for the end of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// More may follow at once: what is open stays inside.
    Wait,
    /// What is open is given out; a half-written line waits.
    GiveOut,
    /// Nothing was written for a while: a last line without its end counts as well.
    Quiet,
}

/// What was read in one go.
#[derive(Debug, Default)]
pub(crate) struct Part {
    pub outcomes: Vec<Outcome>,
    /// Where to go on after a restart.
    pub cursor: Cursor,
    /// Bytes read.
    pub bytes: u64,
    /// The end of the file was reached.
    pub end: bool,
    /// The outcomes are all that the file holds.
    pub snapshot: bool,
    /// Something is left that the present [`End`] did not take.
    pub pending: bool,
    /// A last line was taken without its end: what stood between the cursor and the file's end.
    pub half: Option<Half>,
}

/// A stretch of a file whose last line was not finished, to know it again when more was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Half {
    /// Where the file ended.
    pub end: u64,
    /// SHA-256, in hex, of what stood between the cursor and there.
    pub hash: String,
}

/// What a file was taken for when it was read before.
pub(crate) struct Known {
    pub format: String,
    /// A person said so.
    pub asked: bool,
}

/// A file that is being read. Kept, it goes on where it stopped; made anew from a cursor, it first
/// feeds its parser what lies before.
pub(crate) struct Session {
    pub format: &'static dyn Format,
    /// What the file may be as well.
    pub runner_up: Option<&'static str>,
    /// It was taken for something else before.
    pub misjudged: bool,
    context: FileContext,
    encoding: Encoding,
    framing: Framing,
    lines: Lines,
    parser: Box<dyn Parser>,
    screen: Screen,
    /// The place up to which the lines were read, for noticing changes of what lies before it.
    position: Cursor,
    /// Where an entry begins that was given out before the restart, although it could still grow.
    resumed: Option<u64>,
    /// The last line was taken without its end: what follows may belong to it.
    half: bool,
    /// Hash of the whole file, for formats that are rewritten.
    whole: String,
}

impl Session {
    /// Opens a file and goes to `cursor`, or to the beginning when what lies before it has changed.
    pub(crate) fn open(
        found: &FileFound,
        options: &Options,
        known: Option<&Known>,
        cursor: Option<&Cursor>,
        now: Millis,
    ) -> Result<Self, Fault> {
        let mut file = found.open().map_err(Fault::Unreadable)?;
        let mut head = Vec::new();
        (&mut file).take(BEGINNING).read_to_end(&mut head)?;
        // A gap of zeros hides nothing of what follows.
        let mut gap = 0;
        while head.len() as u64 == BEGINNING && head.iter().all(|byte| *byte == 0) {
            gap += BEGINNING;
            head.clear();
            (&mut file).take(BEGINNING).read_to_end(&mut head)?;
        }
        if head.iter().all(|b| b.is_ascii_whitespace() || *b == 0) {
            return Err(Fault::Nothing);
        }
        let encoding =
            tail::encoding_of(&head).map_err(|reason| Fault::Unreadable(reason.to_string()))?;
        let sample = Head::of(&mut file, &head, gap, encoding)?;
        file.rewind()?;
        let mut lines = Lines::of(file, encoding)?;
        let known_before = cursor.is_some_and(|cursor| cursor.offset == 0);
        let mut cursor = match cursor.filter(|cursor| cursor.offset > 0) {
            Some(cursor) if lines.continues(cursor)? => Some(cursor),
            _ => None,
        };
        // What a file was is no reason to take another one under its name for the same, nor are its
        // first lines.
        let settled = known
            .filter(|known| known.asked || cursor.is_some_and(|cursor| cursor.lines >= SETTLED))
            .filter(|_| cursor.is_some())
            .map(|known| known.format.as_str());
        let recognised = match options.wanted_format().or(settled) {
            Some(name) => format::named(name).map(|format| Recognised {
                format,
                runner_up: None,
            }),
            None => format::recognise(&unpacked_name(&found.path), &sample),
        };
        let misjudged = recognised.as_ref().is_some_and(|recognised| {
            let other = |known: &Known| !known.asked && known.format != recognised.format.name();
            cursor.is_some() && known.is_some_and(other)
        });
        if misjudged {
            cursor = None;
        }
        let Some(Recognised { format, runner_up }) = recognised else {
            let whole_line = head.contains(&b'\n');
            return Err(if whole_line || head.len() as u64 == BEGINNING {
                Fault::Unreadable("no known format".to_owned())
            } else {
                Fault::Unfinished
            });
        };
        if format.rewritten() && found.size > REWRITTEN_LIMIT {
            return Err(Fault::Unreadable(
                "longer than 16 MiB: too long for a note".to_owned(),
            ));
        }
        let context = FileContext {
            path: found.path.clone(),
            modified: written_at(found.modified, now),
            subagents: options.subagents,
            zone: TimeZone::system(),
        };
        let framing = match encoding {
            Encoding::Utf8 => format.framing(&sample),
            _ => Framing::Lines,
        };
        let position = lines.cursor(0, 0)?;
        let parser = format.parser(&context);
        let mut session = Self {
            format,
            runner_up: runner_up.map(Format::name),
            misjudged,
            encoding,
            framing,
            lines,
            resumed: match cursor {
                Some(cursor) => Some(cursor.offset),
                None => known_before.then_some(0),
            }
            .filter(|_| parser.keeps_open()),
            half: false,
            parser,
            screen: Screen::default(),
            context,
            position,
            // Taken before the first line is read: what changes from now on is noticed next time.
            whole: if format.rewritten() {
                hash_of_all(found)?
            } else {
                String::new()
            },
        };
        session
            .screen
            .touched(written_at(found.modified, now).or(Some(now)));
        if let Some(cursor) = cursor.filter(|_| !format.rewritten()) {
            session.replay(cursor)?;
        }
        Ok(session)
    }

    /// Feeds the parser everything before the cursor again; what comes out is stored already.
    fn replay(&mut self, cursor: &Cursor) -> Result<(), Fault> {
        let mut dropped = Vec::new();
        while self.lines.offset() < cursor.offset {
            let Some(line) = self.lines.next(self.framing)? else {
                break;
            };
            if !line.oversized {
                let (text, _) = tail::decode(line.bytes, self.encoding);
                let place = Place {
                    offset: line.offset,
                    line: line.number,
                };
                self.parser.line(&Line { text: &text, place }, &mut dropped);
                dropped
                    .drain(..)
                    .for_each(|outcome| self.screen.pass(&outcome));
            }
        }
        self.parser.finish(&mut dropped);
        dropped
            .drain(..)
            .for_each(|outcome| self.screen.pass(&outcome));
        self.parser.settle();
        // A last line that was taken without its end may have grown one since.
        self.lines.go_to(cursor.offset, cursor.lines)?;
        self.position = cursor.clone();
        Ok(())
    }

    /// Whether it lies in memory as a whole, and not as it may be by now.
    pub(crate) fn is_unpacked(&self) -> bool {
        self.lines.is_unpacked()
    }

    /// Whether the file is still the one that was read, only longer.
    pub(crate) fn goes_on(&mut self) -> bool {
        !self.half
            && !self.format.rewritten()
            && self.lines.lines() >= SETTLED
            && self
                .lines
                .seems_to_continue(&self.position)
                .unwrap_or(false)
    }

    /// Whether what was the half of something still stands where it stood.
    pub(crate) fn goes_on_from(&mut self, from: u64, half: &Half) -> bool {
        self.position.offset == from
            && self
                .lines
                .hash_between(from, half.end)
                .is_ok_and(|hash| hash == half.hash)
    }

    /// Whether it began where a cursor stood.
    pub(crate) fn continued(&self) -> bool {
        self.position.offset > 0
    }

    /// The file was written again, at this moment.
    pub(crate) fn touched(&mut self, modified: Option<Millis>, now: Millis) {
        let modified = written_at(modified, now);
        self.context.modified = modified;
        self.parser.touched(modified);
        self.screen.touched(modified.or(Some(now)));
    }

    /// Which key was taken for what, where that was guessed.
    pub(crate) fn mapping(&self) -> Option<String> {
        self.parser.mapping()
    }

    /// Reads on, until `records` outcomes are there or the file ends.
    pub(crate) fn next_part(&mut self, records: usize, end: End) -> Result<Part, Fault> {
        let snapshot = self.format.rewritten();
        let mut part = Part {
            snapshot,
            ..Part::default()
        };
        let began = self.lines.offset();
        let mut raw = Vec::new();
        let mut half_from = None;
        loop {
            let (before_gap, lines) = (self.lines.offset(), self.lines.lines());
            if !snapshot && (part.outcomes.len() >= records || before_gap - began >= PART_BYTES) {
                break;
            }
            let Some(line) = self.lines.next(self.framing)? else {
                part.end = true;
                break;
            };
            let offset = line.offset;
            let place = Place {
                offset,
                line: line.number,
            };
            if line.gap >= GAP_BYTES && !line.bytes.is_empty() {
                raw.push(Outcome::Note("a gap of zeros left aside"));
            }
            if line.oversized {
                if line.terminated {
                    raw.push(stub(
                        &self.context,
                        self.parser.as_ref(),
                        place,
                        line.length,
                        line.bytes,
                    ));
                } else {
                    part.pending = true;
                    part.end = true;
                    self.lines.go_to(before_gap, lines)?;
                }
            } else {
                let (text, lossy) = tail::decode(line.bytes, self.encoding);
                let whole = line.terminated || self.parser.takes_unterminated(&text);
                // What it says is better than nothing; it is replaced when the rest comes.
                let half = !whole && end == End::Quiet && self.parser.takes_half(&text);
                let takes = whole || half;
                if half && !text.trim().is_empty() {
                    self.half = true;
                    half_from = Some((before_gap, lines));
                }
                let blank = text.trim().is_empty();
                if takes || blank {
                    if lossy {
                        raw.push(Outcome::Note(format::reason::NOT_UTF8));
                    }
                    self.parser.line(&Line { text: &text, place }, &mut raw);
                }
                if !line.terminated {
                    part.end = true;
                    if !takes {
                        part.pending = !blank;
                        self.lines.go_to(before_gap, lines)?;
                    }
                }
            }
            self.give(&mut raw, &mut part);
            if part.end {
                break;
            }
        }
        if part.end && (snapshot || end != End::Wait) {
            self.parser.finish(&mut raw);
            self.give(&mut raw, &mut part);
        } else if part.end {
            part.pending |= self.parser.still_open().is_some();
        }
        let (offset, lines) = (self.lines.offset(), self.lines.lines());
        part.bytes = offset - began;
        self.position = self.lines.cursor(offset, lines)?;
        let open = self.parser.still_open().filter(|_| !snapshot);
        let open = open.map(|place| (place.offset, place.line - 1));
        // A half line is read again as a whole, whatever it was a part of.
        part.cursor = match open.into_iter().chain(half_from).min() {
            Some((offset, lines)) => self.lines.cursor(offset, lines)?,
            None => self.position.clone(),
        };
        if half_from.is_some() {
            let hash = self.lines.hash_between(part.cursor.offset, offset)?;
            part.half = Some(Half { end: offset, hash });
        }
        // A file that is being rewritten in place is not yet all that it will be.
        let torn = |outcome: &Outcome| matches!(outcome, Outcome::Malformed(..));
        part.snapshot &= !part.pending && !part.outcomes.iter().any(torn);
        if snapshot {
            part.cursor.head_hash.clone_from(&self.whole);
        }
        Ok(part)
    }

    fn give(&mut self, raw: &mut Vec<Outcome>, part: &mut Part) {
        for outcome in raw.drain(..) {
            let outcome = match outcome {
                Outcome::Memory(memory)
                    if self.resumed.is_some()
                        && memory.provenance.as_ref().map(|from| from.offset) == self.resumed =>
                {
                    Outcome::Grown(memory)
                }
                other => other,
            };
            self.screen.screen(outcome, &mut part.outcomes);
        }
    }
}

/// When a file was last written: not later than now, whatever its date says, and unknown where it
/// carries none to speak of, as after a reproducible build.
pub(crate) fn written_at(modified: Option<Millis>, now: Millis) -> Option<Millis> {
    modified
        .filter(|at| *at >= time::EARLIEST)
        .map(|at| at.min(now))
}

/// The hash of a whole file, for formats that are rewritten.
pub(crate) fn hash_of_all(found: &FileFound) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut file = match &found.member {
        Some(member) => member.open().map_err(io::Error::other)?,
        None => File::open(&found.path)?.into(),
    };
    (&mut file).take(REWRITTEN_LIMIT).read_to_end(&mut bytes)?;
    Ok(hex::encode(Sha256::digest(&bytes)))
}

/// What stands for a line that is too long to be read.
fn stub(
    context: &FileContext,
    parser: &dyn Parser,
    place: Place,
    length: u64,
    head: &[u8],
) -> Outcome {
    let head = hex::encode(Sha256::digest(head));
    let key = digest(&["stub", &context.stem(), &length.to_string(), &head]);
    too_long(context, parser.scope(), place, ("line", length), key)
}

/// The same for anything of a length in bytes, under its name.
pub(crate) fn too_long(
    context: &FileContext,
    scope: Scope,
    place: Place,
    (what, length): (&str, u64),
    key: String,
) -> Outcome {
    let content = format!("[a {what} of {length} bytes, too long to be read]");
    let mut memory = draft(scope, place, &context.path, content);
    (memory.role, memory.kind) = (Role::System, Kind::Event);
    memory.created_at = context.modified;
    memory.created_at_quality = match context.modified {
        Some(_) => CreatedAtQuality::File,
        None => CreatedAtQuality::Unknown,
    };
    memory.source_key = key;
    memory.tags.push("stub".to_owned());
    Outcome::Memory(Box::new(memory))
}
