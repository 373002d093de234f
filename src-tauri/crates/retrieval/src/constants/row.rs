//! What a row of the table of constants says of a number, and the macro that makes everything else of the
//! rows.

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

/// Makes `Constants` with its `Default`, `Tunable` and `TABLE` of the rows.
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
                    },
                )?)+}
            }

            /// Whether it makes any difference under these constants.
            pub fn matters(self, constants: &Constants) -> bool {
                let matters: fn(&Constants) -> bool = match self {$($(
                    Self::$variant => $matters,
                )?)+};
                matters(constants)
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
