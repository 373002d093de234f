//! Records per second through a whole backfill: read, parsed, screened, stored, keyword-searchable.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use ingest::{Options, backfill, dry_run};
use memory::{KdfCost, Passphrase, Vault};

const RECORDS: usize = 30_000;
const WORDS: [&str; 16] = [
    "gateway",
    "payment",
    "refund",
    "queue",
    "the",
    "a",
    "of",
    "migration",
    "index",
    "fails",
    "when",
    "token",
    "is",
    "stored",
    "again",
    "harbour",
];

fn transcript() -> String {
    let mut text = String::new();
    let mut state = 7_u64;
    for number in 0..RECORDS {
        let mut content = format!("turn {number}:");
        for _ in 0..30 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            content.push(' ');
            content.push_str(WORDS[(state >> 60) as usize]);
        }
        let (role, kind) = if number % 2 == 0 {
            ("user", "user")
        } else {
            ("assistant", "assistant")
        };
        writeln!(
            text,
            r#"{{"parentUuid":null,"isSidechain":false,"cwd":"/home/demo/shop","sessionId":"s","version":"2.1.150","gitBranch":"main","type":"{kind}","uuid":"u{number}","timestamp":"2026-09-20T10:00:01.000Z","message":{{"role":"{role}","content":[{{"type":"text","text":"{content}"}}]}}}}"#
        )
        .unwrap();
    }
    text
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("projects/p/00.jsonl");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, transcript()).unwrap();
    let pass = Passphrase::new("invented for a bench".to_owned()).unwrap();
    let vault = Vault::create(&folder.path().join("vault"), &pass, KdfCost::TEST).unwrap();

    let began = Instant::now();
    let report = dry_run(
        std::slice::from_ref(&path),
        &Options::default(),
        i64::MAX / 2,
    );
    let reading = began.elapsed().as_secs_f64();
    assert_eq!(report.stored as usize, RECORDS);

    let began = Instant::now();
    let report = backfill(
        &vault,
        None,
        &[path],
        &Options::default(),
        &|| 1_800_000_000_000,
        &mut |_| {},
        &AtomicBool::new(false),
    )
    .unwrap();
    let storing = began.elapsed().as_secs_f64();
    assert_eq!(report.stored as usize, RECORDS);
    println!(
        "read, parsed, screened    {:>9.0} records/s",
        RECORDS as f64 / reading
    );
    println!(
        "stored, keyword-searchable {:>8.0} records/s",
        RECORDS as f64 / storing
    );
}
