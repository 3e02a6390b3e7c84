//! Ids of revisions: which are free, and which tell that a revision is ours.

use std::ops::Range;

use engross_xml::Document;

use crate::error::Error;
use crate::model::{OwnRevisions, PIECES_FROM, RevisionStamp};
use crate::names::ID;
use crate::package::Package;

/// Gives out revision ids that the package does not use yet.
///
/// Ours count up from the highest; pieces cut off other people's revisions count down from the top of the range, so
/// that an id tells whose a revision is ([`crate::model::is_id_since`]). Pieces cut off what the session wrote in an
/// earlier batch are the session's but not the batch's, so their ids are set aside before those of the batch; those of pieces
/// cut off revisions that the session has adopted are set aside before those of the session.
#[derive(Debug, Clone)]
pub(crate) struct Ids {
    own: OwnRevisions,
    next: i64,
    adopted_pieces: Range<i64>,
    next_piece: i64,
    set_aside: Range<i64>,
}

/// How many pieces one batch can cut off the session's earlier revisions, and a session off the adopted ones.
const SET_ASIDE: i64 = 10_000;

impl Ids {
    /// Ids besides `used`.
    pub(crate) fn besides(used: impl Iterator<Item = i64>) -> Self {
        let (mut highest, mut lowest_piece) = (0, i64::from(i32::MAX));
        for id in used {
            if id < PIECES_FROM {
                highest = highest.max(id);
            } else {
                lowest_piece = lowest_piece.min(id);
            }
        }
        let first = highest + 1;
        Self {
            own: OwnRevisions::since(first),
            next: first,
            adopted_pieces: first..first,
            next_piece: lowest_piece - 1,
            set_aside: first..first,
        }
    }

    /// Which revisions are one's own.
    pub(crate) fn own(&self) -> &OwnRevisions {
        &self.own
    }

    /// Makes earlier revisions, by author and id, one's own.
    pub(crate) fn adopt(&mut self, revisions: impl IntoIterator<Item = (String, i64)>) {
        let mut own = self.own.clone();
        if self.adopted_pieces.is_empty() {
            self.adopted_pieces = self.next..self.next + SET_ASIDE;
            let is_fresh = self.next == own.first();
            self.next += SET_ASIDE;
            if is_fresh {
                own = OwnRevisions::since(self.next);
            }
        }
        self.own = own.adopting(revisions, self.adopted_pieces.end - SET_ASIDE..self.adopted_pieces.end);
    }

    /// Makes ready for a batch, perhaps not the first of the session.
    pub(crate) fn begin_batch(&mut self) {
        if self.next > self.own.first() {
            self.set_aside = self.next..self.next + SET_ASIDE;
            self.next += SET_ASIDE;
        }
    }

    /// The next id, without taking it.
    pub(crate) fn peek(&self) -> i64 {
        self.next
    }

    pub(crate) fn take(&mut self) -> i64 {
        let id = self.next;
        self.next += 1;
        id
    }

    /// The id of a piece cut off the revision `of`.
    pub(super) fn take_for_piece(&mut self, of: &RevisionStamp) -> i64 {
        let id = match of.id {
            Some(id) if self.own.is_adopted(&of.author, id) => self.adopted_pieces.next(),
            Some(id) if (self.own.first()..PIECES_FROM).contains(&id) => self.set_aside.next(),
            _ => None,
        };
        if let Some(id) = id {
            return id;
        }
        let id = self.next_piece;
        self.next_piece -= 1;
        id
    }
}

/// Ids besides those of the package's annotations, so that ours are new in every part (ISO/IEC 29500-1 §17.13.1).
pub(crate) fn free_ids(package: &Package, tree: &Document) -> Result<Ids, Error> {
    let own = |node| tree.attribute(node, ID).and_then(|id| id.trim().parse().ok());
    let mut used: Vec<i64> = tree.descendants(tree.root()).filter_map(own).collect();
    let names: Vec<String> = package.names().filter(|name| is_story_file(name)).map(str::to_owned).collect();
    for name in names {
        let bytes = package.part(&name)?;
        used.extend(memchr::memmem::find_iter(&bytes, b":id=").filter_map(|at| {
            let digits = bytes.get(at + 5..)?;
            let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
            std::str::from_utf8(digits.get(..end)?).ok()?.parse::<i64>().ok()
        }));
    }
    Ok(Ids::besides(used.into_iter()))
}

/// Parts that can hold revisions, by their usual names; an unusual name costs only the uniqueness across parts.
fn is_story_file(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    let stems = ["header", "footer", "footnotes", "endnotes", "comments"];
    file.ends_with(".xml") && stems.iter().any(|stem| file.starts_with(stem))
}
