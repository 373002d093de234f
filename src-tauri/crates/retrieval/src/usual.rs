//! How long a memory usually is, for the factors of length.
//!
//! u(d) = the geometric mean of the lengths, in words, of what was gathered of the same agent, role and
//! kind as d. A long answer of a person stands out; a listing of the same length does not. What is
//! longer than usual counts as long as usual: beyond that, length says nothing about a text. It is taken
//! over what was gathered, and not over the vault, so that a ranking is a function of its candidates.
//!
//! Inputs: the candidates. Output: one length per candidate, at least 1.

use std::collections::HashMap;

use memory::{Kind, Role};
use models::words_in;

use crate::candidate::Candidate;

/// A text's length beside what is usual for its kind, both in words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// Its own.
    pub words: f64,
    /// The usual one.
    pub usual: f64,
}

impl Length {
    /// Of a text of so many bytes.
    pub fn of(bytes: usize, usual: f64) -> Self {
        Self {
            words: words_in(bytes.max(1)),
            usual,
        }
    }

    /// What of it counts against the text.
    pub fn counted(self) -> f64 {
        self.words.min(self.usual)
    }
}

/// The usual length for each candidate, by place.
pub(crate) fn usual_lengths(candidates: &[Candidate]) -> Vec<f64> {
    let mut sums: HashMap<_, (f64, f64)> = HashMap::new();
    for candidate in candidates {
        let sum = sums.entry(class(candidate)).or_default();
        // The platform's own logarithm differs by processor in the last digit.
        sum.0 += libm::log(words_in(candidate.bytes()).max(1.0));
        sum.1 += 1.0;
    }
    candidates
        .iter()
        .map(|candidate| {
            let (sum, count) = sums.get(&class(candidate)).copied().unwrap_or((0.0, 1.0));
            libm::exp(sum / count)
        })
        .collect()
}

/// What a memory is compared with: those of the same agent, role and kind.
fn class(candidate: &Candidate) -> (&str, Role, Kind) {
    let memory = candidate.memory();
    (&memory.scope.agent, memory.role, memory.kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gathered::testing::{Found, gathered};

    #[test]
    fn a_kind_has_a_usual_length_of_its_own() {
        let of = |words: usize, kind: Kind| Found {
            knn: Some(0.5),
            text: "words ".repeat(words),
            kind,
            ..Found::default()
        };
        let found = [
            of(10, Kind::Text),
            of(40, Kind::Text),
            of(900, Kind::ToolResult),
        ];
        let usual = usual_lengths(&gathered(&found, 0).candidates);
        assert!((usual[0] - 20.0).abs() < 1e-9, "{usual:?}");
        assert!((usual[1] - 20.0).abs() < 1e-9, "{usual:?}");
        assert!((usual[2] - 900.0).abs() < 1e-9, "{usual:?}");
        assert!((Length::of(240, 20.0).counted() - 20.0).abs() < 1e-9);
        assert!((Length::of(60, 20.0).counted() - 10.0).abs() < 1e-9);
    }
}
