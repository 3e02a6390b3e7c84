//! Tree to text: clean parts are copied, changed parts are written from their rows.

use std::ops::Range;

use crate::encoding;
use crate::tree::{Document, FLAG_NEW, FLAG_TAG, NodeId, NodeKind, Span};

impl Document {
    /// The text, in the encoding it was read in. Of an unchanged document, the very bytes that were parsed.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        encoding::encode(self.write_node(self.document_node()), self.encoding)
    }

    /// The text that was parsed, without a copy of it; what was changed since is lost.
    #[must_use]
    pub fn into_source(self) -> Vec<u8> {
        let mut text = self.buffer.into_bytes();
        text.truncate(self.parsed);
        encoding::encode(text, self.encoding)
    }

    /// The text of one node and all below it, as UTF-8.
    #[must_use]
    pub fn write_node(&self, node: NodeId) -> Vec<u8> {
        let mut output = Output { source: self.buffer.as_bytes(), bytes: Vec::new(), pending: 0..0 };
        if node == self.document_node() {
            output.bytes.reserve(self.buffer.len());
        }
        self.emit(node, &mut output);
        output.flush();
        output.bytes
    }

    // Depth is bounded by the parser's limit and what edits add, so recursion is safe.
    fn emit(&self, node: NodeId, output: &mut Output<'_>) {
        let row = self.node(node);
        if row.flags == 0 {
            return output.copy(row.span);
        }
        if row.kind != NodeKind::Element {
            if row.kind == NodeKind::Document {
                self.emit_children(node, output);
            } else {
                output.copy(row.span);
            }
            return;
        }
        let has_children = self.first_child(node).is_some();
        if row.flags & (FLAG_NEW | FLAG_TAG) == 0 {
            let tag = self.start_tag_span(node);
            let empty_tag = row.span.end == tag.end;
            if empty_tag && has_children {
                output.copy(Span { end: tag.end.saturating_sub(2), ..tag });
                output.push(">");
                self.emit_children(node, output);
                self.emit_end(self.qualified_span(row), output);
            } else {
                output.copy(tag);
                self.emit_children(node, output);
                output.copy(self.end_tag_span(node, tag.end));
            }
            return;
        }
        let qualified = self.qualified_span(row);
        output.push("<");
        output.copy(qualified);
        for attribute in self.attribute_rows(node) {
            // The value is still escaped for the quotes it stood in.
            let quote = if self.slice(attribute.value).contains('"') { "'" } else { "\"" };
            output.push(" ");
            output.copy(attribute.qualified);
            output.push("=");
            output.push(quote);
            output.copy(attribute.value);
            output.push(quote);
        }
        if has_children {
            output.push(">");
            self.emit_children(node, output);
            self.emit_end(qualified, output);
        } else {
            output.push("/>");
        }
    }

    fn emit_children(&self, node: NodeId, output: &mut Output<'_>) {
        for child in self.children(node) {
            self.emit(child, output);
        }
    }

    #[expect(clippy::unused_self, reason = "reads better beside its siblings")]
    fn emit_end(&self, qualified: Span, output: &mut Output<'_>) {
        output.push("</");
        output.copy(qualified);
        output.push(">");
    }
}

/// Joins neighbouring copies, so that a long clean stretch is one `memcpy`.
struct Output<'a> {
    source: &'a [u8],
    bytes: Vec<u8>,
    pending: Range<usize>,
}

impl Output<'_> {
    fn copy(&mut self, span: Span) {
        let range = span.range();
        if range.start == self.pending.end {
            self.pending.end = range.end;
        } else {
            self.flush();
            self.pending = range;
        }
    }

    fn push(&mut self, text: &str) {
        self.flush();
        self.put(text.as_bytes());
    }

    fn flush(&mut self) {
        let range = std::mem::replace(&mut self.pending, 0..0);
        self.put(self.source.get(range).unwrap_or_default());
    }

    /// Grows by an eighth, as the tables do: the text of a long document is large.
    fn put(&mut self, bytes: &[u8]) {
        let length = self.bytes.len();
        if self.bytes.capacity() - length < bytes.len() {
            self.bytes.reserve_exact(bytes.len().max(length / 8 + 64));
        }
        self.bytes.extend_from_slice(bytes);
    }
}
