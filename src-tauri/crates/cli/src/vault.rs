//! What opens the vault, its health, and copies of it.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use inspector::{HealthView, Inspector};

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
    /// Put a backup in the vault's folder, once it was seen to open and to be whole
    RestoreBackup {
        /// The file
        file: PathBuf,
        /// Set a vault that is there aside, in a folder beside it
        #[arg(long)]
        replace: bool,
    },
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
        VaultCommand::Check => {
            inspector.open(passphrase(secret)?)?;
            tell_health(out, &inspector.check()?)
        }
        VaultCommand::Repair => tell_health(out, &inspector.repair(passphrase(secret)?)?),
        VaultCommand::Backup { target, keep } => {
            inspector.open(passphrase(secret)?)?;
            out.backup("written", &inspector.back_up(target, *keep)?);
            Ok(())
        }
        VaultCommand::RestoreBackup { file, replace } => {
            let restored = inspector.restore_backup(file, passphrase(secret)?, *replace)?;
            out.backup("restored", &restored);
            Ok(())
        }
    }
}

fn tell_health(out: &Output, health: &HealthView) -> Result<(), Failure> {
    out.health(health);
    if health.sound {
        Ok(())
    } else {
        Err(Failure::Unsound)
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
