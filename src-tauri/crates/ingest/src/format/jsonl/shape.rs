//! Records that hold what they say one level further in, or under keys that are written with capitals.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::keys::{TEXT, found, is_text};
use super::turns;

/// Keys under which a record can lie within another one.
const WITHIN: [&str; 6] = ["data", "payload", "item", "record", "kwargs", "event"];
/// More records within records than any program writes.
const DEEPEST: usize = 4;

/// The record with its keys as others write them: `Question` and `QUESTION` are `question`, what lies
/// in `data` or `payload` stands beside what is said of it, and `metadata` belongs to it as well.
pub(super) fn plain(object: &Map<String, Value>) -> Cow<'_, Map<String, Value>> {
    let mut plain = lowered(object);
    for _ in 0..DEEPEST {
        let Some(inner) = inner(&plain) else {
            break;
        };
        let mut joined = plain.into_owned();
        joined.remove(inner.0);
        joined.extend(lowered(&inner.1).into_owned());
        plain = Cow::Owned(joined);
    }
    for key in ["metadata", "meta"] {
        let Some(Value::Object(about)) = plain.get(key).cloned() else {
            continue;
        };
        let said = |value: &Value| value.is_string() || value.is_number();
        let about = lowered(&about).into_owned().into_iter();
        for (key, value) in about.filter(|(_, value)| said(value)) {
            if !TEXT.contains(&key.as_str()) && !plain.contains_key(&key) {
                plain.to_mut().insert(key, value);
            }
        }
    }
    plain
}

/// Words that are written `Like` this or `LIKE` this, and nothing else.
fn lowered(object: &Map<String, Value>) -> Cow<'_, Map<String, Value>> {
    let capital = |key: &str| {
        let mut letters = key.bytes();
        letters
            .next()
            .is_some_and(|first| first.is_ascii_uppercase())
            && key
                .bytes()
                .all(|letter| letter.is_ascii_alphabetic() || letter == b'_')
            && (letters.clone().all(|letter| letter.is_ascii_lowercase())
                || letters.all(|letter| !letter.is_ascii_lowercase()))
    };
    if !object.keys().any(|key| capital(key)) {
        return Cow::Borrowed(object);
    }
    let lower = |key: &String| {
        let lower = key.to_ascii_lowercase();
        if capital(key) && !object.contains_key(&lower) {
            lower
        } else {
            key.clone()
        }
    };
    Cow::Owned(
        object
            .iter()
            .map(|(key, value)| (lower(key), value.clone()))
            .collect(),
    )
}

/// The record within a record that says nothing itself.
fn inner(object: &Map<String, Value>) -> Option<(&'static str, Map<String, Value>)> {
    if found(object, &TEXT[..5], is_text).is_some() || turns::expand(object).is_some() {
        return None;
    }
    WITHIN.iter().find_map(|key| {
        let inner = object.get(*key)?.as_object()?;
        let says = found(inner, &TEXT[..8], is_text).is_some()
            || inner.contains_key("tool_calls")
            || turns::expand(inner).is_some();
        says.then(|| (*key, inner.clone()))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_record_within_a_record_stands_beside_what_is_said_of_it() {
        for (record, wanted) in [
            (
                json!({"data": {"role": "user", "content": "x"}, "ts": 1}),
                json!({"role": "user", "content": "x", "ts": 1}),
            ),
            (
                json!({"payload": {"message": {"role": "user", "content": "x"}}}),
                json!({"message": {"role": "user", "content": "x"}}),
            ),
            (
                json!({"Role": "user", "CONTENT": "x", "createdAt": 1}),
                json!({"role": "user", "content": "x", "createdAt": 1}),
            ),
            (
                json!({"text": "x", "metadata": {"role": "user", "n": [1]}}),
                json!({"text": "x", "role": "user", "metadata": {"role": "user", "n": [1]}}),
            ),
            (
                json!({"text": "x", "data": {"text": "y"}}),
                json!({"text": "x", "data": {"text": "y"}}),
            ),
        ] {
            assert_eq!(
                Value::Object(plain(record.as_object().unwrap()).into_owned()),
                wanted
            );
        }
    }
}
