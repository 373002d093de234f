//! The conversation that an agent's question was asked in, found again in the logs: what it had heard by
//! then, and what it said after.

use std::collections::BTreeMap;

use memory::{Kind, Memory, MemoryId, Millis, Reader, Role, Turn, Turns, VaultError};
use retrieval::usage::plain;
use serde_json::Value;

/// How long before a question, in milliseconds, a person may have said what it repeats: an agent may
/// work for a while before it asks its memory.
const BEFORE: Millis = 30 * 60_000;

/// How long after: a hook runs before the agent has written the prompt down.
const AFTER: Millis = 15_000;

/// The time within which an answer is looked for.
const ANSWERED_WITHIN: Millis = 24 * 3_600_000;

/// Turns in which a question is looked for, the latest.
const SEARCHED: u32 = 500;

/// Bytes of a question, folded, from which on a turn that contains it is its own. A shorter one, `kettle`
/// say, must be all that was said.
const CONTAINED_FROM: usize = 12;

/// What is read of an answer: records, and bytes of them.
const ANSWER_RECORDS: usize = 50;
const ANSWER_BYTES: usize = 64 << 10;

/// Bytes of each tool's answer in between.
const TOLD_BYTES: usize = 64 << 10;

/// What is read of the conversation before.
const KNOWN_RECORDS: u32 = 200;
const KNOWN_BYTES: usize = 256 << 10;

/// Tools whose answers are the recalled memories themselves; other servers may name the first part otherwise.
const OURS: [&str; 6] = [
    "lethescope",
    "memory_search",
    "memory_context",
    "memory_get",
    "documents_search",
    "research_lookup",
];

/// A question as its trace tells of it.
pub(crate) struct Question<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: Millis,
    /// The conversation, where the agent named it.
    pub(crate) session: Option<&'a str>,
}

/// One text of a conversation.
pub(crate) struct Spoken {
    pub(crate) id: MemoryId,
    pub(crate) at: Millis,
    pub(crate) by_agent: bool,
    pub(crate) text: String,
}

/// The conversation around a question.
pub(crate) struct Conversation {
    pub(crate) session: String,
    /// The tool that asked, where a call of one was found.
    pub(crate) tool: Option<String>,
    /// What the agent had heard or said by then.
    pub(crate) known: Vec<String>,
    /// What was said after, until the person's next turn.
    pub(crate) after: Vec<Spoken>,
}

/// Finds it; `None` when no log that has been read holds it.
pub(crate) fn conversation(
    reader: &Reader<'_>,
    question: &Question<'_>,
) -> Result<Option<Conversation>, VaultError> {
    let named = match question.session {
        Some(session) if is_there(reader, session)? => Some(session),
        // Agents that go on with an old conversation may write it under its first name.
        _ => None,
    };
    let asked = asked(reader, question, named)?;
    let session = match (named, &asked) {
        (Some(session), _) => session.to_owned(),
        (None, Some((turn, _))) => turn.session.clone(),
        (None, None) => return Ok(None),
    };
    let mut known = before(reader, question, &session)?;
    let after = after(reader, question, &session, &mut known)?;
    Ok(Some(Conversation {
        session,
        tool: asked.and_then(|(_, memory)| memory.tool_name),
        known,
        after,
    }))
}

fn is_there(reader: &Reader<'_>, session: &str) -> Result<bool, VaultError> {
    let any = reader.memories().turns(&Turns {
        session: Some(session),
        from: Millis::MIN,
        until: Millis::MAX,
        asking: false,
        latest_first: false,
        limit: 1,
    })?;
    Ok(!any.is_empty())
}

/// The turn nearest in time that asked it: a person's words that hold it, or a call of one of our tools.
fn asked(
    reader: &Reader<'_>,
    question: &Question<'_>,
    session: Option<&str>,
) -> Result<Option<(Turn, Memory)>, VaultError> {
    let wanted = plain(question.text);
    if wanted.is_empty() {
        return Ok(None);
    }
    let mut turns = reader.memories().turns(&Turns {
        session,
        from: question.at.saturating_sub(BEFORE),
        until: question.at.saturating_add(AFTER),
        asking: true,
        latest_first: true,
        limit: SEARCHED,
    })?;
    turns.sort_by_key(|turn| (turn.at.abs_diff(question.at), turn.id));
    for turn in turns {
        if let Some(memory) = reader.memories().get(turn.id)?
            && asks(&memory, &wanted)
        {
            return Ok(Some((turn, memory)));
        }
    }
    Ok(None)
}

fn asks(memory: &Memory, wanted: &str) -> bool {
    let text = plain(&words_of(memory));
    if memory.kind == Kind::ToolCall {
        return is_ours(memory) && text.contains(wanted);
    }
    text == wanted || wanted.len() >= CONTAINED_FROM && text.contains(wanted)
}

/// A call or an answer of one of our tools, or a command that runs our program.
fn is_ours(memory: &Memory) -> bool {
    let name = memory.tool_name.as_deref().unwrap_or_default();
    OURS.iter().any(|ours| name.contains(ours))
        || memory.kind == Kind::ToolCall && words_of(memory).contains(OURS[0])
}

fn before(
    reader: &Reader<'_>,
    question: &Question<'_>,
    session: &str,
) -> Result<Vec<String>, VaultError> {
    let turns = reader.memories().turns(&Turns {
        session: Some(session),
        from: Millis::MIN,
        until: question.at,
        asking: false,
        latest_first: true,
        limit: KNOWN_RECORDS,
    })?;
    let memories = memories(reader, &turns)?;
    let mut known = vec![question.text.to_owned()];
    let mut room = KNOWN_BYTES;
    for turn in turns {
        let Some(memory) = memories.get(&turn.id) else {
            continue;
        };
        if room == 0 {
            break;
        }
        if memory.kind != Kind::ToolResult || !is_ours(memory) {
            let text = cut(words_of(memory), &mut room);
            known.push(text);
        }
    }
    Ok(known)
}

/// The answer begins with the first that the agent says after the question, and ends with the person's next
/// turn. What a person says before it begins is heard too.
fn after(
    reader: &Reader<'_>,
    question: &Question<'_>,
    session: &str,
    known: &mut Vec<String>,
) -> Result<Vec<Spoken>, VaultError> {
    let turns = reader.memories().turns(&Turns {
        session: Some(session),
        from: question.at,
        until: question.at.saturating_add(ANSWERED_WITHIN),
        asking: false,
        latest_first: false,
        // Thoughts and what tools answered lie between.
        limit: 4 * ANSWER_RECORDS as u32,
    })?;
    let memories = memories(reader, &turns)?;
    let mut spoken: Vec<Spoken> = Vec::new();
    let (mut records, mut room) = (0, ANSWER_BYTES);
    let mut ours_next = false;
    for turn in turns {
        let Some(memory) = memories.get(&turn.id) else {
            continue;
        };
        let by_agent =
            memory.role == Role::Assistant && matches!(memory.kind, Kind::Text | Kind::ToolCall);
        match (memory.role, memory.kind) {
            (Role::User, Kind::Text) if records > 0 => break,
            (Role::User, Kind::Text) => {
                known.push(words_of(memory));
                continue;
            }
            // Thoughts weigh a memory before it is used or not.
            (_, Kind::Thinking | Kind::Summary) => continue,
            (_, Kind::ToolResult) if ours_next || is_ours(memory) => {
                ours_next = false;
                continue;
            }
            _ => {}
        }
        if records == ANSWER_RECORDS || room == 0 {
            break;
        }
        if by_agent {
            records += 1;
            ours_next = memory.kind == Kind::ToolCall && is_ours(memory);
            if ours_next {
                // Asking once more is no answer.
                known.push(words_of(memory));
                continue;
            }
        }
        spoken.push(Spoken {
            id: turn.id,
            at: turn.at,
            by_agent,
            text: if by_agent {
                cut(words_of(memory), &mut room)
            } else {
                let mut whole = TOLD_BYTES;
                cut(words_of(memory), &mut whole)
            },
        });
    }
    Ok(spoken)
}

fn memories(reader: &Reader<'_>, turns: &[Turn]) -> Result<BTreeMap<MemoryId, Memory>, VaultError> {
    let ids: Vec<MemoryId> = turns.iter().map(|turn| turn.id).collect();
    let memories = reader.memories().get_many(&ids)?;
    Ok(memories.into_iter().map(|one| (one.id, one)).collect())
}

/// What was said, and what a call was made with.
fn words_of(memory: &Memory) -> String {
    let mut text = memory.content.clone();
    if let Some(payload) = &memory.tool_payload {
        if let Ok(value) = serde_json::from_str(payload) {
            strings(&value, &mut text);
        } else {
            text.push('\n');
            text.push_str(payload);
        }
    }
    text
}

fn strings(value: &Value, text: &mut String) {
    match value {
        Value::String(one) => {
            text.push('\n');
            text.push_str(one);
        }
        Value::Number(one) => {
            text.push('\n');
            text.push_str(&one.to_string());
        }
        Value::Array(many) => many.iter().for_each(|one| strings(one, text)),
        Value::Object(many) => many.values().for_each(|one| strings(one, text)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// At most as many bytes as there is room for, which shrinks by them.
fn cut(mut text: String, room: &mut usize) -> String {
    text.truncate(text.floor_char_boundary(text.len().min(*room)));
    *room -= text.len();
    text
}
