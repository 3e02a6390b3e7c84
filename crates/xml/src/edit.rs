//! Changes to the tree, each of which can be taken back exactly.
//!
//! Nodes that existed before a [`TreeCheckpoint`] have their old rows journalled, each once; everything made since is cut off
//! the ends of the arenas. So an attempt costs what it touches, never the document.

use std::collections::HashSet;

use crate::escape::{escape_attribute, escape_text};
use crate::name::{NamespaceGroup, QName};
use crate::tree::{
    Attribute, Document, FLAG_BELOW, FLAG_NEW, FLAG_TAG, NIL, Node, NodeId, NodeKind, Span, push_row,
};

/// A state of a document to come back to. Checkpoints nest: end the inner one first.
#[derive(Debug)]
#[must_use = "end it with `rollback` or `commit`"]
pub struct TreeCheckpoint {
    journal: usize,
    nodes: usize,
    attributes: usize,
    buffer: usize,
    prefixes: usize,
}

impl Document {
    /// Starts an attempt.
    pub fn checkpoint(&mut self) -> TreeCheckpoint {
        self.journal.begin(self.nodes.len());
        TreeCheckpoint {
            journal: self.journal.rows.len(),
            nodes: self.nodes.len(),
            attributes: self.attributes.len(),
            buffer: self.buffer.len(),
            prefixes: self.root_prefixes.len(),
        }
    }

    /// Takes back everything since `checkpoint`. Ids of nodes made since then are dead.
    #[expect(clippy::needless_pass_by_value, reason = "a checkpoint ends once")]
    pub fn rollback(&mut self, checkpoint: TreeCheckpoint) {
        while self.journal.rows.len() > checkpoint.journal {
            if let Some((at, old)) = self.journal.rows.pop()
                && let Some(row) = self.nodes.get_mut(at as usize)
            {
                *row = old;
            }
        }
        self.nodes.truncate(checkpoint.nodes);
        self.attributes.truncate(checkpoint.attributes);
        self.buffer.truncate(checkpoint.buffer);
        self.written_names.retain(|_, name| name.end as usize <= checkpoint.buffer);
        self.root_prefixes.truncate(checkpoint.prefixes);
        self.journal.end();
    }

    /// Keeps everything since `checkpoint`; an enclosing checkpoint can still take it back.
    #[expect(clippy::needless_pass_by_value, reason = "a checkpoint ends once")]
    pub fn commit(&mut self, checkpoint: TreeCheckpoint) {
        debug_assert!(checkpoint.journal <= self.journal.rows.len());
        self.journal.end();
    }

    /// Makes sure names of `group` can be written: declares `uri` on the root if no prefix stands for the group there.
    pub fn ensure_prefix(&mut self, group: NamespaceGroup, hint: &str, uri: &str) {
        if self.prefix(group.0).is_some() {
            return;
        }
        // A prefix that an element below binds to something else would not mean `uri` there.
        let declarations = self.attributes.iter().map(|attribute| self.slice(attribute.qualified));
        let below: HashSet<&str> = declarations.filter_map(|name| name.strip_prefix("xmlns:")).collect();
        let taken = |prefix: &str| {
            below.contains(prefix) || self.root_prefixes.iter().any(|(known, _)| &**known == prefix)
        };
        let mut prefix = hint.to_owned();
        while taken(&prefix) {
            prefix.push('x');
        }
        let root = self.root();
        let name = self.append_text(&format!("xmlns:{prefix}"));
        let value = self.append_text(&escape_attribute(uri));
        self.replace_attributes(root, |rows| {
            rows.push(Attribute { name: QName::NONE, qualified: name, value });
        });
        self.root_prefixes.push((prefix.into(), group.0));
        self.written_names.clear();
    }

    /// Makes an element without attributes, attached to nothing.
    pub fn new_element(&mut self, name: QName) -> NodeId {
        let span = self.qualified(name, true);
        self.add(Node { flags: FLAG_NEW, name, span, ..Node::blank(NodeKind::Element) })
    }

    /// Makes a text, attached to nothing.
    pub fn new_text(&mut self, text: &str) -> NodeId {
        let span = self.append_text(&escape_text(text));
        self.add(Node { span, ..Node::blank(NodeKind::Text) })
    }

    /// Copies `node` and all below it, attached to nothing. Clean parts keep the source's bytes.
    pub fn copy(&mut self, node: NodeId) -> NodeId {
        let row = *self.node(node);
        let top = self.add(Node { parent: NIL, previous: NIL, next: NIL, first: NIL, last: NIL, ..row });
        let mut child = self.first_child(node);
        while let Some(current) = child {
            let copied = self.copy(current);
            self.link_last(top, copied);
            child = self.next(current);
        }
        top
    }

    /// Copies `node` without what is below it, attached to nothing.
    pub fn copy_shallow(&mut self, node: NodeId) -> NodeId {
        let row = *self.node(node);
        let flags = row.flags | FLAG_BELOW;
        self.add(Node { flags, parent: NIL, previous: NIL, next: NIL, first: NIL, last: NIL, ..row })
    }

    /// Sets an attribute, replacing the value it had.
    pub fn set_attribute(&mut self, node: NodeId, name: QName, value: &str) {
        let value = self.append_text(&escape_attribute(value));
        let qualified = self.qualified(name, false);
        let Node { attributes, attribute_count, .. } = *self.node(node);
        let is_last = attributes as usize + usize::from(attribute_count) == self.attributes.len();
        if is_last
            && attribute_count < u16::MAX
            && self.attribute_rows(node).iter().all(|row| row.name != name)
        {
            // The rows at the end of the table go on; a checkpoint cuts them off again.
            push_row(&mut self.attributes, Attribute { name, qualified, value });
            self.change(node, |row| {
                row.attribute_count += 1;
                row.flags |= FLAG_TAG;
            });
            return self.mark_above(node);
        }
        self.replace_attributes(node, |rows| match rows.iter_mut().find(|row| row.name == name) {
            Some(row) => row.value = value,
            None => rows.push(Attribute { name, qualified, value }),
        });
    }

    /// Removes an attribute, if it is there.
    pub fn remove_attribute(&mut self, node: NodeId, name: QName) {
        if self.attribute_rows(node).iter().any(|row| row.name == name) {
            self.replace_attributes(node, |rows| rows.retain(|row| row.name != name));
        }
    }

    /// Gives an element another name; attributes and children stay.
    pub fn rename(&mut self, node: NodeId, name: QName) {
        let qualified = self.qualified(name, true);
        self.change(node, |row| {
            row.name = name;
            row.span = qualified;
            row.flags |= FLAG_NEW;
        });
        self.mark_above(node);
    }

    /// Attaches a detached node as the last child.
    pub fn append(&mut self, parent: NodeId, node: NodeId) {
        self.detach(node);
        self.link_last(parent, node);
        self.mark_below(parent);
    }

    /// Attaches a node as the first child.
    pub fn prepend(&mut self, parent: NodeId, node: NodeId) {
        match self.first_child(parent) {
            Some(first) => self.insert_before(first, node),
            None => self.append(parent, node),
        }
    }

    /// Attaches a node before a sibling.
    pub fn insert_before(&mut self, sibling: NodeId, node: NodeId) {
        if sibling == node {
            return;
        }
        self.detach(node);
        let Some(parent) = self.parent(sibling) else { return };
        let previous = self.node(sibling).previous;
        self.change(node, |row| {
            row.parent = parent.0;
            row.previous = previous;
            row.next = sibling.0;
        });
        self.change(sibling, |row| row.previous = node.0);
        if previous == NIL {
            self.change(parent, |row| row.first = node.0);
        } else {
            self.change(NodeId(previous), |row| row.next = node.0);
        }
        self.mark_below(parent);
    }

    /// Attaches a node after a sibling.
    pub fn insert_after(&mut self, sibling: NodeId, node: NodeId) {
        if sibling == node {
            return;
        }
        match (self.next(sibling), self.parent(sibling)) {
            (Some(next), _) => self.insert_before(next, node),
            (None, Some(parent)) => self.append(parent, node),
            (None, None) => {}
        }
    }

    /// Takes a node, and all below it, out of the tree. It can be attached again.
    pub fn detach(&mut self, node: NodeId) {
        let Node { parent, previous, next, .. } = *self.node(node);
        if parent == NIL {
            return;
        }
        let parent = NodeId(parent);
        if previous == NIL {
            self.change(parent, |row| row.first = next);
        } else {
            self.change(NodeId(previous), |row| row.next = next);
        }
        if next == NIL {
            self.change(parent, |row| row.last = previous);
        } else {
            self.change(NodeId(next), |row| row.previous = previous);
        }
        self.change(node, |row| {
            row.parent = NIL;
            row.previous = NIL;
            row.next = NIL;
        });
        self.mark_below(parent);
    }

    /// Puts the children of `node` in its place and takes `node` out.
    pub fn unwrap(&mut self, node: NodeId) {
        while let Some(child) = self.first_child(node) {
            self.insert_before(node, child);
        }
        self.detach(node);
    }

    pub(crate) fn link_last(&mut self, parent: NodeId, node: NodeId) {
        let last = self.node(parent).last;
        self.change(node, |row| {
            row.parent = parent.0;
            row.previous = last;
            row.next = NIL;
        });
        if last == NIL {
            self.change(parent, |row| row.first = node.0);
        } else {
            self.change(NodeId(last), |row| row.next = node.0);
        }
        self.change(parent, |row| row.last = node.0);
    }

    fn mark_below(&mut self, node: NodeId) {
        let mut at = Some(node);
        while let Some(current) = at {
            if self.node(current).flags & FLAG_BELOW != 0 {
                return;
            }
            self.change(current, |row| row.flags |= FLAG_BELOW);
            at = self.parent(current);
        }
    }

    fn mark_above(&mut self, node: NodeId) {
        if let Some(parent) = self.parent(node) {
            self.mark_below(parent);
        }
    }

    pub(crate) fn replace_attributes(&mut self, node: NodeId, edit: impl FnOnce(&mut Vec<Attribute>)) {
        let mut rows = self.attribute_rows(node).to_vec();
        edit(&mut rows);
        let start = Span::new(self.attributes.len(), 0).start;
        let count = u16::try_from(rows.len()).unwrap_or(u16::MAX);
        rows.into_iter().for_each(|row| push_row(&mut self.attributes, row));
        self.change(node, |row| {
            row.attributes = start;
            row.attribute_count = count;
            row.flags |= FLAG_TAG;
        });
        self.mark_above(node);
    }

    fn change(&mut self, node: NodeId, edit: impl FnOnce(&mut Node)) {
        let Some(row) = self.nodes.get_mut(node.0 as usize) else { return };
        self.journal.note(node.0, row);
        edit(row);
    }

    pub(crate) fn add(&mut self, node: Node) -> NodeId {
        let id = NodeId(Span::new(self.nodes.len(), 0).start);
        push_row(&mut self.nodes, node);
        id
    }

    pub(crate) fn append_text(&mut self, text: &str) -> Span {
        let start = self.buffer.len();
        self.make_room(text.len());
        self.buffer.push_str(text);
        Span::new(start, self.buffer.len())
    }

    /// Makes room in the buffer, which grows by an eighth, as its tables do.
    fn make_room(&mut self, more: usize) {
        let length = self.buffer.len();
        if self.buffer.capacity() - length < more {
            self.buffer.reserve_exact(more.max(length / 8 + 64));
        }
    }

    /// A name with the prefix that stands for its namespace; each is in the buffer once.
    fn qualified(&mut self, name: QName, element: bool) -> Span {
        if let Some(known) = self.written_names.get(&(name, element)) {
            return *known;
        }
        let Some((namespace, local)) = self.names.get(name) else { return Span::default() };
        let xml = self.names.uri(namespace) == "http://www.w3.org/XML/1998/namespace";
        let written = match find_prefix(&self.root_prefixes, namespace, element) {
            _ if xml => format!("xml:{local}"),
            Some(prefix) if !prefix.is_empty() => format!("{prefix}:{local}"),
            _ => local.to_owned(),
        };
        let span = self.append_text(&written);
        self.written_names.insert((name, element), span);
        span
    }

    fn prefix(&self, namespace: u16) -> Option<&str> {
        find_prefix(&self.root_prefixes, namespace, false)
    }
}

/// A prefix of the root for a namespace. An attribute cannot use the default namespace (Namespaces in XML §6.2).
fn find_prefix(prefixes: &[(Box<str>, u16)], namespace: u16, element: bool) -> Option<&str> {
    let of_namespace = |prefix: &&(Box<str>, u16)| prefix.1 == namespace && (element || !prefix.0.is_empty());
    let named = prefixes.iter().filter(of_namespace).find(|prefix| !prefix.0.is_empty());
    named.or_else(|| prefixes.iter().find(of_namespace)).map(|prefix| &*prefix.0)
}
