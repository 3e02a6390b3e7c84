//! The folders with documents, and which file a path means.
//!
//! Clients send paths as they please: absolute, relative, as `file:` addresses. Must never let one out of the folders: a path is
//! compared by its text, and opened beneath a folder step by step without following a link.

use std::path::{Component, Path, PathBuf};

use engross_documents::Workspace;
use engross_protocol::{Exit, Failure};
use engross_store::files::{FileError, Folder, RelPath, Root, by_path};
use percent_encoding::percent_decode_str;

use crate::{codes, nearby};

/// How many names of files are proposed when one is not there.
const CANDIDATES: usize = 5;

/// How many documents of a folder are listed.
const LISTED: usize = 200;

/// Folders whose documents may be read and written.
#[derive(Debug, Clone)]
pub enum AllowedFolders {
    /// Folders that a person names on their machine.
    Named(Vec<AllowedFolder>),
    /// The workspaces of a server, each a folder in this one; clients name documents as `WORKSPACE/PATH`.
    Workspaces(Folder),
}

/// A folder on a person's machine.
#[derive(Debug, Clone)]
pub struct AllowedFolder {
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
    /// That folder's absolute path without links; nothing for that of a workspace.
    base: PathBuf,
    /// Its path beneath the folder.
    pub(crate) path: RelPath,
    naming: Naming,
}

/// How a client names a file again.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Naming {
    /// By its path beneath the only folder.
    Bare,
    /// By its absolute path.
    Absolute,
    /// By the name of its workspace and its path in that.
    InWorkspace(String),
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
        Ok(Self::Named(paths.iter().map(open).collect::<Result<_, _>>()?))
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

    /// Where the folders are, without links; none of a server's workspaces.
    #[must_use]
    pub fn places(&self) -> Vec<PathBuf> {
        match self {
            Self::Named(folders) => folders.iter().map(|folder| folder.real.clone()).collect(),
            Self::Workspaces(_) => Vec::new(),
        }
    }

    /// The folders, for people.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Named(folders) => {
                folders.iter().map(|folder| folder.named.display().to_string()).collect::<Vec<_>>().join(", ")
            }
            Self::Workspaces(_) => "WORKSPACE/PATH".to_owned(),
        }
    }

    /// The file that a client means.
    pub(crate) fn locate(&self, text: &str) -> Result<Place, Failure> {
        let text = text.trim();
        let folders = match self {
            Self::Named(folders) => folders,
            Self::Workspaces(top) => return self.in_workspace(top, text),
        };
        let decoded = match text.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:")) {
            Some(_) => self.path_of_address(text)?,
            None => home_path(text).unwrap_or_else(|| text.to_owned()),
        };
        let text = if cfg!(windows) { decoded.replace('\\', "/") } else { decoded };
        let path = Path::new(&text);
        if path.is_absolute() && !text.starts_with("//") {
            return self.absolute(folders, &text, path);
        }
        let parsed = RelPath::parse(&text).map_err(|error| self.refused(error))?;
        let holds = |parsed: &RelPath| {
            folders.iter().find(|allowed| matches!(allowed.folder.info(parsed), Ok(Some(_))))
        };
        // A path out of an address, when there is no file of that very name.
        let plain =
            percent_decode_str(&text).decode_utf8().ok().and_then(|plain| RelPath::parse(&plain).ok());
        let (parsed, there) = match (holds(&parsed), plain) {
            (None, Some(plain)) if plain != parsed && holds(&plain).is_some() => {
                (plain.clone(), holds(&plain))
            }
            (there, _) => (parsed, there),
        };
        let allowed = there.or(folders.first()).ok_or_else(|| self.outside(&text))?;
        Ok(allowed.place(parsed, folders.len()))
    }

    /// The file of a workspace that a client means.
    fn in_workspace(&self, top: &Folder, text: &str) -> Result<Place, Failure> {
        let parsed = RelPath::parse(text).map_err(|error| self.refused(error))?;
        let (name, rest) = parsed.as_str().split_once('/').unwrap_or((parsed.as_str(), ""));
        if rest.is_empty() || name.starts_with('.') {
            return Err(self.outside(text));
        }
        let folder = top.folder(&RelPath::parse(name)?).map_err(|error| self.refused(error))?;
        let folder =
            folder.ok_or_else(|| Failure::from(FileError::TargetMissing { path: text.to_owned() }))?;
        let path = Workspace::path(rest)?;
        Ok(Place { folder, base: PathBuf::new(), path, naming: Naming::InWorkspace(name.to_owned()) })
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

    fn absolute(&self, folders: &[AllowedFolder], text: &str, path: &Path) -> Result<Place, Failure> {
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
        let found = folders.iter().filter_map(|allowed| Some((allowed, beneath(allowed)?)));
        // Of folders in one another the innermost.
        let (allowed, rest) =
            found.min_by_key(|(_, rest)| rest.components().count()).ok_or_else(|| self.outside(text))?;
        let rest = rest.to_str().ok_or_else(|| self.outside(text))?.replace('\\', "/");
        let parsed = RelPath::parse(&rest).map_err(|error| self.refused(error))?;
        Ok(allowed.place(parsed, folders.len()))
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

    /// The failure of a folder that is named in the place of a document, with documents in it.
    pub(crate) fn is_folder(&self, place: &Place, error: FileError) -> Failure {
        let mut failure = self.refused(error);
        let (mut names, _) = nearby::documents(&place.folder, Some(&place.path));
        names.truncate(CANDIDATES);
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(|name| place.naming_of(name)).collect();
            failure.message = format!("{}; there are: {}", failure.message, names.join(", "));
        }
        failure
    }

    /// The failure of a document that is not there, with names of such that are.
    pub(crate) fn missing(&self, place: &Place) -> Failure {
        let mut failure = Failure::from(FileError::TargetMissing { path: place.shown() });
        let mut names = nearby::candidates(&place.folder, &place.path);
        names.truncate(CANDIDATES);
        if names.is_empty() {
            failure.message = format!("{}; served: {}", failure.message, self.shown());
        } else {
            let names: Vec<String> = names.iter().map(|name| place.naming_of(name)).collect();
            failure.message = format!("{}; there are: {}", failure.message, names.join(", "));
        }
        failure
    }

    /// The place that is meant by one where nothing is: that of the only name which differs in nothing that can be seen.
    pub(crate) fn meant(&self, place: Place) -> Place {
        match place.folder.info(&place.path) {
            Ok(None) => match nearby::meant(&place.folder, &place.path) {
                Some(path) => place.with(path),
                None => place,
            },
            _ => place,
        }
    }

    /// The documents of a folder, if `text` names one. Which workspaces there are is not told.
    pub(crate) fn listing(&self, text: &str) -> Option<String> {
        let text = text.trim();
        let bare = match text.trim_end_matches(['/', '\\']) {
            "" if text.is_empty() => ".",
            "" => text,
            bare => bare,
        };
        let mut out = String::new();
        if let Self::Named(folders) = self {
            let home = home_path(bare);
            let bare = Path::new(home.as_deref().unwrap_or(bare));
            let tops = |allowed: &&AllowedFolder| {
                bare == Path::new(".")
                    || normal(bare).is_some_and(|bare| bare == allowed.named || bare == allowed.real)
            };
            for allowed in folders.iter().filter(tops) {
                let place = |name: &str| {
                    let path = RelPath::parse(name).ok()?;
                    Some(allowed.place(path, folders.len()).shown())
                };
                let shown = allowed.named.display().to_string();
                list_into(&mut out, &shown, nearby::documents(&allowed.folder, None), |name| {
                    place(name).unwrap_or_else(|| name.to_owned())
                });
            }
        }
        if let Self::Workspaces(top) = self
            && !bare.contains('/')
        {
            let name = RelPath::parse(bare).ok().filter(|name| !name.as_str().starts_with('.'))?;
            let folder = top.folder(&name).ok().flatten()?;
            list_into(&mut out, bare, nearby::documents(&folder, None), |path| format!("{name}/{path}"));
        }
        if out.is_empty() {
            let place = self.locate(bare).map(|place| self.meant(place)).ok()?;
            place.folder.folder(&place.path).ok().flatten()?;
            let found = nearby::documents(&place.folder, Some(&place.path));
            list_into(&mut out, &place.shown(), found, |name| place.naming_of(name));
        }
        Some(out)
    }
}

/// Adds the documents of a folder to a list.
fn list_into(out: &mut String, folder: &str, found: (Vec<String>, bool), naming: impl Fn(&str) -> String) {
    let (names, is_all) = found;
    let count = match names.len() {
        0 => "no Word documents".to_owned(),
        1 => "1 Word document".to_owned(),
        many => format!("{many} Word documents"),
    };
    out.push_str(&format!("{folder} is a folder with {count}{}\n", if names.is_empty() { "." } else { ":" }));
    for name in names.iter().take(LISTED) {
        out.push_str(&naming(name));
        out.push('\n');
    }
    if names.len() > LISTED || !is_all {
        out.push_str("… and more; name a folder in it to see those.\n");
    }
}

/// The path of what begins with the sign of the person's home.
fn home_path(text: &str) -> Option<String> {
    let rest = text.strip_prefix("~/").or_else(|| text.strip_prefix("~\\"));
    let rest = rest.or_else(|| (text == "~").then_some(""))?;
    let home = std::env::home_dir().filter(|home| home.is_absolute())?;
    home.join(rest).to_str().map(str::to_owned)
}

impl AllowedFolder {
    fn place(&self, path: RelPath, folders: usize) -> Place {
        let naming = if folders == 1 { Naming::Bare } else { Naming::Absolute };
        Place { folder: self.folder.clone(), base: self.real.clone(), path, naming }
    }
}

impl Place {
    /// Its absolute path; `None` for a file of a workspace, whose place is nobody's business.
    pub(crate) fn absolute(&self) -> Option<PathBuf> {
        self.base().map(|base| base.join(self.path.as_str()))
    }

    /// The folder's absolute path, if clients may know it.
    pub(crate) fn base(&self) -> Option<&Path> {
        (!matches!(self.naming, Naming::InWorkspace(_))).then_some(self.base.as_path())
    }

    /// The absolute path of its folder, where all workspaces are in the folder `top`.
    pub(crate) fn folder_beneath(&self, top: &Path) -> PathBuf {
        match &self.naming {
            Naming::InWorkspace(name) => top.join(name),
            Naming::Bare | Naming::Absolute => self.base.clone(),
        }
    }

    /// What records call it.
    pub(crate) fn recorded(&self) -> String {
        self.absolute().map_or_else(|| self.path.as_str().to_owned(), |path| path.display().to_string())
    }

    /// Whether both are the same file.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.recorded() == other.recorded() && self.naming == other.naming
    }

    /// The name by which a client may name it again.
    pub(crate) fn shown(&self) -> String {
        match &self.naming {
            Naming::Bare => self.path.as_str().to_owned(),
            Naming::Absolute => self.base.join(self.path.as_str()).display().to_string(),
            Naming::InWorkspace(name) => format!("{name}/{}", self.path),
        }
    }

    /// The same folder, another file.
    pub(crate) fn with(&self, path: RelPath) -> Self {
        Self { path, ..self.clone() }
    }

    /// Whether somebody seems to have it open in Word or LibreOffice.
    pub(crate) fn is_open_elsewhere(&self) -> bool {
        nearby::is_open_elsewhere(&self.folder, &self.path)
    }

    /// The name by which a client may name another file of the same folder, at this path beneath it.
    pub(crate) fn naming_of(&self, path: &str) -> String {
        RelPath::parse(path).map_or_else(|_| path.to_owned(), |path| self.with(path).shown())
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
