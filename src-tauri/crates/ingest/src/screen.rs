//! What every memory passes before it is stored, whatever format it came from.

use std::borrow::Cow;

use memory::{NewMemory, Role, Trust};

use crate::escapes::without_escapes;
use crate::format::{Outcome, reason};
use crate::{planted, recalled, redact};

/// Cuts recalled context, masks secrets, flags planted instructions. A memory of which nothing is
/// left becomes a skip; one that lost a block is stored without it and the loss is noted.
pub(crate) fn screen(outcome: Outcome, out: &mut Vec<Outcome>) {
    let (mut memory, grown) = match outcome {
        Outcome::Memory(memory) => (memory, false),
        Outcome::Grown(memory) => (memory, true),
        other => return out.push(other),
    };
    if let Cow::Owned(plain) = without_escapes(&memory.content) {
        memory.content = plain;
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
    let mut masked = mask(&mut memory.content);
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
        out.push(Outcome::Note("secret masked"));
    }
    out.push(if grown {
        Outcome::Grown(memory)
    } else {
        Outcome::Memory(memory)
    });
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
