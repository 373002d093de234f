//! What other programs are measured on: the same vectors, texts and queries, and what they cost here.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use memory::Vault;
use models::Embedder;
use models::testing::HashedEmbedder;
use retrieval::trace::Mode;
use retrieval::{CancelFlag, Engine, Query, Scope};

use crate::machine::name;
use crate::{NOW, milliseconds};

/// How many neighbours and hits are asked for.
const ASKED: usize = 40;

/// Writes, all little-endian:
/// - `vectors.f32` and `ids.i64`, a row per memory; `texts.tsv`, id and text;
/// - `queries.f32` and `queries.txt`;
/// - `ours.json`: milliseconds of each query in both legs, and the neighbours found.
pub fn write(
    folder: &Path,
    vault: &Vault,
    engine: &Engine,
    embedder: &HashedEmbedder,
    questions: &[String],
) {
    std::fs::create_dir_all(folder).unwrap();
    let file = |name: &str| BufWriter::new(File::create(folder.join(name)).unwrap());
    let identity = embedder.identity();
    let (mut vectors, mut ids, mut texts) =
        (file("vectors.f32"), file("ids.i64"), file("texts.tsv"));
    vault
        .read(|reader| {
            let row = reader
                .embeddings()
                .find(&identity.id, identity.dimension)?
                .unwrap();
            reader.embeddings().for_each(&row, |_, id, vector| {
                ids.write_all(&id.0.to_le_bytes()).unwrap();
                for value in vector {
                    vectors.write_all(&value.to_le_bytes()).unwrap();
                }
            })?;
            reader.text().for_each(|id, [content, ..]| {
                writeln!(texts, "{}\t{content}", id.0).unwrap();
            })
        })
        .unwrap();
    let (mut asked, mut words) = (file("queries.f32"), file("queries.txt"));
    let (mut knn, mut bm25, mut neighbours) = (Vec::new(), Vec::new(), Vec::new());
    for question in questions {
        let query = embedder.embed_query(question).unwrap();
        for value in &query {
            asked.write_all(&value.to_le_bytes()).unwrap();
        }
        writeln!(words, "{question}").unwrap();
        let began = Instant::now();
        let found = engine
            .mirror()
            .nearest(identity, &query, ASKED, &Scope::default())
            .unwrap();
        knn.push(milliseconds(began));
        neighbours.push(found.iter().map(|hit| hit.id.0).collect::<Vec<_>>());
        let lexical = Query {
            depth: ASKED as u32,
            ..Query::new(question.clone(), Mode::Lexical, NOW)
        };
        let gathered = engine.gather(&lexical, &CancelFlag::new()).unwrap();
        bm25.push(gathered.bm25_report.elapsed_ms);
    }
    let ours = serde_json::json!({
        "machine": name(),
        "dimension": identity.dimension,
        "knn_ms": knn,
        "bm25_ms": bm25,
        "neighbours": neighbours,
    });
    write!(file("ours.json"), "{ours}").unwrap();
}
