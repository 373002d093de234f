//! The desktop program: a window over the use-cases of [`inspector`], and nothing more.
//!
//! Absent on purpose: any knowledge of vaults, queries or logs.

#![cfg_attr(all(not(debug_assertions), windows), windows_subsystem = "windows")]

mod bindings;
mod commands;
mod notices;
mod paths;
mod tour;
mod window;

use std::process::ExitCode;
use std::sync::Arc;

use inspector::Inspector;
use tauri::Manager;

fn main() -> ExitCode {
    inspector::forbid_dumps();
    inspector::forbid_reports();
    start_log();
    let paths = match paths::from_environment() {
        Ok(paths) => paths,
        Err(reason) => {
            tracing::error!(%reason, "cannot find the data folder");
            return ExitCode::FAILURE;
        }
    };
    let inspector = Arc::new(Inspector::new(paths));
    let touring = std::env::var_os("LETHESCOPE_TOUR").is_some();
    let bindings = bindings::builder();
    let handler = bindings.invoke_handler();

    let mut builder = tauri::Builder::default();
    if !touring {
        // A second start shows the first window; two programs never watch the same folders.
        builder = builder.plugin(tauri_plugin_single_instance::init(|app, _, _| {
            window::bring_forward(app);
        }));
    }
    let run = builder
        .plugin(tauri_plugin_dialog::init())
        .manage(Arc::clone(&inspector))
        .invoke_handler(handler)
        .setup(move |app| {
            bindings.mount_events(app);
            notices::forward(&inspector, app.handle().clone());
            if touring {
                tour::start(app.handle().clone(), Arc::clone(&inspector));
            } else {
                window::open(app.handle(), "")?;
            }
            Ok(())
        })
        .build(tauri::generate_context!());
    match run {
        Ok(app) => {
            app.run(|app, event| {
                if let tauri::RunEvent::Exit = event {
                    // Every edit is committed when it is made; what is left is to forget the key and
                    // to wait for what works behind. The process ends without dropping anything.
                    app.state::<Arc<Inspector>>().end();
                }
            });
            ExitCode::SUCCESS
        }
        Err(error) => {
            tracing::error!(%error, "the window could not be opened");
            ExitCode::FAILURE
        }
    }
}

/// The log goes to stderr: counts, durations and error codes; never text, keys or paths inside logs.
fn start_log() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("LETHESCOPE_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .try_init();
}
