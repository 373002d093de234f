//! Generic JSONL: any records with something like a role, a text and a time.
//!
//! Which key is which is looked up per record in the order of the lists below, and what was found
//! is reported as the mapping. A line may also be a whole conversation, `{"messages": […]}`.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use memory::{CreatedAtQuality, Kind, Millis, NewMemory, Role, Scope};
use serde_json::{Map, Value};

use super::{
    FileContext, Format, Head, Line, Occurrences, Outcome, Parser, Place, digest, draft, json,
    moment, reason,
};
use crate::time;

/// See the module.
pub struct Jsonl;

const ROLE: [&str; 9] = [
    "role",
    "speaker",
    "author",
    "from",
    "sender",
    "actor",
    "source",
    "user_type",
    "type",
];
const TEXT: [&str; 13] = [
    "content",
    "text",
    "message",
    "msg",
    "body",
    "value",
    "utterance",
    "prompt",
    "output",
    "result",
    "summary",
    "log",
    "event",
];
const TIME: [&str; 13] = [
    "timestamp",
    "ts",
    "time",
    "created_at",
    "createdAt",
    "create_time",
    "created",
    "datetime",
    "date",
    "@timestamp",
    "asctime",
    "sent_at",
    "updated_at",
];
const ID: [&str; 6] = ["id", "uuid", "message_id", "messageId", "event_id", "_id"];
const SESSION: [&str; 10] = [
    "session",
    "session_id",
    "sessionId",
    "conversation",
    "conversation_id",
    "conversationId",
    "thread",
    "thread_id",
    "chat_id",
    "run_id",
];
const AGENT: [&str; 5] = ["agent", "agent_id", "agent_name", "assistant_name", "app"];
const ORG: [&str; 6] = [
    "org",
    "org_id",
    "organization",
    "project",
    "workspace",
    "tenant",
];
const TOOL: [&str; 5] = ["tool_name", "tool", "function_name", "toolName", "name"];
const PAYLOAD: [&str; 6] = [
    "tool_payload",
    "tool_input",
    "arguments",
    "args",
    "input",
    "parameters",
];
const LEVEL: [&str; 3] = ["level", "severity", "levelname"];
const KIND: [&str; 2] = ["kind", "type"];

impl Format for Jsonl {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        let readable = head.share(|object| {
            object.get("messages").is_some_and(Value::is_array)
                || found(object, &TEXT, is_text).is_some()
        });
        let ending = path
            .extension()
            .map(|ending| ending.to_string_lossy().to_lowercase());
        let named = matches!(ending.as_deref(), Some("jsonl" | "ndjson"));
        match (readable > 0.0, named) {
            (true, true) => 40,
            (true, false) if readable >= 0.5 => 30,
            // Lines that are torn or not yet whole: every one of them is reported.
            (_, true)
                if head
                    .lines
                    .iter()
                    .any(|line| line.trim_start().starts_with('{')) =>
            {
                5
            }
            _ => 0,
        }
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Records {
            stem: file.stem(),
            file: file.clone(),
            occurrences: Occurrences::default(),
            tools: HashMap::new(),
            last_time: None,
            mapping: BTreeMap::new(),
        })
    }
}

fn is_text(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(parts) => parts
            .iter()
            .any(|part| part.is_string() || part.is_object()),
        Value::Object(object) => ["content", "text", "parts"]
            .iter()
            .any(|key| object.get(*key).is_some_and(is_text)),
        _ => false,
    }
}

/// The first key of the list that is there and passes.
fn found<'a>(
    object: &'a Map<String, Value>,
    keys: &[&'static str],
    test: impl Fn(&Value) -> bool,
) -> Option<(&'static str, &'a Value)> {
    keys.iter().find_map(|key| {
        object
            .get(*key)
            .filter(|value| test(value))
            .map(|value| (*key, value))
    })
}

/// A string or a number as text.
fn scalar(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) if !text.trim().is_empty() && text.len() <= 200 => Some(text.into()),
        Value::Number(number) => Some(number.to_string().into()),
        _ => None,
    }
}

/// The role that a word stands for.
fn role_of(word: &str) -> Option<Role> {
    match word.to_ascii_lowercase().as_str() {
        "user" | "human" | "customer" | "client" | "person" | "prompter" => Some(Role::User),
        "assistant" | "ai" | "bot" | "agent" | "model" | "gpt" | "chatgpt" | "claude" | "llm" => {
            Some(Role::Assistant)
        }
        "system" | "developer" => Some(Role::System),
        "tool" | "function" | "tool_result" | "toolresult" | "observation" | "environment"
        | "ipython" => Some(Role::Tool),
        "memory" | "note" => Some(Role::Memory),
        _ => None,
    }
}

struct Records {
    file: FileContext,
    stem: String,
    occurrences: Occurrences,
    /// Names of tools by the id of their call, for the answers of the same conversation.
    tools: HashMap<String, String>,
    last_time: Option<Millis>,
    mapping: BTreeMap<&'static str, &'static str>,
}

impl Parser for Records {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        for object in json::objects(line, out) {
            self.record(&object, line.place, out);
        }
    }

    fn takes_unterminated(&self, text: &str) -> bool {
        json::is_whole_object(text)
    }

    fn touched(&mut self, modified: Option<Millis>) {
        self.file.modified = modified;
    }

    fn scope(&self) -> Scope {
        Scope {
            org: String::new(),
            agent: "jsonl".to_owned(),
            session: Some(self.stem.clone()),
        }
    }

    fn mapping(&self) -> Option<String> {
        let pairs: Vec<String> = self
            .mapping
            .iter()
            .map(|(what, key)| format!("{what} ← {key}"))
            .collect();
        (!pairs.is_empty()).then(|| pairs.join(", "))
    }
}

impl Records {
    fn record(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        if let Some(messages) = object.get("messages").and_then(Value::as_array) {
            self.mapping.insert("conversation", "messages");
            let session = found(object, &SESSION, |value| scalar(value).is_some())
                .or_else(|| found(object, &ID, |value| scalar(value).is_some()))
                .and_then(|(_, value)| scalar(value))
                .map_or_else(|| format!("{}:{}", self.stem, place.line), Cow::into_owned);
            let before = out.len();
            for message in messages.iter().filter_map(Value::as_object) {
                self.one(message, object, Some(&session), place, out);
            }
            if out.len() == before {
                out.push(Outcome::Skip(reason::EMPTY.into()));
            }
            return;
        }
        // {"message": {"role": …, "content": …}, "timestamp": …}
        let inner = object
            .get("message")
            .and_then(Value::as_object)
            .filter(|inner| {
                found(inner, &TEXT, is_text).is_some() || inner.contains_key("tool_calls")
            });
        self.one(inner.unwrap_or(object), object, None, place, out);
    }

    /// The value under the first of the keys, in the record itself or in what is around it.
    fn value(
        &mut self,
        what: &'static str,
        keys: &[&'static str],
        record: &Map<String, Value>,
        around: &Map<String, Value>,
    ) -> Option<String> {
        let test = |value: &Value| scalar(value).is_some();
        let (key, value) = found(record, keys, test).or_else(|| found(around, keys, test))?;
        self.mapping.entry(what).or_insert(key);
        scalar(value).map(Cow::into_owned)
    }

    fn one(
        &mut self,
        record: &Map<String, Value>,
        around: &Map<String, Value>,
        conversation: Option<&str>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let zone = self.file.zone.clone();
        let timed = |value: &Value| time::from_json(value, &zone).is_some();
        let stamp = found(record, &TIME, timed).or_else(|| found(around, &TIME, timed));
        let record_time = stamp.and_then(|(key, value)| {
            self.mapping.entry("time").or_insert(key);
            time::from_json(value, &zone)
        });
        self.last_time = record_time.or(self.last_time);
        let (at, quality) = moment(record_time, self.last_time, self.file.modified);
        let (role, speaker) = self.role(record, around);
        let role_known = role.is_some();
        let level = self.value("level", &LEVEL, record, around);
        let role = role.unwrap_or(match (&level, &speaker) {
            (Some(_), _) => Role::System,
            (None, Some(_)) => Role::User,
            (None, None) => Role::Memory,
        });
        let session = match conversation {
            Some(session) => session.to_owned(),
            None => self
                .value("session", &SESSION, record, around)
                .unwrap_or_else(|| self.stem.clone()),
        };
        let scope = Scope {
            org: self.value("org", &ORG, record, around).unwrap_or_default(),
            agent: self
                .value("agent", &AGENT, record, around)
                .unwrap_or_else(|| "jsonl".to_owned()),
            session: Some(session.clone()),
        };
        let id = match conversation {
            Some(_) => None,
            None => self.value("id", &ID, record, around),
        };
        let text_key = found(record, &TEXT, is_text);
        let (content, pictures) = text_key.map_or_else(Default::default, |(key, value)| {
            self.mapping.entry("text").or_insert(key);
            json::content_text(value)
        });
        let before = out.len();
        if content.trim().is_empty() {
            if pictures {
                out.push(Outcome::Skip(reason::IMAGE.into()));
            }
        } else {
            let mut memory = draft(scope.clone(), place, &self.file.path, content);
            (memory.created_at, memory.created_at_quality) = (at, quality);
            memory.role = role;
            memory.kind = kind_of(record, role, level.is_some() && !role_known);
            self.tool(&mut memory, record, around);
            memory.tags.extend(speaker);
            memory.tags.extend(
                level.and_then(|level| match level.to_ascii_lowercase().as_str() {
                    "error" | "fatal" | "critical" | "panic" => Some("error".to_owned()),
                    "warn" | "warning" => Some("warning".to_owned()),
                    _ => None,
                }),
            );
            if pictures {
                memory.tags.push("image".to_owned());
            }
            memory.source_key = self.key(&session, id.as_deref(), &memory, record_time);
            out.push(Outcome::Memory(Box::new(memory)));
        }
        self.calls(record, &scope, place, (at, quality), &session, out);
        if out.len() == before {
            out.push(Outcome::Skip(reason::EMPTY.into()));
        }
    }

    fn role(
        &mut self,
        record: &Map<String, Value>,
        around: &Map<String, Value>,
    ) -> (Option<Role>, Option<String>) {
        let mut speaker = None;
        for key in ROLE {
            let Some(value) = record.get(key).or_else(|| around.get(key)) else {
                continue;
            };
            let named = value
                .get("role")
                .or_else(|| value.get("name"))
                .unwrap_or(value);
            let Some(word) = named.as_str().filter(|word| !word.trim().is_empty()) else {
                continue;
            };
            if let Some(role) = role_of(word.trim()) {
                self.mapping.entry("role").or_insert(key);
                return (Some(role), speaker);
            }
            // Somebody's name: a person spoke, and the name is worth keeping.
            if speaker.is_none()
                && matches!(key, "role" | "speaker" | "author" | "from" | "sender")
                && word.len() <= 60
            {
                self.mapping.entry("role").or_insert(key);
                speaker = Some(word.trim().to_owned());
            }
        }
        (None, speaker)
    }

    fn tool(
        &mut self,
        memory: &mut NewMemory,
        record: &Map<String, Value>,
        around: &Map<String, Value>,
    ) {
        let call = record
            .get("tool_call_id")
            .and_then(Value::as_str)
            .and_then(|id| self.tools.get(id).cloned());
        let about_tools = matches!(memory.kind, Kind::ToolCall | Kind::ToolResult);
        let explicit = found(record, &TOOL[..4], |value| scalar(value).is_some());
        if !about_tools && explicit.is_none() {
            return;
        }
        memory.tool_name = call.or_else(|| self.value("tool", &TOOL, record, around));
        memory.tool_payload =
            found(record, &PAYLOAD, |value| !value.is_null()).map(|(key, value)| {
                self.mapping.entry("payload").or_insert(key);
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            });
    }

    /// OpenAI's `tool_calls` of an assistant's message.
    fn calls(
        &mut self,
        record: &Map<String, Value>,
        scope: &Scope,
        place: Place,
        (at, quality): (Option<Millis>, CreatedAtQuality),
        session: &str,
        out: &mut Vec<Outcome>,
    ) {
        let calls = record.get("tool_calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            let function = call.get("function").unwrap_or(call);
            let Some(name) = function.get("name").and_then(Value::as_str) else {
                continue;
            };
            if let Some(id) = call.get("id").and_then(Value::as_str) {
                self.tools.insert(id.to_owned(), name.to_owned());
            }
            let arguments = function.get("arguments").or_else(|| function.get("args"));
            let payload = arguments.map(|value| {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            });
            let parsed = payload
                .as_deref()
                .and_then(|payload| serde_json::from_str::<Value>(payload).ok())
                .unwrap_or(Value::Null);
            let content = json::call_line(name, &parsed);
            let mut memory = draft(scope.clone(), place, &self.file.path, content);
            (memory.created_at, memory.created_at_quality) = (at, quality);
            (memory.role, memory.kind) = (Role::Assistant, Kind::ToolCall);
            memory.tool_name = Some(name.to_owned());
            memory.tool_payload = payload;
            let id = call.get("id").and_then(Value::as_str);
            // A time that is not the record's own could be another one when the file is read again.
            let own = at.filter(|_| quality == CreatedAtQuality::Record);
            memory.source_key = self.key(session, id, &memory, own);
            out.push(Outcome::Memory(Box::new(memory)));
        }
    }

    /// Session, id and content; without an id the time as well, and which of equal records it is.
    fn key(
        &mut self,
        session: &str,
        id: Option<&str>,
        memory: &NewMemory,
        at: Option<Millis>,
    ) -> String {
        let payload = memory.tool_payload.as_deref().unwrap_or_default();
        let role = memory.role.as_str();
        if let Some(id) = id {
            return digest(&["jsonl", session, id, role, &memory.content, payload]);
        }
        let at = at.map(|at| at.to_string()).unwrap_or_default();
        let digest = digest(&["jsonl", session, &at, role, &memory.content, payload]);
        self.occurrences.key(digest)
    }
}

fn kind_of(record: &Map<String, Value>, role: Role, log: bool) -> Kind {
    let named = KIND
        .iter()
        .filter_map(|key| record.get(*key).and_then(Value::as_str))
        .find_map(|word| match word {
            "fact" | "preference" | "memory" => Some(Kind::Fact),
            "thinking" | "reasoning" => Some(Kind::Thinking),
            "tool_call" | "tool_use" | "function_call" => Some(Kind::ToolCall),
            "tool_result" | "function_call_output" => Some(Kind::ToolResult),
            "summary" => Some(Kind::Summary),
            "event" => Some(Kind::Event),
            _ => None,
        });
    named.unwrap_or(match role {
        Role::Tool => Kind::ToolResult,
        _ if log => Kind::Event,
        _ => Kind::Text,
    })
}
