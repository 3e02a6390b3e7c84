//! Several nodes that share what owners have: which node has what, and who takes over what a dead one had.
//!
//! Must never let two nodes have one owner at once: who cannot renew a home has its fence closed before anybody else can take it.
//! Nor give a home away under the feet of somebody who uses what is there.

mod state;

#[cfg(test)]
mod state_tests;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use engross_http::{HomeFinder, HomeNews, HomePlace, HomeUse};
use engross_protocol::Failure;
use engross_store::files::FileMirror;
use engross_store::{Homes, HomesSeen, Store, WriteFence, codes};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::console::note;

use state::{HomeState, MARGIN, TTL};

/// How often a node says that it is there, and sees which homes are free.
pub(super) const BEAT: Duration = Duration::from_millis(500);

/// How long a statement of homes is waited for before it is asked a second time, over another connection, or given up.
const SOON: Duration = Duration::from_secs(1);

/// How long a home is left alone that could not be opened: because the database was away in that moment, and for another reason.
const AFTER_FAILURE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));

/// How long before a home is given away the other nodes are told to hold what they would lead there: more than two beats.
const ANNOUNCED: Duration = Duration::from_millis(1_200);

/// How long a node takes no home again that it gave away: four beats of the others. People wait for it as long as for one of a dead node.
const AFTER_GIVING: Duration = Duration::from_secs(2);

/// How long closing what a quiet owner has may keep its home from the next node; then the closed fence keeps it from being written.
const CLOSED_SOON: Duration = Duration::from_secs(3);

/// How often it is fetched what is new of files that other nodes have.
const FOLLOW_EVERY: Duration = Duration::from_secs(2);

/// How often waiting requests look again without news: homes run out by themselves.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Where homes and the logs of owners are kept that nodes share.
pub(super) trait SharedPlace: Send + Sync {
    /// The homes.
    fn homes(&self) -> Arc<dyn Homes>;

    /// The logs of one part of what an owner has.
    fn logs<'a>(&'a self, owner: &'a str, part: &'static str) -> engross_store::Pending<'a, Arc<dyn Store>>;

    /// Brings the files of an owner whose home `node` has into its folders, and keeps them from now on; nothing where nodes share the
    /// folders.
    fn files<'a>(
        &'a self,
        owner: &'a str,
        node: &'a str,
        folders: OwnerFolders,
        fence: &WriteFence,
    ) -> Moving<'a, Result<Option<Arc<dyn KeptFiles>>, Failure>>;

    /// Fetches what is new of the files of an owner that another node has, so that there is little to fetch when that one is gone.
    /// What fails costs time, and nothing else.
    fn follow<'a>(&'a self, owner: &'a str, node: &'a str, folders: OwnerFolders) -> Moving<'a, ()>;
}

/// Files of an owner that are kept elsewhere, too.
pub(super) trait KeptFiles: FileMirror {
    /// Keeps what was told so far, and then nothing more.
    fn close(&self) -> Moving<'_, ()>;
}

/// The folders of an owner at this node, and what they are called where files are kept.
pub(super) struct OwnerFolders {
    /// The one that sessions, write sessions and tasks may touch.
    pub(super) root: PathBuf,
    /// The name in it of what other owners have.
    pub(super) others: Option<&'static str>,
    /// The files of ended runs.
    pub(super) frozen: PathBuf,
    /// The lessons of the server, if they are in a folder of their own in the folder for data: each node reads them.
    pub(super) skills: Option<PathBuf>,
    /// Secrets, and what is this node's alone.
    pub(super) data: PathBuf,
}

impl OwnerFolders {
    pub(super) const FILES: &'static str = "files";
    pub(super) const FROZEN: &'static str = "frozen";
    pub(super) const SKILLS: &'static str = "skills";
    pub(super) const DATA: &'static str = "data";
}

/// The owners of this node, as homes move.
pub(super) trait HomeOwners: Send + Sync + 'static {
    /// Those that there are.
    fn names(&self) -> BTreeSet<String>;

    /// The folders of an owner, made if they are missing.
    fn folders(&self, owner: &str) -> Result<OwnerFolders, Failure>;

    /// Opens what an owner has whose home this node has taken, and serves it.
    fn move_in<'a>(&'a self, owner: &'a str, home: HomeParts) -> Moving<'a, Result<(), Failure>>;

    /// Serves no more what an owner has whose home is another node's; gives what closes it.
    fn move_out(&self, owner: &str) -> Option<Moving<'static, ()>>;

    /// As [`HomeOwners::move_out`] where nothing of the owner is at work here, which is asked for by a request at least; else nothing is
    /// done.
    fn move_out_if_quiet(&self, owner: &str) -> Option<Moving<'static, ()>>;

    /// Whether nothing of the owner is at work here now.
    fn is_quiet(&self, owner: &str) -> bool;
}

/// A move on its way.
pub(super) type Moving<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What an owner's things are opened with where nodes share them.
pub(super) struct HomeParts {
    /// As long as it is open this node has the home.
    pub(super) fence: WriteFence,
    /// The logs of its tasks.
    pub(super) tasks: Arc<dyn Store>,
    /// The records of its threads.
    pub(super) threads: Arc<dyn Store>,
    /// What keeps its files elsewhere; nothing where nodes share the folders.
    pub(super) files: Option<Arc<dyn KeptFiles>>,
}

/// The homes, as one node sees them.
pub(super) struct HomeKeeper {
    shared: Arc<dyn SharedPlace>,
    homes: Arc<dyn Homes>,
    /// The name of this node, and where others reach it.
    node: String,
    address: String,
    state: Mutex<HomeState>,
    news: Notify,
    /// The owners of this node, once it keeps homes.
    owners: OnceLock<Arc<dyn HomeOwners>>,
}

impl HomeKeeper {
    /// Nothing is taken until [`HomeKeeper::keep`].
    pub(super) fn new(shared: Arc<dyn SharedPlace>, node: String, address: String) -> Self {
        let homes = shared.homes();
        let (state, news, owners) = (Mutex::default(), Notify::new(), OnceLock::new());
        Self { shared, homes, node, address, state, news, owners }
    }

    /// Says again and again that this node is there, opens what is free, and closes what is lost. Never ends.
    pub(super) async fn keep(self: &Arc<Self>, owners: &Arc<dyn HomeOwners>) {
        let _ = self.owners.set(Arc::clone(owners));
        let mut moving = JoinSet::new();
        let (mut following, mut followed) = (JoinSet::new(), Instant::now());
        let mut is_silent = false;
        loop {
            let asked = Instant::now();
            let told = tokio::time::timeout(TTL, self.renew()).await;
            let problem = match told {
                Ok(Ok(seen)) => {
                    let moves = {
                        let mut state = self.lock();
                        let moves = state.take_in(&self.node, seen, asked, &owners.names());
                        if state.has_double(&self.node, &self.address, asked) {
                            note(&format!(
                                "Another node says that it is at {}, too: give each its own --node-address",
                                self.address
                            ));
                        }
                        moves
                    };
                    self.news.notify_waiters();
                    for owner in moves.lost {
                        note(&format!("The home of '{owner}' is at another node now"));
                        if let Some(closing) = owners.move_out(&owner) {
                            moving.spawn(closing);
                        }
                    }
                    for owner in moves.unwanted {
                        let keeper = Arc::clone(self);
                        moving.spawn(async move {
                            keeper.release(&owner).await;
                            keeper.lock().released(&owner);
                        });
                    }
                    if !moves.unsaid.is_empty() {
                        self.taken(moves.unsaid).await;
                    }
                    for owner in self.taken(moves.free).await {
                        self.open(owner, asked, owners, &mut moving);
                    }
                    if let Some(owner) = moves.spare.into_iter().find(|owner| self.is_quiet(owner, &**owners))
                    {
                        self.lock().begin_to_give();
                        let (keeper, owners) = (Arc::clone(self), Arc::clone(owners));
                        moving.spawn(async move { keeper.give(&owner, &*owners).await });
                    }
                    None
                }
                Ok(Err(error)) => Some(format!("{error} [{}]", error.code())),
                Err(_) => Some("the database does not answer".to_owned()),
            };
            if let Some(problem) = &problem
                && !is_silent
            {
                tracing::warn!("homes were not renewed: {problem}");
            }
            is_silent = problem.is_some();
            while moving.try_join_next().is_some() {}
            while following.try_join_next().is_some() {}
            if following.is_empty() && followed.elapsed() >= FOLLOW_EVERY {
                followed = Instant::now();
                let (keeper, owners) = (Arc::clone(self), Arc::clone(owners));
                following.spawn(async move { keeper.follow(&*owners).await });
            }
            tokio::time::sleep(BEAT.saturating_sub(asked.elapsed())).await;
        }
    }

    /// Renews the homes of this node. A connection that has died in silence must not cost them: what has no answer soon is asked
    /// again, and the first answer counts.
    pub(super) async fn renew(&self) -> Result<HomesSeen, engross_store::Error> {
        let takes = self.lock().takes_homes(Instant::now());
        let mut first = self.homes.renew(&self.node, TTL, takes);
        match tokio::time::timeout(SOON, &mut first).await {
            Ok(told) => told,
            Err(_) => {
                let mut second = self.homes.renew(&self.node, TTL, takes);
                tokio::select! {
                    told = &mut first => told,
                    told = &mut second => told,
                }
            }
        }
    }

    /// Takes homes that are free; gives those that were had. One that was taken all the same is seen at the next beat, and given back.
    async fn taken(&self, free: Vec<String>) -> Vec<String> {
        let takes = free.into_iter().map(async |owner| {
            let take = self.homes.take(&owner, &self.node, &self.address, TTL);
            match tokio::time::timeout(SOON, take).await {
                Ok(Ok(is_taken)) => is_taken.then_some(owner),
                Err(_) => None,
                Ok(Err(error)) => {
                    tracing::warn!(code = error.code(), "the home of '{owner}' was not taken: {error}");
                    None
                }
            }
        });
        futures_util::future::join_all(takes).await.into_iter().flatten().collect()
    }

    /// Opens what an owner has whose home was taken, which was asked for after `asked`.
    fn open(
        self: &Arc<Self>,
        owner: String,
        asked: Instant,
        owners: &Arc<dyn HomeOwners>,
        moving: &mut JoinSet<()>,
    ) {
        let fence = WriteFence::closed();
        fence.extend(asked + TTL - MARGIN);
        self.lock().begin_to_open(&owner, fence.clone(), asked);
        let (keeper, owners) = (Arc::clone(self), Arc::clone(owners));
        moving.spawn(async move {
            match keeper.move_in(&owner, fence, &owners).await {
                Ok(()) if keeper.lock().is_open_now(&owner, Instant::now()) => {
                    keeper.news.notify_waiters();
                    let millis = u64::try_from(asked.elapsed().as_millis()).unwrap_or(u64::MAX);
                    tracing::info!(owner, millis, "what an owner has is open here");
                }
                // It was lost while it was being opened.
                Ok(()) => close(&*owners, &owner).await,
                Err(failure) => {
                    note(&format!(
                        "What '{owner}' has could not be opened: {} [{}]",
                        failure.message, failure.code
                    ));
                    close(&*owners, &owner).await;
                    let is_passing = failure.code == codes::STORE_UNAVAILABLE.name;
                    let pause = if is_passing { AFTER_FAILURE.0 } else { AFTER_FAILURE.1 };
                    keeper.lock().give_up(&owner, Instant::now(), pause, is_passing);
                    keeper.release(&owner).await;
                }
            }
            keeper.lock().opened(&owner);
        });
    }

    /// Whether nobody uses what an owner has here.
    fn is_quiet(&self, owner: &str, owners: &dyn HomeOwners) -> bool {
        self.lock().is_unused(owner) && owners.is_quiet(owner)
    }

    /// Gives the home of an owner away, if nobody uses what is here: other nodes hold what they would lead here, what is open is closed,
    /// and a node that has fewer homes takes it. Who asks meanwhile waits.
    async fn give(&self, owner: &str, owners: &dyn HomeOwners) {
        let is_left = match tokio::time::timeout(SOON, self.homes.offer(owner, &self.node)).await {
            Ok(Ok(())) => {
                tokio::time::sleep(ANNOUNCED).await;
                self.leave(owner, owners).await
            }
            Ok(Err(error)) => {
                tracing::warn!(code = error.code(), "the home of '{owner}' was not offered: {error}");
                false
            }
            Err(_) => false,
        };
        if is_left {
            tracing::info!(owner, "the home of an owner is given to a node that has fewer");
            self.release(owner).await;
            self.lock().released(owner);
        }
        // Where it is not left its address is said again at the next beat.
        self.lock().has_given(owner, Instant::now());
    }

    /// Closes what is open of an owner, if nobody uses it; whether that was so.
    async fn leave(&self, owner: &str, owners: &dyn HomeOwners) -> bool {
        if !self.lock().begin_to_leave(owner) {
            return false;
        }
        let Some(closing) = owners.move_out_if_quiet(owner) else {
            self.lock().stay(owner);
            self.news.notify_waiters();
            return false;
        };
        if tokio::time::timeout(CLOSED_SOON, closing).await.is_err() {
            tracing::warn!(owner, "what an owner has could not be closed soon, and is left as it is");
        }
        self.lock().leave(owner, Instant::now(), AFTER_GIVING)
    }

    async fn move_in(
        &self,
        owner: &str,
        fence: WriteFence,
        owners: &Arc<dyn HomeOwners>,
    ) -> Result<(), Failure> {
        let failed = |error| super::sessions::store_failure(&error);
        let tasks = self.shared.logs(owner, "tasks").await.map_err(failed)?;
        let threads = self.shared.logs(owner, "threads").await.map_err(failed)?;
        let files = self.shared.files(owner, &self.node, owners.folders(owner)?, &fence).await?;
        owners.move_in(owner, HomeParts { fence, tasks, threads, files }).await
    }

    /// Fetches what is new of the files that other nodes have.
    async fn follow(&self, owners: &dyn HomeOwners) {
        let elsewhere = self.lock().elsewhere(owners.names());
        for owner in elsewhere {
            if let Ok(folders) = owners.folders(&owner) {
                self.shared.follow(&owner, &self.node, folders).await;
            }
        }
    }

    /// Gives a home back. What could not be is seen at a later beat, and given back then.
    async fn release(&self, owner: &str) {
        match tokio::time::timeout(SOON, self.homes.release(owner, &self.node)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(code = error.code(), "the home of '{owner}' was not given back: {error}");
            }
            Err(_) => {
                tracing::warn!("the home of '{owner}' was not given back: the database does not answer");
            }
        }
    }

    /// Takes no more homes.
    pub(super) fn begin_to_close(&self) {
        self.lock().begin_to_close();
    }

    /// Gives back all homes, whose things are closed.
    pub(super) async fn release_all(&self) {
        let own = self.lock().leave_all();
        let releasing = own.iter().map(|owner| self.release(owner));
        // What is not given back runs out by itself.
        let _ = tokio::time::timeout(SOON, futures_util::future::join_all(releasing)).await;
    }

    fn lock(&self) -> MutexGuard<'_, HomeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes what was opened of an owner, wholly or in part.
async fn close(owners: &dyn HomeOwners, owner: &str) {
    if let Some(closing) = owners.move_out(owner) {
        closing.await;
    }
}

impl HomeFinder for HomeKeeper {
    fn begin(&self, owner: &str) -> HomeUse {
        self.lock().begin_use(owner)
    }

    fn find(&self, owner: &str) -> HomePlace {
        self.lock().find(&self.node, owner, Instant::now())
    }

    fn changed(&self) -> HomeNews<'_> {
        let news = self.news.notified();
        Box::pin(async move {
            let _ = tokio::time::timeout(LOOK_AGAIN, news).await;
        })
    }

    fn others(&self) -> Option<Vec<String>> {
        let owners = self.owners.get()?.names();
        let (state, now) = (self.lock(), Instant::now());
        let mut addresses = BTreeSet::new();
        for owner in &owners {
            match state.find(&self.node, owner, now) {
                HomePlace::Here => {}
                HomePlace::At(address) => drop(addresses.insert(address)),
                HomePlace::Nowhere => return None,
            }
        }
        Some(addresses.into_iter().collect())
    }
}
