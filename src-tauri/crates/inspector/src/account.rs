//! How the account of a query is kept in the vault, and what a list of such accounts needs of it.
//!
//! A row is the trace as JSON, with the filter that it was asked with beside the trace's own parts.
//! Rows of older programs have no filter and come from the window; constants that they did not know yet read as those of the
//! preset "Standard".

use memory::Millis;
use retrieval::constants::Constants;
use retrieval::stage::Stage;
use retrieval::trace::{Level, Mode, Status, Trace};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::channel::ChannelName;
use crate::error::EdgeError;
use crate::request::FilterRequest;

/// Within this time a query that goes on from the one before it takes its place.
const TYPING: Millis = 10_000;

/// What is stored of a query.
#[derive(Serialize)]
pub(crate) struct Kept<'a> {
    pub(crate) channel: ChannelName,
    /// The agent's conversation, where its hook named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<&'a str>,
    pub(crate) filter: &'a FilterRequest,
    #[serde(flatten)]
    pub(crate) trace: &'a Trace,
}

/// What was stored of a query.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    pub(crate) filter: FilterRequest,
    pub(crate) channel: ChannelName,
    pub(crate) session: Option<String>,
    pub(crate) trace: Trace,
}

impl Account {
    /// Reads a row.
    pub(crate) fn read(json: &str) -> Result<Self, EdgeError> {
        Self::from_json(json).ok_or_else(|| {
            EdgeError::bad_request("trace", "one that this version of the program can read")
        })
    }

    fn from_json(json: &str) -> Option<Self> {
        let mut row: Value = serde_json::from_str(json).ok()?;
        let filter = match row.as_object_mut()?.remove("filter") {
            Some(filter) => serde_json::from_value(filter).ok()?,
            None => FilterRequest::default(),
        };
        let channel = match row.as_object_mut()?.remove("channel") {
            Some(channel) => serde_json::from_value(channel).ok()?,
            None => ChannelName::default(),
        };
        let session = match row.as_object_mut()?.remove("session") {
            Some(session) => serde_json::from_value(session).ok()?,
            None => None,
        };
        let held = row.get_mut("constants")?.as_object_mut()?;
        if let Value::Object(standard) = serde_json::to_value(Constants::default()).ok()? {
            for (name, value) in standard {
                held.entry(name).or_insert(value);
            }
        }
        Some(Self {
            filter,
            channel,
            session,
            trace: serde_json::from_value(row).ok()?,
        })
    }
}

/// The part of a row that a list shows; the ranked lists are skipped over.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Summary {
    #[serde(default)]
    pub(crate) filter: FilterRequest,
    #[serde(default)]
    pub(crate) channel: ChannelName,
    pub(crate) query: String,
    pub(crate) now: String,
    pub(crate) mode: Mode,
    pub(crate) level: Level,
    pub(crate) stages: Vec<StageSummary>,
    pub(crate) results: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct StageSummary {
    pub(crate) name: Stage,
    pub(crate) status: Status,
    pub(crate) elapsed_ms: f64,
}

impl Summary {
    /// Reads a row; `None` when it cannot be read.
    pub(crate) fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }
}

/// The last row that was written, as far as the next one must know it.
#[derive(Clone, PartialEq)]
pub(crate) struct LastKept {
    pub(crate) row: i64,
    pub(crate) at: Millis,
    pub(crate) text: String,
    pub(crate) mode: Mode,
    pub(crate) filter: FilterRequest,
    pub(crate) constants: Constants,
}

impl LastKept {
    /// Whether a query goes on from this one: more or less of the same text while it was typed, or
    /// the same again. Other constants make a trace of their own.
    pub(crate) fn goes_on(&self, at: Millis, trace: &Trace, filter: &FilterRequest) -> bool {
        let (before, after) = (self.text.trim(), trace.query.trim());
        at - self.at <= TYPING
            && self.mode == trace.mode
            && self.filter == *filter
            && (before.starts_with(after) || after.starts_with(before))
            && self.constants == trace.constants
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(query: &str) -> Trace {
        Trace {
            query: query.to_owned(),
            now: "2026-06-30T12:00:00Z".to_owned(),
            mode: Mode::Hybrid,
            effective_mode: Mode::Hybrid,
            query_kind: retrieval::trace::QueryKind::Conceptual,
            terms: Vec::new(),
            expansion: Vec::new(),
            level: Level::Full,
            constants: Constants {
                decay_floor: 0.1 + 0.2,
                ..Constants::default()
            },
            model: None,
            index_epoch: 7,
            searchable: 3,
            stages: Vec::new(),
            results: vec!["m4".to_owned()],
            lanes: retrieval::lane::Lanes::default(),
        }
    }

    fn last(text: &str) -> LastKept {
        LastKept {
            row: 1,
            at: 0,
            text: text.to_owned(),
            mode: Mode::Hybrid,
            filter: FilterRequest::default(),
            constants: trace("").constants,
        }
    }

    #[test]
    fn a_row_reads_back_as_it_was_and_older_rows_too() {
        let filter = FilterRequest {
            agents: vec!["claw".to_owned()],
            ..FilterRequest::default()
        };
        let trace = trace("kettle");
        let row = serde_json::to_string(&Kept {
            channel: ChannelName::Hook,
            session: Some("s1"),
            filter: &filter,
            trace: &trace,
        })
        .unwrap();
        let account = Account::read(&row).unwrap();
        assert_eq!((&account.filter, &account.trace), (&filter, &trace));
        assert_eq!(account.channel, ChannelName::Hook);
        assert_eq!(account.session.as_deref(), Some("s1"));
        let summary = Summary::read(&row).unwrap();
        assert_eq!(summary.channel, ChannelName::Hook);
        assert_eq!(
            (summary.filter, summary.results),
            (filter, trace.results.clone())
        );
        // Whoever reads a bare trace reads this too.
        assert_eq!(serde_json::from_str::<Trace>(&row).unwrap(), trace);

        let mut bare = serde_json::to_value(&trace).unwrap();
        let old = Account::read(&bare.to_string()).unwrap();
        assert_eq!(old.trace, trace);
        assert_eq!(old.filter, FilterRequest::default());
        assert_eq!((old.channel, old.session), (ChannelName::Window, None));
        assert!(Summary::read(&bare.to_string()).is_some());

        // A constant that the older program did not know.
        bare["constants"].as_object_mut().unwrap().remove("dedup");
        assert!(
            Account::read(&bare.to_string())
                .unwrap()
                .trace
                .constants
                .dedup
        );
        assert!(Account::read("{}").is_err() && Account::read("[]").is_err());
        assert!(Summary::read("7").is_none());
    }

    #[test]
    fn typing_on_is_one_question_and_other_constants_are_another() {
        let any = FilterRequest::default();
        assert!(last("ket").goes_on(800, &trace("kettle in"), &any));
        assert!(last("kettle in").goes_on(800, &trace("kettle "), &any));
        assert!(!last("ket").goes_on(11_000, &trace("kettle"), &any));
        assert!(!last("plants").goes_on(800, &trace("kettle"), &any));
        let narrowed = FilterRequest {
            agents: vec!["claw".to_owned()],
            ..FilterRequest::default()
        };
        assert!(!last("kettle").goes_on(800, &trace("kettle"), &narrowed));
        let mut other = trace("kettle");
        other.constants.rrf_k = 5.0;
        assert!(!last("kettle").goes_on(800, &other, &any));
    }
}
