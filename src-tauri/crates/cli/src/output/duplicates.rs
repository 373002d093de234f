//! Memories that mean nearly the same.

use inspector::alike::Apart;
use inspector::view::{DuplicatesView, MemoryCard, PairsView};

use super::print::first_line;
use super::{Output, counted};

impl Output {
    /// Groups, what may contradict each other, and what other cosines would take for one.
    pub fn duplicates(&self, found: &DuplicatesView) {
        self.object(found, || {
            if found.of == 0 {
                say!("no memory has a vector yet: `lethescope embed` makes them");
                return;
            }
            for group in &found.groups {
                say!(
                    "{} say nearly the same (cosine {:.3}):",
                    group.count,
                    group.similarity
                );
                group.cards.iter().for_each(say_card);
            }
            for pair in &found.contradictions {
                say!("cosine {:.3}, {}:", pair.similarity, differ(pair.apart));
                say_card(&pair.older);
                say_card(&pair.newer);
            }
            let counts = found.joined.iter().step_by(5);
            let counts: Vec<String> = counts
                .map(|one| format!("{:.2}: {}", one.at, one.pairs))
                .collect();
            say!("pairs from a cosine on: {}", counts.join("  "));
            say!(
                "{} and {} from {} on; linked from {} on",
                counted(found.group_count, "group"),
                counted(found.contradiction_count, "possible contradiction"),
                found.at,
                found.in_force
            );
            if found.kept > 0 {
                say!("{} kept apart", counted(found.kept, "pair"));
            }
            if found.compared < found.of {
                say!(
                    "the newest {} of {} were compared with all older ones",
                    found.compared,
                    found.of
                );
            }
        });
    }

    /// What became of pairs.
    pub fn pairs(&self, what: &str, changed: &PairsView) {
        self.object(changed, || {
            say!("{} {what}", counted(changed.pairs, "pair"));
        });
    }
}

fn say_card(card: &MemoryCard) {
    say!(
        "  {:<8} {}",
        card.id,
        first_line(&card.snippet.replace('\n', " "))
    );
}

fn differ(apart: Apart) -> &'static str {
    match apart {
        Apart::Number => "but their numbers differ",
        Apart::Negation => "but one denies what the other says",
        Apart::Opposite => "but a word with an opposite stands in one alone",
        Apart::Name => "but they name different things",
        Apart::Spelling => "but a word is spelt otherwise",
        Apart::Order => "but in another order",
    }
}
