//! The words in memory answer exactly as the indexes in the vault do.

use memory::{Edit, MemoryId, NewMemory};
use retrieval::trace::Mode;
use retrieval::{CancelFlag, Engine, Query, Rerankers};

use crate::shelf::{DAY, NOW, Shelf, note, shelf_of};

/// Pieces that texts are invented from: words with one stem, accents, scripts without blanks,
/// identifiers, numbers, punctuation, marks.
const PIECES: &[&str] = &[
    "retry",
    "retries",
    "retrying",
    "gateway",
    "gateways",
    "timeout",
    "the",
    "the",
    "the",
    "Über",
    "café",
    "cafe\u{301}",
    "naïve",
    "straße",
    "getShippingMethodId",
    "shipping",
    "methods",
    "ERR_VAL_9021",
    "src/gateway/client.rs",
    "C++",
    "c",
    "42",
    "4.2",
    "a1b2c3d4",
    "大别山",
    "项目",
    "会議室の予約",
    "支付网关超时",
    "한국어",
    "data-base",
    "o'clock",
    "😀",
    "e\u{301}\u{301}",
    "ﬁne",
    "①",
    "x",
    "aaaa",
    "aaa",
];

const QUESTIONS: &[&str] = &[
    "retry gateway",
    "the",
    "the retries of the gateways",
    "café",
    "cafe",
    "shipping",
    "method",
    "ERR_VAL_9021",
    "src/gateway/client.rs",
    "C++",
    "大别山",
    "项目",
    "会議室",
    "支付网关",
    "\"the gateway\"",
    "gatew*",
    "ship 42",
    "naive -timeout",
    "retry agent:codex",
    "strasse",
    "aaa",
    "한국어",
    "4.2 o'clock",
    "fine 1",
    "data-base",
    "a1b2c3",
    "payload-word",
    "browser",
    "+retry the",
];

/// Numbers of a xorshift sequence.
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % bound
    }

    fn text(&mut self) -> String {
        let words = 1 + self.below(14);
        let blank = [" ", ", ", "\n", "-", ""][self.below(5)];
        (0..words)
            .map(|_| PIECES[self.below(PIECES.len())])
            .collect::<Vec<_>>()
            .join(blank)
    }

    fn memory(&mut self, at: usize) -> NewMemory {
        let mut memory = note(&format!("{} {at}", self.text()));
        if self.below(3) == 0 {
            memory.scope.agent = "codex".into();
        }
        if self.below(4) == 0 {
            memory.tool_name = Some("browser".into());
            memory.tool_payload = Some("payload-word retry ".repeat(1 + self.below(300)));
        }
        if self.below(8) == 0 {
            memory.expires_at = Some(NOW - DAY);
        }
        if self.below(20) == 0 {
            memory.content.push_str(&" aaa".repeat(400));
        }
        memory
    }
}

/// Asks both ways and compares lists, scores and counts.
fn agree(shelf: &Shelf, when: &str) {
    let plain = Engine::new(shelf.vault.clone(), None, Rerankers::default());
    for question in QUESTIONS {
        let query = Query::new(*question, Mode::Lexical, NOW);
        let fast = shelf.engine.gather(&query, &CancelFlag::new()).unwrap();
        let slow = plain.gather(&query, &CancelFlag::new()).unwrap();
        assert_eq!(fast.matched, slow.matched, "{when}: “{question}”");
        assert_eq!(fast.asked.words, slow.asked.words, "{when}: “{question}”");
        let list = |gathered: &retrieval::Gathered| {
            gathered
                .bm25
                .iter()
                .map(|(at, parts)| (gathered.ids[*at as usize], *parts))
                .collect::<std::collections::BTreeMap<_, _>>()
        };
        let (fast, slow) = (list(&fast), list(&slow));
        assert_eq!(
            fast.keys().collect::<Vec<_>>(),
            slow.keys().collect::<Vec<_>>(),
            "{when}: “{question}”"
        );
        for (id, a) in fast {
            let b = slow[&id];
            for (part, a, b) in [
                ("word", a.word, b.word),
                ("trigram", a.trigram, b.trigram),
                ("inside", a.inside, b.inside),
                ("substring", a.substring, b.substring),
                ("exact", a.exact, b.exact),
            ] {
                assert!(
                    (a - b).abs() < 1e-9,
                    "{when}: “{question}”, {id}: {part} is {a} instead of {b}"
                );
            }
        }
    }
}

#[test]
fn the_words_in_memory_answer_as_the_indexes_do() {
    for seed in [11, 0x9E37_79B9, 0x7F4A_7C15_0001, 0xDEAD_BEEF_CAFE] {
        let mut sequence = Sequence(seed);
        let memories = (0..120).map(|at| sequence.memory(at)).collect();
        let shelf = shelf_of(memories);
        assert_eq!(shelf.engine.refresh_postings().unwrap(), 120);
        agree(&shelf, "as built");
    }
}

#[test]
fn they_follow_every_change() {
    let mut sequence = Sequence(7);
    let memories = (0..60).map(|at| sequence.memory(at)).collect();
    let shelf = shelf_of(memories);
    shelf.engine.refresh_postings().unwrap();
    let write = |f: &mut dyn FnMut(&memory::Writer<'_>) -> Result<(), memory::VaultError>| {
        shelf.vault.write(|w| f(w)).unwrap();
    };
    write(&mut |w| {
        for at in 100..110 {
            let mut memory = sequence.memory(at);
            memory.source_key = format!("later {at}");
            w.memories().insert(&memory, NOW)?;
        }
        Ok(())
    });
    agree(&shelf, "after storing");
    write(&mut |w| {
        let edit = Edit {
            content: Some("retry the 项目 of 大别山".into()),
            ..Edit::default()
        };
        w.memories().edit(MemoryId(3), &edit, None, NOW)?;
        Ok(())
    });
    agree(&shelf, "after an edit");
    write(&mut |w| {
        w.memories()
            .trash(&[MemoryId(5), MemoryId(70)], NOW)
            .map(|_| ())
    });
    agree(&shelf, "after trashing");
    write(&mut |w| w.memories().restore(&[MemoryId(5)], NOW).map(|_| ()));
    agree(&shelf, "after restoring");
    write(&mut |w| w.memories().purge(&[MemoryId(70), MemoryId(6)]).map(|_| ()));
    agree(&shelf, "after a purge");
    // Far more than a query would catch up with: the indexes answer until someone refreshes.
    write(&mut |w| {
        for at in 1000..1400 {
            let mut memory = sequence.memory(at);
            memory.source_key = format!("many {at}");
            w.memories().insert(&memory, NOW)?;
        }
        Ok(())
    });
    agree(&shelf, "far behind");
    shelf.engine.refresh_postings().unwrap();
    agree(&shelf, "refreshed");
    let most: Vec<MemoryId> = (1..=250).map(MemoryId).collect();
    write(&mut |w| w.memories().trash(&most, NOW).map(|_| ()));
    agree(&shelf, "with most of them gone");
    shelf.engine.forget();
    agree(&shelf, "after forgetting");
}
