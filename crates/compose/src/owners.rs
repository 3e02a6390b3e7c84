//! The owners of a server while it runs: those that keys name are opened, when it starts and when it is told to read keys again.
//!
//! Must never let a key in before what its owner has is there, nor give up keys that work for a file that does not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use engross_agent::session::Sessions;
use engross_http::{
    AllSessions, Brake, DEFAULT_OWNER, Documents, Metrics, OwnerQuota, Owners, Server, owner_routes,
};
use engross_protocol::{Failure, RandomIds, SystemClock, shared};
use engross_tasks::rpc::Bridge;
use tokio::task::{AbortHandle, JoinSet};

use super::homes::{HomeOwners, HomeParts, Moving, OwnerFolders};
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
    /// Whether nodes share what owners have, so that this one opens it when it takes their homes.
    pub(super) has_homes: bool,
    pub(super) known: Mutex<BTreeMap<String, KnownOwner>>,
    pub(super) working: Mutex<JoinSet<()>>,
}

/// An owner while the server runs.
pub(super) struct KnownOwner {
    metrics: Arc<Metrics>,
    /// How much it may have.
    quota: OwnerQuota,
    /// What it has here, and what looks after that.
    served: Option<(Arc<ServedOwner>, AbortHandle)>,
}

impl OwnerRegistry {
    /// Serves the default owner; gives the routes to what is no session.
    pub(super) async fn add_first(&self, parts: OwnerParts) -> Result<(Router, Bridge), Failure> {
        self.first.metrics.watch_writes(parts.writes());
        let (served, further, bridge) =
            parts.serve(self.sessions.clone(), &self.first.limits, self.first.access.is_locked()).await?;
        self.look_after(DEFAULT_OWNER, served);
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
            if &*key.owner == DEFAULT_OWNER || self.routes.has(&key.owner) {
                continue;
            }
            self.know(&key.owner);
            match self.has_homes {
                true => self.serve_elsewhere(&key.owner)?,
                false => self.serve(&key.owner, self.places.open(&key.owner, None)?).await?,
            }
        }
        self.first.access.keys.replace(keys);
        Ok(())
    }

    /// Adds an owner, of whom nothing is open yet; gives its counters and bounds.
    pub(super) fn know(&self, owner: &str) -> (Arc<Metrics>, OwnerQuota) {
        let mut known = lock(&self.known);
        let known = known.entry(owner.to_owned()).or_insert_with(|| match owner == DEFAULT_OWNER {
            true => KnownOwner {
                metrics: Arc::clone(&self.first.metrics),
                quota: self.first.quota.clone(),
                served: None,
            },
            false => KnownOwner {
                metrics: Arc::new(self.first.metrics.of_owner()),
                quota: OwnerQuota::new(self.places.settings.serve.quota(owner)),
                served: None,
            },
        });
        (Arc::clone(&known.metrics), known.quota.clone())
    }

    /// Serves of an owner what any node may.
    fn serve_elsewhere(&self, owner: &str) -> Result<(), Failure> {
        let documents = self.places.documents_elsewhere(owner)?;
        let (metrics, quota) = self.know(owner);
        let server = self.server(owner, documents, &metrics, &quota);
        self.routes.add_elsewhere(owner, owner_routes(Arc::new(server), Router::new()), metrics, quota);
        Ok(())
    }

    async fn serve(&self, owner: &str, parts: OwnerParts) -> Result<(), Failure> {
        let (metrics, quota) = self.know(owner);
        self.toolboxes.add(principal_of(owner), parts.toolboxes());
        let server = self.server(owner, parts.documents.clone(), &metrics, &quota);
        metrics.watch_writes(parts.writes());
        let is_locked = owner != DEFAULT_OWNER || self.first.access.is_locked();
        let (served, further, _) = parts.serve(self.sessions.clone(), &self.first.limits, is_locked).await?;
        self.look_after(owner, served);
        self.routes.add(owner, owner_routes(Arc::new(server), further), metrics, quota);
        Ok(())
    }

    fn server(
        &self,
        owner: &str,
        documents: Documents,
        metrics: &Arc<Metrics>,
        quota: &OwnerQuota,
    ) -> Server<AllSessions> {
        let first = &self.first;
        Server {
            service: first.service.of_owner(principal_of(owner)),
            model: first.model.clone(),
            documents,
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
            metrics: Arc::clone(metrics),
        }
    }

    fn look_after(&self, owner: &str, served: ServedOwner) {
        self.know(owner);
        let served = Arc::new(served);
        let looked_after = Arc::clone(&served);
        let looking = lock(&self.working).spawn(async move { looked_after.look_after().await });
        if let Some(known) = lock(&self.known).get_mut(owner) {
            known.served = Some((served, looking));
        }
    }

    fn served(&self) -> Vec<Arc<ServedOwner>> {
        let known = lock(&self.known);
        known.values().filter_map(|known| Some(Arc::clone(&known.served.as_ref()?.0))).collect()
    }

    /// Measures what owners have, where there is a bound: now and then, and soon after somebody was refused. Never ends.
    pub(super) async fn measure(&self) {
        loop {
            let bounded: Vec<(String, OwnerQuota)> = lock(&self.known)
                .iter()
                .filter(|(_, known)| known.quota.is_bounded())
                .map(|(owner, known)| (owner.clone(), known.quota.clone()))
                .collect();
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
        for ((owner, quota), since) in bounded.iter().zip(since) {
            let sessions = match self.sessions.stored_bytes(principal_of(owner)).await {
                Ok(sessions) => sessions,
                Err(error) => {
                    tracing::warn!(code = error.code, "what owners have was not measured: {}", error.message);
                    return;
                }
            };
            let (places, name) = (Arc::clone(&self.places), owner.clone());
            let files = tokio::task::spawn_blocking(move || places.file_bytes(&name)).await;
            quota.measured(files.unwrap_or_default().saturating_add(sessions), since);
        }
    }

    /// Lets runs end that can.
    pub(super) async fn drain(&self, patience: Duration) {
        let mut draining = JoinSet::new();
        for served in self.served() {
            draining.spawn(async move { served.drain(patience).await });
        }
        while draining.join_next().await.is_some() {}
    }

    /// Ends what is left, and closes what is open.
    pub(super) async fn close(&self) -> Result<(), Failure> {
        lock(&self.working).abort_all();
        for served in self.served() {
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

impl HomeOwners for OwnerRegistry {
    fn names(&self) -> BTreeSet<String> {
        lock(&self.known).keys().cloned().collect()
    }

    fn folders(&self, owner: &str) -> Result<OwnerFolders, Failure> {
        self.places.folders_of(owner)
    }

    fn move_in<'a>(&'a self, owner: &'a str, home: HomeParts) -> Moving<'a, Result<(), Failure>> {
        Box::pin(async move {
            let (places, name) = (Arc::clone(&self.places), owner.to_owned());
            let opened = tokio::task::spawn_blocking(move || places.open(&name, Some(home))).await;
            let stopping = |_| Failure::of(shared::SERVER_STOPPING, "the server is about to stop".to_owned());
            self.serve(owner, opened.map_err(stopping)??).await
        })
    }

    fn move_out(&self, owner: &str) -> Option<Moving<'static, ()>> {
        self.toolboxes.remove(principal_of(owner));
        self.moved_out(owner)
    }

    fn move_out_if_quiet(&self, owner: &str) -> Option<Moving<'static, ()>> {
        let may_move = self.may_move(owner) && self.toolboxes.remove_if_unused(principal_of(owner));
        may_move.then(|| self.moved_out(owner)).flatten()
    }

    fn is_quiet(&self, owner: &str) -> bool {
        self.may_move(owner) && self.toolboxes.are_unused(principal_of(owner))
    }
}

impl OwnerRegistry {
    /// Whether what an owner has is open here, and may be closed at any time.
    fn may_move(&self, owner: &str) -> bool {
        let known = lock(&self.known);
        let served = known.get(owner).and_then(|known| known.served.as_ref());
        served.is_some_and(|(served, _)| served.may_move())
    }

    /// Serves no more what an owner has, whose toolboxes are gone; gives what closes it.
    fn moved_out(&self, owner: &str) -> Option<Moving<'static, ()>> {
        if let Err(failure) = self.serve_elsewhere(owner) {
            tracing::warn!(code = failure.code, "{}", failure.message);
        }
        let (served, looking) = lock(&self.known).get_mut(owner)?.served.take()?;
        looking.abort();
        served.forget_key();
        Some(Box::pin(async move {
            if let Err(failure) = served.close().await {
                tracing::warn!(code = failure.code, "{}", failure.message);
            }
        }))
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
