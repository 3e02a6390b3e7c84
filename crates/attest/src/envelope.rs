//! A statement and who signed it: a DSSE envelope (Dead Simple Signing Envelope, version 1) with one Ed25519 signature.
//!
//! Must never read a statement whose signature was not checked for what it says.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::key::{PublicKey, SigningIdentity};

/// Signed bytes with their type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Envelope {
    /// The media type of what is signed.
    pub payload_type: String,
    /// What is signed, in base64.
    pub payload: String,
    /// Exactly one.
    pub signatures: Vec<Signature>,
}

/// A signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// Which key.
    pub keyid: String,
    /// 64 bytes in base64.
    pub sig: String,
}

impl Envelope {
    /// Signs bytes of a type.
    pub(super) fn sign(identity: &SigningIdentity, payload_type: &str, payload: &[u8]) -> Self {
        let sig = identity.sign(&pre_authentication(payload_type, payload));
        Self {
            payload_type: payload_type.to_owned(),
            payload: STANDARD.encode(payload),
            signatures: vec![Signature { keyid: identity.public().id(), sig: STANDARD.encode(sig) }],
        }
    }

    /// The signed bytes, if this key has signed them.
    pub(super) fn verified(&self, key: &PublicKey) -> Option<Vec<u8>> {
        let [signature] = self.signatures.as_slice() else { return None };
        let payload = STANDARD.decode(&self.payload).ok()?;
        let bytes = STANDARD.decode(&signature.sig).ok()?;
        let is_good = signature.keyid == key.id()
            && key.verifies(&pre_authentication(&self.payload_type, &payload), &bytes);
        is_good.then_some(payload)
    }
}

/// What is really signed, so that neither type nor length can be moved into each other.
fn pre_authentication(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}
