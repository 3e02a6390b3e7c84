//! Keeps the key of this device, by which a gateway recognises it: Ed25519, in a file that only its owner can read.
//!
//! Must never tell the private half to anyone, nor take the place of a key that is there.

use std::fmt;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use engross_protocol::hex;
use engross_store::files::{FileError, PathError, Precondition, RelPath, Root, by_path};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::error::GatewayFault;

/// The file with the key: PKCS #8.
const FILE: &str = "gateway.key";

/// More than any key has.
const LONGEST: u64 = 4096;

/// The key of this device.
pub(super) struct Identity {
    pair: Ed25519KeyPair,
    /// What the gateway calls the device.
    id: String,
}

/// What a login says, all of which is signed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Login<'a> {
    pub(super) client: &'a str,
    pub(super) mode: &'a str,
    pub(super) role: &'a str,
    pub(super) scopes: &'a [&'a str],
    pub(super) token: &'a str,
    /// What the gateway wants to see signed.
    pub(super) nonce: &'a str,
    /// In milliseconds since 1970.
    pub(super) at: u64,
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Identity").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Identity {
    /// The key in `folder`, made if there is none. It blocks.
    pub(super) fn open(folder: &Path) -> Result<Self, GatewayFault> {
        let path = folder.join(FILE);
        let unusable = |problem: String| GatewayFault::Identity { file: path.display().to_string(), problem };
        let unread = |error: PathError| unusable(error.to_string());
        let bytes = match read(&path).map_err(unread)? {
            Some(bytes) => bytes,
            None => {
                let fresh = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
                    .map_err(|_| unusable("the system has no randomness".to_owned()))?;
                put(folder, fresh.as_ref()).map_err(|error| unusable(error.to_string()))?;
                // Of two processes that begin at once the second takes what the first has made.
                read(&path).map_err(unread)?.unwrap_or_default()
            }
        };
        Self::from_bytes(&bytes).ok_or_else(|| unusable("it is no Ed25519 key".to_owned()))
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let pair = Ed25519KeyPair::from_pkcs8(bytes).ok()?;
        let id = hex::encode(Sha256::digest(pair.public_key().as_ref()));
        Some(Self { pair, id })
    }

    /// The field `device` of a login.
    pub(super) fn device(&self, login: Login<'_>) -> Value {
        let signature = self.pair.sign(self.signed(login).as_bytes());
        json!({
            "id": self.id,
            "publicKey": URL_SAFE_NO_PAD.encode(self.pair.public_key().as_ref()),
            "signature": URL_SAFE_NO_PAD.encode(signature.as_ref()),
            "signedAt": login.at,
            "nonce": login.nonce,
        })
    }

    /// What is signed: version 2 of the gateway's own form.
    pub(super) fn signed(&self, login: Login<'_>) -> String {
        let Login { client, mode, role, scopes, token, nonce, at } = login;
        let scopes = scopes.join(",");
        format!("v2|{}|{client}|{mode}|{role}|{scopes}|{at}|{token}|{nonce}", self.id)
    }
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, PathError> {
    match by_path::read(path, LONGEST) {
        Ok((bytes, _)) => Ok(Some(bytes)),
        Err(PathError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Writes a new key whole, and lets one that is there meanwhile be.
fn put(folder: &Path, bytes: &[u8]) -> Result<(), FileError> {
    match Root::open(folder)?.top().write_private(&RelPath::parse(FILE)?, bytes, &Precondition::Absent) {
        Ok(_) | Err(FileError::TargetExists { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
