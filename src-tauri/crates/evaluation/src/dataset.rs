//! A retrieval set in one plain shape: a corpus, queries, and who is relevant to whom.
//!
//! A folder with `corpus.jsonl` {id, scope, session, role, created_at, text}, `queries.jsonl`
//! {id, scope, text, category} and `qrels.tsv` (query, 0, document, grade: TREC qrels). The JSONL
//! files may be gzipped (`.gz`). A query searches only documents of its own scope.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::metrics::Judgements;

/// A document of the corpus.
#[derive(Clone, Debug, Deserialize)]
pub struct Document {
    /// Its name.
    pub id: String,
    /// The part of the corpus that may be searched together; empty when there is only one.
    #[serde(default)]
    pub scope: String,
    /// The conversation.
    #[serde(default)]
    pub session: Option<String>,
    /// Who spoke.
    #[serde(default)]
    pub role: Option<String>,
    /// When, RFC 3339.
    #[serde(default)]
    pub created_at: Option<String>,
    /// The text.
    pub text: String,
}

/// A judged query.
#[derive(Clone, Debug, Deserialize)]
pub struct JudgedQuery {
    /// Its name.
    pub id: String,
    /// The scope it searches.
    #[serde(default)]
    pub scope: String,
    /// The text.
    pub text: String,
}

/// A whole set.
pub struct Dataset {
    /// The folder's name.
    pub name: String,
    /// The documents.
    pub documents: Vec<Document>,
    /// The queries that have at least one relevant document.
    pub queries: Vec<JudgedQuery>,
    /// Grades by query.
    pub judgements: BTreeMap<String, Judgements>,
}

/// The folder is not a retrieval set.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A file is missing or cannot be read.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A line is not what the shape asks for.
    #[error("{path}, line {line}: {reason}")]
    Malformed {
        /// In which file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

impl Dataset {
    /// Reads a folder.
    pub fn read(folder: &Path) -> Result<Self, DatasetError> {
        let documents = read_lines(folder, "corpus")?;
        let mut queries: Vec<JudgedQuery> = read_lines(folder, "queries")?;
        let judgements = read_qrels(&folder.join("qrels.tsv"))?;
        queries.retain(|query| {
            judgements
                .get(&query.id)
                .is_some_and(|judged| judged.values().any(|grade| *grade > 0))
        });
        let name = folder
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        Ok(Self {
            name,
            documents,
            queries,
            judgements,
        })
    }

    /// Takes `count` queries evenly spaced; all of them when there are no more.
    pub fn sample(&self, count: Option<usize>) -> Vec<&JudgedQuery> {
        let all = self.queries.len();
        match count {
            Some(count) if count > 0 && count < all => {
                (0..count).map(|i| &self.queries[i * all / count]).collect()
            }
            _ => self.queries.iter().collect(),
        }
    }
}

fn read_lines<T: DeserializeOwned>(folder: &Path, stem: &str) -> Result<Vec<T>, DatasetError> {
    let plain = folder.join(format!("{stem}.jsonl"));
    let zipped = folder.join(format!("{stem}.jsonl.gz"));
    let (path, reader): (PathBuf, Box<dyn BufRead>) = if plain.is_file() {
        let file = open(&plain)?;
        (plain, Box::new(BufReader::new(file)))
    } else {
        let file = open(&zipped)?;
        (zipped, Box::new(BufReader::new(MultiGzDecoder::new(file))))
    };
    let mut items = Vec::new();
    for (index, line) in reader.lines().enumerate() {
        let malformed = |reason: String| DatasetError::Malformed {
            path: path.clone(),
            line: index + 1,
            reason,
        };
        let line = line.map_err(|error| malformed(error.to_string()))?;
        if !line.trim().is_empty() {
            items.push(serde_json::from_str(&line).map_err(|e| malformed(e.to_string()))?);
        }
    }
    Ok(items)
}

fn read_qrels(path: &Path) -> Result<BTreeMap<String, Judgements>, DatasetError> {
    let mut judgements: BTreeMap<String, Judgements> = BTreeMap::new();
    for (index, line) in BufReader::new(open(path)?).lines().enumerate() {
        let malformed = |reason: &str| DatasetError::Malformed {
            path: path.to_owned(),
            line: index + 1,
            reason: reason.to_owned(),
        };
        let line = line.map_err(|error| malformed(&error.to_string()))?;
        let fields: Vec<&str> = line.split_whitespace().collect();
        match fields.as_slice() {
            [] => {}
            [query, _, document, grade] => {
                let grade = grade
                    .parse()
                    .map_err(|_| malformed("the grade is not a whole number"))?;
                judgements
                    .entry((*query).to_owned())
                    .or_default()
                    .insert((*document).to_owned(), grade);
            }
            _ => return Err(malformed("expected four fields: query 0 document grade")),
        }
    }
    Ok(judgements)
}

fn open(path: &Path) -> Result<File, DatasetError> {
    File::open(path).map_err(|error| DatasetError::Unreadable {
        path: path.to_owned(),
        reason: error.kind().to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(qrels: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write(
            "corpus.jsonl",
            "{\"id\":\"d1\",\"text\":\"a\"}\n\n{\"id\":\"d2\",\"scope\":\"s\",\"text\":\"b\"}\n",
        );
        write(
            "queries.jsonl",
            &(1..=10)
                .map(|i| format!("{{\"id\":\"q{i}\",\"scope\":\"s\",\"text\":\"t\"}}\n"))
                .collect::<String>(),
        );
        write("qrels.tsv", qrels);
        folder
    }

    #[test]
    fn queries_without_a_relevant_document_are_left_out_and_samples_are_even() {
        let qrels: String = (1..=8).map(|i| format!("q{i}\t0\td1\t1\n")).collect();
        let set = Dataset::read(folder(&(qrels + "q9 0 d1 0\n")).path()).unwrap();
        assert_eq!((set.documents.len(), set.queries.len()), (2, 8));
        let sampled: Vec<_> = set.sample(Some(4)).iter().map(|q| q.id.as_str()).collect();
        assert_eq!(sampled, ["q1", "q3", "q5", "q7"]);
        assert_eq!(set.sample(Some(99)).len(), 8);
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = Dataset::read(folder("q1 0 d1 1\nq1 0 d1\n").path())
            .err()
            .unwrap();
        assert!(error.to_string().contains("line 2"), "{error}");
        let error = Dataset::read(Path::new("nowhere-at-all")).err().unwrap();
        assert!(matches!(error, DatasetError::Unreadable { .. }));
    }
}
