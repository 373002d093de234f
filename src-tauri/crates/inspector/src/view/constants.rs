//! The table of constants, as programs show it.

use retrieval::constants::{Constants, Place, RowKind, TABLE, Tunable};
use retrieval::stage::Stage;
use serde::Serialize;
use serde_json::Value;

/// One row.
#[derive(Clone, Debug, Serialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each answers a question of its own; together they are no state"
)]
pub struct ConstantView {
    /// The field of [`Constants`], and the name after `--set`.
    pub name: &'static str,
    /// What it can be.
    pub kind: ConstantKind,
    /// The stages that it shapes.
    pub stages: &'static [Stage],
    /// A few words for it.
    pub label: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Its formula, or that in which it stands.
    pub formula: &'static str,
    /// Its value in the preset "Standard".
    pub standard: Value,
    /// The lowest and the highest value allowed; a number's alone.
    pub range: Option<(f64, f64)>,
    /// Whether only whole numbers are allowed.
    pub whole: bool,
    /// What a slider does; a number's alone.
    pub track: Option<TrackView>,
    /// What a sweep tries.
    pub ladder: Vec<f64>,
    /// Whether it makes any difference while everything else is as in "Standard".
    pub acts_in_standard: bool,
    /// Whether the legs' lists change while it moves.
    pub moves_lists: bool,
    /// What is written behind a number, blank included.
    pub unit: &'static str,
    /// Digits after the point.
    pub digits: u8,
    /// The names that a choice is one of, each with words for it.
    pub choices: Vec<ChoiceView>,
    /// Whether most misses turn on it: its slider is always there.
    pub essential: bool,
    /// Whether it stands where presets are compared.
    pub compared: bool,
}

/// What a constant can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConstantKind {
    /// A number that can be set.
    Number,
    /// One of several names.
    Choice,
    /// On or off.
    Switch,
    /// Rules per kind of memory.
    Rules,
    /// A number that is built in.
    Fixed,
}

/// A slider's track.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TrackView {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The values lie so far apart.
    pub step: f64,
    /// `linear` or `log`.
    pub scale: &'static str,
}

/// One of several names.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ChoiceView {
    /// The name.
    pub name: &'static str,
    /// Words for it.
    pub label: &'static str,
}

impl ConstantView {
    /// All of them, in the order in which a query meets them, and what is built in.
    pub fn all() -> Vec<Self> {
        let standard = Constants::default();
        let fields = serde_json::to_value(&standard).unwrap_or_default();
        TABLE
            .iter()
            .map(|row| {
                let value = match row.kind {
                    RowKind::Fixed(value) => value.into(),
                    _ => fields[row.name].clone(),
                };
                let tunable = match row.kind {
                    RowKind::Number(tunable) => Some(tunable),
                    _ => None,
                };
                let number = tunable.map(Tunable::number);
                Self {
                    name: row.name,
                    kind: match row.kind {
                        RowKind::Number(_) => ConstantKind::Number,
                        RowKind::Choice(_) => ConstantKind::Choice,
                        RowKind::Fixed(_) => ConstantKind::Fixed,
                        RowKind::Other if value.is_boolean() => ConstantKind::Switch,
                        RowKind::Other => ConstantKind::Rules,
                    },
                    stages: row.stages,
                    label: row.label,
                    help: row.help,
                    formula: row.formula,
                    standard: value,
                    range: number.map(|number| number.range),
                    whole: tunable.is_some_and(Tunable::is_whole),
                    track: number.map(|number| TrackView {
                        low: number.track.low,
                        high: number.track.high,
                        step: number.track.step,
                        scale: if number.track.logarithmic {
                            "log"
                        } else {
                            "linear"
                        },
                    }),
                    ladder: number
                        .map(|number| number.ladder.values())
                        .unwrap_or_default(),
                    acts_in_standard: tunable.is_none_or(|tunable| tunable.matters(&standard)),
                    moves_lists: number.is_some_and(|number| number.moves_lists),
                    unit: number.map_or("", |number| number.unit),
                    digits: number.map_or(0, |number| number.digits),
                    choices: match row.kind {
                        RowKind::Choice(choices) => choices
                            .iter()
                            .map(|&(name, label)| ChoiceView { name, label })
                            .collect(),
                        _ => Vec::new(),
                    },
                    essential: row.places.contains(&Place::Slider),
                    compared: row.places.contains(&Place::Presets),
                }
            })
            .collect()
    }

    /// What it can be set to: `[0–1000]`, the names of a choice, or nothing.
    pub fn allowed(&self) -> String {
        if let Some((low, high)) = self.range {
            return format!("[{low}–{high}]");
        }
        let names: Vec<_> = self.choices.iter().map(|choice| choice.name).collect();
        names.join(" | ")
    }

    /// Its value in "Standard", as typed after `--set`.
    pub fn standard_text(&self) -> String {
        match &self.standard {
            Value::String(text) => text.clone(),
            // Whole numbers stand without a point.
            Value::Number(number) => number
                .as_f64()
                .map_or_else(|| number.to_string(), |value| value.to_string()),
            other => other.to_string(),
        }
    }
}
