//! The key file: a random data key, wrapped by a passphrase.
//!
//! `vault.keys` is JSON. The passphrase goes through Argon2id; its output opens an
//! XChaCha20-Poly1305 box that holds the 32-byte data key, with the key-derivation parameters and
//! the salt as associated data, so that neither can be swapped. Two values tell three failures
//! apart, where the database alone would give one and the same error:
//! the checksum says that the key file is whole, the box says that the passphrase is right, and the
//! key-check value says that the key is this vault's. If all hold and the database does not open,
//! its first page is damaged.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

use crate::error::VaultError;
use crate::passphrase::Passphrase;

const FORMAT: &str = "lethescope-keys";
const VERSION: u32 = 1;

/// The key of the database; wiped when dropped.
pub(crate) type DataKey = Zeroizing<[u8; 32]>;

/// What one guess of the passphrase costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KdfCost {
    /// Memory in KiB.
    pub memory_kib: u32,
    /// Passes over that memory.
    pub passes: u32,
    /// Lanes.
    pub lanes: u32,
}

impl KdfCost {
    /// 64 MiB, three passes, four lanes: about 0.2 s.
    pub const STANDARD: Self = Self {
        memory_kib: 64 * 1024,
        passes: 3,
        lanes: 4,
    };
    /// As cheap as Argon2id allows. Protects nothing: for tests and for the demo, whose
    /// passphrase is public.
    pub const TEST: Self = Self {
        memory_kib: 64,
        passes: 1,
        lanes: 1,
    };

    /// Bounds what a foreign key file can make this program spend.
    fn is_sane(self) -> bool {
        self.memory_kib <= 2 * 1024 * 1024 && self.passes <= 64 && self.lanes <= 64
    }
}

#[derive(Serialize, Deserialize)]
struct KeyFile {
    format: String,
    version: u32,
    slots: Vec<Slot>,
    key_check: String,
    /// SHA-256 over the slots and the key-check value, as hexadecimal digits.
    checksum: String,
}

#[derive(Clone, Serialize, Deserialize)]
struct Slot {
    kind: String,
    kdf: String,
    cost: KdfCost,
    salt: String,
    nonce: String,
    wrapped: String,
}

impl Slot {
    /// Everything that decides how the box is opened.
    fn associated_data(&self) -> Vec<u8> {
        format!(
            "{FORMAT}/{VERSION}/{}/{}/{}/{}/{}/{}",
            self.kind, self.kdf, self.cost.memory_kib, self.cost.passes, self.cost.lanes, self.salt
        )
        .into_bytes()
    }
}

fn random<const N: usize>() -> Result<Zeroizing<[u8; N]>, VaultError> {
    let mut bytes = Zeroizing::new([0; N]);
    getrandom::fill(bytes.as_mut_slice())
        .map_err(|_| VaultError::Io(std::io::ErrorKind::Unsupported))?;
    Ok(bytes)
}

fn key_check(key: &DataKey) -> String {
    let mut digest = Sha256::new();
    digest.update(b"lethescope key check");
    digest.update(key.as_slice());
    hex::encode(&digest.finalize()[..16])
}

fn checksum(slots: &[Slot], key_check: &str) -> String {
    let mut digest = Sha256::new();
    for slot in slots {
        digest.update(slot.associated_data());
        digest.update(slot.nonce.as_bytes());
        digest.update(slot.wrapped.as_bytes());
    }
    digest.update(key_check.as_bytes());
    hex::encode(digest.finalize())
}

fn derive(pass: &Passphrase, salt: &[u8], cost: KdfCost) -> Result<DataKey, VaultError> {
    const WHAT: VaultError = VaultError::Invalid {
        what: "cost of the passphrase",
    };
    if !cost.is_sane() {
        return Err(WHAT);
    }
    let params =
        Params::new(cost.memory_kib, cost.passes, cost.lanes, Some(32)).map_err(|_| WHAT)?;
    let mut key = Zeroizing::new([0; 32]);
    // The blocks hold what the key is derived from, so they are wiped as well.
    let mut blocks = Zeroizing::new(vec![argon2::Block::default(); params.block_count()]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into_with_memory(
            pass.as_bytes(),
            salt,
            key.as_mut_slice(),
            blocks.as_mut_slice(),
        )
        .map_err(|_| WHAT)?;
    Ok(key)
}

/// Makes a new data key and the key file that gives it back for the passphrase.
pub(crate) fn make(pass: &Passphrase, cost: KdfCost) -> Result<(DataKey, Vec<u8>), VaultError> {
    let key = random::<32>()?;
    let salt = random::<16>()?;
    let nonce = random::<24>()?;
    let mut slot = Slot {
        kind: "passphrase".to_owned(),
        kdf: "argon2id/19".to_owned(),
        cost,
        salt: hex::encode(salt.as_slice()),
        nonce: hex::encode(nonce.as_slice()),
        wrapped: String::new(),
    };
    let wrapping = derive(pass, salt.as_slice(), cost)?;
    let wrapped = XChaCha20Poly1305::new(wrapping.as_slice().into())
        .encrypt(
            XNonce::from_slice(nonce.as_slice()),
            Payload {
                msg: key.as_slice(),
                aad: &slot.associated_data(),
            },
        )
        .map_err(|_| VaultError::Invalid { what: "key" })?;
    slot.wrapped = hex::encode(wrapped);
    let key_check = key_check(&key);
    let slots = vec![slot];
    let file = KeyFile {
        format: FORMAT.to_owned(),
        version: VERSION,
        checksum: checksum(&slots, &key_check),
        slots,
        key_check,
    };
    let mut text =
        serde_json::to_vec_pretty(&file).map_err(|_| VaultError::Invalid { what: "key file" })?;
    text.push(b'\n');
    Ok((key, text))
}

/// Writes a key file so that it is there as a whole or not at all.
pub(crate) fn write(path: &Path, text: &[u8]) -> Result<(), VaultError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text)?;
    file.sync_all()?;
    Ok(())
}

/// Opens a key file.
///
/// # Errors
/// [`VaultError::WrongPassphrase`], [`VaultError::TooNew`], or [`VaultError::NotAVault`] when the
/// file is damaged or something else altogether.
pub(crate) fn open(path: &Path, pass: &Passphrase) -> Result<DataKey, VaultError> {
    let not_ours = |why| VaultError::NotAVault {
        path: path.to_owned(),
        why,
    };
    if path.is_dir() {
        return Err(not_ours("a folder"));
    }
    let text = fs::read(path)?;
    let file: KeyFile =
        serde_json::from_slice(&text).map_err(|_| not_ours("the key file is damaged"))?;
    if file.format != FORMAT {
        return Err(not_ours("the key file is not of this program"));
    }
    if file.version > VERSION {
        return Err(VaultError::TooNew {
            found: file.version,
            known: VERSION,
        });
    }
    if checksum(&file.slots, &file.key_check) != file.checksum {
        return Err(not_ours("the key file is damaged"));
    }
    for slot in file.slots.iter().filter(|slot| slot.kind == "passphrase") {
        let decode =
            |text: &str| hex::decode(text).map_err(|_| not_ours("the key file is damaged"));
        let (salt, nonce, wrapped) = (
            decode(&slot.salt)?,
            decode(&slot.nonce)?,
            decode(&slot.wrapped)?,
        );
        if nonce.len() != 24 {
            return Err(not_ours("the key file is damaged"));
        }
        let wrapping = derive(pass, &salt, slot.cost)?;
        let opened = XChaCha20Poly1305::new(wrapping.as_slice().into()).decrypt(
            XNonce::from_slice(&nonce),
            Payload {
                msg: &wrapped,
                aad: &slot.associated_data(),
            },
        );
        if let Ok(opened) = opened {
            let opened = Zeroizing::new(opened);
            let mut key = Zeroizing::new([0; 32]);
            if opened.len() != key.len() {
                return Err(not_ours("the key file is damaged"));
            }
            key.copy_from_slice(&opened);
            if key_check(&key) != file.key_check {
                return Err(not_ours("the key file belongs to another vault"));
            }
            return Ok(key);
        }
    }
    Err(VaultError::WrongPassphrase)
}
