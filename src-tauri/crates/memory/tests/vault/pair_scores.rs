use memory::{MemoryId, PairScore};

use crate::support::{store, vault};

fn pair(query: u8, memory: MemoryId, version: u32, score: f64) -> PairScore {
    PairScore {
        query: [query; 16],
        memory,
        version,
        score,
    }
}

#[test]
fn what_was_said_last_about_a_pair_is_kept_and_the_oldest_go() {
    let (_dir, vault) = vault();
    let (a, b) = (store(&vault, "one text"), store(&vault, "another text"));
    let put = |pairs: &[PairScore], kept: u32| {
        vault.write(|w| w.pair_scores().put(pairs, kept)).unwrap();
    };
    let of = |query: u8| {
        let mut rows = vault.read(|r| r.pair_scores().of(&[query; 16])).unwrap();
        rows.sort_by_key(|row| row.0);
        rows
    };
    put(&[pair(1, a, 1, 0.25), pair(1, b, 1, 0.5)], 10);
    put(
        &[
            pair(1, a, 2, 0.75),
            pair(2, a, 2, 0.1),
            pair(2, b, 1, f64::NAN),
            pair(2, MemoryId(9999), 1, 0.3),
        ],
        10,
    );
    assert_eq!(of(1), [(a, 2, 0.75), (b, 1, 0.5)]);
    assert_eq!(of(2), [(a, 2, 0.1)]);
    assert_eq!(of(3), []);
    put(&[pair(3, a, 2, 0.9)], 2);
    assert_eq!(of(3), [(a, 2, 0.9)]);
    assert_eq!(of(1).len() + of(2).len() + of(3).len(), 2);
}

#[test]
fn a_purge_takes_a_memorys_pairs_with_it() {
    let (_dir, vault) = vault();
    let (gone, stays) = (store(&vault, "to be purged"), store(&vault, "to stay"));
    vault
        .write(|w| {
            w.pair_scores()
                .put(&[pair(1, gone, 1, 0.5), pair(1, stays, 1, 0.5)], 10)
        })
        .unwrap();
    let epoch = vault.read(|r| r.content_epoch()).unwrap();
    vault.write(|w| w.memories().purge(&[gone])).unwrap();
    let left = vault.read(|r| r.pair_scores().of(&[1; 16])).unwrap();
    assert_eq!(left, [(stays, 1, 0.5)]);
    assert!(vault.read(|r| r.content_epoch()).unwrap() > epoch);
    // A score is no content: what was gathered for a query stands.
    let epoch = vault.read(|r| r.content_epoch()).unwrap();
    vault
        .write(|w| w.pair_scores().put(&[pair(2, stays, 1, 0.5)], 10))
        .unwrap();
    assert_eq!(vault.read(|r| r.content_epoch()).unwrap(), epoch);
}
