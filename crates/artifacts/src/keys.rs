//! The secrets that sign references and links: several at a time, so that they can be changed while links are out.
//!
//! Must never show a secret, nor compare a signature byte by byte.

use engross_store::Millis;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretSlice};
use sha2::Sha256;

use super::error::ScopeError;

/// The bytes of the shortest secret.
const SHORTEST: usize = 16;

/// A secret with a name.
#[derive(Debug, Clone)]
pub struct SigningKey {
    id: String,
    secret: SecretSlice<u8>,
    retired: Option<Millis>,
}

impl SigningKey {
    /// A key of at least 16 random bytes. `id` goes out in every reference and is not secret; from `retired` on, in
    /// milliseconds since 1970, it neither signs nor verifies.
    ///
    /// # Errors
    /// [`ScopeError::KeyUnusable`] when the secret is too short, or `id` is not 1 to 64 letters, digits, `_` and `-`.
    pub fn new(id: &str, secret: Vec<u8>, retired: Option<Millis>) -> Result<Self, ScopeError> {
        let secret = SecretSlice::from(secret);
        let good = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if secret.expose_secret().len() < SHORTEST {
            return Err(ScopeError::KeyUnusable { problem: "its secret has less than 16 bytes" });
        }
        if !(1..=64).contains(&id.len()) || !id.chars().all(good) {
            return Err(ScopeError::KeyUnusable {
                problem: "its id is not 1 to 64 letters, digits, _ and -",
            });
        }
        Ok(Self { id: id.to_owned(), secret, retired })
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    fn is_active(&self, now: Millis) -> bool {
        self.retired.is_none_or(|retired| now < retired)
    }

    fn mac(&self, message: &[u8]) -> Result<Hmac<Sha256>, ScopeError> {
        let mac = Hmac::<Sha256>::new_from_slice(self.secret.expose_secret());
        // No length of a secret is refused by this algorithm.
        let mac = mac.map_err(|_| ScopeError::KeyUnusable { problem: "its secret cannot be used" })?;
        Ok(mac.chain_update(message))
    }

    pub(super) fn sign(&self, message: &[u8]) -> Result<[u8; 32], ScopeError> {
        Ok(self.mac(message)?.finalize().into_bytes().into())
    }

    /// Compares in a time that does not depend on where they differ.
    pub(super) fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        self.mac(message).is_ok_and(|mac| mac.verify_slice(signature).is_ok())
    }
}

/// All keys, the newest first.
#[derive(Debug, Clone, Default)]
pub struct Keys(Vec<SigningKey>);

impl Keys {
    /// `keys`, the newest first: the first one that is not retired signs, all that are not retired verify.
    #[must_use]
    pub fn new(keys: Vec<SigningKey>) -> Self {
        Self(keys)
    }

    pub(super) fn newest(&self, now: Millis) -> Result<&SigningKey, ScopeError> {
        let problem = "there is none that is not retired";
        self.active(now).next().ok_or(ScopeError::KeyUnusable { problem })
    }

    pub(super) fn active(&self, now: Millis) -> impl Iterator<Item = &SigningKey> {
        self.0.iter().filter(move |key| key.is_active(now))
    }
}
