//! Several nodes that share what owners have: which node has what, and who takes over what a dead one had.
//!
//! Must never let two nodes have one owner at once: who cannot renew a home has its fence closed before anybody else can take it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use engross_http::{HomeFinder, HomeNews, HomePlace};
use engross_protocol::Failure;
use engross_store::files::FileMirror;
use engross_store::{Home, Homes, Store, WriteFence, codes};
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::console::note;

/// How long a home is a node's that says no more.
pub(super) const TTL: Duration = Duration::from_millis(3_500);

/// How often a node says that it is there, and sees which homes are free.
pub(super) const BEAT: Duration = Duration::from_millis(500);

/// How long a statement of homes is waited for before it is asked a second time, over another connection, or given up.
const SOON: Duration = Duration::from_secs(1);

/// By how much a fence closes before the home is free, for what was asked just before.
const MARGIN: Duration = Duration::from_millis(300);

/// How much longer a node leaves a free home to others for each home that it has, and at most.
const MODESTY: (Duration, Duration) = (BEAT, Duration::from_secs(1));

/// How long a home is left alone that could not be opened: because the database was away in that moment, and for another reason.
const AFTER_FAILURE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));

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

#[derive(Default)]
pub(super) struct HomeState {
    /// What the database told last, and when that was asked for.
    told: Vec<Home>,
    asked: Option<Instant>,
    /// The homes that this node has.
    pub(super) own: BTreeMap<String, OwnHome>,
    /// Owners whose things are being opened, also when the home is lost meanwhile: they are not opened twice at once.
    opening: BTreeSet<String>,
    /// Homes that are being given back: taken meanwhile, they would be given back with what is on its way.
    releasing: BTreeSet<String>,
    /// Since when homes are seen to be free.
    free: BTreeMap<String, Instant>,
    /// Whether another node has this one's address.
    doubled: DoubledAddress,
    /// Homes that could not be opened, and until when they are left alone.
    pub(super) failed: BTreeMap<String, Instant>,
    pub(super) is_closing: bool,
}

/// Whether another node has the address of this one.
#[derive(Default)]
enum DoubledAddress {
    #[default]
    No,
    Since(Instant),
    Reported,
}

pub(super) struct OwnHome {
    pub(super) fence: WriteFence,
    /// Whether its things are open.
    pub(super) is_open: bool,
}

/// What is to be done after a beat.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Moves {
    /// Homes that are lost.
    pub(super) lost: Vec<String>,
    /// Homes that are to be taken.
    pub(super) free: Vec<String>,
    /// Homes that this node has and does not want.
    pub(super) unwanted: Vec<String>,
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
                Ok(Ok(told)) => {
                    let moves = {
                        let mut state = self.lock();
                        let moves = state.take_in(&self.node, told, asked, &owners.names());
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
                    for owner in moves.free {
                        self.take(&owner, owners, &mut moving).await;
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
    pub(super) async fn renew(&self) -> Result<Vec<Home>, engross_store::Error> {
        let mut first = self.homes.renew(&self.node, TTL);
        match tokio::time::timeout(SOON, &mut first).await {
            Ok(told) => told,
            Err(_) => {
                let mut second = self.homes.renew(&self.node, TTL);
                tokio::select! {
                    told = &mut first => told,
                    told = &mut second => told,
                }
            }
        }
    }

    async fn take(self: &Arc<Self>, owner: &str, owners: &Arc<dyn HomeOwners>, moving: &mut JoinSet<()>) {
        let asked = Instant::now();
        match tokio::time::timeout(SOON, self.homes.take(owner, &self.node, &self.address, TTL)).await {
            Ok(Ok(true)) => {}
            // One that was taken all the same is seen at the next beat, and given back.
            Ok(Ok(false)) | Err(_) => return,
            Ok(Err(error)) => {
                tracing::warn!(code = error.code(), "the home of '{owner}' was not taken: {error}");
                return;
            }
        }
        let fence = WriteFence::closed();
        fence.extend(asked + TTL - MARGIN);
        let mut state = self.lock();
        state.own.insert(owner.to_owned(), OwnHome { fence: fence.clone(), is_open: false });
        state.opening.insert(owner.to_owned());
        drop(state);
        let (keeper, owners, owner) = (Arc::clone(self), Arc::clone(owners), owner.to_owned());
        moving.spawn(async move {
            match keeper.move_in(&owner, fence, &owners).await {
                Ok(()) if keeper.is_open_now(&owner) => {
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
                    keeper.give_up(&owner, if is_passing { AFTER_FAILURE.0 } else { AFTER_FAILURE.1 });
                    keeper.release(&owner).await;
                }
            }
            keeper.lock().opening.remove(&owner);
        });
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
        let elsewhere: Vec<String> = {
            let state = self.lock();
            let is_here = |owner: &String| state.own.contains_key(owner) || state.opening.contains(owner);
            owners.names().into_iter().filter(|owner| !is_here(owner)).collect()
        };
        for owner in elsewhere {
            if let Ok(folders) = owners.folders(&owner) {
                self.shared.follow(&owner, &self.node, folders).await;
            }
        }
    }

    async fn release(&self, owner: &str) {
        if let Err(error) = self.homes.release(owner, &self.node).await {
            tracing::warn!(code = error.code(), "the home of '{owner}' was not given back: {error}");
        }
    }

    /// Notes that what an owner has is open; `false` when its home is another node's by now.
    fn is_open_now(&self, owner: &str) -> bool {
        let mut state = self.lock();
        let own = state.own.get_mut(owner);
        own.map(|own| own.is_open = true).is_some()
    }

    /// Leaves a home alone for a while that could not be opened.
    fn give_up(&self, owner: &str, pause: Duration) {
        let mut state = self.lock();
        if let Some(own) = state.own.remove(owner) {
            own.fence.shut();
        }
        state.failed.insert(owner.to_owned(), Instant::now() + pause);
    }

    /// Takes no more homes.
    pub(super) fn begin_to_close(&self) {
        self.lock().is_closing = true;
    }

    /// Gives back all homes, whose things are closed.
    pub(super) async fn release_all(&self) {
        let own = std::mem::take(&mut self.lock().own);
        let releasing = own.iter().map(|(owner, home)| {
            home.fence.shut();
            self.release(owner)
        });
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

impl HomeState {
    /// Takes in what the database told of all homes, asked at `asked`; says what follows. `owners` are those of this node's keys.
    pub(super) fn take_in(
        &mut self,
        node: &str,
        told: Vec<Home>,
        asked: Instant,
        owners: &BTreeSet<String>,
    ) -> Moves {
        let mine: BTreeSet<&str> =
            told.iter().filter(|home| home.holder == node).map(|home| home.owner.as_str()).collect();
        let mut lost = Vec::new();
        self.own.retain(|owner, home| {
            // What met a closed fence may have failed for good in memory, and is whole where it is stored: it is opened anew.
            let is_kept = mine.contains(owner.as_str()) && !home.fence.has_refused();
            if is_kept {
                home.fence.extend(asked + TTL - MARGIN);
            } else {
                home.fence.shut();
                lost.push(owner.clone());
            }
            is_kept
        });
        let unwanted: Vec<String> = mine
            .iter()
            .filter(|owner| !self.own.contains_key(**owner) && !self.releasing.contains(**owner))
            .map(|owner| (*owner).to_owned())
            .collect();
        self.releasing.extend(unwanted.iter().cloned());
        let held: BTreeSet<&str> = told
            .iter()
            .filter(|home| home.holder != node && !home.remaining.is_zero())
            .map(|home| home.owner.as_str())
            .collect();
        let is_free = |owner: &&String| {
            let is_taken = held.contains(owner.as_str()) || self.own.contains_key(*owner);
            let is_moving = self.opening.contains(*owner) || self.releasing.contains(*owner);
            !is_taken && !is_moving && !lost.contains(*owner)
        };
        let free: BTreeSet<String> = owners.iter().filter(is_free).cloned().collect();
        self.free.retain(|owner, _| free.contains(owner));
        let patience = (MODESTY.0 * u32::try_from(self.own.len()).unwrap_or(u32::MAX)).min(MODESTY.1);
        let mut ripe = Vec::new();
        for owner in free {
            let since = *self.free.entry(owner.clone()).or_insert(asked);
            let is_left = self.failed.get(&owner).is_some_and(|until| *until > asked);
            // One at a time, so that others have a share of many.
            if !self.is_closing && !is_left && asked.duration_since(since) >= patience && ripe.is_empty() {
                ripe.push(owner);
            }
        }
        self.told = told;
        self.asked = Some(asked);
        Moves { lost, free: ripe, unwanted }
    }

    /// A home has been given back, or could not be.
    pub(super) fn released(&mut self, owner: &str) {
        self.releasing.remove(owner);
    }

    /// Whether it is to be said that another node has the address of this one: once, and not of a node that was started again and whose
    /// homes have not run out yet.
    pub(super) fn has_double(&mut self, node: &str, address: &str, now: Instant) -> bool {
        let is_double =
            |home: &Home| home.holder != node && home.address == address && !home.remaining.is_zero();
        match (self.told.iter().any(is_double), &mut self.doubled) {
            (false, doubled) => *doubled = DoubledAddress::No,
            (true, doubled @ DoubledAddress::No) => *doubled = DoubledAddress::Since(now),
            (true, DoubledAddress::Since(since)) if now.duration_since(*since) >= 2 * TTL => {
                self.doubled = DoubledAddress::Reported;
                return true;
            }
            (true, _) => {}
        }
        false
    }

    pub(super) fn find(&self, node: &str, owner: &str, now: Instant) -> HomePlace {
        if let Some(own) = self.own.get(owner) {
            return if own.is_open && own.fence.is_open() { HomePlace::Here } else { HomePlace::Nowhere };
        }
        let passed = self.asked.map_or(Duration::MAX, |asked| now.duration_since(asked));
        let home = self.told.iter().find(|home| home.owner == owner && home.holder != node);
        match home {
            Some(home) if home.remaining > passed => HomePlace::At(home.address.clone()),
            _ => HomePlace::Nowhere,
        }
    }
}

impl HomeFinder for HomeKeeper {
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
