//! What lies near a place: the documents of a folder, those a name that is not there may mean, and the one that it does mean.
//!
//! Must never leave the folder that a place is in, follow a link, or look through more than a bounded number of names.

use std::collections::VecDeque;

use engross_store::files::{DiskPath, Folder, RelPath, TreeEntry};

/// The most names that are looked at.
const NAMES: usize = 5_000;

/// How deep folders in folders are looked into.
const DEPTH: usize = 5;

/// Folders of programs, in which nobody keeps documents and which hold very many names.
const OF_PROGRAMS: &[&str] = &["node_modules", "target", "__pycache__"];

/// What is in a folder, names only.
#[derive(Default)]
struct FolderNames {
    documents: Vec<DiskPath>,
    folders: Vec<DiskPath>,
    /// Every name, documents and folders too.
    seen: usize,
}

/// The Word documents in a folder and in those in it, nearest first and by name, as paths beneath the top; and whether that is all.
pub(crate) fn documents(top: &Folder, folder: Option<&RelPath>) -> (Vec<String>, bool) {
    let Some(begin) = folder.map(|folder| DiskPath::parse(folder.as_str())).transpose().ok() else {
        return (Vec::new(), true);
    };
    let mut tree = top.tree();
    let mut out = Vec::new();
    let mut waiting = VecDeque::from([(begin, 0)]);
    let (mut left, mut is_all) = (NAMES, true);
    while let Some((folder, depth)) = waiting.pop_front() {
        if left == 0 {
            is_all = false;
            break;
        }
        let mut names = FolderNames::default();
        // Without a list there are no candidates.
        let _ = tree.list(folder.as_ref(), |entry| names.see(entry));
        is_all &= names.seen <= left;
        left = left.saturating_sub(names.seen.max(1));
        names.documents.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        names.folders.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        out.extend(names.documents.into_iter().map(DiskPath::into_text));
        if depth == DEPTH {
            is_all &= names.folders.is_empty();
        } else {
            waiting.extend(names.folders.into_iter().map(|folder| (Some(folder), depth + 1)));
        }
    }
    (out, is_all)
}

impl FolderNames {
    fn see(&mut self, entry: TreeEntry) {
        self.seen += 1;
        match entry {
            TreeEntry::File(path, _) if self.seen <= NAMES && is_document(path.name()) => {
                self.documents.push(path);
            }
            TreeEntry::Folder(path)
                if self.seen <= NAMES
                    && !path.name().starts_with('.')
                    && !OF_PROGRAMS.contains(&path.name()) =>
            {
                self.folders.push(path);
            }
            _ => {}
        }
    }
}

/// Whether a file has the name of a Word document, and not that of Word's note that somebody has one open.
fn is_document(name: &str) -> bool {
    let lower = name.to_lowercase();
    (lower.ends_with(".docx") || lower.ends_with(".docm"))
        && !name.starts_with("~$")
        && !name.starts_with('.')
}

/// The path of the one file or folder that has this name but for what cannot be seen or heard of it: capitals, how letters are composed, the
/// kind of blanks, quotes and dashes. Models write such names anew and get them wrong.
pub(crate) fn meant(top: &Folder, path: &RelPath) -> Option<RelPath> {
    let mut tree = top.tree();
    let mut found: Option<DiskPath> = None;
    for wanted in path.components() {
        let mut same = Vec::new();
        let mut exact = None;
        tree.list(found.as_ref(), |entry| {
            if let TreeEntry::File(path, _) | TreeEntry::Folder(path) = entry {
                if path.name() == wanted {
                    exact = Some(path);
                } else if spoken(path.name()) == spoken(wanted) {
                    same.push(path);
                }
            }
        })
        .ok()?;
        let one = exact.or_else(|| same.pop().filter(|_| same.is_empty()))?;
        found = Some(one);
    }
    RelPath::parse(found?.as_str()).ok()
}

/// Whether the note of Word or LibreOffice lies beside a document that somebody has open in it.
pub(crate) fn is_open_elsewhere(top: &Folder, path: &RelPath) -> bool {
    let name = path.name();
    // Word puts its sign in the place of up to two letters of a long name.
    let of_word = |letters: usize| {
        let rest: String = name.chars().skip(letters).collect();
        format!("~${rest}")
    };
    let notes = [format!(".~lock.{name}#"), of_word(0), of_word(1), of_word(2)];
    let Ok(parent) = path.parent().map(|parent| DiskPath::parse(parent.as_str())).transpose() else {
        return false;
    };
    let mut is_there = false;
    let listed = top.tree().list(parent.as_ref(), |entry| {
        if let TreeEntry::File(path, _) = entry {
            is_there |= notes.iter().any(|note| note == path.name());
        }
    });
    listed.is_ok() && is_there
}

/// A name without what cannot be seen or heard of it.
fn spoken(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|letter| match letter {
            '\u{2018}' | '\u{2019}' | '\u{201a}' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{201e}' => '"',
            '\u{2010}'..='\u{2014}' => '-',
            blank if blank.is_whitespace() => ' ',
            other => other,
        })
        .collect();
    RelPath::parse(&plain).map_or(plain, |path| path.folded())
}

/// The documents that a name which is not there may mean, likest first.
pub(crate) fn candidates(top: &Folder, path: &RelPath) -> Vec<String> {
    let (mut names, _) = documents(top, None);
    let stem = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        name.rsplit_once('.').map_or(name.clone(), |(stem, _)| stem.to_owned())
    };
    let wanted = stem(path.name());
    let likeness = |path: &str| {
        let stem = stem(path);
        // `contract` is in `contract of lease 2024`, which is not alike as a whole.
        let holds = usize::from(!wanted.is_empty() && (stem.contains(&wanted) || wanted.contains(&stem)));
        let (one, other) = (&wanted, &stem);
        (holds, strsim::jaro_winkler(one, other).max(strsim::normalized_damerau_levenshtein(one, other)))
    };
    // Sorting keeps the nearest first among those that are as like.
    names.sort_by(|one, other| {
        let (one, other) = (likeness(one), likeness(other));
        other.0.cmp(&one.0).then(other.1.total_cmp(&one.1))
    });
    names
}
