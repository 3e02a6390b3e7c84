//! Brings over what no tracked change can hold: bookmarks and comments of the second document that the first has not.
//!
//! They are put at the words at which they stand there, and stay when the changes are rejected; the answer says so. What cannot be
//! put anywhere is named as left out. Must never change what the redline says.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use engross_xml::{Document, NodeId, NodeKind};

use super::parts::Importer;
use super::positions::{Position, StandingStory};
use super::redliner::Redliner;
use super::report::Limitation;
use crate::model::is_revision_wrapper;
use crate::names::{
    BODY, BOOKMARK_END, BOOKMARK_START, COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE, HYPERLINK,
    ID, INS, MOVE_TO, NAME, R_PR, RUN,
};

/// How many bookmarks are named.
const NAMED: usize = 5;

/// A mark that comes over: the kind of element it becomes, the id that it has here.
#[derive(Debug, Clone)]
struct BroughtMark {
    at: Position,
    node: NodeId,
    id: String,
}

/// Bookmarks of a story by name, each with its ends.
fn bookmarks(
    document: &Document,
    story: &StandingStory,
) -> BTreeMap<String, (NodeId, Position, NodeId, Position)> {
    let id = |node: NodeId| document.attribute(node, ID).unwrap_or_default().into_owned();
    let mut ends: HashMap<String, (NodeId, Position)> = HashMap::new();
    for (node, at) in &story.marks {
        if document.name(*node) == BOOKMARK_END {
            ends.insert(id(*node), (*node, *at));
        }
    }
    let starts = story.marks.iter().filter(|(node, _)| document.name(*node) == BOOKMARK_START);
    starts
        .filter_map(|(node, at)| {
            let name = document.attribute(*node, NAME)?.into_owned();
            let (end, end_at) = ends.get(&id(*node)).copied()?;
            (name != "_GoBack").then_some((name, (*node, *at, end, end_at)))
        })
        .collect()
}

/// The names of all bookmarks of a part; not the place where Word was last.
fn names(document: &Document) -> BTreeSet<String> {
    let starts = document.descendants(document.root()).filter(|node| document.name(*node) == BOOKMARK_START);
    let names = starts.filter_map(|node| document.attribute(node, NAME)).map(std::borrow::Cow::into_owned);
    names.filter(|name| name != "_GoBack").collect()
}

fn listed(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    let more = names.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// Whether the document after has marks that the one before has not.
pub(super) fn has_new_marks(before: &Document, after: &Document, importer: &mut Importer) -> bool {
    names(after).difference(&names(before)).next().is_some()
        || !importer.new_comments().is_empty()
        || importer.gone_comments() > 0
}

impl Redliner<'_> {
    /// Brings bookmarks and comments of the main part over.
    pub(super) fn bring_marks(&mut self) {
        let body = |document: &Document| document.child(document.root(), BODY);
        let (Some(mine), Some(theirs)) = (body(self.tree), body(self.after)) else { return };
        let (known, wanted) = (names(self.tree), names(self.after));
        let comments = self.importer.new_comments();
        let lost: Vec<String> = wanted.difference(&known).cloned().collect();
        let gone = self.importer.gone_comments();
        if gone > 0 {
            let s = if gone == 1 { "" } else { "s" };
            let text = format!("{gone} comment{s} of the first document are not in the second, and stay");
            self.limitations.push(Limitation::left(Limitation::COMMENTS, text));
        }
        if lost.is_empty() && comments.is_empty() && known.is_empty() {
            return;
        }
        let (here, there) = (StandingStory::read(self.tree, mine), StandingStory::read(self.after, theirs));
        let fits = here.fits(&there);
        self.report_moved_bookmarks(&here, &there, fits);
        let mut marks: Vec<BroughtMark> = Vec::new();
        let mut brought: BTreeSet<String> = BTreeSet::new();
        for (name, (start, at, end, end_at)) in bookmarks(self.after, &there) {
            if fits && !known.contains(&name) {
                let id = self.ids.take().to_string();
                marks.push(BroughtMark { at, node: start, id: id.clone() });
                marks.push(BroughtMark { at: end_at, node: end, id });
                brought.insert(name);
            }
        }
        let left: Vec<String> = lost.into_iter().filter(|name| !brought.contains(name)).collect();
        if !left.is_empty() {
            let text =
                "bookmarks of the second document are not brought over, and references to them lead nowhere";
            self.limitations.push(Limitation::left("", format!("{text}: {}", listed(&left))));
        }
        let mut with_comments = 0;
        for (node, at) in &there.marks {
            let name = self.after.name(*node);
            if !matches!(name, COMMENT_RANGE_START | COMMENT_RANGE_END | COMMENT_REFERENCE) {
                continue;
            }
            let id = self.after.attribute(*node, ID).unwrap_or_default();
            let Some(own) = comments.get(&*id).filter(|_| fits) else { continue };
            with_comments += usize::from(name == COMMENT_REFERENCE);
            marks.push(BroughtMark { at: *at, node: *node, id: own.clone() });
        }
        let lost = comments.len().saturating_sub(with_comments);
        let s = |count: usize| if count == 1 { "" } else { "s" };
        if lost > 0 {
            let text = format!("{lost} comment{} of the second document are left out", s(lost));
            self.limitations.push(Limitation::left(Limitation::COMMENTS, text));
        }
        if !brought.is_empty() {
            let names: Vec<String> = brought.into_iter().collect();
            let text = format!(
                "bookmarks of the second document stay when changes are rejected: {}",
                listed(&names)
            );
            self.limitations.push(Limitation::applied("", text));
        }
        if with_comments > 0 {
            let text = format!(
                "{with_comments} comment{} of the second document came over, and stay when changes are rejected",
                s(with_comments)
            );
            self.limitations.push(Limitation::applied(Limitation::COMMENTS, text));
            let used: BTreeSet<String> = marks.iter().map(|mark| mark.id.clone()).collect();
            self.importer.bring_comments(&used);
        }
        self.put_marks(here, marks);
    }

    /// Bookmarks that both have, but around other words: a reference to them shows something else.
    fn report_moved_bookmarks(&mut self, here: &StandingStory, there: &StandingStory, fits: bool) {
        if !fits {
            return;
        }
        let (ours, theirs) = (bookmarks(self.tree, here), bookmarks(self.after, there));
        let elsewhere: Vec<String> = theirs
            .into_iter()
            .filter(|(name, (_, at, _, end))| {
                ours.get(name).is_some_and(|(_, own, _, own_end)| (own, own_end) != (at, end))
            })
            .map(|(name, _)| name)
            .collect();
        if !elsewhere.is_empty() {
            let text = "bookmarks stand around other words in the second document; they stay where they are in the first";
            self.limitations.push(Limitation::left("", format!("{text}: {}", listed(&elsewhere))));
        }
    }

    /// Puts marks at their places, from the end on, so that each cut leaves the places before it.
    fn put_marks(&mut self, mut story: StandingStory, mut marks: Vec<BroughtMark>) {
        if marks.is_empty() {
            return;
        }
        let order: HashMap<NodeId, usize> =
            self.after.descendants(self.after.root()).enumerate().map(|(at, node)| (node, at)).collect();
        marks.sort_by_key(|mark| (mark.at, order.get(&mark.node).copied()));
        let mut last: Option<(Position, NodeId)> = None;
        for mark in marks.into_iter().rev() {
            let new = self.brought_node(&mark);
            let before = last.filter(|(at, _)| *at == mark.at).map(|(_, node)| node);
            match before {
                Some(before) => self.tree.insert_before(before, new),
                None => self.put_mark(&mut story, mark.at, new),
            }
            last = Some((mark.at, new));
        }
    }

    fn brought_node(&mut self, mark: &BroughtMark) -> NodeId {
        let name = self.after.name(mark.node);
        let new = self.tree.new_element(name);
        self.tree.set_attribute(new, ID, &mark.id);
        if let Some(own) = self.after.attribute(mark.node, NAME).filter(|_| name == BOOKMARK_START) {
            self.tree.set_attribute(new, NAME, &own);
        }
        if name != COMMENT_REFERENCE {
            return new;
        }
        let run = self.tree.new_element(RUN);
        let properties = self.after.parent(mark.node).and_then(|run| self.after.child(run, R_PR));
        if let Some(properties) = properties {
            let properties = self.import(properties);
            self.tree.append(run, properties);
        }
        self.tree.append(run, new);
        run
    }

    fn put_mark(&mut self, story: &mut StandingStory, at: Position, new: NodeId) {
        let Some(paragraph) = story.paragraphs.get_mut(at.paragraph) else {
            // Behind the last paragraph: at its end.
            if let Some(end) = story.paragraphs.last().and_then(|last| last.end) {
                self.tree.append(end, new);
            }
            return;
        };
        let found = paragraph.leaves.iter_mut().find(|own| own.start + own.length > at.offset);
        let Some(own) = found.filter(|_| at.offset < paragraph.length) else {
            match paragraph.end {
                Some(end) => self.tree.append(end, new),
                None => {
                    if let Some(last) = paragraph.leaves.last() {
                        self.tree.insert_after(last.run, new);
                    }
                }
            }
            return;
        };
        let inside = at.offset.saturating_sub(own.start);
        let (run, leaf) = (own.run, own.leaf);
        own.length = inside;
        let run = self.cut_at(run, leaf, inside);
        let mut place = run;
        let above = self.tree.parent(run).filter(|above| matches!(self.tree.name(*above), INS | MOVE_TO));
        if let Some(wrapper) = above {
            self.split_revision(wrapper, run);
            place = wrapper;
        }
        // A link that came must not stay for the sake of a mark in it.
        let link = self.tree.parent(place).filter(|link| {
            let elements = self.tree.children(*link).filter(|own| self.tree.kind(*own) == NodeKind::Element);
            self.tree.name(*link) == HYPERLINK
                && elements.into_iter().all(|own| is_revision_wrapper(self.tree.name(own)))
        });
        match link {
            Some(link) => {
                let is_start = matches!(self.tree.name(new), BOOKMARK_START | COMMENT_RANGE_START);
                match is_start || self.tree.first_child(link) == Some(place) {
                    true => self.tree.insert_before(link, new),
                    false => self.tree.insert_after(link, new),
                }
            }
            None => self.tree.insert_before(place, new),
        }
    }

    /// Cuts a revision so that it begins with a node.
    pub(super) fn split_revision(&mut self, wrapper: NodeId, first: NodeId) {
        let before: Vec<NodeId> = self.tree.children(wrapper).take_while(|child| *child != first).collect();
        if before.is_empty() {
            return;
        }
        let copy = self.tree.copy_shallow(wrapper);
        let id = self.ids.take().to_string();
        self.tree.set_attribute(copy, ID, &id);
        self.tree.insert_before(wrapper, copy);
        before.into_iter().for_each(|node| self.tree.append(copy, node));
    }
}
