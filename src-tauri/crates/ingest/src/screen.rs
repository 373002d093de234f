//! What every memory passes before it is stored, whatever format it came from.

use std::borrow::Cow;

use memory::{CreatedAtQuality, Millis, NewMemory, Role, Trust};

use crate::escapes::without_escapes;
use crate::format::{Outcome, reason};
use crate::redact::{self, KeyLines};
use crate::{planted, recalled};

/// A record's time lies at most this far behind its file's last change: clocks and zones differ by
/// less.
const AHEAD: Millis = 24 * 60 * 60 * 1000;
/// The note of a memory in which a secret was masked.
const MASKED: &str = "secret masked";

/// The screen that the records of one file pass in their order.
#[derive(Default)]
pub(crate) struct Screen {
    keys: KeyLines,
    /// The entry that was given out last, by its place, and what the keys were before it: an entry
    /// that grew is given out again.
    entry: Option<u64>,
    before: KeyLines,
    /// When the file was last written.
    modified: Option<Millis>,
}

impl Screen {
    /// The file was written at this moment; no record can be from after it.
    pub(crate) fn touched(&mut self, modified: Option<Millis>) {
        self.modified = modified;
    }

    /// A time after the file's last change is not believed, nor where it was inherited.
    fn date(&self, memory: &mut NewMemory, out: &mut Vec<Outcome>) {
        let Some(modified) = self.modified else {
            return;
        };
        let latest = modified.saturating_add(AHEAD);
        if memory.created_at.is_some_and(|at| at > latest) {
            if memory.created_at_quality == CreatedAtQuality::Record {
                out.push(Outcome::Note(reason::AHEAD));
            }
            memory.created_at = Some(modified);
            memory.created_at_quality = CreatedAtQuality::File;
        }
    }

    /// Takes notice of what is stored already.
    pub(crate) fn pass(&mut self, outcome: &Outcome) {
        if let Outcome::Memory(memory) | Outcome::Grown(memory) = outcome {
            self.go_to(memory, matches!(outcome, Outcome::Grown(_)));
            self.keys.mask(&without_escapes(&memory.content));
        }
    }

    fn go_to(&mut self, memory: &NewMemory, again: bool) {
        let entry = memory.provenance.as_ref().map(|from| from.offset);
        if self.entry != entry {
            (self.entry, self.before) = (entry, self.keys);
        } else if again {
            self.keys = self.before;
        }
    }

    /// Cuts recalled context, masks secrets, flags planted instructions. A memory of which nothing
    /// is left becomes a skip; one that lost a block is stored without it and the loss is noted.
    pub(crate) fn screen(&mut self, outcome: Outcome, out: &mut Vec<Outcome>) {
        let (mut memory, grown) = match outcome {
            Outcome::Memory(memory) => (memory, false),
            Outcome::Grown(memory) => (memory, true),
            other => return out.push(other),
        };
        if let Cow::Owned(plain) = without_escapes(&memory.content) {
            memory.content = plain;
        }
        self.date(&mut memory, out);
        self.go_to(&memory, grown);
        let mut payload_keys = self.keys;
        let mut masked = mask_lines(&mut self.keys, &mut memory.content);
        if let Some(payload) = &mut memory.tool_payload {
            masked |= mask_lines(&mut payload_keys, payload);
        }
        if cut_recalled(&mut memory) {
            if memory.content.trim().is_empty() {
                return out.push(Outcome::Skip(reason::RECALLED.into()));
            }
            out.push(Outcome::Note(reason::RECALLED));
        }
        if planted::is_suspicious(&memory) {
            memory.trust = Trust::Flagged;
        }
        masked |= mask(&mut memory.content);
        for text in [&mut memory.tool_name, &mut memory.tool_payload]
            .into_iter()
            .flatten()
        {
            masked |= mask(text);
        }
        for tag in &mut memory.tags {
            masked |= mask(tag);
        }
        if masked {
            out.push(Outcome::Note(MASKED));
        }
        out.push(if grown {
            Outcome::Grown(memory)
        } else {
            Outcome::Memory(memory)
        });
    }
}

/// The same for a memory that stands in no log: screened, or why nothing of it can be stored, and
/// whether secrets in it were masked.
pub fn screened(memory: NewMemory) -> Result<(NewMemory, bool), String> {
    let mut out = Vec::new();
    Screen::default().screen(Outcome::Memory(Box::new(memory)), &mut out);
    let mut masked = false;
    for outcome in out {
        match outcome {
            // Notes stand before it.
            Outcome::Memory(memory) => return Ok((*memory, masked)),
            Outcome::Skip(reason) => return Err(reason.to_string()),
            Outcome::Note(note) => masked |= note == MASKED,
            _ => {}
        }
    }
    Err(reason::EMPTY.to_owned())
}

fn mask_lines(keys: &mut KeyLines, text: &mut String) -> bool {
    let Cow::Owned(masked) = keys.mask(text) else {
        return false;
    };
    *text = masked;
    true
}

fn cut_recalled(memory: &mut NewMemory) -> bool {
    let mut any = false;
    // Whoever writes may mention a tag; only what tools and programs print is cut short by machines.
    let cut = match memory.role {
        Role::User | Role::Assistant => recalled::cut_said(&memory.content),
        _ => recalled::cut(&memory.content),
    };
    if let Cow::Owned(shorter) = cut {
        let kept = shorter.trim().to_owned();
        memory.content = kept;
        any = true;
    }
    if let Some(payload) = &mut memory.tool_payload
        && let Cow::Owned(shorter) = recalled::cut_in_json(payload)
    {
        *payload = shorter;
        any = true;
    }
    any
}

fn mask(text: &mut String) -> bool {
    let Cow::Owned(masked) = redact::redact(text) else {
        return false;
    };
    *text = masked;
    true
}
