//! Removing leaked memory blocks from a stream. Needs no vault.

use std::io::{ErrorKind, Read, Write};

use retrieval::context::scrub::Scrubber;

use crate::convert::reason;
use crate::error::{EdgeError, ErrorCode};
use crate::view::ScrubView;

/// How much is read at most before what came through is passed on.
const CHUNK: usize = 64 * 1024;

/// Passes `from` on to `to` without the memory blocks in it, as it comes: each piece that was read
/// is written and flushed before the next one is waited for. What stands outside of blocks is
/// passed on byte for byte, text or not. A reader that hangs up ends the work, without an error.
///
/// # Errors
/// [`ErrorCode::Unreadable`] when `from` fails, [`ErrorCode::DiskFull`] or
/// [`ErrorCode::Internal`] when `to` does.
pub fn scrub(from: &mut dyn Read, to: &mut dyn Write) -> Result<ScrubView, EdgeError> {
    let mut scrubber = Scrubber::new();
    let mut buffer = vec![0; CHUNK];
    let mut view = ScrubView::default();
    loop {
        let length = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => {
                return Err(EdgeError::new(
                    ErrorCode::Unreadable,
                    &[
                        ("path", "standard input"),
                        ("reason", &reason(error.kind())),
                    ],
                ));
            }
        };
        view.bytes_in += length as u64;
        let shown = scrubber.push_bytes(&buffer[..length]);
        view.bytes_out += shown.len() as u64;
        if !pass_on(to, &shown)? {
            return Ok(view);
        }
    }
    let (rest, done) = scrubber.finish_bytes();
    view.bytes_out += rest.len() as u64;
    view.blocks = done.blocks;
    view.unclosed = done.unclosed;
    pass_on(to, &rest)?;
    Ok(view)
}

/// False when nobody reads any more.
fn pass_on(to: &mut dyn Write, bytes: &[u8]) -> Result<bool, EdgeError> {
    if bytes.is_empty() {
        return Ok(true);
    }
    match to.write_all(bytes).and_then(|()| to.flush()) {
        Ok(()) => Ok(true),
        Err(error) => match error.kind() {
            ErrorKind::BrokenPipe => Ok(false),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                Err(EdgeError::new(ErrorCode::DiskFull, &[]))
            }
            _ => Err(EdgeError::internal("writing to standard output")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, and an interruption before each.
    struct Trickle<'a>(&'a [u8], bool);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(ErrorKind::Interrupted.into());
            }
            let Some((first, rest)) = self.0.split_first() else {
                return Ok(0);
            };
            buffer[0] = *first;
            self.0 = rest;
            Ok(1)
        }
    }

    /// Counts its flushes and hangs up after some bytes.
    #[derive(Default)]
    struct Reader {
        got: Vec<u8>,
        flushes: usize,
        patience: Option<usize>,
    }

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if self.patience.is_some_and(|limit| self.got.len() >= limit) {
                return Err(ErrorKind::BrokenPipe.into());
            }
            self.got.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            self.flushes += 1;
            Ok(())
        }
    }

    #[test]
    fn what_is_read_is_passed_on_at_once() {
        let text = "项目 <memory-context>gone</memory-context>done".as_bytes();
        let mut to = Reader::default();
        let view = scrub(&mut Trickle(text, false), &mut to).unwrap();
        assert_eq!(String::from_utf8_lossy(&to.got), "项目 done");
        assert_eq!((view.blocks, view.unclosed), (1, false));
        assert_eq!((view.bytes_in, view.bytes_out), (text.len() as u64, 11));
        // One piece per character: whole characters alone are shown.
        assert_eq!(to.flushes, 7);
    }

    #[test]
    fn a_reader_that_hangs_up_ends_the_work() {
        let mut to = Reader {
            patience: Some(3),
            ..Reader::default()
        };
        assert!(scrub(&mut Trickle(b"abcdefgh", false), &mut to).is_ok());
        assert_eq!(to.got, b"abc");
    }
}
