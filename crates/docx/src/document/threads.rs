//! Comments as threads: what is new of them, answers, and what is done or gone, with the parts beside them in step.
//!
//! A comment is no tracked change: it is written at once, and stays out of the proof (`canon::IgnoredMarkup`).

use std::collections::BTreeSet;

use engross_xml::{Document, NodeId};

use super::comment_xml::{append_comment, ensure_word_2010, fresh_key, fresh_paragraph_id, number_of};
use super::new_parts::{COMMENTS_EXTENDED, COMMENTS_IDS, COMMENTS_PART, PEOPLE};
use super::{PlacedComment, WordDocument};
use crate::edit::{NewComment, PendingParts, RevisionWriter, Signature, marker, read_content, reference};
use crate::error::{Error, Refusal, RefusalCode};
use crate::model::paragraphs;
use crate::names::{
    CID_COMMENT_ID, CID_DURABLE_ID, CID_PARA_ID, COMMENT, COMMENT_RANGE_END, COMMENT_RANGE_START,
    COMMENT_REFERENCE, DEL, ID, INS, P, PARA_ID, R_PR, RUN, W15_AUTHOR, W15_COMMENT_EX, W15_DONE,
    W15_PARA_ID, W15_PARA_ID_PARENT, W15_PERSON, W15_PRESENCE_INFO, W15_PROVIDER_ID, W15_USER_ID,
};
use crate::ops::{Change, Edit, Outcome};

/// A comment as the thread operations need it.
struct CommentEntry {
    id: i64,
    node: NodeId,
    /// Of its last paragraph.
    para_id: Option<String>,
}

impl WordDocument {
    /// The id that the next comment of the session gets; from the first on they are the session's.
    pub(super) fn next_comment_id(&mut self) -> Result<i64, Error> {
        let mut highest = -1;
        let mut take = |document: &Document| {
            for node in document.descendants(document.root()) {
                let name = document.name(node);
                if matches!(name, COMMENT | COMMENT_REFERENCE | COMMENT_RANGE_START | COMMENT_RANGE_END)
                    && let Some(id) = comment_id(document, node)
                {
                    highest = highest.max(id);
                }
            }
        };
        take(&self.tree);
        for name in self.other_story_parts() {
            take(&*self.story_tree(&name)?);
        }
        let next = highest + 1;
        self.ignored.from.get_or_insert(next);
        Ok(next)
    }

    /// Writes new comments into their parts; says whether the part had a wrong content type, which Word would not open.
    pub(super) fn write_comments(&mut self, comments: &[NewComment]) -> Result<bool, Error> {
        if comments.is_empty() {
            return Ok(false);
        }
        let part = self.part_of_kind(COMMENTS_PART)?;
        let mended = self.mend_type(&part, COMMENTS_PART)?;
        let mut used = self.paragraph_ids()?;
        let styles =
            [self.styles.id_of("annotation text"), self.styles.character_id_of("annotation reference")]
                .map(|id| id.map(str::to_owned));
        for comment in comments {
            let para_id = fresh_paragraph_id(&mut used, comment);
            let tree = self.load_mut(&part)?;
            ensure_word_2010(tree);
            append_comment(tree, comment, &para_id, &styles);
            let parent = match comment.parent {
                Some(parent) => self.thread_key(parent, &mut used)?,
                None => None,
            };
            // Threads need the part; without one there is nothing to keep in step.
            if parent.is_some() || self.related_name(COMMENTS_EXTENDED.relationship).is_some() {
                let done = parent.as_ref().is_some_and(|(_, done)| *done);
                self.extend(&para_id, parent.map(|(key, _)| key).as_deref(), done)?;
            }
            if let Some(ids) = self.related_name(COMMENTS_IDS.relationship) {
                let durable = format!("{:08X}", number_of(&[&para_id, "durable"]));
                let tree = self.load_mut(&ids)?;
                let node = tree.new_element(CID_COMMENT_ID);
                tree.set_attribute(node, CID_PARA_ID, &para_id);
                tree.set_attribute(node, CID_DURABLE_ID, &durable);
                let root = tree.root();
                tree.append(root, node);
                self.touched.insert(ids);
            }
            self.introduce(&comment.author)?;
        }
        self.touched.insert(part);
        Ok(mended)
    }

    /// Carries out an operation on a thread.
    pub(super) fn thread_operation(
        &mut self,
        edit: &Edit,
        plain: bool,
        signature: Signature<'_>,
    ) -> Result<Outcome, Error> {
        let (Edit::CommentReply { comment, .. }
        | Edit::CommentResolve { comment, .. }
        | Edit::CommentDelete { comment }) = edit
        else {
            return Ok(Outcome::NotAttempted);
        };
        let known = self.known_comments()?;
        let Some(found) = known.iter().find(|known| known.id.to_string() == *comment) else {
            let list: Vec<String> = known.iter().take(20).map(|known| known.id.to_string()).collect();
            let has = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
            let message = format!("there is no comment {comment} in this document; it has {has}");
            return Ok(Refusal::new(RefusalCode::CommentNotFound, message).into());
        };
        let comment_ids = match edit {
            Edit::CommentReply { content, .. } => {
                let content = match read_content(content, plain) {
                    Ok(content) => content,
                    Err(refusal) => return Ok(refusal.into()),
                };
                if content.text.trim().is_empty() {
                    let message = "the answer is empty; give it some text";
                    return Ok(Refusal::new(RefusalCode::InvalidContent, message).into());
                }
                let root = self.root_of(found, &known)?;
                let id = self.next_comment_id()?;
                if !self.anchor_beside(root, id)? {
                    let message =
                        format!("comment {root} has no place in the text, so it cannot be answered");
                    return Ok(Refusal::new(RefusalCode::CommentNotFound, message).into());
                }
                let (author, date) = (signature.author.to_owned(), signature.date.to_owned());
                self.write_comments(&[NewComment { id, author, date, content, parent: Some(root) }])?;
                vec![id]
            }
            Edit::CommentResolve { resolved, .. } => {
                let root = self.root_of(found, &known)?;
                self.resolve_thread(root, &known, *resolved)?
            }
            _ => {
                let mut gone = vec![found.id];
                if let Some(key) = &found.para_id {
                    let thread = self.thread_of(key, found.id, &known)?;
                    gone = thread.into_iter().map(|(id, ..)| id).collect();
                }
                for id in &gone {
                    self.remove_comment(*id, &known)?;
                }
                self.ignored.gone.extend(&gone);
                gone
            }
        };
        if comment_ids.is_empty() {
            return Ok(Outcome::NoChange { remark: None });
        }
        Ok(Outcome::Applied(Change { comment_ids, ..Change::default() }))
    }

    /// Marks a thread as done, or as open again. Gives its comments; none when it was so already, and then nothing is written.
    fn resolve_thread(&mut self, root: i64, known: &[CommentEntry], done: bool) -> Result<Vec<i64>, Error> {
        let is_open = || -> Result<bool, Error> {
            let Some(key) = known.iter().find(|it| it.id == root).and_then(|root| root.para_id.as_deref())
            else {
                return Ok(true);
            };
            let Some(extended) = self.related(COMMENTS_EXTENDED.relationship)? else { return Ok(true) };
            let thread = self.thread_of(key, root, known)?;
            let done = |key: &str| entry(&extended, key).is_some_and(|entry| is_done(&extended, entry));
            Ok(!thread.iter().any(|(_, key, _)| done(key)))
        };
        if !done && is_open()? {
            return Ok(Vec::new());
        }
        let mut used = self.paragraph_ids()?;
        let Some((key, _)) = self.thread_key(root, &mut used)? else { return Ok(Vec::new()) };
        let thread = self.thread_of(&key, root, known)?;
        let mut changed = false;
        for (_, key, parent) in &thread {
            changed |= self.set_done(key, parent.as_deref(), done)?;
        }
        Ok(if changed { thread.into_iter().map(|(id, ..)| id).collect() } else { Vec::new() })
    }

    fn known_comments(&self) -> Result<Vec<CommentEntry>, Error> {
        let Some(part) = self.related(COMMENTS_PART.relationship)? else { return Ok(Vec::new()) };
        let nodes = part.children(part.root()).filter(|node| part.name(*node) == COMMENT);
        let known = nodes.filter_map(|node| {
            let last = paragraphs(&part, node).last().copied();
            let para_id =
                last.and_then(|last| part.attribute(last, PARA_ID)).map(std::borrow::Cow::into_owned);
            Some(CommentEntry { id: comment_id(&part, node)?, node, para_id })
        });
        Ok(known.collect())
    }

    /// Says of comments what they answer, and whether their thread is done.
    pub(super) fn name_threads(&self, comments: &mut [PlacedComment]) -> Result<(), Error> {
        let Some(extended) = self.related(COMMENTS_EXTENDED.relationship)? else { return Ok(()) };
        let known = self.known_comments()?;
        let key_of = |id: &str| {
            let id: i64 = id.trim().parse().ok()?;
            known.iter().find(|known: &&CommentEntry| known.id == id)?.para_id.clone()
        };
        for placed in comments {
            let Some(own) = key_of(&placed.comment.id).and_then(|key| entry(&extended, &key)) else {
                continue;
            };
            let parent = extended.attribute(own, W15_PARA_ID_PARENT).map(std::borrow::Cow::into_owned);
            let first = parent.as_deref().and_then(|key| entry(&extended, key));
            placed.comment.resolved =
                is_done(&extended, own) || first.is_some_and(|first| is_done(&extended, first));
            let answers = |key: &str| {
                let same = |known: &&CommentEntry| {
                    known.para_id.as_ref().is_some_and(|id| id.eq_ignore_ascii_case(key))
                };
                known.iter().find(same).map(|known| known.id.to_string())
            };
            placed.comment.parent = parent.as_deref().and_then(answers);
        }
        Ok(())
    }

    /// The id of the comment that begins the thread.
    fn root_of(&self, comment: &CommentEntry, known: &[CommentEntry]) -> Result<i64, Error> {
        let Some(extended) = self.related(COMMENTS_EXTENDED.relationship)? else { return Ok(comment.id) };
        let parent = comment.para_id.as_deref().and_then(|key| entry(&extended, key)).and_then(|entry| {
            extended.attribute(entry, W15_PARA_ID_PARENT).map(std::borrow::Cow::into_owned)
        });
        let root = parent.and_then(|parent| {
            known
                .iter()
                .find(|known| known.para_id.as_ref().is_some_and(|id| id.eq_ignore_ascii_case(&parent)))
        });
        Ok(root.map_or(comment.id, |root| root.id))
    }

    /// The comments of a thread with their keys and the key of what they answer, the first one first.
    fn thread_of(
        &self,
        key: &str,
        root: i64,
        known: &[CommentEntry],
    ) -> Result<Vec<(i64, String, Option<String>)>, Error> {
        let mut thread = vec![(root, key.to_owned(), None)];
        let Some(extended) = self.related(COMMENTS_EXTENDED.relationship)? else { return Ok(thread) };
        for node in extended.children(extended.root()) {
            let answers = extended
                .attribute(node, W15_PARA_ID_PARENT)
                .is_some_and(|parent| parent.eq_ignore_ascii_case(key));
            let own = extended.attribute(node, W15_PARA_ID).unwrap_or_default();
            let comment = known
                .iter()
                .find(|known| known.para_id.as_deref().is_some_and(|id| id.eq_ignore_ascii_case(&own)));
            if let Some(comment) = comment.filter(|_| answers) {
                thread.push((comment.id, own.into_owned(), Some(key.to_owned())));
            }
        }
        Ok(thread)
    }

    /// The key of a thread: the paragraph id of its first comment, made when missing; and whether it is done.
    fn thread_key(
        &mut self,
        comment: i64,
        used: &mut BTreeSet<String>,
    ) -> Result<Option<(String, bool)>, Error> {
        let Some(part) = self.related_name(COMMENTS_PART.relationship) else { return Ok(None) };
        let known = self.known_comments()?;
        let Some(found) = known.iter().find(|known| known.id == comment) else { return Ok(None) };
        let key = match &found.para_id {
            Some(key) => key.clone(),
            None => {
                let key = fresh_key(used, &[&comment.to_string()]);
                let tree = self.load_mut(&part)?;
                ensure_word_2010(tree);
                let Some(last) = paragraphs(tree, found.node).last().copied() else { return Ok(None) };
                tree.set_attribute(last, PARA_ID, &key);
                self.ignored.named.insert(key.clone());
                self.touched.insert(part);
                key
            }
        };
        self.extend(&key, None, false)?;
        let extended = self.related(COMMENTS_EXTENDED.relationship)?;
        let done = extended
            .is_some_and(|extended| entry(&extended, &key).is_some_and(|entry| is_done(&extended, entry)));
        Ok(Some((key, done)))
    }

    /// Makes sure that there is an entry for a comment.
    fn extend(&mut self, key: &str, parent: Option<&str>, done: bool) -> Result<(), Error> {
        let part = self.part_of_kind(COMMENTS_EXTENDED)?;
        let tree = self.load_mut(&part)?;
        if entry(tree, key).is_some() {
            return Ok(());
        }
        let node = tree.new_element(W15_COMMENT_EX);
        tree.set_attribute(node, W15_PARA_ID, key);
        if let Some(parent) = parent {
            tree.set_attribute(node, W15_PARA_ID_PARENT, parent);
        }
        tree.set_attribute(node, W15_DONE, if done { "1" } else { "0" });
        let root = tree.root();
        tree.append(root, node);
        self.touched.insert(part);
        Ok(())
    }

    fn set_done(&mut self, key: &str, parent: Option<&str>, done: bool) -> Result<bool, Error> {
        self.extend(key, parent, !done)?;
        let part = self.part_of_kind(COMMENTS_EXTENDED)?;
        let tree = self.load_mut(&part)?;
        let Some(node) = entry(tree, key).filter(|node| is_done(tree, *node) != done) else {
            return Ok(false);
        };
        tree.set_attribute(node, W15_DONE, if done { "1" } else { "0" });
        self.touched.insert(part);
        Ok(true)
    }

    /// Names an author in the list of people, if the document has one.
    fn introduce(&mut self, author: &str) -> Result<(), Error> {
        let Some(part) = self.related_name(PEOPLE.relationship) else { return Ok(()) };
        let tree = self.load_mut(&part)?;
        let root = tree.root();
        if tree
            .children(root)
            .any(|node| tree.attribute(node, W15_AUTHOR).is_some_and(|known| known == author))
        {
            return Ok(());
        }
        let person = tree.new_element(W15_PERSON);
        tree.set_attribute(person, W15_AUTHOR, author);
        let presence = tree.new_element(W15_PRESENCE_INFO);
        tree.set_attribute(presence, W15_PROVIDER_ID, "None");
        tree.set_attribute(presence, W15_USER_ID, author);
        tree.append(person, presence);
        tree.append(root, person);
        self.touched.insert(part);
        Ok(())
    }

    /// Gives an answer the place of the comment that it answers. Whether that has one.
    fn anchor_beside(&mut self, of: i64, id: i64) -> Result<bool, Error> {
        let style = self.styles.character_id_of("annotation reference").map(str::to_owned);
        for part in self.story_names() {
            let has = |tree: &Document| {
                tree.descendants(tree.root())
                    .any(|node| tree.name(node) == COMMENT_REFERENCE && comment_id(tree, node) == Some(of))
            };
            let there = if part == self.main_name { has(&self.tree) } else { has(&*self.story_tree(&part)?) };
            if !there {
                continue;
            }
            self.load_mut(&part)?;
            let tree = match self.others.get_mut(&part) {
                Some(tree) => tree,
                None => &mut self.tree,
            };
            let nodes: Vec<NodeId> =
                tree.descendants(tree.root()).filter(|node| comment_id(tree, *node) == Some(of)).collect();
            let mut writer = RevisionWriter {
                document: tree,
                ids: &mut self.ids,
                author: "",
                date: "",
                since: 0,
                pending: &mut PendingParts::default(),
                styles: &self.styles,
            };
            let first = |name| nodes.iter().position(|node| writer.document.name(*node) == name);
            let (start, mark) = (first(COMMENT_RANGE_START), first(COMMENT_REFERENCE));
            // A comment at a place, without a range, is answered at that place.
            let range = start.filter(|start| mark.is_some_and(|mark| *start < mark));
            if let Some(node) = range.and_then(|start| nodes.get(start).copied()) {
                let start = marker(&mut writer, COMMENT_RANGE_START, id);
                writer.document.insert_after(node, start);
            }
            if let Some(node) = mark.and_then(|mark| nodes.get(mark).copied()) {
                let run = writer.document.parent(node).unwrap_or(node);
                let mark = reference(&mut writer, id, style.as_deref());
                writer.document.insert_after(run, mark);
                if range.is_some() {
                    let end = marker(&mut writer, COMMENT_RANGE_END, id);
                    writer.document.insert_after(run, end);
                }
            }
            self.edited.insert(part);
            return Ok(true);
        }
        Ok(false)
    }

    fn remove_comment(&mut self, id: i64, known: &[CommentEntry]) -> Result<(), Error> {
        let Some(comment) = known.iter().find(|known| known.id == id) else { return Ok(()) };
        for part in self.story_names() {
            let is_anchor = |tree: &Document, node: NodeId| {
                matches!(tree.name(node), COMMENT_RANGE_START | COMMENT_RANGE_END | COMMENT_REFERENCE)
                    && comment_id(tree, node) == Some(id)
            };
            let find = |tree: &Document| -> Vec<NodeId> {
                tree.descendants(tree.root()).filter(|node| is_anchor(tree, *node)).collect()
            };
            let anchors =
                if part == self.main_name { find(&self.tree) } else { find(&*self.story_tree(&part)?) };
            if anchors.is_empty() {
                continue;
            }
            let tree = self.load_mut(&part)?;
            for anchor in anchors {
                detach_with_hollow(tree, anchor);
            }
            self.edited.insert(part);
        }
        if let Some(part) = self.related_name(COMMENTS_PART.relationship) {
            self.load_mut(&part)?.detach(comment.node);
            self.touched.insert(part);
        }
        let Some(key) = &comment.para_id else { return Ok(()) };
        for (kind, name) in [(COMMENTS_EXTENDED, W15_PARA_ID), (COMMENTS_IDS, CID_PARA_ID)] {
            let Some(part) = self.related_name(kind.relationship) else { continue };
            let tree = self.load_mut(&part)?;
            let root = tree.root();
            let own = tree.children(root).find(|node| {
                tree.attribute(*node, name).is_some_and(|known| known.eq_ignore_ascii_case(key))
            });
            if let Some(own) = own {
                tree.detach(own);
                self.touched.insert(part);
            }
        }
        Ok(())
    }

    fn story_names(&self) -> Vec<String> {
        let comments = self.related_name(COMMENTS_PART.relationship);
        let others = self.other_story_parts().into_iter().filter(|name| Some(name) != comments.as_ref());
        std::iter::once(self.main_name.clone()).chain(others).collect()
    }

    /// Every paragraph id of the document, in upper case.
    fn paragraph_ids(&self) -> Result<BTreeSet<String>, Error> {
        let mut used = BTreeSet::new();
        let mut take = |tree: &Document| {
            used.extend(
                tree.descendants(tree.root())
                    .filter(|node| tree.name(*node) == P)
                    .filter_map(|node| tree.attribute(node, PARA_ID).map(|id| id.to_ascii_uppercase())),
            );
        };
        take(&self.tree);
        for name in self.other_story_parts() {
            take(&*self.story_tree(&name)?);
        }
        Ok(used)
    }
}

fn comment_id(document: &Document, node: NodeId) -> Option<i64> {
    let about =
        matches!(document.name(node), COMMENT | COMMENT_REFERENCE | COMMENT_RANGE_START | COMMENT_RANGE_END);
    document.attribute(node, ID).filter(|_| about)?.trim().parse().ok()
}

fn entry(extended: &Document, key: &str) -> Option<NodeId> {
    extended.children(extended.root()).find(|node| {
        extended.attribute(*node, W15_PARA_ID).is_some_and(|known| known.eq_ignore_ascii_case(key))
    })
}

fn is_done(extended: &Document, entry: NodeId) -> bool {
    extended.attribute(entry, W15_DONE).is_some_and(|done| matches!(&*done, "1" | "true" | "on"))
}

/// Takes a node out, and the run or revision that held nothing else.
fn detach_with_hollow(tree: &mut Document, node: NodeId) {
    let above = tree.parent(node);
    tree.detach(node);
    let Some(above) = above else { return };
    let hollow = matches!(tree.name(above), RUN | INS | DEL)
        && tree
            .children(above)
            .all(|child| tree.name(child) == R_PR || tree.name(child) == engross_xml::QName::NONE);
    if hollow {
        detach_with_hollow(tree, above);
    }
}
