//! The command line, as clap reads it.

mod beside;
mod mcp;
mod vault;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use self::beside::{Document, Reranker, RerankerChoice, Research, ResearchPut};
pub use self::mcp::Mcp;
pub use self::vault::{Form, Keys, VaultCommand};

/// See what your agent remembers, and why it forgot.
#[derive(Parser)]
#[command(name = "lethescope", version, propagate_version = true)]
#[command(
    after_help = "The passphrase is read from --passphrase-file or from the file that \
    LETHESCOPE_PASSPHRASE_FILE names (its first line); it is never an argument. Where no file is \
    named, the system's keychain opens the vault after `keys keychain`, and a terminal asks \
    otherwise.\n\
    Exit codes: 0 done, 1 failed, 2 bad usage. With --json one JSON object goes to stdout, an \
    error as {\"error\":{\"code\",\"message\"}}; watch writes one object per line (JSON Lines). \
    Progress and sentences about errors go to stderr."
)]
pub struct Arguments {
    /// Folder of the vault
    #[arg(long, global = true, value_name = "DIR", env = "LETHESCOPE_VAULT")]
    pub vault: Option<PathBuf>,
    /// File whose first line is the passphrase
    #[arg(
        long,
        global = true,
        value_name = "FILE",
        env = "LETHESCOPE_PASSPHRASE_FILE"
    )]
    pub passphrase_file: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// What the program can do.
#[derive(Subcommand)]
pub enum Command {
    /// Create a vault
    Init {
        /// Fill it with the invented logs that ship with the program
        #[arg(long)]
        demo: bool,
    },
    /// Take in logs and memory files
    Ingest(Ingest),
    /// Take in what is there, then every new line until interrupted. With --json one object per line:
    /// {"event":"watching","source","path"} for each path, {"event":"read","source","path","files",
    /// "stored"} when what was there is read, {"event":"stored","added","latest"} for what comes
    Watch(Ingest),
    /// Write a memory by hand; undo takes it back. Prints its id
    Add(Add),
    /// Search, and show what each stage did
    Query(Query),
    /// Print the block that an agent is given for a query, and nothing else: memories, past research
    /// and documents inside one fence, within one budget. Nothing when nothing fits
    Context(Context),
    /// Serve an agent over standard input and output (Model Context Protocol): searching, storing
    /// and reading memories, documents and research as tools
    Mcp(Mcp),
    /// Say why a query missed a memory, and what would fix it
    Why(Why),
    /// Measure a preset on a retrieval set and say what is left to gain (needs no vault), or run a
    /// regression suite
    Eval(Eval),
    /// List the constants that shape a ranking: standard values, ranges, what each does (needs no
    /// vault)
    Constants,
    /// Remove memory blocks that leaked into a model's answer: standard input to standard output,
    /// as it streams (needs no vault). What stands outside of blocks is passed on byte for byte;
    /// with --json the counts go to standard error
    Scrub,
    /// Keep what research found, and find it again for nearly the same question
    #[command(subcommand)]
    Research(Research),
    /// Notes, articles and code, kept apart from memories
    #[command(subcommand)]
    Document(Document),
    /// Past queries of the window and of agents
    #[command(subcommand)]
    Trace(Trace),
    /// Which reranker reads query and memory together, and setting one up
    #[command(subcommand)]
    Reranker(Reranker),
    /// List memories
    List(List),
    /// Show one memory in full
    Show {
        /// The memory, for example m42
        id: String,
    },
    /// Change a memory
    Edit(Edit),
    /// Make one memory of several of one agent: the first stays, the others go to the trash
    Merge(Merge),
    /// List memories that mean nearly the same, what may contradict each other, and how many pairs
    /// each cosine would take for one; or say that memories are to be kept beside each other
    Duplicates(Duplicates),
    /// Put memories into the trash
    Delete {
        /// The memories, for example m42
        #[arg(required = true)]
        ids: Vec<String>,
        /// Remove every byte for ever instead, from the trash too; cannot be undone
        #[arg(long)]
        purge: bool,
    },
    /// Take memories out of the trash
    Restore {
        /// The memories, for example m42
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Show the trash, or empty it
    Trash {
        /// Remove every byte of everything in it for ever; cannot be undone
        #[arg(long)]
        empty: bool,
    },
    /// Take the last edit or deletion back
    Undo,
    /// Make the vectors that are still missing; keywords find a memory without
    Embed,
    /// Show which index answers for the vectors, or switch to another
    Index {
        /// `exact` compares all vectors; `hnsw` walks a graph to the nearest, for several
        /// millions of vectors
        #[arg(value_parser = ["exact", "hnsw"])]
        index: Option<String>,
    },
    /// Show counts per table and index, the model, and versions
    Status,
    /// Show versions, the model's identity and where everything lies, as text for a bug report: no
    /// memory, no query (needs no vault)
    About {
        /// Print the licences of everything that is shipped instead
        #[arg(long)]
        licences: bool,
    },
    /// Print what lets a shell complete this program's commands (needs no vault)
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the pages of the manual into a folder (needs no vault)
    #[command(hide = true)]
    Manual {
        /// The folder
        folder: PathBuf,
    },
    /// What opens the vault, its health, and copies of it
    #[command(flatten)]
    Vault(VaultCommand),
}

/// Paths to take in.
#[derive(Args)]
pub struct Ingest {
    /// Files and folders
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Format of the files
    #[arg(long, default_value = "auto")]
    pub format: String,
    /// Read everything, store nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Sub-agents' transcripts too
    #[arg(long)]
    pub subagents: bool,
    /// Take nothing of this project, as --dry-run names it; may be given again. Without it, what is left
    /// out of the folder where it is watched stays out; an empty name takes everything
    #[arg(long, value_name = "PROJECT")]
    pub leave_out: Vec<String>,
    /// Leave embedding for later
    #[arg(long)]
    pub no_embed: bool,
}

/// Which legs answer.
#[derive(Clone, Copy, ValueEnum)]
pub enum Mode {
    /// Both legs
    Hybrid,
    /// Keywords only: the model is not loaded; tokens are estimated, and what needs it, such as the
    /// embedded reranker, is off unless --set turns it on
    Lexical,
    /// Embeddings only
    Semantic,
    /// The leg that fits the query first, the other when it finds nothing
    Auto,
}

/// How to rank.
#[derive(Args)]
pub struct Ranking {
    /// Which legs answer; hybrid when not given
    #[arg(long, value_enum)]
    pub mode: Option<Mode>,
    /// Only memories of this scope: org, agent, session, role, kind, tag, source, before or after
    #[arg(long, value_name = "KEY=VALUE")]
    pub scope: Vec<String>,
    /// Change a constant, for example rrf_k=5
    #[arg(long, value_name = "CONSTANT=VALUE")]
    pub set: Vec<String>,
    /// Constants to start from; without it those of the preset in force, in a new vault the recommended
    /// one
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// The clock that decay counts from
    #[arg(long, value_name = "RFC3339")]
    pub now: Option<String>,
    /// Leave out what reads like a planted instruction and waits for approval
    #[arg(long)]
    pub no_flagged: bool,
}

/// A query.
#[derive(Args)]
pub struct Query {
    /// The query: words rank, "phrases" must match, -word excludes, field:value filters
    #[arg(allow_hyphen_values = true)]
    pub text: String,
    /// How many results, 1–100
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub limit: Option<u32>,
    /// How to rank
    #[command(flatten)]
    pub ranking: Ranking,
}

/// A query and the form of its block.
#[derive(Args)]
pub struct Context {
    /// The query, in the same language as for query
    #[arg(
        allow_hyphen_values = true,
        required_unless_present = "hook",
        conflicts_with = "hook"
    )]
    pub text: Option<String>,
    /// Answer an agent's hook instead: its JSON is read from standard input, and its answer holds the
    /// block. Whatever goes wrong, the agent goes on without one
    #[arg(long, value_enum, value_name = "AGENT")]
    pub hook: Option<Hook>,
    /// How long a hook may wait for its block. Below 1000 it is found by keywords alone, unless --mode
    /// says otherwise: loading the model takes longer. From 1000 on by both legs, or by keywords where
    /// the model is not ready in time
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 300, requires = "hook",
        value_parser = clap::value_parser!(u64).range(10..=60_000))]
    pub within: u64,
    /// Leave no account of the question in the vault. Otherwise the window's history shows what an agent
    /// asked, and what it missed
    #[arg(long)]
    pub no_log: bool,
    /// How the block is written
    #[arg(long, value_enum, default_value = "context")]
    pub format: BlockFormat,
    /// Tokens that the whole block may take, 64–1000000; 2048 in the presets that ship
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(64..=1_000_000))]
    pub budget: Option<u32>,
    /// How many memories at most, 1–50; 5 in the presets that ship
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=50))]
    pub limit: Option<u32>,
    /// How to rank
    #[command(flatten)]
    pub ranking: Ranking,
}

/// Whose hook is answered.
#[derive(Clone, Copy, ValueEnum)]
pub enum Hook {
    /// UserPromptSubmit and SessionStart of Claude Code
    ClaudeCode,
    /// UserPromptSubmit and SessionStart of Codex, which says and takes the same
    Codex,
}

/// How a block is written.
#[derive(Clone, Copy, ValueEnum)]
pub enum BlockFormat {
    /// <memory-context>: labels and marked lines, for a prompt
    Context,
    /// <memory-archive>: an element for each entry, for the answer of a tool
    Archive,
}

/// A query and what it should have found.
#[derive(Args)]
pub struct Why {
    /// The query
    #[arg(allow_hyphen_values = true)]
    pub text: String,
    /// What was expected: a memory, for example m42, the key of past research, or a document's id
    #[arg(long, value_name = "ID")]
    pub expect: String,
    /// How many results, 1–100
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub limit: Option<u32>,
    /// How to rank
    #[command(flatten)]
    pub ranking: Ranking,
}

/// A measurement.
#[derive(Args)]
pub struct Eval {
    /// Folder with corpus.jsonl, queries.jsonl (each may be .gz) and qrels.tsv
    #[arg(required_unless_present = "suite", conflicts_with = "suite")]
    pub folder: Option<PathBuf>,
    /// Run a regression suite on the vault instead; the exit code is 1 when a query fails. The
    /// file is JSON: {"queries":[{"query","mode"?,"expect":[id or {"contains"}],"top"}]}
    #[arg(long, value_name = "FILE")]
    pub suite: Option<PathBuf>,
    /// Write the suite's outcome as JUnit XML too
    #[arg(long, value_name = "FILE", requires = "suite")]
    pub junit: Option<PathBuf>,
    /// The clock that decay counts from
    #[arg(long, value_name = "RFC3339", requires = "suite")]
    pub now: Option<String>,
    /// Preset that ships with the program, without it the recommended one; for a suite also one of the
    /// vault's own, without it the one in force
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Change a constant, for example rrf_k=5
    #[arg(long, value_name = "CONSTANT=VALUE")]
    pub set: Vec<String>,
    /// Measure other constants too, in the same run: changes with blanks between them, for example
    /// "preset=Balanced rerank=off"; may be repeated. As JSON all stand in
    /// "outcomes"
    #[arg(long, value_name = "CHANGES", conflicts_with = "suite")]
    pub variant: Vec<String>,
    /// Take N queries, evenly spaced; at least 1
    #[arg(long, value_name = "N", conflicts_with = "suite",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub sample: Option<u32>,
}

/// Past queries. Only a window keeps them; what scripts ask leaves no trace.
#[derive(Subcommand)]
pub enum Trace {
    /// List them, newest first
    List {
        /// Only those before this one, for example t12
        #[arg(long, value_name = "ID")]
        before: Option<String>,
        /// How many to show, 1–200
        #[arg(long, value_name = "N", default_value_t = 50,
            value_parser = clap::value_parser!(u32).range(1..=200))]
        limit: u32,
    },
    /// Write one as JSON: the query, its filter, the constants, and every stage's lists. A file can
    /// be read by its owner alone
    Export(TraceExport),
}

/// A trace as a file.
#[derive(Args)]
pub struct TraceExport {
    /// The trace, for example t12
    pub id: String,
    /// File to write; - writes to standard output
    #[arg(default_value = "-")]
    pub file: PathBuf,
    /// For a bug report: numbers only, no text, made-up names instead of ids
    #[arg(long)]
    pub redacted: bool,
    /// Show the query all the same
    #[arg(long, requires = "redacted")]
    pub with_query: bool,
    /// Show the memories' own ids all the same
    #[arg(long, requires = "redacted")]
    pub with_ids: bool,
}

/// A memory to be written.
#[derive(Args)]
pub struct Add {
    /// File with the text; - reads standard input
    #[arg(long, value_name = "FILE", default_value = "-")]
    pub content_file: PathBuf,
    /// Whose memory it is
    #[arg(long, value_name = "NAME", default_value = "person")]
    pub agent: String,
    /// The conversation it belongs to
    #[arg(long, value_name = "ID")]
    pub session: Option<String>,
    /// The organisation or project
    #[arg(long, value_name = "NAME")]
    pub org: Option<String>,
    /// Who says it: user, assistant, tool or system
    #[arg(long, value_name = "ROLE", default_value = "user")]
    pub role: String,
    /// What it is, for example fact, text or summary
    #[arg(long, value_name = "KIND", default_value = "fact")]
    pub kind: String,
    /// Tags, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub tags: Vec<String>,
    /// Pin it: it never decays
    #[arg(long)]
    pub pin: bool,
    /// When it happened, for example 2026-06-30; now when not given
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// From this time on it never comes up, for example 2026-06-30
    #[arg(long, value_name = "TIME")]
    pub expires: Option<String>,
    /// Its vector instead of one made here: JSON, {"model","vector":[…]}, of the model in use
    #[arg(long, value_name = "FILE")]
    pub vector: Option<PathBuf>,
    /// Leave embedding for later
    #[arg(long)]
    pub no_embed: bool,
}

/// A page of memories.
#[derive(Args)]
pub struct List {
    /// Only memories that contain this text
    #[arg(long, value_name = "TEXT")]
    pub contains: Option<String>,
    /// Only memories of this scope, as for query
    #[arg(long, value_name = "KEY=VALUE")]
    pub scope: Vec<String>,
    /// The trash instead of the living
    #[arg(long, conflicts_with = "expired")]
    pub trash: bool,
    /// What has expired instead of the living: it never comes up, and `edit --expires` brings it back
    #[arg(long)]
    pub expired: bool,
    /// How many to leave out
    #[arg(long, default_value_t = 0)]
    pub offset: u32,
    /// How many to show, 1–500
    #[arg(long, value_name = "N", default_value_t = 50,
        value_parser = clap::value_parser!(u32).range(1..=500))]
    pub limit: u32,
    /// Leave out what reads like a planted instruction and waits for approval
    #[arg(long)]
    pub no_flagged: bool,
}

/// A change to a memory.
#[derive(Args)]
pub struct Edit {
    /// The memory, for example m42
    pub id: String,
    /// File with the new text; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub content_file: Option<PathBuf>,
    /// New tags, separated by commas
    #[arg(long, value_delimiter = ',')]
    pub tags: Option<Vec<String>>,
    /// Pin it: it never decays
    #[arg(long, conflicts_with = "unpin")]
    pub pin: bool,
    /// Unpin it
    #[arg(long)]
    pub unpin: bool,
    /// Let flagged text be injected
    #[arg(long)]
    pub approve: bool,
    /// From this time on it never comes up, for example 2026-06-30; `never` takes that back
    #[arg(long, value_name = "TIME")]
    pub expires: Option<String>,
}

/// Memories that mean nearly the same.
#[derive(Args)]
pub struct Duplicates {
    /// The cosine to ask about, 0.8–1; the vault's own when not given
    #[arg(long, value_name = "COSINE", conflicts_with_all = ["keep", "join", "link_from"])]
    pub at: Option<f64>,
    /// From which cosine on this vault links two memories as near duplicates from now on, 0.8–1;
    /// 0.95 unless it was moved. An answer shows one of those that are linked
    #[arg(long, value_name = "COSINE", conflicts_with_all = ["keep", "join"])]
    pub link_from: Option<f64>,
    /// Keep these memories beside each other, for example m42 m57: each stays a result of its own
    #[arg(long, value_name = "ID", num_args = 2.., conflicts_with = "join")]
    pub keep: Vec<String>,
    /// Take that back
    #[arg(long, value_name = "ID", num_args = 2..)]
    pub join: Vec<String>,
}

/// Several memories that become one.
#[derive(Args)]
pub struct Merge {
    /// The memories, for example m42 m57; the first keeps its name, its log line and its age
    #[arg(required = true, num_args = 2..)]
    pub ids: Vec<String>,
    /// File with the text of the merged memory; - reads standard input. Without it, their texts one
    /// below the other
    #[arg(long, value_name = "FILE")]
    pub content_file: Option<PathBuf>,
}
