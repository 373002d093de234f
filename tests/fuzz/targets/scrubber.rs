//! The scrubber gives the same bytes however a stream was cut.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retrieval::context::scrub::Scrubber;

fn scrubbed<'a>(chunks: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut scrubber = Scrubber::new();
    let mut out = Vec::new();
    for chunk in chunks {
        out.extend(scrubber.push_bytes(chunk));
    }
    out.extend(scrubber.finish_bytes().0);
    out
}

fuzz_target!(|input: (u8, &[u8])| {
    let (size, bytes) = input;
    let whole = scrubbed(std::iter::once(bytes));
    assert_eq!(whole, scrubbed(bytes.chunks(1 + usize::from(size))));
    assert_eq!(whole, scrubbed(bytes.chunks(1)));
});
