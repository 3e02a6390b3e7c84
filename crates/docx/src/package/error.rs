//! What can go wrong with the container of a document.
//!
//! Each failure has a stable code with a page in `docs/errors/`. Messages name the part and the next
//! step, never a path (this layer knows none), and never more than a line of a hostile name.

/// Why a file could not be opened, read or written as a package.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The bytes are something else than a zip archive.
    #[error("this is not a .docx file: it {found}; {advice}")]
    NotAZip {
        /// What the bytes look like, as the end of "it …".
        found: &'static str,
        /// What to do about that kind of file.
        advice: &'static str,
    },
    /// The archive stops before its directory.
    #[error(
        "the .docx file is incomplete: its end, with the directory of its parts, is missing; \
         download or copy it again in full"
    )]
    Truncated,
    /// The archive contradicts itself.
    #[error(
        "the .docx file is damaged: {what}; get a fresh copy, or open it in Word or LibreOffice \
         and save it anew"
    )]
    Damaged {
        /// What is wrong, naming the part.
        what: String,
    },
    /// The archive is larger than the limits allow, packed or unpacked.
    #[error(
        "the .docx file is too large to open safely: {what}; if you trust it, save it anew in Word \
         or LibreOffice, or split it"
    )]
    Bomb {
        /// Which limit is passed, naming the part.
        what: String,
    },
    /// The document can only be read with a password or by a rights service.
    #[error("the document is encrypted: {what}; open it in Word, remove the protection and save it again")]
    Encrypted {
        /// How it is encrypted.
        what: String,
    },
    /// A binary Office file from before `.docx`.
    #[error("this is not a .docx file: {what}; open it in Word or LibreOffice and save it as .docx")]
    LegacyDocument {
        /// What it is.
        what: &'static str,
    },
    /// The archive uses a feature of the zip format that documents never need.
    #[error("the .docx file cannot be handled: {what}; open it in Word or LibreOffice and save it anew")]
    Unsupported {
        /// The feature, naming the part.
        what: String,
    },
    /// A part has a name that no document may use.
    #[error(
        "the part name '{name}' is not allowed: {reason}; if the file came like this, save it anew \
         in Word or LibreOffice"
    )]
    PartNameInvalid {
        /// The name, shortened and escaped.
        name: String,
        /// Why it is refused.
        reason: &'static str,
    },
    /// No part of this name is in the package.
    #[error(
        "the document has no part '{name}'; check the name, or open the file in Word or LibreOffice \
         and save it anew if it should be there"
    )]
    PartNotFound {
        /// The name, shortened and escaped.
        name: String,
    },
}

impl Error {
    /// The stable code, explained in `docs/errors/CODE.md`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotAZip { .. } => "NOT_A_ZIP",
            Self::Truncated => "ZIP_TRUNCATED",
            Self::Damaged { .. } => "ZIP_DAMAGED",
            Self::Bomb { .. } => "ZIP_BOMB",
            Self::Encrypted { .. } => "PACKAGE_ENCRYPTED",
            Self::LegacyDocument { .. } => "LEGACY_DOC",
            Self::Unsupported { .. } => "ZIP_UNSUPPORTED",
            Self::PartNameInvalid { .. } => "PART_NAME_INVALID",
            Self::PartNotFound { .. } => "PART_NOT_FOUND",
        }
    }

    /// Damage, described by the end of "the .docx file is damaged: …".
    pub(super) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged { what: what.into() }
    }

    /// A passed limit, described by the end of "… too large to open safely: …".
    pub(super) fn bomb(what: impl Into<String>) -> Self {
        Self::Bomb { what: what.into() }
    }

    /// A refused feature, described by the end of "… cannot be handled: …".
    pub(super) fn unsupported(what: impl Into<String>) -> Self {
        Self::Unsupported { what: what.into() }
    }
}

/// A part name as messages show it: control characters escaped, at most 80 characters. The name comes
/// from the file, so it may be long or hostile.
pub(super) fn shown(name: &str) -> String {
    const LONGEST: usize = 80;
    let mut escaped: String = name.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if name.chars().nth(LONGEST).is_some() {
        escaped.push('…');
    }
    escaped
}
