//! Why nothing can be read.

use std::io;

use crate::report::in_words;

/// Why nothing can be read from a file now.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Nothing in it.
    Nothing,
    /// The beginning of something, in which no line is whole yet.
    Unfinished,
    /// The reason, in plain words.
    Unreadable(String),
    /// It is nothing that is read here, for this reason: an error to whoever named it only.
    Foreign(&'static str),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(in_words(&error))
    }
}
