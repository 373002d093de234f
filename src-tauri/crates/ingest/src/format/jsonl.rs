//! Generic JSONL: any records with something like a role, a text and a time.
//!
//! Which key is which is looked up per record in the order of the lists below, and what was found
//! is reported as the mapping. A line may also be a whole conversation, `{"messages": […]}`, and
//! the file may be one JSON document, a list of records or such a conversation.

mod beside;
mod expiry;
mod keys;
mod shape;
mod tools;
mod turns;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use memory::{CreatedAtQuality, Kind, Millis, NewMemory, Role, Scope};
use serde_json::{Map, Value};

use super::content::Part;
use super::{
    FileContext, Format, Framing, Head, Line, Occurrences, Outcome, Parser, Place, content, digest,
    draft, json, moment, reason,
};
use crate::time;
use expiry::End;
use keys::{
    AGENT, ID, LEVEL, ORG, PAYLOAD, ROLE, SESSION, TEXT, TIME, TOOL, found, is_text, kind_of,
    role_of, scalar,
};
use turns::Turn;

/// See the module.
pub struct Jsonl;

impl Format for Jsonl {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        let speaks = |object: &Map<String, Value>| {
            let object = shape::plain(object);
            found(&object, &TEXT, is_text).is_some() || turns::expand(&object).is_some()
        };
        if let Some(document) = &head.document {
            let one = !document.list && document.holds(&["\"messages\"", "\"role\""]);
            if one || document.share(speaks) >= 0.5 {
                return 35;
            }
        }
        let readable = head.share(speaks);
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

    fn framing(&self, head: &Head) -> Framing {
        head.cut()
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Records::of("jsonl", file))
    }
}

/// Records whose keys are looked up.
pub(super) struct Records {
    /// The agent of records that name none.
    agent: &'static str,
    file: FileContext,
    stem: String,
    occurrences: Occurrences,
    /// Names of tools by the id of their call, for the answers of the same conversation.
    tools: HashMap<String, String>,
    last_time: Option<Millis>,
    mapping: BTreeMap<&'static str, &'static str>,
}

/// What the memories of a record share.
struct Common {
    scope: Scope,
    session: String,
    id: Option<String>,
    place: Place,
    at: Option<Millis>,
    quality: CreatedAtQuality,
    /// The record's own time. Another one could change when the file is read again.
    own: Option<Millis>,
    /// When its time is over.
    expires: Option<Millis>,
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
            agent: self.agent.to_owned(),
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

/// Whether an object has a text, and says who spoke or when.
pub(super) fn names_record(object: &Map<String, Value>) -> bool {
    found(object, &TEXT[..5], is_text).is_some()
        && (ROLE[..6].iter().any(|key| object.contains_key(*key))
            || TIME.iter().any(|key| object.contains_key(*key)))
}

/// Whether an object has a question and its answer.
pub(super) fn holds_exchange(object: &Map<String, Value>) -> bool {
    turns::expand(object).is_some()
}

impl Records {
    pub(super) fn of(agent: &'static str, file: &FileContext) -> Self {
        Self {
            agent,
            stem: file.stem(),
            file: file.clone(),
            occurrences: Occurrences::default(),
            tools: HashMap::new(),
            last_time: None,
            mapping: BTreeMap::new(),
        }
    }

    pub(super) fn record(
        &mut self,
        object: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let object = &*shape::plain(object);
        if let Some(found) = turns::expand(object) {
            return self.turns(found, object, place, out);
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

    /// The turns of a record that holds several.
    fn turns(
        &mut self,
        found_turns: turns::Turns,
        object: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let session = found_turns.conversation.then(|| {
            found(object, &SESSION, |value| scalar(value).is_some())
                .or_else(|| found(object, &ID, |value| scalar(value).is_some()))
                .and_then(|(_, value)| scalar(value))
                .map_or_else(|| format!("{}:{}", self.stem, place.line), Cow::into_owned)
        });
        if session.is_some() {
            self.mapping.insert("conversation", "messages");
        } else {
            self.mapping.entry("text").or_insert("question and answer");
        }
        let role = self.mapping.get("role").copied();
        let before = out.len();
        let said: Vec<String> = found_turns.texts();
        for turn in found_turns.turns {
            match turn {
                Turn::Said(said) => self.one(&said, object, session.as_deref(), place, out),
                Turn::Left(why) => out.push(Outcome::Skip(why.into())),
            }
        }
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        for _ in 0..beside::others(object, &said) {
            out.push(Outcome::Skip(reason::OTHER_TEXT.into()));
        }
        if role.is_none() && !ROLE.iter().any(|key| object.contains_key(*key)) {
            // The roles of question and answer are ours.
            if session.is_none() {
                self.mapping.remove("role");
            }
        }
        if out.len() == before {
            out.push(Outcome::Skip(reason::EMPTY.into()));
        }
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
        let says = |value: &Value| match value {
            Value::String(text) => !text.trim().is_empty(),
            Value::Number(_) | Value::Object(_) => true,
            _ => false,
        };
        let written = found(record, &TIME[..10], says).or_else(|| found(around, &TIME[..10], says));
        if record_time.is_none() && written.is_some() {
            out.push(Outcome::Note(reason::TIME));
        }
        self.last_time = record_time.or(self.last_time);
        let (at, quality) = moment(record_time, self.last_time, self.file.modified);
        let (role, speaker) = self.role(record, around);
        let role_known = role.is_some();
        let level = self.value("level", &LEVEL, record, around);
        let answers = found(record, &TOOL[..4], |value| scalar(value).is_some()).is_some()
            && found(
                record,
                &["output", "result", "tool_response", "tool_output"],
                is_text,
            )
            .is_some();
        let role = role.unwrap_or_else(|| {
            match (kind_of(record, Role::Memory, false), &level, &speaker) {
                (_, Some(_), _) => Role::System,
                (Kind::ToolResult, ..) => Role::Tool,
                (Kind::ToolCall | Kind::Thinking, ..) => Role::Assistant,
                _ if answers => Role::Tool,
                (_, None, Some(_)) => Role::User,
                (_, None, None) => Role::Memory,
            }
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
                .unwrap_or_else(|| self.agent.to_owned()),
            session: Some(session.clone()),
        };
        let id = match conversation {
            Some(_) => None,
            None => self.value("id", &ID, record, around),
        };
        let end = expiry::end(record, around, record_time.or(at), &zone);
        let expires = match end {
            Some(End::At(end, key)) => {
                self.mapping.entry("expires").or_insert(key);
                Some(end)
            }
            Some(End::NotUnderstood) => {
                out.push(Outcome::Note(reason::END));
                None
            }
            None => None,
        };
        let common = Common {
            scope,
            session,
            id,
            place,
            at,
            quality,
            own: record_time,
            expires,
        };
        let before = out.len();
        if tools::is_part(record) {
            let part = Value::Object(record.clone());
            for part in content::parts(&part) {
                match part {
                    Part::Left(why) => out.push(Outcome::Skip(why.into())),
                    part => self.part(&part, &common, out),
                }
            }
            return;
        }
        let thought = beside::thought(record);
        if let Some(thought) = &thought {
            self.part(&Part::Thinking(thought), &common, out);
        }
        let text = self
            .text(record, &common, out)
            .map(|(text, pictures)| (text, pictures, role));
        let text = text.or_else(|| {
            let silent = thought.is_none() || record.contains_key("observation");
            let (key, text, asked) = beside::last(record).filter(|_| silent)?;
            self.mapping.entry("text").or_insert(key);
            Some((
                text,
                false,
                if role_known {
                    role
                } else {
                    asked.unwrap_or(role)
                },
            ))
        });
        let said = text.as_ref().map_or("", |(text, ..)| text);
        let others = beside::others(record, &[said]);
        for _ in 0..others {
            out.push(Outcome::Skip(reason::OTHER_TEXT.into()));
        }
        if let Some((content, pictures, role)) = text {
            let kind = kind_of(record, role, level.is_some() && !role_known);
            let mut memory = self.draft(&common, role, kind, content);
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
            self.push(&common, memory, out);
        }
        self.calls(record, &common, out);
        if out.len() == before {
            out.push(Outcome::Skip(reason::EMPTY.into()));
        }
    }

    /// What a record says, and whether there was a picture. Reasoning, calls and answers among its
    /// parts are memories of their own; texts under other keys are counted.
    fn text(
        &mut self,
        record: &Map<String, Value>,
        common: &Common,
        out: &mut Vec<Outcome>,
    ) -> Option<(String, bool)> {
        let mut texts: Vec<String> = Vec::new();
        let (mut words, mut pictures) = (false, false);
        let mut others = Vec::new();
        for key in TEXT {
            let Some(value) = record.get(key).filter(|value| is_text(value)) else {
                continue;
            };
            if words {
                others.push(content::flat(value).text);
                continue;
            }
            for part in content::parts(value) {
                match part {
                    Part::Text(text) => {
                        words |= !text.trim().is_empty();
                        texts.push(text.to_owned());
                    }
                    Part::Picture(name) => {
                        pictures = true;
                        texts.push(name);
                    }
                    Part::Left(why) => out.push(Outcome::Skip(why.into())),
                    part => self.part(&part, common, out),
                }
            }
            self.mapping.entry("text").or_insert(key);
        }
        let text = texts.join("\n");
        for other in others {
            if !other.trim().is_empty() && !text.contains(other.trim()) {
                out.push(Outcome::Skip(reason::OTHER_TEXT.into()));
            }
        }
        if text.trim().is_empty() {
            return None;
        }
        Some((text, pictures))
    }

    /// A part of a message that is a memory of its own.
    fn part(&mut self, part: &Part<'_>, common: &Common, out: &mut Vec<Outcome>) {
        let memory = match part {
            Part::Thinking(thought) => self.draft(
                common,
                Role::Assistant,
                Kind::Thinking,
                (*thought).to_owned(),
            ),
            Part::Call { id, name, input } => {
                if let Some(id) = id {
                    self.tools.insert((*id).to_owned(), (*name).to_owned());
                }
                let line = json::call_line(name, input);
                let mut memory = self.draft(common, Role::Assistant, Kind::ToolCall, line);
                memory.tool_name = Some((*name).to_owned());
                memory.tool_payload = (!input.is_null()).then(|| input.to_string());
                memory
            }
            Part::Answer { id, content } => {
                let flat = content::answer(content);
                let pictures = flat.pictures;
                let said = flat.counted(out);
                if said.trim().is_empty() {
                    return out.push(Outcome::Skip(reason::EMPTY.into()));
                }
                let mut memory = self.draft(common, Role::Tool, Kind::ToolResult, said);
                memory.tool_name = id.and_then(|id| self.tools.get(id).cloned());
                if pictures {
                    memory.tags.push("image".to_owned());
                }
                memory
            }
            Part::Text(_) | Part::Picture(_) | Part::Left(_) => return,
        };
        self.push(common, memory, out);
    }

    fn draft(&self, common: &Common, role: Role, kind: Kind, content: String) -> NewMemory {
        let mut memory = draft(common.scope.clone(), common.place, &self.file.path, content);
        (memory.created_at, memory.created_at_quality) = (common.at, common.quality);
        (memory.role, memory.kind) = (role, kind);
        memory.expires_at = common.expires;
        memory
    }

    fn push(&mut self, common: &Common, mut memory: NewMemory, out: &mut Vec<Outcome>) {
        memory.source_key = self.key(&common.session, common.id.as_deref(), &memory, common.own);
        out.push(Outcome::Memory(Box::new(memory)));
    }

    fn role(
        &mut self,
        record: &Map<String, Value>,
        around: &Map<String, Value>,
    ) -> (Option<Role>, Option<String>) {
        let mut speaker = None;
        if let Some(person) = record.get("is_user").and_then(Value::as_bool) {
            let role = if person { Role::User } else { Role::Assistant };
            return (Some(role), None);
        }
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
        let named = found(record, &["user", "username", "user_name"], Value::is_string);
        let name = named.and_then(|(_, name)| scalar(name));
        (
            None,
            speaker.or_else(|| name.map(Cow::into_owned).filter(|name| name.len() <= 60)),
        )
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
            return digest(&[self.agent, session, id, role, &memory.content, payload]);
        }
        let at = at.map(|at| at.to_string()).unwrap_or_default();
        let digest = digest(&[self.agent, session, &at, role, &memory.content, payload]);
        self.occurrences.key(digest)
    }
}
