//! Both keyword indexes: what they find, and that they never fall out of step.

use memory::{Edit, Filter, MemoryId, Vault, VaultError};
use proptest::prelude::*;

use crate::support::{NOW, phrase, record, store, trigrams, vault, words};

fn contained(vault: &Vault, needle: &str) -> Vec<MemoryId> {
    vault
        .read(|r| {
            r.text()
                .containing(&[memory::fold(needle)], &Filter::default(), NOW, 10)
        })
        .unwrap()
}

#[test]
fn scripts_and_forms_meet_in_the_right_index() {
    let (_dir, vault) = vault();
    let texts = [
        ("Đường Nguyễn", vec!["duong", "nguyen", "Đường"]),
        ("Hauptstraße 5", vec!["HAUPTSTRASSE", "hauptstraße"]),
        ("ﾊﾞｯｸｱｯﾌﾟ完了", vec!["バックアップ"]),
        ("ＡＰＩキー更新", vec!["APIキー"]),
        (
            "\u{1110}\u{1166}\u{1109}\u{1173}\u{1110}\u{1173} 문서",
            vec!["테스트"],
        ),
        (
            "今日は会議室の予約と数据库备份をした",
            vec!["会議室", "数据库"],
        ),
        ("ประชุมวันพรุ่งนี้ที่ห้องใหญ่", vec!["พรุ่งนี้", "ห้อง"]),
        ("pre\u{0}suf and more", vec!["suf", "pre", "more"]),
        ("don’t forget", vec!["don't"]),
    ];
    for (text, queries) in texts {
        let id = store(&vault, text);
        for query in queries {
            assert_eq!(trigrams(&vault, &phrase(query)), [id], "{query} in {text}");
        }
    }
    for (query, text) in [("会", "会議室"), ("备份", "备份"), ("ที่", "ที่")] {
        let found = contained(&vault, query);
        assert_eq!(found.len(), 1, "{query}");
        let memory = vault.read(|r| r.memories().get(found[0])).unwrap().unwrap();
        assert!(memory.content.contains(text));
    }
    // がく is not かく.
    let id = store(&vault, "がくせい");
    assert!(contained(&vault, "かくせい").is_empty());
    assert_eq!(contained(&vault, "か\u{3099}くせい"), [id]);
    let nul = store(&vault, &format!("before{}after", "\u{0}".repeat(10_291)));
    assert_eq!(words(&vault, "after"), [nul]);
    vault.write(|w| w.check_keyword_indexes()).unwrap();
}

#[test]
fn words_are_stemmed_and_scored_with_positive_numbers() {
    let (_dir, vault) = vault();
    for (key, text) in [
        ("1", "redis redis redis redis redis filler filler"),
        ("2", "redis redis filler filler filler filler filler"),
        ("3", "redis filler filler filler filler filler filler"),
    ] {
        vault
            .write(|w| w.memories().insert(&record(key, text), NOW))
            .unwrap();
    }
    for number in 0..20 {
        store(&vault, &format!("nothing of note {number} filler"));
    }
    let found = vault
        .read(|r| r.words().search("redis", &Filter::default(), NOW, 10))
        .unwrap();
    assert_eq!(
        found.iter().map(|(id, _)| id.0).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert!(found.windows(2).all(|pair| pair[0].1 > pair[1].1));
    assert!(found.iter().all(|(_, score)| *score > 0.0));
    let one = vault
        .read(|r| r.words().score("redis", MemoryId(2)))
        .unwrap();
    assert_eq!(one, Some(found[1].1));
    assert_eq!(
        vault
            .read(|r| r.words().score("redis", MemoryId(9)))
            .unwrap(),
        None
    );
    let migration = store(&vault, "writing database migrations");
    assert_eq!(words(&vault, "migration"), [migration]);
}

#[test]
fn statistics_reproduce_bm25() {
    let (_dir, vault) = vault();
    for (key, text) in [
        ("a", "one two two three"),
        ("b", "two"),
        ("c", "four five six"),
        ("d", "seven"),
        ("e", "eight nine"),
    ] {
        let mut new = record(key, text);
        new.tool_name = Some("two".to_owned());
        new.tool_payload = (key == "a").then(|| "two more words".to_owned());
        if key != "a" {
            new.tool_name = None;
        }
        vault.write(|w| w.memories().insert(&new, NOW)).unwrap();
    }
    vault
        .read(|r| {
            let index = r.words();
            let statistics = index.statistics()?;
            assert_eq!(statistics.rows, 5);
            assert_eq!(index.lengths(MemoryId(1))?, [4, 1, 3]);
            assert!(index.lengths(MemoryId(77))?.is_empty());
            let average: f64 = statistics.average_length.iter().sum();
            assert!((average - 15.0 / 5.0).abs() < 1e-12);
            let frequency = index.document_frequency("two")?;
            assert_eq!(frequency, 2);
            for (most, counted) in [(0, 0), (1, 1), (2, 2), (9, 2)] {
                assert_eq!(index.document_frequency_up_to("two", most)?, counted);
            }
            // Okapi BM25 as FTS5 computes it, k1 = 1.2, b = 0.75.
            let idf = ((5.0 - 2.0 + 0.5) / (2.0_f64 + 0.5)).ln();
            let tf = 2.0 * 1.0 + 0.6 + 0.4;
            let score = idf * tf * 2.2 / (tf + 1.2 * (1.0 - 0.75 + 0.75 * 8.0 / average));
            let engine = index.score("two", MemoryId(1))?.unwrap();
            assert!((engine - score).abs() < 1e-9, "{engine} {score}");
            Ok(())
        })
        .unwrap();
}

#[test]
fn tokens_are_those_of_the_index() {
    let (_dir, vault) = vault();
    vault
        .read(|r| {
            assert_eq!(
                r.words().tokens("The Databases, RUNNING: naïve")?,
                ["the", "databas", "run", "naiv"]
            );
            assert_eq!(r.words().tokens("one  two!")?, ["on", "two"]);
            assert_eq!(r.trigrams().tokens("会議室A")?, ["会議室", "議室a"]);
            assert!(r.words().tokens("🔴 --")?.len() < 2);
            assert!(r.trigrams().tokens("")?.is_empty());
            Ok(())
        })
        .unwrap();
}

#[test]
fn malformed_expressions_are_named_and_not_quoted() {
    let (_dir, vault) = vault();
    store(&vault, "something");
    for bad in ["\"open", "NEAR(", "nocolumn:secretword", "AND", "a b )"] {
        let error = vault
            .read(|r| r.words().search(bad, &Filter::default(), NOW, 5))
            .unwrap_err();
        assert!(
            matches!(error, VaultError::Invalid { .. }),
            "{bad}: {error:?}"
        );
        assert!(!format!("{error}{error:?}").contains("secretword"));
    }
}

#[test]
fn substring_search_needs_every_needle_and_takes_nothing_as_a_wildcard() {
    let (_dir, vault) = vault();
    let a = store(&vault, "100% done");
    let b = store(&vault, "100 items done");
    let search = |needles: &[&str]| {
        let needles: Vec<String> = needles.iter().map(|&needle| needle.to_owned()).collect();
        vault
            .read(|r| r.text().containing(&needles, &Filter::default(), NOW, 10))
            .unwrap()
    };
    assert_eq!(search(&["100%"]), [a]);
    assert_eq!(search(&["100"]), [b, a]);
    assert_eq!(search(&["100", "items"]), [b]);
    assert!(search(&[]).is_empty() && search(&[""]).is_empty() && search(&["_"]).is_empty());
    let folded = vault
        .read(|r| r.text().folded(&[b, MemoryId(9), a]))
        .unwrap();
    assert_eq!(
        folded,
        [
            (b, "100 items done".to_owned()),
            (a, "100% done".to_owned())
        ]
    );
}

#[derive(Clone, Debug)]
enum Step {
    Insert(String),
    Edit(usize, String),
    Trash(usize),
    Restore(usize),
    Purge(usize),
    Undo,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let text = proptest::collection::vec(
        proptest::sample::select(vec![
            "tea",
            "boat",
            "会議室",
            "Đ",
            "ß",
            "x",
            "\u{0}",
            "naïve",
            "🔴",
            "a_b",
        ]),
        1..6,
    )
    .prop_map(|words| words.join(" "));
    let step = prop_oneof![
        4 => text.clone().prop_map(Step::Insert),
        3 => (0..6_usize, text).prop_map(|(at, text)| Step::Edit(at, text)),
        2 => (0..6_usize).prop_map(Step::Trash),
        2 => (0..6_usize).prop_map(Step::Restore),
        1 => (0..6_usize).prop_map(Step::Purge),
        2 => Just(Step::Undo),
    ];
    proptest::collection::vec(step, 1..30)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn indexes_stay_in_step(steps in steps()) {
        let (_dir, vault) = vault();
        for (number, step) in steps.iter().enumerate() {
            let id = |at: usize| MemoryId(at as i64 + 1);
            vault.write(|w| {
                let memories = w.memories();
                match step {
                    Step::Insert(text) => {
                        memories.insert(&record(&number.to_string(), text), NOW)?;
                    }
                    Step::Edit(at, text) => {
                        let edit = Edit { content: Some(text.clone()), ..Edit::default() };
                        match memories.edit(id(*at), &edit, None, NOW) {
                            Ok(_) | Err(VaultError::NotFound | VaultError::Invalid { .. }) => {}
                            Err(error) => return Err(error),
                        }
                    }
                    Step::Trash(at) => { memories.trash(&[id(*at)], NOW)?; }
                    Step::Restore(at) => { memories.restore(&[id(*at)], NOW)?; }
                    Step::Purge(at) => { memories.purge(&[id(*at)])?; }
                    Step::Undo => { w.undo().undo(NOW)?; }
                }
                Ok(())
            }).unwrap();
        }
        vault.write(|w| {
            w.check_keyword_indexes()?;
            let living = w.memories().ids(&Filter::default(), NOW)?;
            let counts = w.table_counts()?;
            assert_eq!(counts["memory_text"] as usize, living.len());
            assert_eq!(counts["words"] as usize, living.len());
            Ok(())
        }).unwrap();
    }
}

#[test]
fn the_check_can_fail() {
    let (_dir, vault) = vault();
    store(&vault, "tea");
    let checked = vault.write(|w| {
        // A plain insertion behind the triggers' back.
        w.connection()
            .execute("INSERT INTO words(rowid, content) VALUES(1, 'ghost')", [])?;
        w.check_keyword_indexes()
    });
    assert!(matches!(checked, Err(VaultError::Damaged)), "{checked:?}");
}
