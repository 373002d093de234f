//! The table of constants: every number that shapes a ranking, said once.
//!
//! A new row is a new constant. Its slider, its sweep, its place in presets and among a stage's facts,
//! its help in the window and in `lethescope constants`, its range at every door all come from here;
//! what is left is to use it in its stage, and to name it in ARCHITECTURE.md and docs/constants.md.

use crate::half_life::{HALF_LIFE_RANGE, HalfLives};
use crate::stage::Stage;

use super::row::{Ladder, Number, Numeric, Track, constants};
use super::{ConvexBounds, DecayClock, FusionMethod, RerankBackend};

/// One constant: everything that is said of it anywhere.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The field of [`Constants`], and the name after `--set`.
    pub name: &'static str,
    /// The stages that it shapes, in their order.
    pub stages: &'static [Stage],
    /// A few words for it.
    pub label: &'static str,
    /// What it does, in a sentence or two.
    pub help: &'static str,
    /// Its formula, or that in which it stands.
    pub formula: &'static str,
    /// Where the window shows it without being asked.
    pub places: &'static [Place],
    /// What it can be set to.
    pub kind: RowKind,
}

/// What a constant can be.
#[derive(Clone, Copy, Debug)]
pub enum RowKind {
    /// A number that a slider moves.
    Number(Tunable),
    /// One of several names, each with words for it.
    Choice(&'static [(&'static str, &'static str)]),
    /// Anything else: on or off, or rules per kind of memory.
    Other,
    /// A number that is built in.
    Fixed(f64),
}

/// Where the window shows a constant without being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the row of sliders: most misses turn on it.
    Slider,
    /// Where presets stand side by side: it tells them apart.
    Presets,
}

impl Tunable {
    /// The lowest and the highest value allowed.
    pub const fn range(self) -> (f64, f64) {
        self.number().range
    }

    /// Whether the lists of the legs stand still while it moves, so that the order changes at steps
    /// that can be told exactly.
    pub const fn keeps_the_lists(self) -> bool {
        !self.number().moves_lists
    }

    /// Whether it decides only what is put into the context block, and so moves no ranking.
    pub const fn only_packs(self) -> bool {
        matches!(self, Self::TokenBudget | Self::ContextResults) || self.cuts_lanes()
    }

    /// Whether it cuts what stands beside the memories.
    pub const fn cuts_lanes(self) -> bool {
        matches!(
            self,
            Self::ResearchThreshold
                | Self::ResearchReported
                | Self::ResearchInjected
                | Self::ResearchCharacters
                | Self::DocumentHits
                | Self::DocumentCosine
        )
    }

    /// The constants with this one at another value.
    #[must_use]
    pub fn set(self, constants: &Constants, value: f64) -> Constants {
        let mut changed = constants.clone();
        self.put(&mut changed, value);
        changed
    }
}

constants! {
live {
    candidates: u32 = 40, {
        stages: [Knn, Bm25, Sparse],
        label: "candidates",
        help: "How many of each list’s best are kept for fusion.",
        formula: "rank ≤ candidates, at least 4 × results",
        shown: [Slider, Presets],
        number: Candidates {
            range: 1.0, 500.0,
            track: Track::log(1.0, 500.0, 1.0),
            ladder: Ladder::Values(&[
                10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 80.0, 100.0, 130.0, 160.0, 200.0, 250.0,
                300.0, 400.0, 500.0,
            ]),
            unit: "",
            digits: 0,
            moves_lists: false,
            matters: |_| true,
        },
    }
    knn_feedback: f64 = 0.0, {
        stages: [Knn],
        label: "feedback",
        help: "How much memories rise by meaning when they resemble the three best keyword hits; 0 turns it off.",
        formula: "(cosine + feedback · mean cosine to the three) / (1 + feedback)",
        shown: [Presets],
        number: KnnFeedback {
            range: 0.0, 2.0,
            track: Track::linear(0.0, 2.0, 0.05),
            ladder: Ladder::Even(0, 2, 20),
            unit: "",
            digits: 2,
            moves_lists: true,
            matters: |_| true,
        },
    }
    bm25_short: f64 = 0.0, {
        stages: [Bm25],
        label: "short text",
        help: "A memory of so many words counts half by keywords, because it says little; half of what is usual for its kind at most. 0 turns it off.",
        formula: "bm25 · words / (words + short)",
        shown: [Presets],
        number: Bm25Short {
            range: 0.0, 200.0,
            track: Track::linear(0.0, 200.0, 1.0),
            ladder: Ladder::Values(&[
                0.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 70.0, 100.0, 150.0, 200.0,
            ]),
            unit: "",
            digits: 0,
            moves_lists: true,
            matters: |_| true,
        },
    }
    bm25_long: f64 = 0.0, {
        stages: [Bm25],
        label: "long text",
        help: "A memory of so many words counts half by keywords, because it says much of everything; none counts as longer than is usual for its kind. 0 turns it off.",
        formula: "bm25 · long / (words + long)",
        shown: [Presets],
        number: Bm25Long {
            range: 0.0, 10_000.0,
            track: Track::linear(0.0, 2000.0, 10.0),
            ladder: Ladder::Values(&[
                0.0, 100.0, 150.0, 200.0, 250.0, 300.0, 400.0, 500.0, 600.0, 800.0, 1000.0, 1500.0,
                2000.0,
            ]),
            unit: "",
            digits: 0,
            moves_lists: true,
            matters: |_| true,
        },
    }
    fusion: FusionMethod = FusionMethod::Rrf, {
        stages: [Fusion],
        label: "fusion",
        help: "RRF unites the lists by rank; convex by score, normalised to 0–1 over each list.",
        formula: "Σ weight / (k + rank)  or  Σ weight · score, 0–1",
        shown: [Presets],
        choice: ["rrf" = "RRF", "convex" = "convex"],
    }
    convex_bounds: ConvexBounds = ConvexBounds::Observed, {
        stages: [Fusion],
        label: "scale begins at",
        help: "Where each list’s scale begins under convex: at its lowest candidate, or at the lowest score possible (−1 for a cosine, 0 for BM25), so that the last candidate keeps its worth.",
        formula: "(score − begin) / (highest − begin)",
        shown: [Presets],
        choice: ["observed" = "min found", "theoretical" = "min possible"],
    }
    rrf_k: f64 = 60.0, {
        stages: [Fusion],
        label: "RRF k",
        help: "How flat ranks count: small makes the first ranks decide, large makes being in both lists decide.",
        formula: "Σ weight / (k + rank)",
        shown: [Slider, Presets],
        number: RrfK {
            range: 0.0, 1000.0,
            track: Track::linear(0.0, 200.0, 1.0),
            ladder: Ladder::Values(&[
                0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 80.0, 100.0, 150.0,
                200.0,
            ]),
            unit: "",
            digits: 0,
            moves_lists: false,
            matters: |constants| matches!(constants.fusion, FusionMethod::Rrf),
        },
    }
    knn_weight: f64 = 1.0, {
        stages: [Fusion],
        label: "semantic weight",
        help: "How much the vote of meaning counts; 0 removes that list.",
        formula: "weight / (k + rank by meaning)",
        shown: [Presets],
        number: KnnWeight {
            range: 0.0, 10.0,
            track: Track::linear(0.0, 5.0, 0.05),
            ladder: Ladder::Even(0, 3, 30),
            unit: "",
            digits: 2,
            moves_lists: false,
            matters: |_| true,
        },
    }
    bm25_weight: f64 = 1.0, {
        stages: [Fusion],
        label: "keyword weight",
        help: "How much the vote of words counts; 0 removes that list.",
        formula: "weight / (k + rank by words)",
        shown: [Slider, Presets],
        number: Bm25Weight {
            range: 0.0, 10.0,
            track: Track::linear(0.0, 5.0, 0.05),
            ladder: Ladder::Even(0, 3, 30),
            unit: "",
            digits: 2,
            moves_lists: false,
            matters: |_| true,
        },
    }
    sparse_weight: f64 = 0.0, {
        stages: [Fusion],
        label: "sparse weight",
        help: "How much the vote of implied words counts, those that should be there; 0 removes that list.",
        formula: "weight / (k + rank by implied words)",
        shown: [Presets],
        number: SparseWeight {
            range: 0.0, 10.0,
            track: Track::linear(0.0, 5.0, 0.05),
            ladder: Ladder::Even(0, 3, 30),
            unit: "",
            digits: 2,
            moves_lists: false,
            matters: |_| true,
        },
    }
    neighbour_share: f64 = 0.0, {
        stages: [Fusion],
        label: "neighbour share",
        help: "How much of the better score of the memories found right before and after it in its session a memory gets; 0 turns it off.",
        formula: "fused + share · the better neighbour’s fused",
        shown: [Presets],
        number: NeighbourShare {
            range: 0.0, 1.0,
            track: Track::linear(0.0, 1.0, 0.01),
            ladder: Ladder::Even(0, 1, 20),
            unit: "",
            digits: 2,
            moves_lists: false,
            matters: |_| true,
        },
    }
    half_life_days: f64 = 14.0, {
        stages: [Decay],
        label: "half-life",
        help: "Days after which the part of a score above the floor has halved.",
        formula: "floor + (1 − floor) · ½^(age / half-life)",
        shown: [Slider, Presets],
        number: HalfLifeDays {
            range: HALF_LIFE_RANGE.0, HALF_LIFE_RANGE.1,
            track: Track::log(0.5, 3650.0, 0.5),
            ladder: Ladder::Values(&[
                1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 14.0, 20.0, 30.0, 45.0, 60.0, 90.0, 120.0, 180.0,
                365.0,
            ]),
            unit: " d",
            digits: 1,
            moves_lists: false,
            matters: |_| true,
        },
    }
    #[specta(type = String)]
    half_life_by_kind: HalfLives = HalfLives::default(), {
        stages: [Decay],
        label: "half-life by kind",
        help: "Kinds that age faster, slower, or not at all (evergreen): `tool_result:3,fact:evergreen`.",
        formula: "floor + (1 − floor) · ½^(age / half-life of the kind)",
        shown: [Presets],
    }
    decay_floor: f64 = 0.7, {
        stages: [Decay],
        label: "decay floor",
        help: "What even the oldest memory keeps of its score; 1 turns decay off.",
        formula: "floor + (1 − floor) · ½^(age / half-life)",
        shown: [Slider, Presets],
        number: DecayFloor {
            range: 0.0, 1.0,
            track: Track::linear(0.0, 1.0, 0.01),
            ladder: Ladder::Even(0, 1, 20),
            unit: "",
            digits: 2,
            moves_lists: false,
            matters: |_| true,
        },
    }
    decay_clock: DecayClock = DecayClock::CreatedAt, {
        stages: [Decay],
        label: "age counted from",
        help: "The moment from which a memory’s age is counted.",
        formula: "age = now − that moment",
        shown: [],
        choice: ["created_at" = "when it happened", "last_seen_at" = "when last said"],
    }
    authority: f64 = 0.0, {
        stages: [Decay],
        label: "authority",
        help: "How much a memory rises for having been said again: each doubling adds so large a share of its score; pinned ones count as said eight times at least. 0 turns it off.",
        formula: "decayed · (1 + authority · log₂ times said)",
        shown: [Presets],
        number: Authority {
            range: 0.0, 1.0,
            track: Track::linear(0.0, 1.0, 0.01),
            ladder: Ladder::Even(0, 1, 20),
            unit: "",
            digits: 2,
            moves_lists: false,
            matters: |_| true,
        },
    }
    rerank: RerankBackend = RerankBackend::Embedded, {
        stages: [Rerank],
        label: "reranker",
        help: "Who reads query and memory together.",
        formula: "blend · reranker + (1 − blend) · fused, 0–1",
        shown: [Presets],
        choice: [
            "off" = "off", "embedded" = "late interaction", "cross_encoder" = "cross-encoder",
            "http" = "the server"
        ],
    }
    rerank_window: u32 = 20, {
        stages: [Rerank],
        label: "rerank window",
        help: "How many of the best the reranker reads; the others go no further.",
        formula: "rank after decay ≤ window",
        shown: [Slider, Presets],
        number: RerankWindow {
            range: 0.0, 500.0,
            track: Track::linear(0.0, 500.0, 1.0),
            ladder: Ladder::Even(0, 200, 20),
            unit: "",
            digits: 0,
            moves_lists: false,
            matters: |constants| !matches!(constants.rerank, RerankBackend::Off),
        },
    }
    rerank_blend: f64 = 0.9, {
        stages: [Rerank],
        label: "rerank blend",
        help: "The reranker’s share in the final score.",
        formula: "blend · reranker + (1 − blend) · fused, 0–1",
        shown: [Presets],
        number: RerankBlend {
            range: 0.0, 1.0,
            track: Track::linear(0.0, 1.0, 0.01),
            ladder: Ladder::Even(0, 1, 20),
            unit: "",
            digits: 2,
            moves_lists: false,
            matters: |constants| !matches!(constants.rerank, RerankBackend::Off),
        },
    }
    rerank_long: f64 = 1000.0, {
        stages: [Rerank],
        label: "long reading",
        help: "So many words beyond the first hundred halve what the reranker says of a memory; none counts as longer than is usual for its kind. 0 turns it off.",
        formula: "reranker · long / (long + words beyond 100)",
        shown: [Presets],
        number: RerankLong {
            range: 0.0, 10_000.0,
            track: Track::linear(0.0, 5000.0, 50.0),
            ladder: Ladder::Values(&[
                0.0, 200.0, 300.0, 500.0, 700.0, 1000.0, 1500.0, 2000.0, 3000.0, 5000.0,
            ]),
            unit: "",
            digits: 0,
            moves_lists: false,
            matters: |constants| !matches!(constants.rerank, RerankBackend::Off),
        },
    }
    results: u32 = 10, {
        stages: [Select],
        label: "results",
        help: "How many memories are returned.",
        formula: "final rank ≤ results",
        shown: [Presets],
        number: Results {
            range: 1.0, 100.0,
            track: Track::log(1.0, 100.0, 1.0),
            ladder: Ladder::Even(1, 20, 19),
            unit: "",
            digits: 0,
            moves_lists: false,
            matters: |_| true,
        },
    }
    context_results: u32 = 5, {
        stages: [Select],
        label: "in the block",
        help: "How many of the results are put into the agent’s prompt at most.",
        formula: "place among the results that may be put in ≤ in the block",
        shown: [],
        number: ContextResults {
            range: 1.0, 50.0,
            track: Track::linear(1.0, 50.0, 1.0),
            ladder: Ladder::None,
            unit: "",
            digits: 0,
            moves_lists: false,
            matters: |_| true,
        },
    }
    token_budget: u32 = 2048, {
        stages: [Select],
        label: "token budget",
        help: "Tokens that the memories may take in the agent’s prompt.",
        formula: "Σ tokens ≤ budget, whole memories only",
        shown: [],
        number: TokenBudget {
            range: 64.0, 1_000_000.0,
            track: Track::log(64.0, 32_768.0, 1.0),
            ladder: Ladder::None,
            unit: "",
            digits: 0,
            moves_lists: false,
            matters: |_| true,
        },
    }
    mmr: bool = false, {
        stages: [Select],
        label: "MMR",
        help: "Prefers results that differ from those already chosen (maximal marginal relevance).",
        formula: "λ · score − (1 − λ) · similarity to the nearest better result",
        shown: [Presets],
    }
    mmr_lambda: f64 = 0.7, {
        stages: [Select],
        label: "MMR λ",
        help: "How much relevance counts against difference while MMR is on.",
        formula: "λ · score − (1 − λ) · similarity to the nearest better result",
        shown: [],
        number: MmrLambda {
            range: 0.0, 1.0,
            track: Track::linear(0.0, 1.0, 0.01),
            ladder: Ladder::Even(0, 1, 20),
            unit: "",
            digits: 2,
            moves_lists: false,
            matters: |constants| constants.mmr,
        },
    }
    dedup: bool = true, {
        stages: [Select],
        label: "duplicates dropped",
        help: "Leaves out a memory that says what a better one says, word for word or nearly so.",
        formula: "same content, or linked as near duplicates",
        shown: [],
    }
    research_threshold: f64 = 0.5, {
        stages: [Select],
        label: "research threshold",
        help: "How much of its keywords a past question must share with this one for its research to be found.",
        formula: "shared keywords / all keywords ≥ threshold",
        shown: [],
        number: ResearchThreshold {
            range: 0.0, 1.0,
            track: Track::linear(0.0, 1.0, 0.01),
            ladder: Ladder::None,
            unit: "",
            digits: 2,
            moves_lists: false,
            matters: |_| true,
        },
    }
    research_reported: u32 = 3, {
        stages: [Select],
        label: "research reported",
        help: "How many pieces of past research are reported beside the memories.",
        formula: "place ≤ research reported",
        shown: [],
        number: ResearchReported {
            range: 0.0, 10.0,
            track: Track::linear(0.0, 10.0, 1.0),
            ladder: Ladder::None,
            unit: "",
            digits: 0,
            moves_lists: false,
            matters: |_| true,
        },
    }
    research_injected: u32 = 2, {
        stages: [Select],
        label: "research in the block",
        help: "How many of the reported pieces of past research are put into the agent’s prompt at most.",
        formula: "place ≤ research in the block",
        shown: [],
        number: ResearchInjected {
            range: 0.0, 10.0,
            track: Track::linear(0.0, 10.0, 1.0),
            ladder: Ladder::None,
            unit: "",
            digits: 0,
            moves_lists: false,
            matters: |constants| constants.research_reported > 0,
        },
    }
    research_characters: u32 = 2000, {
        stages: [Select],
        label: "research length",
        help: "How many characters of each finding are put into the agent’s prompt.",
        formula: "the first characters of the findings",
        shown: [],
        number: ResearchCharacters {
            range: 0.0, 10_000.0,
            track: Track::linear(0.0, 10_000.0, 100.0),
            ladder: Ladder::None,
            unit: "",
            digits: 0,
            moves_lists: false,
            matters: |constants| constants.research_reported.min(constants.research_injected) > 0,
        },
    }
    document_hits: u32 = 3, {
        stages: [Select],
        label: "document chunks",
        help: "How many chunks of documents stand beside the memories.",
        formula: "place ≤ document chunks",
        shown: [],
        number: DocumentHits {
            range: 0.0, 20.0,
            track: Track::linear(0.0, 20.0, 1.0),
            ladder: Ladder::None,
            unit: "",
            digits: 0,
            moves_lists: false,
            matters: |_| true,
        },
    }
    document_cosine: f64 = 0.25, {
        stages: [Route, Select],
        label: "near enough",
        help: "Below this cosine a chunk that none of the query’s words stand in is no answer, nor is the nearest memory to a query whose meaning is asked first.",
        formula: "cosine ≥ near enough",
        shown: [],
        number: DocumentCosine {
            range: 0.0, 1.0,
            track: Track::linear(0.0, 1.0, 0.01),
            ladder: Ladder::None,
            unit: "",
            digits: 2,
            moves_lists: true,
            matters: |_| true,
        },
    }
}
fixed {
    K1 "k1" = 1.2, {
        stages: [Bm25],
        help: "How much a word counts more for standing there again; SQLite’s own.",
        formula: "idf · tf · (k1 + 1) / (tf + k1 · (1 − b + b · length / average length))",
    }
    B "b" = 0.75, {
        stages: [Bm25],
        help: "How much a text’s length counts against it; SQLite’s own.",
        formula: "1 − b + b · length / average length",
    }
}
}
