//! OpenAI Codex rollouts: `~/.codex/sessions/YYYY/MM/DD/rollout-….jsonl`.
//!
//! What is said is written up to three times, as `response_item` and as one or two kinds of
//! `event_msg`, or in any of these alone; it is taken once, from whichever comes first. The first `session_meta` names the session,
//! later ones are copied history of a fork. One user message can hold the real prompt beside parts
//! that the program put there, so every part is judged alone.

mod completed;
mod words;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use memory::{Kind, Millis, NewMemory, Role, Scope};
use serde_json::{Map, Value};

use super::claude_code::unknown;
use super::{
    FileContext, Format, Framing, Head, Line, Outcome, Parser, Place, content, digest, draft, json,
    moment, reason,
};
use words::{Channel, Said, of_person, shell};

/// See the module.
pub struct Codex;

const ENVELOPES: [&str; 5] = [
    "session_meta",
    "response_item",
    "event_msg",
    "turn_context",
    "compacted",
];

impl Format for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        let enveloped = head.share(|object| {
            object.get("payload").is_some_and(Value::is_object)
                && text(object, "type").is_some_and(|kind| ENVELOPES.contains(&kind))
        });
        let name = path.file_name().map(|name| name.to_string_lossy());
        let rollout =
            name.is_some_and(|name| name.starts_with("rollout-") && name.contains(".jsonl"));
        // Others call their runs rollouts too; before the envelopes every record had a type.
        let typed = head.share(|object| object.contains_key("type")) >= 0.5;
        let whole = |object: &Map<String, Value>| {
            object.get("session").is_some_and(Value::is_object)
                && object.get("items").is_some_and(Value::is_array)
        };
        let keys = ["\"session\"", "\"items\""];
        let document = head.document.as_ref();
        if self.keeps(path)
            && (head.share(whole) > 0.0 || document.is_some_and(|document| document.holds(&keys)))
        {
            return 90;
        }
        match (enveloped >= 0.5, rollout) {
            (true, _) => 95,
            (false, true) if typed || head.objects.is_empty() || enveloped > 0.0 => 90,
            _ => 0,
        }
    }

    fn keeps(&self, path: &Path) -> bool {
        let name = path.file_name().map(|name| name.to_string_lossy());
        name.is_some_and(|name| name.starts_with("rollout-") && name.ends_with(".json"))
    }

    fn framing(&self, head: &Head) -> Framing {
        head.cut()
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Rollout {
            file: file.clone(),
            session: None,
            org: String::new(),
            tools: HashMap::new(),
            completed: HashSet::new(),
            items: false,
            said: Said::default(),
            turns: Vec::new(),
            subagent: false,
            last_time: None,
            in_line: 0,
        })
    }
}

struct Rollout {
    file: FileContext,
    session: Option<String>,
    org: String,
    tools: HashMap<String, String>,
    /// Calls that were given with their answers.
    completed: HashSet<String>,
    /// The file has response items.
    items: bool,
    said: Said,
    /// Where each turn of the person begins.
    turns: Vec<Place>,
    /// The session is a sub-agent's.
    subagent: bool,
    last_time: Option<Millis>,
    /// Memories given out for the present line.
    in_line: usize,
}

fn text<'a>(object: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    object.get(key).and_then(Value::as_str)
}

fn skip(out: &mut Vec<Outcome>, reason: &'static str) {
    out.push(Outcome::Skip(reason.into()));
}

impl Parser for Rollout {
    fn line(&mut self, line: &Line<'_>, out: &mut Vec<Outcome>) {
        self.in_line = 0;
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
            org: self.org.clone(),
            agent: "codex".to_owned(),
            session: Some(self.session.clone().unwrap_or_else(|| self.file.stem())),
        }
    }
}

/// Whether a header is that of a sub-agent's session.
fn is_subagent(header: &Map<String, Value>) -> bool {
    let source = header.get("source");
    text(header, "thread_source") == Some("subagent")
        || source.and_then(Value::as_str) == Some("subagent")
        || source.is_some_and(|source| source.get("subagent").is_some())
}

/// Where a record stands and when it was written.
#[derive(Clone, Copy)]
struct At {
    place: Place,
    time: Option<Millis>,
}

impl Rollout {
    fn record(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let time = json::stamp(object, "timestamp", &self.file.zone, out);
        self.last_time = time.or(self.last_time);
        let at = At { place, time };
        let kind = text(object, "type").unwrap_or_default();
        let Some(payload) = object.get("payload").and_then(Value::as_object) else {
            if let Some(items) = object.get("items").and_then(Value::as_array) {
                return self.whole(object, items, at, out);
            }
            // Before envelopes: a header, state lines and bare response items.
            if kind.is_empty() {
                if self.session.is_none() {
                    self.session = text(object, "id").map(str::to_owned);
                }
                return skip(out, "session metadata");
            }
            return self.item(object, at, out);
        };
        if self.subagent && !self.file.subagents && kind != "session_meta" {
            return skip(out, reason::SUBAGENT);
        }
        match kind {
            "session_meta" => {
                if self.session.is_none() {
                    self.session = text(payload, "id").map(str::to_owned);
                    self.subagent = is_subagent(payload);
                    text(payload, "cwd")
                        .unwrap_or_default()
                        .clone_into(&mut self.org);
                }
                skip(out, "session metadata");
            }
            "turn_context" => {
                if let Some(cwd) = text(payload, "cwd") {
                    cwd.clone_into(&mut self.org);
                }
                skip(out, "session metadata");
            }
            "response_item" => self.item(payload, at, out),
            "event_msg" => self.event(payload, at, out),
            "compacted" => {
                let message = text(payload, "message").unwrap_or_default();
                self.give(at, Role::System, Kind::Summary, message, out);
            }
            "world_state" | "security_risk_score" | "token_usage_record" | "realtime_item" => {
                skip(out, "session metadata");
            }
            _ => out.push(Outcome::Skip(unknown(kind))),
        }
    }

    /// The first versions wrote a session as one object.
    fn whole(
        &mut self,
        object: &Map<String, Value>,
        items: &[Value],
        at: At,
        out: &mut Vec<Outcome>,
    ) {
        if let Some(session) = object.get("session").and_then(Value::as_object) {
            self.session = text(session, "id").map(str::to_owned);
            let time = json::stamp(session, "timestamp", &self.file.zone, out);
            self.last_time = time.or(self.last_time);
        }
        skip(out, "session metadata");
        for item in items {
            match item.as_object() {
                Some(item) => self.item(item, at, out),
                None => skip(out, reason::PART),
            }
        }
    }

    fn event(&mut self, payload: &Map<String, Value>, at: At, out: &mut Vec<Outcome>) {
        match text(payload, "type").unwrap_or_default() {
            "user_message" => {
                let said = text(payload, "message").unwrap_or_default();
                self.say(Channel::Event, Role::User, &[said], at, out);
            }
            "agent_message" => {
                let said = text(payload, "message").unwrap_or_default();
                self.say(Channel::Event, Role::Assistant, &[said], at, out);
            }
            // The summary of a response item joins several of these.
            "agent_reasoning" if self.items => skip(out, reason::TWICE),
            "agent_reasoning" => {
                let thought = text(payload, "text").unwrap_or_default();
                self.give(at, Role::Assistant, Kind::Thinking, thought, out);
            }
            "item_completed" => match payload.get("item").and_then(Value::as_object) {
                Some(item) => self.completed(item, at, out),
                None => skip(out, "session event"),
            },
            "thread_rolled_back" => {
                let turns = payload.get("num_turns").and_then(Value::as_u64);
                self.roll_back(turns.unwrap_or(1), at, out);
            }
            _ => skip(out, "session event"),
        }
    }

    /// Newer versions may write what was said only so.
    fn completed(&mut self, item: &Map<String, Value>, at: At, out: &mut Vec<Outcome>) {
        let role = match text(item, "type").unwrap_or_default() {
            "UserMessage" | "user_message" => Role::User,
            "AgentMessage" | "agent_message" => Role::Assistant,
            kind @ ("Reasoning" | "reasoning" | "Plan" | "plan") => {
                return self.considered(kind, item, at, out);
            }
            kind => match completed::call(kind, item) {
                Some(call) => return self.called(call, at, out),
                None => return skip(out, "session event"),
            },
        };
        let content = item.get("content").or_else(|| item.get("text"));
        let parts: Vec<&str> = match content {
            Some(Value::String(said)) => vec![said],
            Some(Value::Array(parts)) => parts
                .iter()
                .filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()))
                .collect(),
            _ => Vec::new(),
        };
        self.say(Channel::Item, role, &parts, at, out);
    }

    /// The person took their last turns back: what they and the agent said stays, but marked.
    fn roll_back(&mut self, turns: u64, at: At, out: &mut Vec<Outcome>) {
        let turns = usize::try_from(turns).unwrap_or(usize::MAX);
        let left = self.turns.len().saturating_sub(turns);
        if let Some(from) = self.turns.get(left) {
            out.push(Outcome::TakenBack {
                session: self.scope().session.unwrap_or_default(),
                from: from.offset,
                to: at.place.offset,
                at: at.time.or(self.last_time).or(self.file.modified),
            });
        }
        self.turns.truncate(left);
        out.push(Outcome::Note("turns rolled back"));
        skip(out, "session event");
    }

    fn item(&mut self, item: &Map<String, Value>, at: At, out: &mut Vec<Outcome>) {
        let kind = text(item, "type").unwrap_or_default();
        match kind {
            "message" => self.message(item, at, out),
            "reasoning" => {
                let part = |key: &str| item.get(key).map(content::flat).unwrap_or_default().text;
                let (summary, content) = (part("summary"), part("content"));
                let thought = if content.is_empty() { summary } else { content };
                if thought.trim().is_empty() {
                    return skip(out, reason::ENCRYPTED);
                }
                if !self.said.is_news(Channel::Response, "thinking", &thought) {
                    return skip(out, reason::TWICE);
                }
                self.give(at, Role::Assistant, Kind::Thinking, &thought, out);
            }
            "function_call" | "custom_tool_call" | "local_shell_call" | "web_search_call"
            | "tool_search_call" => {
                self.call(kind, item, at, out);
            }
            "function_call_output" | "custom_tool_call_output" | "tool_search_output" => {
                self.output(item, at, out);
            }
            "compaction" | "compaction_summary" | "context_compaction" => {
                skip(out, reason::ENCRYPTED);
            }
            "agent_message" => {
                let said = item.get("content").map(content::flat).unwrap_or_default();
                let said = said.counted(out);
                self.say(Channel::Response, Role::Assistant, &[&said], at, out);
            }
            "ghost_snapshot" | "additional_tools" => skip(out, "session metadata"),
            "image_generation_call" => skip(out, reason::IMAGE),
            _ => out.push(Outcome::Skip(unknown(kind))),
        }
    }

    fn message(&mut self, item: &Map<String, Value>, at: At, out: &mut Vec<Outcome>) {
        self.items = true;
        let role = match text(item, "role") {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => return skip(out, reason::INJECTED),
        };
        let bare = text(item, "content").map(|said| vec![Value::from(said)]);
        let parts = bare.as_ref().or_else(|| item.get("content")?.as_array());
        let mut said = Vec::new();
        for part in parts.into_iter().flatten() {
            match part.as_str().or_else(|| part.get("text")?.as_str()) {
                Some(text) => said.push(text),
                None => skip(out, reason::IMAGE),
            }
        }
        if said.is_empty() {
            if parts.is_none_or(Vec::is_empty) {
                skip(out, reason::EMPTY);
            }
            return;
        }
        self.say(Channel::Response, role, &said, at, out);
    }

    /// Gives what was said, unless the program put it there or another channel has said it.
    fn say(
        &mut self,
        channel: Channel,
        role: Role,
        parts: &[&str],
        at: At,
        out: &mut Vec<Outcome>,
    ) {
        let mut words = Vec::with_capacity(parts.len());
        for part in parts {
            if let Some((command, printed)) = shell(part).filter(|_| role == Role::User) {
                if self.said.is_news(channel, "shell", part) {
                    self.give(at, Role::User, Kind::Text, command, out);
                    self.give(at, Role::Tool, Kind::ToolResult, printed, out);
                } else {
                    skip(out, reason::TWICE);
                }
                continue;
            }
            let kept = match role {
                Role::User => of_person(part),
                _ => Some((*part).into()),
            };
            match kept {
                Some(kept) if kept.trim().is_empty() => skip(out, reason::EMPTY),
                Some(kept) => words.push(kept),
                None if part.trim().is_empty() => skip(out, reason::EMPTY),
                None => skip(out, reason::INJECTED),
            }
        }
        if parts.is_empty() {
            skip(out, reason::EMPTY);
        }
        // Another channel may have joined the parts.
        let joined = words.concat();
        let news = words.len() < 2 || self.said.is_news(channel, role.as_str(), &joined);
        for part in words {
            if !self.said.is_news(channel, role.as_str(), &part) || !news {
                skip(out, reason::TWICE);
                continue;
            }
            if role == Role::User && self.turns.last() != Some(&at.place) {
                self.turns.push(at.place);
            }
            self.give(at, role, Kind::Text, &part, out);
        }
    }

    fn call(&mut self, kind: &str, item: &Map<String, Value>, at: At, out: &mut Vec<Outcome>) {
        let name = text(item, "name").unwrap_or(match kind {
            "local_shell_call" => "shell",
            "web_search_call" => "web_search",
            _ => "tool",
        });
        let input = ["arguments", "input", "action"]
            .iter()
            .find_map(|key| item.get(*key));
        let payload = input.map(|input| {
            input
                .as_str()
                .map_or_else(|| input.to_string(), str::to_owned)
        });
        let parsed = payload
            .as_deref()
            .and_then(|payload| serde_json::from_str::<Value>(payload).ok())
            .or_else(|| input.cloned())
            .unwrap_or(Value::Null);
        let id = text(item, "call_id").unwrap_or_default();
        self.give_call(Channel::Response, id, name, &parsed, payload, at, out);
    }

    /// Gives a call, unless it was given with its answer.
    #[expect(
        clippy::too_many_arguments,
        reason = "what a call is made of, and where it stands"
    )]
    fn give_call(
        &mut self,
        channel: Channel,
        id: &str,
        name: &str,
        input: &Value,
        payload: Option<String>,
        at: At,
        out: &mut Vec<Outcome>,
    ) {
        let line = json::call_line(name, input);
        let known = self.completed.contains(id);
        if !self.said.is_news(channel, "call", &line) || known {
            return skip(out, reason::TWICE);
        }
        if !id.is_empty() {
            self.tools.insert(id.to_owned(), name.to_owned());
        }
        let mut memory = self.memory(at, line);
        (memory.role, memory.kind) = (Role::Assistant, Kind::ToolCall);
        memory.tool_name = Some(name.to_owned());
        memory.tool_payload = payload;
        out.push(Outcome::Memory(Box::new(memory)));
    }

    fn output(&mut self, item: &Map<String, Value>, at: At, out: &mut Vec<Outcome>) {
        let Some(output) = item.get("output").or_else(|| item.get("tools")) else {
            return skip(out, reason::EMPTY);
        };
        let id = text(item, "call_id");
        if id.is_some_and(|id| self.completed.contains(id)) {
            return skip(out, reason::TWICE);
        }
        // Some tools wrap their text as JSON inside the string.
        let wrapped = output
            .as_str()
            .and_then(|output| serde_json::from_str::<Value>(output).ok())
            .and_then(|value| {
                value
                    .get("output")
                    .and_then(Value::as_str)
                    .map(str::to_owned)
            });
        let flat = match wrapped {
            Some(text) => content::flat(&text.into()),
            None => content::answer(output),
        };
        self.give_answer(id, flat, at, out);
    }

    fn give_answer(
        &mut self,
        id: Option<&str>,
        answer: content::Flat,
        at: At,
        out: &mut Vec<Outcome>,
    ) {
        let pictures = answer.pictures;
        let content = answer.counted(out);
        if content.trim().is_empty() {
            return skip(out, reason::EMPTY);
        }
        let mut memory = self.memory(at, content);
        (memory.role, memory.kind) = (Role::Tool, Kind::ToolResult);
        memory.tool_name = id.and_then(|id| self.tools.get(id).cloned());
        if pictures {
            memory.tags.push("image".to_owned());
        }
        out.push(Outcome::Memory(Box::new(memory)));
    }

    fn give(&mut self, at: At, role: Role, kind: Kind, said: &str, out: &mut Vec<Outcome>) {
        if said.trim().is_empty() {
            return skip(out, reason::EMPTY);
        }
        let mut memory = self.memory(at, said.to_owned());
        (memory.role, memory.kind) = (role, kind);
        out.push(Outcome::Memory(Box::new(memory)));
    }

    /// Most records have no id: session and place name them.
    fn memory(&mut self, at: At, content: String) -> NewMemory {
        let scope = self.scope();
        let session = scope.session.clone().unwrap_or_default();
        let mut memory = draft(scope, at.place, &self.file.path, content);
        (memory.created_at, memory.created_at_quality) =
            moment(at.time, self.last_time, self.file.modified);
        if self.subagent {
            memory.tags.push("subagent".to_owned());
        }
        // A rollout that is rewritten can hold another text at the same place.
        let words = digest(&[&memory.content]);
        memory.source_key = format!(
            "{session}@{}#{}:{}",
            at.place.offset,
            self.in_line,
            &words[..16]
        );
        self.in_line += 1;
        memory
    }
}
