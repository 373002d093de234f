//! Asking for past queries, for what time will do, and for what came in.

use retrieval::constants::Constants;
use serde::{Deserialize, Serialize};

/// A page of past queries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(default)]
pub struct HistoryRequest {
    /// Only those before this one, as `t12`.
    pub before: Option<String>,
    /// How many, 1–200.
    pub limit: u32,
    /// Whether to judge what agents made of what they were given, for the first 50 of their questions.
    /// Texts are compared for that, so the first time takes longer.
    pub usage: bool,
}

/// Which trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case", tag = "of")]
pub enum TraceName {
    /// A stored one.
    Stored {
        /// `t12`.
        id: String,
    },
    /// That of a standing query under some constants.
    Recall {
        /// The query, as named by its view.
        recall: String,
        /// The constants.
        constants: Box<Constants>,
        /// The clock, RFC 3339; the query's own when absent.
        now: Option<String>,
    },
}

/// What a redacted trace shows all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(default)]
pub struct RedactionRequest {
    /// The query's text.
    pub query: bool,
    /// The memories' own ids instead of made-up names.
    pub keep_ids: bool,
}

/// A trace as a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ExportTraceRequest {
    /// Which.
    pub trace: TraceName,
    /// For a bug report: numbers only, but for what is named here. Absent = all of it.
    pub redacted: Option<RedactionRequest>,
}

/// What will time do to the results of a standing query?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ForecastRequest {
    /// The query, as named by its view.
    pub recall: String,
    /// The constants in force.
    pub constants: Constants,
    /// The clock, RFC 3339; the query's own when absent.
    pub now: Option<String>,
    /// Where to start, RFC 3339; the clock when absent.
    pub from: Option<String>,
    /// How many days after the query's own clock to look, 1–3650.
    pub days: u32,
}

/// Which of these memories would be among the results of a standing query, asked now?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct ArrivalsRequest {
    /// The query, as named by its view.
    pub recall: String,
    /// The constants in force.
    pub constants: Constants,
    /// Memories that came in since, as `m42`.
    pub ids: Vec<String>,
}
