//! What one row of the table of constants holds, and the macro that makes everything else of the rows.

use crate::stage::Stage;

use super::{Constants, Tunable};

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

/// A constant that is a number.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// The lowest and the highest value allowed.
    pub range: (f64, f64),
    /// Where a slider moves it.
    pub track: Track,
    /// The values that a sweep tries.
    pub ladder: Ladder,
    /// What is written behind the number, blank included.
    pub unit: &'static str,
    /// Digits after the point that are written.
    pub digits: u8,
    /// Whether the lists of the legs change while it moves, so that no step can be told exactly.
    pub moves_lists: bool,
    /// Whether it makes any difference under these constants.
    pub matters: fn(&Constants) -> bool,
}

/// The part of a range that a slider covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Track {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// The values lie so far apart.
    pub step: f64,
    /// Whether each part of the track stands for a ratio, which gives days and years the same room.
    pub logarithmic: bool,
}

impl Track {
    pub(super) const fn linear(low: f64, high: f64, step: f64) -> Self {
        Self {
            low,
            high,
            step,
            logarithmic: false,
        }
    }

    pub(super) const fn log(low: f64, high: f64, step: f64) -> Self {
        Self {
            low,
            high,
            step,
            logarithmic: true,
        }
    }
}

/// The values that a sweep tries: closer together where a step matters more.
#[derive(Clone, Copy, Debug)]
pub enum Ladder {
    /// None: it changes no ranking.
    None,
    /// From, to, and into how many equal parts.
    Even(u32, u32, u32),
    /// These.
    Values(&'static [f64]),
}

impl Ladder {
    /// All of them, rising.
    pub fn values(self) -> Vec<f64> {
        match self {
            Self::None => Vec::new(),
            Self::Even(from, to, parts) => (0..=parts)
                .map(|step| f64::from(from) + f64::from((to - from) * step) / f64::from(parts))
                .collect(),
            Self::Values(values) => values.to_vec(),
        }
    }
}

/// A field that a slider moves.
pub(super) trait Numeric: Copy {
    /// Whether only whole numbers are allowed.
    const WHOLE: bool;
    fn number(self) -> f64;
    fn of(number: f64) -> Self;
}

impl Numeric for f64 {
    const WHOLE: bool = false;
    fn number(self) -> f64 {
        self
    }
    fn of(number: f64) -> Self {
        number
    }
}

impl Numeric for u32 {
    const WHOLE: bool = true;
    fn number(self) -> f64 {
        self.into()
    }
    fn of(number: f64) -> Self {
        number as Self
    }
}

/// Makes [`Constants`] with its `Default`, [`Tunable`] and [`super::TABLE`] of the rows.
macro_rules! constants {
    (
        live {$(
            $(#[$attribute:meta])*
            $name:ident: $type:ty = $standard:expr, {
                stages: [$($stage:ident),+],
                label: $label:literal,
                help: $help:literal,
                formula: $formula:literal,
                shown: [$($place:ident),*],
                $(choice: [$($choice:literal = $said:literal),+],)?
                $(number: $variant:ident {
                    range: $low:expr, $high:expr,
                    track: $track:expr,
                    ladder: $ladder:expr,
                    unit: $unit:literal,
                    digits: $digits:literal,
                    moves_lists: $moves:literal,
                    matters: $matters:expr,
                },)?
            }
        )+}
        fixed {$(
            $fixed:ident $fixed_name:literal = $value:literal, {
                stages: [$($fixed_stage:ident),+],
                help: $fixed_help:literal,
                formula: $fixed_formula:literal,
            }
        )+}
    ) => {
        /// The constants of one ranking. `Default` is the preset "Standard".
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, specta::Type)]
        pub struct Constants {$(
            #[doc = $help]
            $(#[$attribute])*
            pub $name: $type,
        )+}

        impl Default for Constants {
            fn default() -> Self {
                Self { $($name: $standard,)+ }
            }
        }

        $(
            #[doc = $fixed_help]
            pub const $fixed: f64 = $value;
        )+

        /// A constant that a slider moves.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Tunable {$($(
            #[doc = $help]
            $variant,
        )?)+}

        impl Tunable {
            /// All of them, in the order of the sliders.
            pub const ALL: [Self; [$($(stringify!($variant),)?)+].len()] =
                [$($(Self::$variant,)?)+];

            /// The name of the field in [`Constants`].
            pub const fn name(self) -> &'static str {
                match self {$($(
                    Self::$variant => stringify!($name),
                )?)+}
            }

            /// All that is known of the number.
            pub const fn number(self) -> Number {
                match self {$($(
                    Self::$variant => Number {
                        range: ($low, $high),
                        track: $track,
                        ladder: $ladder,
                        unit: $unit,
                        digits: $digits,
                        moves_lists: $moves,
                        matters: $matters,
                    },
                )?)+}
            }

            /// Whether only whole numbers are allowed.
            pub const fn is_whole(self) -> bool {
                match self {$($(
                    Self::$variant => <$type as Numeric>::WHOLE,
                )?)+}
            }

            /// Its value.
            pub fn of(self, constants: &Constants) -> f64 {
                match self {$($(
                    Self::$variant => constants.$name.number(),
                )?)+}
            }

            /// Puts it at another value.
            pub(super) fn put(self, constants: &mut Constants, value: f64) {
                match self {$($(
                    Self::$variant => constants.$name = Numeric::of(value),
                )?)+}
            }
        }

        /// Every constant, in the order in which a query meets them, and what is built in.
        pub const TABLE: &[Row] = &[
            $(Row {
                name: stringify!($name),
                stages: &[$(Stage::$stage),+],
                label: $label,
                help: $help,
                formula: $formula,
                places: &[$(Place::$place),*],
                kind: {
                    #[allow(unused_mut, unused_assignments)]
                    let mut kind = RowKind::Other;
                    $(kind = RowKind::Choice(&[$(($choice, $said)),+]);)?
                    $(kind = RowKind::Number(Tunable::$variant);)?
                    kind
                },
            },)+
            $(Row {
                name: $fixed_name,
                stages: &[$(Stage::$fixed_stage),+],
                label: $fixed_name,
                help: $fixed_help,
                formula: $fixed_formula,
                places: &[],
                kind: RowKind::Fixed($value),
            },)+
        ];
    };
}
pub(super) use constants;

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

    /// Whether it decides only what of the results is put into the context block, and so moves no
    /// ranking.
    pub const fn only_packs(self) -> bool {
        matches!(self, Self::TokenBudget | Self::ContextResults)
    }

    /// Whether it makes any difference under these constants.
    pub fn matters(self, constants: &Constants) -> bool {
        (self.number().matters)(constants)
    }

    /// The constants with this one at another value.
    #[must_use]
    pub fn set(self, constants: &Constants, value: f64) -> Constants {
        let mut changed = constants.clone();
        self.put(&mut changed, value);
        changed
    }
}
