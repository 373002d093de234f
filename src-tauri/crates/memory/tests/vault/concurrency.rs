//! Many at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use memory::{Filter, Vault, VaultError};

use crate::support::{NOW, pass, record, store, vault};

fn count(vault: &Vault) -> u32 {
    vault
        .read(|r| r.memories().count(&Filter::default(), NOW))
        .unwrap()
}

#[test]
fn readers_see_the_last_commit_while_a_write_is_under_way() {
    let (_dir, vault) = vault();
    store(&vault, "before");
    vault
        .write(|w| {
            w.memories().insert(&record("k", "during"), NOW)?;
            assert_eq!(w.memories().count(&Filter::default(), NOW)?, 2);
            let other = vault.clone();
            let seen = thread::spawn(move || count(&other)).join().unwrap();
            assert_eq!(seen, 1);
            Ok(())
        })
        .unwrap();
    assert_eq!(count(&vault), 2);
}

#[test]
fn one_read_sees_one_state() {
    let (_dir, vault) = vault();
    store(&vault, "before");
    vault
        .read(|r| {
            assert_eq!(r.memories().count(&Filter::default(), NOW)?, 1);
            let other = vault.clone();
            thread::spawn(move || store(&other, "after"))
                .join()
                .unwrap();
            assert_eq!(r.memories().count(&Filter::default(), NOW)?, 1);
            Ok(())
        })
        .unwrap();
    assert_eq!(count(&vault), 2);
}

#[test]
fn eight_threads_read_and_write_without_losing_anything() {
    let (_dir, vault) = vault();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut last = 0;
                while !stop.load(Ordering::Relaxed) {
                    let seen = count(&vault);
                    assert!(seen >= last);
                    last = seen;
                }
            });
        }
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let vault = &vault;
                scope.spawn(move || {
                    for number in 0..25 {
                        store(vault, &format!("writer {writer} note {number}"));
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(count(&vault), 100);
    assert_eq!(vault.epoch(), 100);
}

#[test]
fn locking_lets_reads_end_and_closes_everything() {
    let (_dir, vault) = vault();
    store(&vault, "text");
    let (started, wait) = mpsc::channel();
    let (go_on, hold) = mpsc::channel::<()>();
    let other = vault.clone();
    let reader = thread::spawn(move || {
        other.read(|r| {
            started.send(()).unwrap();
            hold.recv().unwrap();
            r.memories().count(&Filter::default(), NOW)
        })
    });
    wait.recv().unwrap();
    let locking = Instant::now();
    vault.lock();
    assert!(locking.elapsed() < Duration::from_secs(1));
    assert!(matches!(vault.read(|r| r.epoch()), Err(VaultError::Locked)));
    go_on.send(()).unwrap();
    assert_eq!(reader.join().unwrap().unwrap(), 1);
    // SQLite removes its log with the last connection.
    assert!(!vault.dir().join("vault.db-wal").exists());
}

#[test]
fn locking_during_a_write_lets_it_commit_and_closes_afterwards() {
    let (_dir, vault) = vault();
    vault
        .write(|w| {
            vault.lock();
            w.memories().insert(&record("k", "kept"), NOW)
        })
        .unwrap();
    assert!(matches!(vault.write(|_| Ok(())), Err(VaultError::Locked)));
    assert!(!vault.dir().join("vault.db-wal").exists());
    let vault = Vault::unlock(vault.dir(), &pass("open sesame")).unwrap();
    assert_eq!(count(&vault), 1);
}

#[test]
fn a_vault_can_be_open_twice() {
    let (_dir, first) = vault();
    let second = Vault::unlock(first.dir(), &pass("open sesame")).unwrap();
    store(&first, "from the first");
    assert_eq!(count(&second), 1);
    store(&second, "from the second");
    assert_eq!(count(&first), 2);
    assert_eq!(first.read(|r| r.epoch()).unwrap(), 2);
    first
        .write(|_| {
            assert_eq!(count(&second), 2, "readers do not wait");
            let waiting = Instant::now();
            let refused = second.write(|_| Ok(()));
            assert!(matches!(refused, Err(VaultError::Busy)), "{refused:?}");
            assert!(waiting.elapsed() > Duration::from_secs(4));
            Ok(())
        })
        .unwrap();
}
