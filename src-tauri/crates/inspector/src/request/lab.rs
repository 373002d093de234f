//! What may be asked of the golden queries as a whole.

use retrieval::constants::Constants;
use serde::{Deserialize, Serialize};

/// All golden queries under one set of constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct GoldenRequest {
    /// The constants to rank with.
    pub constants: Constants,
    /// The clock, RFC 3339; the present when absent.
    pub now: Option<String>,
}

/// What is a choice of constants worth on golden queries that did not choose it?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct HoldOutRequest {
    /// The constants chosen over.
    pub present: Constants,
    /// The choice.
    pub chosen: Constants,
    /// The clock, RFC 3339; the present when absent.
    pub now: Option<String>,
}

/// How several constants are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum TrialMethod {
    /// Every value of each with every value of the others.
    Grid,
    /// Values drawn at random.
    Random,
}

/// A piece of a sweep over several constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct TrialsRequest {
    /// Names of one to six constants that move.
    pub axes: Vec<String>,
    /// How.
    pub method: TrialMethod,
    /// At most so many draws, 1–500, beside the present constants and the ablations.
    pub count: u32,
    /// The same gives the same draws.
    pub seed: u32,
    /// The constants to start from.
    pub constants: Constants,
    /// The clock, RFC 3339; the present when absent.
    pub now: Option<String>,
    /// Trials of the plan to pass over.
    pub skip: u32,
    /// Trials to measure.
    pub take: u32,
}
