//! Which files an agent's login is in.
//!
//! Must never read one.

/// Files of a person's home that an agent needs to reach its model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginFiles {
    /// The folder beneath the home; empty for the home itself.
    pub folder: String,
    /// The variable that may name another place of it.
    pub variable: Option<String>,
    /// Their names in it.
    pub files: Vec<String>,
}

impl LoginFiles {
    /// A single file by its path beneath the home.
    #[must_use]
    pub fn at(path: &str) -> Self {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        Self { folder: folder.to_owned(), variable: None, files: vec![file.to_owned()] }
    }

    pub(super) fn path(&self, file: &str) -> String {
        if self.folder.is_empty() { file.to_owned() } else { format!("{}/{file}", self.folder) }
    }
}
