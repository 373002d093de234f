//! Times as logs write them, to milliseconds UTC.

use std::sync::LazyLock;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use memory::Millis;
use regex::Regex;
use serde_json::Value;

/// 1990-01-01 and 2200-01-01: outside, a number is no time of a log.
const EARLIEST: Millis = 631_152_000_000;
const LATEST: Millis = 7_258_118_400_000;

fn plausible(at: Millis) -> Option<Millis> {
    (EARLIEST..LATEST).contains(&at).then_some(at)
}

/// A number since 1970, its unit told by its size: seconds below 10¹¹, milliseconds below 10¹⁴,
/// microseconds below 10¹⁷, else nanoseconds.
pub(crate) fn from_number(number: f64) -> Option<Millis> {
    let millis = if number < 1e11 {
        number * 1e3
    } else if number < 1e14 {
        number
    } else if number < 1e17 {
        number / 1e3
    } else {
        number / 1e6
    };
    if !millis.is_finite() || millis < 0.0 {
        return None;
    }
    plausible(millis.round() as Millis)
}

/// ISO 8601 with or without an offset, or a number written as text. Without an offset the time is
/// local, that is in `zone`.
pub(crate) fn from_text(text: &str, zone: &TimeZone) -> Option<Millis> {
    let text = text.trim();
    if text.is_empty() || text.len() > 40 || !text.is_ascii() {
        return None;
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return plausible(at.as_millisecond());
    }
    if let Ok(number) = text.parse::<f64>() {
        return if text.len() >= 9 {
            from_number(number)
        } else {
            None
        };
    }
    leading(text, zone, None)
        .filter(|found| found.length == text.len())
        .map(|found| found.at)
        .or_else(|| {
            let date: Date = text.parse().ok()?;
            local(date.at(0, 0, 0, 0), zone)
        })
}

/// A JSON value that may be a time.
pub(crate) fn from_json(value: &Value, zone: &TimeZone) -> Option<Millis> {
    match value {
        Value::String(text) => from_text(text, zone),
        Value::Number(number) => number
            .as_f64()
            .filter(|number| *number >= 1e8)
            .and_then(from_number),
        _ => None,
    }
}

/// A moment as JSON: ISO 8601 (UTC where it names no offset), or a number since 1970 whose unit is
/// told by its size.
pub fn moment(value: &Value) -> Option<Millis> {
    from_json(value, &TimeZone::UTC)
}

/// A local time; one that the clock change skipped or repeated is taken as the zone's rule says.
pub(crate) fn local(at: DateTime, zone: &TimeZone) -> Option<Millis> {
    let zoned = at.to_zoned(zone.clone()).ok()?;
    plausible(zoned.timestamp().as_millisecond())
}

/// `2026-09-20` at the beginning of a file's name.
pub(crate) fn date_of_name(stem: &str) -> Option<Date> {
    let head = stem.get(..10)?;
    let rest = &stem[10..];
    if rest.bytes().next().is_some_and(|b| b.is_ascii_digit()) {
        return None;
    }
    head.parse().ok()
}

/// A timestamp at the beginning of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leading {
    /// When.
    pub at: Millis,
    /// Bytes it takes, brackets included.
    pub length: usize,
}

/// Date and time in the notations that loggers use; what a group means follows from its name.
static LEADING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?-u:",
        r"(?:<\d{1,3}>(?:1 )?)?",
        r"(?:(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)[:\t ]+)?",
        r"[\[(]?",
        r"(?:",
        // 2026-09-20T10:00:01.123Z, 2026/09/20 10:00:01,123 +02:00
        r"(?P<y>\d{4})[-/.](?P<mo>\d{2})[-/.](?P<d>\d{2})[T _](?P<t>\d{2}:\d{2}(?::\d{2})?)(?:[.,](?P<f>\d{1,9}))?(?P<z> ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)?",
        // 20/Sep/2026:10:00:01 +0000
        r"|(?P<ad>\d{1,2})/(?P<am>[A-Z][a-z]{2})/(?P<ay>\d{4}):(?P<at>\d{2}:\d{2}:\d{2})(?P<az> [+-]\d{4})?",
        // Sep 20 10:00:01
        r"|(?P<sm>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}(?P<sd>\d{1,2}) (?P<st>\d{2}:\d{2}:\d{2})",
        // 1789898400, 1789898400.25, 1789898400123
        r"|(?P<e>\d{13}|\d{10}(?:\.\d{1,9})?)",
        r")",
        r"[\])]?",
        r"(?:[\s:,|\-]|$))",
    ))
    .ok()
});

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

fn month(name: &str) -> Option<i8> {
    MONTHS
        .iter()
        .position(|month| *month == name)
        .map(|index| index as i8 + 1)
}

fn clock(date: Date, time: &str, fraction: Option<&str>) -> Option<DateTime> {
    let mut parts = time.split(':').map(str::parse::<i8>);
    let (hour, minute) = (parts.next()?.ok()?, parts.next()?.ok()?);
    let second = parts.next().map_or(Ok(0), |second| second).ok()?;
    let mut nanoseconds = 0_i32;
    if let Some(fraction) = fraction {
        nanoseconds = format!("{fraction:0<9}").parse().ok()?;
    }
    // A leap second is stored as the last moment of its minute.
    DateTime::new(
        date.year(),
        date.month(),
        date.day(),
        hour,
        minute,
        second.min(59),
        nanoseconds,
    )
    .ok()
}

fn at_offset(at: DateTime, offset: Option<&str>, zone: &TimeZone) -> Option<Millis> {
    let Some(offset) = offset.map(str::trim) else {
        return local(at, zone);
    };
    let utc = local(at, &TimeZone::UTC)?;
    let Some(sign) = offset.bytes().next().filter(|b| matches!(b, b'+' | b'-')) else {
        return Some(utc);
    };
    let digits: String = offset[1..].chars().filter(|c| *c != ':').collect();
    let (hours, minutes) = digits.split_at_checked(2)?;
    let minutes = hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?;
    let minutes = if sign == b'-' { -minutes } else { minutes };
    plausible(utc - minutes * 60_000)
}

/// The timestamp that a line begins with. `modified` supplies the year that syslog leaves out: the
/// latest one that doesn't put the line more than a day after the file's last change.
pub(crate) fn leading(line: &str, zone: &TimeZone, modified: Option<Millis>) -> Option<Leading> {
    // Every notation has a digit among its first bytes; most lines of a stack trace have none.
    if !line.bytes().take(14).any(|b| b.is_ascii_digit()) {
        return None;
    }
    let found = LEADING.as_ref()?.captures(line)?;
    let text = |name: &str| found.name(name).map(|group| group.as_str());
    let end = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| found.name(name))
            .map(|group| group.end())
    };
    let (at, end) = if let Some(year) = text("y") {
        let date = Date::new(
            year.parse().ok()?,
            text("mo")?.parse().ok()?,
            text("d")?.parse().ok()?,
        )
        .ok()?;
        let at = clock(date, text("t")?, text("f"))?;
        (at_offset(at, text("z"), zone)?, end(&["z", "f", "t"])?)
    } else if let Some(year) = text("ay") {
        let date = Date::new(
            year.parse().ok()?,
            month(text("am")?)?,
            text("ad")?.parse().ok()?,
        )
        .ok()?;
        let at = clock(date, text("at")?, None)?;
        (at_offset(at, text("az"), zone)?, end(&["az", "at"])?)
    } else if let Some(name) = text("sm") {
        let modified = modified?;
        let day = text("sd")?.parse().ok()?;
        let limit = Timestamp::from_millisecond(modified)
            .ok()?
            .checked_add(24.hours())
            .ok()?;
        let year = limit.to_zoned(zone.clone()).year();
        let at = [year, year - 1].into_iter().find_map(|year| {
            let date = Date::new(year, month(name)?, day).ok()?;
            let at = local(clock(date, text("st")?, None)?, zone)?;
            (at <= limit.as_millisecond()).then_some(at)
        })?;
        (at, end(&["st"])?)
    } else {
        (from_number(text("e")?.parse().ok()?)?, end(&["e"])?)
    };
    let closing = line[end..].bytes().next();
    let length = end + usize::from(matches!(closing, Some(b']' | b')')));
    Some(Leading { at, length })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone() -> TimeZone {
        TimeZone::fixed(jiff::tz::offset(2))
    }

    #[test]
    fn every_notation_of_the_same_moment_agrees() {
        let modified = Some(1_789_898_500_000);
        for line in [
            "2026-09-20T10:00:01.000Z started",
            "2026-09-20 12:00:01,000 started",
            "[2026-09-20 12:00:01] started",
            "2026/09/20 12:00:01 started",
            "2026-09-20T12:00:01+02:00 started",
            "INFO 2026-09-20 10:00:01 +0000 started",
            "[20/Sep/2026:10:00:01 +0000] started",
            "<34>1 2026-09-20T10:00:01Z host started",
            "Sep 20 12:00:01 host started",
            "1789898401 started",
            "[1789898401.0] started",
            "1789898401000 started",
        ] {
            let found = leading(line, &zone(), modified);
            assert_eq!(
                found.map(|found| found.at),
                Some(1_789_898_401_000),
                "{line}"
            );
        }
    }

    #[test]
    fn what_is_no_timestamp_is_none() {
        for line in [
            "    at main.rs:12:5",
            "Traceback (most recent call last):",
            "12 files changed",
            "17898984 items",
            "17898984011111 items",
            "2026-13-40 10:00:00 x",
            "2026-09-20",
            "\u{1F600} 2026",
            "",
        ] {
            assert_eq!(leading(line, &zone(), Some(0)), None, "{line}");
        }
    }

    #[test]
    fn numbers_are_told_apart_by_size() {
        for number in [
            1_789_898_401.0,
            1_789_898_401e3,
            1_789_898_401e6,
            1_789_898_401e9,
        ] {
            assert_eq!(from_number(number), Some(1_789_898_401_000));
        }
        assert_eq!(from_number(-5.0), None);
        assert_eq!(from_number(f64::NAN), None);
    }

    #[test]
    fn syslog_in_january_about_december_is_last_year() {
        // The file was last written on 2026-01-02.
        let found = leading("Dec 31 23:00:00 x", &TimeZone::UTC, Some(1_767_312_000_000));
        assert_eq!(found.map(|found| found.at), Some(1_767_222_000_000));
    }
}
