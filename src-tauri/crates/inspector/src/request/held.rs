//! What the caller of a re-ranking holds from an earlier answer, and so is not sent again.
//!
//! A slider that moves changes few of the eight lists: a half-life leaves the legs and fusion as
//! they are. Each list is sent with a digest; a caller that names the digest gets the list empty,
//! as with an entity tag of HTTP (RFC 9110, 8.8.3).

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use retrieval::stage::Stage;
use retrieval::trace::{StageItem, Trace};
use serde::{Deserialize, Serialize};

/// Digests of the stages' lists.
pub type Lists = BTreeMap<Stage, String>;

/// What the caller has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct Held {
    /// Memories whose cards it has: constants change nothing in them.
    pub cards: Vec<String>,
    /// The lists it has, by the digests of their answer.
    pub lists: Lists,
    /// The texts beside the memories that it has, by the digest of their answer.
    #[serde(default)]
    pub beside: String,
}

impl Held {
    /// Empties the lists that the caller has, and gives the digests of all of them.
    pub(crate) fn leave_out(&self, trace: &mut Trace) -> Lists {
        let mut lists = Lists::new();
        for stage in &mut trace.stages {
            let digest = digest(&stage.items);
            if self.lists.get(&stage.name) == Some(&digest) {
                stage.items.clear();
            }
            lists.insert(stage.name, digest);
        }
        lists
    }
}

/// 64 bits of SipHash: good for one run of the program, which is as long as a query is held.
fn digest(items: &[StageItem]) -> String {
    let mut hasher = DefaultHasher::new();
    for item in items {
        item.id.hash(&mut hasher);
        item.rank.hash(&mut hasher);
        item.score.to_bits().hash(&mut hasher);
        for term in &item.terms {
            term.name.hash(&mut hasher);
            term.value.to_bits().hash(&mut hasher);
        }
        item.dropped.hash(&mut hasher);
        item.reranked.hash(&mut hasher);
        item.undecayed.hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use retrieval::trace::{DropReason, ScoreTerm, TermName, Undecayed};

    use super::*;

    fn item() -> StageItem {
        StageItem {
            id: "m1".to_owned(),
            rank: 1,
            score: 0.5,
            terms: vec![ScoreTerm {
                name: TermName::Cosine,
                value: 1.0,
            }],
            dropped: None,
            reranked: false,
            undecayed: None,
            twin: None,
        }
    }

    #[test]
    fn every_part_of_a_row_counts() {
        let changed: [fn(&mut StageItem); 8] = [
            |item| item.id = "m2".to_owned(),
            |item| item.rank = 2,
            |item| item.score = 0.5_f64.next_up(),
            |item| item.terms[0].value = 2.0,
            |item| item.terms.clear(),
            |item| item.dropped = Some(DropReason::Cutoff),
            |item| item.reranked = true,
            |item| item.undecayed = Some(Undecayed::Pinned),
        ];
        let mut digests: Vec<String> = changed
            .iter()
            .map(|change| {
                let mut item = item();
                change(&mut item);
                digest(&[item])
            })
            .chain([digest(&[item()]), digest(&[]), digest(&[item(), item()])])
            .collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), changed.len() + 3);
        assert_eq!(digest(&[item()]), digest(&[item()]));
    }
}
