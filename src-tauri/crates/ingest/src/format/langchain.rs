//! LangChain's messages as its histories save them, `{"type": "human", "data": {"content": …}}`, and
//! as its objects serialise themselves, `{"lc": 1, "id": […, "HumanMessage"], "kwargs": …}`: a list,
//! one a line, or the messages of a state. They carry no times.

use std::path::Path;

use memory::Role;
use serde_json::{Map, Value};

use super::conversation::{Conversation, Objects, Turn, rows, skip, text};
use super::{FileContext, Format, Framing, Head, Outcome, Parser, Place, content, reason};

/// See the module.
pub struct LangChain;

/// A message: who speaks, and the fields.
pub(super) fn message(object: &Map<String, Value>) -> Option<(&str, &Map<String, Value>)> {
    let (kind, fields) = if object.contains_key("lc") {
        let class = object.get("id")?.as_array()?.last()?.as_str()?;
        let class = class.strip_suffix("Chunk").unwrap_or(class);
        let kind = class.strip_suffix("Message")?;
        (kind, object.get("kwargs")?.as_object()?)
    } else {
        let kind = text(object, "type")?;
        let kind = kind.strip_suffix("MessageChunk").unwrap_or(kind);
        (kind, object.get("data")?.as_object()?)
    };
    let known = KINDS.iter().any(|known| kind.eq_ignore_ascii_case(known));
    (known && fields.contains_key("content")).then_some((kind, fields))
}

const KINDS: [&str; 8] = [
    "human",
    "ai",
    "system",
    "tool",
    "function",
    "chat",
    "developer",
    "remove",
];

/// The messages of a record: itself, the one in a row of a table, or those of a state.
fn messages(object: &Map<String, Value>) -> Vec<&Map<String, Value>> {
    let is = |object: &&Map<String, Value>| message(object).is_some();
    if let Some(one) = Some(object).filter(is) {
        return vec![one];
    }
    if let Some(one) = object.get("message").and_then(Value::as_object).filter(is) {
        return vec![one];
    }
    let around = ["values", "channel_values", "kwargs"]
        .iter()
        .find_map(|key| object.get(*key)?.as_object())
        .filter(|inner| inner.contains_key("messages"))
        .unwrap_or(object);
    let found = rows(around, "messages");
    if found.iter().filter(|object| is(object)).count() * 2 > found.len() {
        found
    } else {
        Vec::new()
    }
}

impl Format for LangChain {
    fn name(&self) -> &'static str {
        "langchain"
    }

    fn detect(&self, _path: &Path, head: &Head) -> u8 {
        let holds = |object: &Map<String, Value>| !messages(object).is_empty();
        // A first message may be longer than what is looked at.
        let long = head.document.as_ref().is_some_and(|document| {
            let begins = ["\"human\"", "\"ai\"", "\"system\""];
            document.list
                && document.objects.is_empty()
                && document.holds(&["\"data\"", "\"content\"", "\"type\""])
                && begins.iter().any(|kind| document.holds(&[kind]))
        });
        if long || head.one().is_some_and(holds) || head.share_of_records(holds) >= 0.5 {
            90
        } else {
            0
        }
    }

    fn framing(&self, head: &Head) -> Framing {
        head.cut()
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(History {
            stem: file.stem(),
            talk: Conversation::new("langchain", Some(file.stem()), file),
        })
    }
}

struct History {
    talk: Conversation,
    stem: String,
}

impl Objects for History {
    fn talk(&self) -> &Conversation {
        &self.talk
    }

    fn talk_mut(&mut self) -> &mut Conversation {
        &mut self.talk
    }

    fn object(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let session = ["session_id", "thread_id", "conversation_id"]
            .iter()
            .find_map(|key| text(object, key));
        self.talk.session = Some(session.unwrap_or(&self.stem).to_owned());
        let found = messages(object);
        if found.is_empty() {
            skip(out, reason::EMPTY);
        }
        for message in found {
            say(&mut self.talk, message, (place, false), out);
        }
    }
}

/// Takes a message into a conversation; `changes` where one with this name may come again.
pub(super) fn say(
    talk: &mut Conversation,
    object: &Map<String, Value>,
    (place, changes): (Place, bool),
    out: &mut Vec<Outcome>,
) {
    let Some((kind, fields)) = message(object) else {
        return skip(out, reason::PART);
    };
    let role = match kind.to_ascii_lowercase().as_str() {
        "human" => Role::User,
        "ai" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        // A chat message says its role in a word of its own.
        "chat" => match text(fields, "role") {
            Some("user" | "human") => Role::User,
            Some("assistant" | "ai" | "model") => Role::Assistant,
            Some("tool" | "function") => Role::Tool,
            _ => return skip(out, reason::INJECTED),
        },
        "remove" => return skip(out, reason::META),
        _ => return skip(out, reason::INJECTED),
    };
    let turn = Turn {
        role,
        id: text(fields, "id").filter(|id| !id.is_empty()),
        at: None,
        place,
        changes,
    };
    let content = fields.get("content").unwrap_or(&Value::Null);
    if role == Role::Tool {
        let (call, name) = (text(fields, "tool_call_id"), text(fields, "name"));
        return talk.answer(&turn, call, name, content, out);
    }
    let before = out.len();
    let flat = content::flat(content);
    if flat.words || flat.pictures {
        talk.message(&turn, content, out);
    }
    let mut called = rows(fields, "tool_calls");
    if called.is_empty()
        && let Some(more) = fields.get("additional_kwargs").and_then(Value::as_object)
    {
        called = rows(more, "tool_calls");
    }
    for call in called {
        let id = text(call, "id");
        // Those among the parts of the content were given with them.
        if id.is_some_and(|id| talk.knows_call(id)) {
            continue;
        }
        let function = call
            .get("function")
            .and_then(Value::as_object)
            .unwrap_or(call);
        let name = text(function, "name").unwrap_or("tool");
        let input = function.get("args").or_else(|| function.get("arguments"));
        talk.call(&turn, id, name, input.unwrap_or(&Value::Null), out);
    }
    if out.len() == before {
        skip(out, reason::EMPTY);
    }
}
