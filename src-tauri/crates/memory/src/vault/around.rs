//! Reading around damage: every memory that can be read, one by one where need be.

use rusqlite::OptionalExtension as _;

use super::Vault;
use crate::error::VaultError;
use crate::memory::{Memory, MemoryId};
use crate::table::memories::ListQuery;

/// How many are read at once as long as nothing stands in the way.
const BATCH: u32 = 500;

impl Vault {
    /// A page of memories, as [`Memories::list`](crate::Memories::list) gives it. Where a damaged page
    /// stands in the way, of those that can be read, with how many numbers could not.
    ///
    /// # Errors
    /// As [`Vault::read`]; [`VaultError::Damaged`] when what was asked cannot be told without what is
    /// damaged.
    pub fn list(&self, query: &ListQuery) -> Result<(u32, Vec<Memory>, u32), VaultError> {
        match self.read(|r| r.memories().list(query)) {
            Err(VaultError::Damaged) => {}
            listed => return listed.map(|(total, page)| (total, page, 0)),
        }
        let mut readable = Vec::new();
        let unreadable = self.each_readable(|memory| {
            readable.push(memory.id);
            Ok::<(), VaultError>(())
        })?;
        if let Some(only) = &query.only {
            readable.retain(|id| only.contains(id));
        }
        let query = ListQuery {
            only: Some(readable),
            ..query.clone()
        };
        let (total, page) = self.read(|r| r.memories().list(&query))?;
        Ok((total, page, unreadable))
    }

    /// Calls `f` with every memory that can be read, the trash too, by ascending number. Returns how
    /// many numbers could not be read; some of them may never have been a memory's.
    ///
    /// # Errors
    /// As [`Vault::read`], damage aside, and whatever `f` returns.
    pub fn each_readable<E: From<VaultError>>(
        &self,
        mut f: impl FnMut(&Memory) -> Result<(), E>,
    ) -> Result<u32, E> {
        let last = self.read(|r| {
            let sql = "SELECT seq FROM sqlite_sequence WHERE name = 'memories'";
            let mut statement = r.connection().prepare(sql)?;
            Ok(statement.query_row([], |row| row.get(0)).optional()?)
        })?;
        let last: i64 = last.unwrap_or(0);
        let (mut next, mut unreadable) = (1, 0);
        while next <= last {
            match self.read(|r| r.memories().from(MemoryId(next), BATCH)) {
                Ok(memories) => {
                    let Some(newest) = memories.last() else { break };
                    next = newest.id.0 + 1;
                    memories.iter().try_for_each(&mut f)?;
                }
                Err(VaultError::Damaged) => {
                    let end = (next + i64::from(BATCH)).min(last + 1);
                    for id in next..end {
                        match self.read(|r| r.memories().get(MemoryId(id))) {
                            Ok(Some(memory)) => f(&memory)?,
                            Ok(None) => {}
                            Err(VaultError::Damaged) => unreadable += 1,
                            Err(error) => return Err(error.into()),
                        }
                    }
                    next = end;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(unreadable)
    }
}
