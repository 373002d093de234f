//! The table of constants, printed.

use inspector::view::{ConstantKind, ConstantView};

use super::Output;

impl Output {
    /// Every constant with its value in "Standard", what it may be, and what it does.
    pub fn constants(&self, all: &[ConstantView]) {
        self.object(&serde_json::json!({ "constants": all }), || {
            for row in all {
                let stages: Vec<_> = row.stages.iter().map(|stage| stage.name()).collect();
                let allowed = if row.kind == ConstantKind::Fixed {
                    "built in".to_owned()
                } else {
                    row.allowed()
                };
                say!(
                    "{:<18} {:<15} {:<14} {allowed}",
                    row.name,
                    row.standard_text(),
                    stages.join(", ")
                );
                say!("    {}", row.help);
                say!("    {}", row.formula);
            }
            say!("");
            say!("Set one for a query with --set NAME=VALUE.");
        });
    }
}
