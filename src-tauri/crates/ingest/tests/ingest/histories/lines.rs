//! What is written: a line and the words that it says, known by the line and not by reading it.

use std::fmt::Write as _;

use serde_json::json;

/// One thing said. Few names and words, so that the same is said again and one name says other things.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    pub name: u8,
    pub words: u8,
    /// Of the other organisation, where a format has any.
    pub other: bool,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Said {
    pub org: String,
    pub text: String,
}

impl Said {
    pub fn of(org: &str, text: String) -> Self {
        Self {
            org: org.to_owned(),
            text,
        }
    }
}

impl Line {
    /// A line of a flat conversation. Its session is the file's, its name nothing.
    pub fn chat(self) -> (String, Said) {
        let org = if self.other { "north" } else { "" };
        let text = format!("chat {} about the harbour", self.words);
        let mut line = json!({"role": "user", "content": text});
        if self.other {
            line["org"] = json!(org);
        }
        (format!("{line}\n"), Said::of(org, text))
    }

    /// A line of an agent's transcript, named by an identity of its own.
    pub fn transcript(self) -> (String, Said) {
        let text = format!("told {} about the lighthouse", self.words);
        let line = json!({
            "type": "user", "sessionId": "5e55a000-0000-4000-8000-000000000001",
            "uuid": format!("00000000-0000-4000-8000-{:012}", self.name),
            "timestamp": format!("2026-08-01T10:{:02}:00.000Z", self.name),
            "message": {"role": "user", "content": text},
        });
        (format!("{line}\n"), Said::of("", text))
    }

    /// An entry of a plain log, of one line to three.
    pub fn entry(self) -> (String, Said) {
        let mut text = format!(
            "2026-08-01 10:{0:02}:00 ERROR entry {0} of the pump",
            self.words
        );
        for below in 0..self.words % 3 {
            let _ = write!(text, "\n  at pump.c:{below}{0} in entry {0}", self.words);
        }
        (format!("{text}\n"), Said::of("", text))
    }
}

/// An entry of a note.
pub fn rule(number: u8) -> (String, Said) {
    let text = format!("rule {number} of the house");
    (format!("- {text}\n"), Said::of("", text))
}

/// An entity of a graph with one observation.
pub fn observation(number: u8) -> (String, Said) {
    let name = format!("depot {number}");
    let line = json!({"type": "entity", "name": name, "entityType": "place",
        "observations": [format!("opens at {number}")]});
    (
        format!("{line}\n"),
        Said::of("", format!("{name}: opens at {number}")),
    )
}
