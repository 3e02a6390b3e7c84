//! Puts the file together from the content, and moves it to its place.
//!
//! Must never hold content in memory that need not be: only what is looked into, patched or unwrapped is read.

use std::borrow::Cow;
use std::io::Read;
use std::sync::Arc;

use engross_store::files::FileError;

use super::config::{Composer, FileKeeper, ProposedFile};
use super::content::{Content, ContentPart};
use super::journal::Intent;
use super::target::Target;
use crate::codes;
use crate::error::{Error, WriteFailure};
use crate::joint::Joint;
use crate::patch::{PatchError, unified_diff};
use crate::session::{Assembly, AssemblyBase, CommittedFile, WriteSession, WriteWarning, assemble};
use crate::validate::{
    self, ContentFinding, FileKind, FindingSeverity, Subject, ValidationMode, ValidationReport,
};

/// Content and old files that are patched or unwrapped have at most so many bytes.
const IN_MEMORY: u64 = 64 << 20;
/// Larger files are not compared with what they were.
const DIFFERENCE: u64 = 4 << 20;
/// Longer files that were refused are not compared with what comes in their place.
const COMPARED: usize = 4 << 20;
/// Bytes that are copied at once.
const BLOCK: usize = 128 << 10;

/// Why there is nothing to validate.
pub(super) enum PrepareError {
    /// The content is a patch that does not fit.
    Patch(PatchError),
    /// The disk, or somebody else at it.
    Lost(WriteFailure),
}

impl From<FileError> for PrepareError {
    fn from(error: FileError) -> Self {
        Self::Lost(error.into())
    }
}

/// A file to be validated. That is done while nobody waits for the session.
pub(super) struct Inspection {
    /// The file, as its sender named it.
    path: String,
    kind: FileKind,
    mode: ValidationMode,
    length: u64,
    bytes: Option<Vec<u8>>,
    old: Option<Vec<u8>>,
    marker: String,
    /// Where it was gone on with.
    joints: Vec<Joint>,
    /// Why no document can be made of it.
    problem: Option<String>,
    /// The content that was refused before, if all of it was to be sent again.
    pub(super) refused: Option<Arc<Vec<u8>>>,
}

impl Inspection {
    /// The file, for those who have to agree to it.
    pub(super) fn proposal(&self) -> ProposedFile<'_> {
        let Self { path, length, bytes, old, .. } = self;
        ProposedFile { path, length: *length, text: bytes.as_deref(), before: old.as_deref() }
    }

    /// Its text, to be compared with what is sent in its place.
    pub(super) fn into_text(self) -> Option<Arc<Vec<u8>>> {
        self.bytes.filter(|bytes| bytes.len() <= COMPARED).map(Arc::new)
    }

    /// Validates the file.
    pub(super) fn validate(&self) -> ValidationReport {
        let (Some(bytes), ValidationMode::Warn | ValidationMode::Strict) = (&self.bytes, self.mode) else {
            return match self.mode {
                ValidationMode::Off => ValidationReport::default(),
                ValidationMode::Warn | ValidationMode::Strict => ValidationReport::too_large(self.length),
            };
        };
        let subject = Subject { bytes, old: self.old.as_deref(), marker: Some(&self.marker) };
        let mut report = validate::validate(self.kind, &subject, &[]);
        if let Some(refused) = &self.refused {
            report.add_missing_part(bytes, refused);
        }
        if !self.joints.is_empty() {
            let mut found = validate::joints(&self.path, bytes, &self.joints);
            found.extend(validate::strays_at(self.kind, bytes, &self.joints));
            report.add_joints(found);
        }
        report.findings.extend(validate::diff_stray(&self.path, bytes));
        if let Some(problem) = &self.problem {
            report.validators.push("document".to_owned());
            report.findings.insert(
                0,
                ContentFinding::new(
                    codes::DOCUMENT_NOT_COMPOSED.name,
                    FindingSeverity::Error,
                    problem.clone(),
                ),
            );
        }
        report
    }
}

/// What a file is put together from, and where it goes.
pub(super) struct Delivery<'a> {
    pub(super) content: &'a mut Content,
    pub(super) target: &'a Target,
    pub(super) session: &'a WriteSession,
    pub(super) composer: Option<&'a dyn Composer>,
}

impl Delivery<'_> {
    /// Puts the file together; gives what is to be validated, and what was done to the content.
    pub(super) fn prepare(
        &mut self,
        assembly: &Assembly,
    ) -> Result<(Inspection, Vec<WriteWarning>), PrepareError> {
        if let Some(file) = self.content.file.take() {
            file.staged.discard()?;
        }
        let mut changes = Vec::new();
        match &assembly.base {
            AssemblyBase::Nothing if !assembly.unwrap => {}
            AssemblyBase::BehindTarget { newline } if !assembly.unwrap => self.append_to_old(*newline)?,
            _ => changes = self.assemble(assembly)?,
        }
        let part = self.content.file.as_ref().or(self.content.now.as_ref());
        let part = part.ok_or_else(|| PrepareError::Lost(gone()))?;
        let length = part.print.length;
        let is_validated = assembly.mode != ValidationMode::Off && length <= validate::MAX_BYTES as u64;
        let bytes = is_validated.then(|| part.read()).transpose()?;
        if assembly.kind == FileKind::Docx {
            let inspection = self.compose(assembly.mode, length, bytes, &mut changes)?;
            return Ok((inspection, changes));
        }
        // An old file that is too large to be compared with is as good as none.
        let old =
            if is_validated { self.target.old(validate::MAX_BYTES as u64).ok().flatten() } else { None };
        let marker = self.session.marker().to_owned();
        let before = length.saturating_sub(self.content.now.as_ref().map_or(0, |now| now.print.length));
        let joints = match &assembly.base {
            // What was taken away moved them; a patch is looked at in its file.
            _ if !changes.is_empty() => Vec::new(),
            AssemblyBase::Nothing | AssemblyBase::BehindTarget { .. } => {
                self.session.joints().iter().map(|joint| joint.behind(before)).collect()
            }
            AssemblyBase::Target(_) | AssemblyBase::SetAside(_) => Vec::new(),
        };
        let inspection = Inspection {
            joints,
            path: self.target.shown.clone(),
            kind: assembly.kind,
            mode: assembly.mode,
            length,
            bytes,
            old,
            marker,
            problem: None,
            refused: None,
        };
        Ok((inspection, changes))
    }

    /// Makes a document of the content, and tells what it leaves out. What is looked at is the Markdown.
    fn compose(
        &mut self,
        mode: ValidationMode,
        length: u64,
        bytes: Option<Vec<u8>>,
        told: &mut Vec<WriteWarning>,
    ) -> Result<Inspection, PrepareError> {
        let lost = |error: Error| PrepareError::Lost(error.into());
        let part = self.content.file.as_ref().or(self.content.now.as_ref());
        let part = part.ok_or_else(|| PrepareError::Lost(gone()))?;
        if length > IN_MEMORY {
            return Err(lost(Error::TooLarge { limit: IN_MEMORY }));
        }
        let text = match &bytes {
            Some(bytes) => bytes.clone(),
            None => part.read()?,
        };
        let composer =
            self.composer.ok_or_else(|| lost(Error::UnsupportedTarget(self.target.shown.clone())))?;
        let composed = match std::str::from_utf8(&text) {
            Ok(text) => composer.compose(text),
            Err(error) => Err(format!("it is not UTF-8 behind byte {}", error.valid_up_to())),
        };
        let marker = self.session.marker().to_owned();
        let path = self.target.shown.clone();
        let kind = FileKind::Markdown;
        let joints = Vec::new();
        let mut inspection = Inspection {
            path,
            kind,
            mode,
            length,
            bytes,
            old: None,
            marker,
            joints,
            problem: None,
            refused: None,
        };
        match composed {
            Ok(document) => {
                let code = codes::LEFT_OUT.name;
                let warnings = document.warnings.into_iter();
                told.extend(warnings.map(|message| WriteWarning { code: code.to_owned(), message }));
                let mut made = self.content.part()?;
                made.append(&document.bytes)?;
                if let Some(text) = self.content.file.replace(made) {
                    text.staged.discard()?;
                }
            }
            // A file that is looked at can be mended by its sender.
            Err(problem) if mode == ValidationMode::Strict && inspection.bytes.is_some() => {
                inspection.problem = Some(problem);
            }
            Err(problem) => return Err(lost(Error::NotComposed(problem))),
        }
        Ok(inspection)
    }

    /// The old file and then the content, as a part.
    fn append_to_old(&mut self, newline: bool) -> Result<(), PrepareError> {
        let mut file = self.content.part()?;
        let filled = self.fill(&mut file, newline);
        match filled {
            Ok(()) => {
                self.content.file = Some(file);
                Ok(())
            }
            Err(error) => {
                let _ = file.staged.discard();
                Err(error)
            }
        }
    }

    fn fill(&mut self, file: &mut ContentPart, newline: bool) -> Result<(), PrepareError> {
        let path = self.target.path.as_str();
        if let Some(old) = self.target.old_reader()? {
            copy(old, file, path)?;
        }
        if let Some(base) = &self.target.base
            && file.staged.sha256()? != *base
        {
            let error = FileError::TargetChanged {
                path: path.to_owned(),
                expected: base.clone(),
                found: file.staged.sha256()?,
            };
            return Err(error.into());
        }
        if newline && file.print.lacks_line_end() {
            file.append(b"\n")?;
        }
        if let Some(now) = &self.content.now {
            copy(now.staged.reader()?.take(now.print.length), file, path)?;
        }
        Ok(())
    }

    /// What has to be in memory to be put together.
    fn assemble(&mut self, assembly: &Assembly) -> Result<Vec<WriteWarning>, PrepareError> {
        let read = |part: &Option<ContentPart>| -> Result<Vec<u8>, PrepareError> {
            match part {
                Some(part) if part.print.length > IN_MEMORY => {
                    Err(PrepareError::Lost(Error::TooLarge { limit: IN_MEMORY }.into()))
                }
                Some(part) => Ok(part.read()?),
                None => Ok(Vec::new()),
            }
        };
        let (now, aside) = (read(&self.content.now)?, read(&self.content.aside)?);
        let old = self.target.old(IN_MEMORY)?;
        let (file, changes) =
            assemble(assembly, &now, old.as_deref(), &aside).map_err(PrepareError::Patch)?;
        if matches!(&file, Cow::Borrowed(file) if file.len() == now.len()) {
            return Ok(changes);
        }
        let mut part = self.content.part()?;
        part.append(&file)?;
        match assembly.base {
            AssemblyBase::SetAside(_) => self.content.replace(part),
            _ => self.content.file = Some(part),
        }
        Ok(changes)
    }

    /// Moves the file to its place.
    pub(super) fn place(&mut self, intent: &Intent) -> Result<CommittedFile, WriteFailure> {
        let is_apart = self.content.file.is_some();
        let place = if is_apart { &mut self.content.file } else { &mut self.content.now };
        let ContentPart { number, staged, print } = place.take().ok_or_else(gone)?;
        match staged.commit(&self.target.folder, &self.target.path, &self.target.precondition()) {
            Ok(_) => Ok(self.written(intent)),
            Err(not) => {
                let place = if is_apart { &mut self.content.file } else { &mut self.content.now };
                *place = Some(ContentPart { number, staged: not.staged, print });
                Err(self.target.problem(self.session.options().operation, not.error))
            }
        }
    }

    /// Keeps the file that is about to be replaced; gives its checkpoint.
    pub(super) fn keep(
        &self,
        keeper: &dyn FileKeeper,
        changes: &mut Vec<WriteWarning>,
    ) -> Result<Option<String>, WriteFailure> {
        match self.target.old(IN_MEMORY) {
            Ok(Some(old)) => keeper.keep(&self.target.path, &old),
            Ok(None) => Ok(None),
            Err(FileError::TooLarge { .. }) => {
                let message = format!(
                    "the file that was there has more than {IN_MEMORY} bytes, so no checkpoint of it was kept"
                );
                changes.push(WriteWarning { code: codes::NOT_KEPT.name.to_owned(), message });
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What a patch of the file that was there has changed.
    fn difference(&self) -> Option<String> {
        self.session.options().patch.as_ref()?;
        let part = self.content.file.as_ref().or(self.content.now.as_ref())?;
        let old = self.target.old(DIFFERENCE).ok().flatten()?;
        if part.print.length > DIFFERENCE {
            return None;
        }
        unified_diff(&old, &part.read().ok()?)
    }

    /// What is about to take its place. It is stored first, so that a crash in between can be told from one before it.
    pub(super) fn intend(
        &mut self,
        changes: &[WriteWarning],
        checkpoint: Option<String>,
    ) -> Result<Intent, WriteFailure> {
        let diff = self.difference();
        let is_apart = self.content.file.is_some();
        let place = if is_apart { &mut self.content.file } else { &mut self.content.now };
        let part = place.as_mut().ok_or_else(gone)?;
        part.cut()?;
        Ok(Intent {
            part: part.state(),
            sha256: part.staged.sha256()?,
            previous_sha256: self.target.base.clone(),
            changes: changes.to_vec(),
            checkpoint,
            diff,
        })
    }

    /// What is known of a file that has its place.
    pub(super) fn written(&self, intent: &Intent) -> CommittedFile {
        // The lines of a document are those that it was made of.
        let is_document = self.session.options().kind() == FileKind::Docx;
        let text = self.content.now.as_ref().filter(|_| is_document).map(|text| text.print);
        CommittedFile {
            path: self.target.shown.clone(),
            bytes: intent.part.print.length,
            lines: text.unwrap_or(intent.part.print).lines(),
            sha256: intent.sha256.clone(),
            previous_sha256: intent.previous_sha256.clone(),
            changes: intent.changes.clone(),
            checkpoint: intent.checkpoint.clone(),
            diff: intent.diff.clone(),
        }
    }
}

fn gone() -> WriteFailure {
    FileError::NotWritten { path: "content".to_owned(), reason: "it was discarded".to_owned() }.into()
}

fn copy(mut source: impl Read, part: &mut ContentPart, path: &str) -> Result<(), PrepareError> {
    let mut block = vec![0; BLOCK];
    loop {
        let read = source.read(&mut block);
        let count =
            read.map_err(|error| FileError::Unreadable { path: path.to_owned(), reason: error.to_string() })?;
        if count == 0 {
            return Ok(());
        }
        part.append(block.get(..count).unwrap_or_default())?;
    }
}
