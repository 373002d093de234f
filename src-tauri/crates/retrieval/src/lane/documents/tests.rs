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
    fn gather(&self, text: &str, mode: Mode, embedder: Option<&dyn Embedder>) -> Found {
        gather(&DocumentInput {
            vault: &self.vault,
            embedder,
            route: &route(text, mode, &Filter::default()),
            most: MOST_BESIDE,
        })
    }

    fn ask_with(&self, text: &str, mode: Mode, embedder: Option<&dyn Embedder>) -> DocumentLookup {
        cut(&self.gather(text, mode, embedder), &Constants::default())
    }

    fn ask(&self, text: &str) -> DocumentLookup {
        self.ask_with(text, Mode::Hybrid, Some(&self.model))
    }
}

fn cut(found: &Found, constants: &Constants) -> DocumentLookup {
    let cut = found.cut(constants, constants.document_hits, |text| text.len() as u32);
    let named = cut
        .chunks
        .iter()
        .map(|chunk| format!("c{}", chunk.chunk_id));
    assert!(named.eq(cut.lookup.hits.iter().map(|hit| hit.id.clone())));
    cut.lookup
}

fn found(lookup: &DocumentLookup) -> Vec<&str> {
    lookup
        .hits
        .iter()
        .map(|hit| hit.document.as_str())
        .collect()
}

#[test]
fn both_legs_find_and_their_places_make_the_score() {
    let shelf = shelf();
    let searched = shelf.ask("is the kettle descaled");
    let hit = &searched.hits[0];
    assert_eq!(hit.document, "tea");
    assert_eq!((hit.knn_rank, hit.bm25_rank), (Some(1), Some(1)));
    assert!((hit.score - 2.0 / 61.0).abs() < 1e-12, "{hit:?}");
    assert_eq!((hit.chunk, hit.chunks, hit.rank), (0, 1, 1));
    assert_eq!(hit.tokens as usize, TEXTS[0].1.len());
    assert_eq!(searched.status, Status::Ok);
}

#[test]
fn a_word_that_stands_nowhere_is_found_by_its_meaning_alone() {
    let shelf = shelf();
    let searched = shelf.ask("limescale");
    assert_eq!(found(&searched), ["tea"], "{searched:?}");
    assert_eq!(searched.hits[0].bm25_rank, None);
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
            "{query}: {searched:?}"
        );
    }
    let opaque = shelf.ask("ERR_VAL_9021");
    assert_eq!(opaque.knn.status, Status::Skipped);
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
    assert_eq!(filtered.status, Status::Skipped);
    assert_eq!(
        filtered.reason.as_deref(),
        Some("the filter is about memories")
    );
    assert_eq!(shelf.ask("  ").status, Status::Skipped);
    for (id, _) in TEXTS {
        assert!(shelf.vault.write(|w| w.documents().delete(id)).unwrap());
    }
    let empty = shelf.ask("kettle");
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
    assert_eq!(searched.status, Status::Degraded);
    assert_eq!(searched.knn.status, Status::Failed);
    let without = shelf.ask_with("kettle", Mode::Hybrid, None);
    assert_eq!(
        without.knn.reason.as_deref(),
        Some("no embedding model is loaded")
    );
    shelf.vault.lock();
    let locked = shelf.ask("kettle");
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

#[test]
fn each_constant_cuts_what_was_found_again() {
    let shelf = shelf();
    let asked = shelf.gather("limescale", Mode::Hybrid, Some(&shelf.model));
    let tea = cut(&asked, &Constants::default()).hits[0].clone();
    let cosine = tea.cosine.unwrap();
    let with = |document_hits, document_cosine| Constants {
        document_hits,
        document_cosine,
        ..Constants::default()
    };
    // At its cosine it is in; above it is named with it, and with none of the places either.
    assert_eq!(found(&cut(&asked, &with(3, cosine))), ["tea"]);
    let missed = cut(&asked, &with(3, cosine + 1e-9));
    assert!(found(&missed).is_empty());
    assert_eq!(missed.near_misses[0].document, "tea");
    assert_eq!(missed.near_misses[0].cosine, Some(cosine));
    let none = cut(&asked, &with(0, cosine));
    assert_eq!((found(&none).len(), none.near_misses[0].rank), (0, Some(1)));
    // A query whose meaning is asked first falls back to words exactly there.
    let first = shelf.gather("what removes limescale", Mode::Auto, Some(&shelf.model));
    let near = cut(&first, &with(3, 0.0));
    assert_eq!(near.bm25.status, Status::Skipped, "{near:?}");
    let far = cut(&first, &with(3, 1.0));
    assert_eq!((far.knn.found, far.bm25.status), (0, Status::Ok));
}

#[test]
fn whatever_the_constants_the_lists_are_deep_enough_for_the_hits() {
    let shelf = shelf();
    shelf
        .vault
        .write(|w| {
            for at in 0..120 {
                let content = format!("The kettle number {at} boils.");
                let new = NewDocument {
                    id: format!("k{at}"),
                    title: String::new(),
                    content: content.clone(),
                };
                w.documents().put(&new, &chunk::chunks(&content), 2)?;
            }
            Ok(())
        })
        .unwrap();
    let asked = shelf.gather("kettle", Mode::Hybrid, Some(&shelf.model));
    let most = Constants {
        document_hits: MOST_BESIDE,
        ..Constants::default()
    };
    let all = cut(&asked, &most);
    assert_eq!(all.hits.len(), MOST_BESIDE as usize);
    // Beside those that are far by meaning.
    let beyond = all.near_misses.iter().filter(|miss| miss.rank.is_some());
    assert_eq!(beyond.count(), 3);
}
