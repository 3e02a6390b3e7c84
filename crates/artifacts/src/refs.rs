//! Signs and checks references to artifacts, which only this workspace can issue.
//!
//! Must never accept one that is not signed, nor trust what it says before its signature is verified.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use engross_store::Millis;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::error::ScopeError;
use super::hashes::Sha256Sum;
use super::keys::{Keys, SigningKey};
use super::workspace::Scope;

/// The bytes of the longest reference.
const MAX: usize = 32 << 10;

/// What a reference says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactClaim {
    /// The file's path beneath the scope.
    pub relative_path: String,
    /// Its length in bytes when it was exported.
    pub size_bytes: u64,
    /// Its hash then.
    pub sha256: Sha256Sum,
}

/// Signs references.
#[derive(Debug, Clone, Copy)]
pub struct Signer<'a> {
    /// The keys.
    pub keys: &'a Keys,
    /// The time, in milliseconds since 1970.
    pub now: Millis,
    /// How long a reference is good, in milliseconds.
    pub lifetime: Millis,
}

/// Version 3.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Body {
    v: u8,
    /// The key.
    kid: String,
    /// In seconds since 1970.
    exp: u64,
    workspace_root_hash: String,
    scope_kind: String,
    artifact_scope: String,
    relative_path: String,
    size_bytes: u64,
    sha256: Sha256Sum,
}

/// Version 2, as the reference issues it: without key and expiry.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldBody {
    workspace_root_hash: String,
    scope_kind: String,
    session_scope: String,
    run_scope: String,
    artifact_scope: String,
    relative_path: String,
    size_bytes: u64,
    sha256: Sha256Sum,
}

/// What both versions bind.
struct BoundClaim<'a> {
    workspace: &'a str,
    kind: &'a str,
    artifact_scope: &'a str,
}

impl Signer<'_> {
    /// A reference of version 3 to a file of `scope`: it is good for this file with these bytes, for this session and run, in
    /// this workspace, until it expires.
    ///
    /// # Errors
    /// [`ScopeError::KeyUnusable`] when no key is left to sign with.
    pub fn sign(&self, scope: &Scope, claim: &ArtifactClaim) -> Result<String, ScopeError> {
        let key = self.keys.newest(self.now)?;
        let body = Body {
            v: 3,
            kid: key.id().to_owned(),
            exp: self.now.saturating_add(self.lifetime) / 1000,
            workspace_root_hash: scope.workspace_hash().to_owned(),
            scope_kind: "task".to_owned(),
            artifact_scope: scope.name().as_str().to_owned(),
            relative_path: claim.relative_path.clone(),
            size_bytes: claim.size_bytes,
            sha256: claim.sha256,
        };
        let body = serde_json::to_vec(&body).unwrap_or_default();
        let body = URL_SAFE_NO_PAD.encode(body);
        let signature = URL_SAFE_NO_PAD.encode(key.sign(body.as_bytes())?);
        Ok(format!("{body}.{signature}"))
    }
}

impl Keys {
    /// What the reference `text` says, if it was issued for `scope` and is still good at `now`, in milliseconds since 1970.
    ///
    /// # Errors
    /// * [`ScopeError::RefInvalid`]: not signed by a key that is not retired, or of another version than 2 and 3.
    /// * [`ScopeError::RefExpired`].
    /// * [`ScopeError::RefMismatch`]: issued for another workspace, session or run.
    pub fn verify(&self, scope: &Scope, text: &str, now: Millis) -> Result<ArtifactClaim, ScopeError> {
        let invalid = |problem| ScopeError::RefInvalid { problem };
        if text.len() > MAX {
            return Err(invalid("it is too long"));
        }
        let (body, signature) = text.split_once('.').ok_or(invalid("it is no signed text"))?;
        let signature =
            URL_SAFE_NO_PAD.decode(signature).map_err(|_| invalid("its signature is no base64url"))?;
        let signers: Vec<&str> = self
            .active(now)
            .filter(|key| key.verifies(body.as_bytes(), &signature))
            .map(SigningKey::id)
            .collect();
        if signers.is_empty() {
            return Err(invalid("its signature is wrong, or its key is retired"));
        }
        let unreadable = "what it says cannot be read";
        let body = URL_SAFE_NO_PAD.decode(body).map_err(|_| invalid(unreadable))?;
        let body: Value = serde_json::from_slice(&body).map_err(|_| invalid(unreadable))?;
        match body.get("v").and_then(Value::as_u64) {
            Some(3) => {
                let body: Body = serde_json::from_value(body).map_err(|_| invalid(unreadable))?;
                if !signers.contains(&body.kid.as_str()) {
                    return Err(invalid("another key signed it than it says"));
                }
                let bound = BoundClaim {
                    workspace: &body.workspace_root_hash,
                    kind: &body.scope_kind,
                    artifact_scope: &body.artifact_scope,
                };
                bound.check(scope)?;
                if body.exp <= now / 1000 {
                    return Err(ScopeError::RefExpired);
                }
                let Body { relative_path, size_bytes, sha256, .. } = body;
                Ok(ArtifactClaim { relative_path, size_bytes, sha256 })
            }
            Some(2) => {
                let body: OldBody = serde_json::from_value(body).map_err(|_| invalid(unreadable))?;
                let bound = BoundClaim {
                    workspace: &body.workspace_root_hash,
                    kind: &body.scope_kind,
                    artifact_scope: &body.artifact_scope,
                };
                bound.check(scope)?;
                if body.run_scope != body.artifact_scope || body.session_scope != scope.name().session_scope()
                {
                    return Err(ScopeError::RefMismatch { what: "session and run" });
                }
                let OldBody { relative_path, size_bytes, sha256, .. } = body;
                Ok(ArtifactClaim { relative_path, size_bytes, sha256 })
            }
            _ => Err(invalid("its version is neither 2 nor 3")),
        }
    }
}

impl BoundClaim<'_> {
    fn check(&self, scope: &Scope) -> Result<(), ScopeError> {
        if self.workspace != scope.workspace_hash() || self.kind != "task" {
            Err(ScopeError::RefMismatch { what: "workspace" })
        } else if self.artifact_scope != scope.name().as_str() {
            Err(ScopeError::RefMismatch { what: "session and run" })
        } else {
            Ok(())
        }
    }
}
