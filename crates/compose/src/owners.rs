//! The owners of a server while it runs: those that keys name are opened, when it starts and when it is told to read keys again.
//!
//! Must never let a key in before what its owner has is there, nor give up keys that work for a file that does not.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use engross_agent::session::Sessions;
use engross_http::{AllSessions, Brake, DEFAULT_OWNER, OwnerQuota, Owners, Server, owner_routes};
use engross_protocol::{Failure, RandomIds, SystemClock};
use engross_tasks::rpc::Bridge;
use tokio::task::JoinSet;

use super::keys::KeyStore;
use super::owner::{OwnerParts, OwnerPlaces, ServedOwner, principal_of};
use super::tasks::OwnerToolboxes;
use crate::console::note;

/// How often what owners have is measured, and how long after a refusal at the earliest.
const MEASURE_EVERY: Duration = Duration::from_secs(300);
const MEASURE_AGAIN: Duration = Duration::from_secs(2);

/// The owners of a server.
pub(super) struct OwnerRegistry {
    pub(super) places: Arc<OwnerPlaces>,
    pub(super) keys: KeyStore,
    pub(super) toolboxes: OwnerToolboxes,
    pub(super) sessions: Sessions,
    /// That of the default owner, which the others are like.
    pub(super) first: Arc<Server<AllSessions>>,
    pub(super) routes: Owners,
    pub(super) served: Mutex<Vec<Arc<ServedOwner>>>,
    pub(super) working: Mutex<JoinSet<()>>,
    /// How much each owner may have.
    pub(super) quotas: Mutex<Vec<(String, OwnerQuota)>>,
}

impl OwnerRegistry {
    /// Serves the default owner; gives the routes to what is no session.
    pub(super) async fn add_first(&self, parts: OwnerParts) -> Result<(Router, Bridge), Failure> {
        self.first.metrics.watch_writes(parts.writes().clone());
        lock(&self.quotas).push((DEFAULT_OWNER.to_owned(), self.first.quota.clone()));
        let (served, further, bridge) =
            parts.serve(self.sessions.clone(), &self.first.limits, self.first.access.is_locked()).await?;
        self.look_after(served);
        Ok((further, bridge))
    }

    /// Takes the keys of the file, and opens what owners have who are new. After a failure all is as it was.
    pub(super) async fn take_keys(&self) -> Result<(), Failure> {
        let Some(keys) = self.keys.access_keys()? else {
            return match self.first.access.is_locked_by_keys() {
                // One who removes the file has not said that everybody may come in.
                true => Err(files_missing(&self.keys)),
                false => Ok(()),
            };
        };
        for key in &keys {
            if &*key.owner != DEFAULT_OWNER && !self.routes.has(&key.owner) {
                self.add(&key.owner).await?;
            }
        }
        self.first.access.keys.replace(keys);
        Ok(())
    }

    async fn add(&self, owner: &str) -> Result<(), Failure> {
        let parts = self.places.open(owner)?;
        let principal = principal_of(owner);
        self.toolboxes.add(principal, parts.toolboxes());
        let first = &self.first;
        let metrics = Arc::new(first.metrics.of_owner());
        let quota = OwnerQuota::new(self.places.settings.serve.quota(owner));
        let server = Server {
            service: first.service.of_owner(principal),
            model: first.model.clone(),
            documents: parts.documents.clone(),
            clock: Arc::new(SystemClock),
            ids: Arc::new(RandomIds),
            access: first.access.clone(),
            access_log: None,
            // The door before all owners has the one that counts.
            brake: Brake::default(),
            strict_models: first.strict_models,
            session_by_user: first.session_by_user,
            codes: first.codes,
            limits: first.limits.clone(),
            quota: quota.clone(),
            metrics: Arc::clone(&metrics),
        };
        metrics.watch_writes(parts.writes().clone());
        let (served, further, _) = parts.serve(self.sessions.clone(), &first.limits, true).await?;
        self.look_after(served);
        lock(&self.quotas).push((owner.to_owned(), quota.clone()));
        self.routes.add(owner, owner_routes(Arc::new(server), further), metrics, quota);
        Ok(())
    }

    fn look_after(&self, served: ServedOwner) {
        let served = Arc::new(served);
        lock(&self.served).push(Arc::clone(&served));
        lock(&self.working).spawn(async move { served.look_after().await });
    }

    /// Measures what owners have, where there is a bound: now and then, and soon after somebody was refused. Never ends.
    pub(super) async fn measure(&self) {
        loop {
            let quotas = lock(&self.quotas).clone();
            let bounded: Vec<(String, OwnerQuota)> =
                quotas.into_iter().filter(|(_, quota)| quota.is_bounded()).collect();
            if !bounded.is_empty() {
                self.measure_once(&bounded).await;
            }
            let refused = async {
                let mut waits = JoinSet::new();
                for (_, quota) in bounded {
                    waits.spawn(async move { quota.was_refused().await });
                }
                match waits.is_empty() {
                    true => std::future::pending().await,
                    false => drop(waits.join_next().await),
                }
            };
            // What an owner has that a new key names is measured then, too.
            let _ = tokio::time::timeout(MEASURE_EVERY, refused).await;
            tokio::time::sleep(MEASURE_AGAIN).await;
        }
    }

    async fn measure_once(&self, bounded: &[(String, OwnerQuota)]) {
        let since: Vec<u64> = bounded.iter().map(|(_, quota)| quota.since()).collect();
        let stored = match self.sessions.stored_bytes().await {
            Ok(stored) => stored,
            Err(error) => {
                tracing::warn!(code = error.code, "what owners have was not measured: {}", error.message);
                return;
            }
        };
        for ((owner, quota), since) in bounded.iter().zip(since) {
            let (places, name) = (Arc::clone(&self.places), owner.clone());
            let files = tokio::task::spawn_blocking(move || places.file_bytes(&name)).await;
            let sessions = stored.get(principal_of(owner)).copied().unwrap_or_default();
            quota.measured(files.unwrap_or_default().saturating_add(sessions), since);
        }
    }

    /// Lets runs end that can.
    pub(super) async fn drain(&self, patience: Duration) {
        let mut draining = JoinSet::new();
        for served in lock(&self.served).clone() {
            draining.spawn(async move { served.drain(patience).await });
        }
        while draining.join_next().await.is_some() {}
    }

    /// Ends what is left, and closes what is open.
    pub(super) async fn close(&self) -> Result<(), Failure> {
        lock(&self.working).abort_all();
        let all = lock(&self.served).clone();
        for served in all {
            served.close().await?;
        }
        Ok(())
    }

    /// Reads the keys again while the server runs. What cannot be used is told, and the server goes on with what it had.
    pub(super) async fn renew_keys(&self) {
        match self.take_keys().await {
            Ok(()) if self.first.access.is_locked_by_keys() => note("The keys were read again"),
            Ok(()) => {}
            Err(failure) => note(&format!("{} [{}]; the old keys stay", failure.message, failure.code)),
        }
    }
}

fn files_missing(keys: &KeyStore) -> Failure {
    let message =
        format!("{} is not there any more; to shut everybody out, revoke the keys", keys.path().display());
    Failure::of(crate::codes::KEYS_INVALID, message)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
