//! Builds pages of a manifest for the wire.
//!
//! Must never drop a file silently: what is not on this page is on the next.

use std::borrow::Cow;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

use super::content_type::content_type;
use super::deliverable::{Deliverable, Manifest};
use super::error::ScopeError;
use super::hashes::Sha256Sum;
use super::hashing::HashContext;
use super::hints::{ExpectedDir, ExpectedDirStatus};
use super::name::{ArtifactScope, RunId, SessionKey};
use super::open_artifact::OpenArtifact;
use super::read::artifact_path;
use super::refs::{ArtifactClaim, Signer};
use super::requirements::RequirementOutcome;
use super::warnings::Warnings;
use super::workspace::Scope;

/// One artifact on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    /// Its path beneath the scope.
    pub relative_path: String,
    /// Its name without folders.
    pub label: String,
    /// Its media type, by its name.
    pub content_type: &'static str,
    /// Its length in bytes.
    pub size_bytes: u64,
    /// The hash of its bytes.
    pub sha256: Sha256Sum,
    /// A signed reference to it.
    pub artifact_ref: String,
    /// Its scope.
    pub artifact_scope: ArtifactScope,
    /// Always `task`.
    pub scope_kind: &'static str,
    /// `base64` when the content is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<&'static str>,
    /// Its bytes, when they were asked for and are not too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// A page of artifacts on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExportPage {
    /// The run.
    pub run_id: RunId,
    /// The session.
    pub session_key: SessionKey,
    /// The scope's folder as agents name it.
    pub remote_working_directory: String,
    /// Always `remotePath`.
    pub remote_workspace_ref_kind: &'static str,
    /// The scope.
    pub artifact_scope: ArtifactScope,
    /// Always `task`.
    pub scope_kind: &'static str,
    /// The artifacts of this page.
    pub artifacts: Vec<Artifact>,
    /// How many there are on all pages.
    pub artifact_count: usize,
    /// Where the next page begins; missing on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// What was left out, and why.
    pub warnings: Vec<String>,
    /// The expected folders.
    pub expected_artifact_dirs: Vec<ExpectedDir>,
    /// Whether they are there.
    pub expected_artifact_dir_status: Vec<ExpectedDirStatus>,
    /// Whether all files, on all pages, are what was asked for.
    #[serde(flatten)]
    pub outcome: RequirementOutcome,
}

/// What is to be on a page.
#[derive(Debug, Clone, Copy, Default)]
pub struct PageRequest<'a> {
    /// At most so many artifacts; `None` for all.
    pub most: Option<usize>,
    /// At most about so many bytes of JSON, but one artifact at least; `None` for all.
    pub bytes: Option<usize>,
    /// `nextCursor` of the page before.
    pub cursor: Option<&'a str>,
    /// Files of at most so many bytes have their content with them.
    pub inline: Option<u64>,
    /// The expected folders, whose presence is told.
    pub expected: &'a [ExpectedDir],
}

/// Where a page begins: behind this file, in this list.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cursor {
    list: Sha256Sum,
    required: bool,
    modified: i64,
    path: String,
    /// Where the next file stands in a list that is a file of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
}

/// A file, and where the next one stands if that is in a list of its own.
type Row<'a> = Result<(Cow<'a, Deliverable>, Option<u64>), ScopeError>;

impl Scope {
    /// A page of `manifest`, which is one of this scope. The list may have changed between two pages, which is a warning: no
    /// file that stayed the same is missing or there twice.
    ///
    /// # Errors
    /// [`ScopeError::CursorInvalid`], [`ScopeError::KeyUnusable`], else as [`Scope::expected`].
    pub fn page(
        &self,
        manifest: &Manifest,
        of: PageRequest<'_>,
        signer: Signer<'_>,
        with: HashContext<'_>,
    ) -> Result<ExportPage, ScopeError> {
        let mut warnings = Warnings::default();
        let cursor = of.cursor.map(Cursor::parse).transpose()?;
        if cursor.as_ref().is_some_and(|cursor| cursor.list != manifest.revision) {
            warnings.add(
                "nextCursor",
                "files were changed since the page before; begin anew for a list of one moment",
            );
        }
        let most = of.most.unwrap_or(usize::MAX).max(1);
        let mut artifacts: Vec<Artifact> = Vec::new();
        let (mut last, mut bytes, mut more) = (None, 0, false);
        for row in self.rows(manifest, cursor)? {
            let (file, next) = row?;
            let mut artifact = self.artifact(&file, signer)?;
            if of.bytes.is_some() {
                bytes += serde_json::to_vec(&artifact).map_or(0, |json| json.len()) + self.link_length(&file);
            }
            let is_full = artifacts.len() == most || of.bytes.is_some_and(|most| bytes > most);
            if is_full && !artifacts.is_empty() {
                more = true;
                break;
            }
            if let Some(most) = of.inline {
                match self.content(&file, most, with) {
                    Ok(content) => (artifact.encoding, artifact.content) = (Some("base64"), Some(content)),
                    Err(why) => warnings.add(&file.relative_path, &why),
                }
            }
            artifacts.push(artifact);
            last = Some((file.into_owned(), next));
        }
        if more {
            let count = manifest.count();
            warnings.add("nextCursor", &format!("of {count} files, those that follow are on the next page"));
        }
        let last = last.filter(|_| more);
        Ok(ExportPage {
            run_id: self.run().clone(),
            session_key: self.session().clone(),
            remote_working_directory: self.directory().to_owned(),
            remote_workspace_ref_kind: "remotePath",
            artifact_scope: self.name().clone(),
            scope_kind: "task",
            artifacts,
            artifact_count: manifest.count(),
            next_cursor: last.map(|(file, next)| Cursor::behind(&file, manifest.revision, next).to_text()),
            warnings: manifest.warnings.iter().cloned().chain(warnings.into_list()).collect(),
            expected_artifact_dirs: of.expected.to_vec(),
            expected_artifact_dir_status: self.expected(of.expected)?,
            outcome: manifest.outcome.clone(),
        })
    }

    /// The files behind a cursor, or all of them.
    fn rows<'a>(
        &self,
        manifest: &'a Manifest,
        cursor: Option<Cursor>,
    ) -> Result<Box<dyn Iterator<Item = Row<'a>> + 'a>, ScopeError> {
        if let (Some(list), Some(frozen)) = (&manifest.list, self.frozen()) {
            let offset = cursor.and_then(|cursor| cursor.offset).unwrap_or_default();
            let rows = frozen.list(list, offset)?;
            return Ok(Box::new(rows.map(|row| row.map(|(file, next)| (Cow::Owned(file), Some(next))))));
        }
        let start = cursor.map_or(0, |cursor| {
            let last = cursor.into_file();
            manifest.files.partition_point(|file| file.order() <= last.order())
        });
        let rest = manifest.files.get(start..).unwrap_or_default();
        Ok(Box::new(rest.iter().map(|file| Ok((Cow::Borrowed(file), None)))))
    }

    /// About how many bytes a download link takes besides.
    fn link_length(&self, file: &Deliverable) -> usize {
        /// The names of the fields, a hash, a signature, a time, and the address of a server.
        const REST: usize = 420;
        REST + 3 * (file.relative_path.len() + self.session().as_str().len() + self.run().as_str().len())
    }

    /// An open artifact on the wire, its content with it if it has at most `inline` bytes; else a warning says so.
    ///
    /// # Errors
    /// [`ScopeError::KeyUnusable`], [`ScopeError::Changed`], else as the system says.
    pub fn artifact_of(
        &self,
        open: OpenArtifact,
        inline: u64,
        signer: Signer<'_>,
    ) -> Result<(Artifact, Option<String>), ScopeError> {
        let file = Deliverable {
            relative_path: open.path().as_str().to_owned(),
            size_bytes: open.size(),
            sha256: open.sha256(),
            modified: 0,
            required: false,
        };
        let mut artifact = self.artifact(&file, signer)?;
        if file.size_bytes > inline {
            return Ok((
                artifact,
                Some(format!("{}: {}", super::error::shown(&file.relative_path), too_large(inline))),
            ));
        }
        (artifact.encoding, artifact.content) = (Some("base64"), Some(encoded(open)?));
        Ok((artifact, None))
    }

    fn artifact(&self, file: &Deliverable, signer: Signer<'_>) -> Result<Artifact, ScopeError> {
        let claim = ArtifactClaim {
            relative_path: file.relative_path.clone(),
            size_bytes: file.size_bytes,
            sha256: file.sha256,
        };
        Ok(Artifact {
            label: file.label().to_owned(),
            content_type: content_type(file.label()),
            size_bytes: file.size_bytes,
            sha256: file.sha256,
            artifact_ref: signer.sign(self, &claim)?,
            artifact_scope: self.name().clone(),
            scope_kind: "task",
            encoding: None,
            content: None,
            relative_path: claim.relative_path,
        })
    }

    /// The content of a file as it is in the list.
    fn content(&self, file: &Deliverable, most: u64, with: HashContext<'_>) -> Result<String, String> {
        if file.size_bytes > most {
            return Err(too_large(most));
        }
        let told = |error: ScopeError| format!("without content: {error}");
        let path = artifact_path(&file.relative_path).map_err(told)?;
        let frozen = match self.frozen() {
            Some(frozen) => frozen.open(file.sha256, &path, with).map_err(told)?,
            None => None,
        };
        let open = match frozen {
            Some(frozen) => frozen,
            None => self.open(&path, with).map_err(told)?,
        };
        if open.sha256() != file.sha256 {
            return Err("without content, as it was changed meanwhile".to_owned());
        }
        encoded(open).map_err(told)
    }
}

fn too_large(most: u64) -> String {
    format!("without content, as it has more than {most} bytes: download it")
}

fn encoded(open: OpenArtifact) -> Result<String, ScopeError> {
    let path = open.path().clone();
    let mut bytes = Vec::with_capacity(usize::try_from(open.size()).unwrap_or_default());
    let read = open.stream_all()?.read_to_end(&mut bytes);
    read.map_err(|_| ScopeError::changed(path.as_str()))?;
    Ok(STANDARD.encode(bytes))
}

impl Cursor {
    fn behind(file: &Deliverable, list: Sha256Sum, offset: Option<u64>) -> Self {
        let Deliverable { required, modified, relative_path, .. } = file;
        Self { list, required: *required, modified: *modified, path: relative_path.clone(), offset }
    }

    fn to_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    fn parse(text: &str) -> Result<Self, ScopeError> {
        let json = URL_SAFE_NO_PAD.decode(text).map_err(|_| ScopeError::CursorInvalid)?;
        serde_json::from_slice(&json).map_err(|_| ScopeError::CursorInvalid)
    }

    /// A file that stands where this one points to.
    fn into_file(self) -> Deliverable {
        let Self { list, required, modified, path, .. } = self;
        Deliverable { relative_path: path, size_bytes: 0, sha256: list, modified, required }
    }
}
