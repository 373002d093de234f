//! Random lives of a folder: programs append, rotate, rewrite and pack their files, people delete and
//! edit what came out of them, and every now and then somebody looks, is stopped in the middle, or
//! starts again. [`oracle`] says what must be stored then; it knows what was written, not how files
//! are read.

mod folder;
mod lines;
mod oracle;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use ingest::{Options, Report, backfill};
use memory::{Edit, Memory};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::support::{Bench, NOW};
use folder::{Folder, Kind};
use lines::Line;
use oracle::Oracle;

/// What can happen. Numbers choose among what there is, so that a shorter history still means
/// something.
#[derive(Clone, Debug)]
enum Event {
    /// A program writes to its log, and is perhaps cut off within the last line.
    Append {
        kind: Kind,
        file: u8,
        lines: Vec<Line>,
        cut: Option<u8>,
    },
    /// A store is saved anew, as a whole.
    Save {
        kind: Kind,
        file: u8,
        entries: Vec<u8>,
    },
    Rename {
        file: u8,
        to: u8,
    },
    /// The file is copied away and cut to nothing, as `logrotate` does for programs that keep it open.
    CopyTruncate {
        file: u8,
    },
    /// Written aside and put in its place, with one more line.
    Replace {
        file: u8,
        line: Line,
    },
    /// A line in the middle becomes another one.
    ChangeLine {
        file: u8,
        at: u8,
        line: Line,
    },
    /// A session is resumed under another name: its history is copied.
    Copy {
        file: u8,
    },
    Pack {
        file: u8,
    },
    Remove {
        file: u8,
    },
    /// Somebody looks: right after the last write or later; perhaps stopped after some steps.
    Look {
        later: bool,
        stopped_after: Option<u8>,
    },
    Delete {
        memory: u8,
        purge: bool,
    },
    Restore,
    Reword {
        memory: u8,
    },
}

/// What happened, one line for each.
#[derive(Clone)]
struct History(Vec<Event>);

impl std::fmt::Debug for History {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0
            .iter()
            .try_for_each(|event| write!(f, "\n    {event:?}"))
    }
}

fn event() -> impl Strategy<Value = Event> {
    let kind = prop::sample::select(Kind::LOGS.to_vec());
    let store = prop::sample::select(Kind::STORES.to_vec());
    let line = || {
        (0..12_u8, 0..12_u8, any::<bool>()).prop_map(|(name, words, other)| Line {
            name,
            words,
            other,
        })
    };
    let file = || 0..6_u8;
    prop_oneof![
        6 => (kind, file(), prop::collection::vec(line(), 1..5), prop::option::weighted(0.3, any::<u8>()))
            .prop_map(|(kind, file, lines, cut)| Event::Append { kind, file, lines, cut }),
        3 => (store, file(), prop::collection::vec(0..8_u8, 0..4))
            .prop_map(|(kind, file, entries)| Event::Save { kind, file, entries }),
        1 => (file(), any::<u8>()).prop_map(|(file, to)| Event::Rename { file, to }),
        1 => file().prop_map(|file| Event::CopyTruncate { file }),
        1 => (file(), line()).prop_map(|(file, line)| Event::Replace { file, line }),
        1 => (file(), any::<u8>(), line()).prop_map(|(file, at, line)| Event::ChangeLine { file, at, line }),
        1 => file().prop_map(|file| Event::Copy { file }),
        1 => file().prop_map(|file| Event::Pack { file }),
        1 => file().prop_map(|file| Event::Remove { file }),
        5 => (any::<bool>(), prop::option::weighted(0.2, 0..8_u8))
            .prop_map(|(later, stopped_after)| Event::Look { later, stopped_after }),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(memory, purge)| Event::Delete { memory, purge }),
        1 => Just(Event::Restore),
        1 => any::<u8>().prop_map(|memory| Event::Reword { memory }),
    ]
}

struct Life {
    bench: Bench,
    folder: Folder,
    oracle: Oracle,
    rewordings: u32,
}

impl Life {
    fn new() -> Self {
        let bench = Bench::new();
        Self {
            folder: Folder::at(bench.folder.path()),
            bench,
            oracle: Oracle::default(),
            rewordings: 0,
        }
    }

    fn happens(&mut self, event: &Event) -> Result<(), TestCaseError> {
        match event {
            Event::Append {
                kind,
                file,
                lines,
                cut,
            } => self.folder.append(*kind, *file, lines, *cut),
            Event::Save {
                kind,
                file,
                entries,
            } => self.folder.save(*kind, *file, entries),
            Event::Rename { file, to } => self.folder.rename(*file, *to),
            Event::CopyTruncate { file } => self.folder.copy_truncate(*file),
            Event::Replace { file, line } => self.folder.replace(*file, *line),
            Event::ChangeLine { file, at, line } => self.folder.change_line(*file, *at, *line),
            Event::Copy { file } => self.folder.copy(*file),
            Event::Pack { file } => self.folder.pack(*file),
            Event::Remove { file } => self.folder.remove(*file),
            Event::Look {
                later,
                stopped_after,
            } => self.look(*later, *stopped_after)?,
            Event::Delete { memory, purge } => self.delete(*memory, *purge),
            Event::Restore => self.restore(),
            Event::Reword { memory } => self.reword(*memory),
        }
        Ok(())
    }

    fn look(&mut self, later: bool, stopped_after: Option<u8>) -> Result<(), TestCaseError> {
        let now = if later {
            i64::MAX / 2
        } else {
            self.folder.last_written()
        };
        let cancel = AtomicBool::new(false);
        let steps = AtomicU32::new(0);
        let clock = || {
            let step = steps.fetch_add(1, Ordering::Relaxed);
            if stopped_after.is_some_and(|after| step >= u32::from(after)) {
                cancel.store(true, Ordering::Relaxed);
            }
            now
        };
        let report = backfill(
            &self.bench.vault,
            None,
            &[self.bench.folder.path().to_path_buf()],
            &Options::default(),
            &clock,
            &mut |_| {},
            &cancel,
        )
        .unwrap();
        adds_up(&report)?;
        if report.cancelled {
            self.oracle.perhaps_seen(&self.folder);
            return Ok(());
        }
        self.oracle.seen(&self.folder);
        if later {
            self.oracle.check(&self.bench.memories())?;
        }
        Ok(())
    }

    /// A memory that its file is done with; what may still grow is nobody's to judge.
    fn chosen(&self, memory: u8) -> Option<Memory> {
        let settled: Vec<Memory> = self
            .bench
            .memories()
            .into_iter()
            .filter(|memory| self.oracle.is_settled(memory))
            .collect();
        let at = usize::from(memory).checked_rem(settled.len())?;
        settled.into_iter().nth(at)
    }

    fn delete(&mut self, memory: u8, purge: bool) {
        let Some(chosen) = self.chosen(memory) else {
            return;
        };
        self.bench
            .vault
            .write(|writer| {
                if purge {
                    writer.memories().purge(&[chosen.id])
                } else {
                    writer.memories().trash(&[chosen.id], NOW)
                }
            })
            .unwrap();
        self.oracle.deleted(&chosen, purge);
    }

    fn restore(&mut self) {
        let Some(key) = self.oracle.restorable() else {
            return;
        };
        let restored = self
            .bench
            .vault
            .write(|writer| {
                let trashed = writer.memories().trashed()?;
                let mut restored = Vec::new();
                for id in trashed {
                    let memory = writer.memories().get(id)?;
                    if memory.is_some_and(|memory| oracle::key_of(&memory) == key) {
                        writer.memories().restore(&[id], NOW)?;
                        restored.push(id);
                    }
                }
                Ok(restored)
            })
            .unwrap();
        assert_eq!(restored.len(), 1, "{key:?} is in the trash");
        self.oracle.restored(&key);
    }

    fn reword(&mut self, memory: u8) {
        let Some(chosen) = self.chosen(memory) else {
            return;
        };
        self.rewordings += 1;
        let words = format!("in a person's words {}", self.rewordings);
        let edit = Edit {
            content: Some(words.clone()),
            ..Edit::default()
        };
        self.bench
            .vault
            .write(|writer| writer.memories().edit(chosen.id, &edit, None, NOW))
            .unwrap();
        self.oracle.reworded(&self.folder, &chosen, &words);
    }
}

/// The account: every record was stored or left out for a reason.
fn adds_up(report: &Report) -> Result<(), TestCaseError> {
    prop_assert_eq!(
        report.records,
        report.stored + report.skipped.values().sum::<u32>()
    );
    Ok(())
}

fn lives(events: &[Event]) -> Result<(), TestCaseError> {
    let mut life = Life::new();
    for event in events {
        life.happens(event)?;
    }
    life.look(true, None)?;
    // Whoever looks again finds nothing new.
    let before = life.bench.texts();
    let again = life.bench.take_all();
    prop_assert_eq!(again.stored, 0);
    prop_assert_eq!(life.bench.texts(), before);
    Ok(())
}

/// The same histories each time in the tests; others in the long form, and fifty times as many.
fn cases(seed: u64) -> ProptestConfig {
    const EACH: u32 = 500;
    let long = std::env::var_os("LETHESCOPE_LONG").is_some();
    ProptestConfig {
        cases: if long { EACH * 50 } else { EACH },
        rng_seed: if long {
            RngSeed::Random
        } else {
            RngSeed::Fixed(seed)
        },
        max_shrink_iters: 4000,
        ..ProptestConfig::default()
    }
}

macro_rules! histories {
    ($($name:ident = $seed:literal),*) => {
        $(
            proptest! {
                #![proptest_config(cases($seed))]
                #[test]
                fn $name(history in prop::collection::vec(event(), 1..24).prop_map(History)) {
                    lives(&history.0)?;
                }
            }
        )*
    };
}

// Several, so that they run side by side.
histories!(
    of_a_spring = 1,
    of_a_summer = 2,
    of_an_autumn = 3,
    of_a_winter = 4
);
