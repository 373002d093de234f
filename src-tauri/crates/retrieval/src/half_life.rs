//! How fast each kind of memory ages, where that differs from the half-life of all.
//!
//! Written `tool_result:3,fact:evergreen`: names of kinds, each with its half-life in days or
//! `evergreen`, in any order. A kind that is not named ages by `half_life_days`.

use std::fmt;
use std::str::FromStr;

use memory::Kind;
use serde::{Deserialize, Serialize};

/// The word for a kind whose memories do not age.
const EVERGREEN: &str = "evergreen";

/// The shortest and the longest half-life, in days.
pub const HALF_LIFE_RANGE: (f64, f64) = (0.1, 3650.0);

/// How one kind of memory ages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KindAging {
    /// Not at all.
    Evergreen,
    /// By a half-life of its own, in days.
    HalfLife(f64),
}

/// What differs per kind. The standard: facts are evergreen, everything else ages alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HalfLives([Option<KindAging>; Kind::ALL.len()]);

/// The text is not a list of kinds and half-lives.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected kinds with days from {} to {} or the word evergreen, as in tool_result:3,fact:evergreen",
    HALF_LIFE_RANGE.0, HALF_LIFE_RANGE.1
)]
pub struct NotHalfLives;

impl HalfLives {
    /// Every kind ages by `half_life_days`.
    pub const NONE: Self = Self([None; Kind::ALL.len()]);

    /// How a kind ages; `None` = by `half_life_days`.
    pub const fn of(&self, kind: Kind) -> Option<KindAging> {
        self.0[kind as usize]
    }

    /// The same with another rule for one kind. Days outside the range are brought into it; what
    /// is no number changes nothing.
    #[must_use]
    pub fn with(mut self, kind: Kind, aging: Option<KindAging>) -> Self {
        self.0[kind as usize] = match aging {
            Some(KindAging::HalfLife(days)) if days.is_nan() => return self,
            Some(KindAging::HalfLife(days)) => Some(KindAging::HalfLife(
                days.clamp(HALF_LIFE_RANGE.0, HALF_LIFE_RANGE.1),
            )),
            other => other,
        };
        self
    }
}

impl Default for HalfLives {
    fn default() -> Self {
        Self::NONE.with(Kind::Fact, Some(KindAging::Evergreen))
    }
}

/// The one spelling: kinds in their fixed order, no blanks.
impl fmt::Display for HalfLives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = "";
        for (kind, aging) in Kind::ALL.iter().zip(self.0) {
            match aging {
                None => continue,
                Some(KindAging::Evergreen) => write!(f, "{before}{kind}:{EVERGREEN}")?,
                Some(KindAging::HalfLife(days)) => write!(f, "{before}{kind}:{days}")?,
            }
            before = ",";
        }
        Ok(())
    }
}

impl FromStr for HalfLives {
    type Err = NotHalfLives;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut read = Self::NONE;
        for entry in text.split(',').map(str::trim).filter(|e| !e.is_empty()) {
            let (kind, aging) = entry.split_once(':').ok_or(NotHalfLives)?;
            let kind = Kind::from_name(kind.trim()).ok_or(NotHalfLives)?;
            let aging = match aging.trim() {
                EVERGREEN => KindAging::Evergreen,
                days => {
                    let days: f64 = days.parse().map_err(|_| NotHalfLives)?;
                    if !(HALF_LIFE_RANGE.0..=HALF_LIFE_RANGE.1).contains(&days) {
                        return Err(NotHalfLives);
                    }
                    KindAging::HalfLife(days)
                }
            };
            // Two rules for one kind leave open which counts.
            if read.0[kind as usize].replace(aging).is_some() {
                return Err(NotHalfLives);
            }
        }
        Ok(read)
    }
}

impl TryFrom<String> for HalfLives {
    type Error = NotHalfLives;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<HalfLives> for String {
    fn from(lives: HalfLives) -> Self {
        lives.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_reads_back_in_one_spelling() {
        let read: HalfLives = " fact:evergreen, tool_result : 3 ,event:0.5"
            .parse()
            .unwrap();
        assert_eq!(read.of(Kind::ToolResult), Some(KindAging::HalfLife(3.0)));
        assert_eq!(read.of(Kind::Fact), Some(KindAging::Evergreen));
        assert_eq!(read.of(Kind::Text), None);
        assert_eq!(read.to_string(), "tool_result:3,fact:evergreen,event:0.5");
        assert_eq!(read.to_string().parse(), Ok(read));
        assert_eq!("".parse(), Ok(HalfLives::NONE));
        assert_eq!(HalfLives::default().to_string(), "fact:evergreen");
        let json = serde_json::to_string(&read).unwrap();
        assert_eq!(serde_json::from_str::<HalfLives>(&json).unwrap(), read);
    }

    #[test]
    fn every_kind_has_a_place_of_its_own() {
        for (place, kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, place);
            let one = HalfLives::NONE.with(*kind, Some(KindAging::Evergreen));
            assert_eq!(one.to_string(), format!("{kind}:evergreen"));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for bad in [
            "fact",
            "fact:",
            "fact:soon",
            "facts:3",
            "fact:0",
            "fact:NaN",
            "fact:inf",
            "fact:-1",
            "fact:4000",
            "fact:3,fact:4",
            "3",
        ] {
            assert_eq!(bad.parse::<HalfLives>(), Err(NotHalfLives), "{bad}");
        }
    }
}
