//! A whole body that was written anew as Markdown, as edits of the body that is there.
//!
//! | File | Question it answers |
//! |---|---|
//! | `old_body` | what does the body say, block by block, and where does each block stand? |
//! | `keys` | what does a block say, for comparisons? |
//! | `pairs` | which of its blocks are which of the new ones? |
//! | `changes` | how does a block come to say something else? |
//! | `places` | where do new blocks go, and what goes with those that go? |
//! | `texts` | what do an old and a new text have in common, and in whose spelling? |
//!
//! What says the same stays as it is, with all that Markdown cannot say. A block with other words is edited in its place; the rest
//! comes and goes. Must never change a document, or take what Markdown leaves unsaid for a wish.

mod changes;
mod keys;
mod old_body;
mod pairs;
mod places;
mod texts;

use self::keys::text_of;
use self::old_body::{OldBody, parsed};
use self::pairs::pairs;
use super::source::BodySource;
use super::without_front_matter;
use crate::edit::content::{Syntax, check_content};
use crate::error::{Refusal, RefusalCode};
use crate::ops::{Address, Edit, Place};
use crate::text::pairing::gaps;
use crate::text::{Block, BlockKind, LineEnds, StyledText, parse_blocks, undefined_notes};

/// What makes a body say something else.
#[derive(Debug, Default)]
pub(crate) struct Rewrite {
    pub(crate) edits: Vec<Edit>,
    /// What of the new text is not heeded, for people.
    pub(crate) remarks: Vec<String>,
}

/// The edits of a body that make it say what `content` says.
pub(crate) fn rewrite(source: &BodySource<'_>, content: &str) -> Result<Rewrite, Refusal> {
    let (content, has_front_matter) = without_front_matter(content);
    check_content(content, Syntax::Markdown)?;
    let new = parsed(content);
    if new.is_empty() {
        let message = "the content is empty; to take everything away, use delete_paragraph with a range";
        return Err(Refusal::new(RefusalCode::InvalidContent, message));
    }
    let old = OldBody::read(source);
    let tells = Tells { headings: true, items: true, formats: true };
    let mut rewriter = Rewriter { old, tells, rewrite: Rewrite::default(), refusal: None };
    if has_front_matter {
        rewriter.remark("the front matter before the text is left out");
    }
    for label in undefined_notes(&parse_blocks(content, LineEnds::Filled)) {
        rewriter.remark(&format!(
            "'[^{label}]' is typed as it stands, since no line '[^{label}]: …' says what the note is"
        ));
    }
    rewriter.compare(new);
    match rewriter.refusal {
        Some(refusal) => Err(refusal),
        None => Ok(rewriter.rewrite),
    }
}

/// What the new text tells by signs at all. What it never tells is left unsaid, and stays.
#[derive(Debug, Clone, Copy)]
struct Tells {
    headings: bool,
    items: bool,
    /// Bold, italic and the like.
    formats: bool,
}

struct Rewriter<'a> {
    old: OldBody<'a>,
    tells: Tells,
    rewrite: Rewrite,
    refusal: Option<Refusal>,
}

impl Rewriter<'_> {
    fn remark(&mut self, remark: &str) {
        if !self.rewrite.remarks.iter().any(|known| known == remark) {
            self.rewrite.remarks.push(remark.to_owned());
        }
    }

    fn compare(&mut self, new: Vec<Block<StyledText>>) {
        let new: Vec<Block<StyledText>> =
            new.into_iter().map(|block| self.old.with_bookmarks(block)).collect();
        let has = |is: fn(&Block<StyledText>) -> bool| new.iter().any(is);
        self.tells = Tells {
            headings: has(|block| matches!(block.kind, BlockKind::Heading(..))),
            items: has(|block| matches!(block.kind, BlockKind::Item(_))),
            formats: has(|block| match &block.kind {
                BlockKind::Table(table) => table.rows.iter().flatten().any(|cell| !cell.spans.is_empty()),
                _ => text_of(block).is_some_and(|text| !text.spans.is_empty()),
            }),
        };
        let pairs = pairs(&self.old.blocks, &new);
        for (gone, come) in gaps(&pairs, (self.old.blocks.len(), new.len())) {
            let next = (gone.end, come.end);
            self.insert(gone.start.checked_sub(1), gone.end, new.get(come).unwrap_or_default());
            self.delete(gone.start, gone.end);
            if let Some(block) = new.get(next.1).filter(|_| next.0 < self.old.blocks.len()) {
                self.change(next.0, block);
            }
        }
    }

    fn unheeded(&mut self, at: usize) {
        let Some(old) = self.old.get(at) else { return };
        let number = old.range.0 + 1;
        let why = if old.is_result {
            "a field makes its text; use update_fields"
        } else {
            "it is part of a paragraph"
        };
        self.remark(&format!("P{number} stays as it is: {why}"));
    }
}

fn in_body(at: usize) -> Place {
    Place::in_body(Address::Number(at + 1))
}
