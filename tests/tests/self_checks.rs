//! What the X-ray shows adds up, for every result in every preset; and looking changes nothing.

use std::hash::{DefaultHasher, Hash, Hasher};

use inspector::request::WhyRequest;
use memory::{Passphrase, Vault};
use retrieval::recompute;

use crate::support::{PASSPHRASE, demo};

const QUERIES: [&str; 6] = [
    "TypeError: cannot unpack non-iterable NoneType object payment gateway",
    "What does the user prefer when writing database migrations?",
    "大别山春茶",
    "staging certificate renewal",
    "src/gateway/client.rs ERR_VAL_9021",
    "does the customer pay the postage again when a delivery is late",
];

#[test]
fn waterfalls_and_ledgers_add_up_in_every_preset() {
    let Some(demo) = demo() else { return };
    let presets = demo.inspector.settings().unwrap().presets;
    assert!(presets.len() >= 4);
    let mut results = 0;
    for preset in &presets {
        for query in QUERIES {
            let answer = demo.ask_with(query, |constants| *constants = preset.constants.clone());
            let trace = &answer.view.trace;
            for stage in &trace.stages {
                for item in &stage.items {
                    let again = recompute(stage.name, item, &trace.constants);
                    assert!(
                        (again - item.score).abs() < 1e-9,
                        "{}, {query:?}, {}: {} shows {} and adds up to {again}",
                        preset.name,
                        stage.name.name(),
                        item.id,
                        item.score
                    );
                }
            }
            for id in &trace.results {
                let ledger = demo.inspector.ledger(&answer.view.recall, id).unwrap();
                assert!(ledger.reconciles, "{}, {query:?}, {id}", preset.name);
                results += 1;
            }
        }
    }
    assert!(results > 100, "{results} results were checked");
}

/// Every row of every table of the vault, indexes' own tables included.
fn content_hash(vault: &Vault) -> u64 {
    vault
        .read(|reader| {
            let connection = reader.connection();
            let mut hasher = DefaultHasher::new();
            let mut tables: Vec<String> = connection
                .prepare(
                    "SELECT name FROM sqlite_schema \
                     WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'",
                )?
                .query_map([], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            tables.sort();
            assert!(tables.len() > 20, "{tables:?}");
            for table in tables {
                table.hash(&mut hasher);
                let mut statement = connection.prepare(&format!("SELECT * FROM \"{table}\""))?;
                let columns = statement.column_count();
                let mut rows = statement.query([])?;
                while let Some(row) = rows.next()? {
                    for column in 0..columns {
                        format!("{:?}", row.get_ref(column)?).hash(&mut hasher);
                    }
                }
            }
            Ok(hasher.finish())
        })
        .unwrap()
}

#[test]
fn diagnosing_a_miss_leaves_the_vault_as_it_was() {
    let Some(demo) = demo() else { return };
    let beside =
        Vault::unlock(&demo.folder(), &Passphrase::new(PASSPHRASE.into()).unwrap()).unwrap();
    let before = content_hash(&beside);
    for query in QUERIES {
        let answer = demo.ask(query);
        for expected in ["m1", "m100", "m500"] {
            let request = WhyRequest {
                recall: answer.view.recall.clone(),
                expected: expected.to_owned(),
                constants: answer.view.trace.constants.clone(),
                now: None,
            };
            demo.inspector.why(&request).unwrap();
            demo.inspector
                .ledger(&answer.view.recall, expected)
                .unwrap();
        }
    }
    assert_eq!(content_hash(&beside), before);
    // The hash sees what a person would call a change.
    let pinned = demo.containing("certificate").remove(0);
    demo.inspector
        .edit_memory(&inspector::request::EditRequest {
            id: pinned.id,
            pinned: Some(!pinned.pinned),
            ..Default::default()
        })
        .unwrap();
    assert_ne!(content_hash(&beside), before);
}
