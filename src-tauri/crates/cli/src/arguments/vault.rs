//! The arguments of what concerns the vault as a whole.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

/// Commands about the vault as a whole.
#[derive(Subcommand)]
pub enum VaultCommand {
    /// Change the passphrase, or set a new one by the recovery code
    Passphrase {
        /// File whose first line is the new passphrase; - for standard input
        #[arg(long, value_name = "FILE")]
        new: PathBuf,
    },
    /// What opens the vault: passphrases; the recovery code, which can be given instead of the
    /// passphrase everywhere; and the system's keychain, which opens it where no passphrase is given
    #[command(subcommand)]
    Keys(Keys),
    /// Look at every page, the structure, the indexes, the vectors and the permissions, and search
    /// for what is known to be there; the exit code is 1 when something is wrong. Changes nothing
    Check,
    /// Check, then mend: indexes are built anew from the rows; from a damaged file every row that reads
    /// is saved into a new one, and the damaged one is set aside in a folder beside it
    Repair,
    /// Write an encrypted backup while the vault is in use; what opens the vault opens it
    Backup {
        /// The file, a tar archive of vault.keys and vault.db, in the place of an older backup; or a
        /// folder, in which it gets a name that says when
        target: PathBuf,
        /// How many backups stay in the folder, the newest
        #[arg(long, value_name = "N")]
        keep: Option<u32>,
    },
    /// Write memories into a file: an encrypted archive that `import` brings in again, or plain text
    Export {
        /// The file; one that is there is replaced
        file: PathBuf,
        /// What it is to be
        #[arg(
            long = "as",
            value_enum,
            default_value = "archive",
            value_name = "FORM"
        )]
        form: Form,
    },
    /// Bring in what an archive or a backup holds; what is there already is not stored twice
    Import {
        /// The file
        file: PathBuf,
        /// Where a memory differs, make it as it is in the archive; otherwise it stays and is named
        #[arg(long)]
        prefer_archive: bool,
        /// File with what opened the vault when the archive was written, if that is not what opens
        /// this one; - for standard input
        #[arg(long, value_name = "FILE")]
        archive_passphrase: Option<PathBuf>,
    },
    /// Put a backup in the vault's folder, once it was seen to open and to be whole
    RestoreBackup {
        /// The file
        file: PathBuf,
        /// Set a vault that is there aside, in a folder beside it
        #[arg(long)]
        replace: bool,
    },
}

/// What a file of memories is to be.
#[derive(Clone, Copy, ValueEnum)]
pub enum Form {
    /// Encrypted; everything that import brings in again
    Archive,
    /// One JSON object per line, not encrypted
    Jsonl,
    /// A text to be read, not encrypted
    Markdown,
}

/// Slots of the key file.
#[derive(Subcommand)]
pub enum Keys {
    /// List them; needs no passphrase
    List,
    /// One more passphrase
    Add {
        /// File whose first line is the new passphrase; - for standard input
        #[arg(long, value_name = "FILE")]
        new: PathBuf,
    },
    /// Draw a recovery code and print it this once; one that was drawn before opens nothing any more
    Recovery,
    /// Let this machine's keychain open the vault for whoever is logged in: the window by a button,
    /// commands, mcp and hooks where no passphrase file is named. It keeps a secret of its own,
    /// neither the passphrase nor the key. Once more takes the place of what it kept before
    Keychain {
        /// Close that way in again; takes no passphrase
        #[arg(long)]
        forget: bool,
    },
    /// Encrypt everything anew under another random key, for when somebody may have the old one. Other
    /// passphrases no longer open the vault, a recovery code is drawn anew, and so is what this
    /// machine's keychain keeps, if it can be reached; backups made before still open as they did
    Rekey,
    /// Take a slot away, and what this machine's keychain keeps for it; the last one that a person can
    /// type stays
    Remove {
        /// Its number in the list
        number: u32,
    },
}
