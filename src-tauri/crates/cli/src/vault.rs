//! What opens the vault, its health, and copies of it.

use std::path::Path;

use inspector::{ExportForm, HealthView, Inspector};

use crate::arguments::{Form, Keys, VaultCommand};
use crate::failure::Failure;
use crate::opening::{open, passphrase};
use crate::output::Output;

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
            open(inspector, secret)?;
            tell_health(out, &inspector.check()?)
        }
        VaultCommand::Repair => tell_health(out, &inspector.repair(passphrase(secret)?)?),
        VaultCommand::Backup { target, keep } => {
            open(inspector, secret)?;
            out.backup("written", &inspector.back_up(target, *keep)?);
            Ok(())
        }
        VaultCommand::Export { file, form } => {
            open(inspector, secret)?;
            out.exported_memories(&inspector.export(file, (*form).into())?);
            Ok(())
        }
        VaultCommand::Import {
            file,
            prefer_archive,
            archive_passphrase,
        } => {
            // A keychain may open this vault; what opened an archive is typed.
            let of_archive = if let Some(given) = archive_passphrase {
                open(inspector, secret)?;
                passphrase(Some(given))?
            } else {
                let own = passphrase(secret)?;
                inspector.open(own.clone())?;
                own
            };
            out.imported_memories(&inspector.import(file, of_archive, *prefer_archive)?);
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
        Keys::List => {
            let slots = inspector.key_slots()?;
            let keychain = if inspector.has_keychain_slot() {
                Some(inspector.keychain()?.state)
            } else {
                None
            };
            out.key_slots(&slots, keychain);
            return Ok(());
        }
        Keys::Add { new } => {
            inspector.add_passphrase(passphrase(secret)?, passphrase(Some(new))?)?;
        }
        Keys::Recovery => {
            out.recovery_code(&inspector.draw_recovery_code(passphrase(secret)?)?);
            return Ok(());
        }
        Keys::Keychain { forget: false } => {
            inspector.use_keychain(passphrase(secret)?)?;
        }
        Keys::Keychain { forget: true } => {
            let removed = inspector.forget_keychain()?;
            out.slot_removed(&inspector.key_slots()?, removed);
            return Ok(());
        }
        Keys::Rekey => {
            out.rekeyed(&inspector.rekey(passphrase(secret)?)?);
            return Ok(());
        }
        Keys::Remove { number } => {
            let removed = inspector.remove_key_slot(passphrase(secret)?, *number)?;
            out.slot_removed(&inspector.key_slots()?, removed);
            return Ok(());
        }
    }
    out.key_slots(&inspector.key_slots()?, None);
    Ok(())
}

impl From<Form> for ExportForm {
    fn from(form: Form) -> Self {
        match form {
            Form::Archive => Self::Archive,
            Form::Jsonl => Self::Jsonl,
            Form::Markdown => Self::Markdown,
        }
    }
}
