//! The folders of `SKILL.md` files that a book was exported to: written for agents, read back as proposals.
//!
//! Must never write over a person's words outside the block, nor take a folder that was not exported to.

use super::times::modified;
use std::path::{Component, Path, PathBuf};

use super::instructions::sync_files;
use super::journal::BookFile;
use super::whole::{read, read_text, write};
use crate::Error;
use crate::agents_md::{MarkerMode, edited_inner};
use crate::skillbook::{by_section, folder_name, head, inner, listed, proposals, written};

/// The file of a skill, whose name the format gives.
const FILE: &str = "SKILL.md";

/// Writes the shown lessons of a book into a folder, a skill for each section; gives the files that were changed. From now on the
/// folder follows the book.
///
/// # Errors
/// [`Error::Markers`], [`Error::ReadFailed`], [`Error::WriteFailed`].
pub fn export_folder(book: &mut BookFile, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let name = book.relative(folder);
    let mut changed = Vec::new();
    let mut skills_written = Vec::new();
    let mut kept: Vec<String> = Vec::new();
    for (section, skills) in by_section(&book.journal.book) {
        let name = folder_name(section);
        // Two sections may be called alike by the format; both stand in one file then.
        if kept.contains(&name) {
            continue;
        }
        let alike: Vec<&crate::skillbook::Skill> = by_section(&book.journal.book)
            .into_iter()
            .filter(|(other, _)| folder_name(other) == name)
            .flat_map(|(_, skills)| skills)
            .collect();
        let path = folder.join(&name).join(FILE);
        if read(&path)?.is_none() {
            write(&path, head(section, &skills).as_bytes())?;
        }
        let synced =
            sync_files(std::slice::from_ref(&path), Some(&inner(&alike)), MarkerMode::Strict, false)?;
        changed.extend(synced.into_iter().filter(|file| file.is_changed).map(|file| file.path));
        skills_written.extend(written(alike));
        kept.push(name);
    }
    for path in
        files(folder).filter(|path| !kept.iter().any(|name| path.parent() == Some(&folder.join(name))))
    {
        // A section without lessons leaves a file that has nothing to teach.
        if read_text(&path)?.is_some_and(|text| edited_inner(text.as_bytes()).is_some()) {
            let synced = sync_files(std::slice::from_ref(&path), None, MarkerMode::Strict, false)?;
            changed.extend(synced.into_iter().filter(|file| file.is_changed).map(|file| file.path));
        }
    }
    let mut exports = book.journal.book.exported();
    exports.insert(name, skills_written.into_iter().collect());
    if let Some(record) = book.journal.book.exporting(&exports) {
        book.add(record);
    }
    Ok(changed)
}

impl BookFile {
    /// Takes what somebody wrote into exported folders for proposals.
    pub(super) fn take_proposals(&mut self) -> Result<(), Error> {
        for (name, base) in self.journal.book.exported() {
            let folder = self.folder().join(&name);
            if !folder.is_dir() {
                continue;
            }
            let mut lines = Vec::new();
            let mut is_edited = false;
            let mut latest = 0;
            for path in files(&folder) {
                let Some(text) = read_text(&path)? else { continue };
                let Some((inner, edited)) = edited_inner(text.as_bytes()) else { continue };
                let skill = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
                let section = skill.unwrap_or_default().trim_start_matches("lessons-").replace('-', "_");
                is_edited |= edited;
                latest = latest.max(modified(&path));
                lines.extend(listed(&inner, &section));
            }
            // A file that is gone takes its lessons along.
            let is_short = base.keys().any(|id| !lines.iter().any(|line| line.ids.contains(id)));
            if !is_edited && !is_short {
                continue;
            }
            let records = proposals(&self.journal.book, &lines, &base, &name, latest);
            if !records.is_empty() {
                let were = if records.len() == 1 { "proposal was" } else { "proposals were" };
                self.notes.push(format!(
                    "{} {were} found in {}; engross skills review shows them",
                    records.len(),
                    folder.display()
                ));
            }
            for record in records {
                self.add(record);
            }
        }
        Ok(())
    }

    /// Brings the folders that were exported to up to date; those that are gone stay so.
    pub(super) fn update_folders(&mut self) -> Result<(), Error> {
        for name in self.journal.book.exported().into_keys() {
            let folder = self.folder().join(&name);
            if folder.is_dir() {
                export_folder(self, &folder)?;
            }
        }
        Ok(())
    }

    fn folder(&self) -> PathBuf {
        let path = std::path::absolute(&self.paths().json).unwrap_or_else(|_| self.paths().json.clone());
        path.parent().map(Path::to_owned).unwrap_or_default()
    }

    /// A folder as seen from the book's, so that it is the same in another checkout.
    fn relative(&self, folder: &Path) -> String {
        let to = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let from = self.folder();
        let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
        let up = from.components().skip(shared).map(|_| Component::ParentDir);
        let path: PathBuf = up.chain(to.components().skip(shared)).collect();
        if shared > 1 { path.display().to_string() } else { to.display().to_string() }
    }
}

/// The skill files of a folder, by name.
fn files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.path().join(FILE)).filter(|path| path.is_file()).collect();
    paths.sort();
    paths.into_iter()
}
