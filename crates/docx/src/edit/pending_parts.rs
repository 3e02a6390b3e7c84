//! What a batch adds to parts beside the story: comments and lists. It is only data until the batch is over.

use std::collections::{BTreeMap, BTreeSet};

use crate::ops::ListKind;
use crate::text::StyledText;

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
    pub(crate) kind: ListKind,
    /// The first number of that level.
    pub(crate) start: u32,
    /// The list whose indents it takes over.
    pub(crate) like: Option<i64>,
    /// How deeper levels are marked that say so.
    pub(crate) deeper: BTreeMap<u8, ListKind>,
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
    }

    /// A name that no bookmark has, in the form that Word gives to those of references.
    pub(crate) fn bookmark_name(&mut self) -> String {
        let number = self.next_bookmark;
        self.next_bookmark += 1;
        format!("_Ref{number}")
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

    /// Says how a deeper level of a list of this batch is marked, unless that was said before.
    pub(crate) fn mark_level(&mut self, number: i64, level: u8, kind: ListKind) {
        if let Some(list) = self.lists.iter_mut().find(|list| list.number == number) {
            list.deeper.entry(level).or_insert(kind);
        }
    }

    /// Adds a list. Gives its number.
    pub(crate) fn list(&mut self, kind: ListKind, start: u32, like: Option<i64>) -> i64 {
        let number = self.next_list;
        self.next_list += 1;
        let deeper = BTreeMap::new();
        self.lists.push(NewList { number, kind, start, like, deeper });
        number
    }
}
