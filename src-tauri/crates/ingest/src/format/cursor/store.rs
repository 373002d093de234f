//! Cursor's databases, `state.vscdb`: one table of keys and values, in which each composer (a session)
//! and each of its bubbles (a message, a thought or a call with its answer) is a value of its own. In
//! older ones the bubbles lie in their composer; in the oldest, and in the database of a workspace, in
//! one value for all chats.
//!
//! A bubble is written again while it streams, under its name, and its last words count. Where a
//! composer works, when it began and who asked for it says the composer's own row, which is looked up
//! once.

use std::collections::HashMap;
use std::path::Path;

use memory::{Kind, Role, Scope};
use serde_json::{Map, Value, json};

use super::super::claude_code::unknown;
use super::super::conversation::{Conversation, Turn, rows, skip, text};
use super::super::{
    Asked, Database, FileContext, Keys, Line, Outcome, Place, Reader, Schema, Table, json as lines,
    reason,
};
use super::{Cursor, workspace};

/// Names are as SQLite's own are compared, in small letters.
const VALUES: &str = "cursordiskkv";
const ITEMS: &str = "itemtable";
const HEADERS: &str = "composerheaders";

const BUBBLE: &str = "bubbleId:";
const COMPOSER: &str = "composerData:";
const CHATS: &str = "workbench.panel.aichat.view.aichat.chatdata";
const COMPOSERS: &str = "composer.composerData";

const OTHERS: &str = "another entry of the editor";
const METADATA: &str = "session metadata";

/// Times before 2001 are counted from the start of the program, not from 1970.
const MILLIS: f64 = 1e12;

impl Database for Cursor {
    fn tables(&self) -> &'static [Table] {
        const VALUE: Table = Table {
            needs: &["key", "value"],
            replaced: true,
            ..Table::PLAIN
        };
        &[
            Table {
                name: VALUES,
                keys: Some(Keys {
                    column: "key",
                    begins: &[BUBBLE, COMPOSER],
                    others: OTHERS,
                }),
                ..VALUE
            },
            Table {
                name: ITEMS,
                keys: Some(Keys {
                    column: "key",
                    begins: &[CHATS, COMPOSERS],
                    others: OTHERS,
                }),
                ..VALUE
            },
        ]
    }

    /// Every editor that is built like this one has the table of items.
    fn detect(&self, schema: &Schema, path: &Path) -> bool {
        let own = |part: std::path::Component<'_>| part.as_os_str().eq_ignore_ascii_case("cursor");
        let [values, items] = self.tables() else {
            return false;
        };
        schema.has(values) || schema.has(items) && path.components().any(own)
    }

    fn reader(&self, file: &FileContext) -> Box<dyn Reader> {
        Box::new(Store {
            folder: file.path.parent().and_then(workspace::folder_of),
            file: file.clone(),
            composers: HashMap::new(),
        })
    }
}

struct Store {
    file: FileContext,
    /// What the window of this database has open, where it is the database of one.
    folder: Option<String>,
    composers: HashMap<String, Composer>,
}

/// What is known of a composer beside its bubbles.
#[derive(Clone, Default)]
struct Composer {
    /// Where it works.
    folder: Option<String>,
    /// When it began.
    began: Option<Value>,
    /// Another one asked for it.
    child: bool,
    /// Its first bubble, which may say where it works when it does not say so itself.
    first: Option<String>,
    /// How many of the rows that tell something of it were asked for.
    asked: usize,
}

impl Composer {
    /// Takes what one of its rows says.
    fn take(&mut self, said: &Map<String, Value>, around: &Path) {
        if self.folder.is_none() {
            self.folder = said
                .get("workspaceIdentifier")
                .and_then(|workspace| workspace::named(workspace, around));
        }
        if self.began.is_none() {
            self.began = said.get("createdAt").filter(|at| !at.is_null()).cloned();
        }
        let parent = |said: &Map<String, Value>| {
            let info = said.get("subagentInfo")?;
            info.get("parentComposerId")?.as_str().map(|_| ())
        };
        self.child |= parent(said).is_some();
        if self.first.is_none() {
            let headers = rows(said, "fullConversationHeadersOnly");
            let first = headers.first().and_then(|header| text(header, "bubbleId"));
            self.first = first.map(str::to_owned);
        }
    }
}

/// The composer and the bubble that a key names.
fn names(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix(BUBBLE)?.split_once(':')
}

/// The object in a column, where it is looked up and nothing of it is counted.
fn object(row: &Map<String, Value>, column: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(text(row, column)?).ok()
}

impl Reader for Store {
    fn asks(&mut self, _table: &str, row: &Map<String, Value>) -> Option<Asked> {
        let key = text(row, "key")?;
        let own = key.strip_prefix(COMPOSER);
        let name = own.or_else(|| Some(names(key)?.0))?;
        let composer = self.composers.entry(name.to_owned()).or_default();
        composer.asked += 1;
        if let (2, Some(_)) = (composer.asked, own) {
            composer.take(&object(row, "value").unwrap_or_default(), &self.file.path);
            composer.asked += 1;
        }
        let value = |key: String| Asked {
            table: VALUES,
            by: vec![("key", key)],
            takes: &["value"],
            unpack: None,
        };
        match composer.asked {
            1 => Some(Asked {
                table: HEADERS,
                by: vec![("composerid", name.to_owned())],
                takes: &["value", "issubagent", "workspaceid", "createdat"],
                unpack: None,
            }),
            2 => Some(value(format!("{COMPOSER}{name}"))),
            3 if composer.folder.is_none() => {
                let first = composer.first.as_deref()?;
                Some(value(format!("{BUBBLE}{name}:{first}")))
            }
            _ => None,
        }
    }

    fn told(&mut self, asked: &Asked, found: Option<&Map<String, Value>>) {
        let ((_, key), Some(found)) = (&asked.by[0], found) else {
            return;
        };
        let first = names(key);
        let name = first.map_or(key.strip_prefix(COMPOSER).unwrap_or(key), |it| it.0);
        let composer = self.composers.entry(name.to_owned()).or_default();
        let said = object(found, "value").unwrap_or_default();
        if first.is_some() {
            composer.folder = workspace::within(&said);
            return;
        }
        composer.take(&said, &self.file.path);
        composer.child |= found.get("issubagent").and_then(Value::as_i64) == Some(1);
        if let (None, Some(id)) = (&composer.folder, text(found, "workspaceid")) {
            composer.folder = workspace::of(id, &self.file.path);
        }
        if composer.began.is_none() {
            composer.began = found.get("createdat").filter(|at| !at.is_null()).cloned();
        }
    }

    fn row(
        &mut self,
        _table: &str,
        row: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let key = text(row, "key").unwrap_or_default();
        let value = text(row, "value").unwrap_or_default();
        let before = out.len();
        let found = lines::objects(&Line { text: value, place }, out);
        let Some(value) = found.into_iter().next() else {
            if out.len() == before {
                skip(out, reason::EMPTY);
            }
            return;
        };
        if let Some((composer, bubble)) = names(key) {
            let known = self.composers.get(composer).cloned().unwrap_or_default();
            self.bubble((composer, bubble), &known, &value, place, out);
        } else if key.starts_with(BUBBLE) {
            out.push(Outcome::Skip(unknown("")));
        } else if let Some(composer) = key.strip_prefix(COMPOSER) {
            self.composer(composer, &value, place, out);
        } else if key == CHATS {
            self.chats(&value, place, out);
        } else if key == COMPOSERS {
            for composer in rows(&value, "allComposers") {
                if let Some(name) = text(composer, "composerId")
                    && holds_bubbles(composer)
                {
                    self.composer(name, composer, place, out);
                }
            }
        }
        if out.len() == before {
            skip(out, METADATA);
        }
    }

    fn scope(&self) -> Scope {
        Conversation::new("cursor", None, &self.file).scope()
    }
}

/// Whether a composer holds its bubbles itself.
fn holds_bubbles(composer: &Map<String, Value>) -> bool {
    !rows(composer, "conversation").is_empty()
        || composer
            .get("conversationMap")
            .and_then(Value::as_object)
            .is_some_and(|bubbles| !bubbles.is_empty())
}

impl Store {
    /// A composer's own row, with its bubbles where they lie in it.
    fn composer(
        &self,
        name: &str,
        said: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let before = out.len();
        let mut composer = self.composers.get(name).cloned().unwrap_or_default();
        composer.take(said, &self.file.path);
        let listed = said.get("conversation").and_then(Value::as_array);
        self.listed(name, &composer, listed, place, out);
        let mapped = said.get("conversationMap").and_then(Value::as_object);
        for (id, bubble) in mapped.into_iter().flatten() {
            match bubble.as_object() {
                Some(bubble) => self.bubble((name, id), &composer, bubble, place, out),
                None => skip(out, reason::PART),
            }
        }
        self.summary(name, &composer, said, place, out);
        if out.len() == before {
            skip(out, METADATA);
        }
    }

    /// Bubbles in a list; one without a name is named by its place.
    fn listed(
        &self,
        session: &str,
        composer: &Composer,
        bubbles: Option<&Vec<Value>>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        for (at, bubble) in bubbles.into_iter().flatten().enumerate() {
            let Some(bubble) = bubble.as_object() else {
                skip(out, reason::PART);
                continue;
            };
            let own = text(bubble, "bubbleId").or_else(|| text(bubble, "id"));
            let id = own.map_or_else(|| format!("#{at}"), str::to_owned);
            self.bubble((session, &id), composer, bubble, place, out);
        }
    }

    /// The chats of a workspace's panel, each with a tab.
    fn chats(&self, said: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        for tab in rows(said, "tabs") {
            let chat = Composer {
                began: tab.get("lastSendTime").cloned(),
                ..Composer::default()
            };
            let name = text(tab, "tabId").unwrap_or_default();
            let bubbles = tab.get("bubbles").and_then(Value::as_array);
            self.listed(name, &chat, bubbles, place, out);
        }
    }

    /// What was said up to a bubble, in the program's own words.
    fn summary(
        &self,
        session: &str,
        composer: &Composer,
        said: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let latest = said.get("latestConversationSummary");
        let Some(words) = latest.and_then(|it| it.get("summary")?.get("summary")?.as_str()) else {
            return;
        };
        let upto = latest.and_then(|it| it.get("lastBubbleId")?.as_str());
        let mut talk = self.talk(session, composer, said, out);
        if !talk.leaves_out(out) {
            let turn = Turn {
                role: Role::System,
                id: upto.or(Some("summary")),
                at: None,
                place,
                changes: true,
            };
            talk.give(&turn, Kind::Summary, words, out);
        }
    }

    /// A conversation for one bubble: nothing of it says anything about another.
    fn talk(
        &self,
        session: &str,
        composer: &Composer,
        said: &Map<String, Value>,
        out: &mut Vec<Outcome>,
    ) -> Conversation {
        let mut talk = Conversation::new("cursor", Some(session.to_owned()), &self.file);
        let within = || workspace::within(said);
        let folder = composer.folder.clone().or_else(|| self.folder.clone());
        talk.org = folder.or_else(within).unwrap_or_default();
        talk.subagent = composer.child;
        if let Some(began) = &composer.began {
            talk.time_of(began, out);
        }
        talk
    }

    fn bubble(
        &self,
        (session, id): (&str, &str),
        composer: &Composer,
        bubble: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let mut talk = self.talk(session, composer, bubble, out);
        if talk.leaves_out(out) {
            return;
        }
        let kind = bubble.get("type").unwrap_or(&Value::Null);
        let role = match (kind.as_i64(), kind.as_str()) {
            (Some(1), _) | (_, Some("user")) => Role::User,
            (Some(2), _) | (_, Some("ai" | "assistant")) => Role::Assistant,
            (_, other) => return out.push(Outcome::Skip(unknown(other.unwrap_or_default()))),
        };
        let turn = Turn {
            role,
            id: Some(id),
            at: sent(&mut talk, bubble, out),
            place,
            changes: true,
        };
        let before = out.len();
        if let Some(thought) = thought(bubble) {
            talk.give(&turn, Kind::Thinking, &thought, out);
        }
        let said = words(bubble, role);
        let pictures = bubble.get("images").and_then(Value::as_array);
        let pictures = pictures.map_or(0, Vec::len);
        if !said.trim().is_empty() || pictures > 0 {
            let mut parts = vec![json!({"type": "text", "text": said})];
            parts.resize(pictures.min(100) + 1, json!({"type": "image"}));
            talk.message(&turn, &Value::Array(parts), out);
        }
        if let Some(called) = bubble.get("toolFormerData").and_then(Value::as_object) {
            tool(&mut talk, &turn, called, out);
        }
        if out.len() == before {
            skip(out, reason::EMPTY);
        }
    }
}

/// When a bubble came: newer ones say so; of an answer, when it was asked for or was there.
fn sent(
    talk: &mut Conversation,
    bubble: &Map<String, Value>,
    out: &mut Vec<Outcome>,
) -> Option<memory::Millis> {
    if let Some(at) = talk.time(bubble, "createdAt", out) {
        return Some(at);
    }
    let timing = bubble.get("timingInfo").and_then(Value::as_object)?;
    [
        "clientRpcSendTime",
        "clientSettleTime",
        "clientEndTime",
        "clientStartTime",
    ]
    .iter()
    .find(|key| {
        let at = timing.get(**key).and_then(Value::as_f64);
        at.is_some_and(|at| at >= MILLIS)
    })
    .and_then(|key| talk.time(timing, key, out))
}

/// The reasoning of a bubble, which is nothing else in most of them.
fn thought(bubble: &Map<String, Value>) -> Option<String> {
    let of = |value: &Value| {
        let inner = value.get("text").or_else(|| value.get("thinking"));
        let thought = inner.unwrap_or(value).as_str()?;
        (!thought.trim().is_empty()).then(|| thought.to_owned())
    };
    bubble.get("thinking").and_then(of).or_else(|| {
        let blocks = bubble.get("allThinkingBlocks").and_then(Value::as_array)?;
        let thoughts: Vec<String> = blocks.iter().filter_map(of).collect();
        (!thoughts.is_empty()).then(|| thoughts.join("\n"))
    })
}

/// What a bubble says: its text, or what its field for typing or its blocks of code hold.
fn words(bubble: &Map<String, Value>, role: Role) -> String {
    let plain = ["text", "rawText"]
        .iter()
        .filter_map(|key| text(bubble, key));
    if let Some(said) = plain.clone().find(|said| !said.trim().is_empty()) {
        return said.to_owned();
    }
    if role == Role::User {
        let typed = ["richText", "initText"].iter();
        return typed
            .filter_map(|key| typed_text(text(bubble, key)?))
            .find(|said| !said.trim().is_empty())
            .unwrap_or_default();
    }
    let blocks = rows(bubble, "codeBlocks");
    let code: Vec<&str> = blocks.iter().filter_map(|it| text(it, "content")).collect();
    code.join("\n")
}

/// The text of a field for typing, whose state is a tree of paragraphs, mentions and words.
fn typed_text(state: &str) -> Option<String> {
    fn collect(node: &Value, said: &mut String) {
        let kind = node.get("type").and_then(Value::as_str).unwrap_or_default();
        if let Some(words) = node.get("text").and_then(Value::as_str) {
            said.push_str(words);
        }
        if kind == "linebreak" {
            said.push('\n');
        }
        let children = node.get("children").and_then(Value::as_array);
        for child in children.into_iter().flatten() {
            collect(child, said);
        }
        if kind == "paragraph" {
            said.push('\n');
        }
    }
    // Deeper trees than a hundred levels are not read at all.
    let tree: Value = serde_json::from_str(state).ok()?;
    let mut said = String::new();
    collect(tree.get("root")?, &mut said);
    Some(said.trim_end().to_owned())
}

/// JSON inside of a string, or the string.
fn inner(value: &Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(
            serde_json::from_str(text)
                .ok()
                .filter(|inner: &Value| inner.is_object() || inner.is_array())
                .unwrap_or_else(|| value.clone()),
        ),
        other => Some(other.clone()),
    }
}

/// A call, with its answer once it is there.
fn tool(
    talk: &mut Conversation,
    turn: &Turn<'_>,
    called: &Map<String, Value>,
    out: &mut Vec<Outcome>,
) {
    let name = text(called, "name").or_else(|| text(called, "tool"));
    let arguments = |key: &str| called.get(key).and_then(inner);
    let (raw, params) = (arguments("rawArgs"), arguments("params"));
    if name.is_none() && raw.is_none() && params.is_none() {
        // Some bubbles have an empty place for a call.
        return;
    }
    // What the model wrote is cut short while it streams; what the editor took from it is not.
    let whole = |value: &Option<Value>| value.as_ref().is_some_and(|it| !it.is_string());
    let streams = raw.is_some() && !whole(&raw) && !whole(&params);
    if streams && matches!(text(called, "status"), Some("loading" | "pending")) {
        return skip(out, "not finished yet");
    }
    let input = if whole(&raw) { raw } else { params.or(raw) };
    let id = text(called, "toolCallId");
    let name = name.unwrap_or("tool");
    talk.call(turn, id, name, &input.unwrap_or_default(), out);
    let nothing = |value: &Value| value.as_object().is_some_and(Map::is_empty);
    let answer = arguments("result").filter(|answer| !nothing(answer));
    // What was read of a file stands among its lines and its range.
    let contents = |answer: Value| match answer.get("contents") {
        Some(contents @ Value::String(_)) => contents.clone(),
        _ => answer,
    };
    let answer = answer.map(contents);
    if let Some(answer) = answer.or_else(|| arguments("error")) {
        talk.answer(turn, id, Some(name), &answer, out);
    }
}
