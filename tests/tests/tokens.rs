//! The vectors of memories' tokens: kept with the vectors, let go when a person would rather have the
//! space, filled in again.

use inspector::Inspector;
use inspector::request::SettingsRequest;

use crate::support::demo;

fn kept(inspector: &Inspector) -> u32 {
    inspector.status().unwrap().tables["token_vectors"]
}

fn keep(inspector: &Inspector, kept: bool) {
    let request = SettingsRequest {
        keep_token_vectors: Some(kept),
        ..SettingsRequest::default()
    };
    assert_eq!(
        inspector
            .save_settings(&request)
            .unwrap()
            .keep_token_vectors,
        kept
    );
}

#[test]
fn every_embedded_memory_has_them_and_they_change_no_score() {
    let Some(demo) = demo() else { return };
    let embedded = demo.inspector.status().unwrap().embedded;
    assert_eq!(kept(&demo.inspector), embedded);
    let question = "how did we fix the unpack error in the payment gateway?";
    let scores = || {
        let results = demo.ask(question).view.trace.results;
        assert!(!results.is_empty());
        results
    };
    let before = scores();

    keep(&demo.inspector, false);
    assert_eq!(kept(&demo.inspector), 0);
    demo.inspector.embed_pending(&mut |_, _| {}).unwrap();
    assert_eq!(kept(&demo.inspector), 0, "nothing is kept against a wish");
    assert_eq!(scores(), before);

    keep(&demo.inspector, true);
    demo.inspector.embed_pending(&mut |_, _| {}).unwrap();
    assert_eq!(kept(&demo.inspector), embedded);
    assert_eq!(scores(), before);
}
