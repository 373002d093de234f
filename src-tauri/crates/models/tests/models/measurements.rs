//! Figures for the documentation; run by hand:
//! `cargo nextest run -p models --run-ignored only --no-capture measure` (one process per test:
//! ONNX Runtime allows one environment in each).

use std::time::Instant;

use fastembed::{
    InitOptionsUserDefined, Pooling, QuantizationMode, TextEmbedding, TokenizerFiles,
    UserDefinedEmbeddingModel,
};
use models::{Embedder, LateInteraction, LocalEmbedder, Reranker, cosine};

use crate::{embedder, model_files, notes};

fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().trim_end_matches(" kB").parse::<u64>().ok())
        .map_or(0, |kib| kib / 1024)
}

/// Processor time of this process in milliseconds (ticks of ten), which other load does not inflate.
fn processor_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse::<u64>().ok())
        .sum::<u64>()
        * 10
}

#[test]
#[ignore = "prints figures, checks nothing"]
fn measure_loading_and_speed() {
    let Some(files) = model_files() else {
        return;
    };
    let before = resident_mib();
    let start = Instant::now();
    files.verify().unwrap();
    println!("verifying every file {:?}", start.elapsed());
    let start = Instant::now();
    let cpu = processor_ms();
    let embedder = LocalEmbedder::load(&files).unwrap();
    println!("load: processor {} ms", processor_ms() - cpu);
    println!(
        "load {:?}, resident {before} -> {} MiB",
        start.elapsed(),
        resident_mib()
    );
    let texts = notes(200);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    embedder.embed_passages(&texts[..10]).unwrap();
    let start = Instant::now();
    let cpu = processor_ms();
    embedder.embed_passages(&texts).unwrap();
    println!("200 passages: processor {} ms", processor_ms() - cpu);
    println!(
        "passages, {} tokens: {:?} each",
        embedder.token_count(texts[0]),
        start.elapsed() / 200
    );
    let long = "a rather long passage about the payment gateway ".repeat(60);
    let start = Instant::now();
    embedder.embed_passages(&[long.as_str(); 10]).unwrap();
    println!("passages, 256 tokens: {:?} each", start.elapsed() / 10);
    let mut times: Vec<_> = (0..100)
        .map(|i| {
            let start = Instant::now();
            embedder
                .embed_query(&format!("why did the gateway fail, attempt {i}"))
                .unwrap();
            start.elapsed()
        })
        .collect();
    times.sort();
    println!("query p50 {:?} p95 {:?}", times[50], times[95]);

    let documents = notes(40);
    let documents: Vec<&str> = documents.iter().map(String::as_str).collect();
    let reranker = LateInteraction::new(embedder);
    for round in 0..4 {
        if round < 2 {
            reranker.forget();
        }
        let cpu = processor_ms();
        let start = Instant::now();
        reranker
            .score(
                "why does the invoice export fail",
                &documents,
                &|_| 1.0,
                start.elapsed() + std::time::Duration::from_mins(1),
            )
            .unwrap();
        println!(
            "rerank 40, round {round} ({}): {:?}, processor {} ms",
            if round < 2 { "cold" } else { "warm" },
            start.elapsed(),
            processor_ms() - cpu
        );
    }
    println!("resident {} MiB", resident_mib());
}

#[test]
#[ignore = "prints figures, checks nothing"]
fn measure_what_batches_do_to_vectors() {
    let Some(files) = model_files() else {
        return;
    };
    let environment = ort::init_from(files.folder().join("libonnxruntime.so"))
        .unwrap()
        .build()
        .unwrap();
    let texts = notes(64);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let read = |name: &str| std::fs::read(files.folder().join(name)).unwrap();
    let tokenizer = TokenizerFiles {
        tokenizer_file: read("tokenizer.json"),
        config_file: read("config.json"),
        special_tokens_map_file: read("special_tokens_map.json"),
        tokenizer_config_file: read("tokenizer_config.json"),
    };
    let model = UserDefinedEmbeddingModel::new(read("model_int8.onnx"), tokenizer)
        .with_pooling(Pooling::Mean)
        .with_quantization(QuantizationMode::Dynamic);
    let options = InitOptionsUserDefined::new()
        .with_environment(environment)
        .with_max_length(256)
        .with_intra_threads(1);
    let mut session = TextEmbedding::try_new_from_user_defined(model, options).unwrap();
    let single: Vec<Vec<f32>> = texts
        .iter()
        .map(|text| session.embed([text], None).unwrap().remove(0))
        .collect();
    for size in [1, 2, 8, 32, 64] {
        let start = Instant::now();
        let mut lowest = 1.0_f64;
        for (block, vectors) in texts.chunks(size).zip(single.chunks(size)) {
            for (a, b) in session.embed(block, None).unwrap().iter().zip(vectors) {
                lowest = lowest.min(cosine(a, b));
            }
        }
        println!(
            "batches of {size}: {:?} per text, lowest cosine to the text alone {lowest:.6}",
            start.elapsed() / 64
        );
    }
}

#[test]
#[ignore = "prints figures, checks nothing"]
fn measure_which_scripts_the_model_knows() {
    let Some(embedder) = embedder(None) else {
        return;
    };
    // Pairs that say the same, each compared with its partner and with the other pairs' halves.
    let languages: [(&str, [[&str; 2]; 3]); 6] = [
        (
            "English",
            [
                ["The server is down", "The machine does not respond"],
                ["He likes green tea", "His favourite drink is tea"],
                ["The meeting is on Monday", "We meet on Monday morning"],
            ],
        ),
        (
            "German",
            [
                ["Der Server ist ausgefallen", "Die Maschine antwortet nicht"],
                ["Er mag grünen Tee", "Sein Lieblingsgetränk ist Tee"],
                ["Das Treffen ist am Montag", "Wir sehen uns Montag früh"],
            ],
        ),
        (
            "Russian",
            [
                ["Сервер не работает", "Машина не отвечает"],
                ["Он любит зелёный чай", "Его любимый напиток чай"],
                ["Встреча в понедельник", "Увидимся в понедельник утром"],
            ],
        ),
        (
            "Greek",
            [
                ["Ο διακομιστής δεν λειτουργεί", "Το μηχάνημα δεν απαντά"],
                [
                    "Του αρέσει το πράσινο τσάι",
                    "Το αγαπημένο του ποτό είναι το τσάι",
                ],
                ["Η συνάντηση είναι τη Δευτέρα", "Τα λέμε Δευτέρα πρωί"],
            ],
        ),
        (
            "Chinese",
            [
                ["服务器停机了", "机器没有响应"],
                ["他喜欢绿茶", "他最爱的饮料是茶"],
                ["会议在星期一", "我们周一早上见面"],
            ],
        ),
        (
            "Korean",
            [
                ["서버가 다운되었다", "기계가 응답하지 않는다"],
                ["그는 녹차를 좋아한다", "그가 좋아하는 음료는 차다"],
                ["회의는 월요일이다", "월요일 아침에 만나자"],
            ],
        ),
    ];
    for (language, pairs) in languages {
        let vectors: Vec<[Vec<f32>; 2]> = pairs
            .iter()
            .map(|[a, b]| {
                [
                    embedder.embed_query(a).unwrap(),
                    embedder.embed_query(b).unwrap(),
                ]
            })
            .collect();
        let (mut same, mut other, mut wins) = (0.0, 0.0, 0);
        for i in 0..3 {
            let own = cosine(&vectors[i][0], &vectors[i][1]);
            let foreign: Vec<f64> = (0..3)
                .filter(|&j| j != i)
                .map(|j| cosine(&vectors[i][0], &vectors[j][1]))
                .collect();
            same += own / 3.0;
            other += foreign.iter().sum::<f64>() / 6.0;
            wins += usize::from(foreign.iter().all(|f| *f < own));
        }
        println!(
            "{language}: same meaning {same:.3}, other meaning {other:.3}, told apart {wins} of 3"
        );
    }
}
