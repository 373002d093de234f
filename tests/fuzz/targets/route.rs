//! Any text is a query: it is routed the same way twice, and what it matches in itself lies on
//! character boundaries, in order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use memory::Filter;
use retrieval::highlight;
use retrieval::stage::route::route;
use retrieval::trace::Mode;

fuzz_target!(|text: &str| {
    for mode in [Mode::Hybrid, Mode::Lexical, Mode::Semantic, Mode::Auto] {
        let once = route(text, mode, &Filter::default());
        let again = route(text, mode, &Filter::default());
        assert_eq!(once.terms, again.terms);
        let mut end = 0;
        for range in highlight::matches(text, &once) {
            assert!(range.start >= end && range.start < range.end);
            assert!(text.is_char_boundary(range.start) && text.is_char_boundary(range.end));
            end = range.end;
        }
    }
});
