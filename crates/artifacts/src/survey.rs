//! Lists the files of a scope that are deliverables.
//!
//! Must never follow a link, nor take a file that is also somebody else's: every name of it must be in this scope.

use std::collections::HashMap;
use std::io::Read;

use engross_store::files::{DiskPath, FileError, Folder, Stamp, Tree, TreeEntry};

use super::error::ScopeError;
use super::hashing::HashContext;
use super::ignore::{Ignore, RULES, RULES_MAX, is_excluded, is_hidden};
use super::soundness::is_leftover;
use super::warnings::Warnings;

const SHARED: &str = "left out, as it has another name outside this scope (a hard link)";

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// In the order in which they were found: neighbours are neighbours.
    pub(super) files: Vec<(DiskPath, Stamp)>,
    pub(super) warnings: Warnings,
}

/// Looks through the whole scope.
pub(super) fn survey(folder: &Folder, hidden: bool, with: HashContext<'_>) -> Result<Survey, ScopeError> {
    let mut tree = folder.tree();
    let mut survey = Survey::default();
    let ignore = rules(&mut tree, &mut survey.warnings)?;
    let mut names: HashMap<(u64, u64), u64> = HashMap::new();
    let mut waiting = vec![None];
    while let Some(at) = waiting.pop() {
        if with.is_stopped() {
            return Err(ScopeError::Stopped);
        }
        let Survey { files, warnings } = &mut survey;
        let listed = tree.list(at.as_ref(), |found| match found {
            TreeEntry::File(path, stamp) => {
                if stamp.links > 1 {
                    *names.entry((stamp.device, stamp.inode)).or_default() += 1;
                }
                if ignore.hides(path.as_str()) {
                    return;
                }
                match held_back(path.name(), hidden) {
                    Some(why) => warnings.add(path.as_str(), why),
                    None => files.push((path, stamp)),
                }
            }
            TreeEntry::Folder(path) => {
                if is_excluded(path.name()) || ignore.hides_folder(path.as_str()) {
                    return;
                }
                match held_back(path.name(), hidden) {
                    Some(why) => warnings.add(path.as_str(), why),
                    None => waiting.push(Some(path)),
                }
            }
            TreeEntry::Link(path) => {
                warnings.add(path.as_str(), "left out, as symbolic links are not followed");
            }
            TreeEntry::Special(path) => warnings.add(path.as_str(), "left out, as it is no ordinary file"),
            TreeEntry::Unnamed(text) => warnings.add(&text, "left out, as its path is too long or no text"),
        });
        match (listed, at) {
            (Ok(_), _) => {}
            (Err(error), None) => return Err(error.into()),
            // One bad folder must not keep all other files from being delivered.
            (Err(error), Some(at)) => warnings.add(at.as_str(), &format!("not looked through: {error}")),
        }
    }
    let Survey { files, warnings } = &mut survey;
    files.retain(|(path, stamp)| {
        let own = stamp.links <= 1 || names.get(&(stamp.device, stamp.inode)) == Some(&stamp.links);
        if !own {
            warnings.add(path.as_str(), SHARED);
        }
        own
    });
    Ok(survey)
}

/// Why a name is held back. What is left half-done never goes out.
fn held_back(name: &str, hidden: bool) -> Option<&'static str> {
    is_hidden(name).filter(|_| !hidden || is_leftover(name))
}

/// Whether all names of the file with this stamp are in the scope.
pub(super) fn is_own(folder: &Folder, stamp: &Stamp) -> Result<bool, ScopeError> {
    if stamp.links <= 1 {
        return Ok(true);
    }
    let mut tree = folder.tree();
    let mut names = 0;
    let mut waiting = vec![None];
    while let Some(at) = waiting.pop() {
        let listed = tree.list(at.as_ref(), |found| match found {
            TreeEntry::File(_, other) if (other.device, other.inode) == (stamp.device, stamp.inode) => {
                names += 1;
            }
            TreeEntry::Folder(path) if !is_excluded(path.name()) => waiting.push(Some(path)),
            _ => {}
        });
        if at.is_none() {
            listed?;
        }
    }
    Ok(names == stamp.links)
}

/// The scope's own rules.
pub(super) fn rules(tree: &mut Tree, warnings: &mut Warnings) -> Result<Ignore, ScopeError> {
    let path = DiskPath::parse(RULES)?;
    let (reader, stamp) = match tree.open(&path) {
        Ok(Some(opened)) => opened,
        Ok(None) => return Ok(Ignore::default()),
        Err(error) => {
            warnings.add(RULES, &format!("its rules have no effect: {error}"));
            return Ok(Ignore::default());
        }
    };
    if stamp.links > 1 || stamp.size > RULES_MAX {
        warnings.add(RULES, "its rules have no effect, as it has another name or more than 64 KiB");
        return Ok(Ignore::default());
    }
    let mut bytes = Vec::new();
    reader
        .take(RULES_MAX)
        .read_to_end(&mut bytes)
        .map_err(|error| FileError::Unreadable { path: RULES.to_owned(), reason: error.to_string() })?;
    Ok(Ignore::parse(&String::from_utf8_lossy(&bytes), warnings))
}
