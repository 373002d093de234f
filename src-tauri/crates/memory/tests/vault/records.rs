//! The smaller tables: sources, files, settings, traces.

use memory::{NewFile, SourceState, TRACES_KEPT, VaultError};

use crate::support::{NOW, vault};

#[test]
fn sources_and_their_files() {
    let (_dir, vault) = vault();
    vault
        .write(|w| {
            let source = w.sources().add("/logs", None, false, NOW)?;
            assert_eq!(
                (source.state, source.subagents),
                (SourceState::Paused, false)
            );
            let again = w.sources().add("/logs", Some("codex"), true, NOW + 1)?;
            assert_eq!(
                (again.id, again.added_at, again.subagents),
                (source.id, NOW, true)
            );
            w.sources()
                .set_state(source.id, SourceState::Polling, Some("network share"))?;
            w.sources().count_skipped(Some(source.id), "subagent", 2)?;
            w.sources().count_skipped(Some(source.id), "subagent", 3)?;
            w.sources().count_skipped(None, "blank", 1)?;
            assert_eq!(w.sources().skipped(Some(source.id))?["subagent"], 5);
            assert_eq!(w.sources().skipped(None)?.len(), 1);

            let mut file = w.files().add(&NewFile {
                source_id: Some(source.id),
                path: "/logs/a.jsonl".to_owned(),
                identity: "1:2".to_owned(),
            })?;
            file.offset = 1 << 33;
            file.line = 17;
            file.format = Some("codex".to_owned());
            file.last_seen_at = Some(NOW);
            w.files().update(&file)?;
            for line in 0..250 {
                w.files().error(file.id, line, "not JSON", NOW)?;
            }
            file.errors = 250;
            assert_eq!(w.files().by_path("/logs/a.jsonl")?, Some(file.clone()));
            assert_eq!(w.files().by_identity("1:2")?, Some(file.clone()));
            assert_eq!(w.files().of_source(source.id)?, [file.clone()]);
            let errors = w.files().errors(source.id, 1_000)?;
            assert_eq!((errors.len(), errors[0].line), (200, 249));
            w.sources().remove(source.id)?;
            assert!(w.sources().all()?.is_empty());
            assert_eq!(w.files().get(file.id)?.unwrap().source_id, None);
            assert!(matches!(
                w.sources().remove(source.id),
                Err(VaultError::NotFound)
            ));
            w.files().remove(file.id)?;
            assert_eq!(w.table_counts()?["ingest_errors"], 0);
            assert!(matches!(w.files().update(&file), Err(VaultError::NotFound)));
            Ok(())
        })
        .unwrap();
}

#[test]
fn settings_are_json() {
    let (_dir, vault) = vault();
    vault
        .write(|w| {
            w.settings().set("theme", "\"dark\"")?;
            w.settings().set("theme", "\"light\"")?;
            assert!(matches!(
                w.settings().set("theme", "dark"),
                Err(VaultError::Invalid { .. })
            ));
            assert_eq!(w.settings().get("theme")?.as_deref(), Some("\"light\""));
            assert!(w.settings().remove("theme")?);
            assert_eq!(w.settings().get("theme")?, None);
            Ok(())
        })
        .unwrap();
}

#[test]
fn only_the_latest_traces_are_kept() {
    let (_dir, vault) = vault();
    vault
        .write(|w| {
            for number in 0..TRACES_KEPT + 7 {
                w.traces().put(&number.to_string(), NOW)?;
            }
            let all = w.traces().latest(u32::MAX)?;
            assert_eq!(all.len() as u32, TRACES_KEPT);
            assert_eq!(
                (all[0].json.as_str(), all.last().unwrap().json.as_str()),
                ("506", "7")
            );
            assert_eq!(w.traces().get(all[0].id)?, Some(all[0].clone()));
            assert_eq!(w.traces().get(1)?, None);
            assert_eq!(w.traces().count()?, TRACES_KEPT);

            let page = w.traces().page(Some(all[1].id), 3)?;
            assert_eq!(page, all[2..5]);
            assert_eq!(w.traces().page(None, 1)?, all[..1]);
            assert!(w.traces().page(Some(i64::MIN), 9)?.is_empty());

            // A replaced trace keeps its row; one that is gone makes a new one.
            assert_eq!(w.traces().replace(all[0].id, "again", NOW + 5)?, all[0].id);
            let again = w.traces().get(all[0].id)?.unwrap();
            assert_eq!((again.json.as_str(), again.at), ("again", NOW + 5));
            assert_eq!(w.traces().replace(1, "new", NOW)?, all[0].id + 1);

            assert_eq!(w.traces().clear()?, TRACES_KEPT);
            assert_eq!(w.traces().count()?, 0);
            Ok(())
        })
        .unwrap();
}

#[test]
fn libraries_are_named() {
    let (_dir, vault) = vault();
    let versions = vault.read(|r| r.library_versions()).unwrap();
    assert!(versions["sqlcipher"].starts_with('4'), "{versions:?}");
    assert!(versions.contains_key("sqlite") && versions.contains_key("sqlite-vec"));
}
