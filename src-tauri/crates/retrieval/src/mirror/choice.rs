//! Which index answers for the vectors in memory, and how far it can be trusted.

use memory::VaultError;
use models::ModelIdentity;

use super::Mirror;
use super::linked::Linked;

/// The setting's name in the vault.
const SETTING: &str = "knn_index";

/// How many memories a self-check looks for the neighbours of, and how many neighbours.
const SAMPLE: usize = 12;
const NEIGHBOURS: usize = 40;

/// How the vectors in memory are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KnnIndex {
    /// All of them are compared.
    #[default]
    Exact,
    /// A graph leads to the nearest, nearly always.
    Hnsw,
}

impl KnnIndex {
    /// Its name, as in the setting.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Hnsw => "hnsw",
        }
    }

    /// The index of that name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Exact, Self::Hnsw]
            .into_iter()
            .find(|index| index.name() == name)
    }

    /// The one that a vault is set to.
    ///
    /// # Errors
    /// Those of the vault.
    pub fn of(reader: &memory::Reader<'_>) -> Result<Self, VaultError> {
        let set = reader.settings().get(SETTING)?;
        Ok(set
            .and_then(|name| Self::named(name.trim_matches('"')))
            .unwrap_or_default())
    }
}

/// What was not compared with the query in full.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shortcut {
    /// The index.
    pub index: KnnIndex,
    /// Vectors that wait to be linked into a graph; they are compared one by one.
    pub waiting: usize,
    /// How many vectors the signs of their numbers chose, when the graph did not answer.
    pub chosen: Option<usize>,
    /// The share of the exact neighbours that were found in the last self-check.
    pub recall: Option<f64>,
}

impl Mirror {
    /// Switches to an index, for good. A graph is linked afterwards, see [`Mirror::link`].
    ///
    /// # Errors
    /// Those of the vault.
    pub fn use_index(&self, model: &ModelIdentity, index: KnnIndex) -> Result<(), VaultError> {
        self.vault.write(|writer| {
            writer
                .settings()
                .set(SETTING, &format!("\"{}\"", index.name()))?;
            if let (KnnIndex::Exact, Some(row)) =
                (index, writer.embeddings().find(&model.id, model.dimension)?)
            {
                writer.embeddings().store_graph(&row, None)?;
            }
            Ok(())
        })?;
        let mut guard = self.index.write();
        if let Some(held) = guard.as_mut() {
            match index {
                KnnIndex::Exact => held.linked = None,
                KnnIndex::Hnsw if held.linked.is_none() => held.use_links(None),
                KnnIndex::Hnsw => {}
            }
        }
        *self.recall.lock() = None;
        Ok(())
    }

    /// Links at most so many vectors into the graph, if one is used, and returns how many are left.
    /// With the last of them it is stored, if at least a hundred changed since, and checked. To be
    /// called in the background.
    ///
    /// # Errors
    /// Those of the vault.
    pub fn link(&self, model: &ModelIdentity, most: usize) -> Result<usize, VaultError> {
        let worn = self
            .index
            .read()
            .as_ref()
            .and_then(|index| index.linked.as_ref())
            .is_some_and(Linked::is_worn);
        if worn && let Some(index) = self.index.write().as_mut() {
            index.use_links(None);
        }
        let (left, checkpoint, row) = {
            let guard = self.read();
            let Some(index) = guard.as_ref().filter(|index| index.is_of(model)) else {
                return Ok(0);
            };
            let left = index.link(most);
            let linked = index.linked.as_ref().filter(|_| left == 0);
            let checkpoint = linked.and_then(Linked::checkpoint);
            (left, checkpoint, index.model.clone())
        };
        if let Some(bytes) = checkpoint {
            self.vault
                .write(|writer| writer.embeddings().store_graph(&row, Some(&bytes)))?;
            if let Some(linked) = self
                .index
                .read()
                .as_ref()
                .and_then(|index| index.linked.as_ref())
            {
                linked.note_stored();
            }
            self.check(model);
        }
        Ok(left)
    }

    /// Compares some searches with exact ones.
    pub fn check(&self, model: &ModelIdentity) {
        let recall = self
            .index
            .read()
            .as_ref()
            .filter(|index| index.is_of(model))
            .and_then(|index| index.recall(NEIGHBOURS, SAMPLE));
        *self.recall.lock() = recall;
    }

    /// What a search for `k` memories does not compare in full; `None` when nothing.
    pub fn shortcut(&self, model: &ModelIdentity, k: usize) -> Option<Shortcut> {
        let guard = self.read();
        let index = guard.as_ref().filter(|index| index.is_of(model))?;
        let chosen = index.chosen_by_signs(k);
        let waiting = index.linked.as_ref().and_then(Linked::waiting);
        (chosen.is_some() || waiting.is_some()).then(|| Shortcut {
            index: waiting.map_or(KnnIndex::Exact, |_| KnnIndex::Hnsw),
            waiting: waiting.unwrap_or_default(),
            chosen,
            recall: *self.recall.lock(),
        })
    }
}
