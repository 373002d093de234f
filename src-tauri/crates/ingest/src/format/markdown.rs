//! Markdown memory files: CLAUDE.md, MEMORY.md, AGENTS.md, daily notes and other notes.
//!
//! Each bullet (with what is nested below it) and each paragraph is one memory; the headings above
//! it stand before its text, since a bullet alone often doesn't say what it is about. The key is
//! made of path, headings and text, so that an entry keeps its memory while others come and go, and
//! a changed entry is a new one. Entries that are gone from a rewritten file are put into the trash
//! by the intake, unless a person edited or pinned them.

mod front;

use std::path::Path;

use jiff::civil::Date;
use memory::{CreatedAtQuality, Kind, Millis, Role, Scope};

use super::{FileContext, Format, Head, Line, Outcome, Parser, Place, digest, draft, reason};
use crate::time;
use crate::unpack::unpacked_name;

/// See the module.
pub struct Markdown;

/// Names of files that are lasting memory rather than a diary, in lower case.
const LASTING: [&str; 9] = [
    "claude",
    "claude.local",
    "memory",
    "agents",
    "gemini",
    "user",
    "soul",
    "memory_summary",
    "identity",
];

impl Format for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn detect(&self, path: &Path, _head: &Head) -> u8 {
        let ending = path
            .extension()
            .map(|ending| ending.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("md" | "markdown" | "mdx") => 60,
            _ => 0,
        }
    }

    fn rewritten(&self) -> bool {
        true
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        let stem = file.stem();
        let date = time::date_of_name(&stem);
        let dated = date.and_then(|date| time::local(date.at(0, 0, 0, 0), &file.zone));
        let (at, quality) = match (dated, file.modified) {
            (Some(at), _) => (Some(at), CreatedAtQuality::Session),
            (None, Some(at)) => (Some(at), CreatedAtQuality::File),
            _ => (None, CreatedAtQuality::Unknown),
        };
        Box::new(Notes {
            scope: scope_of(&unpacked_name(&file.path)),
            file: file.clone(),
            kind: if date.is_some() {
                Kind::Text
            } else {
                Kind::Fact
            },
            tag: LASTING
                .contains(&stem.to_lowercase().as_str())
                .then(|| stem.to_uppercase()),
            stem,
            date,
            at,
            quality,
            lines: Vec::new(),
            headings: Vec::new(),
            entry: None,
            description: None,
            described: false,
            fence: None,
            comment: false,
            seen: std::collections::HashSet::new(),
        })
    }
}

/// Whose notes they are, told from where they lie.
fn scope_of(path: &Path) -> Scope {
    let parts: Vec<String> = path
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let name = parts
        .last()
        .map(|name| name.to_lowercase())
        .unwrap_or_default();
    let within = |folder: &str| parts.iter().position(|part| part == folder);
    let by_folder = [
        ("claude-code", ".claude"),
        ("claude-code", "claude-code"),
        ("codex", ".codex"),
        ("codex", "codex"),
        ("openclaw", ".openclaw"),
        ("openclaw", "openclaw"),
        ("gemini", ".gemini"),
        ("gemini", "gemini"),
        ("hermes", ".hermes"),
        ("hermes", "hermes"),
    ]
    .into_iter()
    .find(|(_, folder)| within(folder).is_some())
    .map(|(agent, _)| agent);
    let agent = match name.as_str() {
        "claude.md" | "claude.local.md" => "claude-code",
        "gemini.md" => "gemini",
        _ => by_folder.unwrap_or("notes"),
    };
    // A project's own file belongs to the folder it lies in, as the agent's sessions there do.
    let project_file = matches!(
        name.as_str(),
        "claude.md" | "claude.local.md" | "agents.md" | "gemini.md"
    );
    let folder = path.parent().filter(|_| project_file);
    let folder = folder.map(|folder| match folder.file_name() {
        Some(last) if last == ".claude" => folder.parent().unwrap_or(folder),
        _ => folder,
    });
    let slug = within("projects")
        .filter(|_| agent == "claude-code" && folder.is_none())
        .and_then(|index| parts.get(index + 1).cloned());
    Scope {
        org: folder
            .map(|folder| folder.to_string_lossy().into_owned())
            .or(slug)
            .unwrap_or_default(),
        agent: agent.to_owned(),
        session: None,
    }
}

/// What parts the entries of some agents' memory files, alone on its line.
const SEPARATOR: &str = "§";

/// The mark that opened a block of code.
#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

impl Fence {
    fn opening(line: &str) -> Option<Self> {
        ['`', '~'].into_iter().find_map(|mark| {
            let length = line.chars().take_while(|c| *c == mark).count();
            (length >= 3).then_some(Self { mark, length })
        })
    }

    /// A fence ends at one at least as long, with nothing behind it.
    fn is_closed_by(self, line: &str) -> bool {
        line.chars().count() >= self.length && line.chars().all(|c| c == self.mark)
    }
}

struct Heading {
    level: usize,
    text: String,
    at: Option<Millis>,
}

struct Entry {
    place: Place,
    text: String,
    bullet: bool,
    blank: bool,
}

struct Notes {
    file: FileContext,
    scope: Scope,
    stem: String,
    kind: Kind,
    tag: Option<String>,
    date: Option<Date>,
    at: Option<Millis>,
    quality: CreatedAtQuality,
    /// What was read: where the front matter ends, only the whole file tells.
    lines: Vec<(Place, String)>,
    headings: Vec<Heading>,
    entry: Option<Entry>,
    description: Option<String>,
    /// The description stands before some entry.
    described: bool,
    fence: Option<Fence>,
    /// Inside a comment of several lines.
    comment: bool,
    seen: std::collections::HashSet<String>,
}

impl Parser for Notes {
    fn line(&mut self, line: &Line<'_>, _out: &mut Vec<Outcome>) {
        self.lines.push((line.place, line.text.to_owned()));
    }

    fn finish(&mut self, out: &mut Vec<Outcome>) {
        let lines = std::mem::take(&mut self.lines);
        self.read(&lines, out);
    }

    fn takes_unterminated(&self, _text: &str) -> bool {
        true
    }

    fn touched(&mut self, modified: Option<Millis>) {
        self.file.modified = modified;
    }

    fn scope(&self) -> Scope {
        self.scope.clone()
    }
}

impl Notes {
    fn read(&mut self, lines: &[(Place, String)], out: &mut Vec<Outcome>) {
        let texts: Vec<&str> = lines.iter().map(|(_, text)| text.as_str()).collect();
        let mut from = 0;
        if let Some(front) = front::front_matter(&texts) {
            from = front.lines;
            self.description = front.description;
            out.push(Outcome::Note("front matter"));
        }
        let separated = self.scope.agent == "hermes" && self.tag.is_some();
        if separated || texts[from..].iter().any(|line| line.trim() == SEPARATOR) {
            self.separated(&lines[from..], out);
        } else {
            for (index, (place, text)) in lines.iter().enumerate().skip(from) {
                let closes = |line: &&str| line.contains("-->");
                let commented = self.fence.is_none()
                    && text.trim_start().starts_with("<!--")
                    && texts[index..].iter().any(closes);
                self.comment |= commented;
                let line = Line {
                    text,
                    place: *place,
                };
                if self.comment {
                    self.comment_line(&line, out);
                } else {
                    self.text_line(&line, out);
                }
            }
            self.close(out);
        }
        if let Some(description) = self.description.clone().filter(|_| !self.described) {
            let place = lines.first().map(|(place, _)| *place).unwrap_or_default();
            self.headings.clear();
            self.description = None;
            self.entry = Some(Entry {
                place,
                text: description,
                bullet: false,
                blank: false,
            });
            self.close(out);
        }
    }

    /// A file whose entries are parted by lines of their own.
    fn separated(&mut self, lines: &[(Place, String)], out: &mut Vec<Outcome>) {
        for (place, text) in lines {
            let parts = self.fence.is_none() && text.trim() == SEPARATOR;
            if parts {
                self.close(out);
                continue;
            }
            match (&self.fence, Fence::opening(text.trim())) {
                (Some(fence), _) if fence.is_closed_by(text.trim()) => self.fence = None,
                (None, Some(fence)) => self.fence = Some(fence),
                _ => {}
            }
            if self.entry.is_some() || !text.trim().is_empty() {
                self.grow(&Line {
                    text,
                    place: *place,
                });
            }
        }
        self.close(out);
    }

    /// A line of a comment; what follows its end is text.
    fn comment_line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        let Some((_, rest)) = line.text.split_once("-->") else {
            return;
        };
        self.comment = false;
        out.push(Outcome::Note("comment left out"));
        if !rest.trim().is_empty() {
            self.text_line(
                &Line {
                    text: rest.trim_start(),
                    ..*line
                },
                out,
            );
        }
    }

    fn text_line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        let text = line.text;
        let trimmed = text.trim();
        if let Some(fence) = self.fence {
            self.grow(line);
            if fence.is_closed_by(trimmed) {
                self.fence = None;
            }
            return;
        }
        if trimmed.is_empty() {
            if let Some(entry) = &mut self.entry {
                entry.blank = true;
            }
            return;
        }
        let indented = text.starts_with("  ") || text.starts_with('\t');
        let fence = Fence::opening(trimmed);
        if let (None, false, Some((level, title))) = (fence, indented, heading(trimmed)) {
            self.close(out);
            self.headings.retain(|above| above.level < level);
            let at = self
                .date
                .and_then(|date| clock_heading(title, date, &self.file.zone));
            self.headings.push(Heading {
                level,
                text: title.to_owned(),
                at,
            });
            return;
        }
        let bullet = bullet_text(text);
        let continues = self.entry.as_ref().is_some_and(|entry| {
            let nested = entry.bullet && indented;
            nested
                || (!entry.blank && (bullet.is_none() || indented))
                || (fence.is_some() && !entry.blank)
        });
        if fence.is_none() && bullet.is_none() && self.is_import(trimmed) {
            self.close(out);
            return out.push(Outcome::Skip("import of another file".into()));
        }
        if continues {
            self.grow(line);
        } else {
            self.close(out);
            if is_rule(trimmed) {
                return;
            }
            self.entry = Some(Entry {
                place: line.place,
                text: bullet.unwrap_or(text).to_owned(),
                bullet: bullet.is_some(),
                blank: false,
            });
        }
        self.fence = fence;
    }

    /// Whether a line stands for another file's text: `@docs/style.md`. `@alice` is a name.
    fn is_import(&self, line: &str) -> bool {
        let Some(name) = line.strip_prefix('@').filter(|name| !name.contains(' ')) else {
            return false;
        };
        let lower = name.to_lowercase();
        let note = [".md", ".mdx", ".markdown"]
            .iter()
            .any(|ending| lower.ends_with(ending));
        let beside = self.file.path.parent().map(|folder| folder.join(name));
        !name.is_empty() && (note || beside.is_some_and(|path| path.is_file()))
    }

    fn grow(&mut self, line: &Line<'_>) {
        if let Some(entry) = &mut self.entry {
            if entry.blank {
                entry.text.push('\n');
                entry.blank = false;
            }
            entry.text.push('\n');
            entry.text.push_str(line.text.trim_end());
        } else {
            self.entry = Some(Entry {
                place: line.place,
                text: line.text.to_owned(),
                bullet: false,
                blank: false,
            });
        }
    }

    fn close(&mut self, out: &mut Vec<Outcome>) {
        let Some(entry) = self.entry.take() else {
            return;
        };
        let text = entry.text.trim();
        if text.is_empty() {
            return;
        }
        // A title that only repeats the file's name says nothing.
        let path: Vec<&str> = self
            .headings
            .iter()
            .map(|heading| heading.text.as_str())
            .filter(|title| !title.eq_ignore_ascii_case(&self.stem))
            .collect();
        let path = path.join(" › ");
        let file = self.file.path.to_string_lossy();
        let key = digest(&["markdown", &file, &path, text]);
        if !self.seen.insert(key.clone()) {
            return out.push(Outcome::Skip(reason::DUPLICATE.into()));
        }
        let about = if path.is_empty() {
            self.described |= self.description.is_some();
            self.description.clone()
        } else {
            Some(path)
        };
        let content = about.map_or_else(|| text.to_owned(), |about| format!("{about}\n{text}"));
        let mut memory = draft(self.scope.clone(), entry.place, &self.file.path, content);
        memory.role = Role::Memory;
        memory.kind = self.kind;
        let timed = self.headings.iter().rev().find_map(|heading| heading.at);
        memory.created_at = timed.or(self.at);
        memory.created_at_quality = if timed.is_some() {
            CreatedAtQuality::Record
        } else {
            self.quality
        };
        memory.source_key = key;
        memory.tags.extend(self.tag.clone());
        out.push(Outcome::Memory(Box::new(memory)));
    }
}

/// Level and title of `## Title`.
fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let title = line.get(level..)?;
    let title = title
        .strip_prefix([' ', '\t'])?
        .trim()
        .trim_end_matches('#')
        .trim_end();
    ((1..=6).contains(&level) && !title.is_empty()).then_some((level, title))
}

/// The text of a list item that is not nested.
fn bullet_text(line: &str) -> Option<&str> {
    let item = line.strip_prefix(' ').unwrap_or(line);
    for mark in ["- ", "* ", "+ "] {
        if let Some(text) = item.strip_prefix(mark) {
            return Some(text);
        }
    }
    let digits = item.bytes().take_while(u8::is_ascii_digit).count();
    let rest = item.get(digits..)?;
    if (1..=3).contains(&digits) {
        return rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "));
    }
    None
}

fn is_rule(line: &str) -> bool {
    line.len() >= 3
        && ['-', '*', '_', '=']
            .iter()
            .any(|mark| line.chars().all(|c| c == *mark || c == ' '))
}

/// `10:02` as a heading of a daily note.
fn clock_heading(title: &str, date: Date, zone: &jiff::tz::TimeZone) -> Option<Millis> {
    let time = title.split_whitespace().next()?;
    let (hour, minute) = time.split_once(':')?;
    let minute = minute.get(..2)?;
    let (hour, minute) = (hour.parse::<i8>().ok()?, minute.parse::<i8>().ok()?);
    let at = jiff::civil::DateTime::new(date.year(), date.month(), date.day(), hour, minute, 0, 0);
    time::local(at.ok()?, zone)
}
