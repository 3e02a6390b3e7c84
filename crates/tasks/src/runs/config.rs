//! What the service of runs is made of.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use engross_protocol::{Clock, IdSource};
use engross_store::blobs::Blobs;
use engross_store::{Millis, Store};

use super::request::Target;
use super::run_queue::Capacity;
use crate::runner::{ProviderId, TaskRunner};
use engross_artifacts::{
    ArtifactScope, ArtifactWorkspace, HashContext, Hashes, Keys, RunId, SessionKey, SourceRoot, Stop,
};
use engross_attest::SigningIdentity;

/// Somebody who can carry out runs.
#[derive(Clone)]
pub struct RunProvider {
    /// Its id.
    pub id: ProviderId,
    /// Its name for people.
    pub label: String,
    /// Whether it is an agent or a gateway.
    pub target: Target,
    /// `native` or `protocol-adapter`.
    pub category: &'static str,
    /// Who does it; `None` when it is not there.
    pub runner: Option<Arc<dyn TaskRunner>>,
    /// What would bring it, such as a command.
    pub help: String,
    /// Folders outside the scope that files may be taken from which it names.
    pub sources: Vec<SourceRoot>,
}

/// What the service needs.
pub struct RunsConfig {
    /// Where threads are kept: a store of their own, which no other process writes to.
    pub store: Arc<dyn Store>,
    /// Where runs work.
    pub workspace: ArtifactWorkspace,
    /// Where that is, as agents name it.
    pub place: String,
    /// What references and links are signed with.
    pub keys: Keys,
    /// What receipts of runs are signed with; nothing without.
    pub signer: Option<Arc<SigningIdentity>>,
    /// Hashes of files that were computed before.
    pub hashes: Arc<dyn Hashes>,
    /// Where files of ended runs are kept besides; nowhere without.
    pub blobs: Option<Arc<dyn Blobs>>,
    /// How many files are hashed at once.
    pub threads: NonZeroUsize,
    /// Who can carry out runs, in the order they are told.
    pub providers: Vec<RunProvider>,
    /// Whether an agent is given the environment of the one who looks on at its task, and waits for somebody who does.
    pub waits_for_viewer: bool,
    /// The places of the gateway's queue.
    pub gateway: Capacity,
    /// Set when the process is about to end: work on files ends then, and is taken up by the next process.
    pub halt: AtomicBool,
    /// How long an agent has to stop by itself once it was asked to.
    pub grace: Duration,
    /// How long references and links are good, in milliseconds.
    pub lifetime: Millis,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes ids.
    pub ids: Arc<dyn IdSource>,
}

impl RunsConfig {
    /// The provider of this id.
    #[must_use]
    pub fn provider(&self, id: &ProviderId) -> Option<&RunProvider> {
        self.providers.iter().find(|provider| provider.id == *id)
    }

    /// The folder of a run as agents name it.
    #[must_use]
    pub fn directory_of(&self, session: &SessionKey, run: &RunId) -> String {
        format!("{}/{}", self.place.trim_end_matches('/'), ArtifactScope::of(session, run))
    }

    /// What helps to hash.
    #[must_use]
    pub fn hashing(&self) -> HashContext<'_> {
        self.hashing_until(&self.halt)
    }

    /// The same with another word for its end.
    pub(super) fn hashing_until<'a>(&'a self, stop: &'a dyn Stop) -> HashContext<'a> {
        HashContext { hashes: &*self.hashes, clock: &*self.clock, threads: self.threads, stop: Some(stop) }
    }
}
