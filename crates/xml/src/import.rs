//! Copies of nodes of another document.
//!
//! A copy keeps its names as they were written. What its prefixes stand for is declared where the target does not say so already:
//! on the root if the prefix is free there, else on the copy itself. Both documents must be of one vocabulary.

use std::collections::BTreeSet;

use crate::escape::escape_attribute;
use crate::name::{Names, QName};
use crate::tree::{Attribute, Document, FLAG_NEW, NIL, Node, NodeId, NodeKind, push_row};

/// A node that came from another document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedNode {
    /// The copy, attached to nothing.
    pub node: NodeId,
    /// Prefixes that the root declares for its sake.
    pub declared: Vec<String>,
}

impl Document {
    /// Copies `node` of another document and all below it.
    pub fn import(&mut self, from: &Self, node: NodeId) -> ImportedNode {
        let mut prefixes = BTreeSet::new();
        let copy = self.import_node(from, node, &mut prefixes);
        let mut declared = Vec::new();
        for prefix in prefixes {
            let Some(uri) = from.uri_of_prefix(node, &prefix) else { continue };
            let namespace = from.names.number_of(&uri);
            let known = self.root_prefixes.iter().find(|(known, _)| **known == *prefix);
            match known.map(|(_, number)| *number) {
                Some(number) if self.names.is_same(number, &from.names, namespace, &uri) => {}
                Some(_) => self.declare(copy, &prefix, &uri),
                None if prefix.is_empty() => self.declare(copy, &prefix, &uri),
                None => {
                    let root = self.root();
                    self.declare(root, &prefix, &uri);
                    if let Some(number) = self.names.number_for(&from.names, namespace, &uri) {
                        self.root_prefixes.push((prefix.as_str().into(), number));
                        self.written_names.clear();
                    }
                    declared.push(prefix);
                }
            }
        }
        ImportedNode { node: copy, declared }
    }

    // Depth is bounded by the parser's limit.
    fn import_node(&mut self, from: &Self, node: NodeId, prefixes: &mut BTreeSet<String>) -> NodeId {
        let row = *from.node(node);
        if row.kind != NodeKind::Element {
            let span = self.append_text(from.slice(row.span));
            return self.add(Node { span, ..Node::blank(row.kind) });
        }
        let written = from.slice(from.qualified_span(&row));
        prefixes.insert(prefix_of(written).to_owned());
        let span = self.append_text(written);
        let name = self.names.same_name(&from.names, row.name);
        let mut rows = Vec::with_capacity(usize::from(row.attribute_count));
        for attribute in from.attribute_rows(node) {
            let written = from.slice(attribute.qualified);
            match prefix_of(written) {
                "" | "xml" | "xmlns" => {}
                prefix => _ = prefixes.insert(prefix.to_owned()),
            }
            let value = from.slice(attribute.value);
            // `mc:Choice` names namespaces by their prefixes.
            if written == "Requires" {
                prefixes.extend(value.split_whitespace().map(str::to_owned));
            }
            let qualified = self.append_text(written);
            let value = self.append_text(value);
            rows.push(Attribute {
                name: self.names.same_name(&from.names, attribute.name),
                qualified,
                value,
            });
        }
        let attributes = u32::try_from(self.attributes.len()).unwrap_or(NIL);
        rows.into_iter().for_each(|row| push_row(&mut self.attributes, row));
        let attribute_count = row.attribute_count;
        let element =
            Node { flags: FLAG_NEW, name, span, attributes, attribute_count, ..Node::blank(row.kind) };
        let copy = self.add(element);
        let mut child = from.first_child(node);
        while let Some(current) = child {
            let imported = self.import_node(from, current, prefixes);
            self.link_last(copy, imported);
            child = from.next(current);
        }
        copy
    }

    /// What a prefix stands for at a node, whether it is declared there or above.
    fn uri_of_prefix(&self, node: NodeId, prefix: &str) -> Option<String> {
        let wanted = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
        let own = |at: NodeId| {
            let rows = self.attribute_rows(at).iter();
            let row = rows.into_iter().find(|row| self.slice(row.qualified) == wanted)?;
            Some(crate::escape::unescape(self.slice(row.value)).into_owned())
        };
        std::iter::once(node).chain(self.ancestors(node)).find_map(own)
    }

    fn declare(&mut self, node: NodeId, prefix: &str, uri: &str) {
        let declaration = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
        if self.attribute_rows(node).iter().any(|row| self.slice(row.qualified) == declaration) {
            return;
        }
        let qualified = self.append_text(&declaration);
        let value = self.append_text(&escape_attribute(uri));
        self.replace_attributes(node, |rows| rows.push(Attribute { name: QName::NONE, qualified, value }));
    }
}

fn prefix_of(qualified: &str) -> &str {
    qualified.split_once(':').map_or("", |(prefix, _)| prefix)
}

impl Names {
    /// The number of a URI that the document has read.
    fn number_of(&self, uri: &str) -> Option<u16> {
        self.numbers.get(uri).copied()
    }

    /// Whether a number here means what another document's means.
    fn is_same(&self, number: u16, other: &Self, theirs: Option<u16>, uri: &str) -> bool {
        // Groups have the same numbers in all documents of a vocabulary.
        theirs == Some(number) && usize::from(number) < self.groups && other.groups == self.groups
            || self.uri(number) == uri
    }

    /// The number that a namespace of another document has here.
    fn number_for(&mut self, other: &Self, theirs: Option<u16>, uri: &str) -> Option<u16> {
        match theirs {
            Some(number) if usize::from(number) < other.groups => Some(number),
            _ => self.number_of_other(uri),
        }
    }

    /// The name here that is the same as a name of another document.
    fn same_name(&mut self, other: &Self, name: QName) -> QName {
        if other.is_known(name) || name == QName::NONE {
            return name;
        }
        let Some((namespace, local)) = other.get(name) else { return QName::NONE };
        let number = match usize::from(namespace) < other.groups {
            true => Some(namespace),
            false => self.number_of_other(other.uri(namespace)),
        };
        number.map_or(QName::NONE, |number| self.intern(number, local.as_bytes()))
    }
}
