//! Any bytes are a log: reading them under every name a log may have ends with a report.
#![no_main]

use std::fs;

use ingest::{Options, dry_run};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(folder) = tempfile::tempdir() else {
        return;
    };
    for name in ["log.jsonl", "MEMORY.md", "agent.log", "session.json"] {
        let path = folder.path().join(name);
        if fs::write(&path, bytes).is_err() {
            return;
        }
        let report = dry_run(&[path], &Options::default());
        assert!(report.bytes <= bytes.len() as u64);
    }
});
