//! Documents: taking in, asking, listing, deleting, moving in.

use std::path::Path;

use memory::{DocumentChunk, DocumentPut, DocumentRow, NewDocument};
use retrieval::highlight;
use retrieval::lane::documents::chunk::chunks;
use retrieval::lane::documents::{Cut, DocumentInput, gather};
use retrieval::stage::route::{Route, route};
use retrieval::trace::{Mode, Status};

use super::research::tokens;
use crate::convert::reason;
use crate::document_file::{self, LONGEST_ID};
use crate::error::{EdgeError, ErrorCode};
use crate::inspector::Inspector;
use crate::mask::{cut_recalled, mask};
use crate::request::{DocumentFileRequest, DocumentQueryRequest, DocumentRequest};
use crate::view::{
    DocumentAnswerView, DocumentChunkView, DocumentOutcome, DocumentPutView, DocumentTextView,
    DocumentView, ImportedDocumentsView, RefusedView,
};
use crate::{time, tuning};

/// The most chunks that can be asked for.
const MOST: u32 = 100;
/// Chunks that a search in the window finds.
const FOUND: u32 = 20;
/// A larger file is no note, article or program text.
const LARGEST_FILE: u64 = 32 << 20;
/// Characters of a chunk that a lane shows.
const SNIPPET: usize = 240;

impl Inspector {
    /// Takes a document in; the same id again replaces it. Its words are searchable at once, its
    /// vectors follow (see [`Self::embed_pending`]).
    pub fn ingest_document(&self, request: &DocumentRequest) -> Result<DocumentPutView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let mut new = NewDocument {
            id: request.id.trim().to_owned(),
            title: request.title.trim().to_owned(),
            content: request.content.clone(),
        };
        let secrets_masked = masked(&mut new);
        if new.id.is_empty() || new.id.chars().count() > LONGEST_ID {
            return Err(EdgeError::bad_request("id", "1 to 300 characters"));
        }
        if new.content.trim().is_empty() {
            return Err(EdgeError::bad_request("document", "some text"));
        }
        let pieces = chunks(&new.content);
        let (outcome, row) = session.vault.write(|w| {
            let outcome = w.documents().put(&new, &pieces, self.inner.now())?;
            Ok((outcome, w.documents().get(&new.id)?))
        })?;
        self.inner.wake_embedding();
        let row = row.ok_or_else(|| EdgeError::internal("the documents"))?.row;
        Ok(DocumentPutView {
            outcome: outcome_of(outcome),
            secrets_masked,
            document: view(&row),
        })
    }

    /// Takes a text file in, under its own name where no id is given.
    pub fn ingest_document_file(
        &self,
        request: &DocumentFileRequest,
    ) -> Result<DocumentPutView, EdgeError> {
        self.inner.session_in_use()?;
        let path = Path::new(request.path.trim());
        let unreadable = |reason: &str| {
            EdgeError::new(
                ErrorCode::Unreadable,
                &[("path", &path.display().to_string()), ("reason", reason)],
            )
        };
        let size = std::fs::metadata(path)
            .map_err(|error| unreadable(&reason(error.kind())))?
            .len();
        if size > LARGEST_FILE {
            return Err(unreadable("larger than 32 MB"));
        }
        let bytes = std::fs::read(path).map_err(|error| unreadable(&reason(error.kind())))?;
        let content = String::from_utf8(bytes).map_err(|_| unreadable("not UTF-8 text"))?;
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let given = request.id.trim();
        self.ingest_document(&DocumentRequest {
            id: if given.is_empty() {
                name.clone()
            } else {
                given.to_owned()
            },
            title: if request.title.trim().is_empty() && !given.is_empty() {
                name
            } else {
                request.title.clone()
            },
            content,
        })
    }

    /// A document with its text.
    pub fn document(&self, id: &str) -> Result<DocumentTextView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let document = session
            .vault
            .read(|r| r.documents().get(id))?
            .ok_or_else(|| EdgeError::not_found("document with that id"))?;
        Ok(DocumentTextView {
            document: view(&document.row),
            content: document.content,
        })
    }

    /// Asks the documents alone, under the preset in force.
    pub fn search_documents(&self, text: &str) -> Result<DocumentAnswerView, EdgeError> {
        self.query_documents(&DocumentQueryRequest {
            text: text.to_owned(),
            mode: Mode::Hybrid,
            limit: FOUND,
            constants: self.preset(None)?,
        })
    }

    /// Asks the documents alone.
    pub fn query_documents(
        &self,
        request: &DocumentQueryRequest,
    ) -> Result<DocumentAnswerView, EdgeError> {
        tuning::check(&request.constants)?;
        if !(1..=MOST).contains(&request.limit) {
            return Err(EdgeError::bad_request("limit", "1 to 100"));
        }
        let session = self.inner.session_asked(request.mode != Mode::Lexical)?;
        let route = route(&request.text, request.mode, &memory::Filter::default());
        let embedder = session.engine.embedder();
        let found = gather(&DocumentInput {
            vault: &session.vault,
            embedder: embedder.as_deref(),
            route: &route,
            most: request.limit,
        });
        let constants = request.constants.clamped();
        let Cut { lookup, chunks } =
            found.cut(&constants, request.limit, |text| tokens(&session, text));
        if lookup.status == Status::Failed {
            tracing::error!(reason = lookup.reason.as_deref(), "the documents failed");
            return Err(EdgeError::internal("the search of the documents"));
        }
        Ok(DocumentAnswerView {
            lookup,
            texts: chunks
                .iter()
                .map(|chunk| DocumentChunkView {
                    text: Some(chunk.text.clone()),
                    ..chunk_view(chunk, &route)
                })
                .collect(),
        })
    }

    /// All documents by id.
    pub fn list_documents(&self) -> Result<Vec<DocumentView>, EdgeError> {
        let session = self.inner.session_in_use()?;
        let rows = session.vault.read(|r| r.documents().list())?;
        Ok(rows.iter().map(view).collect())
    }

    /// Removes a document for good.
    pub fn delete_document(&self, id: &str) -> Result<(), EdgeError> {
        let session = self.inner.session_in_use()?;
        if session.vault.write(|w| w.documents().delete(id))? {
            Ok(())
        } else {
            Err(EdgeError::not_found("document with that id"))
        }
    }

    /// Takes in a plaintext document store (JSON Lines). Lines that cannot be read are listed by
    /// number; the store itself is left as it is.
    pub fn import_documents(&self, bytes: &[u8]) -> Result<ImportedDocumentsView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let (mut documents, refused) = document_file::read(bytes);
        let mut imported = ImportedDocumentsView {
            refused: refused
                .into_iter()
                .map(|(line, reason)| RefusedView {
                    place: format!("line {line}"),
                    reason: reason.to_owned(),
                })
                .collect(),
            ..ImportedDocumentsView::default()
        };
        for document in &mut documents {
            imported.masked += u32::from(masked(document));
        }
        let now = self.inner.now();
        session.vault.write(|w| {
            for new in &documents {
                match w.documents().put(new, &chunks(&new.content), now)? {
                    DocumentPut::Stored => imported.stored += 1,
                    DocumentPut::Replaced => imported.replaced += 1,
                    DocumentPut::Unchanged => imported.unchanged += 1,
                }
            }
            Ok(())
        })?;
        self.inner.wake_embedding();
        Ok(imported)
    }
}

/// Cuts recalled memory out of a document and masks its secrets; true when there were any.
fn masked(new: &mut NewDocument) -> bool {
    cut_recalled(&mut new.content);
    mask(&mut new.title) | mask(&mut new.content)
}

fn outcome_of(put: DocumentPut) -> DocumentOutcome {
    match put {
        DocumentPut::Stored => DocumentOutcome::Stored,
        DocumentPut::Replaced => DocumentOutcome::Replaced,
        DocumentPut::Unchanged => DocumentOutcome::Unchanged,
    }
}

fn view(row: &DocumentRow) -> DocumentView {
    DocumentView {
        id: row.id.clone(),
        title: row.title.clone(),
        characters: row.characters,
        chunks: row.chunks,
        ingested_at: time::to_rfc3339(row.ingested_at),
    }
}

/// A chunk as lists show it: what the query matched is marked, and the snippet starts near it.
pub(crate) fn chunk_view(chunk: &DocumentChunk, route: &Route) -> DocumentChunkView {
    let snippet = highlight::snippet(
        &chunk.text,
        &highlight::matches(&chunk.text, route),
        SNIPPET,
    );
    DocumentChunkView {
        id: format!("c{}", chunk.chunk_id),
        document: chunk.document.clone(),
        title: chunk.title.clone(),
        snippet: snippet.text,
        highlights: snippet.highlights.into_iter().map(Into::into).collect(),
        text: None,
    }
}
