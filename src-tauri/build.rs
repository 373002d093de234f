//! Lets Tauri read its configuration and the capabilities at build time.

fn main() {
    tauri_build::build();
}
