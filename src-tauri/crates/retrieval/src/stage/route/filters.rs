//! Narrows the filter of a query by the `field:value` pieces of its text.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use memory::{Filter, Kind, Millis, Role};

use super::language::Field;

/// What became of a `field:value`.
pub enum Narrowed {
    /// The filter is narrower now.
    Yes,
    /// The filter and the value exclude each other: nothing can match.
    Contradiction,
    /// The value is none of that field: the piece is text. Says what would have been one.
    NotAValue(&'static str),
}

/// What a field with this value alone lets through of what was asked for: nothing may mean that the
/// piece never was a filter. `None` where the value is a time, or none of that field.
pub fn alone(asked: &Filter, field: Field, value: &str) -> Option<Filter> {
    let mut wider = asked.clone();
    match field {
        Field::Agent => wider.agents.clear(),
        Field::Role => wider.roles.clear(),
        Field::Kind => wider.kinds.clear(),
        Field::Org => wider.org = None,
        Field::Session => wider.session = None,
        Field::Source => wider.source = None,
        Field::Tag => {}
        Field::Before | Field::After => return None,
    }
    let mut narrowed = wider.clone();
    matches!(narrow(&mut narrowed, &wider, field, value), Narrowed::Yes).then_some(narrowed)
}

/// Applies one piece. Values of one field widen each other (`role:user role:tool` is either),
/// but never beyond what the query's own filter allows.
pub fn narrow(filter: &mut Filter, asked: &Filter, field: Field, value: &str) -> Narrowed {
    match field {
        Field::Agent => one_of(&mut filter.agents, &asked.agents, value.to_owned()),
        Field::Role => match Role::from_name(&value.to_lowercase()) {
            Some(role) => one_of(&mut filter.roles, &asked.roles, role),
            None => Narrowed::NotAValue("a role is user, assistant, system, tool or memory"),
        },
        Field::Kind => match Kind::from_name(&value.to_lowercase()) {
            Some(kind) => one_of(&mut filter.kinds, &asked.kinds, kind),
            None => Narrowed::NotAValue(
                "a kind is text, thinking, tool_call, tool_result, summary, fact or event",
            ),
        },
        Field::Tag => {
            if !filter.tags.iter().any(|tag| tag == value) {
                filter.tags.push(value.to_owned());
            }
            Narrowed::Yes
        }
        Field::Org => only(&mut filter.org, value),
        Field::Session => only(&mut filter.session, value),
        Field::Source => only(&mut filter.source, value),
        Field::Before => match moment(value) {
            Some(at) => {
                filter.before = Some(filter.before.map_or(at, |old| old.min(at)));
                Narrowed::Yes
            }
            None => Narrowed::NotAValue("a time is written 2026-03-31 or 2026-03-31T14:00:00Z"),
        },
        Field::After => match moment(value) {
            Some(at) => {
                filter.after = Some(filter.after.map_or(at, |old| old.max(at)));
                Narrowed::Yes
            }
            None => Narrowed::NotAValue("a time is written 2026-03-31 or 2026-03-31T14:00:00Z"),
        },
    }
}

fn one_of<T: PartialEq + Clone>(now: &mut Vec<T>, asked: &[T], value: T) -> Narrowed {
    if !asked.is_empty() && !asked.contains(&value) {
        return Narrowed::Contradiction;
    }
    // The first such piece replaces the wider list that came with the query, later ones add.
    if now.as_slice() == asked {
        now.clear();
    }
    if !now.contains(&value) {
        now.push(value);
    }
    Narrowed::Yes
}

fn only(now: &mut Option<String>, value: &str) -> Narrowed {
    match now {
        Some(old) if old != value => Narrowed::Contradiction,
        _ => {
            *now = Some(value.to_owned());
            Narrowed::Yes
        }
    }
}

/// A day (its first moment in UTC), a time of a day (in UTC too) or a moment, in milliseconds.
fn moment(text: &str) -> Option<Millis> {
    if let Ok(stamp) = text.parse::<jiff::Timestamp>() {
        return Some(stamp.as_millisecond());
    }
    // A day is a time too: midnight.
    let time: DateTime = text.parse().ok()?;
    let start = time.to_zoned(TimeZone::UTC).ok()?;
    Some(start.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_one_field_widen_each_other_within_what_was_asked() {
        let asked = Filter {
            agents: vec!["a".into(), "b".into()],
            ..Filter::default()
        };
        let mut filter = asked.clone();
        assert!(matches!(
            narrow(&mut filter, &asked, Field::Agent, "a"),
            Narrowed::Yes
        ));
        assert_eq!(filter.agents, ["a"]);
        assert!(matches!(
            narrow(&mut filter, &asked, Field::Agent, "c"),
            Narrowed::Contradiction
        ));
    }

    #[test]
    fn an_organisation_narrows_and_never_leaves_what_was_asked() {
        let asked = Filter {
            org: Some("north".into()),
            ..Filter::default()
        };
        let mut filter = Filter::default();
        let narrowed = narrow(&mut filter, &Filter::default(), Field::Org, "north");
        assert!(matches!(narrowed, Narrowed::Yes));
        assert_eq!(filter.org.as_deref(), Some("north"));
        let narrowed = narrow(&mut filter, &asked, Field::Org, "south");
        assert!(matches!(narrowed, Narrowed::Contradiction));
    }

    #[test]
    fn days_are_read_in_utc_and_nonsense_is_text() {
        let asked = Filter::default();
        let mut filter = Filter::default();
        assert!(matches!(
            narrow(&mut filter, &asked, Field::After, "2026-01-02"),
            Narrowed::Yes
        ));
        assert_eq!(filter.after, Some(1_767_312_000_000));
        for (time, hours) in [
            ("2026-01-02T10:30", 10.5),
            ("2026-01-02T10:30:00Z", 10.5),
            ("2026-01-02T10:30:00+02:00", 8.5),
        ] {
            assert_eq!(
                moment(time),
                Some(1_767_312_000_000 + (hours * 3_600_000.0) as Millis),
                "{time}"
            );
        }
        for (field, value) in [
            (Field::Before, "tomorrow"),
            (Field::Before, "2026-13-45"),
            (Field::Role, "king"),
            (Field::Kind, "poem"),
            (Field::Before, "10:30"),
        ] {
            assert!(matches!(
                narrow(&mut filter, &asked, field, value),
                Narrowed::NotAValue(_)
            ));
        }
    }
}
