//! Work on documents as a message: what is to be done, what it is done with, what came of it; and how it is done.
//!
//! One process hands a job to another one, which may end before it is done. Must never touch a file or a network: bytes come in, bytes go
//! out.

use std::collections::BTreeMap;

use engross_docx::html::HtmlOptions;
use engross_docx::ops::parse_batch;
use engross_docx::read::{ReadOptions, View};
use engross_docx::revisions::Side;
use engross_docx::{
    CompareOptions, EditOptions, Error as DocumentError, Limits, OwnRecord, Tracking, WordDocument, check,
    from_markdown_with, guards,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::changes::losses;
use crate::checkpoints::sha256_of;
use crate::redline::{RedlineReport, redline};

/// The name of all stories together.
const EVERYWHERE: &str = "everywhere";

/// What is to be done with the bytes that go with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "job", rename_all = "snake_case")]
pub enum DocumentJob {
    /// One document is opened, read, shown, checked, resolved and written.
    Check,
    /// Operations are applied to the first document, and what comes of it is written; it is checked, too.
    Edit(EditJob),
    /// The texts of two documents are compared.
    Losses,
    /// One document becomes HTML.
    Html(HtmlOptions),
    /// Two documents become a redline.
    Compare(CompareOptions),
    /// Markdown becomes a document, which is checked.
    Compose {
        /// The Markdown.
        markdown: String,
    },
}

/// Operations, and what they are applied with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EditJob {
    /// The batch in the operation language.
    pub batch: Value,
    /// In whose name.
    pub author: String,
    /// When.
    pub date: String,
    /// One's own earlier revisions.
    pub own: Option<OwnRecord>,
    /// Whether the text is changed without a trace.
    pub untracked: bool,
    /// The names of the files that follow the document.
    pub files: Vec<String>,
}

/// What came of a job; files go with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobReply {
    /// What.
    pub end: JobEnd,
    /// SHA-256 of the documents that were made and did no harm, so that nobody has to look at them again.
    pub harmless: Vec<String>,
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case")]
pub enum JobEnd {
    /// It was done, and nothing goes with it.
    Done,
    /// The engine refuses; one who asks again is told why, without harm.
    Refused,
    /// A text is the file.
    Text,
    /// A redline is the file.
    Redline {
        /// What is in it.
        report: Box<RedlineReport>,
    },
    /// A document is the file.
    Document {
        /// What it does not say.
        warnings: Vec<String>,
    },
}

impl JobReply {
    fn of(end: JobEnd) -> Self {
        Self { end, harmless: Vec::new() }
    }
}

/// Does a job with the bytes that came with it.
#[must_use]
pub fn carry_out(job: DocumentJob, files: Vec<Vec<u8>>) -> (JobReply, Vec<Vec<u8>>) {
    let mut files = files.into_iter();
    let mut next = || files.next().unwrap_or_default();
    let none = Vec::new;
    match job {
        DocumentJob::Check => {
            let end = try_all(next()).map_or(JobEnd::Refused, |()| JobEnd::Done);
            (JobReply::of(end), none())
        }
        DocumentJob::Edit(job) => {
            let document = next();
            let reply = match edited(&job, document, files) {
                Ok(bytes) => {
                    let sha256 = sha256_of(&bytes);
                    // What is wrong with it is told by the one who opens it.
                    let _ = try_all(bytes);
                    JobReply { end: JobEnd::Done, harmless: vec![sha256] }
                }
                Err(_) => JobReply::of(JobEnd::Refused),
            };
            (reply, none())
        }
        DocumentJob::Losses => {
            let done = losses(&next(), &next());
            (JobReply::of(done.map_or(JobEnd::Refused, |_| JobEnd::Done)), none())
        }
        DocumentJob::Html(options) => {
            let opened = WordDocument::open(next(), &Limits::default());
            match opened.and_then(|document| document.to_html(&options)) {
                Ok(html) => (JobReply::of(JobEnd::Text), vec![html.into_bytes()]),
                Err(_) => (JobReply::of(JobEnd::Refused), none()),
            }
        }
        DocumentJob::Compare(options) => match redline(next(), next(), &options) {
            Ok(made) => {
                let end = JobEnd::Redline { report: Box::new(made.report) };
                (JobReply::of(end), vec![made.bytes])
            }
            Err(_) => (JobReply::of(JobEnd::Refused), none()),
        },
        DocumentJob::Compose { markdown } => {
            match from_markdown_with(&markdown, None, BTreeMap::new(), &Limits::default()) {
                Ok(made) => {
                    let sha256 = sha256_of(&made.bytes);
                    let _ = try_all(made.bytes.clone());
                    let end = JobEnd::Document { warnings: made.warnings };
                    (JobReply { end, harmless: vec![sha256] }, vec![made.bytes])
                }
                Err(_) => (JobReply::of(JobEnd::Refused), none()),
            }
        }
    }
}

/// The document with the operations in it, as its file would be.
fn edited(
    job: &EditJob,
    document: Vec<u8>,
    files: impl Iterator<Item = Vec<u8>>,
) -> Result<Vec<u8>, DocumentError> {
    let mut document = WordDocument::open(document, &Limits::default())?;
    if let Some(own) = job.own.clone() {
        document.recall(own);
    }
    let batch = parse_batch(&job.batch)?;
    let options = EditOptions { author: job.author.clone(), date: job.date.clone() };
    let before = document.survey();
    document.give_files(job.files.iter().cloned().zip(files).collect());
    document.apply(&batch, &options)?;
    let _ = document.effects(&before);
    let _ = document.read(&ReadOptions::default());
    let tracking = if job.untracked { Tracking::Untracked } else { Tracking::Tracked };
    Ok(document.save(tracking)?.bytes)
}

/// Does with a document whatever may be done with one that nobody edits, and forgets it. What is refused there is refused again
/// elsewhere: only what it takes counts here.
fn try_all(bytes: Vec<u8>) -> Result<(), DocumentError> {
    let document = WordDocument::open(bytes, &Limits::default())?;
    let _ = document.revision();
    // A view of the originals takes what one of the accepted text does.
    for view in [View::Accepted, View::Markup] {
        let story = Some(EVERYWHERE.to_owned());
        let _ = document.read(&ReadOptions { view, story, ..ReadOptions::default() });
    }
    let _ = document.to_html(&HtmlOptions::default());
    let _ = (document.revisions(), document.comments(), document.outline());
    let _ = (document.controls(), document.styles(), document.properties());
    let _ = (document.survey(), guards(&document), check(&document));
    let _ = document.save(Tracking::Tracked);
    for side in [Side::Accept, Side::Reject] {
        let mut resolved = document.clone();
        if resolved.resolve_all(side).is_ok() {
            let _ = resolved.save(Tracking::Tracked);
        }
    }
    Ok(())
}
