//! Passages per second, as a person's question leaves it and with the whole machine, in one run and in turns, so
//! that what else the machine does falls on both alike. Also the longest wait that a question has between passages.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::time::{Duration, Instant};

use models::{Embedder, LocalEmbedder, LocalOptions, ModelFiles, Share};

const TURNS: usize = 8;
const PASSAGES: usize = 60;
const SENTENCE: &str =
    "the payment gateway timed out after three attempts on staging, code ERR_VAL ";

fn main() {
    let folder = std::env::var_os("LETHESCOPE_MODEL_DIR").unwrap();
    let cores = std::thread::available_parallelism().unwrap().get();
    let options = LocalOptions {
        passage_cores: cores,
        ..LocalOptions::default()
    };
    let files = ModelFiles::locate(&[folder.into()]).unwrap();
    let embedder = LocalEmbedder::load_with(&files, &options).unwrap();
    // One to eight sentences, 20 to 160 tokens: from a remark to a whole passage.
    let passages: Vec<String> = (0..PASSAGES)
        .map(|at| format!("{}{at}", SENTENCE.repeat(1 + at * 7 % 8)))
        .collect();
    let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
    embedder.embed_passages(&passages[..8]).unwrap();

    let mut taken = [Duration::ZERO; 2];
    for _ in 0..TURNS {
        for (at, share) in [Share::AllButOne, Share::Whole].into_iter().enumerate() {
            embedder.take_share(share);
            let began = Instant::now();
            embedder.embed_passages(&passages).unwrap();
            taken[at] += began.elapsed();
        }
    }
    let longest = (passages.iter().map(|passage| passage.len()))
        .max()
        .unwrap_or(0);
    let one = passages
        .iter()
        .find(|passage| passage.len() == longest)
        .unwrap();
    let began = Instant::now();
    embedder.embed_passages(&[one]).unwrap();
    let wait = began.elapsed();

    let rate = |taken: Duration| (TURNS * PASSAGES) as f64 / taken.as_secs_f64();
    println!("{cores} cores, passages of 20 to 160 tokens, {TURNS} turns of {PASSAGES} each way");
    println!("all cores but one   {:>7.1} passages/s", rate(taken[0]));
    println!("all cores           {:>7.1} passages/s", rate(taken[1]));
    println!(
        "ratio               {:>7.2}",
        rate(taken[1]) / rate(taken[0])
    );
    println!(
        "the longest passage {:>7.1} ms",
        wait.as_secs_f64() * 1000.0
    );
}
