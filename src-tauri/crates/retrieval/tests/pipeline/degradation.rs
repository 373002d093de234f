//! Each part failing alone and with every other: the right level, the reason named, nothing lost.

use std::sync::Arc;

use models::testing::FailingEmbedder;
use models::{Embedder, RerankError, Reranker, Script};
use retrieval::constants::Constants;
use retrieval::stage::Stage;
use retrieval::trace::{Level, Mode, Status, Trace};
use retrieval::{CancelFlag, Engine, Faults, Query, Rerankers, RetrievalError};
use std::time::Duration;

use crate::shelf::{NOW, check_account, embedder, model, note, shelf_of, shelf_with, texts};

struct Broken;

impl Reranker for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }
    fn covers(&self, _: Script) -> bool {
        true
    }
    fn score(
        &self,
        _: &str,
        _: &[&str],
        _: &dyn Fn(&str) -> f64,
        _: Duration,
    ) -> Result<Vec<Option<f64>>, RerankError> {
        Err(RerankError::Timeout)
    }
}

/// The same vectors as the working model, but it fails at every query.
struct FailsAtQueries(models::testing::HashedEmbedder);

impl Embedder for FailsAtQueries {
    fn identity(&self) -> &models::ModelIdentity {
        self.0.identity()
    }
    fn covers(&self, script: Script) -> bool {
        self.0.covers(script)
    }
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, models::ModelError> {
        FailingEmbedder::new(8).embed_query(text)
    }
    fn embed_passages(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, models::ModelError> {
        self.0.embed_passages(texts)
    }
    fn token_count(&self, text: &str) -> usize {
        self.0.token_count(text)
    }
    fn chunks(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        self.0.chunks(text)
    }
    fn token_vectors(&self, text: &str) -> Result<models::TokenVectors, models::ModelError> {
        self.0.token_vectors(text)
    }
}

fn run(engine: &Engine, query: &str, mode: Mode) -> Trace {
    let gathered = engine
        .gather(&Query::new(query, mode, NOW), &CancelFlag::new())
        .unwrap();
    engine.score_window(
        &gathered,
        &Constants::default(),
        NOW,
        Duration::from_secs(20),
    );
    let trace = gathered.arrange(&Constants::default(), NOW);
    check_account(&trace);
    trace
}

#[test]
fn every_combination_of_failures_gives_an_account() {
    let shelf = texts(&[
        "redis cache settings",
        "重启数据库服务",
        "postgres and redis",
        "notes on gardening",
    ]);
    for combination in 0..32_u32 {
        let fails = |bit: u32| combination >> bit & 1 == 1;
        let (model, words, trigrams, mirror, reranker) =
            (fails(0), fails(1), fails(2), fails(3), fails(4));
        let embedder: Arc<dyn Embedder> = if model {
            Arc::new(FailsAtQueries(embedder()))
        } else {
            Arc::new(embedder())
        };
        let rerankers = if reranker {
            Rerankers {
                embedded: Some(Arc::new(Broken)),
                ..Rerankers::default()
            }
        } else {
            crate::shelf::rerankers(&(Arc::new(crate::shelf::embedder()) as Arc<dyn Embedder>))
        };
        let engine =
            Engine::new(shelf.vault.clone(), Some(embedder), rerankers).with_faults(Faults {
                word_index: words,
                trigram_index: trigrams,
                mirror,
            });
        engine.refresh_mirror().unwrap();

        let trace = run(&engine, "redis", Mode::Hybrid);
        let keyword = !(words && trigrams);
        let wanted = match (!model, keyword) {
            (true, true) if reranker => Level::NoRerank,
            (true, true) => Level::Full,
            (false, true) => Level::KeywordOnly,
            (true, false) => Level::SemanticOnly,
            (false, false) => Level::Substring,
        };
        let context = format!(
            "model {model}, words {words}, trigrams {trigrams}, mirror {mirror}, reranker {reranker}"
        );
        assert_eq!(trace.level, wanted, "{context}");
        for id in ["m1", "m3"] {
            assert!(
                trace.results.contains(&id.to_owned()),
                "{context}: {id} lost"
            );
        }
        let status = |stage| trace.stage(stage).unwrap().status;
        let knn = if model {
            Status::Failed
        } else if mirror {
            Status::Degraded
        } else {
            Status::Ok
        };
        assert_eq!(status(Stage::Knn), knn, "{context}");
        let bm25 = match (words || trigrams, keyword) {
            (false, _) => Status::Ok,
            (true, true) => Status::Degraded,
            // Nothing else could answer, so the texts themselves were searched.
            (true, false) if model => Status::Degraded,
            (true, false) => Status::Failed,
        };
        assert_eq!(status(Stage::Bm25), bm25, "{context}");
        assert_eq!(
            status(Stage::Rerank),
            if reranker { Status::Failed } else { Status::Ok },
            "{context}"
        );

        // Text without blanks is found as long as any index, or the texts, can be read.
        let chinese = run(&engine, "数据库", Mode::Hybrid);
        assert_eq!(chinese.results, ["m2"], "{context}");
    }
}

#[test]
fn a_missing_model_is_named_with_what_it_costs() {
    let shelf = shelf_of(vec![note("codename bluebird"), note("other")]);
    let engine = Engine::new(shelf.vault.clone(), None, Rerankers::default());
    let trace = run(&engine, "bluebird", Mode::Hybrid);
    assert_eq!(
        (trace.level, trace.results.as_slice()),
        (Level::KeywordOnly, &["m1".to_owned()][..])
    );
    let reason = trace.stage(Stage::Knn).unwrap().reason.clone().unwrap();
    assert!(reason.contains("0 of 2 embedded"), "{reason}");
    assert_eq!(trace.model, None);
}

#[test]
fn vectors_of_another_model_do_not_vote() {
    let shelf = texts(&["redis cache", "postgres"]);
    let other: Arc<dyn Embedder> = Arc::new(embedder().named("another"));
    let engine = Engine::new(shelf.vault.clone(), Some(other), Rerankers::default());
    let trace = run(&engine, "redis", Mode::Hybrid);
    let knn = trace.stage(Stage::Knn).unwrap();
    assert_eq!(
        (knn.status, knn.reason.as_deref()),
        (Status::Degraded, Some("0 of 2 embedded"))
    );
    assert_eq!(trace.level, Level::KeywordOnly);
}

#[test]
fn a_part_that_waits_for_its_vectors_is_counted() {
    let shelf = shelf_with(vec![note("redis cache")], &model(), Faults::default());
    let mut late = note("redis queue");
    late.source_key = "late".into();
    shelf
        .vault
        .write(|w| w.memories().insert(&late, NOW))
        .unwrap();
    let knn = shelf.ask("redis").stage(Stage::Knn).unwrap().clone();
    assert_eq!(
        (knn.status, knn.reason.as_deref()),
        (Status::Degraded, Some("1 of 2 embedded"))
    );
}

#[test]
fn an_empty_vault_is_no_failure() {
    let shelf = shelf_of(Vec::new());
    let trace = shelf.ask("redis");
    assert!(trace.results.is_empty());
    assert!(
        trace
            .stages
            .iter()
            .all(|part| part.status != Status::Failed)
    );
}

#[test]
fn a_locked_vault_and_a_called_off_query_are_errors() {
    let shelf = texts(&["redis"]);
    let raised = CancelFlag::new();
    raised.cancel();
    let query = Query::new("redis", Mode::Hybrid, NOW);
    assert!(matches!(
        shelf.engine.gather(&query, &raised),
        Err(RetrievalError::Cancelled)
    ));
    shelf.vault.lock();
    assert!(matches!(
        shelf.engine.gather(&query, &CancelFlag::new()),
        Err(RetrievalError::Vault(_))
    ));
}
