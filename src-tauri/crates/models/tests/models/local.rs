use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use models::{
    Embedder, LocalEmbedder, ModelError, ModelFiles, PackedTokens, Script, WINDOW_TOKENS, cosine,
};

use crate::{embedder, model_files, notes};

const EATING: [&str; 2] = ["A man is eating food.", "A man is eating a piece of bread."];

#[test]
fn both_graphs_give_the_published_similarity() {
    for (graph, tolerance) in [("f32", 0.002), ("int8", 0.02)] {
        let Some(embedder) = embedder(Some(graph)) else {
            return;
        };
        let found = embedder.embed_passages(&EATING).unwrap();
        let similarity = cosine(&found[0], &found[1]);
        assert!(
            (similarity - 0.7553).abs() < tolerance,
            "{graph}: {similarity}"
        );
        let name = format!("all-MiniLM-L6-v2/{graph}");
        let identity = embedder.identity();
        assert_eq!(identity.name(), name);
        // The build, so that vectors of another one are never taken for these.
        assert_eq!(identity.id.len(), name.len() + 1 + 16, "{}", identity.id);
        assert_eq!(embedder.identity().dimension, 384);
    }
}

#[test]
fn the_small_graph_stays_near_the_full_one() {
    let (Some(small), Some(full)) = (embedder(Some("int8")), embedder(Some("f32"))) else {
        return;
    };
    let texts = notes(24);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let pairs = small.embed_passages(&texts).unwrap().into_iter();
    for (a, b) in pairs.zip(full.embed_passages(&texts).unwrap()) {
        assert!(cosine(&a, &b) > 0.98, "{}", cosine(&a, &b));
    }
}

#[test]
fn a_vector_is_a_function_of_its_text_alone() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    let mut texts = notes(12);
    texts.push("!".into());
    texts.push("long ".repeat(600));
    texts.push("项目 会議室 🚀".into());
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = embedder.embed_passages(&texts).unwrap();
    let turned: Vec<&str> = texts.iter().rev().copied().collect();
    let turned = embedder.embed_passages(&turned).unwrap();
    for (at, text) in texts.iter().enumerate() {
        let alone = embedder.embed_passages(&[text]).unwrap().remove(0);
        assert!(alone == together[at], "text {at} alone");
        assert!(alone == turned[texts.len() - 1 - at], "text {at} turned");
        // The query session runs on another number of threads.
        assert!(
            alone == embedder.embed_query(text).unwrap(),
            "text {at} as query"
        );
        assert!((cosine(&alone, &alone) - 1.0).abs() < 1e-5);
        assert_eq!(alone.len(), 384);
    }
}

#[test]
fn blank_texts_are_refused_and_odd_ones_are_not() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    for blank in ["", " ", "\n\t\u{3000}"] {
        assert!(matches!(
            embedder.embed_query(blank),
            Err(ModelError::Blank)
        ));
        assert!(matches!(
            embedder.embed_passages(&["fine", blank]),
            Err(ModelError::Blank)
        ));
        assert!(matches!(
            embedder.token_vectors(blank),
            Err(ModelError::Blank)
        ));
        assert!(embedder.chunks(blank).is_empty());
    }
    for odd in [
        "\0",
        "\u{200b}",
        "\u{fffd}",
        "[CLS] [SEP] [PAD]",
        "\u{1F468}\u{200D}\u{1F469}",
    ] {
        let vector = embedder.embed_query(odd).unwrap();
        assert!(vector.iter().all(|v| v.is_finite()), "{odd:?}");
        assert!(embedder.token_vectors(odd).is_ok(), "{odd:?}");
    }
}

#[test]
fn token_vectors_point_at_their_text() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    let text = "Überraschung: src/gateway/client.rs — 项目 unbelievableness!";
    let found = embedder.token_vectors(text).unwrap();
    assert_eq!(found.len(), embedder.token_count(text));
    assert_eq!(found.values.len(), found.len() * found.dimension);
    assert_eq!(found.dimension, 384);
    let words: Vec<&str> = found.words.iter().map(|w| &text[w.clone()]).collect();
    for word in [
        "Überraschung",
        "gateway",
        "client",
        "项",
        "unbelievableness",
        "!",
    ] {
        assert!(words.contains(&word), "{word} in {words:?}");
    }
    for (span, word) in found.spans.iter().zip(&found.words) {
        assert!(word.start <= span.start && span.end <= word.end);
        assert!(!text[span.clone()].is_empty());
    }
    // A word of several pieces: each piece is shorter than the word, together they make it.
    let at = text.find("unbelievableness").unwrap();
    let pieces: Vec<&str> = found
        .spans
        .iter()
        .filter(|s| s.start >= at && text[(*s).clone()] != *"!")
        .map(|s| &text[s.clone()])
        .collect();
    assert!(pieces.len() > 1, "{pieces:?}");
    assert_eq!(pieces.concat(), "unbelievableness");
    for vector in found.vectors() {
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-4);
    }
    let long = embedder.token_vectors(&"word ".repeat(900)).unwrap();
    assert_eq!(long.len(), WINDOW_TOKENS - 2);
}

#[test]
fn chunks_cover_long_texts_and_fit_the_window() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    let prose = notes(120).join("\n\n");
    let mixed = format!("{}{}", "项目のメモ🚀。".repeat(300), "Grüße ".repeat(400));
    let unbroken = "a1B2c3D4".repeat(900);
    let symbols = "=-=".repeat(2000);
    for (name, text) in [
        ("prose", &prose),
        ("mixed", &mixed),
        ("unbroken", &unbroken),
        ("symbols", &symbols),
    ] {
        let ranges = embedder.chunks(text);
        assert_eq!(ranges.first().unwrap().start, 0, "{name}");
        assert_eq!(ranges.last().unwrap().end, text.len(), "{name}");
        for range in &ranges {
            let tokens = embedder.token_count(&text[range.clone()]);
            assert!(
                (1..=WINDOW_TOKENS - 2).contains(&tokens),
                "{name}: {tokens} tokens"
            );
        }
        for pair in ranges.windows(2) {
            assert!(pair[0].start < pair[1].start, "{name}");
            assert!(pair[1].start < pair[0].end, "{name}: neighbours overlap");
            let shared = embedder.token_count(&text[pair[1].start..pair[0].end]);
            assert!((16..=120).contains(&shared), "{name}: {shared} shared");
        }
    }
    assert!(embedder.chunks(&prose).len() > 5);
    assert_eq!(embedder.chunks("short").len(), 1);
}

#[test]
fn the_model_knows_latin_only() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    for script in Script::ALL {
        let known = matches!(script, Script::Common | Script::Latin);
        assert_eq!(embedder.covers(script), known, "{script:?}");
    }
}

#[test]
fn a_query_does_not_wait_for_passages() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    let long = "a rather long passage about the payment gateway ".repeat(60);
    let batch: Vec<&str> = std::iter::repeat_n(long.as_str(), 200).collect();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let background = scope.spawn(|| {
            let mut done = 0;
            while !stop.load(Ordering::SeqCst) {
                done += embedder.embed_passages(&batch[..20]).unwrap().len();
            }
            done
        });
        std::thread::sleep(Duration::from_millis(50));
        let start = Instant::now();
        let queries = 10;
        for number in 0..queries {
            embedder
                .embed_query(&format!("query number {number}"))
                .unwrap();
        }
        let per_query = start.elapsed() / queries;
        stop.store(true, Ordering::SeqCst);
        let started = Instant::now();
        background.join().unwrap();
        let rest_of_batch = started.elapsed();
        println!("{per_query:?} per query beside a batch; the batch went on for {rest_of_batch:?}");
        // Twenty long passages take hundreds of milliseconds; a waiting query would take as long.
        assert!(per_query < Duration::from_millis(150), "{per_query:?}");
    });
}

#[test]
fn a_repeated_query_comes_from_the_cache_until_forgotten() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    let text = "what does the user prefer when writing migrations? ".repeat(8);
    let first = embedder.embed_query(&text).unwrap();
    let start = Instant::now();
    for _ in 0..100 {
        assert!(embedder.embed_query(&text).unwrap() == first);
    }
    let warm = start.elapsed();
    let start = Instant::now();
    for _ in 0..5 {
        embedder.forget();
        assert!(embedder.embed_query(&text).unwrap() == first);
    }
    let cold = start.elapsed();
    assert!(warm < cold, "100 cached {warm:?}, 5 computed {cold:?}");
}

#[test]
fn a_damaged_folder_is_refused_by_name() {
    let Some(files) = model_files() else {
        return;
    };
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(files.folder()).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
    }
    let locate = || ModelFiles::locate(&[copy.path().to_path_buf()]);
    let graph = copy.path().join("model_int8.onnx");
    let mut bytes = std::fs::read(&graph).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&graph, &bytes).unwrap();
    let refused = LocalEmbedder::load(&locate().unwrap()).err();
    assert!(
        matches!(&refused, Some(ModelError::Damaged { file }) if file == "model_int8.onnx"),
        "{refused:?}"
    );
    std::fs::remove_file(&graph).unwrap();
    assert!(matches!(locate(), Err(ModelError::Damaged { file }) if file == "model_int8.onnx"));
}

#[test]
fn one_look_gives_the_vector_and_its_tokens() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    let mut texts = notes(9);
    texts.push("a word ".repeat(600));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let read = embedder.read_passages(&texts).unwrap();
    let vectors = embedder.embed_passages(&texts).unwrap();
    for ((passage, vector), text) in read.iter().zip(&vectors).zip(&texts) {
        assert!(passage.vector == *vector, "the vector of {text}");
        let tokens = PackedTokens::of(&embedder.token_vectors(text).unwrap());
        assert!(passage.tokens == tokens, "the tokens of {text}");
    }
}
