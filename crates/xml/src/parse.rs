//! Text to tree in one pass, without recursion.
//!
//! Must never accept what is not well-formed, and never spend more than linear time or memory.

use std::collections::HashSet;

use crate::encoding;
use crate::error::{Error, ErrorKind, position};
use crate::escape::{is_character, reference};
use crate::name::{Names, QName, ShortMap, Vocabulary};
use crate::tree::{Attribute, Document, Journal, NIL, Node, NodeKind, Span, push_row};

/// Bounds on what is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the text, as UTF-8.
    pub bytes: usize,
    /// Elements within elements.
    pub depth: usize,
    /// Attributes of one element.
    pub attributes: usize,
    /// Nodes of the tree.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 256 << 20, depth: 512, attributes: 1024, nodes: 8_000_000 }
    }
}

impl Document {
    /// Parses `bytes` (UTF-8 or UTF-16).
    ///
    /// # Errors
    /// When the text is not well-formed (namespaces included), holds a DOCTYPE, or passes a limit.
    pub fn parse(bytes: Vec<u8>, vocabulary: &Vocabulary, limits: &Limits) -> Result<Self, Error> {
        let nowhere = |kind| Error { kind, at: position(b"", 0) };
        if bytes.len() > limits.bytes || bytes.len() >= NIL as usize {
            return Err(nowhere(ErrorKind::TooLarge));
        }
        let (buffer, encoding) = encoding::decode(bytes).map_err(nowhere)?;
        if buffer.len() > limits.bytes || buffer.len() >= NIL as usize / 2 {
            return Err(nowhere(ErrorKind::TooLarge));
        }
        let mut parser = Parser {
            text: buffer.as_bytes(),
            at: if buffer.starts_with('\u{FEFF}') { 3 } else { 0 },
            limits,
            vocabulary,
            names: Names::new(vocabulary),
            nodes: Vec::with_capacity(buffer.len() / 24 + 8),
            attributes: Vec::with_capacity(buffer.len() / 40 + 8),
            open: 0,
            open_names: vec![],
            depth: 0,
            scopes: vec![Scope::default()],
            bindings: vec![],
            bound: ShortMap::default(),
            rebound: false,
        };
        let result = parser.run();
        let Parser { names, mut nodes, mut attributes, rebound, bindings, at, .. } = parser;
        nodes.shrink_to_fit();
        attributes.shrink_to_fit();
        match result {
            Err((kind, offset)) => {
                let offset = offset.unwrap_or(at).min(buffer.len());
                Err(Error { kind, at: position(buffer.as_bytes(), offset) })
            }
            Ok(()) => Ok(Self {
                parsed: buffer.len(),
                written_names: ShortMap::default(),
                buffer,
                nodes,
                attributes,
                names,
                encoding,
                root_prefixes: bindings.into_iter().map(|b| (b.prefix, b.namespace)).collect(),
                rebound,
                journal: Journal::default(),
            }),
        }
    }
}

/// A namespace declaration in force.
struct Binding {
    prefix: Box<str>,
    namespace: u16,
}

/// Names as resolved under one set of declarations.
#[derive(Default)]
struct Scope {
    /// The element that opened it; bindings from here on are its own.
    depth: usize,
    first_binding: usize,
    elements: ShortMap<Box<[u8]>, QName>,
    attributes: ShortMap<Box<[u8]>, QName>,
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    limits: &'a Limits,
    vocabulary: &'a Vocabulary,
    names: Names,
    nodes: Vec<Node>,
    attributes: Vec<Attribute>,
    open: u32,
    /// The names of the open elements, outermost first.
    open_names: Vec<Span>,
    depth: usize,
    scopes: Vec<Scope>,
    /// All declarations in force, outermost first.
    bindings: Vec<Binding>,
    /// By prefix, the namespaces it stands for, outermost first. Searching `bindings` would let a text of many
    /// declarations take quadratic time.
    bound: ShortMap<Box<[u8]>, Vec<u16>>,
    rebound: bool,
}

/// What is wrong, and where if not at the current place.
type Refusal = (ErrorKind, Option<usize>);

fn malformed(how: &'static str) -> Refusal {
    (ErrorKind::Malformed(how), None)
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), Refusal> {
        self.refuse_forbidden_characters()?;
        let mut document = Node::blank(NodeKind::Document);
        document.span = Span::new(0, self.text.len());
        push_row(&mut self.nodes, document);
        let mut root_seen = false;
        while self.at < self.text.len() {
            if self.text.get(self.at) != Some(&b'<') {
                self.character_data()?;
                continue;
            }
            match self.text.get(self.at + 1) {
                Some(b'/') => self.end_tag()?,
                Some(b'!') => self.markup_declaration()?,
                Some(b'?') => self.instruction()?,
                _ => {
                    if self.depth == 0 && std::mem::replace(&mut root_seen, true) {
                        return Err(malformed("there is more than one root element"));
                    }
                    self.start_tag()?;
                }
            }
        }
        if self.depth > 0 {
            return Err((ErrorKind::Mismatch(self.open_name()), None));
        }
        if root_seen { Ok(()) } else { Err(malformed("there is no root element")) }
    }

    /// `Char` of XML 1.0 §2.2, checked once for the whole text.
    fn refuse_forbidden_characters(&mut self) -> Result<(), Refusal> {
        let control = |byte: &u8| *byte < 0x20 && !matches!(*byte, b'\t' | b'\n' | b'\r');
        // Counting instead of searching lets the compiler use wide instructions.
        if self.text.iter().filter(|byte| control(byte)).count() > 0 {
            let at = self.text.iter().position(control);
            return Err((ErrorKind::Malformed("a control character that XML forbids"), at));
        }
        for bad in ["\u{FFFE}", "\u{FFFF}"] {
            if let Some(at) = memchr::memmem::find(self.text, bad.as_bytes()) {
                return Err((ErrorKind::Malformed("a character that XML forbids"), Some(at)));
            }
        }
        Ok(())
    }

    fn character_data(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        let end = self.find(b'<').unwrap_or(self.text.len());
        let raw = self.text.get(start..end).unwrap_or_default();
        if self.depth == 0 {
            if let Some(at) = raw.iter().position(|byte| !byte.is_ascii_whitespace()) {
                return Err((ErrorKind::Malformed("text outside the root element"), Some(start + at)));
            }
        } else {
            self.check_references(start, raw)?;
            if let Some(at) = memchr::memmem::find(raw, b"]]>") {
                return Err((ErrorKind::Malformed("']]>' is not allowed in text"), Some(start + at)));
            }
        }
        self.push(NodeKind::Text, Span::new(start, end))?;
        self.at = end;
        Ok(())
    }

    fn check_references(&self, start: usize, raw: &[u8]) -> Result<(), Refusal> {
        for at in memchr::memchr_iter(b'&', raw) {
            if reference(raw.get(at..).unwrap_or_default()).is_none() {
                return Err((ErrorKind::UnknownEntity, Some(start + at)));
            }
        }
        Ok(())
    }

    fn markup_declaration(&mut self) -> Result<(), Refusal> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        if rest.starts_with(b"<!--") {
            let body = rest.get(4..).unwrap_or_default();
            let Some(end) = memchr::memmem::find(body, b"--") else {
                return Err(malformed("a comment is not closed"));
            };
            if body.get(end + 2) != Some(&b'>') {
                return Err(malformed("'--' is not allowed in a comment"));
            }
            return self.take(NodeKind::Comment, 4 + end + 3);
        }
        if rest.starts_with(b"<![CDATA[") {
            if self.depth == 0 {
                return Err(malformed("text outside the root element"));
            }
            let Some(end) = memchr::memmem::find(rest, b"]]>") else {
                return Err(malformed("a CDATA section is not closed"));
            };
            return self.take(NodeKind::CData, end + 3);
        }
        let word: Vec<u8> = rest.iter().take(9).map(u8::to_ascii_uppercase).collect();
        if word.starts_with(b"<!DOCTYPE") {
            Err((ErrorKind::Doctype, None))
        } else {
            Err(malformed("unknown markup"))
        }
    }

    fn instruction(&mut self) -> Result<(), Refusal> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let Some(end) = memchr::memmem::find(rest, b"?>") else {
            return Err(malformed("a processing instruction is not closed"));
        };
        let target_end = rest.iter().skip(2).position(|byte| !is_name_byte(*byte)).map_or(end, |at| at + 2);
        let target = rest.get(2..target_end.min(end)).unwrap_or_default();
        if !target.first().is_some_and(|byte| is_name_start(*byte)) || target.contains(&b':') {
            return Err(malformed("a processing instruction has no proper name"));
        }
        if target_end < end && !rest.get(target_end).is_some_and(u8::is_ascii_whitespace) {
            return Err(malformed("a processing instruction has no proper name"));
        }
        let at_start = self.nodes.len() == 1 && (self.at == 0 || self.at == 3);
        if target.eq_ignore_ascii_case(b"xml") {
            if !at_start || target != b"xml" {
                return Err(malformed("the XML declaration must stand first"));
            }
            let body = rest.get(target_end..end).unwrap_or_default();
            if memchr::memmem::find(body, b"version").is_none() {
                return Err(malformed("the XML declaration has no version"));
            }
        }
        self.take(NodeKind::Instruction, end + 2)
    }

    fn take(&mut self, kind: NodeKind, length: usize) -> Result<(), Refusal> {
        self.push(kind, Span::new(self.at, self.at + length))?;
        self.at += length;
        Ok(())
    }

    fn start_tag(&mut self) -> Result<(), Refusal> {
        if self.depth >= self.limits.depth {
            return Err((ErrorKind::TooDeep, None));
        }
        let start = self.at;
        self.at += 1;
        let qualified = self.name()?;
        let first_attribute = self.attributes.len();
        let mut declares = false;
        let empty = loop {
            let space = self.skip_space();
            match self.text.get(self.at) {
                Some(b'>') => break false,
                Some(b'/') if self.text.get(self.at + 1) == Some(&b'>') => break true,
                Some(_) if space => declares |= self.attribute(first_attribute)?,
                Some(_) => return Err(malformed("a space is missing between attributes")),
                None => return Err(malformed("a tag is not closed")),
            }
        };
        self.at += if empty { 2 } else { 1 };
        if declares {
            self.open_scope(first_attribute)?;
        }
        let name = self.resolve(qualified, true)?;
        self.resolve_attributes(first_attribute)?;
        let id = self.push(NodeKind::Element, Span::new(start, self.at))?;
        let attribute_count = self.attributes.len() - first_attribute;
        if let Some(node) = self.nodes.get_mut(id as usize) {
            node.name = name;
            node.attributes = Span::new(first_attribute, 0).start;
            node.attribute_count = u16::try_from(attribute_count).unwrap_or(u16::MAX);
        }
        self.depth += 1;
        self.open = id;
        self.open_names.push(qualified);
        if empty {
            self.close();
        }
        Ok(())
    }

    /// Reads one attribute; says whether it declares a namespace.
    fn attribute(&mut self, first: usize) -> Result<bool, Refusal> {
        if self.attributes.len() - first >= self.limits.attributes {
            return Err((ErrorKind::TooManyAttributes, None));
        }
        let qualified = self.name()?;
        self.skip_space();
        if self.text.get(self.at) != Some(&b'=') {
            return Err(malformed("an attribute has no value"));
        }
        self.at += 1;
        self.skip_space();
        let quote = match self.text.get(self.at) {
            Some(quote @ (b'"' | b'\'')) => *quote,
            _ => return Err(malformed("an attribute value is not quoted")),
        };
        self.at += 1;
        let start = self.at;
        let Some(end) = self.find(quote) else { return Err(malformed("an attribute value is not closed")) };
        let raw = self.text.get(start..end).unwrap_or_default();
        if let Some(at) = memchr::memchr(b'<', raw) {
            return Err((ErrorKind::Malformed("'<' is not allowed in an attribute value"), Some(start + at)));
        }
        self.check_references(start, raw)?;
        self.at = end + 1;
        let value = Span::new(start, end);
        push_row(&mut self.attributes, Attribute { name: QName::NONE, qualified, value });
        let text = self.bytes(qualified);
        Ok(text == b"xmlns" || text.starts_with(b"xmlns:"))
    }

    fn open_scope(&mut self, first_attribute: usize) -> Result<(), Refusal> {
        let first_binding = self.bindings.len();
        let rows: Vec<Attribute> = self.attributes.get(first_attribute..).unwrap_or_default().to_vec();
        for row in rows {
            let text = self.bytes(row.qualified);
            let prefix: Box<str> = if text == b"xmlns" {
                "".into()
            } else if let Some(prefix) = text.strip_prefix(b"xmlns:") {
                String::from_utf8_lossy(prefix).into()
            } else {
                continue;
            };
            let raw = String::from_utf8_lossy(self.bytes(row.value)).into_owned();
            let uri = crate::escape::unescape(&raw);
            let reserved = uri == "http://www.w3.org/2000/xmlns/"
                || (uri == "http://www.w3.org/XML/1998/namespace") != (&*prefix == "xml");
            if &*prefix == "xmlns" || reserved || (uri.is_empty() && !prefix.is_empty()) {
                return Err((ErrorKind::Malformed("a namespace declaration is not allowed"), None));
            }
            let namespace = self.names.namespace(self.vocabulary, &uri).ok_or((ErrorKind::TooLarge, None))?;
            let stack = self.bound.entry(prefix.as_bytes().into()).or_default();
            self.rebound |= self.depth > 0 && stack.first().is_some_and(|earlier| *earlier != namespace);
            stack.push(namespace);
            self.bindings.push(Binding { prefix, namespace });
        }
        self.scopes.push(Scope { depth: self.depth, first_binding, ..Scope::default() });
        Ok(())
    }

    fn resolve_attributes(&mut self, first: usize) -> Result<(), Refusal> {
        for at in first..self.attributes.len() {
            let Some(qualified) = self.attributes.get(at).map(|row| row.qualified) else { break };
            let name = self.resolve(qualified, false)?;
            if let Some(row) = self.attributes.get_mut(at) {
                row.name = name;
            }
        }
        let rows = self.attributes.get(first..).unwrap_or_default();
        let same = |one: &Attribute, other: &Attribute| {
            self.bytes(one.qualified) == self.bytes(other.qualified)
                || (one.name == other.name && one.name != QName::NONE)
        };
        // Comparing each with each is fastest for the few that elements have, and quadratic.
        let twice = if rows.len() <= 32 {
            rows.iter().enumerate().any(|(at, row)| rows.iter().take(at).any(|other| same(row, other)))
        } else {
            let mut texts = HashSet::with_capacity(rows.len());
            let mut names = HashSet::with_capacity(rows.len());
            rows.iter().any(|row| {
                !texts.insert(self.bytes(row.qualified))
                    || (row.name != QName::NONE && !names.insert(row.name))
            })
        };
        if twice { Err(malformed("an attribute is given twice")) } else { Ok(()) }
    }

    fn resolve(&mut self, qualified: Span, element: bool) -> Result<QName, Refusal> {
        let text = self.text.get(qualified.range()).unwrap_or_default();
        if let Some(scope) = self.scopes.last() {
            let cache = if element { &scope.elements } else { &scope.attributes };
            if let Some(name) = cache.get(text) {
                return Ok(*name);
            }
        }
        let (prefix, local) = match memchr::memchr(b':', text) {
            Some(at) => (text.get(..at).unwrap_or_default(), text.get(at + 1..).unwrap_or_default()),
            None => (&b""[..], text),
        };
        let plain = prefix.len() == text.len() || text.first() == Some(&b':');
        if plain || local.contains(&b':') || !local.first().is_some_and(|byte| is_name_start(*byte)) {
            return Err(malformed("a name has a misplaced colon"));
        }
        let uri = if prefix == b"xml" {
            "http://www.w3.org/XML/1998/namespace"
        } else if prefix == b"xmlns" || (text == b"xmlns" && !element) {
            "http://www.w3.org/2000/xmlns/"
        } else {
            ""
        };
        let is_bound = uri.is_empty() && (element || !prefix.is_empty());
        let bound = self.bound.get(prefix).filter(|_| is_bound).and_then(|stack| stack.last().copied());
        if bound.is_none() && uri.is_empty() && !prefix.is_empty() {
            return Err(malformed("a name uses a prefix that is not declared"));
        }
        let namespace = bound.or_else(|| self.names.namespace(self.vocabulary, uri));
        let namespace = namespace.ok_or((ErrorKind::TooLarge, None))?;
        let name = self.names.intern(namespace, local);
        if let Some(scope) = self.scopes.last_mut() {
            let cache = if element { &mut scope.elements } else { &mut scope.attributes };
            cache.insert(text.into(), name);
        }
        Ok(name)
    }

    fn end_tag(&mut self) -> Result<(), Refusal> {
        let start = self.at;
        let expected = self.bytes(self.open_names.last().copied().unwrap_or_default());
        let rest = self.text.get(start + 2..).unwrap_or_default();
        if self.depth == 0 {
            return Err(malformed("an end tag without a start tag"));
        }
        if !rest.starts_with(expected) || rest.get(expected.len()).is_some_and(|byte| is_name_byte(*byte)) {
            return Err((ErrorKind::Mismatch(self.open_name()), None));
        }
        self.at = start + 2 + expected.len();
        self.skip_space();
        if self.text.get(self.at) != Some(&b'>') {
            return Err(malformed("an end tag is not closed"));
        }
        self.at += 1;
        let end = self.at;
        if let Some(node) = self.nodes.get_mut(self.open as usize) {
            node.span.end = Span::new(start, end).end;
        }
        self.close();
        Ok(())
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.open_names.pop();
        self.open = self.nodes.get(self.open as usize).map_or(0, |node| node.parent);
        if self.scopes.len() > 1 && self.scopes.last().is_some_and(|scope| scope.depth == self.depth) {
            // The root's own declarations stay: new names are given their prefixes from them.
            if let Some(scope) = self.scopes.pop()
                && self.depth > 0
            {
                for binding in self.bindings.drain(scope.first_binding.min(self.bindings.len())..) {
                    if let Some(stack) = self.bound.get_mut(binding.prefix.as_bytes()) {
                        stack.pop();
                    }
                }
            }
        }
    }

    fn push(&mut self, kind: NodeKind, span: Span) -> Result<u32, Refusal> {
        if self.nodes.len() >= self.limits.nodes {
            return Err((ErrorKind::TooLarge, None));
        }
        let id = Span::new(self.nodes.len(), 0).start;
        let parent = self.open;
        let previous = self.nodes.get(parent as usize).map_or(NIL, |node| node.last);
        push_row(&mut self.nodes, Node { span, parent, previous, ..Node::blank(kind) });
        if let Some(node) = self.nodes.get_mut(previous as usize) {
            node.next = id;
        }
        if let Some(node) = self.nodes.get_mut(parent as usize) {
            node.last = id;
            if node.first == NIL {
                node.first = id;
            }
        }
        Ok(id)
    }

    fn name(&mut self) -> Result<Span, Refusal> {
        let start = self.at;
        let rest = self.text.get(start..).unwrap_or_default();
        if !rest.first().is_some_and(|byte| is_name_start(*byte)) {
            return Err(malformed("a name is expected here"));
        }
        let length = rest.iter().position(|byte| !is_name_byte(*byte)).unwrap_or(rest.len());
        self.at = start + length;
        let span = Span::new(start, self.at);
        // Beyond ASCII the rare name is checked by character; ASCII was checked by byte.
        let name = String::from_utf8_lossy(self.bytes(span));
        if !name.is_ascii() && !name.chars().all(is_name_character) {
            return Err((ErrorKind::Malformed("a name has a character that XML forbids"), Some(start)));
        }
        Ok(span)
    }

    fn skip_space(&mut self) -> bool {
        let start = self.at;
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.at > start
    }

    fn find(&self, byte: u8) -> Option<usize> {
        memchr::memchr(byte, self.text.get(self.at..)?).map(|at| self.at + at)
    }

    fn bytes(&self, span: Span) -> &[u8] {
        self.text.get(span.range()).unwrap_or_default()
    }

    fn open_name(&self) -> String {
        let open = self.open_names.last().copied().unwrap_or_default();
        String::from_utf8_lossy(self.bytes(open)).into_owned()
    }
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b':' || byte >= 0x80
}

fn is_name_byte(byte: u8) -> bool {
    is_name_start(byte) || byte.is_ascii_digit() || byte == b'-' || byte == b'.'
}

/// `NameChar` of XML 1.0 §2.3, beyond ASCII.
fn is_name_character(c: char) -> bool {
    c.is_ascii()
        || (is_character(c)
            && matches!(c,
                '\u{B7}' | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}'
                | '\u{200C}'..='\u{200D}' | '\u{203F}'..='\u{2040}' | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}'
                | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}'))
}
