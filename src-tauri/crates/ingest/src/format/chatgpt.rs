//! ChatGPT's export: `conversations.json`, or `conversations-000.json` and so on, each a list of
//! conversations. A conversation is a tree; what counts is the branch that leads to its current
//! node.

use std::path::Path;

use memory::{Kind, Millis, NewMemory, Role, Scope};
use serde_json::{Map, Value};

use super::{
    FileContext, Format, Framing, Head, Line, Outcome, Parser, Place, content, digest, draft, json,
    moment, reason,
};
use crate::time;

/// See the module.
pub struct ChatGpt;

/// Turns of a branch that are followed; a longer way is a ring.
const LONGEST: usize = 100_000;

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

impl Format for ChatGpt {
    fn name(&self) -> &'static str {
        "chatgpt"
    }

    fn detect(&self, _path: &Path, head: &Head) -> u8 {
        let Some(document) = &head.document else {
            return 0;
        };
        let whole = document.share(|object| object.contains_key("mapping")) >= 0.5;
        // The first conversation may be longer than what is looked at.
        let opened = document.objects.is_empty()
            && document.holds(&["\"mapping\"", "\"parent\"", "\"children\""]);
        if document.list && (whole || opened) {
            95
        } else {
            0
        }
    }

    fn framing(&self, _head: &Head) -> Framing {
        Framing::Values
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Export {
            file: file.clone(),
            session: None,
        })
    }
}

struct Export {
    file: FileContext,
    session: Option<String>,
}

fn skip(out: &mut Vec<Outcome>, reason: &'static str) {
    out.push(Outcome::Skip(reason.into()));
}

impl Parser for Export {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        for object in json::objects(line, out) {
            self.conversation(&object, line.place, out);
        }
    }

    fn touched(&mut self, modified: Option<Millis>) {
        self.file.modified = modified;
    }

    fn scope(&self) -> Scope {
        Scope {
            org: String::new(),
            agent: "chatgpt".to_owned(),
            session: self.session.clone(),
        }
    }
}

impl Export {
    fn conversation(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        self.session = text(object, "conversation_id")
            .or_else(|| text(object, "id"))
            .map(str::to_owned);
        let began = object
            .get("create_time")
            .and_then(|value| time::from_json(value, &self.file.zone));
        let Some(nodes) = object.get("mapping").and_then(Value::as_object) else {
            return skip(out, reason::EMPTY);
        };
        let mut branch: Vec<&str> = Vec::new();
        let mut next = text(object, "current_node");
        while let Some(id) = next.filter(|_| branch.len() < LONGEST) {
            branch.push(id);
            next = nodes
                .get(id)
                .and_then(|node| node.get("parent"))
                .and_then(Value::as_str);
        }
        branch.reverse();
        // Without a current node nothing tells the branches apart, so all of them are read.
        let all: Vec<&str> = nodes.keys().map(String::as_str).collect();
        let followed = if branch.iter().any(|id| nodes.contains_key(*id)) {
            branch
        } else {
            all
        };
        let on_it: std::collections::HashSet<&str> = followed.iter().copied().collect();
        let mut last = began;
        for id in &followed {
            if let Some(message) = message_of(nodes.get(*id)) {
                self.message(message, place, &mut last, out);
            }
        }
        for (id, node) in nodes {
            if !on_it.contains(id.as_str()) && message_of(Some(node)).is_some() {
                skip(out, "on another branch");
            }
        }
    }

    fn message(
        &self,
        message: &Map<String, Value>,
        place: Place,
        last: &mut Option<Millis>,
        out: &mut Vec<Outcome>,
    ) {
        let own = message
            .get("create_time")
            .and_then(|value| time::from_json(value, &self.file.zone));
        *last = own.or(*last);
        let field = |path: &str| message.get("metadata").and_then(|data| data.get(path));
        if field("is_visually_hidden_from_conversation") == Some(&Value::Bool(true)) {
            return skip(out, reason::META);
        }
        let author = message.get("author").and_then(Value::as_object);
        let name = author.and_then(|author| text(author, "name"));
        let role = match author.and_then(|author| text(author, "role")) {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("tool") => Role::Tool,
            _ => return skip(out, reason::INJECTED),
        };
        let Some(value) = message.get("content") else {
            return skip(out, reason::EMPTY);
        };
        let (said, pictures, thinking) = said(value, out);
        if said.trim().is_empty() {
            return skip(
                out,
                if pictures {
                    reason::IMAGE
                } else {
                    reason::EMPTY
                },
            );
        }
        let recipient = text(message, "recipient").filter(|to| !matches!(*to, "all" | ""));
        let mut memory: NewMemory = draft(self.scope(), place, &self.file.path, said);
        (memory.created_at, memory.created_at_quality) = moment(own, *last, self.file.modified);
        memory.role = role;
        memory.kind = match (role, recipient) {
            (Role::Tool, _) => Kind::ToolResult,
            (Role::Assistant, Some(_)) => Kind::ToolCall,
            _ if thinking => Kind::Thinking,
            _ => Kind::Text,
        };
        memory.tool_name = match memory.kind {
            Kind::ToolResult => name.map(str::to_owned),
            Kind::ToolCall => recipient.map(str::to_owned),
            _ => None,
        };
        if pictures {
            memory.tags.push("image".to_owned());
        }
        let words = digest(&[&memory.content]);
        let id = text(message, "id").unwrap_or_default();
        let session = self.session.as_deref().unwrap_or_default();
        memory.source_key = format!("{session}/{id}:{}", &words[..16]);
        out.push(Outcome::Memory(Box::new(memory)));
    }
}

fn message_of(node: Option<&Value>) -> Option<&Map<String, Value>> {
    node?.get("message")?.as_object()
}

/// The text of a content object, whether it holds pictures, and whether it is reasoning.
fn said(content: &Value, out: &mut Vec<Outcome>) -> (String, bool, bool) {
    let kind = content.get("content_type").and_then(Value::as_str);
    let field = |key: &str| content.get(key).and_then(Value::as_str).unwrap_or_default();
    match kind.unwrap_or_default() {
        "thoughts" => {
            let thoughts = content.get("thoughts").and_then(Value::as_array);
            let texts: Vec<String> = thoughts
                .into_iter()
                .flatten()
                .map(|thought| {
                    let part =
                        |key: &str| thought.get(key).and_then(Value::as_str).unwrap_or_default();
                    format!("{}\n{}", part("summary"), part("content"))
                        .trim()
                        .to_owned()
                })
                .collect();
            (texts.join("\n"), false, true)
        }
        "reasoning_recap" => (field("content").to_owned(), false, true),
        "user_editable_context" => {
            out.push(Outcome::Note(reason::INJECTED));
            (String::new(), false, false)
        }
        "tether_quote" => {
            let parts = [field("title"), field("url"), field("text")];
            (parts.join("\n").trim().to_owned(), false, false)
        }
        "tether_browsing_display" => (field("result").to_owned(), false, false),
        _ => {
            let flat = content::flat(content);
            let pictures = flat.pictures;
            (flat.counted(out), pictures, false)
        }
    }
}
