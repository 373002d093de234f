//! The memories as a flat picture, and changes that would bring a memory in.

use retrieval::trace::Mode;
use serde::{Deserialize, Serialize};

/// All memories with a vector, flattened to their two principal components. Columns of equal
/// length, one place per memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct MapView {
    /// The model of the vectors; absent when there is none.
    pub model: Option<String>,
    /// Length of the vectors.
    pub dimension: u32,
    /// Share of the variance that the picture shows along x and y, 0..1.
    pub explained: (f64, f64),
    /// Living memories that have no vector and so no place.
    pub without: u32,
    /// Ids, as `m42`.
    pub ids: Vec<String>,
    /// Along the first component.
    pub x: Vec<f64>,
    /// Along the second component.
    pub y: Vec<f64>,
    /// Names of agents; `agent` counts into it.
    pub agents: Vec<String>,
    /// The agent of each.
    pub agent: Vec<u32>,
    /// Names of kinds; `kind` counts into it.
    pub kinds: Vec<String>,
    /// The kind of each.
    pub kind: Vec<u32>,
    /// The age of each in days; absent when unknown.
    pub age_days: Vec<Option<f64>>,
    /// The standing query's place.
    pub query: Option<MapQuery>,
    /// The true cosine of each with the standing query; empty when there is none.
    pub cosine: Vec<f64>,
}

/// How far the neighbour map is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum NeighbourMapState {
    /// Not begun, called off, or there are too few vectors.
    #[default]
    Idle,
    /// Being laid out.
    Running,
    /// There.
    Ready,
}

/// The memories with a vector, laid out so that near neighbours stay near. Columns of equal length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct NeighbourMapView {
    /// How far it is.
    pub state: NeighbourMapState,
    /// Share of the work that is done, 0..1.
    pub done: f64,
    /// Ids, as `m42`; empty until it is ready.
    pub ids: Vec<String>,
    /// Across.
    pub x: Vec<f64>,
    /// Up.
    pub y: Vec<f64>,
    /// How many were laid out; the rest stand beside their nearest neighbours among those.
    pub laid_out: u32,
    /// Of a memory's ten nearest by cosine, the share that is among its ten nearest here, 0..1.
    pub kept: f64,
    /// The same for the two principal components.
    pub kept_flat: f64,
    /// The standing query, beside the memories nearest to it.
    pub query: Option<MapQuery>,
}

/// Where a query lies on the map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, specta::Type)]
pub struct MapQuery {
    /// Its text.
    pub text: String,
    /// Along the first component.
    pub x: f64,
    /// Along the second component.
    pub y: f64,
}

/// What a change touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum EditKind {
    /// The query's mode.
    Mode,
    /// A term of the query is left out.
    Drop,
    /// Words of the query must stand together.
    Quote,
    /// A word of the memory is added to the query.
    Add,
    /// A filter on the memory's own fields is added to the query.
    Narrow,
    /// The memory is pinned.
    Pin,
    /// The memory is of now.
    Redate,
    /// The memory gets tags that the query asks for.
    Tag,
    /// Words of the question are added to the memory's text.
    Write,
    /// The question itself is added to the memory's text.
    Question,
}

/// A change that was tried and brings the memory into the results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct QueryEditView {
    /// What is changed.
    pub kind: EditKind,
    /// The term, the words or the mode it is about; empty for changes of the memory.
    pub what: String,
    /// The question to ask instead; absent when the memory is changed.
    pub query: Option<String>,
    /// The mode to ask it in.
    pub mode: Mode,
    /// The memory's rank then, from 1.
    pub rank: u32,
    /// What would be written; absent but for changes of the memory's text or tags.
    pub draft: Option<DraftView>,
}

/// A change of a memory's text or tags that was tried and not kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct DraftView {
    /// The whole new text; absent when it stays.
    pub content: Option<String>,
    /// All tags; absent when they stay.
    pub tags: Option<Vec<String>>,
    /// Results of this query that it would push out.
    pub displaced: Vec<String>,
    /// Golden queries that were tried with it.
    pub judged: u32,
    /// Of those, how many would have a higher nDCG@10.
    pub gained: u32,
    /// Of those, how many a lower one.
    pub lost: u32,
}

/// What was found by trying.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct QueryEditsView {
    /// Changes that help, best rank first.
    pub edits: Vec<QueryEditView>,
    /// How many were tried.
    pub tried: u32,
    /// How many were not, because time was up.
    pub untried: u32,
}
