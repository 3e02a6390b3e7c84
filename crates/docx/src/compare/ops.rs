//! What becomes of the tokens of two streams: kept, deleted, inserted, in the order in which a redline has them.

use std::collections::HashMap;
use std::ops::Range;

use engross_xml::NodeId;

use super::granularity::{Granularity, Hunk, widened};
use super::stream::{Piece, Stream, Token, TokenKind, is_in_number};
use crate::text::words::{TokenSide, diff_tokens};

/// One step of a redline. `before` names nodes of the document before, `after` of the one after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Op {
    Keep {
        before: Piece,
        after: Piece,
    },
    Delete(Piece),
    Insert(Piece),
    DeleteNode(NodeId),
    InsertNode(NodeId),
    /// What follows stands in this element, which both have, until it is left.
    Enter {
        before: NodeId,
        after: NodeId,
    },
    Leave(NodeId),
    KeepMark {
        before: NodeId,
        after: NodeId,
    },
    DeleteMark(NodeId),
    InsertMark(NodeId),
    DeleteBlock(NodeId),
    InsertBlock(NodeId),
}

/// The steps from one stream to the other.
pub(super) fn steps(before: &Stream, after: &Stream, granularity: Granularity) -> Vec<Op> {
    let mut ops = Vec::new();
    // The last marks of both belong together: behind them stands what cannot be joined to.
    let (old_end, new_end) = (last_mark(before), last_mark(after));
    match (old_end, new_end) {
        (Some(old), Some(new))
            if before.tokens.get(old).map(|t| t.key) == after.tokens.get(new).map(|t| t.key) =>
        {
            between((before, 0..old), (after, 0..new), granularity, &mut ops);
            keep((before, old..old + 1), (after, new..new + 1), granularity, &mut ops);
            replace(before, old + 1..before.tokens.len(), after, new + 1..after.tokens.len(), &mut ops);
        }
        _ => between((before, 0..before.tokens.len()), (after, 0..after.tokens.len()), granularity, &mut ops),
    }
    ops
}

/// All of one stream gives way to all of the other; only the last marks stay.
pub(super) fn whole_steps(before: &Stream, after: &Stream) -> Vec<Op> {
    let mut ops = Vec::new();
    match (last_mark(before), last_mark(after)) {
        (Some(old), Some(new))
            if before.tokens.get(old).map(|t| t.key) == after.tokens.get(new).map(|t| t.key) =>
        {
            replace(before, 0..old, after, 0..new, &mut ops);
            keep((before, old..old + 1), (after, new..new + 1), Granularity::Word, &mut ops);
            replace(before, old + 1..before.tokens.len(), after, new + 1..after.tokens.len(), &mut ops);
        }
        _ => replace(before, 0..before.tokens.len(), after, 0..after.tokens.len(), &mut ops),
    }
    ops
}

fn last_mark(stream: &Stream) -> Option<usize> {
    let behind = stream.tokens.iter().rposition(|token| matches!(token.kind, TokenKind::Mark(_)))?;
    let only_blocks =
        stream.tokens.iter().skip(behind + 1).all(|token| matches!(token.kind, TokenKind::Block(_)));
    only_blocks.then_some(behind)
}

/// Tokens that both streams keep, by their places, as `steps` pairs them.
pub(super) fn kept_tokens(before: &Stream, after: &Stream) -> Vec<(usize, usize)> {
    let last = |stream: &Stream| last_mark(stream).unwrap_or(stream.tokens.len());
    let key = |stream: &Stream, at: usize| stream.tokens.get(at).map(|token| token.key);
    let (mut old_end, mut new_end) = (last(before), last(after));
    let has_last = key(before, old_end).is_some() && key(before, old_end) == key(after, new_end);
    if !has_last {
        (old_end, new_end) = (before.tokens.len(), after.tokens.len());
    }
    let mut kept = Vec::new();
    let (mut old, mut new) = (0, 0);
    let hunks = hunks_of((before, 0..old_end), (after, 0..new_end));
    let end = (old_end..old_end, new_end..new_end);
    for (removed, added) in hunks.into_iter().chain([end]) {
        kept.extend((old..removed.start).zip(new..added.start));
        (old, new) = (removed.end, added.end);
    }
    kept.extend(has_last.then_some((old_end, new_end)));
    kept
}

/// The least that differs between two ranges of tokens.
fn hunks_of((before, old): (&Stream, Range<usize>), (after, new): (&Stream, Range<usize>)) -> Vec<Hunk> {
    let mut known: HashMap<u64, u32> = HashMap::new();
    let mut numbers = |tokens: &[Token]| -> Vec<u32> {
        let mut number = |token: &Token| {
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            *known.entry(token.key).or_insert(next)
        };
        tokens.iter().map(&mut number).collect()
    };
    let old_numbers = numbers(before.tokens.get(old.clone()).unwrap_or_default());
    let new_numbers = numbers(after.tokens.get(new.clone()).unwrap_or_default());
    let distinct = known.len();
    let ranges = |stream: &Stream, range: &Range<usize>| -> Vec<Range<usize>> {
        stream.tokens.get(range.clone()).unwrap_or_default().iter().map(|token| token.text.clone()).collect()
    };
    let (old_tokens, new_tokens) = (ranges(before, &old), ranges(after, &new));
    diff_tokens(
        TokenSide { text: &before.text, tokens: &old_tokens, numbers: &old_numbers },
        TokenSide { text: &after.text, tokens: &new_tokens, numbers: &new_numbers },
        distinct,
    )
}

fn between(
    (before, old): (&Stream, Range<usize>),
    (after, new): (&Stream, Range<usize>),
    granularity: Granularity,
    ops: &mut Vec<Op>,
) {
    let hunks = hunks_of((before, old.clone()), (after, new.clone()));
    let hunks = with_whole_numbers(hunks, (before, old.start));
    let hunks = with_whole_phrases(&hunks, (before, old.start));
    let hunks = widened(hunks, granularity, (before, old.start), (old.len(), new.len()));
    let (mut old_at, mut new_at) = (old.start, new.start);
    for (removed, added) in hunks {
        let (removed, added) = (
            removed.start + old.start..removed.end + old.start,
            added.start + new.start..added.end + new.start,
        );
        keep((before, old_at..removed.start), (after, new_at..added.start), granularity, ops);
        match changed_formula((before, removed.clone()), (after, added.clone())) {
            Some((one, other)) => {
                replace(before, removed.start..one, after, added.start..other, ops);
                keep((before, one..one + 1), (after, other..other + 1), granularity, ops);
                replace(before, one + 1..removed.end, after, other + 1..added.end, ops);
            }
            None => replace(before, removed.clone(), after, added.clone(), ops),
        }
        (old_at, new_at) = (removed.end, added.end);
    }
    keep((before, old_at..old.end), (after, new_at..new.end), granularity, ops);
}

/// Joins changes of several parts of one number: nobody reads `1,000.50` as `2,400.75` part by part.
fn with_whole_numbers(hunks: Vec<Hunk>, (before, first): (&Stream, usize)) -> Vec<Hunk> {
    let is_of_number = |at: usize| {
        let token = before.tokens.get(first + at);
        let text = token.and_then(|token| before.text.get(token.text.clone())).unwrap_or_default();
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || is_in_number(byte))
    };
    let mut joined: Vec<Hunk> = Vec::with_capacity(hunks.len());
    for (old, new) in hunks {
        let last = joined.last_mut().filter(|(last, last_new)| {
            let has_sides = !last.is_empty() && !last_new.is_empty() && !old.is_empty() && !new.is_empty();
            has_sides && (last.end - 1..=old.start).all(is_of_number)
        });
        match last {
            Some((last, last_new)) => {
                last.end = old.end;
                last_new.end = new.end;
            }
            None => joined.push((old, new)),
        }
    }
    joined
}

/// Replaced words in a row, with nothing kept between them but a space, that are read as one phrase.
const PHRASE: usize = 3;

/// Joins words that give way one by one: `now foo bar` becomes `what are the` as a whole, not in three changes.
fn with_whole_phrases(hunks: &[Hunk], (before, first): (&Stream, usize)) -> Vec<Hunk> {
    let is_space = |at: usize| {
        before.tokens.get(first + at).is_some_and(|token| {
            let text = before.text.get(token.text.clone()).unwrap_or_default();
            matches!(token.kind, TokenKind::Pieces) && text.trim().is_empty()
        })
    };
    let is_next = |one: &Hunk, other: &Hunk| {
        let both = |hunk: &Hunk| !hunk.0.is_empty() && !hunk.1.is_empty();
        both(one) && both(other) && other.0.start == one.0.end + 1 && is_space(one.0.end)
    };
    let mut joined = Vec::with_capacity(hunks.len());
    for row in hunks.chunk_by(is_next) {
        match row {
            [(old, new), .., (last_old, last_new)] if row.len() >= PHRASE => {
                joined.push((old.start..last_old.end, new.start..last_new.end));
            }
            _ => joined.extend(row.iter().cloned()),
        }
    }
    joined
}

/// The formula that gives way to another one which has a part in common: it was changed.
fn changed_formula(
    (before, old): (&Stream, Range<usize>),
    (after, new): (&Stream, Range<usize>),
) -> Option<(usize, usize)> {
    let only = |stream: &Stream, range: Range<usize>| {
        let mut found = range.filter(|at| {
            stream.tokens.get(*at).is_some_and(|token| matches!(token.kind, TokenKind::Formula { .. }))
        });
        found.next().filter(|_| found.next().is_none())
    };
    let added = after.tokens.get(new.clone()).unwrap_or_default();
    if added.iter().any(|token| matches!(token.kind, TokenKind::Block(_))) {
        return None;
    }
    let (one, other) = (only(before, old)?, only(after, new)?);
    let parts = |stream: &Stream, at: usize| match stream.tokens.get(at).map(|token| &token.kind) {
        Some(TokenKind::Formula { content, .. }) => content.parts(),
        _ => Vec::new(),
    };
    let (ours, theirs) = (parts(before, one), parts(after, other));
    ours.iter().any(|part| theirs.contains(part)).then_some((one, other))
}

/// A change. Blocks that are new stand between paragraphs, so all up to the last of them comes first. What comes for the end of a
/// paragraph and others behind it comes in that paragraph, whose words before it stay.
fn replace(before: &Stream, old: Range<usize>, after: &Stream, new: Range<usize>, ops: &mut Vec<Op>) {
    let is_end = |token: &Token| matches!(token.kind, TokenKind::Mark(_) | TokenKind::Block(_));
    let added = after.tokens.get(new.clone()).unwrap_or_default();
    let blocks =
        added.iter().rposition(|token| matches!(token.kind, TokenKind::Block(_))).map_or(0, |at| at + 1);
    let first = new.start + blocks;
    let removed = before.tokens.get(old.clone()).unwrap_or_default();
    let is_within =
        old.start.checked_sub(1).and_then(|at| before.tokens.get(at)).is_some_and(|token| !is_end(token));
    let border = removed.iter().position(is_end).filter(|_| is_within && !added.iter().any(is_end));
    insert(after, new.start..first, ops);
    let middle = border.map_or(old.end, |at| old.start + at);
    delete(before, old.start..middle, ops);
    insert(after, first..new.end, ops);
    delete(before, middle..old.end, ops);
}

fn delete(stream: &Stream, range: Range<usize>, ops: &mut Vec<Op>) {
    for token in stream.tokens.get(range).unwrap_or_default() {
        let pieces = stream.pieces.get(token.pieces.clone()).unwrap_or_default();
        match &token.kind {
            TokenKind::Pieces => pieces.iter().for_each(|piece| push_delete(ops, piece.clone())),
            TokenKind::Field { head, shown } => {
                let (head, tail) = pieces.split_at(head.len().min(pieces.len()));
                head.iter().for_each(|piece| push_delete(ops, piece.clone()));
                delete(shown, 0..shown.tokens.len(), ops);
                tail.iter().for_each(|piece| push_delete(ops, piece.clone()));
            }
            TokenKind::Wrapper { node, .. } | TokenKind::Formula { node, .. } | TokenKind::Node(node) => {
                ops.push(Op::DeleteNode(*node));
            }
            TokenKind::Mark(node) => ops.push(Op::DeleteMark(*node)),
            TokenKind::Block(node) => ops.push(Op::DeleteBlock(*node)),
        }
    }
}

fn insert(stream: &Stream, range: Range<usize>, ops: &mut Vec<Op>) {
    for token in stream.tokens.get(range).unwrap_or_default() {
        let pieces = stream.pieces.get(token.pieces.clone()).unwrap_or_default();
        match &token.kind {
            TokenKind::Pieces => pieces.iter().for_each(|piece| push_insert(ops, piece.clone())),
            TokenKind::Field { head, shown } => {
                let (head, tail) = pieces.split_at(head.len().min(pieces.len()));
                head.iter().for_each(|piece| push_insert(ops, piece.clone()));
                insert(shown, 0..shown.tokens.len(), ops);
                tail.iter().for_each(|piece| push_insert(ops, piece.clone()));
            }
            TokenKind::Wrapper { node, .. } | TokenKind::Formula { node, .. } | TokenKind::Node(node) => {
                ops.push(Op::InsertNode(*node));
            }
            TokenKind::Mark(node) => ops.push(Op::InsertMark(*node)),
            TokenKind::Block(node) => ops.push(Op::InsertBlock(*node)),
        }
    }
}

fn keep(
    (before, old): (&Stream, Range<usize>),
    (after, new): (&Stream, Range<usize>),
    granularity: Granularity,
    ops: &mut Vec<Op>,
) {
    let old_tokens = before.tokens.get(old).unwrap_or_default();
    let new_tokens = after.tokens.get(new).unwrap_or_default();
    for (one, other) in old_tokens.iter().zip(new_tokens) {
        let ours = before.pieces.get(one.pieces.clone()).unwrap_or_default();
        let theirs = after.pieces.get(other.pieces.clone()).unwrap_or_default();
        match (&one.kind, &other.kind) {
            (TokenKind::Field { head, shown }, TokenKind::Field { head: their_head, shown: their_shown }) => {
                let (ours, our_tail) = ours.split_at(head.len().min(ours.len()));
                let (theirs, their_tail) = theirs.split_at(their_head.len().min(theirs.len()));
                if head == their_head {
                    keep_pieces(ours, theirs, ops);
                } else {
                    replace_code(ours, theirs, ops);
                }
                let (all, theirs) = (0..shown.tokens.len(), 0..their_shown.tokens.len());
                between((shown, all), (their_shown, theirs), granularity, ops);
                keep_pieces(our_tail, their_tail, ops);
            }
            (TokenKind::Wrapper { node, content }, TokenKind::Wrapper { node: after, content: theirs })
            | (TokenKind::Formula { node, content }, TokenKind::Formula { node: after, content: theirs }) => {
                ops.push(Op::Enter { before: *node, after: *after });
                let (all, their_all) = (0..content.tokens.len(), 0..theirs.tokens.len());
                between((content, all), (theirs, their_all), granularity, ops);
                ops.push(Op::Leave(*node));
            }
            (TokenKind::Mark(before), TokenKind::Mark(after)) => {
                ops.push(Op::KeepMark { before: *before, after: *after });
            }
            (TokenKind::Node(node), TokenKind::Node(after)) => {
                ops.push(Op::Enter { before: *node, after: *after });
                ops.push(Op::Leave(*node));
            }
            _ => keep_pieces(ours, theirs, ops),
        }
    }
}

/// The code of a field gives way to another; the characters that open and close it stay.
fn replace_code(ours: &[Piece], theirs: &[Piece], ops: &mut Vec<Op>) {
    let ([first, ours @ .., last], [their_first, theirs @ .., their_last]) = (ours, theirs) else { return };
    ops.push(Op::Keep { before: first.clone(), after: their_first.clone() });
    ours.iter().for_each(|piece| push_delete(ops, piece.clone()));
    theirs.iter().for_each(|piece| push_insert(ops, piece.clone()));
    ops.push(Op::Keep { before: last.clone(), after: their_last.clone() });
}

/// The same text in pieces that are cut elsewhere on the other side.
fn keep_pieces(ours: &[Piece], theirs: &[Piece], ops: &mut Vec<Op>) {
    let (mut ours, mut theirs) = (ours.iter().cloned().peekable(), theirs.iter().cloned().peekable());
    while let (Some(one), Some(other)) = (ours.peek_mut(), theirs.peek_mut()) {
        if !one.is_text || !other.is_text {
            let (before, after) = (one.clone(), other.clone());
            ops.push(Op::Keep { before, after });
            ours.next();
            theirs.next();
            continue;
        }
        let length = one.range.len().min(other.range.len());
        let before = Piece { range: one.range.start..one.range.start + length, ..one.clone() };
        let after = Piece { range: other.range.start..other.range.start + length, ..other.clone() };
        one.range.start += length;
        other.range.start += length;
        let (done, also_done) = (one.range.is_empty(), other.range.is_empty());
        push_keep(ops, before, after);
        if done {
            ours.next();
        }
        if also_done {
            theirs.next();
        }
    }
}

/// Whether a piece goes on where another of the same leaf ends.
fn continues(first: &Piece, next: &Piece) -> bool {
    first.is_text && next.is_text && first.leaf == next.leaf && first.range.end == next.range.start
}

fn push_delete(ops: &mut Vec<Op>, piece: Piece) {
    match ops.last_mut() {
        Some(Op::Delete(last)) if continues(last, &piece) => last.range.end = piece.range.end,
        _ => ops.push(Op::Delete(piece)),
    }
}

fn push_insert(ops: &mut Vec<Op>, piece: Piece) {
    match ops.last_mut() {
        Some(Op::Insert(last)) if continues(last, &piece) => last.range.end = piece.range.end,
        _ => ops.push(Op::Insert(piece)),
    }
}

fn push_keep(ops: &mut Vec<Op>, before: Piece, after: Piece) {
    match ops.last_mut() {
        Some(Op::Keep { before: last, after: other })
            if continues(last, &before)
                && other.is_text
                && (other.format, other.kept) == (after.format, after.kept) =>
        {
            last.range.end = before.range.end;
        }
        _ => ops.push(Op::Keep { before, after }),
    }
}
