//! Keys that make a repeated request answer the same.
//!
//! Must never give one request the answer of another.

use engross_protocol::hex;
use engross_protocol::shared;
use engross_store::Name;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::RequestError;
use super::request::TurnRequest;
use crate::codes;

/// A key of a request, and what the request was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyClaim {
    pub(super) name: Name,
    digest: String,
}

#[derive(Serialize, Deserialize)]
struct ClaimValue {
    answer: u64,
    digest: String,
}

impl KeyClaim {
    /// The claim of a request, if it has a key.
    pub(super) fn of(request: &TurnRequest) -> Result<Option<Self>, RequestError> {
        let Some(key) = &request.idempotency_key else { return Ok(None) };
        let name = Name::new(format!("once\u{1}{}\u{1}{key}", request.principal)).map_err(|error| {
            RequestError::of(
                codes::IDEMPOTENCY_KEY_INVALID,
                format!("the idempotency key cannot be used: {error}"),
            )
        })?;
        let content = format!(
            "{:?}",
            (&request.key, &request.system, &request.messages, &request.tools, &request.parameters)
        );
        let digest = hex::encode(Sha256::digest(content.as_bytes()));
        Ok(Some(Self { name, digest }))
    }

    /// The row that leads from the key to its answer.
    pub(super) fn name(&self, answer: u64) -> (Name, Vec<u8>) {
        let value = ClaimValue { answer, digest: self.digest.clone() };
        (self.name.clone(), serde_json::to_vec(&value).unwrap_or_default())
    }

    /// The answer that a row leads to.
    pub(super) fn answer(&self, row: &[u8]) -> Result<u64, RequestError> {
        let value: Option<ClaimValue> = serde_json::from_slice(row).ok();
        match value {
            Some(value) if value.digest == self.digest => Ok(value.answer),
            _ => Err(RequestError::of(
                shared::IDEMPOTENCY_KEY_REUSED,
                "this idempotency key belongs to another request; use a new key for a new request",
            )),
        }
    }
}
