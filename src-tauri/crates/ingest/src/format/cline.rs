//! Tasks of Cline and of what came from it, Roo Code and Kilo Code: `tasks/<id>/api_conversation_history.json`, what was sent to the
//! model, and `ui_messages.json`, what was shown; and the sessions of Cline's newer store,
//! `sessions/<id>/<id>.messages.json`.
//!
//! What was shown has times and a person's words as they were typed; what was sent has the tools'
//! calls and answers whole. Both are read: words that stand in both are one memory, and of tools
//! only what was sent counts where it is there.

mod sent;
mod shown;

use std::path::Path;

use serde_json::{Map, Value};

use super::conversation::{Conversation, Objects, text};
use super::{FileContext, Format, Framing, Head, Outcome, Parser, Place};
use crate::time;
use shown::Shown;

/// See the module.
pub struct Cline;

const SENT: &str = "api_conversation_history.json";
const SHOWN: &str = "ui_messages.json";
const STORED: &str = ".messages.json";

fn is_shown(object: &Map<String, Value>) -> bool {
    let kind = text(object, "type").filter(|kind| matches!(*kind, "ask" | "say"));
    kind.is_some_and(|kind| object.contains_key(kind)) && object.contains_key("ts")
}

fn is_sent(object: &Map<String, Value>) -> bool {
    matches!(text(object, "role"), Some("user" | "assistant")) && object.contains_key("content")
        || text(object, "type") == Some("reasoning")
}

fn named(path: &Path, ending: &str) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().ends_with(ending))
}

impl Format for Cline {
    fn name(&self) -> &'static str {
        "cline"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        let share = |test: fn(&Map<String, Value>) -> bool| match &head.document {
            Some(document) if document.list => document.share(test),
            _ => 0.0,
        };
        // A first message may be longer than what is looked at; the name is enough then.
        let long = head
            .document
            .as_ref()
            .is_some_and(|document| document.list && document.objects.is_empty());
        if share(is_shown) >= 0.5 || named(path, SHOWN) && long {
            return 95;
        }
        let sent = share(is_sent) >= 0.5 || long;
        let stored = head.is_one(&["sessionId", "messages"]) && named(path, STORED);
        if named(path, SENT) && sent || stored {
            92
        } else {
            0
        }
    }

    fn keeps(&self, path: &Path) -> bool {
        [SENT, SHOWN, STORED].iter().any(|name| named(path, name))
    }

    fn framing(&self, head: &Head) -> Framing {
        head.cut()
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        let folder = file.path.parent().unwrap_or(Path::new(""));
        let task = folder
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let within = |name: &str| {
            let mut parts = file.path.components();
            parts.any(|part| part.as_os_str().to_string_lossy().contains(name))
        };
        let agent = match () {
            () if within("roo-cline") || within("roo-code") => "roo-code",
            () if within("kilo-code") => "kilo-code",
            () => "cline",
        };
        let mut talk = Conversation::new(agent, task, file);
        // Cline names a task by when it began.
        talk.last_time = talk
            .session
            .as_deref()
            .filter(|name| name.len() == 13)
            .and_then(|name| time::from_text(name, &file.zone));
        Box::new(Task {
            talk,
            begun: false,
            sent_beside: folder.join(SENT).exists(),
            shown_beside: if named(&file.path, SENT) {
                Shown::of(&folder.join(SHOWN))
            } else {
                None
            },
        })
    }
}

struct Task {
    talk: Conversation,
    /// Something was said.
    begun: bool,
    /// What was sent to the model lies beside this file.
    sent_beside: bool,
    /// What was shown, for what was sent: it carries no times, and not only the person's words.
    shown_beside: Option<Shown>,
}

impl Objects for Task {
    fn talk(&self) -> &Conversation {
        &self.talk
    }

    fn talk_mut(&mut self) -> &mut Conversation {
        &mut self.talk
    }

    fn object(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        if let Some(messages) = object.get("messages").and_then(Value::as_array) {
            if let Some(session) = text(object, "sessionId") {
                self.talk.session = Some(session.to_owned());
            }
            self.talk.subagent = text(object, "agent").is_some_and(|agent| agent != "lead");
            for message in messages.iter().filter_map(Value::as_object) {
                self.sent(message, place, out);
            }
        } else if is_shown(object) {
            self.shown(object, place, out);
        } else {
            self.sent(object, place, out);
        }
    }
}
