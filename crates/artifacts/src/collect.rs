//! Copies files that an agent's tools made elsewhere, and that it names, into the scope.
//!
//! Must never take a file that was not named, nor from outside the given folders, nor over a file that is there.

use std::collections::HashMap;

use engross_store::files::{DiskPath, FileError, Folder, Precondition, RelPath};
use serde::Serialize;

use super::error::{ScopeError, shown};
use super::hashes::Sha256Sum;
use super::hashing::{HashContext, HashResult, hash_one};
use super::name::{RunId, SessionKey, segment};
use super::warnings::Warnings;
use super::workspace::Scope;

/// The folder beneath the scope for everything that is collected.
const SNAPSHOT: &str = "artifacts";

/// What kind of folder tools leave files in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceKind {
    /// The agent's folder for media.
    Media,
    /// The folder for temporary files.
    Temporary,
}

impl SourceKind {
    /// Where files of this kind go.
    fn folder(self) -> &'static str {
        match self {
            Self::Media => "generated-media",
            Self::Temporary => "generated-tmp",
        }
    }
}

/// A folder that named files may be taken from.
#[derive(Debug, Clone)]
pub struct SourceRoot {
    /// Its kind.
    pub kind: SourceKind,
    /// Its absolute path, in every spelling that agents may use, also through links.
    pub places: Vec<String>,
    /// The folder.
    pub folder: Folder,
}

/// A file that was collected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectedFile {
    /// Its path as it was named.
    pub source: String,
    /// Its path beneath the scope.
    pub relative_path: String,
    /// The hash of its bytes.
    pub sha256: Sha256Sum,
}

/// What was collected, on the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Collection {
    /// The run.
    pub run_id: RunId,
    /// The session.
    pub session_key: SessionKey,
    /// The scope's folder as agents name it.
    pub remote_working_directory: String,
    /// Always `remotePath`.
    pub remote_workspace_ref_kind: &'static str,
    /// The scope.
    pub artifact_scope: String,
    /// Always `task`.
    pub scope_kind: &'static str,
    /// The scope's folder once more, under the name that `prepare` gives to it.
    pub artifact_directory: String,
    /// The folder for everything that is collected, as agents name it.
    pub snapshot_directory: String,
    /// Paths beneath the scope, each once.
    pub copied_files: Vec<String>,
    /// What was not collected, and why.
    pub warnings: Vec<String>,
    /// Where each named file is now. Files with the same bytes are one.
    #[serde(skip)]
    pub files: Vec<CollectedFile>,
}

impl Scope {
    /// Copies the named files, at most `most` of them, to `artifacts/generated-media/` and `artifacts/generated-tmp/`.
    ///
    /// Names are kept where they can be; a second file of the same name gets a part of its hash. Doing it again copies nothing
    /// again. A file that cannot be taken is a warning, and the others are taken.
    ///
    /// # Errors
    /// As [`Folder::write`], of the scope's own disk.
    pub fn collect(
        &self,
        sources: &[String],
        roots: &[SourceRoot],
        most: Option<usize>,
        with: HashContext<'_>,
    ) -> Result<Collection, ScopeError> {
        let mut warnings = Warnings::default();
        let mut files: Vec<CollectedFile> = Vec::new();
        let mut known: HashMap<(SourceKind, Sha256Sum), String> = HashMap::new();
        if sources.is_empty() {
            warnings.add("sourceFiles", "no file is named, and folders that runs share are not searched");
        }
        for source in sources {
            if files.iter().any(|file| file.source == *source) {
                continue;
            }
            if most.is_some_and(|most| files.len() >= most) {
                warnings.add(source, "not collected, as there are more files than maxFiles");
                continue;
            }
            match self.take(source, roots, &mut known, with) {
                Ok(collected) => files.push(collected),
                Err(CollectFailure::Source(why)) => warnings.add(source, &why),
                Err(CollectFailure::Target(error)) => return Err(error),
            }
        }
        let mut copied: Vec<String> = Vec::new();
        for file in &files {
            if !copied.contains(&file.relative_path) {
                copied.push(file.relative_path.clone());
            }
        }
        Ok(Collection {
            run_id: self.run().clone(),
            session_key: self.session().clone(),
            remote_working_directory: self.directory().to_owned(),
            remote_workspace_ref_kind: "remotePath",
            scope_kind: "task",
            artifact_directory: self.directory().to_owned(),
            artifact_scope: self.name().as_str().to_owned(),
            snapshot_directory: format!("{}/{SNAPSHOT}", self.directory()),
            copied_files: copied,
            warnings: warnings.into_list(),
            files,
        })
    }

    fn take(
        &self,
        source: &str,
        roots: &[SourceRoot],
        known: &mut HashMap<(SourceKind, Sha256Sum), String>,
        with: HashContext<'_>,
    ) -> Result<CollectedFile, CollectFailure> {
        let (root, path) = find(source, roots)?;
        let refused = |error: FileError| CollectFailure::Source(format!("not collected: {error}"));
        let mut tree = root.folder.tree();
        let (_, stamp, hashed) = hash_one(&mut tree, &path, with)
            .map_err(refused)?
            .ok_or_else(|| CollectFailure::Source("not collected, as there is no such file".to_owned()))?;
        if stamp.links > 1 {
            return Err(CollectFailure::Source(
                "not collected, as it has another name (a hard link)".to_owned(),
            ));
        }
        let changed = || CollectFailure::Source("not collected, as it changes while it is read".to_owned());
        let sha256 = match hashed {
            HashResult::As(_, sha256) => sha256,
            HashResult::Failed(error) => return Err(refused(error)),
            HashResult::Stopped => return Err(CollectFailure::Target(ScopeError::Stopped)),
            HashResult::Gone | HashResult::Restless | HashResult::Exchanged => return Err(changed()),
        };
        let collected = |relative_path| CollectedFile { source: source.to_owned(), relative_path, sha256 };
        if let Some(there) = known.get(&(root.kind, sha256)) {
            return Ok(collected(there.clone()));
        }
        let hash = sha256.to_string();
        let failed = |error: FileError| CollectFailure::Target(error.into());
        let folder = RelPath::parse(&format!("{SNAPSHOT}/{}", root.kind.folder())).map_err(failed)?;
        let folder = self.folder().make_folder(&folder).map_err(failed)?;
        for name in names(path.name(), &hash) {
            let target = RelPath::parse(&name).map_err(failed)?;
            let Some((reader, _)) = tree.open(&path).map_err(refused)? else { return Err(changed()) };
            match folder.write(&target, reader, &Precondition::Absent) {
                Ok(written) if written.sha256 == hash => {}
                Ok(written) => {
                    let ours = Precondition::Sha256(written.sha256);
                    folder.remove(&target, &ours).map_err(failed)?;
                    return Err(changed());
                }
                Err(FileError::TargetExists { .. }) => {
                    let there = folder.sha256(&target).map_err(failed)?;
                    if there.is_none_or(|(there, _)| there != hash) {
                        continue;
                    }
                }
                // A folder or a link has this name.
                Err(FileError::TargetIsDir { .. } | FileError::PathOutsideRoot { .. }) => continue,
                Err(error) => return Err(failed(error)),
            }
            let path = format!("{SNAPSHOT}/{}/{target}", root.kind.folder());
            known.insert((root.kind, sha256), path.clone());
            return Ok(collected(path));
        }
        Err(CollectFailure::Source("not collected, as other files have all the names for it".to_owned()))
    }
}

enum CollectFailure {
    /// The others can be.
    Source(String),
    /// None can be.
    Target(ScopeError),
}

/// Which folder the named file is in, and its path beneath it.
fn find<'a>(source: &str, roots: &'a [SourceRoot]) -> Result<(&'a SourceRoot, DiskPath), CollectFailure> {
    let refused = |why: &str| CollectFailure::Source(format!("not collected: {why}"));
    if source.contains("://") {
        return Err(refused("only files of this machine are, by their path"));
    }
    for root in roots {
        for place in &root.places {
            let beneath =
                source.strip_prefix(place.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
            if let Some(beneath) = beneath {
                let path = DiskPath::parse(beneath.trim_start_matches('/'));
                return Ok((root, path.map_err(|error| refused(&error.to_string()))?));
            }
        }
    }
    Err(refused("it is not in the folder for media or for temporary files"))
}

/// The names that a file may get, the best one first.
fn names(name: &str, hash: &str) -> [String; 3] {
    let name = safe(name);
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem.to_owned(), format!(".{extension}")),
        _ => (name.clone(), String::new()),
    };
    let short = hash.get(..12).unwrap_or(hash);
    [name, format!("{stem}-{short}{extension}"), format!("{stem}-{hash}{extension}")]
}

/// `name` if it is one everywhere and leaves room for a hash, else what can be read of it.
fn safe(name: &str) -> String {
    let good = |parsed: RelPath| parsed.as_str() == name && name.len() <= 150;
    if RelPath::parse(name).is_ok_and(good) {
        return name.to_owned();
    }
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    let extension = extension.filter(|text| {
        (1..=10).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    let readable = segment(&shown(name));
    extension.map_or(readable.clone(), |extension| format!("{readable}.{extension}"))
}
