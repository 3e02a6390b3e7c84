//! Artifact scopes: one folder for each run, and what is delivered from it.
//!
//! Must never touch anything outside the workspace and the named sources, deliver a file of another run, or report a file
//! that is not there whole. Everything here blocks: asynchronous callers use a blocking thread. `docs/design/artifact-scopes.md`
//! says what is guaranteed.
//!
//! The flow: [`ArtifactWorkspace::prepare`] → the run → [`media_references`] and [`Scope::collect`] → [`Scope::manifest`] →
//! [`Scope::freeze`], so that what is delivered stays what it was; a journal may store the manifest → [`Scope::page`] for the wire → [`Scope::open_wanted`] or [`Keys::follow`] for the bytes.

pub mod codes;
mod collect;
mod collecting;
mod content_type;
mod deliverable;
mod error;
mod export;
mod file_list;
mod freeze;
mod frozen;
mod hashes;
mod hashing;
mod hints;
mod ignore;
mod keys;
mod links;
mod manifest;
mod media;
mod name;
mod open_artifact;
mod read;
mod refs;
mod requirements;
mod soundness;
mod survey;
mod warnings;
mod workspace;

#[cfg(test)]
mod error_tests;
#[cfg(test)]
mod hashes_tests;
#[cfg(test)]
mod ignore_tests;
#[cfg(test)]
mod name_tests;

pub use collect::{CollectedFile, Collection, SourceKind, SourceRoot};
pub use collecting::CollectedFiles;
pub use content_type::content_type;
pub use deliverable::{Deliverable, Manifest};
pub use error::ScopeError;
pub use export::{Artifact, ExportPage, PageRequest};
pub use file_list::FileList;
pub use frozen::FrozenFiles;
pub use hashes::{Hashes, MemoryHashes, Sha256Sum, is_settled};
pub use hashing::{HashContext, Stop};
pub use hints::{ExpectedDir, ExpectedDirStatus, expected_dirs};
pub use keys::{Keys, SigningKey};
pub use links::{LinkQuery, LinkTarget};
pub use media::{media_references, media_tokens};
pub use name::{ArtifactScope, RunId, SessionKey, segment};
pub use open_artifact::{ArtifactStream, ByteSpan, OpenArtifact};
pub use read::ArtifactQuery;
pub use refs::{ArtifactClaim, Signer};
pub use requirements::{Count, RequirementOutcome, Requirements};
pub use workspace::{ArtifactWorkspace, PreparedScope, Scope};
