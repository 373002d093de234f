//! Writing a memory by hand, from the window, a script or an agent's tool. It passes the screen that
//! logs pass, and undo takes it back.

use memory::{CreatedAtQuality, Inserted, Kind, MemoryId, NewMemory, Role, Scope, Trust};

use crate::convert;
use crate::error::EdgeError;
use crate::inspector::Inspector;
use crate::request::AddRequest;
use crate::session::Session;
use crate::view::{AddOutcome, AddedView, Notice};

/// Characters that a memory written by hand can have: more belongs into a document.
pub const LONGEST: usize = 100_000;

/// Whose memories are that nobody else claims.
const PERSON: &str = "person";

impl Inspector {
    /// Stores a memory.
    ///
    /// # Errors
    /// When there is no text, a name or a time cannot be read, a vector does not fit, or the same
    /// was deleted before.
    pub fn add_memory(&self, request: &AddRequest) -> Result<AddedView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let now = self.inner.now();
        let (mut new, secrets_masked) =
            ingest::screened(draft(request, now)?).map_err(|reason| {
                EdgeError::bad_request("content", &format!("some text that can be kept ({reason})"))
            })?;
        if request.judged && ingest::planted::reads_like_an_instruction(&new.content) {
            new.trust = Trust::Flagged;
        }
        let flagged = new.trust == Trust::Flagged;
        let vector = request.vector.as_ref();
        let model = vector.map(|vector| fitting(&session, vector)).transpose()?;
        let length = new.content.len();
        let (inserted, id) = session.vault.write(|w| {
            let inserted = w.memories().add(&new, now)?;
            let id = inserted.memory();
            if let (Some(model), Some(vector), Inserted::Stored(id)) = (&model, vector, inserted) {
                let version = w.memories().get(id)?.map_or(1, |memory| memory.version);
                w.embeddings()
                    .put(model, id, version, &[(0..length, vector.vector.clone())])?;
            }
            Ok((inserted, id))
        })?;
        let Some(id) = id else {
            return Err(EdgeError::bad_request(
                "content",
                "something that was not deleted before; what is in the trash can be restored",
            ));
        };
        self.added(&session, id, matches!(inserted, Inserted::Stored(_)));
        Ok(AddedView {
            id: id.to_string(),
            outcome: match inserted {
                Inserted::Repeated(_) | Inserted::Known(_) | Inserted::Longer(_) => {
                    AddOutcome::Known
                }
                _ => AddOutcome::Stored,
            },
            secrets_masked,
            flagged,
        })
    }

    fn added(&self, session: &Session, id: MemoryId, new: bool) {
        if let Err(error) = session.engine.note_changed(&[id]) {
            tracing::warn!(%error, "the vectors in memory are out of date");
        }
        self.inner.wake_embedding();
        self.inner.notices.tell(&Notice::Memories {
            added: u32::from(new),
            latest: new.then(|| id.to_string()).into_iter().collect(),
        });
    }
}

fn draft(request: &AddRequest, now: memory::Millis) -> Result<NewMemory, EdgeError> {
    let content = request.content.trim_end_matches(['\r', '\n']);
    if content.trim().is_empty() {
        return Err(EdgeError::bad_request("content", "some text"));
    }
    if content.chars().nth(LONGEST).is_some() {
        return Err(EdgeError::bad_request(
            "content",
            "at most 100000 characters; what is longer belongs into a document",
        ));
    }
    let name = |text: &Option<String>| {
        let text = text.as_deref().map(str::trim).unwrap_or_default();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let role = match name(&request.role) {
        None => Role::User,
        Some(role) => convert::name("role", &role, Role::ALL, Role::from_name)?,
    };
    let kind = match name(&request.kind) {
        None => Kind::Fact,
        Some(kind) => convert::name("kind", &kind, Kind::ALL, Kind::from_name)?,
    };
    let at = convert::moment("at", request.at.as_deref())?;
    let expires_at = convert::moment("expires", request.expires.as_deref())?;
    Ok(NewMemory {
        scope: Scope {
            org: name(&request.org).unwrap_or_default(),
            agent: name(&request.agent).unwrap_or_else(|| PERSON.to_owned()),
            session: name(&request.session),
        },
        role,
        kind,
        content: content.to_owned(),
        tool_name: None,
        tool_payload: None,
        created_at: Some(at.unwrap_or(now)),
        created_at_quality: CreatedAtQuality::Record,
        expires_at,
        provenance: None,
        // It has no record that could come again.
        source_key: String::new(),
        tags: request.tags.clone(),
        pinned: request.pinned,
        trust: Trust::Normal,
    })
}

/// The model that a vector was made by, if it is the one in use.
fn fitting(
    session: &Session,
    given: &crate::request::GivenVector,
) -> Result<memory::ModelRow, EdgeError> {
    let model = session
        .vault
        .read(|r| r.embeddings().active())?
        .ok_or_else(|| {
            EdgeError::bad_request("vector", "no vector: the vault has no embedding model yet")
        })?;
    if given.model != model.model_id {
        return Err(EdgeError::bad_request(
            "vector",
            &format!("one made by the model in use, {}", model.model_id),
        ));
    }
    if given.vector.len() != model.dimension as usize {
        return Err(EdgeError::bad_request(
            "vector",
            &format!("{} numbers, not {}", model.dimension, given.vector.len()),
        ));
    }
    if given.vector.iter().any(|number| !number.is_finite()) {
        return Err(EdgeError::bad_request(
            "vector",
            "finite numbers, neither NaN nor infinite",
        ));
    }
    if given.vector.iter().all(|number| *number == 0.0) {
        return Err(EdgeError::bad_request("vector", "a length above zero"));
    }
    Ok(model)
}
