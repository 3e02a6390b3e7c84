//! Files of runs that are kept outside this machine, too: sent before a run ends, and fetched where its folder is gone.
//!
//! Must never hold up the end of a run because storage elsewhere fails, nor say that a file is kept there when it is not.

use std::ops::Range;
use std::sync::Arc;

use engross_store::blobs::{BlobError, BlobStream, Blobs};
use engross_store::files::DiskPath;

use super::error::RunError;
use super::names::key_name;
use super::request::RequestContext;
use super::service::Runs;
use super::ticket::Ticket;
use engross_artifacts::{Deliverable, LinkTarget, Manifest, ScopeError};

/// Files that could not be sent are named one by one up to here.
const NAMED: usize = 20;

/// A file of a run that is kept elsewhere.
pub struct StoredFile {
    /// What the run's manifest says of it.
    pub file: Deliverable,
    blobs: Arc<dyn Blobs>,
}

impl StoredFile {
    /// Whether its bytes are there.
    ///
    /// # Errors
    /// As the storage says.
    pub async fn is_there(&self) -> Result<bool, BlobError> {
        Ok(self.stream(0..0).await?.is_some())
    }

    /// Its bytes in `range`; `None` when they are not there after all.
    ///
    /// # Errors
    /// As the storage says.
    pub async fn stream(&self, range: Range<u64>) -> Result<Option<BlobStream>, BlobError> {
        self.blobs.get(*self.file.sha256.as_bytes(), range).await
    }
}

impl Runs {
    /// Sends the files of a manifest to where they outlive this machine. What fails becomes a warning.
    pub(super) async fn keep(&self, face: &RequestContext, manifest: &mut Manifest) {
        let Some(blobs) = &self.inner.config.blobs else { return };
        let mut failed = Vec::new();
        for file in &manifest.files {
            if let Err(problem) = self.keep_one(&**blobs, face, file).await {
                tracing::warn!(run = %face.run, %problem, "a file is not kept elsewhere");
                failed.push(format!("{}: kept on this machine only: {problem}", file.relative_path));
            }
        }
        let more = failed.len().saturating_sub(NAMED);
        failed.truncate(NAMED);
        if more > 0 {
            failed.push(format!("{more} more files are kept on this machine only"));
        }
        manifest.warnings.extend(failed);
    }

    async fn keep_one(
        &self,
        blobs: &dyn Blobs,
        face: &RequestContext,
        file: &Deliverable,
    ) -> Result<(), String> {
        let runs = self.clone();
        let (session, run, path) = (face.session_key.clone(), face.run.clone(), file.relative_path.clone());
        let opened = tokio::task::spawn_blocking(move || {
            let config = runs.config();
            let path = DiskPath::parse(&path).map_err(ScopeError::from)?;
            config.workspace.open(&session, &run, None)?.open(&path, config.hashing())?.stream_all()
        });
        let stream = opened.await.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        let put = blobs.put(*file.sha256.as_bytes(), file.size_bytes, Box::new(stream));
        put.await.map_err(|error| error.to_string())
    }

    /// The file that a good link leads to, as the run's end lists it, where files are kept elsewhere.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn kept(&self, target: &LinkTarget) -> Result<Option<StoredFile>, RunError> {
        let Some(blobs) = &self.inner.config.blobs else { return Ok(None) };
        let Some(row) = self.find(&key_name(target.session.as_str())?).await? else { return Ok(None) };
        let loaded = self.thread(row.session);
        if self.open(&loaded).await?.run(&target.run).is_none() {
            return Ok(None);
        }
        let ticket = Ticket { runs: self.clone(), loaded, run: target.run.clone(), replayed: true };
        let manifest = ticket.end().await?.and_then(|end| end.manifest);
        let files = manifest.into_iter().flat_map(|manifest| manifest.files);
        let file = files.into_iter().find(|file| file.relative_path == target.path.as_str());
        Ok(file.map(|file| StoredFile { file, blobs: Arc::clone(blobs) }))
    }
}
