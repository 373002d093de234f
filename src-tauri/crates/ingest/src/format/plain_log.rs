//! Plain-text logs: an entry begins with a timestamp at the start of a line; the lines without one
//! below it (stack traces, tables) belong to it.
//!
//! An entry may still grow, so the last one is given out but stays open: reading goes on at its
//! beginning. Its key is made of its first line, which doesn't change when it grows. Before the
//! first timestamp of a file every line that isn't indented is an entry of its own.

use std::path::Path;

use memory::{CreatedAtQuality, Kind, Millis, Role, Scope};

use super::{
    FileContext, Format, Head, Line, Occurrences, Outcome, Parser, Place, digest, draft, moment,
};
use crate::escapes::without_escapes;
use crate::time;

/// See the module.
pub struct PlainLog;

/// An entry longer than this is closed, and what follows is the next: a program that prints without
/// timestamps must not become one endless memory.
const ENTRY_BYTES: usize = 64 * 1024;

impl Format for PlainLog {
    fn name(&self) -> &'static str {
        "log"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        let zone = jiff::tz::TimeZone::UTC;
        let lines: Vec<_> = head
            .lines
            .iter()
            .map(|line| without_escapes(line))
            .filter(|line| !line.trim().is_empty())
            .collect();
        let stamped = lines
            .iter()
            .filter(|line| time::leading(line, &zone, Some(1_700_000_000_000)).is_some())
            .count();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().to_lowercase())
            .unwrap_or_default();
        let ends = |ending: &str| name.strip_suffix(ending).is_some();
        // Figures with a time in each row are a table, not what a program says.
        if ends(".csv") || ends(".tsv") {
            return 0;
        }
        let log_name = name.contains(".log") || ends(".out") || name == "syslog";
        // A program may print an object now and then, also as its first word.
        if lines.is_empty() || head.share_of_objects() > 0.5 {
            return 0;
        }
        let first =
            stamped > 0 && time::leading(&lines[0], &zone, Some(1_700_000_000_000)).is_some();
        let objects = head.objects.len();
        if objects > 0 && stamped == 0 {
            // Nothing but the name speaks for a log.
            return if log_name { 10 } else { 0 };
        }
        match (first || stamped * 5 >= lines.len(), log_name) {
            (true, true) => 70,
            (true, false) => 50,
            (false, true) => 20,
            (false, false) => 0,
        }
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Log {
            agent: program_of(&file.stem()),
            file: file.clone(),
            open: None,
            stamped: false,
            last_time: None,
            occurrences: Occurrences::default(),
        })
    }
}

/// The program that writes a log, told from its file's name without dates and rotation numbers.
fn program_of(stem: &str) -> String {
    let base = stem.split(".log").next().unwrap_or(stem);
    let program = base.trim_matches(|c: char| c.is_ascii_digit() || matches!(c, '-' | '_' | '.'));
    if program.is_empty() {
        "log".to_owned()
    } else {
        program.to_owned()
    }
}

struct Entry {
    place: Place,
    text: String,
    key: String,
    at: Option<Millis>,
    quality: CreatedAtQuality,
    /// Length of the text when it was given out last.
    given: Option<usize>,
}

struct Log {
    file: FileContext,
    agent: String,
    open: Option<Entry>,
    stamped: bool,
    last_time: Option<Millis>,
    occurrences: Occurrences,
}

impl Parser for Log {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        let text = &*without_escapes(line.text);
        let stamp = time::leading(text, &self.file.zone, self.file.modified);
        self.stamped |= stamp.is_some();
        let indented = text.starts_with([' ', '\t']);
        let blank = text.trim().is_empty();
        let begins = stamp.is_some() || (!self.stamped && !indented && !blank);
        match &mut self.open {
            Some(entry) if !begins && entry.text.len() < ENTRY_BYTES => {
                entry.text.push('\n');
                entry.text.push_str(text);
                return;
            }
            None if blank => return,
            _ => {}
        }
        self.close(out);
        let (at, quality) = moment(
            stamp.map(|stamp| stamp.at),
            self.last_time,
            self.file.modified,
        );
        self.last_time = stamp.map(|stamp| stamp.at).or(self.last_time);
        self.open = Some(Entry {
            place: line.place,
            text: text.to_owned(),
            key: self.occurrences.key(digest(&["log", &self.agent, text])),
            at,
            quality,
            given: None,
        });
    }

    fn finish(&mut self, out: &mut Vec<Outcome>) {
        self.give(out);
    }

    fn takes_half(&self, text: &str) -> bool {
        !(self.stamped && may_become_stamp(&without_escapes(text)))
    }

    fn keeps_open(&self) -> bool {
        true
    }

    fn settle(&mut self) {
        self.open = None;
    }

    fn still_open(&self) -> Option<Place> {
        self.open.as_ref().map(|entry| entry.place)
    }

    fn touched(&mut self, modified: Option<Millis>) {
        self.file.modified = modified;
    }

    fn scope(&self) -> Scope {
        Scope {
            org: String::new(),
            agent: self.agent.clone(),
            session: None,
        }
    }
}

impl Log {
    fn close(&mut self, out: &mut Vec<Outcome>) {
        self.give(out);
        self.open = None;
    }

    /// Gives the open entry out, unless it is as it was when it was given out last.
    fn give(&mut self, out: &mut Vec<Outcome>) {
        let scope = self.scope();
        let Some(entry) = &mut self.open else {
            return;
        };
        let text = entry.text.trim_end();
        let before = entry.given.replace(text.len());
        if before == Some(text.len()) {
            return;
        }
        let mut memory = draft(scope, entry.place, &self.file.path, text.to_owned());
        memory.role = Role::System;
        memory.kind = Kind::Event;
        memory.created_at = entry.at;
        memory.created_at_quality = entry.quality;
        memory.source_key.clone_from(&entry.key);
        memory.tags.extend(level_of(&entry.text).map(str::to_owned));
        out.push(match before {
            None => Outcome::Memory(Box::new(memory)),
            Some(_) => Outcome::Grown(Box::new(memory)),
        });
    }
}

/// Whether a half-written line is the beginning of a time and nothing more: an entry of its own, once
/// the rest is there, and no part of the one before.
fn may_become_stamp(half: &str) -> bool {
    const LONGEST: usize = 40;
    const NAMES: [&str; 32] = [
        "Jan",
        "Feb",
        "Mar",
        "Apr",
        "May",
        "Jun",
        "Jul",
        "Aug",
        "Sep",
        "Oct",
        "Nov",
        "Dec",
        "Mon",
        "Tue",
        "Wed",
        "Thu",
        "Fri",
        "Sat",
        "Sun",
        "TRACE",
        "DEBUG",
        "INFO",
        "NOTICE",
        "WARNING",
        "ERROR",
        "FATAL",
        "CRITICAL",
        "timestamp",
        "time",
        "ts",
        "level",
        "info",
    ];
    let half = half.trim_end_matches(['\r', '\0']);
    half.len() < LONGEST
        && half
            .split(|c: char| !c.is_ascii_alphabetic())
            .filter(|word| !word.is_empty())
            .all(|word| word.len() == 1 || NAMES.iter().any(|name| name.starts_with(word)))
        && half.chars().all(|c| {
            c.is_ascii_alphanumeric()
                || matches!(
                    c,
                    '[' | ']' | '=' | '"' | '(' | '<' | ' ' | '-' | '/' | ':' | '.' | ',' | '+'
                )
        })
        && !half.starts_with([' ', '\t'])
}

/// The tag for an entry that reports trouble.
fn level_of(text: &str) -> Option<&'static str> {
    let first: String = text.lines().next()?.chars().take(80).collect();
    first
        .split(|c: char| !c.is_ascii_alphabetic())
        .find_map(|word| match word {
            "ERROR" | "FATAL" | "CRITICAL" | "PANIC" | "error" | "fatal" => Some("error"),
            "WARN" | "WARNING" | "warn" | "warning" => Some("warning"),
            _ => None,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_the_name_without_dates_and_numbers() {
        for (stem, program) in [
            ("gateway", "gateway"),
            ("gateway-2026-09-20", "gateway"),
            ("gateway.log", "gateway"),
            ("2026-09-20", "log"),
            ("2026-09-20_gateway", "gateway"),
        ] {
            assert_eq!(program_of(stem), program);
        }
    }
}
