//! Changes of a memory's text and tags, each tried for real before it is offered.
//!
//! The change is made in the vault inside a transaction that is taken back, so the keyword indexes
//! say what they would say: frequencies, lengths, idf and all. The new text is embedded as it would
//! be. Both rows take the place of the old ones in the lists that stand, and the usual ranking
//! follows, with the reranker reading the new text. Nothing is kept.
//!
//! Absent on purpose: merging with a near duplicate. To the ranking that is one more text, which
//! the other memory's words make longer; adding the words that are missing does the same with less.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use memory::{Edit as MemoryEdit, MemoryId, Millis, VaultError, fold};
use models::{Words, read_words};

use super::edits::{Change, Edit, Edits};
use crate::constants::Constants;
use crate::engine::Engine;
use crate::gathered::Gathered;
use crate::legs::LegsRun;
use crate::mirror::{dot, memory_score};
use crate::order::by_score_then_id;
use crate::scope::scope_of;
use crate::stage::bm25::{Faults, KeywordInput, KeywordOutcome, bm25};
use crate::stage::knn::{KnnHit, KnnOutcome};
use crate::stage::sparse::SparseOutcome;

/// Words that are added one by one.
const ONE_BY_ONE: usize = 3;

/// A change of a memory, ready to be tried on any query.
pub struct Draft {
    id: MemoryId,
    edit: MemoryEdit,
    /// The vectors of the new text; empty when the text stays or there is no model.
    vectors: Vec<Vec<f32>>,
    /// The words of the new text, on the same terms.
    words: Option<Words>,
    /// Stands for the new text's version where scores of pairs are remembered: no real one is as high.
    version: u32,
}

impl Engine {
    /// Embeds what a changed memory would say.
    pub fn draft(&self, id: MemoryId, edit: &MemoryEdit) -> Draft {
        let (mut vectors, mut words) = (Vec::new(), None);
        if let (Some(text), Some(embedder)) = (&edit.content, self.embedder()) {
            let spans = embedder.chunks(text);
            let parts: Vec<&str> = spans
                .iter()
                .filter_map(|span| text.get(span.clone()))
                .collect();
            vectors = embedder.embed_passages(&parts).unwrap_or_default();
            words = read_words(&embedder, text).unwrap_or_default();
        }
        let mut hasher = DefaultHasher::new();
        (&edit.content, &edit.tags).hash(&mut hasher);
        Draft {
            id,
            edit: edit.clone(),
            vectors,
            words,
            version: 0x8000_0000 | hasher.finish() as u32,
        }
    }

    /// What a query would have found if the memory had been changed; `None` where neither leg
    /// answered the query, so that there are no lists to change. The vault stays as it is.
    ///
    /// # Errors
    /// Those of the vault; [`VaultError::NotFound`] for a memory in the trash.
    pub fn gather_if(
        &self,
        gathered: &Gathered,
        draft: &Draft,
    ) -> Result<Option<Gathered>, VaultError> {
        if gathered.fallback {
            return Ok(None);
        }
        let query = &gathered.query;
        let route = gathered.route.clone();
        let (mut memory, scoped, bm25) = self.vault().try_out(|writer| {
            let memory = writer
                .memories()
                .edit(draft.id, &draft.edit, None, query.now)?;
            let scoped = scope_of(writer, &route, query.now)?;
            let outcome = if gathered.bm25_report.ran() {
                bm25(
                    writer,
                    &KeywordInput {
                        terms: &route.terms,
                        // The words in memory are those of the vault as it is.
                        postings: None,
                        filter: &route.filter,
                        scope: &scoped.scope,
                        now: query.now,
                        depth: query.depth(),
                        faults: Faults::default(),
                    },
                )
            } else {
                KeywordOutcome::none(gathered.bm25_report.clone(), route.terms.len())
            };
            Ok((memory, scoped, outcome))
        })?;
        memory.version = draft.version;
        let knn = KnnOutcome {
            report: gathered.knn_report.clone(),
            hits: self.hits_if(gathered, draft, scoped.scope.lets(draft.id)),
            query_vector: gathered.query_vector.clone(),
        };
        let sparse = SparseOutcome {
            report: gathered.sparse_report.clone(),
            hits: self.sharing_if(gathered, draft, scoped.scope.lets(draft.id))?,
            words: gathered.expansion.clone(),
        };
        let models = self.models.read().clone();
        let mut other = self
            .finish(
                query,
                route,
                gathered.route_report.clone(),
                LegsRun {
                    knn,
                    bm25,
                    sparse,
                    mode: gathered.effective_mode,
                    fallback: false,
                    read: self.candidates(vec![memory], &models),
                    best_cosine: gathered.best_cosine,
                },
                gathered.epoch,
                scoped.searchable,
                scoped.scope,
                &models,
            )
            .map_err(|error| match error {
                crate::RetrievalError::Vault(error) => error,
                crate::RetrievalError::Cancelled => VaultError::Busy,
            })?;
        if let Some(direction) = direction(&draft.vectors) {
            other.turn(draft.id, direction);
        }
        Ok(Some(other))
    }

    /// The semantic list with the memory where its new text belongs.
    fn hits_if(&self, gathered: &Gathered, draft: &Draft, passes: bool) -> Vec<KnnHit> {
        let mut hits: Vec<KnnHit> = gathered
            .knn
            .iter()
            .map(|(_, hit)| *hit)
            .filter(|hit| hit.id != draft.id)
            .collect();
        let (Some(query), true) = (gathered.query_vector(), passes && gathered.knn_report.ran())
        else {
            return hits;
        };
        let cosine = if draft.edit.content.is_some() {
            (!draft.vectors.is_empty())
                .then(|| memory_score(draft.vectors.iter().map(|vector| dot(vector, query))))
        } else {
            self.embedder().and_then(|embedder| {
                self.mirror()
                    .similarity(embedder.identity(), query, draft.id)
            })
        };
        if let Some(cosine) = cosine {
            hits.push(KnnHit {
                id: draft.id,
                cosine,
                chunk_id: None,
            });
            hits.sort_by(|a, b| by_score_then_id((a.cosine, a.id), (b.cosine, b.id)));
            hits.truncate(gathered.query.depth());
        }
        hits
    }

    /// The sparse list with the memory where its new text belongs; how rare words are stays as it is.
    fn sharing_if(
        &self,
        gathered: &Gathered,
        draft: &Draft,
        passes: bool,
    ) -> Result<Vec<(MemoryId, f64)>, VaultError> {
        let mut hits: Vec<(MemoryId, f64)> = gathered
            .sparse
            .iter()
            .map(|&(candidate, score)| (gathered.ids[candidate as usize], score))
            .filter(|(id, _)| *id != draft.id)
            .collect();
        if !passes || !gathered.sparse_report.ran() {
            return Ok(hits);
        }
        let words = match draft.edit.content {
            Some(_) => draft.words.clone(),
            None => self.words_of(draft.id)?,
        };
        let score = words.map_or(0.0, |words| gathered.sum_of_shared(&words));
        if score > 0.0 {
            hits.push((draft.id, score));
            hits.sort_by(|a, b| by_score_then_id((a.1, a.0), (b.1, b.0)));
            hits.truncate(gathered.query.depth());
        }
        Ok(hits)
    }

    /// Tries changes of the memory's text and tags until `end`.
    pub(super) fn try_drafts(
        &self,
        gathered: &Gathered,
        expected: MemoryId,
        constants: &Constants,
        now: Millis,
        end: Instant,
        found: &mut Edits,
    ) -> Result<(), VaultError> {
        let before = gathered.rank(constants, now);
        let mut words_help = false;
        for (change, edit) in self.drafts(gathered, expected)? {
            // The first word that is enough is the smallest change of the text.
            if words_help && matches!(change, Change::Write(_)) {
                continue;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                found.untried += 1;
                continue;
            }
            let draft = self.draft(expected, &edit);
            let other = match self.gather_if(gathered, &draft) {
                Ok(other) => other,
                Err(VaultError::Locked) => return Err(VaultError::Locked),
                // Another program writes, or the disk is full: other changes can still be tried.
                Err(_) => {
                    found.untried += 1;
                    continue;
                }
            };
            found.tried += 1;
            let Some(other) = other else { continue };
            self.score_window(&other, constants, now, left.max(Duration::from_millis(100)));
            let ranking = other.rank(constants, now);
            let Some(place) = ranking.place(expected) else {
                continue;
            };
            words_help |= matches!(change, Change::Write(_));
            found.edits.push(Edit {
                change,
                query: None,
                mode: gathered.query.mode,
                rank: place + 1,
                draft: Some(edit),
                displaced: before.displaced_by(&ranking),
            });
        }
        Ok(())
    }

    /// Changes worth trying, the smallest first: a tag that the query asks for, a word of the
    /// question that the text lacks, all of them, the question itself.
    fn drafts(
        &self,
        gathered: &Gathered,
        expected: MemoryId,
    ) -> Result<Vec<(Change, MemoryEdit)>, VaultError> {
        let memory = self
            .vault()
            .read(|reader| reader.memories().get(expected))?
            .filter(|memory| memory.deleted_at.is_none());
        let Some(memory) = memory else {
            return Ok(Vec::new());
        };
        let mut drafts = Vec::new();
        let wanted = &gathered.route.filter.tags;
        let missing: Vec<String> = wanted
            .iter()
            .filter(|tag| !memory.tags.contains(tag))
            .cloned()
            .collect();
        // Whatever else is changed, a tag that the query requires must be there.
        let tags = (!missing.is_empty()).then(|| [memory.tags.clone(), missing.clone()].concat());
        if let Some(tags) = &tags {
            drafts.push((
                Change::Tag(missing.join(", ")),
                MemoryEdit {
                    tags: Some(tags.clone()),
                    ..MemoryEdit::default()
                },
            ));
        }
        let longer = |words: &str| MemoryEdit {
            content: Some(format!("{}\n\n{words}", memory.content.trim_end())),
            tags: tags.clone(),
            ..MemoryEdit::default()
        };
        let words = lacking(gathered, &memory.content);
        let singles = words.iter().take(ONE_BY_ONE);
        drafts.extend(singles.map(|word| (Change::Write(word.clone()), longer(word))));
        if words.len() > 1 {
            let all = words.join(" ");
            drafts.push((Change::Write(all.clone()), longer(&all)));
        }
        let question = gathered.route.semantic_text.trim();
        if !question.is_empty() && !fold(&memory.content).contains(&fold(question)) {
            drafts.push((Change::Question, longer(question)));
        }
        Ok(drafts)
    }
}

/// Terms of the question that a text lacks, the rarest first.
fn lacking(gathered: &Gathered, content: &str) -> Vec<String> {
    let content = fold(content);
    let mut words: Vec<(u32, String)> = gathered
        .route
        .terms
        .iter()
        .zip(&gathered.matched)
        .filter(|(term, _)| !term.is_ignored() && !term.shown.excluded)
        .map(|(term, matched)| (matched.unwrap_or(0), term.shown.text.trim().to_owned()))
        .filter(|(_, word)| !word.is_empty() && !content.contains(&fold(word)))
        .collect();
    words.sort();
    words.dedup_by(|a, b| a.1 == b.1);
    words.into_iter().map(|(_, word)| word).collect()
}

/// The direction of all chunks together.
fn direction(vectors: &[Vec<f32>]) -> Option<Vec<f32>> {
    let mut sum = vec![0.0_f32; vectors.first()?.len()];
    for vector in vectors {
        for (total, value) in sum.iter_mut().zip(vector) {
            *total += value;
        }
    }
    let length = sum.len();
    models::unit_vector(sum, length).ok()
}

/// Leaves the text out.
impl std::fmt::Debug for Draft {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Draft")
            .field("id", &self.id)
            .field("chunks", &self.vectors.len())
            .finish_non_exhaustive()
    }
}
