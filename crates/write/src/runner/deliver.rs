//! How the file comes from the content, and takes its place.
//!
//! Must never hold content in memory that need not be: only what is looked into, patched or unwrapped is read.

use std::borrow::Cow;
use std::io::Read;

use engross_store::files::FileError;

use super::content::Part;
use super::journal::Intent;
use super::work::Work;
use crate::codes;
use crate::error::{Error, Problem};
use crate::patch::PatchError;
use crate::session::{Assembly, Base, Written, assemble};
use crate::validate::{self, Finding, Kind, Mode, Report, Severity, Subject};

/// Content and old files that are patched or unwrapped have at most so many bytes.
const IN_MEMORY: u64 = 64 << 20;
/// Bytes that are copied at once.
const BLOCK: usize = 128 << 10;

/// Why there is nothing to look at.
pub(super) enum Unprepared {
    /// The content is a patch that does not fit.
    Patch(PatchError),
    /// The disk, or somebody else at it.
    Lost(Problem),
}

impl From<FileError> for Unprepared {
    fn from(error: FileError) -> Self {
        Self::Lost(error.into())
    }
}

/// A file to be looked at. It is looked at while nobody waits for the session.
pub(super) struct Look {
    kind: Kind,
    mode: Mode,
    length: u64,
    bytes: Option<Vec<u8>>,
    old: Option<Vec<u8>>,
    marker: String,
    /// Why no document can be made of it.
    problem: Option<String>,
}

impl Look {
    /// What is found.
    pub(super) fn take(&self) -> Report {
        let (Some(bytes), Mode::Warn | Mode::Strict) = (&self.bytes, self.mode) else {
            return match self.mode {
                Mode::Off => Report::default(),
                Mode::Warn | Mode::Strict => Report::not_looked_into(self.length),
            };
        };
        let subject = Subject { bytes, old: self.old.as_deref(), marker: Some(&self.marker) };
        let mut report = validate::validate(self.kind, &subject, &[]);
        if let Some(problem) = &self.problem {
            report.validators.push("document".to_owned());
            report
                .findings
                .insert(0, Finding::new(codes::DOCUMENT_NOT_COMPOSED.name, Severity::Error, problem.clone()));
        }
        report
    }
}

impl Work {
    /// Puts the file together.
    pub(super) fn prepare(&mut self, assembly: &Assembly) -> Result<Look, Unprepared> {
        self.changes.clear();
        if let Some(file) = self.content.file.take() {
            file.staged.discard()?;
        }
        match &assembly.base {
            Base::Nothing if !assembly.unwrap => {}
            Base::BehindTarget { newline } if !assembly.unwrap => self.append_to_old(*newline)?,
            _ => self.assemble(assembly)?,
        }
        let part = self.content.file.as_ref().or(self.content.now.as_ref());
        let part = part.ok_or_else(|| Unprepared::Lost(gone()))?;
        let length = part.print.length;
        let is_looked_at = assembly.mode != Mode::Off && length <= validate::MAX_BYTES as u64;
        let bytes = is_looked_at.then(|| part.read()).transpose()?;
        if assembly.kind == Kind::Docx {
            return self.compose(assembly.mode, length, bytes);
        }
        // An old file that is too large to be compared with is as good as none.
        let old =
            if is_looked_at { self.target.old(validate::MAX_BYTES as u64).ok().flatten() } else { None };
        let marker = self.session.marker().to_owned();
        Ok(Look { kind: assembly.kind, mode: assembly.mode, length, bytes, old, marker, problem: None })
    }

    /// Makes a document of the content. What is looked at is the Markdown.
    fn compose(&mut self, mode: Mode, length: u64, bytes: Option<Vec<u8>>) -> Result<Look, Unprepared> {
        let lost = |error: Error| Unprepared::Lost(error.into());
        let part = self.content.file.as_ref().or(self.content.now.as_ref());
        let part = part.ok_or_else(|| Unprepared::Lost(gone()))?;
        if length > IN_MEMORY {
            return Err(lost(Error::TooLarge { limit: IN_MEMORY }));
        }
        let text = match &bytes {
            Some(bytes) => bytes.clone(),
            None => part.read()?,
        };
        let composer = self.documents.as_ref();
        let composer = composer.ok_or_else(|| lost(Error::UnsupportedTarget(self.target.shown.clone())))?;
        let composed = match std::str::from_utf8(&text) {
            Ok(text) => composer.compose(text),
            Err(error) => Err(format!("it is not UTF-8 behind byte {}", error.valid_up_to())),
        };
        let marker = self.session.marker().to_owned();
        let mut look = Look { kind: Kind::Markdown, mode, length, bytes, old: None, marker, problem: None };
        match composed {
            Ok(document) => {
                let mut made = self.content.part()?;
                made.append(&document)?;
                if let Some(text) = self.content.file.replace(made) {
                    text.staged.discard()?;
                }
            }
            // A file that is looked at can be mended by its sender.
            Err(problem) if mode == Mode::Strict && look.bytes.is_some() => look.problem = Some(problem),
            Err(problem) => return Err(lost(Error::NotComposed(problem))),
        }
        Ok(look)
    }

    /// The old file and then the content, as a part.
    fn append_to_old(&mut self, newline: bool) -> Result<(), Unprepared> {
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

    fn fill(&mut self, file: &mut Part, newline: bool) -> Result<(), Unprepared> {
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
    fn assemble(&mut self, assembly: &Assembly) -> Result<(), Unprepared> {
        let read = |part: &Option<Part>| -> Result<Vec<u8>, Unprepared> {
            match part {
                Some(part) if part.print.length > IN_MEMORY => {
                    Err(Unprepared::Lost(Error::TooLarge { limit: IN_MEMORY }.into()))
                }
                Some(part) => Ok(part.read()?),
                None => Ok(Vec::new()),
            }
        };
        let (now, aside) = (read(&self.content.now)?, read(&self.content.aside)?);
        let old = self.target.old(IN_MEMORY)?;
        let (file, changes) = assemble(assembly, &now, old.as_deref(), &aside).map_err(Unprepared::Patch)?;
        self.changes = changes;
        if matches!(&file, Cow::Borrowed(file) if file.len() == now.len()) {
            return Ok(());
        }
        let mut part = self.content.part()?;
        part.append(&file)?;
        match assembly.base {
            Base::SetAside(_) => self.content.replace(part),
            _ => self.content.file = Some(part),
        }
        Ok(())
    }

    /// Gives the file its place. What is about to happen is stored before, so that a crash in between can be told from one
    /// before it.
    pub(super) fn commit(&mut self) -> Result<Written, Problem> {
        let intent = self.intend()?;
        self.intent = Some(intent.clone());
        let stored = self.checkpoint();
        self.intent = None;
        stored?;
        let is_apart = self.content.file.is_some();
        let place = if is_apart { &mut self.content.file } else { &mut self.content.now };
        let Part { number, staged, print } = place.take().ok_or_else(gone)?;
        match staged.commit(&self.target.folder, &self.target.path, &self.target.precondition()) {
            Ok(_) => Ok(self.written(&intent)),
            Err(not) => {
                let place = if is_apart { &mut self.content.file } else { &mut self.content.now };
                *place = Some(Part { number, staged: not.staged, print });
                Err(self.target.problem(self.session.options().operation, not.error))
            }
        }
    }

    /// What is about to take its place.
    fn intend(&mut self) -> Result<Intent, Problem> {
        let is_apart = self.content.file.is_some();
        let place = if is_apart { &mut self.content.file } else { &mut self.content.now };
        let part = place.as_mut().ok_or_else(gone)?;
        part.cut()?;
        Ok(Intent {
            part: part.state(),
            sha256: part.staged.sha256()?,
            previous_sha256: self.target.base.clone(),
            changes: self.changes.clone(),
        })
    }

    /// What is known of a file that has its place.
    pub(super) fn written(&self, intent: &Intent) -> Written {
        // The lines of a document are those that it was made of.
        let is_document = self.session.options().kind() == Kind::Docx;
        let text = self.content.now.as_ref().filter(|_| is_document).map(|text| text.print);
        Written {
            path: self.target.shown.clone(),
            bytes: intent.part.print.length,
            lines: text.unwrap_or(intent.part.print).lines(),
            sha256: intent.sha256.clone(),
            previous_sha256: intent.previous_sha256.clone(),
            changes: intent.changes.clone(),
        }
    }
}

fn gone() -> Problem {
    FileError::NotWritten { path: "content".to_owned(), reason: "it was discarded".to_owned() }.into()
}

fn copy(mut source: impl Read, part: &mut Part, path: &str) -> Result<(), Unprepared> {
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
