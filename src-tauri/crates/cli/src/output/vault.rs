//! What the commands about the vault as a whole print.

use inspector::KeySlotView;
use serde_json::json;

use super::Output;

impl Output {
    /// What was done to what.
    pub fn done_with(&self, what: &str, done: &str) {
        self.object(&json!({ what: done }), || say!("{what} {done}"));
    }

    /// The slots of the key file.
    pub fn key_slots(&self, slots: &[KeySlotView]) {
        self.object(&json!({ "slots": slots }), || {
            for slot in slots {
                say!("{:>3}  {}", slot.number, slot.kind.replace('_', " "));
            }
        });
    }

    /// A recovery code, which nobody can show again.
    pub fn recovery_code(&self, code: &str) {
        self.object(&json!({ "recovery_code": code }), || {
            say!("{code}");
            eprintln!(
                "Write it down and keep it away from this machine: it opens the vault, and it is \
                 shown this once."
            );
        });
    }
}
