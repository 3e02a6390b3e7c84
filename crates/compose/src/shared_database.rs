//! What nodes share in a Postgres database: homes, the logs of owners, and the files of owners whose nodes have folders of their own.
//!
//! Must never serve an owner before all that is kept is here.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use engross_protocol::{Exit, Failure, SystemClock, hex};
use engross_store::blobs::Blobs;
use engross_store::files::Root;
use engross_store::mirror::{MirrorParts, MirrorRoot, OwnerMirror, StandbyFiles};
use engross_store::{Homes, Pending, PostgresFileTable, PostgresHomes, PostgresStore, Store, WriteFence};
use sha2::{Digest, Sha256};

use super::homes::{KeptFiles, Moving, OwnerFolders, SharedPlace};
use super::sessions::store_failure;
use crate::console::note;

/// The database of several nodes.
pub(super) struct SharedDatabase {
    store: Arc<PostgresStore>,
    homes: Arc<PostgresHomes>,
    files: Option<FileStorage>,
}

impl SharedDatabase {
    /// Makes what is missing beside the tables of sessions. With a `storage` nodes have folders of their own.
    pub(super) async fn open(
        store: Arc<PostgresStore>,
        storage: Option<Arc<dyn Blobs>>,
    ) -> Result<Self, Failure> {
        let homes = PostgresHomes::open(&store).await;
        let homes = Arc::new(homes.map_err(|error| store_failure(&error))?);
        let files = match storage {
            Some(blobs) => {
                let table = PostgresFileTable::open(Arc::clone(&store)).await;
                Some(FileStorage {
                    table: Arc::new(table.map_err(|error| store_failure(&error))?),
                    blobs,
                    standby: Mutex::default(),
                })
            }
            None => None,
        };
        Ok(Self { store, homes, files })
    }
}

impl SharedPlace for SharedDatabase {
    fn homes(&self) -> Arc<dyn Homes> {
        Arc::clone(&self.homes) as Arc<dyn Homes>
    }

    fn logs<'a>(&'a self, owner: &'a str, part: &'static str) -> Pending<'a, Arc<dyn Store>> {
        Box::pin(async move {
            // The names of owners may hold what names of tables may not.
            let digest = hex::encode_prefix(Sha256::digest(owner.as_bytes()), 6);
            let store = self.store.beside(&format!("{part}_{digest}")).await?;
            Ok(Arc::new(store) as Arc<dyn Store>)
        })
    }

    fn files<'a>(
        &'a self,
        owner: &'a str,
        node: &'a str,
        folders: OwnerFolders,
        fence: &WriteFence,
    ) -> Moving<'a, Result<Option<Arc<dyn KeptFiles>>, Failure>> {
        let fence = fence.clone();
        Box::pin(async move {
            match &self.files {
                Some(storage) => storage.open(owner, node, folders, fence).await.map(Some),
                None => Ok(None),
            }
        })
    }

    fn follow<'a>(&'a self, owner: &'a str, node: &'a str, folders: OwnerFolders) -> Moving<'a, ()> {
        Box::pin(async move {
            if let Some(storage) = &self.files {
                storage.follow(owner, node, folders).await;
            }
        })
    }
}

/// Where the files of owners are kept.
struct FileStorage {
    table: Arc<PostgresFileTable>,
    blobs: Arc<dyn Blobs>,
    standby: Mutex<BTreeMap<String, Arc<Standby>>>,
}

/// What this node has fetched of the files of an owner.
#[derive(Default)]
struct Standby {
    files: tokio::sync::Mutex<StandbyFiles>,
    /// Whether the files are wanted, so that fetching is to end.
    stop: AtomicBool,
    /// What keeps them while they are here: nothing is fetched over it.
    here: Mutex<Weak<OwnerMirror>>,
}

impl KeptFiles for OwnerMirror {
    fn close(&self) -> Moving<'_, ()> {
        Box::pin(OwnerMirror::close(self))
    }
}

impl FileStorage {
    /// Brings what an owner has into the folders of this node, and keeps it from now on.
    async fn open(
        &self,
        owner: &str,
        node: &str,
        folders: OwnerFolders,
        fence: WriteFence,
    ) -> Result<Arc<dyn KeptFiles>, Failure> {
        let parts = self.parts(owner, node, &folders, fence)?;
        let standby = self.standby(owner);
        standby.stop.store(true, Ordering::Release);
        // Held until they are here, so that nobody fetches into what is being opened.
        let mut files = standby.files.lock().await;
        standby.stop.store(false, Ordering::Release);
        let fetched = std::mem::take(&mut *files);
        let mirror = OwnerMirror::open(parts, fetched).await;
        let mirror = mirror.map_err(|error| Failure::new(Exit::Io, error.code(), error.to_string()))?;
        if mirror.fetched > 0 {
            tracing::info!(owner, files = mirror.fetched, "files came from object storage");
        }
        if mirror.set_aside > 0 {
            note(&format!(
                "{} files of '{owner}' were changed here while another node had them; what they were is in {}",
                mirror.set_aside,
                folders.data.join("set-aside").display()
            ));
        }
        let mirror = Arc::new(mirror);
        *standby.here.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&mirror);
        drop(files);
        Ok(mirror)
    }

    /// Fetches what is new of files that another node has.
    async fn follow(&self, owner: &str, node: &str, folders: OwnerFolders) {
        let standby = self.standby(owner);
        let mut files = standby.files.lock().await;
        let here = standby.here.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        if here.is_some_and(|mirror| !mirror.is_over()) {
            return;
        }
        let followed = match self.parts(owner, node, &folders, WriteFence::closed()) {
            Ok(parts) => files.follow(&parts, &standby.stop).await,
            Err(failure) => return tracing::warn!(code = failure.code, "{}", failure.message),
        };
        match followed {
            Ok(0) => {}
            Ok(count) => tracing::debug!(owner, files = count, "files were fetched beforehand"),
            Err(error) => tracing::debug!(code = error.code(), "files were not fetched beforehand: {error}"),
        }
    }

    fn standby(&self, owner: &str) -> Arc<Standby> {
        let mut all = self.standby.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(all.entry(owner.to_owned()).or_default())
    }

    fn parts(
        &self,
        owner: &str,
        node: &str,
        folders: &OwnerFolders,
        fence: WriteFence,
    ) -> Result<MirrorParts, Failure> {
        let whole = |name: &str, place: &Path, leave_out| -> Result<MirrorRoot, Failure> {
            let folder = Root::open(place)?.top();
            Ok(MirrorRoot { name: name.to_owned(), folder, is_whole: true, leave_out })
        };
        let data = Root::open(&folders.data)?.top();
        let mut roots = vec![
            whole(OwnerFolders::FILES, &folders.root, folders.others.iter().copied().collect())?,
            whole(OwnerFolders::FROZEN, &folders.frozen, Vec::new())?,
            MirrorRoot {
                name: OwnerFolders::DATA.to_owned(),
                folder: data.clone(),
                is_whole: false,
                leave_out: Vec::new(),
            },
        ];
        if let Some(skills) = &folders.skills {
            roots.push(whole(OwnerFolders::SKILLS, skills, Vec::new())?);
        }
        Ok(MirrorParts {
            owner: owner.to_owned(),
            holder: node.to_owned(),
            table: Arc::<PostgresFileTable>::clone(&self.table),
            blobs: Arc::clone(&self.blobs),
            roots,
            place: data,
            fence,
            clock: Arc::new(SystemClock),
        })
    }
}
