//! A document from its file to its file: opened, proven, kept, written.
//!
//! Must never write what the engine has not proven, replace a document unless that was asked for, or replace one whose state
//! is not kept before.

use std::path::{Path, PathBuf};

use engross_docx::ops::Proof;
use engross_docx::{Limits, Tracking, WordDocument, flat_opc};
use engross_protocol::Clock;
use engross_store::files::{PathError, Stamp, by_path};

use crate::Error;
use crate::checkpoints::{CheckpointStore, sha256_of};
use crate::naming::{check_name, result_ending};
use crate::written::WrittenFiles;

/// Bytes of a largest document: Word's own limit.
const DOCUMENT_BYTES: u64 = 512 << 20;

/// The last number that a result's name gets.
const LAST_NUMBER: u32 = 10_000;

/// A file with a document, as it was when it was read.
#[derive(Debug, Clone)]
pub struct InputFile {
    path: PathBuf,
    stamp: Stamp,
    /// SHA-256 of its bytes, where a document was opened.
    sha256: Option<String>,
    /// What was written, if anybody keeps records.
    written: Option<WrittenFiles>,
}

/// Where a result goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// To another file than the document's, which is made or replaced.
    NewFile(PathBuf),
    /// In the place of the document. What it was becomes a checkpoint in this folder for data.
    InPlace(PathBuf),
    /// Nowhere: it is proven and hashed, as in a dry run.
    Nowhere,
}

/// A result that was proven, and written unless it was to go nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The file that was written.
    pub output: Option<String>,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// What was proven.
    pub proof: Proof,
}

/// Whether a file of that name is a package as one XML file (Flat OPC).
fn is_flat_name(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml"))
}

impl InputFile {
    /// Reads a file that should hold a document.
    ///
    /// # Errors
    /// [`Error::Path`].
    pub fn read(path: &Path) -> Result<(Self, Vec<u8>), Error> {
        let (bytes, stamp) = by_path::read(path, DOCUMENT_BYTES)?;
        Ok((Self { path: path.to_owned(), stamp, sha256: None, written: None }, bytes))
    }

    /// Opens a document.
    ///
    /// # Errors
    /// [`Error::Path`], and [`Error::Document`] when there is none in the file.
    pub fn open(path: &Path) -> Result<(Self, WordDocument), Error> {
        let (input, bytes) = Self::read(path)?;
        let sha256 = Some(sha256_of(&bytes));
        let document = WordDocument::open(bytes, &Limits::default()).map_err(|error| input.wrong(error))?;
        Ok((Self { sha256, ..input }, document))
    }

    /// The file as it was named.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its absolute path without links: one name, whatever the folder in which it is asked for.
    #[must_use]
    pub fn absolute(&self) -> PathBuf {
        by_path::absolute(&self.path)
    }

    /// The same with a record of what is written, kept in the folder `data`: `document`, which was read from the file, learns which
    /// revisions in it are one's own. Without a usable folder there is no record.
    #[must_use]
    pub fn recorded(self, data: &Path, document: &mut WordDocument) -> Self {
        let store = CheckpointStore::in_data(data).and_then(|store| store.written());
        let written =
            store.inspect_err(|problem| tracing::warn!(%problem, "there is no record of what is written"));
        if let Ok(written) = &written {
            let sha256 = self.sha256.clone().unwrap_or_else(|| sha256_of(document.source()));
            written.recall(document, &sha256);
        }
        Self { written: written.ok(), ..self }
    }

    /// `NAME.SUFFIX.docx` beside it, or with the ending of the source if that tells another kind of Word document.
    #[must_use]
    pub fn beside(&self, suffix: &str) -> PathBuf {
        self.beside_numbered(suffix, 1)
    }

    /// The same, unless a file is there that was not made from this document: then the first number that is free is in its name, as
    /// in `nda.redline-2.docx`.
    #[must_use]
    pub fn free_beside(&self, suffix: &str) -> PathBuf {
        let source = self.absolute().display().to_string();
        let is_ours = |path: &Path| match (&self.written, by_path::read(path, DOCUMENT_BYTES)) {
            (Some(written), Ok((bytes, _))) => written.is_made_from(&sha256_of(&bytes), &source),
            (_, result) => matches!(result, Err(PathError::NotFound { .. })),
        };
        let names = (1..=LAST_NUMBER).map(|number| self.beside_numbered(suffix, number));
        names
            .into_iter()
            .find(|path| is_ours(path))
            .unwrap_or_else(|| self.beside_numbered(suffix, LAST_NUMBER))
    }

    fn beside_numbered(&self, suffix: &str, number: u32) -> PathBuf {
        let ending = result_ending(&self.path);
        let mut name = self.path.file_stem().unwrap_or_default().to_owned();
        name.push(match number {
            1 => format!(".{suffix}.{ending}"),
            number => format!(".{suffix}-{number}.{ending}"),
        });
        self.path.with_file_name(name)
    }

    /// What the engine says is wrong with the document in it.
    #[must_use]
    pub fn wrong(&self, error: engross_docx::Error) -> Error {
        Error::document(self.path.display().to_string(), error)
    }

    /// Refuses a destination that certainly cannot be written, before there is a result. Nothing is written.
    ///
    /// # Errors
    /// [`Error::OutputIsInput`], [`Error::Path`].
    pub fn check(&self, destination: &Destination) -> Result<(), Error> {
        match destination {
            Destination::NewFile(path) if by_path::is_same_file(&self.path, path) => {
                Err(Error::OutputIsInput { path: path.clone() })
            }
            Destination::NewFile(path) => Ok(by_path::check_target(path)?),
            Destination::InPlace(_) | Destination::Nowhere => Ok(()),
        }
    }

    /// The same for a document that is made from this one: its name must not tell another kind.
    ///
    /// # Errors
    /// [`Error::OutputKind`], else as [`InputFile::check`].
    pub fn check_document(&self, destination: &Destination) -> Result<(), Error> {
        self.check(destination)?;
        match destination {
            Destination::NewFile(path) => check_name(&self.path, path),
            Destination::InPlace(_) | Destination::Nowhere => Ok(()),
        }
    }

    /// Proves a document that was made from this file, keeps what it replaces, and writes it. In place, nothing is kept when
    /// nothing has changed.
    ///
    /// # Errors
    /// [`Error::Document`] when it cannot be proven, [`Error::NotKept`], else as [`InputFile::check_document`]; nothing is changed then.
    pub fn deliver(
        &self,
        document: &WordDocument,
        tracking: Tracking,
        destination: &Destination,
        clock: &dyn Clock,
    ) -> Result<Delivery, Error> {
        self.check_document(destination)?;
        let saved = document.save(tracking).map_err(|error| self.wrong(error))?;
        let has_changed = saved.bytes != document.source();
        let target = match destination {
            Destination::NewFile(path) => Some(path),
            Destination::InPlace(_) => Some(&self.path),
            Destination::Nowhere => None,
        };
        let is_flat = target.is_some_and(|path| is_flat_name(path));
        let bytes = if is_flat {
            flat_opc(saved.bytes, &Limits::default()).map_err(|error| self.wrong(error))?
        } else {
            saved.bytes
        };
        let sha256 = sha256_of(&bytes);
        let records = self.written.as_ref().filter(|_| *destination != Destination::Nowhere);
        // The hash of a document that is as it came says nothing of who wrote it.
        if let Some(written) = records.filter(|written| has_changed || written.source_of(&sha256).is_some()) {
            written.remember(document, tracking, (&sha256, &self.absolute().display().to_string()));
        }
        let output = match destination {
            Destination::NewFile(path) => {
                by_path::write(path, &bytes, None)?;
                Some(path)
            }
            Destination::InPlace(data) => {
                // The file may hold another form of the package than was opened.
                if has_changed && is_flat {
                    self.keep(&Self::read(&self.path)?.1, data, clock)?;
                } else if has_changed {
                    self.keep(document.source(), data, clock)?;
                }
                if has_changed || !is_flat {
                    self.replace(&bytes)?;
                }
                Some(&self.path)
            }
            Destination::Nowhere => None,
        };
        let output = output.map(|path| path.display().to_string());
        Ok(Delivery { output, sha256, proof: saved.proof })
    }

    /// Replaces the file, which must be as it was read. The caller has kept its bytes.
    ///
    /// # Errors
    /// [`Error::Path`]; nothing is changed then.
    pub fn replace(&self, bytes: &[u8]) -> Result<(), Error> {
        Ok(by_path::write(&self.path, bytes, Some(&self.stamp))?)
    }

    fn keep(&self, source: &[u8], data: &Path, clock: &dyn Clock) -> Result<(), Error> {
        let kept = CheckpointStore::in_data(data)
            .map_err(Error::from)
            .and_then(|store| store.of_path(&self.absolute())?.save(source, None, clock));
        kept.map(drop).map_err(|error| Error::NotKept(Box::new(error)))
    }
}
