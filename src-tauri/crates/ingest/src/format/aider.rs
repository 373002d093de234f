//! Aider's `.aider.chat.history.md`: sessions under `# aider chat started at …` (local time), the
//! person's lines as `#### `, the program's as `> `, everything else the model's. Only the exact
//! header begins a session: an answer may hold headings of its own.

use std::path::Path;

use memory::{Kind, Millis, Role, Scope};

use super::{
    FileContext, Format, Head, Line, Outcome, Parser, Place, digest, draft, moment, reason,
};
use crate::time;
use crate::unpack::unpacked_name;

/// See the module.
pub struct Aider;

const HEADER: &str = "# aider chat started at ";

impl Format for Aider {
    fn name(&self) -> &'static str {
        "aider"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        let named = path
            .file_name()
            .is_some_and(|name| name == ".aider.chat.history.md");
        let headed = head
            .lines
            .iter()
            .take(5)
            .any(|line| line.starts_with(HEADER));
        if named || headed { 95 } else { 0 }
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(History {
            file: file.clone(),
            session: None,
            started: None,
            open: None,
            breaks: false,
            blank_before: true,
        })
    }
}

struct Turn {
    place: Place,
    role: Role,
    text: String,
    given: Option<usize>,
}

struct History {
    file: FileContext,
    session: Option<String>,
    started: Option<Millis>,
    open: Option<Turn>,
    /// The program's lines end in two blanks, as Markdown breaks lines, unless an editor took those
    /// away from the whole file.
    breaks: bool,
    blank_before: bool,
}

impl Parser for History {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        if let Some(started) = line.text.strip_prefix(HEADER) {
            self.close(out);
            let started = started.trim();
            self.started = time::from_text(started, &self.file.zone);
            self.session = Some(started.to_owned());
            return;
        }
        let role = self.role_of(line.text);
        let said = match role {
            Role::User => line.text.trim_start_matches("#### ").trim_end(),
            Role::System => line.text.trim_start_matches("> ").trim_end(),
            _ => line.text,
        };
        self.blank_before = line.text.trim().is_empty();
        match &mut self.open {
            Some(turn) if turn.role == role => {
                turn.text.push('\n');
                turn.text.push_str(said);
            }
            // Blank lines part the turns; inside an answer they belong to it.
            _ if line.text.trim().is_empty() => {}
            _ => {
                self.close(out);
                self.open = Some(Turn {
                    place: line.place,
                    role,
                    text: said.to_owned(),
                    given: None,
                });
            }
        }
    }

    fn finish(&mut self, out: &mut Vec<Outcome>) {
        self.give(out);
    }

    fn still_open(&self) -> Option<Place> {
        self.open.as_ref().map(|turn| turn.place)
    }

    fn takes_half(&self, text: &str) -> bool {
        // Of a heading or a notice it is not known yet which one it is.
        !text.trim_start().starts_with(['#', '>'])
    }

    fn keeps_open(&self) -> bool {
        true
    }

    fn settle(&mut self) {
        self.open = None;
    }

    fn touched(&mut self, modified: Option<Millis>) {
        self.file.modified = modified;
    }

    fn scope(&self) -> Scope {
        let folder = unpacked_name(&self.file.path)
            .parent()
            .map(|folder| folder.to_string_lossy().into_owned());
        Scope {
            org: folder.unwrap_or_default(),
            agent: "aider".to_owned(),
            session: self.session.clone(),
        }
    }
}

impl History {
    /// Who speaks in a line. Inside an answer only the program's own form, behind a blank line,
    /// ends it: an answer may hold quotations and headings.
    fn role_of(&mut self, line: &str) -> Role {
        let role = if line.starts_with("#### ") {
            Role::User
        } else if line.starts_with("> ") {
            Role::System
        } else {
            return Role::Assistant;
        };
        let broken = line.ends_with("  ");
        let answering = self
            .open
            .as_ref()
            .is_some_and(|turn| turn.role == Role::Assistant);
        if answering && (!self.blank_before || (self.breaks && !broken)) {
            return Role::Assistant;
        }
        self.breaks |= broken;
        role
    }

    fn close(&mut self, out: &mut Vec<Outcome>) {
        self.give(out);
        self.open = None;
    }

    fn give(&mut self, out: &mut Vec<Outcome>) {
        let scope = self.scope();
        let Some(turn) = &mut self.open else {
            return;
        };
        let said = turn.text.trim_end();
        let before = turn.given.replace(said.len());
        if before == Some(said.len()) {
            return;
        }
        if said.trim().is_empty() {
            if before.is_none() {
                out.push(Outcome::Skip(reason::EMPTY.into()));
            }
            return;
        }
        let session = scope.session.clone().unwrap_or_default();
        // A rewritten history can hold another turn at the same place; a turn only grows behind its
        // first line.
        let first = digest(&[turn.text.lines().next().unwrap_or_default()]);
        let key = format!(
            "{}/{session}@{}:{}",
            scope.org,
            turn.place.offset,
            &first[..16]
        );
        let mut memory = draft(scope, turn.place, &self.file.path, said.to_owned());
        memory.role = turn.role;
        memory.kind = if turn.role == Role::System {
            Kind::Event
        } else {
            Kind::Text
        };
        // The session's beginning is the only time there is.
        (memory.created_at, memory.created_at_quality) =
            moment(None, self.started, self.file.modified);
        memory.source_key = key;
        out.push(match before {
            None => Outcome::Memory(Box::new(memory)),
            Some(_) => Outcome::Grown(Box::new(memory)),
        });
    }
}
