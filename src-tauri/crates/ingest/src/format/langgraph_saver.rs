//! LangGraph's checkpoints, a SQLite database of its saver: the state of a graph after each of its
//! steps, and what steps wrote that is in no state yet. A state holds all messages of its thread, so
//! that each of them stands in every state behind it; it is taken from the first.
//!
//! Messages carry no times; they get that of the state in which they came. A state of a graph within
//! the graph is a sub-agent's.

mod packed;

use std::collections::{HashMap, HashSet};
use std::path::Path;

use memory::Scope;
use serde_json::{Map, Value, json};

use super::conversation::{Conversation, skip, text};
use super::langchain::{message, say};
use super::{
    Asked, Database, FileContext, Format, Occurrences, Outcome, Place, Reader, Schema, Table,
    digest, reason,
};

/// See the module.
pub struct LangGraphSaver;

/// The states.
pub(super) const CHECKPOINTS: Table = Table {
    name: "checkpoints",
    needs: &["thread_id", "checkpoint_ns", "checkpoint_id"],
    takes: &["parent_checkpoint_id", "type", "checkpoint"],
    replaced: true,
    unpacks: &[("checkpoint", packed::unpack)],
    versions: &["thread_id", "checkpoint_ns"],
    ..Table::PLAIN
};
/// What steps wrote.
const WRITES: Table = Table {
    name: "writes",
    needs: &["thread_id", "checkpoint_ns", "checkpoint_id", "channel"],
    takes: &["type", "value"],
    replaced: true,
    unpacks: &[("value", packed::unpack)],
    ..Table::PLAIN
};

const UNREAD: &str = "a graph's state in a form that is not read";
const REPEATED: &str = "nothing new in a graph's state";
const WAITING: &str = "a message that waits for its state";

impl Format for LangGraphSaver {
    fn name(&self) -> &'static str {
        "langgraph-checkpoints"
    }

    fn database(&self) -> Option<&'static dyn Database> {
        Some(&LangGraphSaver)
    }
}

impl Database for LangGraphSaver {
    fn tables(&self) -> &'static [Table] {
        &[CHECKPOINTS, WRITES]
    }

    fn detect(&self, schema: &Schema, _path: &Path) -> bool {
        schema.has(&CHECKPOINTS)
    }

    fn reader(&self, file: &FileContext) -> Box<dyn Reader> {
        Box::new(States::new(file))
    }
}

/// Reads states.
pub(super) struct States {
    file: FileContext,
    /// What is known of each thread's messages.
    known: HashMap<String, HashSet<String>>,
    /// States that were read or asked for, by their threads and names.
    met: HashSet<(String, String)>,
    /// The row of the state before the one that is read, and the messages in it.
    parent: Option<(i64, Vec<String>)>,
}

/// What a column says, be it a number.
fn said(row: &Map<String, Value>, column: &str) -> String {
    match row.get(column) {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    }
}

impl Reader for States {
    /// What the state before it holds was given when that was read, in another reading perhaps.
    fn asks(&mut self, table: &str, row: &Map<String, Value>) -> Option<Asked> {
        if table != CHECKPOINTS.name {
            return None;
        }
        self.met
            .insert((said(row, "thread_id"), said(row, "checkpoint_id")));
        let parent = said(row, "parent_checkpoint_id");
        let fresh = !parent.is_empty() && self.met.insert((said(row, "thread_id"), parent.clone()));
        fresh.then(|| Asked {
            table: CHECKPOINTS.name,
            by: vec![
                ("thread_id", said(row, "thread_id")),
                ("checkpoint_ns", said(row, "checkpoint_ns")),
                ("checkpoint_id", parent),
            ],
            takes: &["type", "checkpoint"],
            unpack: Some(packed::unpack),
        })
    }

    fn told(&mut self, _asked: &Asked, found: Option<&Map<String, Value>>) {
        let state = found.and_then(|row| Some((row.get("rowid")?.as_i64()?, state(row).ok()?)));
        self.parent = state.map(|(row, state)| {
            let messages = messages(channels(&state));
            (row, keys(&messages))
        });
    }

    fn row(&mut self, table: &str, row: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        if table == CHECKPOINTS.name {
            self.checkpoint(row, place, out);
        } else {
            self.write(row, place, out);
        }
    }

    fn scope(&self) -> Scope {
        Conversation::new("langgraph", None, &self.file).scope()
    }
}

impl States {
    pub(super) fn new(file: &FileContext) -> Self {
        Self {
            file: file.clone(),
            known: HashMap::new(),
            met: HashSet::new(),
            parent: None,
        }
    }

    /// Takes the messages of a state that the one before it does not hold.
    pub(super) fn checkpoint(
        &mut self,
        row: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let parent = self.parent.take();
        let state = match state(row) {
            Ok(state) => state,
            Err(why) => return skip(out, why),
        };
        let thread = said(row, "thread_id");
        // One that was written again stands behind its children, and is read yet.
        if let Some((_, keys)) = parent.filter(|(row, _)| place.line > row.unsigned_abs()) {
            self.known.entry(thread).or_default().extend(keys);
        }
        let found = messages(channels(&state));
        self.take(row, &found, state.get("ts"), place, out);
    }

    /// Takes what a step wrote. A message without a name gets one with its state, and would be
    /// another one then.
    fn write(&mut self, row: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let value = match unpacked(row, "value") {
            Ok(value) => value,
            Err(why) => return skip(out, why),
        };
        let channel = said(row, "channel");
        let found = messages(std::iter::once((channel.as_str(), &value)));
        let (named, waiting): (Vec<_>, Vec<_>) = found.into_iter().partition(|it| id(it).is_some());
        if !waiting.is_empty() {
            skip(out, WAITING);
        }
        if !named.is_empty() || waiting.is_empty() {
            let at = time_of(&said(row, "checkpoint_id")).map(Value::from);
            self.take(row, &named, at.as_ref(), place, out);
        }
    }

    fn take(
        &mut self,
        row: &Map<String, Value>,
        messages: &[Map<String, Value>],
        at: Option<&Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let thread = said(row, "thread_id");
        // Which of equal ones a message is, is counted in each state.
        let mut talk = Conversation::new("langgraph", Some(thread.clone()), &self.file);
        talk.subagent = !said(row, "checkpoint_ns").is_empty();
        if talk.leaves_out(out) {
            return;
        }
        if let Some(at) = at {
            talk.time_of(at, out);
        }
        let known = self.known.entry(thread).or_default();
        let mut any = false;
        for (key, message) in keys(messages).into_iter().zip(messages) {
            let mut given = Vec::new();
            say(&mut talk, message, (place, true), &mut given);
            if known.insert(key) {
                any = true;
                out.append(&mut given);
            }
        }
        if !any {
            skip(out, REPEATED);
        }
    }
}

/// The time in a state's name, which is a UUID of version 6: tenths of a microsecond since October 1582.
fn time_of(name: &str) -> Option<i64> {
    const BEFORE_1970: i64 = 12_219_292_800_000;
    let mut parts = name.split('-').map(|part| {
        let digits = part.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = i64::from_str_radix(part, 16).ok()?;
        (digits && part.len() <= 12).then_some((number, part.len()))
    });
    let (high, middle, low) = (parts.next()??, parts.next()??, parts.next()??);
    let sixth = (high.1, middle.1, low.1) == (8, 4, 4) && low.0 >> 12 == 6;
    let ticks = (high.0 << 28) | (middle.0 << 12) | (low.0 & 0xfff);
    sixth.then_some(ticks / 10_000 - BEFORE_1970)
}

/// What lies in a column, or why it is not read.
fn unpacked(row: &Map<String, Value>, column: &str) -> Result<Value, &'static str> {
    match text(row, "type").unwrap_or_default() {
        "" | "msgpack" | "json" => {}
        "null" => return Ok(Value::Null),
        kind if kind.contains('+') => return Err(reason::ENCRYPTED),
        _ => return Err(UNREAD),
    }
    match row.get(column) {
        Some(Value::String(text)) => serde_json::from_str(text).map_err(|_| UNREAD),
        None | Some(Value::Null) => Err(UNREAD),
        Some(value) => Ok(value.clone()),
    }
}

/// The state in a row.
fn state(row: &Map<String, Value>) -> Result<Map<String, Value>, &'static str> {
    match unpacked(row, "checkpoint")? {
        Value::Object(state) => Ok(state),
        _ => Err(UNREAD),
    }
}

/// The channels of a state and what they hold.
fn channels(state: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    let channels = state.get("channel_values").and_then(Value::as_object);
    channels
        .into_iter()
        .flatten()
        .map(|(name, held)| (name.as_str(), held))
}

/// The messages that channels hold. What a graph is called with and what it keeps to itself comes in
/// channels of its own.
fn messages<'a>(channels: impl Iterator<Item = (&'a str, &'a Value)>) -> Vec<Map<String, Value>> {
    let own = channels.filter(|(name, _)| !name.starts_with("__"));
    own.flat_map(|(name, held)| {
        let held = match held {
            Value::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        let plain = name == "messages";
        held.iter()
            .filter_map(move |item| plain_or_not(item, plain))
    })
    .collect()
}

/// A message as it serialises itself; in a channel for messages also one that is nothing but its
/// fields.
fn plain_or_not(item: &Value, plain: bool) -> Option<Map<String, Value>> {
    let object = item.as_object()?;
    if message(object).is_some() {
        return Some(object.clone());
    }
    let kind = text(object, "role").or_else(|| text(object, "type"));
    let kind = match kind.filter(|_| plain && object.contains_key("content"))? {
        "user" => "human",
        "assistant" => "ai",
        kind => kind,
    };
    let whole = json!({"type": kind, "data": object});
    whole
        .as_object()
        .filter(|it| message(it).is_some())
        .cloned()
}

/// A message's name.
fn id(message: &Map<String, Value>) -> Option<&str> {
    let fields = message.get("kwargs").or_else(|| message.get("data"))?;
    fields.get("id")?.as_str().filter(|id| !id.is_empty())
}

/// By what a message is known in its thread: by all that it says, and which of equal ones it is.
fn keys(messages: &[Map<String, Value>]) -> Vec<String> {
    let mut occurrences = Occurrences::default();
    messages
        .iter()
        .map(|message| {
            let all = serde_json::to_string(message).unwrap_or_default();
            occurrences.key(digest(&[&all]))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_states_name_tells_its_time() {
        let at = time_of("1f1ec910-6276-625f-bfff-5fa6ab952bd6");
        // 2026-11-30T07:38:24.285Z
        assert_eq!(at, Some(1_796_024_304_285));
        for name in [
            "",
            "1f0-01",
            "1f1ec910-6276-425f-bfff-5fa6ab952bd6",
            "-1f1ec91-6276-625f",
            "é",
        ] {
            assert_eq!(time_of(name), None, "{name}");
        }
    }
}
