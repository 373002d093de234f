//! Times as logs write them, to milliseconds UTC.

mod written;

use std::borrow::Cow;
use std::sync::LazyLock;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use memory::Millis;
use regex::Regex;
use serde_json::Value;

/// 1990-01-01 and 2200-01-01: outside, a number is no time of a log.
pub(crate) const EARLIEST: Millis = 631_152_000_000;
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

/// ISO 8601 with or without an offset, compact or not, a number written as text, or a date that is
/// written out (RFC 2822 and its kin). Without an offset the time is local, that is in `zone`.
pub(crate) fn from_text(text: &str, zone: &TimeZone) -> Option<Millis> {
    let text = text.trim();
    if text.is_empty() || text.len() > 90 {
        return None;
    }
    let mut text = Cow::Borrowed(text);
    if !text.is_ascii() {
        // The blanks that JavaScript puts before AM and PM, a minus in print, a Chinese date.
        let plain = text.replace(['\u{a0}', '\u{202f}', '日'], " ");
        let plain = plain.replace(['年', '月', '\u{2212}'], "-");
        text = Cow::Owned(plain.trim_end().to_owned());
    }
    let text = &*text;
    if !text.is_ascii() {
        return None;
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return plausible(at.as_millisecond());
    }
    // `@1789898400`, `1789898400s`: seconds, as shells and others write them.
    let text = text.strip_prefix('@').unwrap_or(text);
    if let Some(digits) = text.strip_suffix('s').filter(|digits| digits.len() >= 9)
        && let Ok(seconds) = digits.parse::<f64>()
    {
        return from_number(seconds);
    }
    if let Ok(number) = text.parse::<f64>() {
        return compact(text, zone)
            .or_else(|| (text.len() >= 9).then(|| from_number(number)).flatten());
    }
    if let Some(number) = text
        .strip_prefix("/Date(")
        .and_then(|rest| rest.strip_suffix(")/"))
    {
        // What stands behind the number is the zone it is shown in.
        let digits = number.split(['+', '-']).next()?;
        return plausible(digits.parse().ok()?);
    }
    leading(text, zone, None)
        .filter(|found| found.length == text.len())
        .map(|found| found.at)
        .or_else(|| {
            let date: Date = text.parse().ok()?;
            local(date.at(0, 0, 0, 0), zone)
        })
        .or_else(|| day_of_year(text))
        .or_else(|| of_week(text))
        .or_else(|| of_name(text, zone))
        .or_else(|| written::read(text, zone))
}

/// `20260920`, `202609201000`, `20260920100000`, `20260920100000123`: digits that are no number since
/// 1970, since their year, month, day and so on are such.
fn compact(digits: &str, zone: &TimeZone) -> Option<Millis> {
    let shaped =
        matches!(digits.len(), 8 | 12 | 14 | 17) && digits.bytes().all(|b| b.is_ascii_digit());
    if !shaped {
        return None;
    }
    let part = |range: std::ops::Range<usize>| digits.get(range).unwrap_or("0");
    let number = |range| part(range).parse::<i8>().ok();
    let year: i16 = part(0..4).parse().ok()?;
    if !(1990..2100).contains(&year) {
        return None;
    }
    let date = Date::new(year, number(4..6)?, number(6..8)?).ok()?;
    let nanoseconds = part(14..17).parse::<i32>().ok()? * 1_000_000;
    let at = date.at(0, 0, 0, 0);
    let time = jiff::civil::Time::new(
        number(8..10)?,
        number(10..12)?,
        number(12..14)?.min(59),
        nanoseconds,
    );
    local(at.with().time(time.ok()?).build().ok()?, zone)
}

/// `2026-263T10:00:00Z`.
fn day_of_year(text: &str) -> Option<Millis> {
    let (year, rest) = text.split_at_checked(4)?;
    let (day, time) = rest.strip_prefix('-')?.split_at_checked(3)?;
    let first = Date::new(year.parse().ok()?, 1, 1).ok()?;
    let day: i16 = day.parse().ok()?;
    (1..=first.days_in_year()).contains(&day).then_some(())?;
    let date = first.checked_add((i64::from(day) - 1).days()).ok()?;
    let at = format!("{date}{time}").parse::<Timestamp>().ok()?;
    plausible(at.as_millisecond())
}

/// `2026-W38-7T10:00:00Z`.
fn of_week(text: &str) -> Option<Millis> {
    let (week, time) = text.split_at_checked(10)?;
    let (year, week) = week.split_once("-W")?;
    let (week, day) = week.split_once('-')?;
    let day = jiff::civil::Weekday::from_monday_one_offset(day.parse().ok()?).ok()?;
    let date = jiff::civil::ISOWeekDate::new(year.parse().ok()?, week.parse().ok()?, day).ok()?;
    let at = format!("{}{time}", date.date()).parse::<Timestamp>().ok()?;
    plausible(at.as_millisecond())
}

/// `2026-09-20T10-00-00.000Z`, `2026-09-20_10-00-00`: as names of files have it.
fn of_name(text: &str, zone: &TimeZone) -> Option<Millis> {
    let (date, time) = text.split_at_checked(10)?;
    let time = time.strip_prefix(['T', '_', ' '])?;
    let (hour, rest) = time.split_once('-')?;
    let (minute, rest) = rest.split_once('-')?;
    let plain = |part: &str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
    (plain(hour) && plain(minute)).then_some(())?;
    let text = format!("{date}T{hour}:{minute}:{rest}");
    leading(&text, zone, None)
        .filter(|found| found.length == text.len())
        .map(|found| found.at)
}

/// A JSON value that may be a time: text, number, or the objects that databases write.
pub(crate) fn from_json(value: &Value, zone: &TimeZone) -> Option<Millis> {
    match value {
        Value::String(text) => from_text(text, zone),
        Value::Number(number) => {
            let float = number.as_f64().filter(|number| *number >= 1e7)?;
            let digits = number.to_string();
            compact(&digits, zone).or_else(|| from_number(float))
        }
        Value::Object(object) => {
            let whole = |value: &Value| {
                let value = value.get("$numberLong").unwrap_or(value);
                value.as_i64().or_else(|| value.as_str()?.parse().ok())
            };
            if let Some(date) = object.get("$date") {
                return match whole(date) {
                    Some(millis) => plausible(millis),
                    None => from_text(date.as_str()?, zone),
                };
            }
            // What a date is called where it is one of several things.
            if let Some(inner) = ["$numberLong", "iso", "time", "value", "created", "start"]
                .iter()
                .find_map(|key| object.get(*key))
                .filter(|inner| !inner.is_object())
            {
                let number = inner.as_str().and_then(|text| text.parse::<f64>().ok());
                return from_json(inner, zone).or_else(|| from_number(number?));
            }
            let seconds = ["seconds", "_seconds", "epochSecond", "secs_since_epoch"]
                .iter()
                .find_map(|key| whole(object.get(*key)?))
                .or_else(|| whole(object.get("$timestamp")?.get("t")?))?;
            let nanoseconds = [
                "nanos",
                "nanoseconds",
                "_nanoseconds",
                "nano",
                "nanos_since_epoch",
            ]
            .iter()
            .find_map(|key| whole(object.get(*key)?));
            plausible(
                seconds
                    .checked_mul(1000)?
                    .checked_add(nanoseconds.unwrap_or(0) / 1_000_000)?,
            )
        }
        Value::Array(parts) => parts_of(parts, zone),
        _ => None,
    }
}

/// `[2026, 9, 20, 10, 0, 0, 123456789]`, as Java's serialisers write a time: year, month, day, hour,
/// minute, second, nanosecond; the last ones may be missing.
fn parts_of(parts: &[Value], zone: &TimeZone) -> Option<Millis> {
    let number = |at: usize| match parts.get(at) {
        Some(part) => part.as_i64(),
        None => Some(0),
    };
    let small = |at: usize| i8::try_from(number(at)?).ok();
    (3..=7).contains(&parts.len()).then_some(())?;
    let date = Date::new(i16::try_from(number(0)?).ok()?, small(1)?, small(2)?).ok()?;
    let nanoseconds = i32::try_from(number(6)?).ok()?;
    let time = jiff::civil::Time::new(small(3)?, small(4)?, small(5)?.min(59), nanoseconds);
    local(date.to_datetime(time.ok()?), zone)
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
        r"(?:\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\]?[:\t ]+)?",
        // host, identity and user of an access log
        r"(?:(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}) [!-~]{1,64} [!-~]{1,64} )?",
        // time="2026-09-20T10:00:01Z" level=info
        r"(?:(?:level=[a-z]{4,8} )?(?:time|ts|timestamp|t)=\x22?)?",
        r"[\[(]?",
        r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?",
        r"(?:",
        // 2026-09-20T10:00:01.123Z, 2026/09/20 10:00:01,123 +02:00
        r"(?P<y>\d{4})[-/.](?P<mo>\d{2})[-/.](?P<d>\d{2})[T _](?P<t>\d{2}:\d{2}(?::\d{2})?)(?:[.,](?P<f>\d{1,9}))?(?P<z> ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)?",
        // 20/Sep/2026:10:00:01 +0000
        r"|(?P<ad>\d{1,2})/(?P<am>[A-Z][a-z]{2})/(?P<ay>\d{4}):(?P<at>\d{2}:\d{2}:\d{2})(?P<az> [+-]\d{4})?",
        // Sep 20, 2026 10:00:01 AM
        r"|(?P<lm>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}(?P<ld>\d{1,2}), (?P<ly>\d{4}),? (?P<lt>\d{1,2}:\d{2}:\d{2})(?P<lh> [AP]M)?",
        // Sep 20 10:00:01 2026
        r"|(?P<cm>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}(?P<cd>\d{1,2}) (?P<ct>\d{2}:\d{2}:\d{2}) (?P<cy>\d{4})",
        // Sep 20 10:00:01
        r"|(?P<sm>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}(?P<sd>\d{1,2}) (?P<st>\d{2}:\d{2}:\d{2})",
        // 20-09-2026 10:00:01, 20.09.2026 10:00:01
        r"|(?P<gd>\d{2})[-.](?P<gm>\d{2})[-.](?P<gy>\d{4}) (?P<gt>\d{2}:\d{2}:\d{2})(?:[.,](?P<gf>\d{1,9}))?",
        // I0920 10:00:01.123456
        r"|[IWEF](?P<km>\d{2})(?P<kd>\d{2}) (?P<kt>\d{2}:\d{2}:\d{2})\.(?P<kf>\d{6})",
        // 1789898400, 1789898400.25, 1789898400123
        r"|(?P<e>\d{13}|\d{10}(?:\.\d{1,9})?)",
        r")",
        r"[\])\x22]?",
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

fn named(year: &str, name: &str, day: &str) -> Option<Date> {
    Date::new(year.parse().ok()?, month(name)?, day.parse().ok()?).ok()
}

/// A day of the latest year that doesn't put it more than a day after the file's last change.
fn of_last_year(
    month: i8,
    day: i8,
    time: &str,
    fraction: Option<&str>,
    zone: &TimeZone,
    modified: Millis,
) -> Option<Millis> {
    let limit = Timestamp::from_millisecond(modified)
        .ok()?
        .checked_add(24.hours())
        .ok()?;
    let year = limit.to_zoned(zone.clone()).year();
    [year, year - 1].into_iter().find_map(|year| {
        let date = Date::new(year, month, day).ok()?;
        let at = local(clock(date, time, fraction)?, zone)?;
        (at <= limit.as_millisecond()).then_some(at)
    })
}

/// The timestamp that a line begins with. `modified` supplies the year that syslog leaves out: the
/// latest one that doesn't put the line more than a day after the file's last change.
pub(crate) fn leading(line: &str, zone: &TimeZone, modified: Option<Millis>) -> Option<Leading> {
    // Every notation has a digit among its first bytes; most lines of a stack trace have none.
    if !line.bytes().take(24).any(|b| b.is_ascii_digit()) {
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
    } else if let Some(year) = text("ly") {
        let date = named(year, text("lm")?, text("ld")?)?;
        let mut at = clock(date, &format!("{:0>8}", text("lt")?), None)?;
        match text("lh") {
            Some(" PM") if at.hour() < 12 => at = at.checked_add(12.hours()).ok()?,
            Some(" AM") if at.hour() == 12 => at = at.checked_sub(12.hours()).ok()?,
            _ => {}
        }
        (local(at, zone)?, end(&["lh", "lt"])?)
    } else if let Some(year) = text("cy") {
        let date = named(year, text("cm")?, text("cd")?)?;
        (local(clock(date, text("ct")?, None)?, zone)?, end(&["cy"])?)
    } else if let Some(year) = text("gy") {
        let day = text("gd")?.parse().ok()?;
        let date = Date::new(year.parse().ok()?, text("gm")?.parse().ok()?, day).ok()?;
        let at = clock(date, text("gt")?, text("gf"))?;
        (local(at, zone)?, end(&["gf", "gt"])?)
    } else if let Some(name) = text("km") {
        let day = text("kd")?.parse().ok()?;
        let at = of_last_year(
            name.parse().ok()?,
            day,
            text("kt")?,
            text("kf"),
            zone,
            modified?,
        )?;
        (at, end(&["kf"])?)
    } else if let Some(name) = text("sm") {
        let day = text("sd")?.parse().ok()?;
        let at = of_last_year(month(name)?, day, text("st")?, None, zone, modified?)?;
        (at, end(&["st"])?)
    } else {
        (from_number(text("e")?.parse().ok()?)?, end(&["e"])?)
    };
    let closing = line[end..].bytes().next();
    let length = end + usize::from(matches!(closing, Some(b']' | b')' | b'"')));
    Some(Leading { at, length })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn zone() -> TimeZone {
        TimeZone::fixed(jiff::tz::offset(2))
    }

    #[test]
    fn every_notation_of_the_same_moment_agrees() {
        let modified = Some(1_789_898_500_000);
        for line in [
            "2026-09-20T10:00:01.000Z started",
            "127.0.0.1 - ada [20/Sep/2026:10:00:01 +0000] started",
            "I0920 12:00:01.000000 1 a.cc:1] started",
            "time=\"2026-09-20T10:00:01Z\" level=info msg=started",
            "level=info ts=1789898401 msg=started",
            "[INFO] 2026-09-20 12:00:01 started",
            "Sun Sep 20 12:00:01 2026 started",
            "20.09.2026 12:00:01 started",
            "Sep 20, 2026 12:00:01 PM started",
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
    fn values_of_every_shape_are_read() {
        for (value, millis) in [
            (json!("20260920100000"), 0),
            (json!("20260920T100000Z"), 0),
            (json!(20_260_920_100_000_u64), 0),
            (json!("20260920"), -36_000_000),
            (json!(20_260_920), -36_000_000),
            (json!({"$date": "2026-09-20T10:00:00Z"}), 0),
            (json!({"$date": 1_789_898_400_000_u64}), 0),
            (json!({"$date": {"$numberLong": "1789898400000"}}), 0),
            (json!({"$timestamp": {"t": 1_789_898_400, "i": 1}}), 0),
            (json!({"seconds": 1_789_898_400, "nanos": 5_000_000}), 5),
            (json!({"_seconds": 1_789_898_400, "_nanoseconds": 0}), 0),
            (json!({"seconds": "1789898400"}), 0),
            (json!("/Date(1789898400000)/"), 0),
            (json!("/Date(1789898400000+0200)/"), 0),
            (json!("2026-263T10:00:00Z"), 0),
            (json!("9/20/2026, 10:00:00\u{202f}AM"), 0),
            (json!("1789898400"), 0),
            (json!(1_789_898_400.5), 500),
        ] {
            let wanted = Some(1_789_898_400_000 + millis);
            assert_eq!(from_json(&value, &TimeZone::UTC), wanted, "{value}");
        }
        for value in [
            json!({}),
            json!({"$date": null}),
            json!(0),
            json!(12),
            json!("12"),
            json!([1_789_898_400]),
        ] {
            assert_eq!(from_json(&value, &TimeZone::UTC), None, "{value}");
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
    fn more_notations_of_the_same_moment_agree() {
        let hour = 3_600_000;
        let moment = 1_789_898_400_000;
        for value in [
            json!("2026-W38-7T10:00:00Z"),
            json!("Sunday, 20-Sep-26 10:00:00 GMT"),
            json!("2026-09-20T10-00-00.000Z"),
            json!("2026-09-20_12-00-00"),
            json!("@1789898400"),
            json!("1789898400s"),
            json!("2026年9月20日 12:00:00"),
            json!("2026-09-20T08:00:00\u{2212}02:00"),
            json!({"$numberLong": "1789898400000"}),
            json!({"epochSecond": 1_789_898_400, "nano": 0}),
            json!({"secs_since_epoch": 1_789_898_400}),
            json!({"__type": "Date", "iso": "2026-09-20T10:00:00Z"}),
            json!({"created": moment, "completed": moment + hour}),
            json!([2026, 9, 20, 12, 0, 0]),
            json!([2026, 9, 20, 12, 0, 0, 0]),
        ] {
            assert_eq!(from_json(&value, &zone()), Some(moment), "{value}");
        }
        for value in [
            json!([1, 2]),
            json!({"time": {"a": 1}}),
            json!("@"),
            json!("2026-W60-1T10:00:00Z"),
        ] {
            assert_eq!(from_json(&value, &zone()), None, "{value}");
        }
    }

    #[test]
    fn syslog_in_january_about_december_is_last_year() {
        // The file was last written on 2026-01-02.
        let found = leading("Dec 31 23:00:00 x", &TimeZone::UTC, Some(1_767_312_000_000));
        assert_eq!(found.map(|found| found.at), Some(1_767_222_000_000));
    }
}
