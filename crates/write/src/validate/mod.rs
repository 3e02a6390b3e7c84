//! Validates a file by the format that its name promises.
//!
//! Must never change a byte. A finding says where and why; whether it stops the file is the session's to decide.
//!
//! | File | Question it answers |
//! |---|---|
//! | `kind` | what is a file of this name, and how strictly is it looked at? |
//! | `finding` | what is wrong, where? |
//! | `formats` | is it well-formed JSON, TOML, YAML, XML, HTML, CSV? |
//! | `markdown` | does it look unfinished? |
//! | `code` | does source code parse, as well as before? |
//! | `joints` | do brackets and indentation go on behind a place where the file was gone on with? |
//! | `lexis` | what are brackets and lines of code in a language? |
//! | `part` | is it only a part of what was refused before? |
//! | `drift` | does a text go on in another way behind such a place? |
//! | `strays` | what stands between the lines, or around all of them? |
//! | `common` | did something come along that is not of the file? |

#[cfg(feature = "code")]
mod code;
mod common;
mod drift;
mod finding;
mod formats;
mod joints;
mod kind;
mod lexis;
mod markdown;
mod part;
mod strays;

#[cfg(test)]
mod drift_tests;
#[cfg(test)]
mod joints_tests;
#[cfg(test)]
mod part_tests;
#[cfg(test)]
mod strays_tests;
#[cfg(test)]
mod validate_tests;

use serde::{Deserialize, Serialize};

use crate::codes;

pub use finding::{ContentFinding, FindingSeverity};
pub use joints::joints;
pub use kind::{FileKind, Language, ValidationMode};
pub use strays::{diff_stray, strays_at};

/// The longest file that is looked into, in bytes.
pub const MAX_BYTES: usize = 16 << 20;
/// The most findings that are reported.
const FINDINGS: usize = 50;

/// What is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// The file that it replaces: what was wrong with that one already is no finding.
    pub old: Option<&'a [u8]>,
    /// The session's end line, which must not be in it.
    pub marker: Option<&'a str>,
}

/// A look at files of one kind.
pub trait Validator: Send + Sync {
    /// What a receipt calls it.
    fn name(&self) -> &'static str;
    /// What is wrong, in the order of the file.
    fn check(&self, subject: &Subject<'_>) -> Vec<ContentFinding>;
}

/// What was looked at and found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ValidationReport {
    /// The validators that looked.
    pub validators: Vec<String>,
    /// What they found, at most 50.
    pub findings: Vec<ContentFinding>,
    /// Whether a file stands in its place that has no error of its kind.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_sound: bool,
}

impl ValidationReport {
    /// Of a file of `bytes` bytes, which are too many to be looked into.
    #[must_use]
    pub fn too_large(bytes: u64) -> Self {
        let message = format!("the file has {bytes} bytes; files over {MAX_BYTES} are not looked into");
        let finding = ContentFinding::new(codes::NOT_VALIDATED.name, FindingSeverity::Warning, message);
        Self { findings: vec![finding], ..Self::default() }
    }

    /// Takes what was found at joints, where nothing else was found in the line.
    pub(crate) fn add_joints(&mut self, found: Vec<ContentFinding>) {
        self.validators.push("joints".to_owned());
        // A line that may stand for text is worse behind a joint.
        let says = |known: &ContentFinding| known.code != codes::ELISION.name;
        let is_known = |line: u64| self.findings.iter().any(|known| known.line == line && says(known));
        let new: Vec<ContentFinding> = found.into_iter().filter(|finding| !is_known(finding.line)).collect();
        self.findings.extend(new);
        self.findings.truncate(FINDINGS);
    }

    /// Takes what is missing of the content that was `refused` before `new`.
    pub(crate) fn add_missing_part(&mut self, new: &[u8], refused: &[u8]) {
        self.validators.push("part".to_owned());
        let missing = part::missing_part(new, refused);
        self.findings.splice(0..0, missing);
        self.findings.truncate(FINDINGS);
    }

    /// What says that it is only a part of the file.
    #[must_use]
    pub fn missing_part(&self) -> Option<&ContentFinding> {
        self.findings.iter().find(|finding| finding.code == codes::ONLY_A_PART.name)
    }

    /// What looks as if it was said, or put around the content: the worst of it. A hint may be meant.
    #[must_use]
    pub fn stray(&self) -> Option<&ContentFinding> {
        let is_stray = |finding: &&ContentFinding| {
            finding.code == codes::PROMPT_ARTEFACT.name && finding.message != common::TOKEN_LINE
        };
        self.findings.iter().filter(is_stray).max_by_key(|finding| finding.severity)
    }

    /// Whether anything is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == FindingSeverity::Error)
    }
}

/// Says that source code is not parsed here, and how that is had.
#[cfg(not(feature = "code"))]
fn no_grammars() -> ContentFinding {
    let message = "the syntax of source code is not checked: this program was built without the feature 'code' (cargo build --features code)";
    ContentFinding::new(codes::NOT_VALIDATED.name, FindingSeverity::Warning, message)
}

/// Validates a file of `kind`. `others` are validators from outside, for kinds that this crate does not know.
#[must_use]
pub fn validate(kind: FileKind, subject: &Subject<'_>, others: &[&dyn Validator]) -> ValidationReport {
    if subject.bytes.len() > MAX_BYTES {
        return ValidationReport::too_large(subject.bytes.len() as u64);
    }
    let mut report = ValidationReport::default();
    let by_kind: &[&dyn Validator] = match kind {
        FileKind::Json => &[&formats::Json],
        FileKind::JsonLines => &[&formats::JsonLines],
        FileKind::Toml => &[&formats::Toml],
        FileKind::Yaml => &[&formats::Yaml],
        FileKind::Xml => &[&formats::Xml],
        FileKind::Html => &[&formats::Html],
        FileKind::Csv => &[&formats::Rows(b',')],
        FileKind::Tsv => &[&formats::Rows(b'\t')],
        FileKind::Markdown => &[&markdown::Markdown],
        #[cfg(feature = "code")]
        FileKind::Code(language) => &[&code::Code { language, patience: code::PATIENCE }],
        #[cfg(not(feature = "code"))]
        FileKind::Code(_) => {
            report.findings.push(no_grammars());
            &[]
        }
        FileKind::Docx | FileKind::Text => &[],
    };
    for validator in by_kind.iter().chain(others).chain([&(&common::CommonChecks(kind) as &dyn Validator)]) {
        report.validators.push(validator.name().to_owned());
        report.findings.extend(validator.check(subject));
    }
    report.findings.extend(strays::strays(kind, subject));
    report.was_sound = subject.old.is_some_and(|old| {
        let old = Subject { bytes: old, old: None, marker: None };
        let is_error = |finding: &ContentFinding| finding.severity == FindingSeverity::Error;
        !old.bytes.is_empty() && !by_kind.iter().any(|validator| validator.check(&old).iter().any(is_error))
    });
    report.findings.truncate(FINDINGS);
    report
}
