//! Documents that come from outside are worked on elsewhere first: the one door through which a server opens them.
//!
//! The one who runs jobs may end before one is done, which costs that one request. What only makes something new (a comparison, HTML, a
//! document of Markdown) is done there alone. What goes on with a document in memory is done there first, with the same input: the engine
//! gives the same output everywhere, and so takes about the same there and here. Without somebody who runs jobs all is done here.
//!
//! Must never open bytes that are not known to do no harm, once there is somebody who runs jobs.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use engross_docx::html::HtmlOptions;
use engross_docx::{
    CompareError, CompareOptions, EditOptions, Limits, MadeDocument, Severity, WordDocument, check,
    from_markdown_with,
};
use serde_json::Value;

use crate::changes::{Losses, losses};
use crate::checkpoints::sha256_of;
use crate::document_job::{DocumentJob, EditJob, JobEnd, JobReply};
use crate::error::Error;
use crate::redline::{Redline, redline};

/// Documents of which it is known that they do no harm.
const KNOWN: usize = 10_000;

/// Documents that did harm, and are not tried again for a while.
const REFUSED: usize = 1_000;

/// For how long.
const REFUSED_FOR: Duration = Duration::from_secs(60);

/// Why a job was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobInterruption {
    /// It passed a bound; in words, with what can be done.
    Limit(String),
    /// Nobody could do it; in words.
    Unavailable(String),
    /// All of them end.
    Stopped,
}

/// Runs jobs where they may end without us. Blocks.
pub trait JobRunner: Send + Sync {
    /// Does a job with the bytes that go with it.
    ///
    /// # Errors
    /// When it ended before.
    fn run(&self, job: &DocumentJob, files: &[&[u8]]) -> Result<(JobReply, Vec<Vec<u8>>), JobInterruption>;
}

/// Two documents that were not compared.
#[derive(Debug, thiserror::Error)]
pub enum IsolatedCompareError {
    /// The engine refuses.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// It was not done.
    #[error(transparent)]
    Isolation(#[from] Error),
}

/// Where documents are worked on. Cheap to clone; without a runner of jobs it is here.
#[derive(Clone, Default)]
pub struct DocumentIsolation(Option<Arc<IsolatedWork>>);

struct IsolatedWork {
    runner: Arc<dyn JobRunner>,
    known: Mutex<KnownDocuments>,
}

/// What became of documents, by SHA-256.
#[derive(Default)]
struct KnownDocuments {
    harmless: HashSet<String>,
    /// Those in the order in which they came.
    order: VecDeque<String>,
    refused: HashMap<String, (Instant, String)>,
}

impl DocumentIsolation {
    /// Documents are worked on by `runner` first.
    #[must_use]
    pub fn by(runner: Arc<dyn JobRunner>) -> Self {
        Self(Some(Arc::new(IsolatedWork { runner, known: Mutex::default() })))
    }

    /// Whether there is somebody who runs jobs.
    pub(crate) fn has_runner(&self) -> bool {
        self.0.is_some()
    }

    /// Opens a document that came from outside; `file` is what it is called.
    ///
    /// # Errors
    /// When it passes a bound, or is no document.
    pub fn open(&self, file: &str, bytes: Vec<u8>) -> Result<WordDocument, Error> {
        self.check(file, &bytes)?;
        WordDocument::open(bytes, &Limits::default()).map_err(|error| Error::document(file, error))
    }

    /// Has a document worked on that is about to be opened here.
    ///
    /// # Errors
    /// When it passes a bound.
    pub fn check(&self, file: &str, bytes: &[u8]) -> Result<(), Error> {
        let Some(work) = &self.0 else { return Ok(()) };
        let sha256 = sha256_of(bytes);
        {
            let mut known = work.known();
            if known.harmless.contains(&sha256) {
                return Ok(());
            }
            if let Some(problem) = known.refusal_of(&sha256) {
                return Err(Error::Limits { file: file.to_owned(), problem });
            }
        }
        match work.runner.run(&DocumentJob::Check, &[bytes]) {
            Ok(_) => {
                work.known().add(sha256);
                Ok(())
            }
            Err(interruption) => {
                if let JobInterruption::Limit(problem) = &interruption {
                    work.known().refuse(sha256, problem.clone());
                }
                Err(of_interruption(file, interruption))
            }
        }
    }

    /// Has an edit made that is about to be made here; `job` is only asked for where it is needed. Gives nothing of it.
    ///
    /// # Errors
    /// When it passes a bound.
    pub(crate) fn try_edit(
        &self,
        file: &str,
        job: impl FnOnce() -> (EditJob, Vec<Vec<u8>>),
    ) -> Result<(), Error> {
        let Some(work) = &self.0 else { return Ok(()) };
        let (job, files) = job();
        let files: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
        let (reply, _) = work.run(file, &DocumentJob::Edit(job), &files)?;
        reply.harmless.into_iter().for_each(|sha256| work.known().add(sha256));
        Ok(())
    }

    /// Has operations applied to a document that was sent, as they are about to be here; gives nothing of it.
    ///
    /// # Errors
    /// When it passes a bound.
    pub fn try_batch(
        &self,
        file: &str,
        document: &[u8],
        batch: Value,
        options: &EditOptions,
    ) -> Result<(), Error> {
        self.try_edit(file, || {
            let job = EditJob {
                batch,
                author: options.author.clone(),
                date: options.date.clone(),
                own: None,
                untracked: false,
                files: Vec::new(),
            };
            (job, vec![document.to_vec()])
        })
    }

    /// Compares the texts of two states of a document.
    ///
    /// # Errors
    /// When one of them passes a bound, or is no document.
    pub(crate) fn losses(&self, file: &str, now: &[u8], then: &[u8]) -> Result<Losses, Error> {
        if let Some(work) = &self.0 {
            work.run(file, &DocumentJob::Losses, &[now, then])?;
        }
        losses(now, then).map_err(|error| Error::document(file, error))
    }

    /// A document as HTML.
    ///
    /// # Errors
    /// As [`DocumentIsolation::open`].
    pub fn html(&self, file: &str, bytes: Vec<u8>, options: &HtmlOptions) -> Result<String, Error> {
        if let Some(work) = &self.0 {
            let (reply, made) = work.run(file, &DocumentJob::Html(options.clone()), &[&bytes])?;
            if reply.end == JobEnd::Text {
                let html = made.into_iter().next().and_then(|html| String::from_utf8(html).ok());
                return html.ok_or_else(|| unusable(file));
            }
        }
        let opened = WordDocument::open(bytes, &Limits::default());
        let html = opened.and_then(|document| document.to_html(options));
        html.map_err(|error| Error::document(file, error))
    }

    /// Makes a redline of two documents, which are called so.
    ///
    /// # Errors
    /// When one of them passes a bound, or is no document.
    pub fn redline(
        &self,
        (before, old): (&str, Vec<u8>),
        (after, new): (&str, Vec<u8>),
        options: &CompareOptions,
    ) -> Result<Redline, IsolatedCompareError> {
        if let Some(work) = &self.0 {
            let file = format!("{before} and {after}");
            let (reply, made) = work.run(&file, &DocumentJob::Compare(options.clone()), &[&old, &new])?;
            if let JobEnd::Redline { report } = reply.end {
                let bytes = made.into_iter().next().ok_or_else(|| unusable(&file))?;
                return Ok(Redline { bytes, report: *report });
            }
        }
        Ok(redline(old, new, options)?)
    }

    /// Makes a document of Markdown.
    ///
    /// # Errors
    /// When it passes a bound, or the document would not be sound.
    pub fn compose(&self, file: &str, markdown: &str) -> Result<MadeDocument, Error> {
        if let Some(work) = &self.0 {
            let job = DocumentJob::Compose { markdown: markdown.to_owned() };
            let (reply, made) = work.run(file, &job, &[])?;
            if let JobEnd::Document { warnings } = reply.end {
                let bytes = made.into_iter().next().ok_or_else(|| unusable(file))?;
                reply.harmless.into_iter().for_each(|sha256| work.known().add(sha256));
                return Ok(MadeDocument { bytes, warnings });
            }
        }
        let made = from_markdown_with(markdown, None, std::collections::BTreeMap::new(), &Limits::default());
        made.map_err(|error| Error::document(file, error))
    }

    /// The first thing that makes a document unsound, if there is one.
    ///
    /// # Errors
    /// As [`DocumentIsolation::open`].
    pub fn unsoundness(&self, file: &str, bytes: Vec<u8>) -> Result<Option<String>, Error> {
        let findings = check(&self.open(file, bytes)?).map_err(|error| Error::document(file, error))?;
        let wrong = findings.into_iter().find(|finding| finding.severity == Severity::Error);
        Ok(wrong.map(|finding| finding.message))
    }
}

impl IsolatedWork {
    fn known(&self) -> MutexGuard<'_, KnownDocuments> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, file: &str, job: &DocumentJob, files: &[&[u8]]) -> Result<(JobReply, Vec<Vec<u8>>), Error> {
        self.runner.run(job, files).map_err(|interruption| of_interruption(file, interruption))
    }
}

impl KnownDocuments {
    fn add(&mut self, sha256: String) {
        if self.harmless.insert(sha256.clone()) {
            self.order.push_back(sha256);
        }
        while self.order.len() > KNOWN {
            if let Some(oldest) = self.order.pop_front() {
                self.harmless.remove(&oldest);
            }
        }
    }

    fn refuse(&mut self, sha256: String, problem: String) {
        if self.refused.len() >= REFUSED {
            self.refused.retain(|_, (since, _)| since.elapsed() < REFUSED_FOR);
        }
        if self.refused.len() < REFUSED {
            self.refused.insert(sha256, (Instant::now(), problem));
        }
    }

    fn refusal_of(&mut self, sha256: &str) -> Option<String> {
        let (since, problem) = self.refused.get(sha256)?;
        if since.elapsed() < REFUSED_FOR {
            return Some(problem.clone());
        }
        self.refused.remove(sha256);
        None
    }
}

/// For a reply that no runner of this version gives.
fn unusable(file: &str) -> Error {
    let problem = "what the worker answered cannot be used; try again".to_owned();
    Error::NoWorker { file: file.to_owned(), problem }
}

fn of_interruption(file: &str, interruption: JobInterruption) -> Error {
    let file = file.to_owned();
    match interruption {
        JobInterruption::Limit(problem) => Error::Limits { file, problem },
        JobInterruption::Unavailable(problem) => Error::NoWorker { file, problem },
        JobInterruption::Stopped => Error::Stopped,
    }
}
