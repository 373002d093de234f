//! A source that is being read: a text from the place where it was left, or a database from the rows
//! that were read last.

use memory::Millis;

use crate::database::{self, Rows};
use crate::fault::Fault;
use crate::format::Format;
use crate::intake::{End, Half, Known, Part, Session};
use crate::report::Options;
use crate::tail::Cursor;
use crate::walk::FileFound;

/// See the module.
pub(crate) enum Reading {
    Text(Box<Session>),
    Rows(Box<Rows>),
}

impl Reading {
    /// Opens a file and goes to `cursor`, or to the beginning when what it says holds no more.
    pub(crate) fn open(
        found: &FileFound,
        options: &Options,
        known: Option<&Known>,
        cursor: Option<&Cursor>,
        now: Millis,
    ) -> Result<Self, Fault> {
        let text = || Session::open(found, options, known, cursor, now);
        if found.member.is_some() || !database::is_database(&found.path) {
            return Ok(Self::Text(Box::new(text()?)));
        }
        match Rows::open(found, options, cursor, now) {
            Ok(rows) => Ok(Self::Rows(Box::new(rows))),
            // A person may call a text as they like.
            Err(fault @ Fault::Foreign(_)) if found.named && !database::is_vault(&found.path) => {
                text().map_or(Err(fault), |text| Ok(Self::Text(Box::new(text))))
            }
            Err(fault) => Err(fault),
        }
    }

    /// What it is read as.
    pub(crate) fn format(&self) -> &'static dyn Format {
        match self {
            Self::Text(text) => text.format,
            Self::Rows(rows) => rows.format,
        }
    }

    /// What it may be as well.
    pub(crate) fn runner_up(&self) -> Option<&'static str> {
        match self {
            Self::Text(text) => text.runner_up,
            Self::Rows(_) => None,
        }
    }

    /// Which key was taken for what, where that was guessed.
    pub(crate) fn mapping(&self) -> Option<String> {
        match self {
            Self::Text(text) => text.mapping(),
            Self::Rows(_) => None,
        }
    }

    /// Whether it began where a cursor stood.
    pub(crate) fn continued(&self) -> bool {
        match self {
            Self::Text(text) => text.continued(),
            Self::Rows(rows) => rows.continued(),
        }
    }

    /// Whether it was taken for something else before.
    pub(crate) fn is_misjudged(&self) -> bool {
        matches!(self, Self::Text(text) if text.misjudged)
    }

    /// Whether what was the half of something still stands where it stood.
    pub(crate) fn goes_on_from(&mut self, from: u64, half: &Half) -> bool {
        match self {
            Self::Text(text) => text.goes_on_from(from, half),
            Self::Rows(_) => false,
        }
    }

    /// Whether it is a store whose rows are those of a cursor.
    pub(crate) fn is_unchanged(&self, cursor: &Cursor) -> bool {
        match self {
            Self::Text(_) => false,
            Self::Rows(rows) => rows.is_unchanged(cursor),
        }
    }

    /// Reads on, until `records` outcomes are there or the source ends.
    pub(crate) fn next_part(&mut self, records: usize, end: End) -> Result<Part, Fault> {
        match self {
            Self::Text(text) => text.next_part(records, end),
            Self::Rows(rows) => rows.next_part(records),
        }
    }

    /// Whether it can be kept open and read on when more was written.
    pub(crate) fn keeps(&self) -> bool {
        match self {
            Self::Text(text) => !text.format.rewritten() && !text.is_unpacked(),
            Self::Rows(_) => false,
        }
    }

    /// Whether it is still the source that was read, only longer.
    pub(crate) fn goes_on(&mut self) -> bool {
        match self {
            Self::Text(text) => text.goes_on(),
            Self::Rows(_) => false,
        }
    }

    /// The file was written again, at this moment.
    pub(crate) fn touched(&mut self, modified: Option<Millis>, now: Millis) {
        if let Self::Text(text) = self {
            text.touched(modified, now);
        }
    }
}
