//! The name of a file beneath a folder: checked once, before anything is asked of the disk.
//!
//! Must never depend on what is on the disk or on the machine: a path is good everywhere or nowhere.

use std::fmt;

use unicode_normalization::UnicodeNormalization;

use super::error::{FileError, shown};
use super::reserved::{OWNERS, is_reserved};

/// A relative path in normal form: components joined by `/`, none of them empty, `.` or `..`.
///
/// It has no backslash, no control character, no device name of Windows, and no component that ends in a dot or a blank, as
/// these mean something else on some system. It never leads into `.git` or to a file that engross itself keeps. Parsing a
/// normal form gives the same form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelPath(String);

impl RelPath {
    /// The bytes of the longest path.
    pub const MAX: usize = 1024;
    /// The bytes of the longest component.
    pub const MAX_COMPONENT: usize = 255;

    /// Checks `text` and brings it into normal form: `./a//b/../c` becomes `a/c`.
    ///
    /// # Errors
    /// * [`FileError::TargetRequired`]: empty or blank.
    /// * [`FileError::PathOutsideRoot`]: absolute on any system, or more `..` than folders.
    /// * [`FileError::TargetIsDir`]: it ends in `.` or `..`.
    /// * [`FileError::PathInvalid`]: no file can have this name everywhere.
    /// * [`FileError::ProtectedPath`]: `.git`, whatever is in it, or a file that engross itself keeps.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        if text.trim().is_empty() {
            return Err(FileError::TargetRequired);
        }
        if text.starts_with(['/', '\\']) || has_drive(text) {
            return Err(FileError::outside(text, "it is absolute"));
        }
        if text.len() > Self::MAX {
            let problem = format!("it has {} bytes, allowed are {}", text.len(), Self::MAX);
            return Err(FileError::invalid(text, &problem));
        }
        let components = normal(text)?;
        if matches!(text.rsplit('/').next(), Some("." | "..")) {
            return Err(FileError::is_dir(text));
        }
        if text.ends_with('/') {
            return Err(FileError::invalid(text, "it ends in a slash"));
        }
        for component in &components {
            if let Some(problem) = problem(component) {
                return Err(FileError::invalid(text, &problem));
            }
            if let Some(problem) = protection(component) {
                return Err(FileError::ProtectedPath { path: shown(text), problem: problem.to_owned() });
            }
        }
        let path = components.join("/");
        if has_drive(&path) {
            return Err(FileError::outside(text, "it is absolute"));
        }
        Ok(Self(path))
    }

    /// A name that was checked otherwise.
    pub(super) fn unchecked(name: &str) -> Self {
        Self(name.to_owned())
    }

    /// The normal form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its components, outermost first; at least one.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// Its last component.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The path of the folder it is in; `None` at the top.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.to_owned()))
    }

    /// `self/path`.
    ///
    /// # Errors
    /// [`FileError::PathInvalid`] when together they are too long.
    pub fn join(&self, path: &Self) -> Result<Self, FileError> {
        Self::parse(&format!("{}/{}", self.0, path.0))
    }

    /// What all spellings of this path have in common that some file system takes for one: without regard to case, and to
    /// how characters are composed.
    #[must_use]
    pub fn folded(&self) -> String {
        fold(&self.0)
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The components without `.` and `..`.
fn normal(text: &str) -> Result<Vec<&str>, FileError> {
    let mut components = Vec::new();
    for component in text.split('/') {
        match component {
            "" | "." => {}
            ".." => {
                components.pop().ok_or_else(|| FileError::outside(text, "it leads out of the root"))?;
            }
            name => components.push(name),
        }
    }
    Ok(components)
}

/// Whether `text` begins with a drive of Windows.
fn has_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// What is wrong with a component.
fn problem(component: &str) -> Option<String> {
    let problem = if component.len() > RelPath::MAX_COMPONENT {
        let allowed = RelPath::MAX_COMPONENT;
        return Some(format!("a part of it has {} bytes, allowed are {allowed}", component.len()));
    } else if component.contains(char::is_control) {
        "it has a control character"
    } else if component.contains('\\') {
        "it has a backslash; folders are separated by /"
    } else if component.ends_with('.') || component.ends_with(char::is_whitespace) {
        "a part of it ends in a dot or a blank"
    } else if is_device(component) {
        "a part of it is the name of a device on Windows"
    } else {
        return None;
    };
    Some(problem.to_owned())
}

/// What protects a component.
fn protection(component: &str) -> Option<&'static str> {
    // HFS+ ignores these characters, NTFS reads what is behind a colon as a stream, and GIT~1 is its short name for .git.
    let seen: String = fold(component).chars().filter(|c| !is_ignorable(*c)).collect();
    let name = seen.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    if matches!(name, ".git" | "git~1") {
        Some("it belongs to the history of a repository")
    } else if is_reserved(&seen) {
        Some("engross keeps unfinished files under such names")
    } else if name == OWNERS {
        Some("a server keeps the files of other owners there")
    } else {
        None
    }
}

fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// CON, NUL, COM1 and the like, with any extension.
fn is_device(component: &str) -> bool {
    let stem = component.split(['.', ':']).next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = |prefix: &str| {
        let rest = stem.strip_prefix(prefix)?;
        Some(matches!(rest, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"))
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
        || numbered("COM").or_else(|| numbered("LPT")).unwrap_or(false)
}

/// Upper before lower, so that letters with several small forms meet.
fn fold(text: &str) -> String {
    text.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect()
}
