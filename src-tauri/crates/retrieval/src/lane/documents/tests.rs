//! The lane over a small vault with a model that embeds by hashing words.

use memory::{Filter, KdfCost, NewDocument, Passphrase, Vault};
use models::testing::{FailingEmbedder, HashedEmbedder};
use tempfile::TempDir;

use super::*;
use crate::stage::route::route;
use crate::trace::Mode;

const TEXTS: [(&str, &str); 3] = [
    (
        "tea",
        "A kettle is descaled with vinegar. Rinse twice, then boil fresh water.",
    ),
    (
        "gateway",
        "The payment gateway retries three times. ERR_VAL_9021 means that the unpack step failed.",
    ),
    ("beifen", "数据库备份每天夜里运行一次。"),
];

struct Shelf {
    vault: Vault,
    model: HashedEmbedder,
    _dir: TempDir,
}

/// The documents above, embedded as far as the model knows their script.
fn shelf() -> Shelf {
    let dir = TempDir::new().unwrap();
    let pass = Passphrase::new("open sesame".to_owned()).unwrap();
    let vault = Vault::create(&dir.path().join("v"), &pass, KdfCost::TEST).unwrap();
    let model = HashedEmbedder::new(128).with_synonyms(&[&["limescale", "descaled"]]);
    vault
        .write(|w| {
            for (id, content) in TEXTS {
                let new = NewDocument {
                    id: id.to_owned(),
                    title: String::new(),
                    content: content.to_owned(),
                };
                w.documents().put(&new, &chunk::chunks(content), 1)?;
            }
            let identity = model.identity();
            let row = w.embeddings().register(&identity.id, identity.dimension)?;
            for (id, text) in w.documents().pending(&row, 99)? {
                let vectors = model.embed_passages(&[&text]).unwrap();
                w.documents().put_vector(&row, id, Some(&vectors[0]))?;
            }
            Ok(())
        })
        .unwrap();
    Shelf {
        vault,
        model,
        _dir: dir,
    }
}

impl Shelf {
    fn ask_with(&self, text: &str, mode: Mode, embedder: Option<&dyn Embedder>) -> Searched {
        look(
            &DocumentInput {
                vault: &self.vault,
                embedder,
                route: &route(text, mode, &Filter::default()),
                constants: &Constants::default(),
                limit: LANE_HITS,
            },
            |text| text.len() as u32,
        )
    }

    fn ask(&self, text: &str) -> Searched {
        self.ask_with(text, Mode::Hybrid, Some(&self.model))
    }
}

fn found(searched: &Searched) -> Vec<&str> {
    searched
        .lookup
        .hits
        .iter()
        .map(|hit| hit.document.as_str())
        .collect()
}

#[test]
fn both_legs_find_and_their_places_make_the_score() {
    let shelf = shelf();
    let searched = shelf.ask("is the kettle descaled");
    let hit = &searched.lookup.hits[0];
    assert_eq!(hit.document, "tea");
    assert_eq!((hit.knn_rank, hit.bm25_rank), (Some(1), Some(1)));
    assert!((hit.score - 2.0 / 61.0).abs() < 1e-12, "{hit:?}");
    assert_eq!((hit.chunk, hit.chunks, hit.rank), (0, 1, 1));
    assert_eq!(hit.tokens as usize, TEXTS[0].1.len());
    assert_eq!(searched.chunks[0].text, TEXTS[0].1);
    assert_eq!(searched.lookup.status, Status::Ok);
}

#[test]
fn a_word_that_stands_nowhere_is_found_by_its_meaning_alone() {
    let shelf = shelf();
    let searched = shelf.ask("limescale");
    assert_eq!(found(&searched), ["tea"], "{:?}", searched.lookup);
    assert_eq!(searched.lookup.hits[0].bm25_rank, None);
    assert!(found(&shelf.ask_with("limescale", Mode::Lexical, Some(&shelf.model))).is_empty());
    // What is near nothing is no answer.
    assert!(found(&shelf.ask("zebra parade")).is_empty());
}

#[test]
fn exact_forms_scripts_without_blanks_and_parts_of_words_are_found() {
    let shelf = shelf();
    for (query, wanted) in [
        ("ERR_VAL_9021", "gateway"),
        ("备份", "beifen"),
        ("数据库备份", "beifen"),
        ("\"boil fresh water\"", "tea"),
        ("escale", "tea"),
    ] {
        let searched = shelf.ask(query);
        assert_eq!(
            found(&searched).first(),
            Some(&wanted),
            "{query}: {:?}",
            searched.lookup
        );
    }
    let opaque = shelf.ask("ERR_VAL_9021");
    assert_eq!(opaque.lookup.knn.status, Status::Skipped);
}

#[test]
fn required_and_excluded_terms_hold() {
    let shelf = shelf();
    assert!(found(&shelf.ask("gateway \"boil fresh milk\"")).is_empty());
    assert_eq!(found(&shelf.ask("kettle gateway -vinegar")), ["gateway"]);
}

#[test]
fn a_filter_of_memories_skips_the_lane_and_so_does_an_empty_shelf() {
    let shelf = shelf();
    let filtered = shelf.ask("kettle role:user");
    assert_eq!(filtered.lookup.status, Status::Skipped);
    assert_eq!(
        filtered.lookup.reason.as_deref(),
        Some("the filter is about memories")
    );
    assert_eq!(shelf.ask("  ").lookup.status, Status::Skipped);
    for (id, _) in TEXTS {
        assert!(shelf.vault.write(|w| w.documents().delete(id)).unwrap());
    }
    let empty = shelf.ask("kettle").lookup;
    assert_eq!((empty.status, empty.documents), (Status::Skipped, 0));
}

#[test]
fn each_leg_fails_alone_and_is_named() {
    let shelf = shelf();
    let broken = FailingEmbedder::new(128);
    shelf
        .vault
        .write(|w| {
            let row = w.embeddings().register(&broken.identity().id, 128)?;
            for (id, _) in w.documents().pending(&row, 99)? {
                w.documents().put_vector(&row, id, Some(&[1.0; 128]))?;
            }
            Ok(())
        })
        .unwrap();
    let searched = shelf.ask_with("kettle", Mode::Hybrid, Some(&broken));
    assert_eq!(found(&searched), ["tea"]);
    assert_eq!(searched.lookup.status, Status::Degraded);
    assert_eq!(searched.lookup.knn.status, Status::Failed);
    let without = shelf.ask_with("kettle", Mode::Hybrid, None).lookup;
    assert_eq!(
        without.knn.reason.as_deref(),
        Some("no embedding model is loaded")
    );
    shelf.vault.lock();
    let locked = shelf.ask("kettle").lookup;
    assert_eq!(locked.status, Status::Failed);
    assert!(locked.reason.unwrap().contains("locked"));
}

#[test]
fn the_exact_form_of_a_compound_earns_a_twentieth_of_the_bonus_as_it_does_among_memories() {
    let shelf = shelf();
    let bonus = |query: &str, document: &str| {
        let route = route(query, Mode::Hybrid, &Filter::default());
        shelf
            .vault
            .read(|reader| {
                let admitted = Admitted::of(reader, &route)?;
                let hits = keyword::search(reader, &route, &admitted)?;
                let ids: Vec<i64> = hits.iter().map(|(chunk, _)| *chunk).collect();
                let chunks = reader.documents().chunks(&ids)?;
                let at = chunks.iter().position(|chunk| chunk.document == document);
                let best = hits.iter().map(|(_, parts)| parts.score() - parts.exact);
                Ok(hits[at.unwrap()].1.exact / best.fold(0.0, f64::max))
            })
            .unwrap()
    };
    shelf
        .vault
        .write(|w| {
            let content = "Separation begins in the boundary-layer.";
            let new = NewDocument {
                id: "flow".to_owned(),
                title: String::new(),
                content: content.to_owned(),
            };
            w.documents().put(&new, &chunk::chunks(content), 2)
        })
        .unwrap();
    let compound = bonus("boundary-layer", "flow");
    assert!((compound - 0.05).abs() < 1e-9, "{compound}");
    let identifier = bonus("ERR_VAL_9021", "gateway");
    assert!((identifier - 1.0).abs() < 1e-9, "{identifier}");
}
