//! Operations as types.

use crate::ops::format::{ParagraphFormat, RunFormat};
use crate::ops::search::Search;
use crate::revisions::{Choice, Side};

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
        /// Which paragraph.
        place: Place,
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
    /// Changes a numbered heading and what belongs to it.
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
    /// Searches the web, which a batch cannot: always refused.
    Research,
    /// Accepts or rejects revisions. Stands only beside its like.
    Resolve {
        /// Which side.
        side: Side,
        /// Which revisions.
        choice: Choice,
    },
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
            Self::InsertComment { .. } => "insert_comment",
            Self::CommentReply { .. } => "comment_reply",
            Self::CommentResolve { .. } => "comment_resolve",
            Self::CommentDelete { .. } => "comment_delete",
            Self::Navigate { .. } => "navigate_to_section",
            Self::Research => "perform_research",
            Self::Resolve { side: Side::Accept, .. } => "accept",
            Self::Resolve { .. } => "reject",
        }
    }

    /// What it looks for in a text, if it does.
    pub(crate) fn search(&self) -> Option<&Search> {
        match self {
            Self::ModifyText { search, .. } => Some(search),
            Self::FormatText { search, .. }
            | Self::Highlight { search, .. }
            | Self::InsertComment { search, .. } => search.as_ref(),
            _ => None,
        }
    }

    /// The same, to be changed, with the place where it looks.
    pub(crate) fn search_mut(&mut self) -> Option<(&mut Search, &mut Option<Place>)> {
        match self {
            Self::ModifyText { search, place, .. } => Some((search, place)),
            Self::FormatText { search, place, .. }
            | Self::Highlight { search, place, .. }
            | Self::InsertComment { search, place, .. } => search.as_mut().zip(Some(place)),
            _ => None,
        }
    }

    /// The place it names, if it looks for something.
    pub(crate) fn search_place(&self) -> Option<&Place> {
        match self {
            Self::ModifyText { place, .. }
            | Self::FormatText { place, .. }
            | Self::Highlight { place, .. }
            | Self::InsertComment { place, .. } => place.as_ref(),
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
            | Self::InsertComment { place, .. } => place.as_ref(),
            Self::EditParagraph { place, .. }
            | Self::Append { place, .. }
            | Self::Prepend { place, .. }
            | Self::InsertParagraph { place, .. }
            | Self::DeleteParagraph { place }
            | Self::Replace { place, .. }
            | Self::Move { place, .. }
            | Self::Restore { place }
            | Self::FormatParagraph { place, .. }
            | Self::EditList { place, .. }
            | Self::InsertListItem { place, .. }
            | Self::EditSection { place, .. }
            | Self::EditTable { place, .. } => Some(place),
            Self::ConvertHeaders { places, .. } => places.first(),
            Self::CommentReply { .. }
            | Self::CommentResolve { .. }
            | Self::CommentDelete { .. }
            | Self::Navigate { .. }
            | Self::Research
            | Self::Resolve { .. } => None,
        };
        place.and_then(|place| place.story.as_deref())
    }
}
