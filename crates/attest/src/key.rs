//! The keys that receipts are signed and checked with: Ed25519.
//!
//! Must never show a secret.

use std::fmt;

use engross_protocol::hex;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use sha2::{Digest, Sha256};

use super::error::ReceiptError;

/// The fewest bytes of a secret that nodes share.
const SHORTEST: usize = 16;

/// What a receipt is checked with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

/// What a receipt is signed with.
pub struct SigningIdentity {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

impl PublicKey {
    /// Of 64 lower-case hexadecimal digits.
    ///
    /// # Errors
    /// [`ReceiptError::Key`].
    pub fn parse(text: &str) -> Result<Self, ReceiptError> {
        let text = text.trim();
        let bytes = hex::decode(text).filter(|bytes: &[u8; 32]| hex::encode(bytes) == text);
        bytes.map(Self).ok_or(ReceiptError::Key { problem: "it is not 64 lower-case hexadecimal digits" })
    }

    /// What signatures name it by: the first 16 digits of its hash.
    #[must_use]
    pub fn id(&self) -> String {
        hex::encode_prefix(Sha256::digest(self.0), 8)
    }

    /// Whether `signature` is this key's, of these bytes.
    pub(super) fn verifies(&self, bytes: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(bytes, signature).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl SigningIdentity {
    /// Of 32 random bytes.
    ///
    /// # Errors
    /// [`ReceiptError::Key`] when there are more or fewer.
    pub fn from_seed(seed: &[u8]) -> Result<Self, ReceiptError> {
        let unusable = ReceiptError::Key { problem: "its secret does not have 32 bytes" };
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| unusable.clone())?;
        let public = pair.public_key().as_ref().try_into().map_err(|_| unusable)?;
        Ok(Self { pair, public: PublicKey(public) })
    }

    /// Of a secret that several nodes have, so that they sign as one.
    ///
    /// # Errors
    /// [`ReceiptError::Key`] when it has fewer than 16 bytes.
    pub fn from_secret(secret: &[u8]) -> Result<Self, ReceiptError> {
        if secret.len() < SHORTEST {
            return Err(ReceiptError::Key { problem: "its secret has fewer than 16 bytes" });
        }
        let mut digest = Sha256::new();
        digest.update(b"engross receipts 1\n");
        digest.update(secret);
        Self::from_seed(&digest.finalize())
    }

    /// What others check with.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        self.public
    }

    pub(super) fn sign(&self, bytes: &[u8]) -> Vec<u8> {
        self.pair.sign(bytes).as_ref().to_vec()
    }
}

impl fmt::Debug for SigningIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningIdentity({})", self.public)
    }
}
