//! What the commands about the vault as a whole print.

use inspector::{
    BackupView, ExportView, HealthView, ImportView, KeySlotView, KeychainState, RekeyedView,
    RemovedView,
};
use serde_json::json;

use super::Output;
use super::print::{complain, inline};

impl Output {
    /// What was done to what.
    pub fn done_with(&self, what: &str, done: &str) {
        self.object(&json!({ what: done }), || say!("{what} {done}"));
    }

    /// The slots of the key file, and how the keychain of this machine answers, if one of them is a
    /// keychain's and it was asked.
    pub fn key_slots(&self, slots: &[KeySlotView], keychain: Option<KeychainState>) {
        let mut object = json!({ "slots": slots });
        if let Some(state) = keychain {
            object["keychain"] = json!(state);
        }
        self.object(&object, || {
            tell_slots(slots);
            if let Some(state) = keychain {
                say!("{}", keychain_words(state));
            }
        });
    }

    /// The slots that are left after one was taken away.
    pub fn slot_removed(&self, slots: &[KeySlotView], removed: RemovedView) {
        let object = json!({ "slots": slots, "entry_left": removed.entry_left });
        self.object(&object, || {
            tell_slots(slots);
            if removed.entry_left {
                say!(
                    "this machine's keychain did not delete its entry, if it had one: it opens \
                     backups made before, and this vault no more"
                );
            }
        });
    }

    /// What a check found, and what a repair did.
    pub fn health(&self, health: &HealthView) {
        self.object(health, || {
            if let Some(repair) = &health.repair {
                for one in &repair.before {
                    say!("Found: {}", one.sentence);
                }
                for (table, rows) in repair.saved.iter().filter(|(_, rows)| **rows > 0) {
                    say!("saved {rows:>9} rows of {table}");
                }
                for sentence in &repair.lost {
                    say!("{sentence}");
                }
                match &repair.set_aside {
                    Some(folder) => {
                        if repair.lost.is_empty() {
                            say!("No row was lost.");
                        }
                        say!("The damaged vault is in {}.", inline(folder));
                    }
                    None => say!("It was built anew from the memories. Nothing was lost."),
                }
            }
            for one in &health.findings {
                say!("{} {}", inline(&one.sentence), one.remedy);
            }
            if health.sound {
                say!("The vault is sound.");
            }
        });
    }

    /// A backup that was written or restored.
    pub fn backup(&self, done: &str, backup: &BackupView) {
        self.object(backup, || {
            say!(
                "{done} {} ({} memories)",
                inline(&backup.file),
                backup.memories
            );
            if let Some(folder) = &backup.set_aside {
                say!("the vault that was there is in {}", inline(folder));
            }
            for file in &backup.removed {
                say!("removed {}", inline(file));
            }
        });
    }

    /// A file of memories that was written.
    pub fn exported_memories(&self, view: &ExportView) {
        self.object(view, || {
            say!("{} memories in {}", view.memories, inline(&view.file));
        });
        if view.plaintext {
            complain("The file is not encrypted: whoever gets at it can read every memory.");
        }
        if view.unreadable > 0 {
            complain(&format!(
                "{} numbers of memories stand on damaged pages and could not be read.",
                view.unreadable
            ));
        }
    }

    /// What became of an archive's memories.
    pub fn imported_memories(&self, view: &ImportView) {
        self.object(view, || {
            say!("added {:>9} memories", view.added);
            say!("known {:>9}", view.known);
            for (what, count) in [
                ("deleted here before, left out", view.forgotten),
                ("new documents", view.documents),
                ("new research entries", view.research),
                ("new golden queries", view.golden_queries),
            ] {
                if count > 0 {
                    say!("{count:>15} {what}");
                }
            }
            if !view.differing.is_empty() {
                let ids = view.differing.join(" ");
                if view.replaced {
                    say!("now as in the archive, what they were is in their history: {ids}");
                } else {
                    say!("different here, left as they are (--prefer-archive takes the others): {ids}");
                }
            }
        });
    }

    /// A recovery code, which nobody can show again.
    pub fn recovery_code(&self, code: &str) {
        self.object(&json!({ "recovery_code": code }), || tell_code(code));
    }

    /// What a change of the data key did.
    pub fn rekeyed(&self, done: &RekeyedView) {
        self.object(done, || {
            say!("everything is encrypted under a new key");
            if done.slots_gone > 0 {
                say!("{} other slots are gone: add them again", done.slots_gone);
            }
            match done.keychain {
                Some(true) => say!("this machine's keychain opens it as before"),
                Some(false) => say!(
                    "the slot of this machine's keychain is gone, since the keychain could not be \
                     reached: `lethescope keys keychain` makes another"
                ),
                None => {}
            }
            if let Some(code) = &done.recovery_code {
                tell_code(code);
            }
        });
    }
}

fn tell_slots(slots: &[KeySlotView]) {
    for slot in slots {
        say!("{:>3}  {}", slot.number, slot.kind.replace('_', " "));
    }
}

/// How the keychain answers, where a slot is a keychain's.
const fn keychain_words(state: KeychainState) -> &'static str {
    match state {
        KeychainState::Ready => "this machine's keychain opens the vault",
        KeychainState::Absent => "no keychain is running here",
        KeychainState::Locked => "this machine's keychain is locked",
        KeychainState::NoEntry => "this machine's keychain has no entry for this vault",
        KeychainState::Refused => "this machine's keychain does not answer as it should",
    }
}

fn tell_code(code: &str) {
    say!("{code}");
    eprintln!(
        "Write it down and keep it away from this machine: it opens the vault, and it is shown \
         this once."
    );
}
