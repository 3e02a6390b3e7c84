//! What a node has fetched of files that another one has, as a note on its disk: what is as it was fetched was put there by nobody.
//!
//! Must never be relied on for what is there: without it, or with a part of it, more is set aside than has to be.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::table::FileTerm;
use crate::files::{AppendFile, Folder, Precondition, RelPath, Stamp};

/// The name of the note.
const NAME: &str = "files.fetched";

/// The longest note that is read, in bytes.
const LONGEST: u64 = 256 << 20;

/// So many lines more than files are in the note before it is written anew.
const SPARE: usize = 1_000;

/// The note in a node's folder for data.
#[derive(Debug, Clone)]
pub(super) struct FetchedNote {
    folder: Folder,
}

impl FetchedNote {
    pub(super) fn in_folder(folder: &Folder) -> Self {
        Self { folder: folder.clone() }
    }

    /// What was fetched of rows that the table still knows, by path; the last line of a path holds.
    pub(super) fn read(&self, term: &FileTerm) -> HashMap<String, Stamp> {
        let read = RelPath::parse(NAME).and_then(|name| self.folder.read(&name, LONGEST));
        let Ok(Some((bytes, _))) = read else { return HashMap::new() };
        let mut lines = 0;
        let mut fetched = HashMap::new();
        for line in bytes.split(|byte| *byte == b'\n') {
            lines += 1;
            fetched.extend(parsed(line, term));
        }
        if lines > 2 * fetched.len() + SPARE {
            let text = text_of(fetched.iter(), term);
            let written = RelPath::parse(NAME)
                .and_then(|name| self.folder.write_private(&name, text.as_bytes(), &Precondition::Any));
            if let Err(error) = written {
                tracing::debug!(code = error.code(), "{error}");
            }
        }
        fetched
    }

    /// Adds what has come of the rows as they were at `term`.
    pub(super) fn add(&self, fetched: &[(String, Stamp)], term: &FileTerm) {
        let text = text_of(fetched.iter().map(|(path, stamp)| (path, stamp)), term);
        let added = RelPath::parse(NAME)
            .and_then(|name| AppendFile::open(&self.folder, &name))
            .and_then(|mut note| note.append(text.as_bytes()));
        if let Err(error) = added {
            tracing::debug!(code = error.code(), "{error}");
        }
    }
}

fn text_of<'a>(fetched: impl Iterator<Item = (&'a String, &'a Stamp)>, term: &FileTerm) -> String {
    let mut text = String::new();
    for (path, Stamp { device, inode, size, modified, changed, links }) in fetched {
        let _ = write!(text, "{} {} ", term.id, term.changes);
        let _ = write!(text, "{device} {inode} {size} {modified} {changed} {links} ");
        // A path may hold the end of a line.
        let _ = writeln!(text, "{}", serde_json::Value::from(path.as_str()));
    }
    text
}

fn parsed(line: &[u8], term: &FileTerm) -> Option<(String, Stamp)> {
    let mut words = std::str::from_utf8(line).ok()?.splitn(9, ' ');
    // Other rows, or a state of these that was lost when they were put back.
    if words.next()? != term.id || words.next()?.parse::<u64>().ok()? > term.changes {
        return None;
    }
    let (device, inode) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let (size, modified) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let (changed, links) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let serde_json::Value::String(path) = serde_json::from_str(words.next()?).ok()? else { return None };
    Some((path, Stamp { device, inode, size, modified, changed, links }))
}
