//! Browsing and editing what the agent knows.

use std::collections::BTreeSet;

use memory::{
    Edit, Expiry, ListQuery, Member, Memories, Memory, MemoryId, Sort, Trust, Vault, VaultError,
};
use retrieval::stage::route::Route;

use crate::convert;
use crate::error::EdgeError;
use crate::inspector::{Inner, Inspector};
use crate::mask::masked;
use crate::request::{EditRequest, ListRequest, MergeRequest, SortOrder};
use crate::session::Session;
use crate::time;
use crate::view::{
    FacetValue, FacetsView, MemoryCard, MemoryView, MergeDraftView, NearView, Notice, PageView,
    RowView, RowsView, SightingView, VersionView, WhereaboutsView,
};

/// Memories that can become one: more is no memory any more, and nobody reads through it.
const MOST_MERGED: usize = 50;

/// How many there are, the page, and how many numbers stand on damaged pages.
type Page = (u32, Vec<(Memory, MemoryCard)>, u32);

impl Inspector {
    /// A page of memories.
    pub fn list_memories(&self, request: &ListRequest) -> Result<PageView, EdgeError> {
        let (total, rows, _) = self.page(request)?;
        Ok(PageView {
            total,
            cards: rows.into_iter().map(|(_, card)| card).collect(),
        })
    }

    /// The same with all that is known of each.
    pub fn list_rows(&self, request: &ListRequest) -> Result<RowsView, EdgeError> {
        let (total, rows, unreadable) = self.page(request)?;
        Ok(RowsView {
            total,
            unreadable,
            cards: rows
                .into_iter()
                .map(|(memory, card)| RowView {
                    card,
                    tool_payload: memory.tool_payload,
                    last_seen_at: time::to_rfc3339(memory.last_seen_at),
                    expires_at: memory.expires_at.map(time::to_rfc3339),
                    deleted_at: memory.deleted_at.map(time::to_rfc3339),
                })
                .collect(),
        })
    }

    fn page(&self, request: &ListRequest) -> Result<Page, EdgeError> {
        let session = self.inner.session()?;
        let now = self.inner.now();
        let query = ListQuery {
            filter: convert::filter(&request.filter)?,
            contains: request
                .contains
                .clone()
                .filter(|text| !text.trim().is_empty()),
            only: request
                .only
                .as_deref()
                .map(convert::memory_ids)
                .transpose()?,
            trash: request.trash,
            expired: request.expired,
            sort: match request.sort {
                SortOrder::Newest => Sort::Newest,
                SortOrder::Oldest => Sort::Oldest,
                SortOrder::LastStored => Sort::LastStored,
                SortOrder::Longest => Sort::Longest,
                SortOrder::MostSeen => Sort::MostSeen,
            },
            offset: request.offset,
            limit: request.limit.clamp(1, 500),
            now,
        };
        let sought = query.contains.as_deref().map(convert::literal);
        let (total, memories, unreadable) = session.vault.list(&query)?;
        let rows = memories.into_iter().map(|memory| {
            let card = convert::card(&memory, now, sought.as_ref());
            (memory, card)
        });
        Ok((total, rows.collect(), unreadable))
    }

    /// What one can filter by, with counts.
    pub fn facets(&self) -> Result<FacetsView, EdgeError> {
        let session = self.inner.session()?;
        let facets = session.vault.read(|r| r.memories().facets())?;
        let values = |pairs: Vec<(String, u32)>| {
            pairs
                .into_iter()
                .map(|(value, count)| FacetValue { value, count })
                .collect()
        };
        Ok(FacetsView {
            agents: values(facets.agents),
            roles: values(facets.roles),
            kinds: values(facets.kinds),
            sources: values(facets.sources),
            tags: values(facets.tags),
            earliest: facets.earliest.map(time::to_rfc3339),
            latest: facets.latest.map(time::to_rfc3339),
        })
    }

    /// One memory in full; with a query's name, what matched it is marked.
    pub fn get_memory(&self, id: &str, recall: Option<&str>) -> Result<MemoryView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let gathered = recall.and_then(|name| session.recall(name));
        let route = gathered.as_ref().map(|gathered| &gathered.route);
        view(&self.inner, &session, convert::memory_id(id)?, route)
    }

    /// Changes a memory. Its vectors are made anew when the text changed.
    pub fn edit_memory(&self, request: &EditRequest) -> Result<MemoryView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let id = convert::memory_id(&request.id)?;
        if request
            .content
            .as_deref()
            .is_some_and(|text| text.trim().is_empty())
        {
            return Err(no_text());
        }
        let edit = Edit {
            content: request.content.as_deref().map(masked),
            tags: request.tags.clone().map(tidy_tags),
            pinned: request.pinned,
            trust: request.approve.map(|approve| {
                if approve {
                    Trust::Approved
                } else {
                    Trust::Flagged
                }
            }),
            expires: expiry(request.expires.as_deref())?,
        };
        let now = self.inner.now();
        session
            .vault
            .write(|w| w.memories().edit(id, &edit, request.version, now))?;
        self.changed(&session, &[id]);
        view(&self.inner, &session, id, None)
    }

    /// What merging memories would make, before anything is changed: the oldest stays.
    pub fn merge_draft(&self, ids: &[String]) -> Result<MergeDraftView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let mut memories = mergeable(&session, &convert::memory_ids(ids)?)?;
        memories.sort_by_key(|memory| (memory.created_at.is_none(), memory.created_at, memory.id));
        let now = self.inner.now();
        Ok(MergeDraftView {
            content: joined(&memories),
            cards: memories
                .iter()
                .map(|memory| convert::card(memory, now, None))
                .collect(),
        })
    }

    /// Puts one memory in the place of several; undo takes it back as a whole.
    pub fn merge_memories(&self, request: &MergeRequest) -> Result<MemoryView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let members: Vec<Member> = request
            .members
            .iter()
            .map(|member| Ok((convert::memory_id(&member.id)?, member.version)))
            .collect::<Result<_, EdgeError>>()?;
        let ids: Vec<MemoryId> = members.iter().map(|(id, _)| *id).collect();
        let memories = mergeable(&session, &ids)?;
        let content = match &request.content {
            Some(content) if content.trim().is_empty() => return Err(no_text()),
            Some(content) => masked(content),
            None => joined(&memories),
        };
        let now = self.inner.now();
        let merged = session
            .vault
            .write(|w| w.memories().merge(&members, &content, now))?;
        self.changed(&session, &ids);
        view(&self.inner, &session, merged.id, None)
    }

    /// Puts memories into the trash. Returns how many went.
    pub fn delete_memories(&self, ids: &[String]) -> Result<u32, EdgeError> {
        let now = self.inner.now();
        self.move_memories(ids, |vault, ids| {
            Ok(vault.write(|w| w.memories().trash(ids, now))?)
        })
    }

    /// Takes memories out of the trash. Returns how many came back.
    pub fn restore_memories(&self, ids: &[String]) -> Result<u32, EdgeError> {
        let now = self.inner.now();
        self.move_memories(ids, |vault, ids| {
            Ok(vault.write(|w| w.memories().restore(ids, now))?)
        })
    }

    /// Removes every byte of memories for ever. Returns how many are gone.
    pub fn purge_memories(&self, ids: &[String]) -> Result<u32, EdgeError> {
        self.move_memories(ids, |vault, ids| {
            Ok(vault.write(|w| w.memories().purge(ids))?)
        })
    }

    /// Removes every byte of what is in the trash. Returns how many memories that were.
    pub fn empty_trash(&self) -> Result<u32, EdgeError> {
        let session = self.inner.session_in_use()?;
        let (ids, count) = session.vault.write(|w| {
            let ids = w.memories().trashed()?;
            let count = w.memories().purge(&ids)?;
            Ok((ids, count))
        })?;
        if count > 0 {
            self.changed(&session, &ids);
        }
        Ok(count)
    }

    /// Where memories are, each named once, in the order asked for.
    pub fn whereabouts(&self, ids: &[String]) -> Result<WhereaboutsView, EdgeError> {
        let session = self.inner.session_in_use()?;
        let mut named = BTreeSet::new();
        let ids: Vec<MemoryId> = convert::memory_ids(ids)?
            .into_iter()
            .filter(|&id| named.insert(id))
            .collect();
        let memories = session.vault.read(|r| r.memories().get_many(&ids))?;
        let mut view = WhereaboutsView::default();
        for id in ids {
            let found = memories.iter().find(|memory| memory.id == id);
            let list = match found {
                Some(memory) if memory.deleted_at.is_some() => &mut view.trash,
                Some(_) => &mut view.living,
                None => &mut view.unknown,
            };
            list.push(id.to_string());
        }
        Ok(view)
    }

    /// Takes the last edit, deletion or restoration back and says what it was.
    pub fn undo(&self) -> Result<Option<String>, EdgeError> {
        let session = self.inner.session_in_use()?;
        let now = self.inner.now();
        let undone = session.vault.write(|w| w.undo().undo(now))?;
        if undone.is_some() {
            session.engine.clear_mirrors();
            session.engine.refresh_mirror()?;
            self.changed(&session, &[]);
        }
        Ok(undone)
    }

    fn move_memories(
        &self,
        ids: &[String],
        act: impl FnOnce(&Vault, &[MemoryId]) -> Result<u32, EdgeError>,
    ) -> Result<u32, EdgeError> {
        let session = self.inner.session_in_use()?;
        let ids = convert::memory_ids(ids)?;
        let count = act(&session.vault, &ids)?;
        if count == 0 {
            return Err(EdgeError::not_found("such memory here"));
        }
        self.changed(&session, &ids);
        Ok(count)
    }

    /// Keeps the search copy in step and tells whoever watches.
    fn changed(&self, session: &Session, ids: &[MemoryId]) {
        if let Err(error) = session.engine.note_changed(ids) {
            // The mirror notices by itself that it is out of date; the exact scan answers meanwhile.
            tracing::warn!(%error, "the vectors in memory are out of date");
        }
        self.inner.wake_embedding();
        self.inner.notices.tell(&Notice::Memories {
            added: 0,
            latest: Vec::new(),
        });
    }
}

fn no_text() -> EdgeError {
    EdgeError::bad_request("content", "some text; to remove a memory, delete it")
}

/// The memories in the order asked for, each once, if they may become one.
fn mergeable(session: &Session, ids: &[MemoryId]) -> Result<Vec<Memory>, EdgeError> {
    let mut named = BTreeSet::new();
    let ids: Vec<MemoryId> = ids.iter().copied().filter(|&id| named.insert(id)).collect();
    if !(2..=MOST_MERGED).contains(&ids.len()) {
        return Err(EdgeError::bad_request(
            "ids",
            "two to 50 memories to be merged",
        ));
    }
    let memories = session.vault.read(|r| r.memories().get_many(&ids))?;
    for id in ids {
        if !memories
            .iter()
            .any(|memory| memory.id == id && memory.deleted_at.is_none())
        {
            return Err(EdgeError::not_found(&format!("memory {id}")));
        }
    }
    let whose = |memory: &Memory| (memory.scope.org.clone(), memory.scope.agent.clone());
    if memories
        .windows(2)
        .any(|pair| whose(&pair[0]) != whose(&pair[1]))
    {
        return Err(EdgeError::bad_request(
            "ids",
            "memories of one agent: agents do not see each other's",
        ));
    }
    Ok(memories)
}

/// The texts one below the other, without those that another one holds already.
fn joined(memories: &[Memory]) -> String {
    let mut texts: Vec<&str> = Vec::new();
    for memory in memories {
        let text = memory.content.trim();
        if texts.iter().any(|held| held.contains(text)) {
            continue;
        }
        texts.retain(|held| !text.contains(held));
        texts.push(text);
    }
    masked(&texts.join("\n\n"))
}

fn expiry(asked: Option<&str>) -> Result<Option<Expiry>, EdgeError> {
    if asked.is_some_and(|text| text.trim() == "never") {
        return Ok(Some(Expiry::Never));
    }
    Ok(convert::moment("expires", asked)?.map(Expiry::At))
}

fn tidy_tags(tags: Vec<String>) -> Vec<String> {
    let mut tags: Vec<String> = tags
        .into_iter()
        .map(|tag| masked(tag.trim()))
        .filter(|tag| !tag.is_empty())
        .collect();
    tags.sort();
    tags.dedup();
    tags
}

fn view(
    inner: &Inner,
    session: &Session,
    id: MemoryId,
    route: Option<&Route>,
) -> Result<MemoryView, EdgeError> {
    let model = inner.model.get().map(|model| model.identity().clone());
    let found = session.vault.read(|r| {
        let Some(memory) = r.memories().get(id)? else {
            return Ok(None);
        };
        let row = match &model {
            Some(model) => r.embeddings().find(&model.id, model.dimension)?,
            // A script that only looks loads no model.
            None => r.embeddings().active()?,
        };
        let embedded = match &row {
            Some(row) => !r.embeddings().chunks_of(row, id)?.is_empty(),
            None => false,
        };
        let memories = r.memories();
        let said = memories.sightings(id)?;
        let near = near(&memories, id)?;
        Ok(Some((memory, memories.history(id)?, said, near, embedded)))
    })?;
    let (memory, history, said, near, embedded) =
        found.ok_or_else(|| EdgeError::not_found(&format!("memory {id}")))?;
    Ok(MemoryView {
        card: convert::card(&memory, inner.now(), route),
        highlights: route
            .map(|route| convert::highlights(&memory.content, route))
            .unwrap_or_default(),
        tool_payload: memory.tool_payload,
        path: memory.provenance.as_ref().map(|from| from.path.clone()),
        line: memory
            .provenance
            .as_ref()
            .and_then(|from| u32::try_from(from.line).ok()),
        offset: memory
            .provenance
            .as_ref()
            .map(|from| from.offset.to_string()),
        last_seen_at: time::to_rfc3339(memory.last_seen_at),
        expires_at: memory.expires_at.map(time::to_rfc3339),
        expired: memory.expires_at.is_some_and(|at| at <= inner.now()),
        deleted_at: memory.deleted_at.map(time::to_rfc3339),
        sightings: said
            .into_iter()
            .map(|one| SightingView {
                at: one.at.map(time::to_rfc3339),
                session: one.session,
                path: one.path,
                line: one.line.and_then(|line| u32::try_from(line).ok()),
            })
            .collect(),
        near,
        embedded,
        history: history
            .into_iter()
            .map(|version| VersionView {
                version: version.version,
                replaced_at: time::to_rfc3339(version.replaced_at),
                content: version.content,
            })
            .collect(),
        content: memory.content,
    })
}

/// The root of a memory, then what else is linked to it.
fn near(memories: &Memories<'_>, id: MemoryId) -> Result<Vec<NearView>, VaultError> {
    let view = |id: MemoryId, similarity: f64, first: bool| NearView {
        id: id.to_string(),
        similarity,
        first,
    };
    if let Some(link) = memories.near_links(&[id])?.get(&id) {
        return Ok(vec![view(link.root, link.similarity, true)]);
    }
    let linked = memories.linked_to(id)?.into_iter();
    Ok(linked
        .map(|(id, similarity)| view(id, similarity, false))
        .collect())
}
