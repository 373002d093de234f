//! What opens the vault, its health, and copies of it.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use inspector::Inspector;

use crate::failure::Failure;
use crate::output::Output;
use crate::run::passphrase;

/// Commands about the vault as a whole.
#[derive(Subcommand)]
pub enum VaultCommand {
    /// Change the passphrase, or set a new one by the recovery code
    Passphrase {
        /// File whose first line is the new passphrase; - for standard input
        #[arg(long, value_name = "FILE")]
        new: PathBuf,
    },
    /// What opens the vault: passphrases and the recovery code, which can be given instead of the
    /// passphrase everywhere
    #[command(subcommand)]
    Keys(Keys),
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
    /// Take a slot away; the last one stays
    Remove {
        /// Its number in the list
        number: u32,
    },
}

/// Runs a command about the vault.
pub fn run(
    inspector: &Inspector,
    out: &Output,
    command: &VaultCommand,
    secret: Option<&Path>,
) -> Result<(), Failure> {
    match command {
        VaultCommand::Passphrase { new } => {
            inspector.change_passphrase(passphrase(secret)?, passphrase(Some(new))?)?;
            out.done_with("passphrase", "changed");
            Ok(())
        }
        VaultCommand::Keys(keys) => change_keys(inspector, out, keys, secret),
    }
}

fn change_keys(
    inspector: &Inspector,
    out: &Output,
    keys: &Keys,
    secret: Option<&Path>,
) -> Result<(), Failure> {
    match keys {
        Keys::List => {}
        Keys::Add { new } => {
            inspector.add_passphrase(passphrase(secret)?, passphrase(Some(new))?)?;
        }
        Keys::Recovery => {
            out.recovery_code(&inspector.draw_recovery_code(passphrase(secret)?)?);
            return Ok(());
        }
        Keys::Remove { number } => inspector.remove_key_slot(passphrase(secret)?, *number)?,
    }
    out.key_slots(&inspector.key_slots()?);
    Ok(())
}
