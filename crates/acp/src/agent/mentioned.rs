//! Files that a prompt names and the agent cannot read: the person and the model are told of them.
//!
//! Must never open a file: it is only looked whether one is there. Blocks.

use engross_documents::{Workspace, word_kind};
use engross_store::files::RelPath;

use super::folder::SessionFolder;

/// Endings of documents that people name by mistake for a Word document.
const OTHERS: [&str; 5] = ["doc", "pdf", "rtf", "odt", "pages"];

/// Files that are looked through for one whose name has blanks.
const LOOKED_AT: usize = 2000;

/// A file that a prompt names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MentionedFile {
    /// As the person sees it.
    shown: String,
    /// Beneath the folder; nothing for one outside.
    path: Option<RelPath>,
}

impl MentionedFile {
    /// What a link leads to.
    pub(super) fn linked(uri: &str, folder: &SessionFolder) -> Self {
        let path = folder.file(uri).ok();
        let shown = path.as_ref().map_or_else(|| uri.to_owned(), |path| path.as_str().to_owned());
        Self { shown, path }
    }

    /// The documents that a text names by their endings.
    pub(super) fn in_text<'a>(text: &'a str, folder: &'a SessionFolder) -> impl Iterator<Item = Self> + 'a {
        let words = text.split_whitespace().map(|word| {
            word.trim_matches(|c: char| {
                !c.is_alphanumeric() && !matches!(c, '/' | '\\' | '~' | '.' | '_' | '-')
            })
            .trim_end_matches('.')
        });
        let is_document = |word: &&str| {
            word.rsplit_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && is_kind(ending))
        };
        words.filter(is_document).map(|word| Self { shown: word.to_owned(), path: folder.file(word).ok() })
    }

    /// What stands in the way of reading it, as a sentence.
    fn problem(&self, workspace: &Workspace) -> Option<String> {
        let shown: String = self.shown.chars().take(200).flat_map(char::escape_debug).collect();
        let Some(path) = &self.path else {
            return Some(format!("'{shown}' is not in the folder of this session, so it was not read."));
        };
        let ending = path.name().rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        if OTHERS.contains(&ending.as_str()) {
            return Some(format!(
                "'{shown}' is no Word document that can be read here (.docx), so it was not read."
            ));
        }
        let is_there =
            workspace.is_there(path).unwrap_or_default() || is_part_of_a_name(workspace, path.name());
        (!is_there).then(|| format!("'{shown}' is not there, so it was not read."))
    }
}

/// Whether an ending is one of a document.
fn is_kind(ending: &str) -> bool {
    word_kind(std::path::Path::new(&format!("a.{ending}"))).is_some()
        || OTHERS.iter().any(|other| ending.eq_ignore_ascii_case(other))
}

/// Whether the name is the end of one with blanks, or of a file in a folder below.
fn is_part_of_a_name(workspace: &Workspace, name: &str) -> bool {
    let name = name.to_lowercase();
    let is_end = |path: &RelPath| {
        let own = path.name().to_lowercase();
        own == name || own.strip_suffix(&name).is_some_and(|before| before.ends_with(char::is_whitespace))
    };
    workspace
        .list(None, LOOKED_AT)
        .is_ok_and(|listing| listing.files.iter().any(|listed| is_end(&listed.path)))
}

/// What stands in the way of reading the files, a sentence for each.
pub(super) fn problems(files: &[MentionedFile], workspace: &Workspace) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for problem in files.iter().filter_map(|file| file.problem(workspace)) {
        if !found.contains(&problem) {
            found.push(problem);
        }
    }
    found
}
