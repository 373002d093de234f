//! The tour for machines without a display: the same window, the demo memory, one query.
//!
//! Prints the stage table and then `TOUR READY`, and leaves when its standard input closes, so that
//! whoever started it can take a picture in between.

#![allow(
    clippy::print_stdout,
    reason = "the tour's purpose is to print the stage table"
)]

use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use inspector::Inspector;
use tauri::AppHandle;

use crate::window;

/// How long the window may take to answer before the tour gives up.
const PATIENCE: Duration = Duration::from_secs(90);

/// Runs the tour beside the window's event loop.
pub fn start(app: AppHandle, inspector: Arc<Inspector>) {
    std::thread::spawn(move || {
        let code = match tour(&app, &inspector) {
            Ok(table) => {
                println!("{table}\nTOUR READY");
                let mut rest = Vec::new();
                let _ = std::io::stdin().read_to_end(&mut rest);
                0
            }
            Err(reason) => {
                println!("the tour stopped: {reason}");
                1
            }
        };
        app.exit(code);
    });
}

fn tour(app: &AppHandle, inspector: &Inspector) -> Result<String, String> {
    inspector.open_demo().map_err(|error| error.to_string())?;
    inspector.wait_until_embedded(PATIENCE);
    let guide = inspector.demo_guide().map_err(|error| error.to_string())?;
    let first = guide.first().ok_or("the demo has no guided query")?;
    let place = format!("#/xray?q={}", percent_encoded(&first.query));
    let (app_for_window, opened) = (app.clone(), std::sync::mpsc::channel());
    app.run_on_main_thread(move || {
        let _ = opened
            .0
            .send(window::open(&app_for_window, &place).map_err(|e| e.to_string()));
    })
    .map_err(|error| error.to_string())?;
    opened.1.recv().map_err(|error| error.to_string())??;
    let trace = inspector
        .wait_for_complete_trace(PATIENCE)
        .ok_or("the window asked no query in time")?;
    // The window has the answer; give it the time of a few frames to paint it.
    std::thread::sleep(Duration::from_millis(1500));
    Ok(inspector::report::stage_table(&trace))
}

fn percent_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}
