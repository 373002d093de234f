//! Dates as people and programs write them out: RFC 2822, asctime and `date`, Go, JavaScript,
//! American and European forms. Each word is taken for what it can only be; a word that is none of
//! them, or `03/04/2026`, makes the whole no time.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use memory::Millis;

use super::{at_offset, local, month};

/// What was found so far.
#[derive(Default)]
struct Found<'a> {
    date: Option<Date>,
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    time: Option<Time>,
    afternoon: Option<bool>,
    zone: Option<&'a str>,
    /// Minutes east, where the zone has a name only.
    named: Option<i32>,
}

/// A whole text that is such a date, with or without a time. Without a zone it is local.
pub(super) fn read(text: &str, zone: &TimeZone) -> Option<Millis> {
    // JavaScript explains its zone in parentheses, Cursor names it there.
    let (text, explained) = match text.split_once('(') {
        Some((text, explained)) => (text, explained.strip_suffix(')')?),
        None => (text, ""),
    };
    let names_zone = ["UTC", "GMT"]
        .iter()
        .any(|name| explained.starts_with(name));
    let mut found = Found::default();
    for word in text
        .split(|c: char| c.is_ascii_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .chain(names_zone.then_some(explained))
    {
        found.take(word)?;
    }
    found.moment(zone)
}

fn set<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.is_none().then_some(())?;
    *place = Some(value);
    Some(())
}

impl<'a> Found<'a> {
    fn take(&mut self, word: &'a str) -> Option<()> {
        let first = word.bytes().next()?;
        if word.contains(':') && first.is_ascii_digit() {
            return self.clock(word);
        }
        if first.is_ascii_digit() {
            return self.number(word);
        }
        if matches!(first, b'+' | b'-') {
            // A number of hours and minutes east of Greenwich.
            let digits = word[1..].bytes().filter(u8::is_ascii_digit).count();
            let plain = word[1..].bytes().all(|b| b.is_ascii_digit() || b == b':');
            return (plain && digits == 4).then(|| set(&mut self.zone, word))?;
        }
        match word.trim_end_matches('.').to_ascii_lowercase().as_str() {
            "at" => Some(()),
            "am" | "a.m" => set(&mut self.afternoon, false),
            "pm" | "p.m" => set(&mut self.afternoon, true),
            monotonic if monotonic.starts_with("m=") => Some(()),
            _ => self.month_or_day(word).or_else(|| self.zone_named(word)),
        }
    }

    fn month_or_day(&mut self, word: &str) -> Option<()> {
        const DAYS: [&str; 7] = [
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
        ];
        const MONTHS: [&str; 12] = [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ];
        let word = word.trim_end_matches('.').to_ascii_lowercase();
        if word.len() < 3 {
            return None;
        }
        if DAYS.iter().any(|day| day.starts_with(&word)) {
            return Some(());
        }
        let at = MONTHS.iter().position(|name| name.starts_with(&word));
        let at = at.or_else(|| (word == "sept").then_some(8))?;
        set(&mut self.month, at as i8 + 1)
    }

    fn zone_named(&mut self, word: &'a str) -> Option<()> {
        let name = word.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
        let name = name.split(['+', '-']).next()?;
        let hours = match name {
            "Z" | "UTC" | "GMT" | "UT" | "WET" => 0,
            "CET" | "WEST" | "MEZ" => 1,
            "CEST" | "EET" | "MESZ" => 2,
            "EEST" | "MSK" => 3,
            "JST" => 9,
            "EDT" => -4,
            "EST" | "CDT" => -5,
            "MDT" => -6,
            "MST" | "PDT" => -7,
            "PST" => -8,
            // Behind an offset any name only repeats it.
            _ if self.zone.is_some() && name.len() <= 5 => return Some(()),
            _ => return None,
        };
        let offset = &word[name.len()..];
        if offset.is_empty() {
            self.named = self.named.or(Some(hours * 60));
            return Some(());
        }
        // `GMT+0200`, `UTC+2`.
        let digits: String = offset[1..].chars().filter(|c| *c != ':').collect();
        let number: i32 = digits.parse().ok()?;
        let minutes = if digits.len() > 2 {
            number / 100 * 60 + number % 100
        } else {
            number * 60
        };
        let minutes = if offset.starts_with('-') {
            -minutes
        } else {
            minutes
        };
        (hours == 0 && minutes.abs() < 24 * 60).then_some(())?;
        self.named = Some(minutes);
        Some(())
    }

    fn number(&mut self, word: &str) -> Option<()> {
        if let Some(mark) = word.bytes().find(|b| matches!(b, b'/' | b'.' | b'-')) {
            return self.joined(word, mark as char);
        }
        let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        if !matches!(&word[digits.len()..], "" | "st" | "nd" | "rd" | "th") {
            return self.glued(word, digits);
        }
        match digits.len() {
            4 => set(&mut self.year, digits.parse().ok()?),
            1 | 2 => set(&mut self.day, digits.parse().ok()?),
            _ => None,
        }
    }

    /// `10AM`.
    fn glued(&mut self, word: &str, digits: &str) -> Option<()> {
        let afternoon = match word[digits.len()..].to_ascii_lowercase().as_str() {
            "am" => false,
            "pm" => true,
            _ => return None,
        };
        set(
            &mut self.time,
            Time::new(digits.parse().ok()?, 0, 0, 0).ok()?,
        )?;
        set(&mut self.afternoon, afternoon)
    }

    /// `20/09/2026`, `20.09.2026`, `2026-09-20`, `20-Sep-2026`.
    fn joined(&mut self, word: &str, mark: char) -> Option<()> {
        let mut parts = word.split(mark);
        let (a, b, c) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let number = |part: &str| part.parse::<i8>().ok();
        let month_named = month(b).is_some();
        let (year, month, day) = if a.len() == 4 {
            (a, number(b)?, number(c)?)
        } else if let Some(named) = month(b) {
            (c, named, number(a)?)
        } else {
            let (a, b) = (number(a)?, number(b)?);
            // With points the day stands first everywhere; with strokes either may.
            match (a, b) {
                _ if mark == '.' || a == b => (c, b, a),
                (13.., 1..=12) => (c, b, a),
                (1..=12, 13..) => (c, a, b),
                _ => return None,
            }
        };
        let year = match year.len() {
            4 => year.parse().ok()?,
            // Old web servers leave the century out.
            2 if month_named => 2000 + year.parse::<i16>().ok()?,
            _ => return None,
        };
        set(&mut self.date, Date::new(year, month, day).ok()?)
    }

    /// `10:00`, `10:00:01.5`, `10:00AM`, `10:00:01Z`.
    fn clock(&mut self, word: &'a str) -> Option<()> {
        let end = word
            .find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.'))
            .unwrap_or(word.len());
        let (time, rest) = word.split_at(end);
        if !rest.is_empty() {
            self.take(rest)?;
        }
        let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
        let mut parts = time.split(':').map(str::parse::<i8>);
        let (hour, minute) = (parts.next()?.ok()?, parts.next()?.ok()?);
        let second = parts.next().map_or(Ok(0), |second| second).ok()?;
        (parts.next().is_none() && fraction.len() <= 9).then_some(())?;
        let nanoseconds = if fraction.is_empty() {
            0
        } else {
            format!("{fraction:0<9}").parse().ok()?
        };
        set(
            &mut self.time,
            Time::new(hour, minute, second.min(59), nanoseconds).ok()?,
        )
    }

    fn moment(self, zone: &TimeZone) -> Option<Millis> {
        let date = match self.date {
            Some(date) => {
                let alone = self.year.is_none() && self.month.is_none() && self.day.is_none();
                alone.then_some(date)?
            }
            None => Date::new(self.year?, self.month?, self.day?).ok()?,
        };
        let mut time = self.time.unwrap_or_else(Time::midnight);
        if let Some(afternoon) = self.afternoon {
            self.time?;
            let hour = match (time.hour(), afternoon) {
                (12, false) => 0,
                (12, true) => 12,
                (1..=11, true) => time.hour() + 12,
                (1..=11, false) => time.hour(),
                _ => return None,
            };
            time = Time::new(hour, time.minute(), time.second(), time.subsec_nanosecond()).ok()?;
        }
        let at = DateTime::from_parts(date, time);
        match (self.zone, self.named) {
            (Some(offset), _) => at_offset(at, Some(offset), zone),
            (None, Some(minutes)) => {
                local(at, &TimeZone::UTC).map(|utc| utc - i64::from(minutes) * 60_000)
            }
            (None, None) => local(at, zone),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Millis = 1_789_898_400_000;

    #[test]
    fn every_way_of_writing_a_moment_out_agrees() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        for text in [
            "Sun, 20 Sep 2026 10:00:00 +0000",
            "Sun, 20 Sep 2026 10:00:00 GMT",
            "20 Sep 2026 12:00:00 +0200",
            "Sun Sep 20 12:00:00 2026",
            "Sun Sep 20 10:00:00 UTC 2026",
            "Sun 20 Sep 2026 12:00:00 PM CEST",
            "Sep 20, 2026 12:00:00 PM",
            "September 20, 2026 at 12:00 PM",
            "Sunday, September 20th, 2026, 12:00 p.m.",
            "20-Sep-2026 12:00:00",
            "2026-09-20 10:00:00 +0000 UTC",
            "2026-09-20 12:00:00.000000001 +0200 CEST m=+0.004",
            "Sun Sep 20 2026 10:00:00 GMT+0000 (Coordinated Universal Time)",
            "Sun Sep 20 2026 12:00:00 UTC+2",
            "20/09/2026 12:00:00",
            "09/20/2026 12:00:00",
            "9/20/2026, 12:00:00 PM",
            "Sunday, Sep 20, 2026, 12:00 PM (UTC+2)",
            "Sunday, September 20, 2026, 4:30 AM (UTC-5:30)",
            "20.09.2026 12:00",
            "20.9.2026, 12:00:00",
        ] {
            assert_eq!(read(text, &zone), Some(AT), "{text}");
        }
        let utc = TimeZone::UTC;
        assert_eq!(read("9/20/2026, 12:00:00 AM", &utc), Some(AT - 36_000_000));
        assert_eq!(read("20 September 2026", &utc), Some(AT - 36_000_000));
        assert_eq!(read("Sep 20 2026 10AM", &utc), Some(AT));
    }

    #[test]
    fn what_may_mean_two_things_is_no_time() {
        for text in [
            "03/04/2026 10:00",
            "20/09/26",
            "31/31/2026",
            "Sep 2026",
            "10:00:00",
            "Sun Sep 20 10:00:00 2026 or so",
            "Sep 20 2026 10:00 XYZ",
            "Sep 20 2026 13:00 AM",
            "2026-02-30 10:00:00 +0000 UTC",
            "",
            "version 3",
        ] {
            assert_eq!(read(text, &TimeZone::UTC), None, "{text}");
        }
        let local = read("04/04/2026 10:00", &TimeZone::UTC);
        assert_eq!(local, read("4 Apr 2026 10:00", &TimeZone::UTC));
    }
}
