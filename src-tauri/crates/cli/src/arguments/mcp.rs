//! The arguments of the agent's tools.

use clap::Args;

/// What a server may show and do; fixed as long as it runs.
#[derive(Args)]
pub struct Mcp {
    /// Only memories of this scope, as for query; what is stored belongs to its org, agent and
    /// session
    #[arg(long, value_name = "KEY=VALUE")]
    pub scope: Vec<String>,
    /// Offer only the tools that change nothing
    #[arg(long)]
    pub read_only: bool,
    /// Leave no account of what is asked in the vault. Otherwise the window's history shows it, unless
    /// the server is read-only
    #[arg(long)]
    pub no_log: bool,
    /// Constants to rank with; those in force in the window when not given
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
}
