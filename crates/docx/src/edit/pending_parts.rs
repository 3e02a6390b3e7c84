//! What a batch adds to parts beside the story: comments, lists, notes, links, pictures, styles. It is only data until the
//! batch is over.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engross_xml::NodeId;

use crate::edit::built_in::BuiltInStyle;
use crate::edit::pictures::PictureKind;
use crate::ops::ListKind;
use crate::parts::Relationship;
use crate::styles::Styles;
use crate::text::{Enclosure, NoteKind, StyledText};

/// Files that the caller gives, pictures above all, by the names that content has for them.
pub(crate) type GivenFiles = BTreeMap<String, Arc<[u8]>>;

/// A comment to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewComment {
    pub(crate) id: i64,
    pub(crate) author: String,
    pub(crate) date: String,
    /// Its paragraphs, parted by [`PARAGRAPH_BREAK`](crate::edit::content::PARAGRAPH_BREAK).
    pub(crate) content: StyledText,
    /// The comment that it answers.
    pub(crate) parent: Option<i64>,
}

/// A list to be defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewList {
    /// Its `w:numId`.
    pub(crate) number: i64,
    /// How its first level is marked.
    pub(crate) first: ListLevel,
    /// The list whose indents it takes over, or below a level of which it stands.
    pub(crate) like: Option<ListBeside>,
    /// How deeper levels are marked that say so.
    pub(crate) deeper: BTreeMap<u8, ListLevel>,
}

/// How a level of a list is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListLevel {
    pub(crate) kind: ListKind,
    pub(crate) enclosure: Enclosure,
    /// Its first number.
    pub(crate) start: u32,
}

/// A list that a new one takes after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListBeside {
    /// It has the indents of this list.
    Like(i64),
    /// It stands below this level of this list.
    Below(i64, u8),
}

/// A note to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewNote {
    pub(crate) kind: NoteKind,
    pub(crate) id: i64,
    pub(crate) content: NoteContent,
}

/// What a note to be written says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoteContent {
    /// Paragraph by paragraph.
    Text(Vec<StyledText>),
    /// What the note of this id says, since its mark moves.
    CopyOf(i64),
}

/// A relationship to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewRelationship {
    /// The part that has it.
    pub(crate) part: String,
    pub(crate) id: String,
    /// The last step of its type.
    pub(crate) kind: &'static str,
    /// An address, or the name of a part.
    pub(crate) target: String,
    pub(crate) external: bool,
}

/// The file of a picture to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewMedia {
    /// Name of its part.
    pub(crate) name: String,
    pub(crate) kind: PictureKind,
    /// What the content calls it.
    pub(crate) source: String,
    pub(crate) bytes: Vec<u8>,
}

/// The part of the story under way, as far as its relationships go.
#[derive(Debug, Clone, Default)]
pub(crate) struct CurrentPart {
    pub(crate) name: String,
    pub(crate) relationships: Vec<Relationship>,
}

/// A bookmark that marks in moved text what another one marked before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MovedBookmark {
    pub(crate) old: String,
    pub(crate) new: String,
}

/// What a batch adds.
#[derive(Debug, Clone, Default)]
pub(crate) struct PendingParts {
    /// Bookmarks that references of any story lead to, in lower case; only known where the batch moves something.
    pub(crate) referenced: BTreeSet<String>,
    /// The number of the next bookmark that is made for a reference.
    pub(crate) next_bookmark: u64,
    pub(crate) bookmarks: Vec<MovedBookmark>,
    /// The `w:numId` of the next list.
    pub(crate) next_list: i64,
    pub(crate) lists: Vec<NewList>,
    /// The id of the next comment.
    pub(crate) next_comment: i64,
    pub(crate) comments: Vec<NewComment>,
    /// Comments that go, by `w:id`.
    pub(crate) gone_comments: Vec<i64>,
    /// The ids of the next footnote and the next endnote.
    pub(crate) next_note: [i64; 2],
    pub(crate) notes: Vec<NewNote>,
    /// The part of the story under way.
    pub(crate) part: CurrentPart,
    pub(crate) relationships: Vec<NewRelationship>,
    pub(crate) media: Vec<NewMedia>,
    /// Names that parts already have.
    pub(crate) names: BTreeSet<String>,
    /// The id of the next drawing.
    pub(crate) next_drawing: u32,
    /// Drawings of the story under way of which changed copies are made.
    pub(crate) copies: Vec<NodeId>,
    pub(crate) styles: Vec<BuiltInStyle>,
    /// Files that the caller gives.
    pub(crate) files: GivenFiles,
    /// Whether all of the document is new, so that its headings get the bookmarks that links ask for.
    pub(crate) is_new_document: bool,
}

/// How much there was at some time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PendingMark {
    next_bookmark: u64,
    bookmarks: usize,
    next_list: i64,
    lists: usize,
    next_comment: i64,
    comments: usize,
    gone_comments: usize,
    next_note: [i64; 2],
    notes: usize,
    relationships: usize,
    media: usize,
    next_drawing: u32,
    styles: usize,
}

impl PendingParts {
    /// Takes note of what there is.
    pub(crate) fn mark(&self) -> PendingMark {
        PendingMark {
            next_bookmark: self.next_bookmark,
            bookmarks: self.bookmarks.len(),
            next_list: self.next_list,
            lists: self.lists.len(),
            next_comment: self.next_comment,
            comments: self.comments.len(),
            gone_comments: self.gone_comments.len(),
            next_note: self.next_note,
            notes: self.notes.len(),
            relationships: self.relationships.len(),
            media: self.media.len(),
            next_drawing: self.next_drawing,
            styles: self.styles.len(),
        }
    }

    /// Takes back what came since.
    pub(crate) fn take_back(&mut self, mark: PendingMark) {
        self.next_bookmark = mark.next_bookmark;
        self.bookmarks.truncate(mark.bookmarks);
        self.next_list = mark.next_list;
        self.lists.truncate(mark.lists);
        self.next_comment = mark.next_comment;
        self.comments.truncate(mark.comments);
        self.gone_comments.truncate(mark.gone_comments);
        self.next_note = mark.next_note;
        self.notes.truncate(mark.notes);
        self.relationships.truncate(mark.relationships);
        self.media.truncate(mark.media);
        self.next_drawing = mark.next_drawing;
        self.styles.truncate(mark.styles);
    }

    /// A name that no bookmark has, in the form that Word gives to those of references.
    pub(crate) fn bookmark_name(&mut self) -> String {
        let number = self.next_bookmark;
        self.next_bookmark += 1;
        format!("_Ref{number}")
    }

    /// Adds a note. Gives its id.
    pub(crate) fn note(&mut self, kind: NoteKind, content: NoteContent) -> i64 {
        let [footnote, endnote] = &mut self.next_note;
        let next = if kind == NoteKind::Footnote { footnote } else { endnote };
        let id = *next;
        *next += 1;
        self.notes.push(NewNote { kind, id, content });
        id
    }

    /// The place of a drawing among those that are copied.
    pub(crate) fn copied(&mut self, drawing: NodeId) -> usize {
        self.copies.push(drawing);
        self.copies.len() - 1
    }

    /// The id of the relationship of the story's part to a target; one that is there is used again.
    pub(crate) fn relationship(&mut self, kind: &'static str, target: &str, external: bool) -> String {
        let part = self.part.name.clone();
        let known = self.part.relationships.iter();
        let known =
            known.filter(|known| known.kind == kind && known.target == target && known.external == external);
        let new = self.relationships.iter().filter(|new| {
            new.part == part && new.kind == kind && new.target == target && new.external == external
        });
        if let Some(id) = known.map(|known| &known.id).chain(new.map(|new| &new.id)).next() {
            return id.clone();
        }
        let is_taken = |id: &String| {
            let known = self.part.relationships.iter().any(|known| known.id == *id);
            known || self.relationships.iter().any(|new| new.part == part && new.id == *id)
        };
        // Ids of parts that the batch adds count up from one; these do not get in their way.
        let id = (1..).map(|number| format!("rIdC{number}")).find(|id| !is_taken(id)).unwrap_or_default();
        let target = target.to_owned();
        self.relationships.push(NewRelationship { part, id: id.clone(), kind, target, external });
        id
    }

    /// The name of the part for a picture's file; the same source has one part.
    pub(crate) fn medium(&mut self, source: &str, kind: PictureKind, bytes: &[u8]) -> String {
        if let Some(known) = self.media.iter().find(|known| known.source == source) {
            return known.name.clone();
        }
        let extension = kind.extension();
        let is_taken =
            |name: &String| self.names.contains(name) || self.media.iter().any(|known| known.name == *name);
        let name = (1..)
            .map(|number| format!("word/media/engross{number}.{extension}"))
            .find(|name| !is_taken(name))
            .unwrap_or_default();
        self.media.push(NewMedia {
            name: name.clone(),
            kind,
            source: source.to_owned(),
            bytes: bytes.to_vec(),
        });
        name
    }

    /// The id of a built-in style, which the document gets when it has none.
    pub(crate) fn style(&mut self, styles: &Styles, style: BuiltInStyle) -> String {
        if let Some(known) = style.find(styles) {
            return known.to_owned();
        }
        if !self.styles.contains(&style) {
            self.styles.push(style);
        }
        style.free_id(styles)
    }

    /// Adds a comment. Gives its id.
    pub(crate) fn comment(
        &mut self,
        author: &str,
        date: &str,
        content: StyledText,
        parent: Option<i64>,
    ) -> i64 {
        let id = self.next_comment;
        self.next_comment += 1;
        let (author, date) = (author.to_owned(), date.to_owned());
        self.comments.push(NewComment { id, author, date, content, parent });
        id
    }

    /// Says how a deeper level of a list of this batch is marked. Says no when it is marked otherwise already.
    pub(crate) fn mark_level(&mut self, number: i64, level: u8, marked: ListLevel) -> bool {
        match self.lists.iter_mut().find(|list| list.number == number) {
            Some(list) => {
                let known = list.deeper.entry(level).or_insert(marked);
                known.kind == marked.kind && known.enclosure == marked.enclosure
            }
            None => true,
        }
    }

    /// Adds a list. Gives its number.
    pub(crate) fn list(&mut self, first: ListLevel, like: Option<ListBeside>) -> i64 {
        let number = self.next_list;
        self.next_list += 1;
        self.lists.push(NewList { number, first, like, deeper: BTreeMap::new() });
        number
    }
}
