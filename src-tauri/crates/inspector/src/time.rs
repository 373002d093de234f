//! Times at the edge are RFC 3339 in UTC, inside they are milliseconds.

use std::sync::Arc;

use jiff::Timestamp;
use memory::Millis;

/// Tells the time, in milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> Millis + Send + Sync>;

/// That of the system.
pub(crate) fn system_clock() -> Clock {
    Arc::new(|| Timestamp::now().as_millisecond())
}

/// `2026-06-30T12:00:00.000Z`; the ends of time are clamped.
pub fn to_rfc3339(millis: Millis) -> String {
    let moment = Timestamp::from_millisecond(millis).unwrap_or(if millis < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    });
    format!("{moment:.3}")
}

/// Reads RFC 3339 with any offset; a date alone is its first moment in UTC.
pub fn from_rfc3339(text: &str) -> Option<Millis> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment.as_millisecond());
    }
    let date: jiff::civil::Date = text.parse().ok()?;
    let moment = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(moment.timestamp().as_millisecond())
}

/// Days from `then` to `now`; negative when `then` lies ahead.
pub fn days_between(then: Millis, now: Millis) -> f64 {
    (now - then) as f64 / 86_400_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes_and_dates_and_offsets() {
        for millis in [0, 1, 1_782_820_800_123, -5] {
            assert_eq!(from_rfc3339(&to_rfc3339(millis)), Some(millis));
        }
        assert_eq!(to_rfc3339(1_782_820_800_123), "2026-06-30T12:00:00.123Z");
        assert_eq!(
            from_rfc3339("2026-06-30T14:00:00+02:00"),
            Some(1_782_820_800_000)
        );
        assert_eq!(from_rfc3339("2026-06-30"), Some(1_782_777_600_000));
        assert_eq!(from_rfc3339("yesterday"), None);
    }
}
