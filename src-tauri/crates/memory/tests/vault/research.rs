//! The research cache: its key, its limits, the oldest out.

use memory::{
    Credibility, FINDINGS_CHARACTERS, NewResearch, RESEARCH_KEPT, ResearchSource, VaultError,
    research_key,
};

use crate::support::{NOW, vault};

fn research(query: &str, findings: &str) -> NewResearch {
    NewResearch {
        query: query.to_owned(),
        findings: findings.to_owned(),
        sources: Vec::new(),
        tokens: 7,
    }
}

#[test]
fn the_key_is_the_start_of_the_digest_of_the_normalised_query() {
    // printf 'rust async runtimes' | sha256sum
    assert_eq!(research_key("rust async runtimes"), KEY);
    assert_eq!(research_key("  Rust\tASYNC\n runtimes "), KEY);
    assert_ne!(research_key("rust async runtime"), KEY);
}

const KEY: &str = "12a7b8e8cc38f399";

#[test]
fn an_entry_comes_back_as_it_was_and_takes_the_place_of_the_one_before() {
    let (_dir, vault) = vault();
    let mut new = research("Rust async runtimes", "Two are in wide use.");
    new.sources = vec![
        ResearchSource {
            url: "https://example.invalid/a".to_owned(),
            title: "A".to_owned(),
            credibility: Some(Credibility::Score(0.8)),
        },
        ResearchSource {
            url: "https://example.invalid/b".to_owned(),
            title: String::new(),
            credibility: Some(Credibility::Word("high".to_owned())),
        },
    ];
    let key = vault.write(|w| w.research().put(&new, NOW)).unwrap();
    assert_eq!(key, KEY);
    let entry = vault.read(|r| r.research().get(&key)).unwrap().unwrap();
    assert_eq!((&entry.research, entry.saved_at), (&new, NOW));

    let newer = research("rust  async RUNTIMES", "Three.");
    vault.write(|w| w.research().put(&newer, NOW + 1)).unwrap();
    let all = vault.read(|r| r.research().all()).unwrap();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].research, newer);

    assert!(vault.write(|w| w.research().remove(&key)).unwrap());
    assert!(!vault.write(|w| w.research().remove(&key)).unwrap());
    assert_eq!(vault.read(|r| r.research().get(&key)).unwrap(), None);
}

#[test]
fn limits_hold_and_the_oldest_goes() {
    let (_dir, vault) = vault();
    let mut long = research("long", &"项".repeat(FINDINGS_CHARACTERS + 5));
    long.sources = vec![
        ResearchSource {
            url: "https://example.invalid".to_owned(),
            title: String::new(),
            credibility: None,
        };
        12
    ];
    vault
        .write(|w| {
            let key = w.research().put(&long, NOW)?;
            let kept = w.research().get(&key)?.unwrap().research;
            assert_eq!(kept.findings.chars().count(), FINDINGS_CHARACTERS);
            assert_eq!(kept.sources.len(), 10);
            for number in 0..RESEARCH_KEPT {
                w.research()
                    .put(&research(&format!("topic {number}"), "found"), NOW + 1)?;
            }
            let all = w.research().all()?;
            assert_eq!(all.len() as u32, RESEARCH_KEPT);
            assert_eq!(all[0].research.query, "topic 99");
            assert!(w.research().get(&key)?.is_none(), "the oldest is gone");
            // Something older than all that is kept finds no room.
            let key = w.research().put(&research("ancient", "found"), 1)?;
            assert!(w.research().get(&key)?.is_none());
            assert_eq!(w.table_counts()?["research"], RESEARCH_KEPT);
            assert_eq!(w.table_counts()?["memories"], 0);
            assert_eq!(w.research().clear()?, RESEARCH_KEPT);
            Ok(())
        })
        .unwrap();
    for (query, findings) in [(" \n", "found"), ("topic", "\t")] {
        let refused = vault.write(|w| w.research().put(&research(query, findings), NOW));
        assert!(matches!(refused, Err(VaultError::Invalid { .. })));
    }
}

#[test]
fn research_leaves_memories_and_undo_alone() {
    let (_dir, vault) = vault();
    let id = crate::support::store(&vault, "a memory");
    vault.write(|w| w.memories().trash(&[id], NOW)).unwrap();
    let before = vault.read(|r| r.content_epoch()).unwrap();
    vault
        .write(|w| w.research().put(&research("topic", "found"), NOW))
        .unwrap();
    vault
        .read(|r| {
            assert_eq!(r.content_epoch()?, before);
            assert_eq!(r.undo().next()?.as_deref(), Some("deletion of m1"));
            Ok(())
        })
        .unwrap();
    assert!(!format!("{:?}", research("quinkfern", "quinkfern")).contains("quinkfern"));
}
