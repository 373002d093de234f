//! No text closes its fence, and escaping loses nothing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retrieval::context::fence::{Entry, Fact, Fence, LaneName, escape, unescape};

fuzz_target!(|text: &str| {
    let escaped = escape(text);
    assert!(!escaped.contains(['<', '>', '"', '\'']));
    assert_eq!(unescape(&escaped), text);
    for (fence, tag) in [
        (Fence::Context, "memory-context"),
        (Fence::Archive, "memory-archive"),
    ] {
        let entry = Entry {
            lane: LaneName::Memory,
            id: "m1".into(),
            score: 0.5,
            facts: vec![Fact::bare("agent", text), Fact::bare("day", "2026-04-01")],
            content: text.into(),
        };
        let block = fence.block(std::iter::once(entry));
        assert_eq!(block.matches(&format!("<{tag}")).count(), 1);
        assert_eq!(block.matches(&format!("</{tag}>")).count(), 1);
    }
});
