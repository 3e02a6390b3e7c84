//! The name of a file that others made, as text that leads back to it.
//!
//! Must never give two names one text, and never lead out of the folder: no component is empty, `.` or `..`.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;

use super::error::{FileError, shown};
#[cfg(not(unix))]
use super::path::RelPath;
use super::reserved::is_reserved;

/// What stands before the two digits of a byte that is no text.
const MARK: char = '\u{fffd}';

/// A relative path with components joined by `/`, whatever the system lets a name be: backslashes, control characters, and
/// on Unix bytes that are no text.
///
/// A byte that is no text is written as U+FFFD with its two upper-case hexadecimal digits, and so is each byte of a U+FFFD
/// that is in the name. All other names are their own text. Unlike a [`super::RelPath`] it may mean something else, or
/// nothing, on another system; where names are not bytes it takes only what a `RelPath` takes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DiskPath(String);

impl DiskPath {
    /// The bytes of the longest path on the disk.
    pub const MAX: usize = 4096;

    /// Checks `text`, which is never tidied: `a/../b` is refused, not shortened.
    ///
    /// # Errors
    /// * [`FileError::TargetRequired`]: no text at all.
    /// * [`FileError::PathOutsideRoot`]: it begins with a slash or has a component `.` or `..`.
    /// * [`FileError::PathInvalid`]: an empty component, NUL, more than 4096 bytes, or text that no name has.
    /// * [`FileError::ProtectedPath`]: a file that engross itself keeps.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        if text.split('/').any(is_reserved) {
            let problem = "engross keeps unfinished files under such names".to_owned();
            return Err(FileError::ProtectedPath { path: shown(text), problem });
        }
        Self::parse_any(text)
    }

    /// The same also for files that engross itself keeps.
    pub(super) fn parse_any(text: &str) -> Result<Self, FileError> {
        if text.is_empty() {
            return Err(FileError::TargetRequired);
        }
        if text.starts_with('/') {
            return Err(FileError::outside(text, "it is absolute"));
        }
        let mut bytes = 0;
        for component in text.split('/') {
            if matches!(component, "." | "..") {
                return Err(FileError::outside(text, "a part of it is . or .."));
            }
            if component.is_empty() || component.contains('\0') {
                return Err(FileError::invalid(text, "a part of it is empty or has a NUL"));
            }
            let name = name_of(component).filter(|name| text_of(name).as_deref() == Some(component));
            let Some(name) = name else {
                return Err(FileError::invalid(text, "no name on the disk is written like this"));
            };
            bytes += name.len() + 1;
        }
        if bytes > Self::MAX {
            return Err(FileError::invalid(text, "it is too long"));
        }
        #[cfg(not(unix))]
        if RelPath::parse(text)?.as_str() != text {
            return Err(FileError::invalid(text, "no file can have this name here"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The path of `name`, which is not one that engross keeps, in `folder`; `None` when it has no text here or is too long.
    pub(super) fn found(folder: Option<&Self>, name: &OsStr) -> Option<Self> {
        let text = text_of(name)?;
        let path = match folder {
            Some(folder) => format!("{folder}/{text}"),
            None => text.into_owned(),
        };
        // The disk gives no empty name, `.`, `..`, slash or NUL, and a text is never shorter than its name.
        if cfg!(unix) && path.len() < Self::MAX {
            return Some(Self(path));
        }
        Self::parse(&path).ok()
    }

    /// Its text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its text, and nothing else.
    #[must_use]
    pub fn into_text(self) -> String {
        self.0
    }

    /// The texts of its components, outermost first; at least one.
    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/')
    }

    /// The text of its last component.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The path of the folder it is in; `None` at the top.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('/').map(|(parent, _)| Self(parent.to_owned()))
    }
}

impl fmt::Display for DiskPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text of a name; `None` where names are not bytes and this one is no text.
pub(super) fn text_of(name: &OsStr) -> Option<Cow<'_, str>> {
    match name.to_str() {
        Some(text) if !text.contains(MARK) => Some(Cow::Borrowed(text)),
        _ => escaped(name).map(Cow::Owned),
    }
}

#[cfg(unix)]
fn escaped(name: &OsStr) -> Option<String> {
    use std::fmt::Write as _;
    use std::os::unix::ffi::OsStrExt;

    let mut text = String::new();
    let escape = |text: &mut String, bytes: &[u8]| {
        bytes.iter().try_for_each(|byte| write!(text, "{MARK}{byte:02X}")).ok()
    };
    for chunk in name.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == MARK {
                escape(&mut text, c.encode_utf8(&mut [0; 4]).as_bytes())?;
            } else {
                text.push(c);
            }
        }
        escape(&mut text, chunk.invalid())?;
    }
    Some(text)
}

#[cfg(not(unix))]
fn escaped(_: &OsStr) -> Option<String> {
    None
}

/// The name that has this text; `None` when digits are missing behind a mark.
pub(super) fn name_of(component: &str) -> Option<Cow<'_, OsStr>> {
    if component.contains(MARK) {
        unescaped(component).map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(OsStr::new(component)))
    }
}

#[cfg(unix)]
fn unescaped(component: &str) -> Option<std::ffi::OsString> {
    use std::os::unix::ffi::OsStringExt;

    let mut parts = component.split(MARK);
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    Some(std::ffi::OsString::from_vec(bytes))
}

#[cfg(not(unix))]
fn unescaped(_: &str) -> Option<std::ffi::OsString> {
    None
}
