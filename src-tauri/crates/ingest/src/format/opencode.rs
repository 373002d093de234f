//! OpenCode's storage: a file for each part of a message, `storage/part/<message>/<part>.json`; and
//! its newer database, `opencode.db`, with a row for each.
//!
//! Whose words they are stands beside, in `storage/message/<session>/<message>.json` or the row of
//! the message, and the project in `storage/session/<project>/<session>.json` or the row of the
//! session: both are looked up for every part. A part is written again while it streams and while
//! its tool runs, and the last writing counts. Both have the same names, so that what was read from
//! the files is known when the program has moved it into its database.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use memory::{Kind, Role, Scope};
use serde_json::{Map, Value};

use super::claude_code::unknown;
use super::conversation::{Conversation, Objects, Turn, skip, text};
use super::{
    Beside, Database, FileContext, Format, Framing, Head, Line, Outcome, Parser, Place, Reader,
    Schema, Table, json, reason,
};

/// See the module.
pub struct OpenCode;

/// What a part always has.
const KEYS: [&str; 4] = ["id", "sessionID", "messageID", "type"];
/// A message's or a session's own file is a few kilobytes long; summaries with differences more.
const LONGEST: u64 = 16 * 1024 * 1024;

impl Format for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn detect(&self, path: &Path, head: &Head) -> u8 {
        // What a tool put out may be longer than what is looked at; the name is enough then.
        let long = head.one().is_none() && head.is_one(&[]);
        match (head.is_one(&KEYS), self.keeps(path)) {
            (true, true) => 97,
            (true, false) => 85,
            (false, true) if long => 90,
            _ => 0,
        }
    }

    fn keeps(&self, path: &Path) -> bool {
        let part = path
            .ancestors()
            .nth(2)
            .and_then(Path::file_name)
            .is_some_and(|name| name == "part");
        part && path.extension().is_some_and(|ending| ending == "json")
    }

    fn framing(&self, head: &Head) -> Framing {
        head.cut()
    }

    fn parser(&self, file: &FileContext) -> Box<dyn Parser> {
        Box::new(Files {
            storage: file.path.ancestors().nth(3).map(Path::to_path_buf),
            talk: Conversation::new("opencode", None, file),
        })
    }

    fn database(&self) -> Option<&'static dyn Database> {
        Some(&OpenCode)
    }
}

impl Database for OpenCode {
    fn tables(&self) -> &'static [Table] {
        const MESSAGE: Beside = Beside {
            table: "message",
            by: "id",
            of: "message_id",
            takes: &[("data", "message")],
        };
        const SESSION: Beside = Beside {
            table: "session",
            by: "id",
            of: "session_id",
            takes: &[("directory", "directory"), ("parent_id", "parent_id")],
        };
        &[Table {
            name: "part",
            needs: &["id", "message_id", "session_id", "data", "time_updated"],
            takes: &["time_created"],
            changed: Some("time_updated"),
            beside: &[MESSAGE, SESSION],
            ..Table::PLAIN
        }]
    }

    fn detect(&self, schema: &Schema, _path: &Path) -> bool {
        self.tables().iter().all(|table| schema.has(table))
            && schema.column("message", "data")
            && schema.column("session", "directory")
    }

    fn reader(&self, file: &FileContext) -> Box<dyn Reader> {
        Box::new(Store { file: file.clone() })
    }
}

/// What is known of a part beside itself.
#[derive(Default)]
struct Around {
    message: Option<Map<String, Value>>,
    /// The folder in which the session works.
    folder: Option<String>,
    /// Another session asked for this one.
    child: bool,
}

struct Files {
    talk: Conversation,
    /// The folder in which parts, messages and sessions lie.
    storage: Option<PathBuf>,
}

impl Objects for Files {
    fn talk(&self) -> &Conversation {
        &self.talk
    }

    fn talk_mut(&mut self) -> &mut Conversation {
        &mut self.talk
    }

    fn object(&mut self, object: &Map<String, Value>, place: Place, out: &mut Vec<Outcome>) {
        let session = text(object, "sessionID").unwrap_or_default();
        let message = text(object, "messageID").unwrap_or_default();
        let around = self.around(session, message);
        part(&mut self.talk, object, &around, place, out);
    }
}

/// Takes a part.
fn part(
    talk: &mut Conversation,
    object: &Map<String, Value>,
    around: &Around,
    place: Place,
    out: &mut Vec<Outcome>,
) {
    let message = around.message.as_ref();
    talk.session = text(object, "sessionID").map(str::to_owned);
    let within = message.and_then(|message| message.get("path")?.get("cwd")?.as_str());
    let folder = around.folder.as_deref().or(within);
    folder.unwrap_or_default().clone_into(&mut talk.org);
    talk.subagent = around.child;
    if talk.leaves_out(out) {
        return;
    }
    let sent = message.and_then(|message| message.get("time"));
    if let Some(sent) = sent.and_then(Value::as_object) {
        talk.time(sent, "created", out);
    }
    let role = message.and_then(|message| text(message, "role"));
    let mut turn = Turn {
        role: match role {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => Role::System,
        },
        id: text(object, "id"),
        at: None,
        place,
        changes: true,
    };
    if let Some(time) = object.get("time").and_then(Value::as_object) {
        turn.at = talk.time(time, "start", out);
    }
    turn.at = turn.at.or(talk.last_time);
    let said = text(object, "text").unwrap_or_default();
    let is = |key: &str| object.get(key) == Some(&Value::Bool(true));
    match text(object, "type").unwrap_or_default() {
        "text" if is("synthetic") || is("ignored") => skip(out, reason::INJECTED),
        "text" => {
            if turn.role == Role::System {
                out.push(Outcome::Note("whose words these are is not known"));
            }
            let summary =
                message.is_some_and(|message| message.get("summary") == Some(&Value::Bool(true)));
            let kind = if summary { Kind::Summary } else { Kind::Text };
            if summary {
                turn.role = Role::System;
            }
            talk.give(&turn, kind, said, out);
        }
        "reasoning" => {
            turn.role = Role::Assistant;
            talk.give(&turn, Kind::Thinking, said, out);
        }
        "tool" => tool(talk, &turn, object, out),
        "subtask" => {
            let name = text(object, "agent").unwrap_or("subtask");
            let input = serde_json::json!({
                "prompt": object.get("prompt"), "description": object.get("description"),
            });
            talk.call(&turn, None, name, &input, out);
        }
        "file" => {
            let picture = text(object, "mime").is_some_and(|mime| mime.starts_with("image/"));
            skip(
                out,
                if picture {
                    reason::IMAGE
                } else {
                    "a file that is only named"
                },
            );
        }
        "step-start" | "step-finish" | "snapshot" | "patch" | "agent" | "retry" | "compaction" => {
            skip(out, "session event");
        }
        kind => out.push(Outcome::Skip(unknown(kind))),
    }
}

fn tool(
    talk: &mut Conversation,
    turn: &Turn<'_>,
    object: &Map<String, Value>,
    out: &mut Vec<Outcome>,
) {
    let name = text(object, "tool").unwrap_or("tool");
    let id = text(object, "callID");
    let nothing = Map::new();
    let state = object.get("state").and_then(Value::as_object);
    let state = state.unwrap_or(&nothing);
    // Its arguments are still streaming.
    if text(state, "status") == Some("pending") {
        return skip(out, "not finished yet");
    }
    let time = state.get("time").and_then(Value::as_object);
    let mut turn = *turn;
    if let Some(time) = time {
        turn.at = talk.time(time, "start", out).or(turn.at);
    }
    let input = state.get("input").unwrap_or(&Value::Null);
    talk.call(&turn, id, name, input, out);
    let Some(answer) = state.get("output").or_else(|| state.get("error")) else {
        return;
    };
    if let Some(time) = time {
        turn.at = talk.time(time, "end", out).or(turn.at);
    }
    talk.answer(&turn, id, Some(name), answer, out);
}

impl Files {
    fn message_of(&self, session: &str, message: &str) -> Option<Map<String, Value>> {
        let folder = self.storage.as_ref()?.join("message");
        read(
            &folder
                .join(plain(session)?)
                .join(format!("{}.json", plain(message)?)),
        )
    }

    /// Whose words a session's part is, where the session works, and who asked for it.
    fn around(&self, session: &str, message: &str) -> Around {
        let found = self.storage.as_ref().and_then(|storage| {
            let name = format!("{}.json", plain(session)?);
            let projects = std::fs::read_dir(storage.join("session")).ok()?;
            projects
                .flatten()
                .find_map(|project| read(&project.path().join(&name)))
        });
        Around {
            message: self.message_of(session, message),
            folder: found
                .as_ref()
                .and_then(|found| text(found, "directory").map(str::to_owned)),
            child: found.is_some_and(|found| found.contains_key("parentID")),
        }
    }
}

/// Reads the database.
struct Store {
    file: FileContext,
}

impl Reader for Store {
    fn row(
        &mut self,
        _table: &str,
        row: &Map<String, Value>,
        place: Place,
        out: &mut Vec<Outcome>,
    ) {
        let object = |key: &str, out: &mut Vec<Outcome>| {
            let text = text(row, key)?;
            json::objects(&Line { text, place }, out).into_iter().next()
        };
        let before = out.len();
        let Some(mut data) = object("data", out) else {
            if out.len() == before {
                skip(out, reason::EMPTY);
            }
            return;
        };
        for (key, column) in [
            ("id", "id"),
            ("sessionID", "session_id"),
            ("messageID", "message_id"),
        ] {
            data.insert(key.to_owned(), row.get(column).cloned().unwrap_or_default());
        }
        let around = Around {
            message: object("message", &mut Vec::new()),
            folder: text(row, "directory").map(str::to_owned),
            child: text(row, "parent_id").is_some(),
        };
        // Nothing of one part says anything about another.
        let mut talk = Conversation::new("opencode", None, &self.file);
        talk.time(row, "time_created", out);
        part(&mut talk, &data, &around, place, out);
    }

    fn scope(&self) -> Scope {
        Conversation::new("opencode", None, &self.file).scope()
    }
}

/// A name that leads nowhere else.
fn plain(name: &str) -> Option<&str> {
    let safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    (!name.is_empty() && name.chars().all(safe)).then_some(name)
}

fn read(path: &Path) -> Option<Map<String, Value>> {
    let mut bytes = Vec::new();
    File::open(path)
        .ok()?
        .take(LONGEST)
        .read_to_end(&mut bytes)
        .ok()?;
    serde_json::from_slice(&bytes).ok()
}
