//! Taking memories out of the vault and bringing them in.

use std::fmt::Write as _;
use std::path::Path;

use memory::{Memory, Passphrase, Prefer};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::{private_file, time};

/// What a file of memories is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum ExportForm {
    /// Encrypted, with everything that `import` brings in again.
    Archive,
    /// One JSON object per line, readable by everybody who gets at the file.
    Jsonl,
    /// A text to be read, by everybody who gets at the file.
    Markdown,
}

/// A file of memories that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct ExportView {
    /// The file.
    pub file: String,
    /// Memories in it; in an archive those in the trash too.
    pub memories: u32,
    /// Whether whoever gets at the file can read it.
    pub plaintext: bool,
    /// Numbers of memories that stand on damaged pages and are missing.
    pub unreadable: u32,
}

/// What became of an archive's memories.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct ImportView {
    /// New ones.
    pub added: u32,
    /// There already.
    pub known: u32,
    /// Deleted here before: they stay gone.
    pub forgotten: u32,
    /// There already with another text, other tags, pin, trust or expiry, or deleted on one side.
    pub differing: Vec<String>,
    /// Whether those became as they are in the archive.
    pub replaced: bool,
    /// New documents.
    pub documents: u32,
    /// New entries of the research cache.
    pub research: u32,
    /// New golden queries.
    pub golden_queries: u32,
}

impl Inspector {
    /// Writes memories into a file, complete or not at all, for its owner alone. Living ones, in the
    /// plain forms; expired ones among them.
    pub fn export(&self, file: &Path, form: ExportForm) -> Result<ExportView, EdgeError> {
        let vault = self.inner.session_in_use()?.vault.clone();
        let view = |memories, plaintext, unreadable| ExportView {
            file: file.display().to_string(),
            memories,
            plaintext,
            unreadable,
        };
        if form == ExportForm::Archive {
            return Ok(view(vault.back_up(file)?.memories, false, 0));
        }
        let file = std::path::absolute(file)
            .map_err(|_| EdgeError::bad_request("file", "the path of a file"))?;
        let mut text = String::new();
        let mut memories = 0;
        let unreadable = vault.each_readable::<EdgeError>(|memory| {
            if memory.deleted_at.is_none() {
                memories += 1;
                match form {
                    ExportForm::Markdown => markdown(&mut text, memory),
                    _ => line(&mut text, memory),
                }
            }
            Ok(())
        })?;
        private_file::write(&file, text.as_bytes())?;
        Ok(view(memories, true, unreadable))
    }

    /// Brings in what an archive or a backup holds. Where a memory differs it stays as it is, or
    /// becomes as in the archive.
    pub fn import(
        &self,
        file: &Path,
        passphrase: String,
        prefer_archive: bool,
    ) -> Result<ImportView, EdgeError> {
        let prefer = if prefer_archive {
            Prefer::Archive
        } else {
            Prefer::Mine
        };
        let session = self.inner.session_in_use()?;
        let done = session
            .vault
            .import(
                file,
                &Passphrase::new(passphrase)?,
                prefer,
                self.inner.now(),
            )
            .map_err(|error| EdgeError::about(file, error))?;
        session.engine.refresh_mirror()?;
        // They may come from a vault that kept less.
        session.tokens_below.begin_anew();
        session.words_below.begin_anew();
        self.inner.wake_embedding();
        Ok(ImportView {
            added: done.added,
            known: done.known,
            forgotten: done.forgotten,
            differing: done.differing.iter().map(ToString::to_string).collect(),
            replaced: prefer_archive,
            documents: done.documents,
            research: done.research,
            golden_queries: done.golden_queries,
        })
    }
}

fn line(text: &mut String, memory: &Memory) {
    let source = memory
        .provenance
        .as_ref()
        .map(|from| json!({ "path": from.path, "offset": from.offset, "line": from.line }));
    let object = json!({
        "id": memory.id.to_string(),
        "org": memory.scope.org,
        "agent": memory.scope.agent,
        "session": memory.scope.session,
        "role": memory.role.as_str(),
        "kind": memory.kind.as_str(),
        "content": memory.content,
        "tool_name": memory.tool_name,
        "tool_payload": memory.tool_payload,
        "created_at": memory.created_at.map(time::to_rfc3339),
        "last_seen_at": time::to_rfc3339(memory.last_seen_at),
        "seen_count": memory.seen_count,
        "expires_at": memory.expires_at.map(time::to_rfc3339),
        "tags": memory.tags,
        "pinned": memory.pinned,
        "trust": memory.trust.as_str(),
        "version": memory.version,
        "source": source,
    });
    let _ = writeln!(text, "{object}");
}

/// A heading of who, when and what, then the text, indented: whatever stands in it, it cannot begin
/// another entry.
fn markdown(text: &mut String, memory: &Memory) {
    let mut head = vec![memory.id.to_string(), memory.scope.agent.clone()];
    if !memory.scope.org.is_empty() {
        head.push(memory.scope.org.clone());
    }
    head.push(memory.role.as_str().to_owned());
    head.extend(memory.created_at.map(time::to_rfc3339));
    head.extend(memory.tags.iter().map(|tag| format!("#{tag}")));
    if memory.pinned {
        head.push("pinned".to_owned());
    }
    let head = head.join(" · ").replace(['\n', '\r'], " ");
    let _ = writeln!(text, "## {head}\n");
    let texts = [Some(&memory.content), memory.tool_payload.as_ref()];
    for line in texts.into_iter().flatten().flat_map(|part| part.lines()) {
        let _ = writeln!(text, "    {line}");
    }
    text.push('\n');
}
