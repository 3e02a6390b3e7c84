//! The options of a session, parsed and checked.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::continuation::Continuation;
use crate::error::Error;
use crate::framing::{Terminator, TextEncoding};
use crate::patch::PatchSpec;
use crate::validate::{FileKind, ValidationMode};

/// Bytes that a file may have unless it is said.
pub const MAX_BYTES: u64 = 64 << 20;
const MAX_ROUNDS: u32 = 16;
const MAX_REPAIRS: u32 = 3;

/// What becomes of the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WriteOperation {
    /// It must not exist.
    Create,
    /// It is replaced, or created.
    Overwrite,
    /// The content goes behind what is there.
    Append,
    /// The content goes to a place in it.
    Patch,
}

/// What goes between an old text and an appended one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Join {
    /// A line end, if the old text has none at its end.
    Newline,
}

/// How a content line that looks like a terminator is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Escape {
    /// With a backslash before it.
    Backslash,
}

/// Whether one fence around the whole file is taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unwrap {
    /// No.
    #[default]
    Off,
    /// Yes, unless the target is Markdown; and it is reported.
    Auto,
}

/// What begins a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BeginOptions {
    /// The file, relative to the root.
    pub target_file: String,
    /// What becomes of it.
    pub operation: WriteOperation,
    /// What it is for, in the sender's words.
    #[serde(default)]
    pub intent: Option<String>,
    /// A folder beneath the server's root.
    #[serde(default)]
    pub root: Option<String>,
    /// What ends the content.
    #[serde(default)]
    pub terminator: Terminator,
    /// Whether an empty file is meant.
    #[serde(default)]
    pub allow_empty: bool,
    /// Whether `overwrite` needs a file that is there.
    #[serde(default)]
    pub must_exist: bool,
    /// The hash that the target must have.
    #[serde(default)]
    pub expect_sha256: Option<String>,
    /// What goes between an old text and an appended one.
    #[serde(default)]
    pub join: Option<Join>,
    /// How a content line that looks like a terminator is written.
    #[serde(default)]
    pub escape: Option<Escape>,
    /// What to do with bytes that are not UTF-8.
    #[serde(default)]
    pub encoding: TextEncoding,
    /// What findings do; by the kind of file if not said.
    #[serde(default)]
    pub validate: Option<ValidationMode>,
    /// The format to look for, by its name or extension, whatever the target is called.
    #[serde(default)]
    pub validate_as: Option<String>,
    /// How often the content may be mended.
    #[serde(default = "repairs")]
    pub repair_attempts: u32,
    /// Whether one fence around the whole file is taken away.
    #[serde(default)]
    pub unwrap: Unwrap,
    /// Bytes that the content may have.
    #[serde(default = "bytes")]
    pub max_bytes: u64,
    /// How continuations are treated.
    #[serde(default)]
    pub continuation: Continuation,
    /// Where the content goes in a patch.
    #[serde(default)]
    pub patch: Option<PatchSpec>,
}

fn repairs() -> u32 {
    MAX_REPAIRS
}

fn bytes() -> u64 {
    MAX_BYTES
}

impl BeginOptions {
    /// Options with nothing said but the target and the operation.
    #[must_use]
    pub fn new(target_file: impl Into<String>, operation: WriteOperation) -> Self {
        Self {
            target_file: target_file.into(),
            operation,
            intent: None,
            root: None,
            terminator: Terminator::default(),
            allow_empty: false,
            must_exist: false,
            expect_sha256: None,
            join: None,
            escape: None,
            encoding: TextEncoding::default(),
            validate: None,
            validate_as: None,
            repair_attempts: MAX_REPAIRS,
            unwrap: Unwrap::default(),
            max_bytes: MAX_BYTES,
            continuation: Continuation::default(),
            patch: None,
        }
    }

    /// Reads and checks what a client sent.
    ///
    /// # Errors
    /// The first thing that is wrong: `TARGET_REQUIRED`, `INVALID_OPERATION`, `ARGS_INVALID`, `UNSUPPORTED_TARGET`.
    pub fn parse(value: &Value) -> Result<Self, Error> {
        if !value.is_object() {
            return Err(Error::Options("they are no JSON object".to_owned()));
        }
        if value.get("target_file").and_then(Value::as_str).is_none_or(|target| target.trim().is_empty()) {
            return Err(Error::TargetRequired);
        }
        let operation = value.get("operation").unwrap_or(&Value::Null);
        if WriteOperation::deserialize(operation).is_err() {
            return Err(Error::InvalidOperation(
                operation.as_str().unwrap_or_default().chars().take(40).collect(),
            ));
        }
        let options = Self::deserialize(value).map_err(|error| Error::Options(error.to_string()))?;
        options.check()?;
        Ok(options)
    }

    /// What the target is taken for.
    #[must_use]
    pub fn kind(&self) -> FileKind {
        let said = self.validate_as.as_deref().and_then(FileKind::of_extension);
        said.unwrap_or_else(|| FileKind::of_name(&self.target_file))
    }

    /// What findings do.
    #[must_use]
    pub fn mode(&self) -> ValidationMode {
        self.validate.unwrap_or_else(|| self.kind().default_mode())
    }

    /// Checks that they make sense together.
    ///
    /// # Errors
    /// As [`BeginOptions::parse`].
    pub fn check(&self) -> Result<(), Error> {
        if self.target_file.trim().is_empty() {
            return Err(Error::TargetRequired);
        }
        let is_document = FileKind::of_name(&self.target_file) == FileKind::Docx;
        let is_anew = matches!(self.operation, WriteOperation::Create | WriteOperation::Overwrite);
        let is_other = [".docm", ".dotx", ".dotm", ".doc"]
            .iter()
            .any(|extension| self.target_file.to_ascii_lowercase().ends_with(extension));
        if is_other || (is_document && !is_anew) || (self.kind() == FileKind::Docx) != is_document {
            return Err(Error::UnsupportedTarget(self.target_file.clone()));
        }
        let hash = self.expect_sha256.as_ref();
        let is_hash = |hash: &String| hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let known = self.validate_as.as_ref().is_none_or(|name| FileKind::of_extension(name).is_some());
        let wrong = [
            (
                (self.operation == WriteOperation::Patch) != self.patch.is_some(),
                "'patch' goes with the operation patch, and only with it",
            ),
            (
                self.join.is_some() && self.operation != WriteOperation::Append,
                "'join' goes with the operation append",
            ),
            (
                self.must_exist && self.operation == WriteOperation::Create,
                "'must_exist' makes no sense with the operation create",
            ),
            (
                hash.is_some() && self.operation == WriteOperation::Create,
                "'expect_sha256' makes no sense with the operation create",
            ),
            (hash.is_some_and(|hash| !is_hash(hash)), "'expect_sha256' has 64 hexadecimal digits"),
            (!known, "'validate_as' names no format that is known"),
            (self.repair_attempts > MAX_REPAIRS, "'repair_attempts' is 3 at most"),
            (self.max_bytes == 0, "'max_bytes' is 1 at least"),
            (self.continuation.max_rounds > MAX_ROUNDS, "'continuation.max_rounds' is 16 at most"),
            (self.continuation.min_overlap_bytes == 0, "'continuation.min_overlap_bytes' is 1 at least"),
        ];
        match wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, problem)) => Err(Error::Options(problem.to_owned())),
            None => Ok(()),
        }
    }
}
