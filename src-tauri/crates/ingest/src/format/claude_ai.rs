//! Claude.ai's export: `conversations.json`, a list of conversations with their messages; or one
//! conversation, as browser extensions save it. Beside it, `memories.json` holds what the model was
//! given to remember, in all conversations and in those of a project.

use std::collections::HashSet;
use std::path::Path;

use memory::{Kind, Role};
use serde_json::{Map, Value};

use super::conversation::{Conversation, Objects, Turn, rows, skip, text};
use super::{FileContext, Format, Framing, Head, Outcome, Parser, Place, content, reason};

/// See the module.
pub struct ClaudeAi;

/// What tells a conversation of Claude.ai from others.
const KEYS: [&str; 2] = ["uuid", "chat_messages"];
/// What is remembered in all conversations, and by project.
const MEMORY: &str = "conversations_memory";
const OF_PROJECTS: &str = "project_memories";

impl Format for ClaudeAi {
    fn name(&self) -> &'static str {
        "claude-ai"
    }

    fn detect(&self, _path: &Path, head: &Head) -> u8 {
        let conversation = |object: &Map<String, Value>| {
            KEYS.iter().all(|key| object.contains_key(*key)) || object.contains_key(MEMORY)
        };
        // The first conversation may be longer than what is looked at.
        let opened = head.document.as_ref().is_some_and(|document| {
            document.list
                && document.objects.is_empty()
                && document.holds(&["\"chat_messages\"", "\"sender\""])
        });
        let one = head.is_one(&KEYS) || head.is_one(&[MEMORY]);
        if opened || one || head.share_of_records(conversation) >= 0.5 {
            95
        } else {
            0
        }
    }

    fn keeps(&self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| name == "memories.json")
    }

    fn framing(&self, head: &Head) -> Framing {
        head.cut()
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Export {
            talk: Conversation::new("claude-ai", None, file),
        })
    }
}

struct Export {
    talk: Conversation,
}

impl Objects for Export {
    fn talk(&self) -> &Conversation {
        &self.talk
    }

    fn talk_mut(&mut self) -> &mut Conversation {
        &mut self.talk
    }

    fn object(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        if object.contains_key(MEMORY) {
            self.remembered(object, place, out);
        } else {
            self.conversation(object, place, out);
        }
    }
}

impl Export {
    /// What was remembered is written anew with each export: its last text counts.
    fn remembered(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        self.talk.session = text(object, "account_uuid").map(str::to_owned);
        self.talk.last_time = None;
        let of_projects = object.get(OF_PROJECTS).and_then(Value::as_object);
        let projects = of_projects.into_iter().flatten();
        let all = text(object, MEMORY).map(|said| ("", said));
        let each = projects.filter_map(|(project, said)| Some((project.as_str(), said.as_str()?)));
        for (project, said) in all.into_iter().chain(each) {
            let id = format!("memory {project}");
            let turn = Turn {
                role: Role::Memory,
                id: Some(&id),
                at: None,
                place,
                changes: true,
            };
            project.clone_into(&mut self.talk.org);
            self.talk.give(&turn, Kind::Fact, said, out);
        }
        self.talk.org = String::new();
    }

    fn conversation(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        self.talk.session = text(object, "uuid").map(str::to_owned);
        self.talk.last_time = None;
        self.talk.time(object, "created_at", out);
        let summary = text(object, "summary").unwrap_or_default();
        if !summary.trim().is_empty() {
            let turn = Turn {
                role: Role::System,
                id: Some("summary"),
                at: self.talk.last_time,
                place,
                changes: true,
            };
            self.talk.give(&turn, Kind::Summary, summary, out);
        }
        let messages = rows(object, "chat_messages");
        if messages.is_empty() {
            return skip(out, reason::EMPTY);
        }
        let branch = branch(object, &messages);
        for message in messages {
            let own = text(message, "uuid").unwrap_or_default();
            if branch.as_ref().is_some_and(|branch| !branch.contains(own)) {
                skip(out, "on another branch");
                continue;
            }
            self.message(message, place, out);
        }
    }

    fn message(&mut self, message: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let at = self.talk.time(message, "created_at", out);
        let role = match text(message, "sender") {
            Some("human" | "user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => return skip(out, reason::INJECTED),
        };
        let turn = Turn {
            role,
            id: text(message, "uuid"),
            at,
            place,
            changes: false,
        };
        // The parts say more than the text, which older exports have alone.
        let parts = message.get("content").filter(|parts| {
            let flat = content::flat(parts);
            flat.words || flat.pictures
        });
        let words = text(message, "text").unwrap_or_default();
        let before = out.len();
        match parts {
            Some(parts) => self.talk.message(&turn, parts, out),
            None if !words.trim().is_empty() => self.talk.give(&turn, Kind::Text, words, out),
            None => {}
        }
        let list = |key: &str| {
            message
                .get(key)
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
        };
        for attached in list("attachments") {
            let words = attached.get("extracted_content").and_then(Value::as_str);
            match words.filter(|words| !words.trim().is_empty()) {
                Some(words) => {
                    let name = attached.get("file_name").and_then(Value::as_str);
                    let name = name.filter(|name| !name.is_empty()).unwrap_or("attachment");
                    let said = format!("{name}\n{words}");
                    let mut memory = self.talk.memory(&turn, Kind::Text, said);
                    memory.tags.push("attachment".to_owned());
                    self.talk.push(&turn, memory, out);
                }
                None => skip(out, FILE),
            }
        }
        for _ in list("files") {
            skip(out, FILE);
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }
}

/// Reason for a file that is named without what it holds.
const FILE: &str = "a file that the export only names";

/// The messages that lead to the last one that was shown, where the export names it.
fn branch<'a>(
    conversation: &'a Map<String, Value>,
    messages: &[&'a Map<String, Value>],
) -> Option<HashSet<&'a str>> {
    let mut next = text(conversation, "current_leaf_message_uuid")?;
    let parents: std::collections::HashMap<&str, &str> = messages
        .iter()
        .filter_map(|message| {
            let parent = text(message, "parent_message_uuid").unwrap_or_default();
            Some((text(message, "uuid")?, parent))
        })
        .collect();
    let mut branch = HashSet::new();
    while let Some(parent) = parents.get(next) {
        if !branch.insert(next) {
            break;
        }
        next = parent;
    }
    (!branch.is_empty()).then_some(branch)
}
