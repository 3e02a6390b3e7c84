//! The codes of findings and how much each of them matters.

use serde::Serialize;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Word would likely repair the file, refuse it, or lose something.
    Error,
    /// Word mends it silently, or something may get lost in other programs.
    Warning,
    /// Nothing is wrong; worth knowing.
    Info,
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal, $severity:ident;)+) => {
        /// What can be found.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) enum Rule { $($(#[doc = $doc])+ $variant),+ }

        impl Rule {
            pub(crate) fn code(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }

            pub(crate) fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity),+ }
            }
        }

        /// Every code that a finding can have, with its severity.
        pub const CODES: &[(&str, Severity)] = &[$(($code, Severity::$severity)),+];
    };
}

rules! {
    /// The package does not say of what type its parts are.
    ContentTypesMissing = "CONTENT_TYPES_MISSING", Error;
    /// A part that is used has no content type.
    PartUntyped = "PART_UNTYPED", Error;
    /// A file of the archive has no content type and nothing leads to it.
    FileIgnored = "FILE_IGNORED", Warning;
    /// A content type for a part that is not there.
    ContentTypeWithoutPart = "CONTENT_TYPE_WITHOUT_PART", Warning;
    /// Two content types for one part.
    ContentTypeDuplicate = "CONTENT_TYPE_DUPLICATE", Error;
    /// A part is no XML that can be read.
    PartMalformed = "PART_MALFORMED", Error;
    /// A relationship leads to a part that is not there.
    RelationshipTargetMissing = "RELATIONSHIP_TARGET_MISSING", Error;
    /// The same, but nothing uses the relationship.
    RelationshipDangling = "RELATIONSHIP_DANGLING", Warning;
    /// Two relationships of one part have the same id.
    RelationshipIdDuplicate = "RELATIONSHIP_ID_DUPLICATE", Error;
    /// A part refers to a relationship that it does not have.
    RelationshipUnresolved = "RELATIONSHIP_UNRESOLVED", Error;
    /// Relationships of a part that is not there.
    RelationshipsOrphaned = "RELATIONSHIPS_ORPHANED", Warning;

    /// A paragraph directly inside a paragraph or run.
    ParagraphNested = "PARAGRAPH_NESTED", Error;
    /// A run directly inside a run.
    RunNested = "RUN_NESTED", Error;
    /// A table cell without a paragraph at its end.
    CellWithoutParagraph = "CELL_WITHOUT_PARAGRAPH", Error;
    /// A table row without cells.
    RowWithoutCell = "ROW_WITHOUT_CELL", Error;
    /// Paragraph properties that do not come first.
    ParagraphPropertiesNotFirst = "PARAGRAPH_PROPERTIES_NOT_FIRST", Error;
    /// Paragraph properties out of order.
    ParagraphPropertiesOrder = "PARAGRAPH_PROPERTIES_ORDER", Error;
    /// A paragraph property that is given twice.
    ParagraphPropertyDuplicate = "PARAGRAPH_PROPERTY_DUPLICATE", Error;
    /// Run properties that do not come first.
    RunPropertiesNotFirst = "RUN_PROPERTIES_NOT_FIRST", Error;
    /// Revision records in run properties out of order.
    RunPropertiesOrder = "RUN_PROPERTIES_ORDER", Error;
    /// A run property that is given twice.
    RunPropertyDuplicate = "RUN_PROPERTY_DUPLICATE", Error;
    /// Two paragraphs of a part have the same id.
    ParagraphIdDuplicate = "PARAGRAPH_ID_DUPLICATE", Warning;
    /// Two bookmarks have the same name.
    BookmarkNameDuplicate = "BOOKMARK_NAME_DUPLICATE", Warning;
    /// A bookmark that starts without an end, or ends without a start or before it.
    BookmarkUnpaired = "BOOKMARK_UNPAIRED", Warning;
    /// A mark of a footnote or endnote that is not there.
    NoteMissing = "NOTE_MISSING", Error;
    /// Two notes have the same id.
    NoteIdDuplicate = "NOTE_ID_DUPLICATE", Error;
    /// A mark of a comment that is not there.
    CommentMissing = "COMMENT_MISSING", Warning;
    /// Two comments have the same id.
    CommentIdDuplicate = "COMMENT_ID_DUPLICATE", Error;
    /// An element where the schema has no place for it.
    ElementMisplaced = "ELEMENT_MISPLACED", Error;
    /// An element that comes too late.
    ElementOrder = "ELEMENT_ORDER", Error;
    /// An element that may be given once, and is given twice.
    ElementRepeated = "ELEMENT_REPEATED", Error;
    /// A style that is used, but not there.
    StyleMissing = "STYLE_MISSING", Info;
    /// Two styles have the same id.
    StyleIdDuplicate = "STYLE_ID_DUPLICATE", Error;
    /// A numbering that is used, but not there.
    NumberingMissing = "NUMBERING_MISSING", Warning;
    /// A numbering without the definition that it follows.
    NumberingUndefined = "NUMBERING_UNDEFINED", Error;
    /// Two numberings or two definitions have the same id.
    NumberingIdDuplicate = "NUMBERING_ID_DUPLICATE", Error;
    /// The range of a comment without its start or end.
    CommentRangeUnpaired = "COMMENT_RANGE_UNPAIRED", Warning;
    /// The answers or the state of a comment that is not there.
    CommentThreadUnresolved = "COMMENT_THREAD_UNRESOLVED", Warning;
    /// A range that may be edited without its start or end.
    PermissionUnpaired = "PERMISSION_UNPAIRED", Warning;
    /// Two bookmarks of a part have the same id.
    BookmarkIdDuplicate = "BOOKMARK_ID_DUPLICATE", Warning;
    /// Two content controls have the same id.
    ControlIdDuplicate = "CONTROL_ID_DUPLICATE", Warning;
    /// Two drawings have the same id.
    DrawingIdDuplicate = "DRAWING_ID_DUPLICATE", Info;
    /// A reference to a bookmark that is not there.
    ReferenceDangling = "REFERENCE_DANGLING", Warning;
    /// A reference to a bookmark whose text is gone.
    ReferenceDisplaced = "REFERENCE_DISPLACED", Warning;
    /// An entry of a table of contents for a heading that is not there.
    ContentsDangling = "CONTENTS_DANGLING", Info;
    /// A field that begins without an end, or ends without a beginning.
    FieldUnbalanced = "FIELD_UNBALANCED", Warning;

    /// A revision without an author.
    RevisionAuthorMissing = "REVISION_AUTHOR_MISSING", Error;
    /// A revision where no revision may be.
    RevisionMisplaced = "REVISION_MISPLACED", Error;
    /// Something inside a revision that may not be there.
    RevisionContent = "REVISION_CONTENT", Error;
    /// A revision inside another of its kind.
    RevisionNested = "REVISION_NESTED", Error;
    /// An insertion inside a deletion.
    InsertionInDeletion = "INSERTION_IN_DELETION", Error;
    /// Ordinary text inside a deletion.
    TextInDeletion = "TEXT_IN_DELETION", Error;
    /// Deleted text outside of any deletion.
    DeletedTextOutside = "DELETED_TEXT_OUTSIDE", Error;
    /// An ordinary field instruction inside a deletion.
    InstructionInDeletion = "INSTRUCTION_IN_DELETION", Warning;
    /// A revision that only marks properties, but holds something.
    RevisionMarkNotEmpty = "REVISION_MARK_NOT_EMPTY", Error;
    /// Two revisions have the same id.
    RevisionIdDuplicate = "REVISION_ID_DUPLICATE", Warning;
    /// One half of a move.
    MoveUnpaired = "MOVE_UNPAIRED", Warning;

    /// Accepting everything would leave revisions.
    AcceptLeavesRevisions = "ACCEPT_LEAVES_REVISIONS", Error;
    /// Rejecting everything would leave revisions.
    RejectLeavesRevisions = "REJECT_LEAVES_REVISIONS", Error;
    /// Accepting everything would do damage that is not there yet.
    AcceptBreaks = "ACCEPT_BREAKS", Error;
    /// Rejecting everything would do damage that is not there yet.
    RejectBreaks = "REJECT_BREAKS", Error;

    /// Word restricts what may be edited.
    DocumentProtected = "DOCUMENT_PROTECTED", Info;
    /// Word asks for a password, or advises against it, before the document can be changed.
    WriteProtected = "WRITE_PROTECTED", Info;
    /// Word records changes that people make.
    TrackingOn = "TRACKING_ON", Info;
    /// Any change makes a signature invalid.
    DigitallySigned = "DIGITALLY_SIGNED", Info;
}
