"""Measures other search programs on the vectors, texts and queries that the scale bench wrote.

    peers.py DIR    prints a Markdown table: milliseconds per query, recall@40 against the exact answer

Each peer runs on one thread where it can be told to, holds its data in the clear and, but for LanceDB, in memory or in
a file that the system caches; Lethescope answers from an encrypted vault mirrored in memory. One query at a time,
warmed up by the first of them.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

# Before numpy and the peers read them: one thread each, as the scan of ours has.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS", "LANCE_CPU_THREADS"):
    os.environ[name] = "1"
os.environ["RUST_LOG"] = "error"

import numpy as np

ASKED = 40


def percentile(values, share):
    values = sorted(values)
    return values[min(int(len(values) * share), len(values) - 1)]


def timed(queries, ask):
    """Milliseconds of each query, and its answers."""
    ask(queries[0])
    times, answers = [], []
    for query in queries:
        began = time.perf_counter()
        answers.append(ask(query))
        times.append((time.perf_counter() - began) * 1000)
    return times, answers


class Data:
    def __init__(self, folder):
        self.ours = json.loads((folder / "ours.json").read_text())
        dimension = self.ours["dimension"]
        self.ids = np.fromfile(folder / "ids.i64", dtype="<i8")
        self.vectors = np.fromfile(folder / "vectors.f32", dtype="<f4").reshape(-1, dimension)
        self.queries = np.fromfile(folder / "queries.f32", dtype="<f4").reshape(-1, dimension)
        self.texts = [line.rstrip("\n").split("\t", 1) for line in open(folder / "texts.tsv", encoding="utf-8")]
        self.words = (folder / "queries.txt").read_text(encoding="utf-8").splitlines()
        similarities = self.queries @ self.vectors.T
        # Neighbours as near as the last one count as right: an exact answer may name either.
        self.least = np.partition(similarities, -ASKED, axis=1)[:, -ASKED] - 1e-5
        self.similarities = similarities
        self.place = {int(memory): at for at, memory in enumerate(self.ids)}

    def recall(self, answers):
        right = 0
        for query, answer in enumerate(answers):
            right += sum(self.similarities[query][self.place[int(one)]] >= self.least[query] for one in answer[:ASKED])
        return right / (len(answers) * ASKED)


def sqlite_vec_alone(data, scratch):
    # Not Python's own sqlite3, which many builds forbid to load an extension.
    import apsw
    import sqlite_vec

    connection = apsw.Connection(str(scratch / "vec.db"))
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    connection.execute(f"CREATE VIRTUAL TABLE v USING vec0(e float[{data.vectors.shape[1]}])")
    with connection:
        connection.executemany(
            "INSERT INTO v(rowid, e) VALUES (?, ?)",
            ((int(memory), vector.tobytes()) for memory, vector in zip(data.ids, data.vectors)),
        )
    statement = f"SELECT rowid FROM v WHERE e MATCH ? AND k = {ASKED}"
    return timed(data.queries, lambda query: [row for (row,) in connection.execute(statement, (query.tobytes(),))])


def usearch_graph(data, _):
    from usearch.index import Index

    index = Index(ndim=data.vectors.shape[1], metric="ip", dtype="f32")
    index.add(data.ids.astype(np.uint64), data.vectors)
    index.expansion_search = 4 * ASKED
    return timed(data.queries, lambda query: index.search(query, ASKED, threads=1).keys.tolist())


def usearch_exact(data, _):
    from usearch.index import Index

    index = Index(ndim=data.vectors.shape[1], metric="ip", dtype="i8")
    index.add(data.ids.astype(np.uint64), data.vectors)
    return timed(data.queries, lambda query: index.search(query, ASKED, exact=True, threads=1).keys.tolist())


def lancedb_table(data, scratch, indexed):
    import lancedb
    import lancedb.index
    import pyarrow

    table = lancedb.connect(scratch / "lance").create_table(
        "indexed" if indexed else "plain",
        pyarrow.table(
            {
                "id": data.ids,
                "vector": pyarrow.FixedSizeListArray.from_arrays(data.vectors.ravel(), data.vectors.shape[1]),
            }
        ),
    )
    if indexed:
        table.create_index("vector", config=lancedb.index.IvfPq(distance_type="dot"))

    def ask(query):
        search = table.search(query).distance_type("dot")
        if indexed:
            search = search.nprobes(20).refine_factor(10)
        return search.limit(ASKED).select(["id", "_distance"]).to_arrow()["id"].to_pylist()

    return timed(data.queries, ask)


def tantivy_words(data, scratch):
    import tantivy

    schema = tantivy.SchemaBuilder()
    schema.add_integer_field("id", stored=True)
    schema.add_text_field("text", tokenizer_name="en_stem")
    folder = scratch / "tantivy"
    folder.mkdir()
    index = tantivy.Index(schema.build(), path=str(folder))
    writer = index.writer(heap_size=256_000_000, num_threads=1)
    for memory, text in data.texts:
        writer.add_document(tantivy.Document(id=int(memory), text=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def ask(words):
        query, _ = index.parse_query_lenient(words, ["text"])
        hits = searcher.search(query, ASKED, count=False).hits
        return [searcher.doc(address)["id"][0] for _, address in hits]

    return timed(data.words, ask)


def main():
    folder = Path(sys.argv[1])
    data = Data(folder)
    rows = [("**Lethescope, vectors**", data.ours["knn_ms"], data.recall(data.ours["neighbours"]), None)]
    vectors = {
        "sqlite-vec, exact": sqlite_vec_alone,
        "usearch, exact, int8": usearch_exact,
        "usearch, HNSW, f32": usearch_graph,
        "LanceDB, exact": lambda data, scratch: lancedb_table(data, scratch, False),
        "LanceDB, IVF-PQ": lambda data, scratch: lancedb_table(data, scratch, True),
    }
    for name, measure in vectors.items():
        with tempfile.TemporaryDirectory() as scratch:
            times, answers = measure(data, Path(scratch))
        rows.append((name, times, data.recall(answers), data.ours["knn_ms"]))
        print(f"measured {name}", file=sys.stderr, flush=True)
    rows.append(("**Lethescope, keywords**", data.ours["bm25_ms"], None, None))
    with tempfile.TemporaryDirectory() as scratch:
        times, _ = tantivy_words(data, Path(scratch))
    rows.append(("tantivy, stemmed words", times, None, data.ours["bm25_ms"]))

    print(f"{len(data.ids)} memories, {len(data.words)} queries, the best {ASKED}, {data.ours['machine']}\n")
    print("| | p50 ms | p95 ms | recall@40 | time, ours = 1 |")
    print("|---|---|---|---|---|")
    for name, times, recall, ours in rows:
        half = percentile(times, 0.5)
        ratio = f"{half / percentile(ours, 0.5):.1f}" if ours else ""
        shown = f"{recall:.3f}" if recall is not None else ""
        print(f"| {name} | {half:.2f} | {percentile(times, 0.95):.2f} | {shown} | {ratio} |")


if __name__ == "__main__":
    main()
