//! The demo memory: invented logs, taken in like any others and moved in time so that the newest
//! memory is from today.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use ingest::Options;
use memory::{ListQuery, Millis, Vault};
use retrieval::lane::documents::chunk::chunks;
use serde::Deserialize;

use crate::convert::reason;
use crate::error::{EdgeError, ErrorCode};
use crate::view::GuideStep;
use crate::{document_file, presets, research_file, settings, time};

/// `demo.json`: the moment at which the logs are written as if it were now.
#[derive(Deserialize)]
struct Description {
    anchor: String,
    folder: String,
    guide: String,
    research: String,
    documents: String,
}

/// A line of the guide as it ships.
#[derive(Deserialize)]
struct Step {
    query: String,
    watch_for: String,
    /// The start of the memory that one would expect.
    expected_text: Option<String>,
}

/// Whether the demo's logs are there, before anything is created for them.
pub(crate) fn check(folders: &[PathBuf]) -> Result<(), EdgeError> {
    describe(folders).map(|_| ())
}

/// Fills an empty vault with the demo's logs.
pub(crate) fn fill(vault: &Vault, folders: &[PathBuf], now: Millis) -> Result<(), EdgeError> {
    let (root, description) = describe(folders)?;
    let anchor = time::from_rfc3339(&description.anchor)
        .ok_or_else(|| EdgeError::internal("read demo.json"))?;
    ingest::backfill(
        vault,
        None,
        &[root.join(&description.folder)],
        &Options::default(),
        &|| now,
        &mut |_| {},
        &AtomicBool::new(false),
    )
    .map_err(|_| EdgeError::internal("take in the demo's logs"))?;
    vault.write(|w| w.memories().move_in_time(now - anchor))?;
    // Its guide walks through the documented pipeline, whose planted miss the recommended preset mends.
    settings::save_preset_in_force(vault, presets::STANDARD)?;
    beside(vault, root, &description, now, now - anchor)
}

/// Takes in what stands beside the memories. Research is moved in time as the memories are.
fn beside(
    vault: &Vault,
    root: &Path,
    description: &Description,
    now: Millis,
    moved: Millis,
) -> Result<(), EdgeError> {
    let damaged = || EdgeError::internal("read the demo's research and documents");
    let research = research_file::read(&text(&root.join(&description.research))?)
        .map_err(|_| damaged())?
        .into_iter()
        .map(|(_, entry)| entry.map_err(|_| damaged()))
        .collect::<Result<Vec<_>, _>>()?;
    let (documents, refused) =
        document_file::read(text(&root.join(&description.documents))?.as_bytes());
    if !refused.is_empty() {
        return Err(damaged());
    }
    vault.write(|w| {
        for entry in &research {
            let saved_at = entry.saved_at.map_or(now, |at| at + moved);
            w.research().put(&entry.research, saved_at)?;
        }
        for document in &documents {
            w.documents()
                .put(document, &chunks(&document.content), now)?;
        }
        Ok(())
    })?;
    Ok(())
}

/// The queries to try, the expected memories by id.
pub(crate) fn guide(vault: &Vault, folders: &[PathBuf]) -> Result<Vec<GuideStep>, EdgeError> {
    let (root, description) = describe(folders)?;
    let steps: Vec<Step> = read(&root.join(&description.guide))?;
    steps
        .into_iter()
        .map(|step| {
            let expected = match &step.expected_text {
                Some(text) => expected_id(vault, text)?,
                None => None,
            };
            Ok(GuideStep {
                query: step.query,
                watch_for: step.watch_for,
                expected,
            })
        })
        .collect()
}

fn expected_id(vault: &Vault, text: &str) -> Result<Option<String>, EdgeError> {
    let (_, found) = vault.read(|r| {
        r.memories().list(&ListQuery {
            contains: Some(text.to_owned()),
            limit: 1,
            ..ListQuery::default()
        })
    })?;
    Ok(found.first().map(|memory| memory.id.to_string()))
}

fn describe(folders: &[PathBuf]) -> Result<(&Path, Description), EdgeError> {
    let root = folders
        .iter()
        .find(|folder| folder.join("demo.json").is_file())
        .ok_or_else(|| {
            EdgeError::new(
                ErrorCode::Unreadable,
                &[
                    ("path", "demo.json"),
                    (
                        "reason",
                        "the demo's logs were not found beside the program",
                    ),
                ],
            )
        })?;
    Ok((root, read(&root.join("demo.json"))?))
}

fn text(path: &Path) -> Result<String, EdgeError> {
    std::fs::read_to_string(path).map_err(|error| {
        EdgeError::new(
            ErrorCode::Unreadable,
            &[
                ("path", &path.display().to_string()),
                ("reason", &reason(error.kind())),
            ],
        )
    })
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, EdgeError> {
    serde_json::from_str(&text(path)?)
        .map_err(|_| EdgeError::internal("read the demo's description"))
}
