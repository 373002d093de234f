//! A record that holds more than one turn: a whole conversation, or what was asked beside what was
//! answered, each of them a text, parts, a message, a list of messages or the answer of a provider.

use serde_json::{Map, Value};

use super::keys::{LEVEL, ROLE, TEXT, TOOL, found, is_text, role_of, scalar};
use crate::format::{content, reason};

/// Keys under which a record holds a whole conversation.
const CONVERSATION: [&str; 11] = [
    "messages",
    "conversations",
    "turns",
    "history",
    "contents",
    "conversation",
    "chat",
    "chat_history",
    "dialog",
    "dialogue",
    "transcript",
];
/// Keys of what the conversation begins with.
const SYSTEM: [&str; 5] = [
    "system",
    "system_prompt",
    "system_message",
    "system_instruction",
    "systemInstruction",
];
/// Keys of what was asked. The others may be names as well (`"user": "ada"`), so that they count
/// only in a record that has no text but these.
const ASKED: [&str; 11] = [
    "prompt",
    "question",
    "query",
    "instruction",
    "input",
    "request",
    "user_message",
    "user_input",
    "user_prompt",
    "user_query",
    "inputs",
];
const ASKED_OR_NAME: [&str; 3] = ["user", "human", "q"];
/// Keys of what was answered; those of the second list may mean something else beside a text, those
/// of the third may be names.
const ANSWERED: [&str; 13] = [
    "response",
    "responses",
    "answer",
    "answers",
    "assistant_response",
    "bot_response",
    "generated_text",
    "completion",
    "reply",
    "assistant_message",
    "ai_message",
    "choices",
    "candidates",
];
const ANSWERED_ALONE: [&str; 3] = ["output", "outputs", "chosen"];
const ANSWERED_OR_NAME: [&str; 4] = ["assistant", "ai", "bot", "a"];
/// Keys inside one side under which the words are.
const WITHIN: [&str; 11] = [
    "question",
    "query",
    "input",
    "message",
    "body",
    "data",
    "result",
    "value",
    "answer",
    "generations",
    "outputs",
];
/// More sides within sides than any program writes.
const DEEPEST: u8 = 8;

/// Whether a record that holds turns may hold one under this key.
pub(super) fn is_key(key: &str) -> bool {
    let all: [&[&str]; 7] = [
        &CONVERSATION,
        &SYSTEM,
        &ASKED,
        &ASKED_OR_NAME,
        &ANSWERED,
        &ANSWERED_ALONE,
        &ANSWERED_OR_NAME,
    ];
    all.iter().any(|keys| keys.contains(&key)) || ["context", "rejected"].contains(&key)
}

/// One turn.
#[derive(Debug)]
pub(super) enum Turn {
    /// A message with its role, as far as it is known.
    Said(Map<String, Value>),
    /// Left out, and why.
    Left(&'static str),
}

/// The turns of a record, in their order.
#[derive(Debug, Default)]
pub(super) struct Turns {
    pub turns: Vec<Turn>,
    /// They are messages of a conversation, rather than a question and its answer.
    pub conversation: bool,
}

/// What a record holds when it holds more than one turn.
pub(super) fn expand(object: &Map<String, Value>) -> Option<Turns> {
    expanded(object, DEEPEST)
}

fn expanded(object: &Map<String, Value>, depth: u8) -> Option<Turns> {
    let depth = depth.checked_sub(1)?;
    let mut all = Turns::default();
    let mut taken: Vec<&str> = Vec::new();
    let messages = CONVERSATION.iter().find_map(|key| {
        let items = object.get(*key)?.as_array()?;
        let holds = items
            .iter()
            .any(|item| item.is_object() || is_exchange(item));
        holds.then_some((*key, items))
    });
    if let Some((key, items)) = messages {
        taken.push(key);
        all.conversation = true;
        for item in items {
            all.turns.extend(side(item, None, depth).turns);
        }
    } else if is_about_tool(object)
        || found(object, &LEVEL, |level| scalar(level).is_some()).is_some()
    {
        return None;
    }
    let own = found(object, &TEXT[..5], is_text).filter(|_| messages.is_none());
    let plain = !TEXT.iter().any(|key| {
        !ASKED.contains(key) && *key != "output" && object.get(*key).is_some_and(is_text)
    });
    let mut first = |keys: &[&[&'static str]], role: &str| -> Option<Turns> {
        keys.iter().flat_map(|keys| keys.iter()).find_map(|key| {
            let found = side(object.get(*key)?, Some(role), depth);
            let says = found.turns.iter().any(|turn| matches!(turn, Turn::Said(_)));
            says.then(|| {
                taken.push(key);
                found
            })
        })
    };
    let answered = match (own, plain && messages.is_none()) {
        (Some(_), _) => first(&[&ANSWERED], "assistant"),
        (None, true) => first(
            &[&ANSWERED, &ANSWERED_ALONE, &ANSWERED_OR_NAME],
            "assistant",
        ),
        (None, false) => first(&[&ANSWERED, &ANSWERED_ALONE], "assistant"),
    };
    let asked = match (own, plain && messages.is_none()) {
        (Some(_), _) => None,
        (None, true) => first(&[&ASKED, &ASKED_OR_NAME], "user"),
        (None, false) => first(&[&ASKED], "user"),
    };
    let mut asked = asked.unwrap_or_default();
    if taken.contains(&"instruction")
        && let (Some(Turn::Said(said)), Some(input)) = (asked.turns.last_mut(), object.get("input"))
        && let Some(input) = words(input)
        && let Some(Value::String(text)) = said.get_mut("content")
    {
        text.push_str("\n\n");
        text.push_str(&input);
        taken.push("input");
    }
    let answered = answered.unwrap_or_default();
    all.conversation |= asked.conversation || answered.conversation;
    let both = !answered.turns.is_empty() && (own.is_some() || !asked.turns.is_empty());
    // What a provider answers, and a dataset's better answer, are answers also alone.
    let surely = ["choices", "candidates", "chosen"]
        .iter()
        .any(|key| taken.contains(key));
    if !both && !all.conversation && !surely {
        return None;
    }
    if own.is_some() {
        let mut said = object.clone();
        said.retain(|key, _| !taken.contains(&key.as_str()) && !SYSTEM.contains(&key.as_str()));
        if !says_its_role(&said) {
            said.insert("role".to_owned(), "user".into());
        }
        asked.turns.push(Turn::Said(said));
    }
    // A dataset's question is often the first message of its answer as well.
    let known: Vec<String> = all
        .turns
        .iter()
        .chain(&answered.turns)
        .filter_map(text_of)
        .collect();
    asked
        .turns
        .retain(|turn| text_of(turn).is_none_or(|text| !known.contains(&text)));
    let known: Vec<String> = all.turns.iter().filter_map(text_of).collect();
    all.turns.extend(asked.turns);
    let new = answered.turns.into_iter();
    all.turns
        .extend(new.filter(|turn| text_of(turn).is_none_or(|text| !known.contains(&text))));
    if let Some(system) = SYSTEM.iter().find_map(|key| words(object.get(*key)?)) {
        all.turns.insert(0, Turn::Said(message(system, "system")));
    }
    all.count_others(object, &taken, own.is_some());
    Some(all)
}

impl Turns {
    /// What is said in them.
    pub(super) fn texts(&self) -> Vec<String> {
        self.turns.iter().filter_map(text_of).collect()
    }

    /// What a record says besides is counted.
    fn count_others(&mut self, object: &Map<String, Value>, taken: &[&str], own: bool) {
        let said: Vec<String> = self.turns.iter().filter_map(text_of).collect();
        let texts: &[&str] = if own { &[] } else { &TEXT };
        let mut keys: Vec<&str> = [
            texts,
            &ASKED,
            &ANSWERED,
            &ANSWERED_ALONE,
            &["context", "rejected"],
        ]
        .concat();
        keys.sort_unstable();
        keys.dedup();
        for key in keys.into_iter().filter(|key| !taken.contains(key)) {
            let Some(text) = object.get(key).and_then(words) else {
                continue;
            };
            if !said.iter().any(|said| said.contains(text.trim())) {
                self.turns.push(Turn::Left(match key {
                    "rejected" => reason::REJECTED,
                    _ => reason::OTHER_TEXT,
                }));
            }
        }
    }
}

/// What one side says.
fn side(value: &Value, role: Option<&str>, depth: u8) -> Turns {
    let mut all = Turns::default();
    let Some(depth) = depth.checked_sub(1) else {
        all.turns.push(Turn::Left(reason::PART));
        return all;
    };
    match value {
        Value::String(text) if !text.trim().is_empty() => {
            let mut said = message(text.clone(), role.unwrap_or_default());
            if role.is_none() {
                said.remove("role");
            }
            all.turns.push(Turn::Said(said));
        }
        Value::Array(items) if role.is_none() && is_exchange(value) => {
            for (said, role) in items.iter().zip(["user", "assistant"]) {
                if !said.is_null() {
                    all.turns.extend(side(said, Some(role), depth).turns);
                }
            }
        }
        Value::Array(items) if items.iter().any(holds_message) => {
            for item in items {
                let found = if holds_message(item) {
                    side(item, role, depth)
                } else {
                    // A part among messages, such as a call.
                    parts(&Value::Array(vec![item.clone()]), role)
                };
                all.conversation |= found.conversation;
                all.turns.extend(found.turns);
            }
        }
        Value::Array(items) if !items.is_empty() => return parts(value, role),
        Value::Object(object) => return of_object(object, role, depth),
        Value::Null => {}
        _ if role.is_none() => all.turns.push(Turn::Left(reason::PART)),
        _ => {}
    }
    all
}

fn of_object(object: &Map<String, Value>, role: Option<&str>, depth: u8) -> Turns {
    if let Some(turns) = expanded(object, depth) {
        return turns;
    }
    let mut all = Turns::default();
    if let Some(inner) = object.get("message").filter(|inner| inner.is_object()) {
        return side(inner, role, depth);
    }
    let known = says_its_role(object);
    let speaks = TEXT.iter().any(|key| object.get(*key).is_some_and(is_text))
        || object.get("parts").is_some_and(is_text);
    if speaks || known || object.contains_key("tool_calls") || role.is_none() {
        let mut said = object.clone();
        if let (Some(role), false) = (role, known) {
            said.insert("role".to_owned(), role.into());
        }
        if !TEXT.iter().any(|key| said.contains_key(*key))
            && let Some(parts) = said.remove("parts")
        {
            said.insert("content".to_owned(), parts);
        }
        all.conversation = known;
        all.turns.push(Turn::Said(said));
        return all;
    }
    WITHIN
        .iter()
        .filter_map(|key| object.get(*key))
        .map(|inner| side(inner, role, depth))
        .find(|found| !found.turns.is_empty())
        .unwrap_or_default()
}

fn parts(value: &Value, role: Option<&str>) -> Turns {
    let mut all = Turns::default();
    let flat = content::flat(value);
    if flat.words || flat.pictures {
        let mut said = Map::from_iter([("content".to_owned(), value.clone())]);
        said.extend(role.map(|role| ("role".to_owned(), role.into())));
        all.turns.push(Turn::Said(said));
    }
    all
}

fn message(text: String, role: &str) -> Map<String, Value> {
    Map::from_iter([
        ("role".to_owned(), role.into()),
        ("content".to_owned(), text.into()),
    ])
}

fn words(value: &Value) -> Option<String> {
    let text = value.is_string() || value.is_array() || value.is_object() && is_text(value);
    let flat = text.then(|| content::flat(value))?;
    flat.words.then_some(flat.text)
}

fn text_of(turn: &Turn) -> Option<String> {
    match turn {
        Turn::Said(said) => TEXT.iter().find_map(|key| words(said.get(*key)?)),
        Turn::Left(_) => None,
    }
}

/// Two texts without names: a question and its answer.
fn is_exchange(item: &Value) -> bool {
    let text = |item: &Value| item.is_string() || item.is_null();
    item.as_array()
        .is_some_and(|items| items.len() == 2 && items.iter().all(text))
}

/// Whether an item of a list is a message rather than a part of one.
fn holds_message(item: &Value) -> bool {
    item.as_object().is_some_and(|object| {
        says_its_role(object)
            || ["message", "messages", "parts"]
                .iter()
                .any(|key| object.contains_key(*key))
            || object.get("content").is_some_and(Value::is_object)
            || !object.contains_key("type") && object.get("text").is_some()
    })
}

fn says_its_role(object: &Map<String, Value>) -> bool {
    role_words(object).any(|word| role_of(word).is_some())
}

fn role_words(object: &Map<String, Value>) -> impl Iterator<Item = &str> {
    ROLE.iter().filter_map(|key| {
        let value = object.get(*key)?;
        let named = value.get("role").or_else(|| value.get("name"));
        Some(named.unwrap_or(value).as_str()?.trim())
    })
}

fn is_about_tool(object: &Map<String, Value>) -> bool {
    role_words(object).find_map(role_of) == Some(memory::Role::Tool)
        || found(object, &TOOL[..4], |value| scalar(value).is_some()).is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Role and text of each turn, `!` and the reason of what was left out.
    fn turns(record: &Value) -> Vec<(String, String)> {
        let Some(found) = expand(record.as_object().unwrap()) else {
            return Vec::new();
        };
        let said = |turn: &Turn| match turn {
            Turn::Said(said) => (
                said.get("role")
                    .and_then(Value::as_str)
                    .unwrap_or("?")
                    .to_owned(),
                text_of(turn).unwrap_or_default(),
            ),
            Turn::Left(why) => ("!".to_owned(), (*why).to_owned()),
        };
        found.turns.iter().map(said).collect()
    }

    #[test]
    fn both_sides_of_every_shape_become_turns() {
        let asked = [
            ("prompt", json!("q")),
            ("question", json!({"text": "q"})),
            ("query", json!([{"type": "text", "text": "q"}])),
            (
                "input",
                json!({"messages": [{"role": "user", "content": "q"}]}),
            ),
            ("request", json!({"body": {"prompt": "q"}})),
            (
                "request",
                json!({"contents": [{"role": "user", "parts": [{"text": "q"}]}]}),
            ),
            ("messages", json!([{"role": "user", "content": "q"}])),
            ("history", json!([["q", null]])),
            ("user", json!("q")),
            ("human", json!("q")),
            ("user_message", json!("q")),
            (
                "contents",
                json!([{"role": "user", "parts": [{"text": "q"}]}]),
            ),
            ("text", json!("q")),
            ("content", json!([{"type": "text", "text": "q"}])),
            ("message", json!({"role": "user", "content": "q"})),
        ];
        let answered = [
            ("response", json!("a")),
            ("response", json!({"text": "a"})),
            (
                "response",
                json!({"choices": [{"message": {"role": "assistant", "content": "a"}}]}),
            ),
            (
                "response",
                json!({"body": {"choices": [{"message": {"content": "a"}}]}}),
            ),
            (
                "response",
                json!({"candidates": [{"content": {"role": "model", "parts": [{"text": "a"}]}}]}),
            ),
            (
                "response",
                json!({"message": {"role": "assistant", "content": "a"}}),
            ),
            (
                "response",
                json!({"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "a"}]}]}),
            ),
            ("answer", json!([{"type": "text", "text": "a"}])),
            ("answers", json!(["a"])),
            ("answers", json!({"text": ["a"], "answer_start": [3]})),
            ("completion", json!([{"role": "assistant", "content": "a"}])),
            ("choices", json!([{"text": "a", "index": 0}])),
            (
                "choices",
                json!([{"message": {"role": "assistant", "content": "a"}}]),
            ),
            ("assistant_message", json!("a")),
        ];
        for (asked_key, question) in &asked {
            for (answered_key, answer) in &answered {
                let record = json!({*asked_key: question, *answered_key: answer});
                let found: Vec<String> = turns(&record).into_iter().map(|(_, text)| text).collect();
                assert_eq!(found, ["q", "a"], "{record}");
                let roles: Vec<String> = turns(&record).into_iter().map(|(role, _)| role).collect();
                let known = |role: &String, wanted| role_of(role) == Some(wanted);
                assert!(
                    known(&roles[1], memory::Role::Assistant),
                    "{record}: {roles:?}"
                );
                assert!(
                    known(&roles[0], memory::Role::User) || *asked_key == "message",
                    "{record}: {roles:?}"
                );
            }
        }
    }

    #[test]
    fn what_stands_beside_is_kept_or_counted() {
        let pair = |role: &str, text: &str| (role.to_owned(), text.to_owned());
        for (record, wanted) in [
            (
                json!({"system": "be kind", "prompt": "p", "response": "r"}),
                vec![
                    pair("system", "be kind"),
                    pair("user", "p"),
                    pair("assistant", "r"),
                ],
            ),
            (
                json!({"prompt": "p", "chosen": "good", "rejected": "bad"}),
                vec![
                    pair("user", "p"),
                    pair("assistant", "good"),
                    pair("!", reason::REJECTED),
                ],
            ),
            (
                json!({"prompt": "p", "chosen": [{"role": "user", "content": "p"}, {"role": "assistant", "content": "g"}]}),
                vec![pair("user", "p"), pair("assistant", "g")],
            ),
            (
                json!({"context": "the depot", "question": "q", "answer": "a"}),
                vec![
                    pair("user", "q"),
                    pair("assistant", "a"),
                    pair("!", reason::OTHER_TEXT),
                ],
            ),
            (
                json!({"instruction": "do", "input": "it", "output": "done"}),
                vec![pair("user", "do\n\nit"), pair("assistant", "done")],
            ),
            (
                json!({"user": "hello", "assistant": "hi"}),
                vec![pair("user", "hello"), pair("assistant", "hi")],
            ),
            (
                json!({"turns": [{"question": "q1", "answer": "a1"}, {"human": "q2", "ai": "a2"}]}),
                vec![
                    pair("user", "q1"),
                    pair("assistant", "a1"),
                    pair("user", "q2"),
                    pair("assistant", "a2"),
                ],
            ),
            (
                json!({"messages": [{"role": "user", "content": "q"}], "text": "and a note"}),
                vec![pair("user", "q"), pair("!", reason::OTHER_TEXT)],
            ),
        ] {
            assert_eq!(turns(&record), wanted, "{record}");
        }
    }

    #[test]
    fn one_text_is_no_exchange() {
        for record in [
            json!({"role": "user", "content": "x"}),
            json!({"user": "ada", "message": "x"}),
            json!({"user": "ada", "assistant": "helper", "event": "joined"}),
            json!({"level": "info", "msg": "served", "response": "ok"}),
            json!({"request": {"method": "GET"}, "response": {"status": 200}}),
            json!({"tool_name": "ls", "input": "x", "output": "y"}),
            json!({"role": "tool", "input": "x", "output": "y"}),
            json!({"prompt": "x"}),
            json!({"type": "event", "text": "x", "output": "y"}),
        ] {
            assert!(turns(&record).is_empty(), "{record}");
        }
        let mut deep = json!("x");
        for _ in 0..100 {
            deep = json!({ "response": deep });
        }
        assert!(turns(&json!({"prompt": "q", "response": deep})).len() <= 2);
    }
}
