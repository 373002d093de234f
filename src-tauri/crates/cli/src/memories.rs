//! The commands about single memories: looking, changing, throwing away, taking back.

use inspector::Inspector;
use inspector::request::{
    AddRequest, EditRequest, GivenVector, ListRequest, MergeMember, MergeRequest, SortOrder,
};
use inspector::view::{EmbeddingView, MemoryView};

use crate::arguments::{Add, Duplicates, Edit, List, Merge};
use crate::asking::filter;
use crate::failure::Failure;
use crate::given::read_text;
use crate::output::Output;

/// `lethescope list`
pub fn list(inspector: &Inspector, out: &Output, asked: &List) -> Result<(), Failure> {
    let mut filter = filter(&asked.scope)?;
    filter.unflagged = asked.no_flagged;
    out.page(&inspector.list_rows(&ListRequest {
        filter,
        contains: asked.contains.clone(),
        only: None,
        trash: asked.trash,
        expired: asked.expired,
        sort: SortOrder::Newest,
        offset: asked.offset,
        limit: asked.limit,
    })?);
    Ok(())
}

/// `lethescope add`
pub fn add(inspector: &Inspector, out: &Output, asked: &Add) -> Result<(), Failure> {
    let vector = match &asked.vector {
        None => None,
        Some(file) => Some(
            serde_json::from_str::<GivenVector>(&read_text(file)?).map_err(|_| {
                Failure::Usage(format!(
                    "{}: expected JSON, {{\"model\",\"vector\":[numbers]}}; NaN and infinite are no numbers",
                    file.display()
                ))
            })?,
        ),
    };
    let added = inspector.add_memory(&AddRequest {
        content: read_text(&asked.content_file)?,
        org: asked.org.clone(),
        agent: Some(asked.agent.clone()),
        session: asked.session.clone(),
        role: Some(asked.role.clone()),
        kind: Some(asked.kind.clone()),
        tags: asked.tags.clone(),
        pinned: asked.pin,
        at: asked.at.clone(),
        expires: asked.expires.clone(),
        judged: false,
        vector,
    })?;
    // What was stored is said whatever becomes of its vector.
    let embedding = if asked.no_embed {
        Ok(inspector.embedding()?)
    } else {
        embed(inspector, out)
    };
    out.added(&added, embedding.as_ref().ok());
    embedding.map(|_| ())
}

/// `lethescope merge`
pub fn merge(inspector: &Inspector, out: &Output, asked: &Merge) -> Result<(), Failure> {
    let members = asked.ids.iter().map(|id| MergeMember {
        id: id.clone(),
        version: None,
    });
    let merged = inspector.merge_memories(&MergeRequest {
        members: members.collect(),
        content: asked.content_file.as_deref().map(read_text).transpose()?,
    })?;
    embedded(inspector, out, &merged)
}

/// `lethescope duplicates`
pub fn duplicates(inspector: &Inspector, out: &Output, asked: &Duplicates) -> Result<(), Failure> {
    if !asked.keep.is_empty() {
        out.pairs("kept apart", &inspector.keep_apart(&asked.keep)?);
    } else if !asked.join.is_empty() {
        out.pairs("may be linked again", &inspector.let_join(&asked.join)?);
    } else if let Some(from) = asked.link_from {
        out.duplicates(&inspector.set_near_duplicate(from)?);
    } else {
        out.duplicates(&inspector.duplicates(asked.at)?);
        return Ok(());
    }
    // What changed is compared anew before anybody asks.
    embed(inspector, out).map(|_| ())
}

/// `lethescope edit`
pub fn edit(inspector: &Inspector, out: &Output, asked: &Edit) -> Result<(), Failure> {
    let content = asked.content_file.as_deref().map(read_text).transpose()?;
    let rewritten = content.is_some();
    let view = inspector.edit_memory(&EditRequest {
        id: asked.id.clone(),
        version: None,
        content,
        tags: asked.tags.clone(),
        pinned: match (asked.pin, asked.unpin) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        },
        approve: asked.approve.then_some(true),
        expires: asked.expires.clone(),
    })?;
    if rewritten {
        embedded(inspector, out, &view)
    } else {
        out.memory(&view, None);
        Ok(())
    }
}

/// `lethescope undo`
pub fn undo(inspector: &Inspector, out: &Output) -> Result<(), Failure> {
    let undone = inspector.undo()?;
    let embedding = match undone {
        Some(_) => Some(embed(inspector, out)?),
        None => None,
    };
    out.undone(undone.as_deref(), embedding.as_ref());
    Ok(())
}

/// `lethescope delete`: into the trash, or gone for good wherever they are.
pub fn delete(
    inspector: &Inspector,
    out: &Output,
    ids: &[String],
    purge: bool,
) -> Result<(), Failure> {
    let found = inspector.whereabouts(ids)?;
    let mut gone = found.living.clone();
    if purge {
        gone.extend(found.trash.iter().cloned());
    }
    let count = match (gone.is_empty(), purge) {
        (true, _) => 0,
        (false, true) => inspector.purge_memories(&gone)?,
        (false, false) => inspector.delete_memories(&gone)?,
    };
    let kept = if purge { &[][..] } else { &found.trash };
    out.moved(
        if purge { "purged" } else { "deleted" },
        count,
        ("in_trash", kept),
        &found.unknown,
    );
    missing(&found.unknown)
}

/// `lethescope restore`: out of the trash.
pub fn restore(inspector: &Inspector, out: &Output, ids: &[String]) -> Result<(), Failure> {
    let found = inspector.whereabouts(ids)?;
    let count = if found.trash.is_empty() {
        0
    } else {
        inspector.restore_memories(&found.trash)?
    };
    if count > 0 {
        embed(inspector, out)?;
    }
    out.moved(
        "restored",
        count,
        ("not_in_trash", &found.living),
        &found.unknown,
    );
    missing(&found.unknown)
}

/// `lethescope trash`: shows it, or empties it for good.
pub fn trash(inspector: &Inspector, out: &Output, empty: bool) -> Result<(), Failure> {
    if empty {
        out.done("purged", inspector.empty_trash()?);
        return Ok(());
    }
    out.page(&inspector.list_rows(&ListRequest {
        trash: true,
        limit: 500,
        ..ListRequest::default()
    })?);
    Ok(())
}

/// `lethescope embed`: what has no vector yet.
pub fn embed_all(inspector: &Inspector, out: &Output) -> Result<(), Failure> {
    let view = embed(inspector, out)?;
    out.embedding(&view);
    match view.reason {
        Some(reason) if view.pending > 0 => Err(Failure::Partly(format!(
            "{} memories wait for their vectors: {reason}.",
            view.pending
        ))),
        _ => Ok(()),
    }
}

/// Embeds what is pending, and says how far that went.
pub fn embed(inspector: &Inspector, out: &Output) -> Result<EmbeddingView, Failure> {
    Ok(inspector.embed_pending(&mut |done, total| out.progress("embedding", done, total))?)
}

/// Prints a memory of which the text changed, once its vector follows.
fn embedded(inspector: &Inspector, out: &Output, changed: &MemoryView) -> Result<(), Failure> {
    let embedding = embed(inspector, out)?;
    out.memory(
        &inspector.get_memory(&changed.card.id, None)?,
        Some(&embedding),
    );
    Ok(())
}

fn missing(unknown: &[String]) -> Result<(), Failure> {
    match unknown {
        [] => Ok(()),
        [one] => Err(Failure::Partly(format!("There is no memory {one}."))),
        many => Err(Failure::Partly(format!(
            "There are no memories {}.",
            many.join(", ")
        ))),
    }
}
