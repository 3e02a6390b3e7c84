//! What a batch adds to parts beside the story: comments and lists. It is only data until the batch is over.

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

/// What a batch adds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Supplies {
    /// The id of the next comment.
    pub(crate) next_comment: i64,
    pub(crate) comments: Vec<NewComment>,
}

/// How much there was at some time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    next_comment: i64,
    comments: usize,
}

impl Supplies {
    /// Takes note of what there is.
    pub(crate) fn mark(&self) -> Mark {
        Mark { next_comment: self.next_comment, comments: self.comments.len() }
    }

    /// Takes back what came since.
    pub(crate) fn take_back(&mut self, mark: Mark) {
        self.next_comment = mark.next_comment;
        self.comments.truncate(mark.comments);
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
}
