//! The typed bridge between the window and [`crate::commands`].
//!
//! `ui/src/ipc/bindings.ts` is generated from it by the test below and committed; the test fails
//! when the committed file is not what the code says. `UPDATE_BINDINGS=1` rewrites it.

use inspector::request::AddRequest;
use inspector::view::ConstantView;
use specta_typescript::semantic;
use tauri_specta::{Builder, ErrorHandlingMode, collect_events};

use crate::{commands, notices};

/// Commands and events, ready for Tauri and for the generator.
pub fn builder() -> Builder<tauri::Wry> {
    Builder::<tauri::Wry>::new()
        .commands(commands::all())
        .events(collect_events![notices::NoticeEvent])
        .error_handling(ErrorHandlingMode::Result)
        .disable_serde_phases()
        // A number of ours is always finite: `number`, not `number | null`.
        .semantic_types(semantic::Configuration::empty().enable_lossless_floats())
        .constant("TABLE", ConstantView::all())
        .constant("ROLES", AddRequest::roles())
        .constant("KINDS", AddRequest::kinds())
}

#[cfg(test)]
#[allow(clippy::expect_used)]
mod tests {
    use super::*;

    #[test]
    fn committed_bindings_are_what_the_code_says() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let generated = folder.path().join("bindings.ts");
        builder()
            .export(specta_typescript::Typescript::default(), &generated)
            .expect("bindings can be generated");
        let wanted = std::fs::read_to_string(&generated).expect("generated bindings");
        let committed =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../ui/src/ipc/bindings.ts");
        if std::env::var_os("UPDATE_BINDINGS").is_some() {
            std::fs::write(&committed, &wanted).expect("bindings can be written");
        }
        let found = std::fs::read_to_string(&committed).unwrap_or_default();
        assert!(
            found == wanted,
            "ui/src/ipc/bindings.ts is stale: run `npm run bindings`"
        );
    }
}
