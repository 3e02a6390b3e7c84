//! Operations as types.

use std::collections::BTreeSet;

use crate::ops::blocks::{BreakKind, PageSetup, TableFormat};
use crate::ops::controls::{ControlName, ControlValue};
use crate::ops::format::{ParagraphFormat, RunFormat};
use crate::ops::objects::ObjectEdit;
use crate::ops::parts::{PageKind, PropertyChanges, StoryKind};
use crate::ops::references::ReferenceEdit;
use crate::ops::search::Search;
use crate::revisions::{Choice, Side};
use crate::text::picture_sources;

/// What to do to which place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The edit.
    pub edit: Edit,
    /// Text the paragraph must have, or nothing is done.
    pub expected_text: Option<String>,
    /// Whether new text is taken as it stands, without Markdown.
    pub plain: bool,
    /// Author of this operation's revisions instead of the batch's.
    pub author: Option<String>,
    /// Whether it may change text or layout in ways that no revision can tell.
    pub allows_untracked: bool,
    /// What becomes of references to text that it takes away.
    pub references: ReferencePolicy,
}

impl Operation {
    /// An edit without anything further said.
    pub(crate) fn of(edit: Edit) -> Self {
        Self {
            edit,
            expected_text: None,
            plain: false,
            author: None,
            allows_untracked: false,
            references: ReferencePolicy::Refuse,
        }
    }

    /// The files that it names, pictures all of them; the caller gives their bytes by
    /// [`WordDocument::give_files`](crate::WordDocument::give_files).
    #[must_use]
    pub fn file_names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        if let Edit::Object(edit) = &self.edit {
            names.extend(edit.source().filter(|source| !source.starts_with("data:")).map(str::to_owned));
        }
        if !self.plain {
            for content in self.edit.contents() {
                names.extend(picture_sources(content));
            }
        }
        names
    }
}

/// What becomes of references to text that an operation takes away.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ReferencePolicy {
    /// The operation is refused when there are any.
    #[default]
    Refuse,
    /// They become the text that they show.
    Drop,
    /// They lead to another paragraph.
    Retarget(Place),
}

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
    /// What is not in the operation language: always refused.
    Invalid {
        /// The name that was given, if an operation has it.
        name: &'static str,
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

/// The marker of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListKind {
    /// A bullet.
    Bullet,
    /// A number.
    Numbered(NumberStyle),
}

/// How a list counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberStyle {
    /// 1, 2, 3
    Decimal,
    /// a, b, c
    LowerLetter,
    /// A, B, C
    UpperLetter,
    /// i, ii, iii
    LowerRoman,
    /// I, II, III
    UpperRoman,
}

/// What becomes of a table. Rows and columns are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableAction {
    /// Its texts become these, row by row; rows are added and deleted where the texts say so.
    ReplaceContent(Vec<Vec<String>>),
    /// A row more, before the row that has this number; the last without.
    AddRow {
        /// Its number then.
        at: Option<usize>,
        /// Its texts.
        content: Vec<String>,
    },
    /// A row goes.
    DeleteRow(usize),
    /// A cell's text becomes this.
    UpdateCell {
        /// Its row.
        row: usize,
        /// Its place in the row.
        column: usize,
        /// Its text.
        content: String,
    },
    /// A column more.
    AddColumn {
        /// Its number then.
        at: Option<usize>,
        /// Its texts.
        content: Vec<String>,
    },
    /// A column goes.
    DeleteColumn(usize),
}

/// A side of a paragraph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    /// Before it.
    Before,
    /// After it.
    After,
}

/// A paragraph, or several that fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Name of the story, as `footnote:3`; the body without.
    pub story: Option<String>,
    /// How it is named.
    pub address: Address,
    /// Which of several paragraphs that fit a text; not used for other addresses.
    pub occurrence: Option<Occurrence>,
}

impl Place {
    /// A place of the body.
    #[must_use]
    pub fn in_body(address: Address) -> Self {
        Self { story: None, address, occurrence: None }
    }
}

/// Ways to name a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// Its number in the story, from 1.
    Number(usize),
    /// Its `w14:paraId`, eight hexadecimal digits.
    ParagraphId(String),
    /// The fingerprint of its text that `read --json` shows.
    Fingerprint(String),
    /// The first of the story.
    First,
    /// The last of the story.
    Last,
    /// The one that contains this text.
    Text(String),
    /// The one with this number as shown: `4.2(b)`.
    Provision(String),
    /// Any of the story; as a paragraph the only one.
    Any,
}

/// Which of several hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrence {
    /// The n-th, from 1.
    Nth(usize),
    /// The last.
    Last,
    /// Every one.
    All,
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "P{number}"),
            Self::ParagraphId(id) => write!(f, "paraId:{id}"),
            Self::Fingerprint(fingerprint) => write!(f, "fp:{fingerprint}"),
            Self::First => f.write_str("first"),
            Self::Last => f.write_str("last"),
            Self::Text(text) => write!(f, "the paragraph containing '{text}'"),
            Self::Provision(number) => write!(f, "§{number}"),
            Self::Any => f.write_str("the only paragraph"),
        }
    }
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
            Self::ReplaceDocument { .. } => "replace_document",
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
    fn contents(&self) -> Vec<&str> {
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
