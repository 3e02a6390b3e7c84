//! Why a document could not be used, and why an operation was refused.

use crate::package;

/// The document cannot be used, or must not be written. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The container is not a usable package.
    #[error(transparent)]
    Package(#[from] package::Error),
    /// A part is not usable XML.
    #[error("the part '{part}' is not usable: {source}; repair the file in Word or LibreOffice")]
    Xml {
        /// Name of the part.
        part: String,
        /// What is wrong, and where.
        source: engross_xml::Error,
    },
    /// No relationship of the package leads to a main document.
    #[error("the package has no main document part; it is not a Word document, or it is damaged")]
    NoMainPart,
    /// The main part is another kind of document.
    #[error("the main part '{part}' is not a Word document but <{root}>; give a .docx file")]
    NotWordprocessing {
        /// Name of the part.
        part: String,
        /// Its root element.
        root: String,
    },
    /// The main part binds the prefix of WordprocessingML to something else further down.
    #[error(
        "the part '{part}' binds a namespace prefix twice, so it cannot be edited safely; save it again in Word"
    )]
    UnsupportedNamespaces {
        /// Name of the part.
        part: String,
    },
    /// The batch was made for another state of the document.
    #[error(
        "the document is at revision {actual}, not at {expected}; read it again and make the operations anew"
    )]
    StaleRevision {
        /// What the batch expected.
        expected: String,
        /// What the document has.
        actual: String,
    },
    /// The operations are not in the operation language.
    #[error("{message}")]
    InvalidOperation {
        /// Which operation, counted from 0; `None` when the batch itself is wrong.
        index: Option<usize>,
        /// What is wrong, naming the nearest thing that would be right.
        message: String,
    },
    /// Rejecting or accepting what was written does not give what it must; nothing was written.
    #[error(
        "the {side} proof of the whole document failed at {address}: {message}; nothing was written, please report this file"
    )]
    ProofFailed {
        /// `reject`, `accept` or `rules`.
        side: &'static str,
        /// Where.
        address: String,
        /// What differs.
        message: String,
    },
    /// There is no story of that name.
    #[error("there is no story '{name}' in this document; it has: {known}")]
    UnknownStory {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// There is no revision of that name.
    #[error("there is no tracked change '{id}' in this document; it has: {known}")]
    UnknownRevision {
        /// What was asked for.
        id: String,
        /// The names of some.
        known: String,
    },
    /// Those paragraphs cannot stand alone.
    #[error("paragraphs {first} to {last} of {story} are no fragment: {message}")]
    NoFragment {
        /// The story.
        story: String,
        /// The first paragraph, counted from 1.
        first: usize,
        /// The last one.
        last: usize,
        /// Why, and what can.
        message: String,
    },
    /// A search gave a regular expression that is none.
    #[error("{message}; correct the pattern")]
    InvalidPattern {
        /// What is wrong.
        message: String,
    },
    /// There is no such place to read on from.
    #[error("'{cursor}' is no place to read on from; use a cursor that a read returned, such as P120")]
    InvalidCursor {
        /// What was given.
        cursor: String,
    },
}

impl Error {
    /// The stable code: see `docs/errors/`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Package(error) => error.code(),
            Self::Xml { source, .. } => source.code(),
            Self::NoMainPart => "NO_MAIN_PART",
            Self::NotWordprocessing { .. } => "NOT_WORDPROCESSING",
            Self::UnsupportedNamespaces { .. } => "UNSUPPORTED_NAMESPACES",
            Self::StaleRevision { .. } => "STALE_REVISION",
            Self::InvalidOperation { .. } => "INVALID_OPERATION",
            Self::ProofFailed { .. } => "PROOF_FAILED",
            Self::UnknownStory { .. } => "UNKNOWN_STORY",
            Self::UnknownRevision { .. } => "UNKNOWN_REVISION",
            Self::NoFragment { .. } => "NO_FRAGMENT",
            Self::InvalidPattern { .. } => "INVALID_PATTERN",
            Self::InvalidCursor { .. } => "INVALID_CURSOR",
        }
    }
}

/// Why one operation was not applied. The document is as if it had not been given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Which rule.
    pub code: RefusalCode,
    /// What, where, and what to do next.
    pub message: String,
    /// Comments that are in the way, by `w:id`.
    pub comments: Vec<i64>,
    /// The paragraph that is in the way, from 0 in its story, where the operation concerns several.
    pub(crate) place: Option<usize>,
    /// What is said of hits that cannot be typed into, where the operation is done in other stories all the same.
    pub(crate) left: Option<String>,
}

impl Refusal {
    pub(crate) fn new(code: RefusalCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), comments: Vec::new(), place: None, left: None }
    }

    /// Text with a character that no document can hold.
    pub(crate) fn unwritable(what: &str, bad: char) -> Self {
        let message = format!(
            "{what} holds the character U+{:04X}, which a document cannot; leave it out",
            u32::from(bad)
        );
        Self::new(RefusalCode::InvalidContent, message)
    }

    pub(crate) fn not_attempted() -> Self {
        Self::new(
            RefusalCode::NotAttempted,
            "taken back, because another operation of this atomic batch was refused",
        )
    }

    /// The paragraph at `address` carries comments that deleting it would take away.
    pub(crate) fn commented(address: &str, comments: Vec<i64>) -> Self {
        let message = format!(
            "{address} carries a comment, which deleting would take away; take that away first (comment_delete), or change the \
             text with edit_paragraph, which leaves it where it is"
        );
        Self { comments, ..Self::new(RefusalCode::CommentedContent, message) }
    }
}

macro_rules! refusal_codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal,)+) => {
        /// The stable codes of refused operations.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum RefusalCode { $($(#[doc = $doc])+ $variant),+ }

        impl RefusalCode {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The code as it is printed.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }
        }
    };
}

refusal_codes! {
    /// No paragraph has that address.
    TargetNotFound = "TARGET_NOT_FOUND",
    /// Several places fit and nothing says which.
    AmbiguousTarget = "AMBIGUOUS_TARGET",
    /// The text is not there.
    TextNotFound = "TEXT_NOT_FOUND",
    /// The text is there, but somebody's pending revision deletes it.
    TextDeleted = "TEXT_DELETED",
    /// The paragraph does not say what the caller believes.
    ExpectedTextMismatch = "EXPECTED_TEXT_MISMATCH",
    /// An earlier operation of the batch already changes this text.
    OverlappingOperations = "OVERLAPPING_OPERATIONS",
    /// The edit would change a field's result, which the field's next update would undo.
    FieldEditRefused = "FIELD_EDIT_REFUSED",
    /// The edit lies in a content control that is locked, bound to data, or a choice from a list.
    ContentControlLocked = "CONTENT_CONTROL_LOCKED",
    /// No content control has that number, tag or title.
    ControlNotFound = "CONTROL_NOT_FOUND",
    /// The content control does not take that value.
    ControlValueRefused = "CONTROL_VALUE_REFUSED",
    /// It would change text or layout in a way that no revision can tell, and the operation does not allow that.
    NotTrackable = "NOT_TRACKABLE",
    /// A tracked change there would stand inside a pending insertion that cannot be cut in two.
    InsideInsertion = "INSIDE_INSERTION",
    /// There is such a header or footer already.
    StoryExists = "STORY_EXISTS",
    /// A pending revision already changes the formatting, and there can be only one such record.
    FormatRevision = "FORMAT_REVISION",
    /// The edit lies in text that a pending revision moves.
    MoveRevision = "MOVE_REVISION",
    /// The paragraph carries a comment that deleting would take away.
    CommentedContent = "COMMENTED_CONTENT",
    /// The table cannot be changed that way.
    TableEditRefused = "TABLE_EDIT_REFUSED",
    /// The rows of a table do not fit together, or not into the table.
    StructuredContentInvalid = "STRUCTURED_CONTENT_INVALID",
    /// The paragraph cannot be moved as a tracked change.
    MoveRefused = "MOVE_REFUSED",
    /// A reference elsewhere would lead nowhere, or to something else.
    ReferenceBroken = "REFERENCE_BROKEN",
    /// No pending revision deletes the whole paragraph.
    NothingToRestore = "NOTHING_TO_RESTORE",
    /// No comment has that id.
    CommentNotFound = "COMMENT_NOT_FOUND",
    /// The paragraph ends a section.
    SectionBreakParagraph = "SECTION_BREAK_PARAGRAPH",
    /// The edit would move or invent an inline object such as a picture or a footnote mark.
    ObjectEditRefused = "OBJECT_EDIT_REFUSED",
    /// A paragraph cannot be split inside a link, a content control or a similar wrapper.
    SplitRefused = "SPLIT_REFUSED",
    /// The text has characters that XML cannot hold.
    InvalidContent = "INVALID_CONTENT",
    /// The document has no such paragraph style.
    StyleNotFound = "STYLE_NOT_FOUND",
    /// What was asked for cannot be in this story.
    StoryNotEditable = "STORY_NOT_EDITABLE",
    /// The web can be searched by a model only, not by a batch.
    ResearchNotAvailable = "RESEARCH_NOT_AVAILABLE",
    /// The operation is not in the operation language.
    InvalidOperation = "INVALID_OPERATION",
    /// The edit did not prove reversible and was taken back.
    ProofFailed = "PROOF_FAILED",
    /// No tracked change has that id.
    UnknownRevision = "UNKNOWN_REVISION",
    /// Another operation of an atomic batch was refused.
    NotAttempted = "NOT_ATTEMPTED",
}
