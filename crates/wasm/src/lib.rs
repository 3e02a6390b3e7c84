//! The document engine for JavaScript: bytes and JSON texts in, bytes and JSON texts out. `web/engine` gives them types.
//!
//! The same document and operations give the same bytes as on the command line. What goes wrong is thrown as a JSON text
//! `{"code", "message"}`, with the codes of `docs/errors`. Must never hold a rule of the engine, ask the clock, or know a page.

mod answer;
mod failure;
mod request;

use engross_docx::html::HtmlOptions;
use engross_docx::ops::parse_batch;
use engross_docx::revisions::{CommentRow, RevisionRow};
use engross_docx::{
    CompareError, EditOptions, Limits, Tracking, WordDocument, changes_of, check, compare, counts_by_story,
    differences, edit_steps, flat_opc, from_markdown, html,
};
use serde_json::json;
use wasm_bindgen::prelude::wasm_bindgen;

use answer::{comparison, text};
use failure::Failure;
use request::{ChoiceRequest, CompareRequest, HtmlRequest, ReadRequest, Signature, optional_side, side};

/// A Word document that is open.
#[wasm_bindgen]
pub struct WordFile {
    document: WordDocument,
}

#[wasm_bindgen]
impl WordFile {
    /// Opens a package, or a package as one XML file (Flat OPC).
    ///
    /// # Errors
    /// When the bytes are no Word document.
    pub fn open(bytes: Vec<u8>) -> Result<WordFile, Failure> {
        let document =
            WordDocument::open(bytes, &Limits::default()).map_err(|error| answer::failure(&error))?;
        Ok(Self { document })
    }

    /// A document of Markdown.
    ///
    /// # Errors
    /// When it holds what no document can.
    #[wasm_bindgen(js_name = fromMarkdown)]
    pub fn from_markdown(markdown: &str) -> Result<WordFile, Failure> {
        Self::open(
            from_markdown(markdown, None, &Limits::default()).map_err(|error| answer::failure(&error))?,
        )
    }

    /// The same document, apart from this one.
    #[must_use]
    pub fn copy(&self) -> WordFile {
        Self { document: self.document.clone() }
    }

    /// The token of its state.
    #[must_use]
    pub fn revision(&self) -> String {
        self.document.revision()
    }

    /// What it says: the JSON of `engross read --json` without the file.
    ///
    /// # Errors
    /// When there is no such story or place.
    pub fn read(&self, options: &str) -> Result<String, Failure> {
        let options = request::parse::<ReadRequest>("options", options)?.options()?;
        text(&self.document.read(&options).map_err(|error| answer::failure(&error))?)
    }

    /// Applies operations; gives the outcome of each.
    ///
    /// # Errors
    /// When the batch is not in the operation language, or the document not at its `expectedRevision`.
    pub fn apply(&mut self, batch: &str, signature: &str) -> Result<String, Failure> {
        let Signature { author, date } = request::parse("signature", signature)?;
        let batch = request::parse("batch", batch)?;
        let batch = parse_batch(&batch).map_err(|error| answer::failure(&error))?;
        let options = EditOptions { author, date };
        text(&self.document.apply(&batch, &options).map_err(|error| answer::failure(&error))?)
    }

    /// Accepts or rejects tracked changes; gives those that were resolved.
    ///
    /// # Errors
    /// When an id names none. Nothing is changed then.
    pub fn resolve(&mut self, which: &str, choice: &str) -> Result<String, Failure> {
        let choice = request::parse::<ChoiceRequest>("choice", choice)?.choice()?;
        let resolved =
            self.document.resolve(side(which)?, &choice).map_err(|error| answer::failure(&error))?;
        text(&resolved.iter().map(RevisionRow::from).collect::<Vec<_>>())
    }

    /// Its tracked changes.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn revisions(&self) -> Result<String, Failure> {
        let revisions = self.document.revisions().map_err(|error| answer::failure(&error))?;
        text(&revisions.iter().map(RevisionRow::from).collect::<Vec<_>>())
    }

    /// Its comments.
    ///
    /// # Errors
    /// When the part of comments cannot be read.
    pub fn comments(&self) -> Result<String, Failure> {
        let comments = self.document.comments().map_err(|error| answer::failure(&error))?;
        text(&comments.iter().map(CommentRow::from).collect::<Vec<_>>())
    }

    /// What is wrong with it: the findings of `engross check --json`.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn check(&self) -> Result<String, Failure> {
        text(&check(&self.document).map_err(|error| answer::failure(&error))?)
    }

    /// The document as HTML that cannot act.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn html(&self, options: &str) -> Result<String, Failure> {
        let options: HtmlOptions = request::parse::<HtmlRequest>("options", options)?.options()?;
        self.document.to_html(&options).map_err(|error| answer::failure(&error))
    }

    /// The body as Markdown.
    ///
    /// # Errors
    /// When the part of notes cannot be read.
    #[wasm_bindgen(js_name = toMarkdown)]
    pub fn to_markdown(&self, view: &str) -> Result<String, Failure> {
        self.document.to_markdown(request::view(view)?).map_err(|error| answer::failure(&error))
    }

    /// What operations did, paragraph by paragraph: the steps from this state to `after`.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn script(&self, after: &WordFile) -> Result<String, Failure> {
        text(&edit_steps(&self.document, &after.document).map_err(|error| answer::failure(&error))?)
    }

    /// Some paragraphs of a story as one XML file (Flat OPC), with what they need.
    ///
    /// # Errors
    /// `UNKNOWN_STORY`, `NO_FRAGMENT`.
    pub fn fragment(&self, story: &str, first: usize, last: usize) -> Result<Vec<u8>, Failure> {
        self.document.fragment(story, first, last).map_err(|error| answer::failure(&error))
    }

    /// Where this document and `other` differ but for ids: in all, or in one view.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn differences(&self, other: &WordFile, view: &str) -> Result<String, Failure> {
        let side = optional_side(view)?;
        text(&differences(&self.document, &other.document, side).map_err(|error| answer::failure(&error))?)
    }

    /// The whole file, proven.
    ///
    /// # Errors
    /// `PROOF_FAILED`.
    pub fn save(&self, untracked: bool) -> Result<Vec<u8>, Failure> {
        let tracking = if untracked { Tracking::Untracked } else { Tracking::Tracked };
        let saved = self.document.save(tracking).map_err(|error| answer::failure(&error))?;
        Ok(saved.bytes)
    }

    /// The same as one XML file (Flat OPC).
    ///
    /// # Errors
    /// `PROOF_FAILED`.
    #[wasm_bindgen(js_name = saveFlat)]
    pub fn save_flat(&self, untracked: bool) -> Result<Vec<u8>, Failure> {
        flat_opc(self.save(untracked)?, &Limits::default()).map_err(|error| answer::failure(&error))
    }
}

/// A redline of two documents, and what is in it.
#[wasm_bindgen]
pub struct RedlineFile {
    bytes: Vec<u8>,
    report: String,
}

#[wasm_bindgen]
impl RedlineFile {
    /// Makes a redline.
    ///
    /// # Errors
    /// When one of them is no Word document.
    pub fn make(before: Vec<u8>, after: Vec<u8>, options: &str) -> Result<RedlineFile, Failure> {
        let options = request::parse::<CompareRequest>("options", options)?.options()?;
        let limits = Limits::default();
        let failed = |failed: &CompareError| answer::failure(&failed.error);
        let made = compare(before, after, &options, &limits).map_err(|error| failed(&error))?;
        let changes = changes_of(made.bytes.clone(), &limits).map_err(|error| answer::failure(&error))?;
        let summary = json!(counts_by_story(&changes));
        let report = text(&comparison(made.proof, &summary, &changes, &made.limitations))?;
        Ok(Self { bytes: made.bytes, report })
    }

    /// The file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    /// What is in it: the JSON of `engross compare --json` without the files.
    #[must_use]
    pub fn report(&self) -> String {
        self.report.clone()
    }
}

/// The style sheet of [`WordFile::html`].
#[wasm_bindgen(js_name = styleSheet)]
#[must_use]
pub fn style_sheet() -> String {
    html::STYLESHEET.to_owned()
}

/// The version of the engine.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

#[cfg(test)]
mod lib_tests;
