//! The two keyword indexes: words with English stemming, and trigrams. Both are external-content
//! FTS5 tables over `memory_text`.

use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode, OptionalExtension as _, params_from_iter};

use crate::error::VaultError;
use crate::filter::Condition;
use crate::fold::fold;
use crate::memory::{Filter, MemoryId, Millis};
use crate::table::memory_text;

const WORD_TOKENIZER: &str = "porter unicode61 remove_diacritics 2";
const TRIGRAM_TOKENIZER: &str = "trigram";

// The 'delete' command must see the OLD values: anything else leaves words behind that no longer
// stand anywhere. pgsz makes a leaf fit one page of the encrypted file without overflow; a larger
// hash and fewer merges make large batches cheaper, and searches no slower.
pub(crate) const MIGRATION: &str = "
CREATE VIRTUAL TABLE words USING fts5(content, tool_name, tool_payload,
    content = 'memory_text', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE trigrams USING fts5(content, tool_name, tool_payload,
    content = 'memory_text', content_rowid = 'id', tokenize = 'trigram');
INSERT INTO words(words, rank) VALUES('pgsz', 3960);
INSERT INTO trigrams(trigrams, rank) VALUES('pgsz', 3960);
INSERT INTO words(words, rank) VALUES('hashsize', 4194304);
INSERT INTO trigrams(trigrams, rank) VALUES('hashsize', 4194304);
INSERT INTO words(words, rank) VALUES('automerge', 8);
INSERT INTO trigrams(trigrams, rank) VALUES('automerge', 8);

CREATE TRIGGER memory_text_inserted AFTER INSERT ON memory_text BEGIN
    INSERT INTO words(rowid, content, tool_name, tool_payload)
        VALUES(new.id, new.content, new.tool_name, new.tool_payload);
    INSERT INTO trigrams(rowid, content, tool_name, tool_payload)
        VALUES(new.id, new.content, new.tool_name, new.tool_payload);
END;
CREATE TRIGGER memory_text_deleted AFTER DELETE ON memory_text BEGIN
    INSERT INTO words(words, rowid, content, tool_name, tool_payload)
        VALUES('delete', old.id, old.content, old.tool_name, old.tool_payload);
    INSERT INTO trigrams(trigrams, rowid, content, tool_name, tool_payload)
        VALUES('delete', old.id, old.content, old.tool_name, old.tool_payload);
END;
CREATE TRIGGER memory_text_updated AFTER UPDATE ON memory_text BEGIN
    INSERT INTO words(words, rowid, content, tool_name, tool_payload)
        VALUES('delete', old.id, old.content, old.tool_name, old.tool_payload);
    INSERT INTO trigrams(trigrams, rowid, content, tool_name, tool_payload)
        VALUES('delete', old.id, old.content, old.tool_name, old.tool_payload);
    INSERT INTO words(rowid, content, tool_name, tool_payload)
        VALUES(new.id, new.content, new.tool_name, new.tool_payload);
    INSERT INTO trigrams(rowid, content, tool_name, tool_payload)
        VALUES(new.id, new.content, new.tool_name, new.tool_payload);
END;
";

/// The indexed columns, in the order of [`COLUMN_WEIGHTS`] and of every list of lengths.
pub const COLUMNS: [&str; 3] = ["content", "tool_name", "tool_payload"];

/// What an occurrence counts per column: content, tool name, tool payload.
pub const COLUMN_WEIGHTS: [f64; 3] = [1.0, 0.6, 0.4];

/// Counting matches stops here.
pub const MATCH_COUNT_CAP: u32 = 100_000;

/// Which index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Index {
    Words,
    Trigrams,
}

impl Index {
    pub const fn table(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Trigrams => "trigrams",
        }
    }
}

/// Takes text apart as the indexes do. Works on a database in memory that holds one text at a
/// time, for as long as it takes to read the tokens off it.
pub(crate) struct Tokenizers(Mutex<Option<Connection>>);

impl Tokenizers {
    pub fn open() -> Result<Self, VaultError> {
        let connection = Connection::open_in_memory()?;
        connection.execute_batch(&format!(
            "PRAGMA temp_store = MEMORY;
             CREATE VIRTUAL TABLE words USING fts5(text, tokenize = '{WORD_TOKENIZER}');
             CREATE VIRTUAL TABLE words_terms USING fts5vocab(words, instance);
             CREATE VIRTUAL TABLE trigrams USING fts5(text, tokenize = '{TRIGRAM_TOKENIZER}');
             CREATE VIRTUAL TABLE trigrams_terms USING fts5vocab(trigrams, instance);"
        ))?;
        Ok(Self(Mutex::new(Some(connection))))
    }

    pub fn clear(&self) {
        *self.0.lock() = None;
    }

    /// The tokens of many folded texts.
    fn tokens_of_each(&self, index: Index, texts: &[&str]) -> Result<Vec<Vec<String>>, VaultError> {
        let guard = self.0.lock();
        let connection = guard.as_ref().ok_or(VaultError::Locked)?;
        let table = index.table();
        let transaction = connection.unchecked_transaction()?;
        let mut insert = transaction
            .prepare_cached(&format!("INSERT INTO {table}(rowid, text) VALUES(?, ?)"))?;
        for (row, text) in (1_i64..).zip(texts) {
            insert.execute((row, text))?;
        }
        drop(insert);
        let mut tokens: Vec<Vec<(i64, String)>> = vec![Vec::new(); texts.len()];
        let mut statement =
            transaction.prepare_cached(&format!("SELECT term, doc, offset FROM {table}_terms"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let place = usize::try_from(row.get::<_, i64>(1)? - 1).unwrap_or(usize::MAX);
            if let Some(of) = tokens.get_mut(place) {
                of.push((row.get(2)?, row.get(0)?));
            }
        }
        Ok(tokens
            .into_iter()
            .map(|mut of| {
                of.sort_unstable_by_key(|&(offset, _)| offset);
                of.into_iter().map(|(_, term)| term).collect()
            })
            .collect())
    }

    fn tokens(&self, index: Index, text: &str) -> Result<Vec<String>, VaultError> {
        let guard = self.0.lock();
        let connection = guard.as_ref().ok_or(VaultError::Locked)?;
        let table = index.table();
        // Never committed: the text is gone with the end of the transaction.
        let transaction = connection.unchecked_transaction()?;
        transaction
            .prepare_cached(&format!("INSERT INTO {table}(rowid, text) VALUES(1, ?)"))?
            .execute([fold(text)])?;
        let mut statement = transaction
            .prepare_cached(&format!("SELECT term FROM {table}_terms ORDER BY offset"))?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// What BM25 needs to know about a whole index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexStatistics {
    /// How many memories are indexed.
    pub rows: u32,
    /// Average number of tokens per column, in the order of [`COLUMNS`]. BM25's average length is
    /// their sum.
    pub average_length: Vec<f64>,
}

/// Reads one keyword index.
pub struct KeywordIndex<'a> {
    connection: &'a Connection,
    tokenizers: &'a Tokenizers,
    index: Index,
}

impl<'a> KeywordIndex<'a> {
    pub(crate) fn new(
        connection: &'a Connection,
        tokenizers: &'a Tokenizers,
        index: Index,
    ) -> Self {
        Self {
            connection,
            tokenizers,
            index,
        }
    }

    /// The best matches of an FTS5 expression among the memories that the filter lets through:
    /// id and BM25 score (positive, higher is better), best first, ties by id.
    ///
    /// # Errors
    /// [`VaultError::Invalid`] when the expression is not valid FTS5.
    pub fn search(
        &self,
        expression: &str,
        filter: &Filter,
        now: Millis,
        limit: u32,
    ) -> Result<Vec<(MemoryId, f64)>, VaultError> {
        memory_text::flush(self.connection)?;
        let table = self.index.table();
        let [content, name, payload] = COLUMN_WEIGHTS;
        let (from, condition) = self.seen(filter, now);
        let sql = format!(
            "SELECT {table}.rowid, -bm25({table}, {content:?}, {name:?}, {payload:?}) AS score \
             FROM {from} WHERE {table} MATCH ? AND {} \
             ORDER BY score DESC, {table}.rowid LIMIT ?",
            condition.sql
        );
        let mut values = vec![expression.to_owned().into()];
        values.extend(condition.values);
        values.push(i64::from(limit).into());
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement
            .query_map(params_from_iter(values), |row| {
                Ok((MemoryId(row.get(0)?), row.get(1)?))
            })
            .map_err(bad_expression)?;
        rows.collect::<Result<_, _>>().map_err(bad_expression)
    }

    /// How many memories that the filter lets through match, counted up to [`MATCH_COUNT_CAP`].
    pub fn matches(
        &self,
        expression: &str,
        filter: &Filter,
        now: Millis,
    ) -> Result<u32, VaultError> {
        memory_text::flush(self.connection)?;
        let table = self.index.table();
        let (from, condition) = self.seen(filter, now);
        let sql = format!(
            "SELECT count(*) FROM (SELECT 1 FROM {from} WHERE {table} MATCH ? AND {} LIMIT ?)",
            condition.sql
        );
        let mut values = vec![expression.to_owned().into()];
        values.extend(condition.values);
        values.push(i64::from(MATCH_COUNT_CAP).into());
        self.connection
            .prepare_cached(&sql)?
            .query_row(params_from_iter(values), |row| row.get(0))
            .map_err(bad_expression)
    }

    /// An open filter needs no look at the memories' rows, only the short list of the expired.
    fn seen(&self, filter: &Filter, now: Millis) -> (String, Condition) {
        let table = self.index.table();
        if filter.is_open() {
            let condition = Condition {
                sql: format!(
                    "{table}.rowid NOT IN (SELECT id FROM memories WHERE expires_at <= ?)"
                ),
                values: vec![now.into()],
            };
            return (table.to_owned(), condition);
        }
        (
            format!("{table} CROSS JOIN memories m ON m.id = {table}.rowid"),
            Condition::living(filter, now),
        )
    }

    /// The tokens of a text as this index makes them, in order. The text is folded first.
    pub fn tokens(&self, text: &str) -> Result<Vec<String>, VaultError> {
        self.tokenizers.tokens(self.index, text)
    }

    /// The tokens of each of many texts, which must be folded already.
    pub fn tokens_of_each(&self, texts: &[&str]) -> Result<Vec<Vec<String>>, VaultError> {
        self.tokenizers.tokens_of_each(self.index, texts)
    }

    /// How many memories match, filters aside: the document frequency that BM25 uses.
    pub fn document_frequency(&self, expression: &str) -> Result<u32, VaultError> {
        memory_text::flush(self.connection)?;
        let table = self.index.table();
        self.connection
            .prepare_cached(&format!(
                "SELECT count(*) FROM {table} WHERE {table} MATCH ?"
            ))?
            .query_row([expression], |row| row.get(0))
            .map_err(bad_expression)
    }

    /// The same, counted up to `most`: whoever asks whether a word is rare need not know how common the
    /// others are.
    pub fn document_frequency_up_to(&self, expression: &str, most: u32) -> Result<u32, VaultError> {
        memory_text::flush(self.connection)?;
        let table = self.index.table();
        self.connection
            .prepare_cached(&format!(
                "SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {table} MATCH ? LIMIT ?)"
            ))?
            .query_row((expression, most), |row| row.get(0))
            .map_err(bad_expression)
    }

    /// BM25 of one memory for an expression, as the index computes it; `None` when it does not
    /// match.
    pub fn score(&self, expression: &str, id: MemoryId) -> Result<Option<f64>, VaultError> {
        memory_text::flush(self.connection)?;
        let table = self.index.table();
        let [content, name, payload] = COLUMN_WEIGHTS;
        self.connection
            .prepare_cached(&format!(
                "SELECT -bm25({table}, {content:?}, {name:?}, {payload:?}) FROM {table} \
                 WHERE {table} MATCH ? AND rowid = ?"
            ))?
            .query_row((expression, id.0), |row| row.get(0))
            .optional()
            .map_err(bad_expression)
    }

    /// Size and average lengths of the index, exactly as `bm25()` sees them;
    /// within a write, as of the last commit.
    pub fn statistics(&self) -> Result<IndexStatistics, VaultError> {
        let mut numbers = averages(self.connection, self.index)?.into_iter();
        let rows = numbers.next().unwrap_or(0);
        let average_length = (0..COLUMNS.len())
            .map(|_| {
                let tokens = numbers.next().unwrap_or(0);
                if rows == 0 {
                    0.0
                } else {
                    tokens as f64 / rows as f64
                }
            })
            .collect();
        Ok(IndexStatistics {
            rows: u32::try_from(rows).map_err(|_| VaultError::Damaged)?,
            average_length,
        })
    }

    /// Calls `f` with every indexed memory and its number of tokens in all columns, by ascending id.
    pub fn for_each_length(&self, mut f: impl FnMut(MemoryId, u32)) -> Result<(), VaultError> {
        memory_text::flush(self.connection)?;
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT id, sz FROM {}_docsize ORDER BY id",
            self.index.table()
        ))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let block = row.get_ref(1)?.as_blob().map_err(|_| VaultError::Damaged)?;
            let length = varints(block).into_iter().sum::<u64>();
            f(
                MemoryId(row.get(0)?),
                u32::try_from(length).unwrap_or(u32::MAX),
            );
        }
        Ok(())
    }

    /// Number of tokens of a memory per column, in the order of [`COLUMNS`]; empty when it is not
    /// indexed.
    pub fn lengths(&self, id: MemoryId) -> Result<Vec<u32>, VaultError> {
        memory_text::flush(self.connection)?;
        let table = self.index.table();
        let block: Option<Vec<u8>> = self
            .connection
            .prepare_cached(&format!("SELECT sz FROM {table}_docsize WHERE id = ?"))?
            .query_row([id.0], |row| row.get(0))
            .optional()?;
        let Some(block) = block else {
            return Ok(Vec::new());
        };
        Ok(varints(&block)
            .into_iter()
            .map(|length| u32::try_from(length).unwrap_or(u32::MAX))
            .collect())
    }
}

/// Row 1 of FTS5's data table: number of rows, then the tokens of each column.
fn averages(connection: &Connection, index: Index) -> Result<Vec<u64>, VaultError> {
    let table = index.table();
    let block: Option<Vec<u8>> = connection
        .prepare_cached(&format!("SELECT block FROM {table}_data WHERE id = 1"))?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(varints(&block.unwrap_or_default()))
}

/// How many memories are indexed; within a write, as of the last commit.
pub(crate) fn rows(connection: &Connection, index: Index) -> Result<u32, VaultError> {
    let rows = averages(connection, index)?.first().copied().unwrap_or(0);
    u32::try_from(rows).map_err(|_| VaultError::Damaged)
}

/// FTS5 reports a malformed expression as a plain error; its message quotes the query.
fn bad_expression(error: rusqlite::Error) -> VaultError {
    match error.sqlite_error_code() {
        Some(ErrorCode::Unknown) => VaultError::Invalid {
            what: "keyword expression",
        },
        _ => error.into(),
    }
}

/// SQLite's variable-length integers: 7 bits a byte, high bit = more, the ninth byte whole.
fn varints(bytes: &[u8]) -> Vec<u64> {
    let mut numbers = Vec::new();
    let (mut value, mut length) = (0_u64, 0);
    for &byte in bytes {
        length += 1;
        if length == 9 {
            value = (value << 8) | u64::from(byte);
        } else {
            value = (value << 7) | u64::from(byte & 0x7f);
        }
        if length == 9 || byte & 0x80 == 0 {
            numbers.push(value);
            (value, length) = (0, 0);
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_read_back() {
        assert_eq!(varints(&[5, 0x81, 0x00, 0x7f]), [5, 128, 127]);
        assert_eq!(varints(&[0xff; 9]), [u64::MAX]);
        assert!(varints(&[]).is_empty());
    }
}
