//! The one window.

use tauri::{AppHandle, Manager, WebviewUrl, WebviewWindowBuilder};

const LABEL: &str = "main";

/// Opens the window at a place inside the page, for example `#/xray?q=…`.
pub fn open(app: &AppHandle, place: &str) -> tauri::Result<()> {
    WebviewWindowBuilder::new(
        app,
        LABEL,
        WebviewUrl::App(format!("index.html{place}").into()),
    )
    .title("Lethescope")
    .inner_size(1440.0, 900.0)
    .min_inner_size(640.0, 480.0)
    // Memory text is hostile: the window shows its own page and nothing else.
    .on_navigation(|url| {
        matches!(url.scheme(), "tauri")
            || url.host_str() == Some("tauri.localhost")
            || (cfg!(not(feature = "custom-protocol")) && url.host_str() == Some("localhost"))
    })
    .build()?;
    Ok(())
}

/// Shows the window that is already there.
pub fn bring_forward(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(LABEL) {
        let _ = window.unminimize();
        let _ = window.set_focus();
    }
}
