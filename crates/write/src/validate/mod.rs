//! Is the file what its name says, and is it all there?
//!
//! Must never change a byte. A finding says where and why; whether it stops the file is the session's to decide.
//!
//! | File | Question it answers |
//! |---|---|
//! | `kind` | what is a file of this name, and how strictly is it looked at? |
//! | `finding` | what is wrong, where? |
//! | `data` | is it JSON, JSON lines, TOML, YAML? |
//! | `markup` | is it XML? is the HTML whole? |
//! | `table` | has every row as many columns? |
//! | `markdown` | does it look unfinished? |
//! | `code` | does source code parse, as well as before? |
//! | `common` | did something come along that is not of the file? |

#[cfg(feature = "code")]
mod code;
mod common;
mod data;
mod finding;
mod kind;
mod markdown;
mod markup;
mod table;

#[cfg(test)]
mod validate_tests;

use serde::{Deserialize, Serialize};

use crate::codes;

pub use finding::{Finding, Severity};
pub use kind::{Kind, Language, Mode};

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
    fn check(&self, subject: &Subject<'_>) -> Vec<Finding>;
}

/// What was looked at and found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Report {
    /// The validators that looked.
    pub validators: Vec<String>,
    /// What they found, at most 50.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Of a file of `bytes` bytes, which are too many to be looked into.
    #[must_use]
    pub fn not_looked_into(bytes: u64) -> Self {
        let message = format!("the file has {bytes} bytes; files over {MAX_BYTES} are not looked into");
        let finding = Finding::new(codes::NOT_VALIDATED.name, Severity::Warning, message);
        Self { validators: Vec::new(), findings: vec![finding] }
    }

    /// Whether anything is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}

/// Looks at a file of `kind`. `others` are validators from outside, for kinds that this crate does not know.
#[must_use]
pub fn validate(kind: Kind, subject: &Subject<'_>, others: &[&dyn Validator]) -> Report {
    if subject.bytes.len() > MAX_BYTES {
        return Report::not_looked_into(subject.bytes.len() as u64);
    }
    let mut report = Report::default();
    let by_kind: &[&dyn Validator] = match kind {
        Kind::Json => &[&data::Json],
        Kind::JsonLines => &[&data::JsonLines],
        Kind::Toml => &[&data::Toml],
        Kind::Yaml => &[&data::Yaml],
        Kind::Xml => &[&markup::Xml],
        Kind::Html => &[&markup::Html],
        Kind::Csv => &[&table::Rows(b',')],
        Kind::Tsv => &[&table::Rows(b'\t')],
        Kind::Markdown => &[&markdown::Markdown],
        #[cfg(feature = "code")]
        Kind::Code(language) => &[&code::Code { language, patience: code::PATIENCE }],
        #[cfg(not(feature = "code"))]
        Kind::Code(_) => &[],
        Kind::Docx | Kind::Text => &[],
    };
    for validator in by_kind.iter().chain(others).chain([&(&common::Common(kind) as &dyn Validator)]) {
        report.validators.push(validator.name().to_owned());
        report.findings.extend(validator.check(subject));
    }
    report.findings.truncate(FINDINGS);
    report
}
