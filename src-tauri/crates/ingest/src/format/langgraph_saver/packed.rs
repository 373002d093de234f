//! Takes LangGraph's MessagePack apart. Objects of Python stand in it as types of its own: bytes that
//! are MessagePack again, with the module, the class and what the object is made of. Nothing of them is
//! made or called; a message becomes what LangChain writes as JSON, of others what they hold is kept.

use rmpv::Value as Packed;
use rmpv::decode::read_value_with_max_depth;
use serde_json::{Map, Number, Value, json};

/// Deeper ones are not taken apart.
const DEPTH: usize = 100;

// Types of objects: those of one argument, of several, of named ones; made by a method; models of two
// generations; arrays of numbers, which say nothing; and a channel's whole value among its changes.
const SINGLE: i8 = 0;
const POSITIONAL: i8 = 1;
const NAMED: i8 = 2;
const METHOD: i8 = 3;
const MODEL_1: i8 = 4;
const MODEL_2: i8 = 5;
const SNAPSHOT: i8 = 7;

/// What bytes hold, where they are a state or a part of one, as MessagePack or JSON.
pub(super) fn unpack(bytes: &[u8]) -> Option<Value> {
    // No state is the single number that this would be.
    if bytes.first() == Some(&b'{') {
        return serde_json::from_slice(bytes).ok();
    }
    if bytes.is_empty() {
        return Some(Value::Null);
    }
    whole(bytes, DEPTH)
}

/// One value that is all of the bytes.
fn whole(mut bytes: &[u8], depth: usize) -> Option<Value> {
    let value = read_value_with_max_depth(&mut bytes, depth).ok()?;
    if bytes.is_empty() {
        plain(value, depth)
    } else {
        None
    }
}

fn plain(value: Packed, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    Some(match value {
        Packed::Nil => Value::Null,
        Packed::Boolean(is) => is.into(),
        Packed::Integer(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into(),
            (None, number) => number.into(),
        },
        Packed::F32(number) => Number::from_f64(number.into()).into(),
        Packed::F64(number) => Number::from_f64(number).into(),
        Packed::String(text) => String::from_utf8_lossy(text.as_bytes()).into(),
        Packed::Binary(bytes) => format!("[{} bytes]", bytes.len()).into(),
        Packed::Array(items) => {
            let items = items.into_iter().map(|item| plain(item, depth));
            Value::Array(items.collect::<Option<_>>()?)
        }
        Packed::Map(entries) => {
            let mut object = Map::new();
            for (key, held) in entries {
                let key = match plain(key, depth)? {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                object.insert(key, plain(held, depth)?);
            }
            Value::Object(object)
        }
        Packed::Ext(kind, bytes) => object(kind, &bytes, depth),
    })
}

/// What an object holds. One that is damaged or of a kind of tomorrow leaves the rest as it is.
fn object(kind: i8, bytes: &[u8], depth: usize) -> Value {
    if kind == SNAPSHOT {
        return whole(bytes, depth).unwrap_or_default();
    }
    if !(SINGLE..=MODEL_2).contains(&kind) {
        return Value::Null;
    }
    let Some(Value::Array(parts)) = whole(bytes, depth) else {
        return Value::Null;
    };
    let mut parts = parts.into_iter();
    let (Some(Value::String(module)), Some(Value::String(class)), Some(held)) =
        (parts.next(), parts.next(), parts.next())
    else {
        return Value::Null;
    };
    match kind {
        MODEL_1 | MODEL_2 | NAMED => {
            let id: Vec<&str> = module.split('.').chain([class.as_str()]).collect();
            json!({"lc": 2, "type": "constructor", "id": id, "kwargs": held})
        }
        SINGLE | POSITIONAL | METHOD => held,
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(value: &Packed) -> Vec<u8> {
        let mut bytes = Vec::new();
        rmpv::encode::write_value(&mut bytes, value).unwrap();
        bytes
    }

    fn object(kind: i8, parts: &[Packed]) -> Packed {
        Packed::Ext(kind, packed(&Packed::Array(parts.to_vec())))
    }

    #[test]
    fn objects_become_what_they_hold() {
        let fields = Packed::Map(vec![("content".into(), "said".into())]);
        let human = object(
            5,
            &["a.b".into(), "HumanMessage".into(), fields, "m".into()],
        );
        let date = object(3, &["datetime".into(), "datetime".into(), "2026".into()]);
        let set = object(
            0,
            &[
                "builtins".into(),
                "set".into(),
                Packed::Array(vec![1.into()]),
            ],
        );
        let state = Packed::Map(vec![
            (
                "messages".into(),
                Packed::Ext(7, packed(&Packed::Array(vec![human]))),
            ),
            ("when".into(), date),
            (7.into(), set),
            ("bytes".into(), Packed::Binary(vec![0; 9])),
            ("none".into(), Packed::F64(f64::NAN)),
            ("large".into(), u64::MAX.into()),
            ("later".into(), Packed::Ext(99, vec![1])),
            ("torn".into(), Packed::Ext(5, vec![0x93, 0xa1])),
        ]);
        assert_eq!(
            unpack(&packed(&state)).unwrap(),
            json!({
                "messages": [{"lc": 2, "type": "constructor", "id": ["a", "b", "HumanMessage"],
                    "kwargs": {"content": "said"}}],
                "when": "2026", "7": [1], "bytes": "[9 bytes]", "none": null, "large": u64::MAX,
                "later": null, "torn": null,
            })
        );
        assert_eq!(unpack(b"{\"v\": 1}").unwrap(), json!({"v": 1}));
    }

    #[test]
    fn bytes_of_another_kind_are_nothing() {
        let mut inner = packed(&Packed::Nil);
        for _ in 0..5000 {
            inner = packed(&Packed::Ext(7, inner));
        }
        let lists = vec![0x91; 200_000];
        let mut pickled = b"\x80\x04\x95".to_vec();
        pickled.extend([0; 20]);
        for bytes in [
            // Longer than anything: a list, a map, text, bytes, and a type.
            &[0xdd, 0xff, 0xff, 0xff, 0xff][..],
            &[0xdf, 0xff, 0xff, 0xff, 0xff],
            &[0xdb, 0xff, 0xff, 0xff, 0xff, b'a'],
            &[0xc6, 0xff, 0xff, 0xff, 0xff],
            &[0xc9, 0xff, 0xff, 0xff, 0xff, 5],
            &lists,
            &pickled,
            b"{torn",
            b"plain text",
        ] {
            assert_eq!(unpack(bytes), None, "{:?}", &bytes[..bytes.len().min(8)]);
        }
        // Too deep is left aside where it begins.
        assert!(unpack(&inner).is_some());
    }
}
