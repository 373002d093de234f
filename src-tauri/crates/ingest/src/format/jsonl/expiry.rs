//! When a record's time is over, by the keys that programs write it under.

use jiff::tz::TimeZone;
use memory::Millis;
use serde_json::{Map, Value};

use crate::time;

/// A moment under these keys.
const ENDS: [&str; 5] = [
    "expires_at",
    "expiresAt",
    "expires",
    "expiry",
    "valid_until",
];
/// Seconds from the record's time.
const LASTS: &str = "ttl";

/// What a record says of its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It ends at this moment, read from this key.
    At(Millis, &'static str),
    /// Something stands there that is no moment.
    NotUnderstood,
}

/// The end of a record from `at`; `None` where it says nothing of one, or that there is none.
pub(super) fn end(
    record: &Map<String, Value>,
    around: &Map<String, Value>,
    at: Option<Millis>,
    zone: &TimeZone,
) -> Option<End> {
    let written = |key: &str| {
        let here = record.get(key).filter(|value| !is_none(value));
        here.or_else(|| around.get(key).filter(|value| !is_none(value)))
    };
    if let Some((key, value)) = ENDS.into_iter().find_map(|key| Some((key, written(key)?))) {
        return Some(match time::from_json(value, zone) {
            Some(end) => End::At(end, key),
            None => End::NotUnderstood,
        });
    }
    let value = written(LASTS)?;
    let seconds = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let seconds = seconds.filter(|seconds: &f64| seconds.is_finite());
    let (Some(seconds), Some(at)) = (seconds, at) else {
        return Some(End::NotUnderstood);
    };
    // Programs write -1 for what never ends.
    (seconds >= 0.0).then(|| End::At(at.saturating_add((seconds * 1e3) as Millis), LASTS))
}

/// Programs write these for what never ends.
fn is_none(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) => true,
        Value::String(text) => matches!(
            text.trim().to_ascii_lowercase().as_str(),
            "" | "never" | "none" | "null"
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(record: Value, at: Option<Millis>) -> Option<End> {
        let Value::Object(record) = record else {
            panic!("a record is an object")
        };
        end(&record, &Map::new(), at, &TimeZone::UTC)
    }

    #[test]
    fn an_end_is_a_moment_or_seconds_from_the_records_time() {
        let at = Some(1_780_000_000_000);
        for key in ENDS {
            let record = json!({key: "2026-06-30T00:00:00Z", "ttl": 5});
            assert_eq!(of(record, at), Some(End::At(1_782_777_600_000, key)));
        }
        let record = json!({"expires": 1_782_777_600, "expiry": "2030-01-01"});
        assert_eq!(of(record, at), Some(End::At(1_782_777_600_000, "expires")));
        for ttl in [json!(90), json!("90"), json!(90.0)] {
            let found = of(json!({"ttl": ttl}), at);
            assert_eq!(found, Some(End::At(1_780_000_090_000, "ttl")));
        }
        let found = of(json!({"ttl": 0}), at);
        assert_eq!(found, Some(End::At(1_780_000_000_000, "ttl")));
    }

    #[test]
    fn what_never_ends_has_no_end_and_what_is_no_moment_is_said() {
        let at = Some(1_780_000_000_000);
        for record in [
            json!({}),
            json!({"expires_at": null}),
            json!({"expires": "never"}),
            json!({"expiry": ""}),
            json!({"expires": false}),
            json!({"ttl": -1}),
            json!({"ttl": null}),
        ] {
            assert_eq!(of(record.clone(), at), None, "{record}");
        }
        for record in [
            json!({"expires_at": "soon"}),
            json!({"expires": 3600}),
            json!({"ttl": "1h"}),
            json!({"ttl": []}),
        ] {
            assert_eq!(of(record.clone(), at), Some(End::NotUnderstood), "{record}");
        }
        assert_eq!(of(json!({"ttl": 60}), None), Some(End::NotUnderstood));
    }
}
