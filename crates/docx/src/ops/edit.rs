//! The edits as types: what each one says, and where it works.

use crate::error::RefusalCode;
use crate::ops::blocks::{BreakKind, PageSetup, TableAction, TableFormat};
use crate::ops::controls::{ControlName, ControlValue};
use crate::ops::format::{ParagraphFormat, RunFormat};
use crate::ops::lists::{ListKind, NumberStyle};
use crate::ops::objects::ObjectEdit;
use crate::ops::parts::{PageKind, PropertyChanges, StoryKind};
use crate::ops::place::{Occurrence, Place, Where};
use crate::ops::references::ReferenceEdit;
use crate::ops::search::Search;
use crate::revisions::{Choice, Side};

/// The edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Replaces a phrase.
    ModifyText {
        /// Where to look; the whole story without.
        place: Option<Place>,
        /// The phrase.
        search: Search,
        /// What takes its place.
        replacement: String,
    },
    /// Gives a paragraph new text; what stays the same stays untouched.
    EditParagraph {
        /// Which paragraph.
        place: Place,
        /// The text it shall have.
        content: String,
    },
    /// Adds text at the end of a paragraph.
    Append {
        /// Which paragraph.
        place: Place,
        /// What to add.
        content: String,
    },
    /// Adds text at the start of a paragraph.
    Prepend {
        /// Which paragraph.
        place: Place,
        /// What to add.
        content: String,
    },
    /// Puts new paragraphs beside one.
    InsertParagraph {
        /// Beside which paragraph.
        place: Place,
        /// On which side.
        side: Where,
        /// Their text; a blank line begins another paragraph.
        content: String,
        /// Id or name of their style; like the paragraph beside without.
        style: Option<String>,
        /// Whether items in it count on in the list beside.
        continues: bool,
    },
    /// Removes a paragraph.
    DeleteParagraph {
        /// The first paragraph.
        place: Place,
        /// The last, if it is another.
        end: Option<Place>,
        /// What becomes of comments on them.
        comments: CommentPolicy,
    },
    /// Puts blocks of Markdown, lists and tables among them, in the place of one paragraph or several.
    Replace {
        /// The first paragraph.
        place: Place,
        /// The last, if it is another.
        end: Option<Place>,
        /// What stands there then.
        content: String,
        /// Whether items in it count on in the list that is there.
        continues: bool,
    },
    /// Makes the body say what this Markdown says; what it says already stays as it is.
    ReplaceDocument {
        /// The whole body.
        content: String,
    },
    /// The same with what another Word document says.
    ReplaceByFile {
        /// The name of that document.
        file: String,
    },
    /// Moves paragraphs.
    Move {
        /// The first paragraph.
        place: Place,
        /// The last, if it is another.
        end: Option<Place>,
        /// On which side of `to` they stand then.
        side: Where,
        /// Beside which paragraph.
        to: Place,
    },
    /// Puts the text of a paragraph that somebody else deletes back as an insertion behind it.
    Restore {
        /// Which paragraph.
        place: Place,
    },
    /// Changes the formatting of text.
    FormatText {
        /// Where; the whole body without, if there is a phrase.
        place: Option<Place>,
        /// The phrase; all of the paragraph without.
        search: Option<Search>,
        /// The formatting.
        format: RunFormat,
    },
    /// Changes the highlight of text.
    Highlight {
        /// Where.
        place: Option<Place>,
        /// The phrase; all of the paragraph without.
        search: Option<Search>,
        /// The colour as the format names it.
        color: String,
    },
    /// Changes the formatting of paragraphs.
    FormatParagraph {
        /// The first paragraph.
        place: Place,
        /// The last, if it is another.
        end: Option<Place>,
        /// The formatting.
        format: ParagraphFormat,
    },
    /// Makes a list of a range of paragraphs, or changes the list that it is.
    EditList {
        /// The first paragraph.
        place: Place,
        /// The last.
        end: Place,
        /// The items; four spaces or a tab before one put it a level deeper.
        items: Vec<String>,
        /// Their marker.
        kind: ListKind,
    },
    /// Puts an item behind one.
    InsertListItem {
        /// Behind which paragraph.
        place: Place,
        /// Its text.
        content: String,
        /// Levels deeper (1) or shallower (-1) than that one.
        indent: i64,
    },
    /// Makes one numbered list of headings that stand apart.
    ConvertHeaders {
        /// The headings.
        places: Vec<Place>,
        /// Their texts, in the same order; as they are without.
        texts: Vec<String>,
        /// How they are numbered.
        format: NumberStyle,
    },
    /// Changes a heading and what belongs to it.
    EditSection {
        /// The heading.
        place: Place,
        /// Its text.
        header: Option<String>,
        /// The paragraphs below it.
        body: Option<Vec<String>>,
        /// Whether what begins with the first sub-item stays.
        preserve: bool,
    },
    /// Changes a table.
    EditTable {
        /// Any paragraph of it.
        place: Place,
        /// What to do.
        action: TableAction,
    },
    /// Changes a table as a whole, or which of its cells are one.
    SetTable {
        /// Any paragraph of it.
        place: Place,
        /// What it shall be like.
        format: TableFormat,
    },
    /// Removes a table.
    DeleteTable {
        /// Any paragraph of it.
        place: Place,
    },
    /// Puts a break between paragraphs.
    InsertBreak {
        /// Beside which paragraph.
        place: Place,
        /// On which side.
        side: Where,
        /// What begins behind it.
        kind: BreakKind,
    },
    /// Changes how pages are laid out.
    PageSetup {
        /// Any paragraph of the section; all sections without.
        place: Option<Place>,
        /// What they shall be like.
        setup: PageSetup,
    },
    /// Gives a content control a value.
    FillControl {
        /// Which one.
        control: ControlName,
        /// Which of several of that name.
        occurrence: Option<Occurrence>,
        /// What it is to say.
        value: ControlValue,
        /// How a date is written there, when the control does not say it.
        shown: Option<String>,
    },
    /// Makes a header or footer.
    CreateStory {
        /// Which of the two.
        story: StoryKind,
        /// On which pages it stands.
        page: PageKind,
        /// The number of its section, from 1; the first without, and those that share its headers.
        section: Option<usize>,
        /// Its paragraphs.
        content: String,
        /// Their alignment, if not that of their style.
        alignment: Option<&'static str>,
    },
    /// Lets a section share the header or footer of the one before.
    LinkStory {
        /// Which of the two.
        story: StoryKind,
        /// On which pages it stands.
        page: PageKind,
        /// The number of the section, from 1.
        section: usize,
    },
    /// Sets properties of the document.
    SetProperties(PropertyChanges),
    /// Puts a comment beside text.
    InsertComment {
        /// Where; the whole body without, if there is a phrase.
        place: Option<Place>,
        /// The phrase; all of the paragraph without.
        search: Option<Search>,
        /// What it says.
        content: String,
    },
    /// Answers a comment.
    CommentReply {
        /// `w:id` of any comment of the thread.
        comment: String,
        /// What it says.
        content: String,
    },
    /// Marks a thread as done, or as open again.
    CommentResolve {
        /// `w:id` of any comment of the thread.
        comment: String,
        /// Whether it is done.
        resolved: bool,
    },
    /// Takes a comment away, with its answers if it begins a thread.
    CommentDelete {
        /// Its `w:id`.
        comment: String,
    },
    /// Finds the paragraph that a description means. Changes nothing.
    Navigate {
        /// A number as shown (`4.2(b)`), a heading, or words.
        description: String,
    },
    /// Does something with a link, a note or a picture.
    Object(ObjectEdit),
    /// Makes or updates bookmarks, fields and references.
    Reference(ReferenceEdit),
    /// Searches the web, which a batch cannot: always refused.
    Research,
    /// What is not in the operation language, or holds what no document can: always refused.
    Invalid {
        /// The name that was given, if an operation has it.
        name: &'static str,
        /// Why it is refused.
        code: RefusalCode,
        /// What is wrong, naming the nearest thing that would be right.
        message: String,
    },
    /// Accepts or rejects revisions. Stands only beside its like.
    Resolve {
        /// Which side.
        side: Side,
        /// Which revisions.
        choice: Choice,
    },
}

/// What becomes of comments on paragraphs that go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CommentPolicy {
    /// The paragraphs stay.
    #[default]
    Refuse,
    /// The comments stay, beside where the paragraphs stood.
    Keep,
    /// The comments go at once, with their answers.
    Delete,
}

impl Edit {
    /// The name of the operation.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::ModifyText { .. } => "modify_text",
            Self::EditParagraph { .. } | Self::Append { .. } | Self::Prepend { .. } => "edit_paragraph",
            Self::InsertParagraph { .. } => "insert_paragraph",
            Self::DeleteParagraph { .. } => "delete_paragraph",
            Self::Replace { end: None, .. } => "replace_paragraph",
            Self::Replace { .. } => "replace_range",
            Self::ReplaceDocument { .. } | Self::ReplaceByFile { .. } => "replace_document",
            Self::Move { .. } => "move_paragraph",
            Self::Restore { .. } => "restore_paragraph",
            Self::FormatText { .. } => "format_text",
            Self::Highlight { .. } => "highlight_text",
            Self::FormatParagraph { .. } => "format_paragraph",
            Self::EditList { .. } => "edit_list",
            Self::InsertListItem { .. } => "insert_list_item",
            Self::ConvertHeaders { .. } => "convert_headers_to_list",
            Self::EditSection { .. } => "edit_section",
            Self::EditTable { .. } => "edit_table",
            Self::SetTable { .. } => "set_table",
            Self::DeleteTable { .. } => "delete_table",
            Self::InsertBreak { .. } => "insert_break",
            Self::PageSetup { .. } => "page_setup",
            Self::FillControl { .. } => "fill_control",
            Self::CreateStory { story: StoryKind::Header, .. } => "create_header",
            Self::CreateStory { .. } => "create_footer",
            Self::LinkStory { story: StoryKind::Header, .. } => "link_header",
            Self::LinkStory { .. } => "link_footer",
            Self::SetProperties(_) => "set_properties",
            Self::InsertComment { .. } => "insert_comment",
            Self::CommentReply { .. } => "comment_reply",
            Self::CommentResolve { .. } => "comment_resolve",
            Self::CommentDelete { .. } => "comment_delete",
            Self::Navigate { .. } => "navigate_to_section",
            Self::Object(edit) => edit.name(),
            Self::Reference(edit) => edit.name(),
            Self::Research => "perform_research",
            Self::Invalid { name, .. } => name,
            Self::Resolve { side: Side::Accept, .. } => "accept",
            Self::Resolve { .. } => "reject",
        }
    }

    /// The texts that it brings.
    pub(crate) fn contents(&self) -> Vec<&str> {
        match self {
            Self::ModifyText { replacement: content, .. }
            | Self::EditParagraph { content, .. }
            | Self::Append { content, .. }
            | Self::Prepend { content, .. }
            | Self::InsertParagraph { content, .. }
            | Self::Replace { content, .. }
            | Self::ReplaceDocument { content }
            | Self::InsertListItem { content, .. } => vec![content],
            Self::EditList { items, .. } => items.iter().map(String::as_str).collect(),
            Self::EditSection { body, .. } => body.iter().flatten().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// What it looks for in a text, if it does.
    pub(crate) fn search(&self) -> Option<&Search> {
        match self {
            Self::ModifyText { search, .. } => Some(search),
            Self::FormatText { search, .. }
            | Self::Highlight { search, .. }
            | Self::InsertComment { search, .. } => search.as_ref(),
            Self::Object(ObjectEdit { search, .. }) => search.as_ref(),
            _ => None,
        }
    }

    /// The same, to be changed, with the place where it looks.
    pub(crate) fn search_mut(&mut self) -> Option<(&mut Search, &mut Option<Place>)> {
        match self {
            Self::ModifyText { search, place, .. } => Some((search, place)),
            Self::FormatText { search, place, .. }
            | Self::Highlight { search, place, .. }
            | Self::InsertComment { search, place, .. }
            | Self::Object(ObjectEdit { search, place, .. }) => search.as_mut().zip(Some(place)),
            _ => None,
        }
    }

    /// The place it names, if it looks for something.
    pub(crate) fn search_place(&self) -> Option<&Place> {
        match self {
            Self::ModifyText { place, .. }
            | Self::FormatText { place, .. }
            | Self::Highlight { place, .. }
            | Self::InsertComment { place, .. }
            | Self::Object(ObjectEdit { place, .. }) => place.as_ref(),
            _ => None,
        }
    }

    /// The story in which it is done, by the first place it names; the body without.
    #[must_use]
    pub fn story(&self) -> Option<&str> {
        let place = match self {
            Self::ModifyText { place, .. }
            | Self::FormatText { place, .. }
            | Self::Highlight { place, .. }
            | Self::InsertComment { place, .. }
            | Self::Object(ObjectEdit { place, .. }) => place.as_ref(),
            Self::EditParagraph { place, .. }
            | Self::Append { place, .. }
            | Self::Prepend { place, .. }
            | Self::InsertParagraph { place, .. }
            | Self::DeleteParagraph { place, .. }
            | Self::SetTable { place, .. }
            | Self::DeleteTable { place }
            | Self::InsertBreak { place, .. }
            | Self::Replace { place, .. }
            | Self::Move { place, .. }
            | Self::Restore { place }
            | Self::FormatParagraph { place, .. }
            | Self::EditList { place, .. }
            | Self::InsertListItem { place, .. }
            | Self::EditSection { place, .. }
            | Self::EditTable { place, .. } => Some(place),
            Self::PageSetup { place, .. } => place.as_ref(),
            Self::ConvertHeaders { places, .. } => places.first(),
            Self::Reference(edit) => edit.place(),
            Self::FillControl { .. }
            | Self::ReplaceDocument { .. }
            | Self::ReplaceByFile { .. }
            | Self::CreateStory { .. }
            | Self::LinkStory { .. }
            | Self::SetProperties(_)
            | Self::CommentReply { .. }
            | Self::CommentResolve { .. }
            | Self::CommentDelete { .. }
            | Self::Navigate { .. }
            | Self::Research
            | Self::Invalid { .. }
            | Self::Resolve { .. } => None,
        };
        place.and_then(|place| place.story.as_deref())
    }
}
