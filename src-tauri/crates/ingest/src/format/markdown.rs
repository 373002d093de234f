//! Markdown memory files: CLAUDE.md, MEMORY.md, AGENTS.md, daily notes and other notes.
//!
//! Each bullet (with what is nested below it) and each paragraph is one memory; the headings above
//! it stand before its text, since a bullet alone often doesn't say what it is about. The key is
//! made of path, headings and text, so that an entry keeps its memory while others come and go, and
//! a changed entry is a new one. Entries that are gone from a rewritten file are put into the trash
//! by the intake, unless a person edited or pinned them.

use std::path::Path;

use jiff::civil::Date;
use memory::{CreatedAtQuality, Kind, Millis, Role, Scope};

use super::{FileContext, Format, Head, Line, Outcome, Parser, Place, digest, draft, reason};
use crate::time;

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
            scope: scope_of(&file.path),
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
            headings: Vec::new(),
            entry: None,
            front: Front::Possible,
            description: None,
            fence: None,
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

#[derive(PartialEq, Eq)]
enum Front {
    Possible,
    Inside,
    Over,
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
    headings: Vec<Heading>,
    entry: Option<Entry>,
    front: Front,
    description: Option<String>,
    fence: Option<&'static str>,
    seen: std::collections::HashSet<String>,
}

impl Parser for Notes {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        let text = line.text;
        let trimmed = text.trim();
        if self.front != Front::Over && self.front_matter(trimmed) {
            return;
        }
        if let Some(mark) = self.fence {
            self.grow(line);
            if trimmed.starts_with(mark) {
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
        let fence = ["```", "~~~"]
            .into_iter()
            .find(|mark| trimmed.starts_with(mark));
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
        // `@docs/style.md` stands for another file's text, wherever it follows.
        if fence.is_none() && bullet.is_none() && trimmed.starts_with('@') && !trimmed.contains(' ')
        {
            self.close(out);
            return out.push(Outcome::Skip("import of another file".into()));
        }
        if continues {
            self.grow(line);
        } else {
            self.close(out);
            if is_rule(trimmed) || (trimmed.starts_with("<!--") && trimmed.ends_with("-->")) {
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

    fn finish(&mut self, out: &mut Vec<Outcome>) {
        self.close(out);
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
    /// True while the line belongs to the YAML block at the top.
    fn front_matter(&mut self, line: &str) -> bool {
        match self.front {
            Front::Possible if line == "---" => self.front = Front::Inside,
            Front::Possible => {
                if !line.is_empty() {
                    self.front = Front::Over;
                }
                return line.is_empty();
            }
            Front::Inside if line == "---" => self.front = Front::Over,
            Front::Inside => {
                if let Some(text) = line.strip_prefix("description:") {
                    let text = text.trim().trim_matches(['"', '\'']);
                    self.description = (!text.is_empty()).then(|| text.to_owned());
                }
            }
            Front::Over => return false,
        }
        true
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
