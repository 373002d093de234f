//! Tells the window that something happened: counts, never text, and at most every 50 ms.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use inspector::Inspector;
use inspector::view::Notice;
use serde::{Deserialize, Serialize};
use tauri::AppHandle;
use tauri_specta::Event;

/// The one event of the program.
#[derive(Clone, Debug, Serialize, Deserialize, specta::Type, Event)]
pub struct NoticeEvent(pub Notice);

/// A flood of writes becomes at most twenty events a second.
const PAUSE: Duration = Duration::from_millis(50);

/// Starts forwarding what the inspector says.
pub fn forward(inspector: &Arc<Inspector>, app: AppHandle) {
    let (sender, receiver) = mpsc::channel::<Notice>();
    inspector.subscribe(Box::new(move |notice| {
        let _ = sender.send(notice);
    }));
    std::thread::spawn(move || {
        while let Ok(first) = receiver.recv() {
            std::thread::sleep(PAUSE);
            let mut batch = vec![first];
            for next in receiver.try_iter() {
                merge(&mut batch, next);
            }
            for notice in batch {
                let _ = NoticeEvent(notice).emit(&app);
            }
        }
    });
}

/// Adds `next` to the batch, taking the place of an older notice that it makes pointless.
fn merge(batch: &mut Vec<Notice>, next: Notice) {
    for held in batch.iter_mut() {
        match (&mut *held, &next) {
            (
                Notice::Memories { added, latest },
                Notice::Memories {
                    added: more,
                    latest: newer,
                },
            ) => {
                *added += more;
                latest.extend(newer.iter().cloned());
                let surplus = latest.len().saturating_sub(50);
                latest.drain(..surplus);
                return;
            }
            (Notice::Progress { source: old, .. }, Notice::Progress { source: new, .. })
                if old == new =>
            {
                *held = next;
                return;
            }
            (Notice::Embedded { .. }, Notice::Embedded { .. }) => {
                *held = next;
                return;
            }
            (Notice::Sources, Notice::Sources)
            | (Notice::Model, Notice::Model)
            | (Notice::Locked, Notice::Locked)
            | (Notice::Reopened, Notice::Reopened) => return,
            _ => {}
        }
    }
    batch.push(next);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memories(added: u32, latest: &[&str]) -> Notice {
        Notice::Memories {
            added,
            latest: latest.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn a_flood_becomes_one_notice_and_loses_no_count() {
        let mut batch = vec![memories(1, &["m1"])];
        for number in 2..=200_u32 {
            merge(&mut batch, memories(1, &[&format!("m{number}")]));
        }
        let [Notice::Memories { added, latest }] = batch.as_slice() else {
            panic!("one notice expected, got {batch:?}");
        };
        assert_eq!(*added, 200);
        assert_eq!(latest.len(), 50);
        assert_eq!(latest.last().map(String::as_str), Some("m200"));
    }

    #[test]
    fn the_end_of_a_backfill_is_not_swallowed_by_another_source() {
        let progress = |source: &str, finished| Notice::Progress {
            source: source.into(),
            files_done: 1,
            files_total: 1,
            stored: 1,
            finished,
        };
        let mut batch = vec![progress("1", true)];
        merge(&mut batch, progress("2", false));
        assert_eq!(batch, vec![progress("1", true), progress("2", false)]);
    }
}
