//! The documents of workspaces, as the routes reach them: each function does its work on a blocking thread.
//!
//! Must never touch a file on a thread that answers requests, or make a workspace but by putting a file into it.

use std::sync::Arc;

use engross_agent::session::RequestError;
use engross_agent::workspace::Workspaces;
use engross_documents::{
    Application, Checkpoint, DocumentIsolation, IsolatedCompareError, Losses, Redline, Workspace,
};
use engross_docx::html::HtmlOptions;
use engross_docx::ops::Batch;
use engross_docx::read::ReadOptions;
use engross_docx::revisions::{CommentRow, RevisionRow};
use engross_docx::{CompareOptions, EditOptions, Tracking};
use engross_protocol::{Clock, Exit, Failure, hex};
use engross_store::files::{FileError, Listing, Precondition, RelPath, WrittenFile};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::document_rows::{DocumentRows, Read};
use super::error::Error;
use super::wire::{ComparedFiles, DocumentList, Operations, operations_request};

/// A document as HTML, and which state of it that is.
pub(super) struct ShownDocument {
    pub(super) html: String,
    /// The state of the document, on which operations can insist.
    pub(super) revision: String,
    /// The state of the file.
    pub(super) sha256: Option<String>,
}

/// Documents beneath the server's root, and how they are edited when a request does not say.
#[derive(Clone)]
pub struct Documents {
    /// Where they are.
    pub workspaces: Workspaces,
    /// In whose name.
    pub author: String,
    /// Whether with a trace.
    pub tracking: Tracking,
    /// When.
    pub clock: Arc<dyn Clock>,
    /// Where documents that come from outside are worked on.
    pub isolation: DocumentIsolation,
}

/// A file with its hash.
pub(super) struct Whole {
    pub(super) path: RelPath,
    pub(super) bytes: Vec<u8>,
    /// SHA-256 in lower-case hexadecimal digits.
    pub(super) sha256: String,
}

impl Documents {
    /// All workspaces, and when each was last changed.
    pub(super) async fn names(&self) -> Result<Vec<(String, u64)>, Error> {
        let all = self.workspaces.clone();
        blocking(move || Ok(all.names()?)).await
    }

    /// The tracked changes or the comments of a document, and the SHA-256 of its file.
    pub(super) async fn listed(
        &self,
        name: String,
        path: String,
        list: DocumentList,
    ) -> Result<(DocumentRows, Option<String>), Error> {
        self.within(name, move |workspace| {
            let path = Workspace::path(&path)?;
            let opened = workspace.open(&path)?;
            let failed = |error| Error::of_document(&path, &error);
            let listed = match list {
                DocumentList::Revisions => {
                    let found = opened.document.revisions().map_err(failed)?;
                    DocumentRows::Revisions(found.iter().map(RevisionRow::from).collect())
                }
                DocumentList::Comments => {
                    let found = opened.document.comments().map_err(failed)?;
                    DocumentRows::Comments(found.iter().map(CommentRow::from).collect())
                }
            };
            Ok((listed, opened.sha256))
        })
        .await
    }

    /// A document as it was at a checkpoint.
    pub(super) async fn earlier(&self, name: String, path: String, id: String) -> Result<Whole, Error> {
        self.within(name, move |workspace| {
            let path = Workspace::path(&path)?;
            let bytes = workspace.earlier(&path, &id)?;
            let sha256 = hex::encode(Sha256::digest(&bytes));
            Ok(Whole { path, bytes, sha256 })
        })
        .await
    }

    /// A page of files.
    pub(super) async fn list(
        &self,
        name: String,
        after: Option<String>,
        limit: usize,
    ) -> Result<Listing, Error> {
        self.within(name, move |workspace| {
            let after = after.map(|after| RelPath::parse(&after)).transpose()?;
            Ok(workspace.list(after.as_ref(), limit)?)
        })
        .await
    }

    /// Puts a file; makes the workspace if there is none.
    pub(super) async fn put(
        &self,
        name: String,
        path: String,
        bytes: Vec<u8>,
        precondition: Precondition,
    ) -> Result<(RelPath, WrittenFile), Error> {
        let all = self.workspaces.clone();
        blocking(move || {
            let path = Workspace::path(&path)?;
            let workspace = match (all.find(&name)?, &precondition) {
                (Some(workspace), _) => workspace,
                (None, Precondition::Absent | Precondition::Any) => all.make(&name)?,
                (None, Precondition::Exists | Precondition::Sha256(_)) => return Err(unknown(&name)),
            };
            let written = workspace.put(&path, &bytes, &precondition)?;
            Ok((path, written))
        })
        .await
    }

    /// A whole file.
    pub(super) async fn whole(&self, name: String, path: String) -> Result<Whole, Error> {
        self.within(name, move |workspace| {
            let path = Workspace::path(&path)?;
            let bytes = workspace.read(&path)?.ok_or_else(|| missing(&path))?;
            let sha256 = hex::encode(Sha256::digest(&bytes));
            Ok(Whole { path, bytes, sha256 })
        })
        .await
    }

    /// What a document says.
    pub(super) async fn read(&self, name: String, path: String, options: ReadOptions) -> Result<Read, Error> {
        self.within(name, move |workspace| {
            let path = Workspace::path(&path)?;
            let opened = workspace.open(&path)?;
            let reading =
                opened.document.read(&options).map_err(|error| Error::of_document(&path, &error))?;
            Ok(Read { path, reading, sha256: opened.sha256 })
        })
        .await
    }

    /// A document as HTML, and the SHA-256 of its file.
    pub(super) async fn html(
        &self,
        name: String,
        path: String,
        options: HtmlOptions,
    ) -> Result<ShownDocument, Error> {
        self.within(name, move |workspace| {
            let path = Workspace::path(&path)?;
            let opened = workspace.open(&path)?;
            let title = path.as_str().rsplit('/').next().unwrap_or_default().to_owned();
            let html = opened.document.to_html(&HtmlOptions { title, ..options });
            let html = html.map_err(|error| Error::of_document(&path, &error))?;
            Ok(ShownDocument { html, revision: opened.document.revision(), sha256: opened.sha256 })
        })
        .await
    }

    /// A document that was sent, as HTML.
    pub(super) async fn view(&self, bytes: Vec<u8>, options: HtmlOptions) -> Result<String, Error> {
        let isolation = self.isolation.clone();
        blocking(move || Ok(isolation.html("document", bytes, &options)?)).await
    }

    /// Removes a file.
    pub(super) async fn remove(
        &self,
        name: String,
        path: String,
        precondition: Precondition,
    ) -> Result<RelPath, Error> {
        self.within(name, move |workspace| {
            let path = Workspace::path(&path)?;
            if workspace.remove(&path, &precondition)? { Ok(path) } else { Err(missing(&path).into()) }
        })
        .await
    }

    /// Reads operations that were sent, with the texts that they take from write sessions.
    pub(super) async fn asked(&self, name: &str, bytes: Vec<u8>) -> Result<Operations, Error> {
        let texts = self.workspaces.texts(name);
        blocking(move || {
            operations_request(&bytes, |operation| texts.fill(operation).map_err(Error::of_text))
        })
        .await
    }

    /// Applies operations. A batch of which nothing could be applied is an error with the whole report as its particulars.
    pub(super) async fn apply(
        &self,
        name: String,
        path: String,
        (batch, json): (Batch, Value),
        untracked: Option<bool>,
    ) -> Result<Application, Error> {
        let tracking = match untracked {
            None => self.tracking,
            Some(true) => Tracking::Untracked,
            Some(false) => Tracking::Tracked,
        };
        let options = EditOptions { author: self.author.clone(), date: self.clock.now().to_string() };
        self.within(name, move |workspace| {
            let path = Workspace::path(&path)?;
            let applied = workspace.apply(&path, (&batch, &json), &options, tracking)?;
            if applied.is_applied { Ok(applied) } else { Err(nothing_applied(&applied)) }
        })
        .await
    }

    /// What a document was before, oldest first.
    pub(super) async fn checkpoints(&self, name: String, path: String) -> Result<Vec<Checkpoint>, Error> {
        self.within(name, move |workspace| Ok(workspace.checkpoints(&Workspace::path(&path)?)?)).await
    }

    /// Forgets what a document was.
    pub(super) async fn forget(&self, name: String, path: String) -> Result<(RelPath, usize), Error> {
        self.within(name, move |workspace| {
            let path = Workspace::path(&path)?;
            let count = workspace.forget(&path)?;
            Ok((path, count))
        })
        .await
    }

    /// Makes a document what it was.
    pub(super) async fn restore(
        &self,
        name: String,
        path: String,
        id: String,
        precondition: Precondition,
    ) -> Result<(RelPath, WrittenFile), Error> {
        self.within(name, move |workspace| {
            let path = Workspace::path(&path)?;
            let written = workspace.restore(&path, &id, &precondition)?;
            Ok((path, written))
        })
        .await
    }

    /// What that would take from it and give back.
    pub(super) async fn losses(&self, name: String, path: String, id: String) -> Result<Losses, Error> {
        self.within(name, move |workspace| Ok(workspace.losses(&Workspace::path(&path)?, &id)?)).await
    }

    /// A redline of two documents.
    pub(super) async fn compare(&self, files: ComparedFiles) -> Result<Redline, Error> {
        let ComparedFiles { before, after, options } = files;
        let options = CompareOptions {
            author: options.author.unwrap_or_else(|| self.author.clone()),
            date: options.date.unwrap_or_else(|| self.clock.now().to_string()),
            view: options.view,
            keep_revisions: options.keep_revisions,
            formatting: options.formatting,
            moves: options.moves,
            granularity: options.granularity,
        };
        let isolation = self.isolation.clone();
        blocking(move || {
            let made = isolation.redline(("before", before), ("after", after), &options);
            made.map_err(|failed| match failed {
                IsolatedCompareError::Compare(failed) => {
                    Error::of_sent(if failed.is_after { "after" } else { "before" }, &failed.error)
                }
                IsolatedCompareError::Isolation(error) => error.into(),
            })
        })
        .await
    }

    /// Does `work` in a workspace that is there.
    async fn within<T: Send + 'static>(
        &self,
        name: String,
        work: impl FnOnce(&Workspace) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let all = self.workspaces.clone();
        blocking(move || {
            let workspace = all.find(&name)?.ok_or_else(|| unknown(&name))?;
            work(&workspace)
        })
        .await
    }
}

fn unknown(name: &str) -> Error {
    Error::Session(RequestError::no_workspace(name))
}

fn missing(path: &RelPath) -> FileError {
    FileError::TargetMissing { path: path.as_str().to_owned() }
}

fn nothing_applied(applied: &Application) -> Error {
    let failure = Failure::new(Exit::Refused, "NOTHING_APPLIED", "no operation was applied; each says why");
    Error::Document {
        status: 422,
        failure: Box::new(failure.with_details(super::wire::applied_body(applied))),
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Error::from(engross_documents::Error::Stopped))?
}
