//! `lethescope mcp`: the vault as tools of an agent, over standard input and output.
//!
//! The protocol is the official crate's; here is what the tools take ([`input`]), what they give
//! ([`output`]), who may call which how often ([`limits`], [`server`]), and how each reaches its
//! use-case ([`tools`]). No tool approves flagged text or removes anything for good.

mod desk;
mod input;
mod limits;
mod output;
mod server;
mod tools;

use std::path::PathBuf;
use std::sync::Arc;

use inspector::Inspector;
use rmcp::ServiceExt as _;

use crate::arguments::Mcp;
use crate::asking::{SETTLING, filter};
use crate::failure::Failure;
use desk::Desk;
use server::Server;

/// Serves until standard input ends. A vault that cannot be opened is the answer of every tool, and
/// is tried again with the next call.
pub fn serve(
    inspector: Inspector,
    asked: &Mcp,
    passphrase: Option<PathBuf>,
) -> Result<(), Failure> {
    let inspector = Arc::new(inspector);
    let desk = Desk::new(
        Arc::clone(&inspector),
        passphrase,
        filter(&asked.scope)?,
        asked.preset.clone(),
    );
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| Failure::Usage(format!("no thread could be started: {error}")))?;
    let server = Server::new(desk, asked.read_only);
    let served = runtime.block_on(async move {
        let service = server
            .serve(rmcp::transport::stdio())
            .await
            .map_err(|error| error.to_string())?;
        service.waiting().await.map_err(|error| error.to_string())
    });
    // Nothing waits for a read of standard input that never ends.
    runtime.shutdown_background();
    inspector.settle(SETTLING);
    match served {
        Ok(_) => Ok(()),
        Err(reason) => Err(Failure::Partly(format!(
            "The conversation with the agent's program broke off: {reason}."
        ))),
    }
}
