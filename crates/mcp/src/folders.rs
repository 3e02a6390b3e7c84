//! The folders with documents, and which file a path means.
//!
//! Clients send paths as they please: absolute, relative, as `file:` addresses. Must never let one out of the folders: a path is
//! compared by its text, and opened beneath a folder step by step without following a link.

use std::path::{Component, Path, PathBuf};

use engross_protocol::{Exit, Failure};
use engross_store::files::{FileError, Folder, RelPath, Root, TreeEntry, by_path};
use percent_encoding::percent_decode_str;

use crate::codes;

/// How many names of files are proposed when one is not there.
const CANDIDATES: usize = 5;

/// Folders whose documents may be read and written.
#[derive(Debug, Clone)]
pub struct AllowedFolders {
    folders: Vec<AllowedFolder>,
}

#[derive(Debug, Clone)]
struct AllowedFolder {
    /// As it was named, absolute.
    named: PathBuf,
    /// Without links.
    real: PathBuf,
    folder: Folder,
}

/// A file that may be there or not, beneath one of the folders.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The folder it is beneath.
    pub(crate) folder: Folder,
    /// That folder's absolute path without links.
    pub(crate) base: PathBuf,
    /// Its path beneath the folder.
    pub(crate) path: RelPath,
    /// Whether the folder is the only one, so that a path beneath it names a file.
    is_only: bool,
}

impl AllowedFolders {
    /// The folders at `paths`, which must be there.
    ///
    /// # Errors
    /// When one is missing, or cannot be opened.
    pub fn open(paths: &[PathBuf]) -> Result<Self, Failure> {
        let open = |path: &PathBuf| {
            let named = std::path::absolute(path).unwrap_or_else(|_| path.clone());
            if !path.is_dir() {
                let message = format!("{} is no folder; name one that is there with --root", path.display());
                return Err(Failure::new(Exit::Usage, "NOT_FOUND", message));
            }
            let folder = Root::open(path).map_err(Failure::from)?.top();
            Ok(AllowedFolder { real: by_path::absolute(path), named, folder })
        };
        Ok(Self { folders: paths.iter().map(open).collect::<Result<_, _>>()? })
    }

    /// The folder that a server is started in, unless agents would reach too much there; `home` is the person's.
    ///
    /// # Errors
    /// `FOLDER_TOO_WIDE`.
    pub fn usual(working: &Path, home: Option<&Path>) -> Result<PathBuf, Failure> {
        let real = by_path::absolute(working);
        let is_home = home.is_some_and(|home| by_path::absolute(home) == real);
        if real.parent().is_none() || is_home {
            let message = format!(
                "engross mcp would serve all of {}, where it was started; name the folder with the documents: engross mcp --root DIR",
                real.display()
            );
            return Err(Failure::of(codes::FOLDER_TOO_WIDE, message));
        }
        Ok(real)
    }

    /// The folders, for people.
    pub(crate) fn shown(&self) -> String {
        let names: Vec<String> =
            self.folders.iter().map(|folder| folder.named.display().to_string()).collect();
        names.join(", ")
    }

    /// The file that a client means.
    pub(crate) fn locate(&self, text: &str) -> Result<Place, Failure> {
        let text = text.trim();
        let decoded = match text.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:")) {
            Some(_) => self.path_of_address(text)?,
            None => text.to_owned(),
        };
        let text = if cfg!(windows) { decoded.replace('\\', "/") } else { decoded };
        let path = Path::new(&text);
        if path.is_absolute() && !text.starts_with("//") {
            return self.absolute(&text, path);
        }
        let parsed = RelPath::parse(&text).map_err(|error| self.refused(error))?;
        let there = self.folders.iter().find(|allowed| matches!(allowed.folder.info(&parsed), Ok(Some(_))));
        let allowed = there.or(self.folders.first()).ok_or_else(|| self.outside(&text))?;
        Ok(self.place(allowed, parsed))
    }

    fn place(&self, allowed: &AllowedFolder, path: RelPath) -> Place {
        let is_only = self.folders.len() == 1;
        Place { folder: allowed.folder.clone(), base: allowed.real.clone(), path, is_only }
    }

    /// The path in a `file:` address of this machine.
    fn path_of_address(&self, text: &str) -> Result<String, Failure> {
        let rest = text.get(5..).unwrap_or_default();
        let rest = match rest.strip_prefix("//") {
            Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
            None => rest,
        };
        let decoded = percent_decode_str(rest).decode_utf8().map_err(|_| self.outside(text))?;
        if !decoded.starts_with('/') {
            return Err(self.outside(text));
        }
        // `/C:/nda.docx`
        let drive = matches!(decoded.as_bytes(), [b'/', letter, b':', ..] if letter.is_ascii_alphabetic());
        Ok(if drive { decoded.get(1..).unwrap_or_default().to_owned() } else { decoded.into_owned() })
    }

    fn absolute(&self, text: &str, path: &Path) -> Result<Place, Failure> {
        let normal = normal(path).ok_or_else(|| self.outside(text))?;
        // Links above the file may lead into a folder by another name, as /tmp does on a Mac.
        let real = match (normal.parent(), normal.file_name()) {
            (Some(parent), Some(name)) => by_path::absolute(parent).join(name),
            _ => normal.clone(),
        };
        let spellings = [&real, &normal];
        let beneath = |allowed: &AllowedFolder| {
            let pairs = spellings.iter().flat_map(|path| [(*path, &allowed.named), (*path, &allowed.real)]);
            pairs.filter_map(|(path, base)| path.strip_prefix(base).ok().map(Path::to_owned)).next()
        };
        let found = self.folders.iter().filter_map(|allowed| Some((allowed, beneath(allowed)?)));
        // Of folders in one another the innermost.
        let (allowed, rest) =
            found.min_by_key(|(_, rest)| rest.components().count()).ok_or_else(|| self.outside(text))?;
        let rest = rest.to_str().ok_or_else(|| self.outside(text))?.replace('\\', "/");
        let parsed = RelPath::parse(&rest).map_err(|error| self.refused(error))?;
        Ok(self.place(allowed, parsed))
    }

    fn outside(&self, path: &str) -> Failure {
        let shown: String = path.chars().take(200).flat_map(char::escape_debug).collect();
        self.refused(FileError::PathOutsideRoot {
            path: shown,
            problem: "it is not beneath a folder served".into(),
        })
    }

    /// The failure, with the folders that are served.
    pub(crate) fn refused(&self, error: FileError) -> Failure {
        let is_outside = matches!(error, FileError::PathOutsideRoot { .. });
        let mut failure = Failure::from(error);
        if is_outside {
            failure.message = format!("{}; served: {}", failure.message, self.shown());
        }
        failure
    }

    /// The failure of a document that is not there, with names of such that are.
    pub(crate) fn missing(&self, place: &Place) -> Failure {
        let mut failure = Failure::from(FileError::TargetMissing { path: place.shown() });
        let wanted = place.path.name().to_lowercase();
        let mut names = place.neighbours();
        names.sort_by(|one, other| {
            let score = |name: &str| strsim::jaro_winkler(&wanted, &name.to_lowercase());
            score(other).total_cmp(&score(one)).then_with(|| one.cmp(other))
        });
        names.truncate(CANDIDATES);
        if names.is_empty() {
            failure.message = format!("{}; served: {}", failure.message, self.shown());
        } else {
            failure.message = format!("{}; there are: {}", failure.message, names.join(", "));
        }
        failure
    }
}

impl Place {
    /// Its absolute path.
    pub(crate) fn absolute(&self) -> PathBuf {
        self.base.join(self.path.as_str())
    }

    /// The name by which a client may name it again.
    pub(crate) fn shown(&self) -> String {
        if self.is_only { self.path.as_str().to_owned() } else { self.absolute().display().to_string() }
    }

    /// The same folder, another file.
    pub(crate) fn with(&self, path: RelPath) -> Self {
        Self { path, ..self.clone() }
    }

    /// The Word documents in its folder.
    fn neighbours(&self) -> Vec<String> {
        let parent = self.path.parent();
        let folder = match &parent {
            None => Some(self.folder.clone()),
            Some(parent) => self.folder.folder(parent).ok().flatten(),
        };
        let mut names = Vec::new();
        let Some(folder) = folder else { return names };
        let see = |entry| {
            if let TreeEntry::File(path, _) = entry
                && path.name().to_ascii_lowercase().ends_with(".docx")
                && !path.name().starts_with("~$")
            {
                let prefix = parent.as_ref().map_or_else(String::new, |parent| format!("{parent}/"));
                names.push(format!("{prefix}{}", path.name()));
            }
        };
        // Without a list there are no candidates.
        let _ = folder.tree().list(None, see);
        names
    }
}

/// An absolute path without `.` and `..`, by its text alone; `None` when it leads above the top.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    let mut depth = 0_usize;
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                depth = depth.checked_sub(1)?;
                out.pop();
            }
            Component::Normal(name) => {
                depth += 1;
                out.push(name);
            }
            Component::Prefix(_) | Component::RootDir => out.push(component),
        }
    }
    Some(out)
}
