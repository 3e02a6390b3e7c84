//! HTML under way: escaped text, and the inline elements that are open.
//!
//! Must never write a character of a document unescaped, or close an element that is not open.

use std::rc::Rc;

/// The most inline elements within each other; what is deeper is shown without its own element.
pub(super) const DEEPEST: usize = 24;

/// An inline element around text.
#[derive(Debug, Clone)]
pub(super) struct Wrapper {
    /// `ins`, `a`, `span`.
    pub(super) name: &'static str,
    /// What stands behind the name, escaped, with a space before each attribute.
    pub(super) attributes: Rc<str>,
    /// Tells elements apart that look alike.
    pub(super) key: usize,
}

impl Wrapper {
    pub(super) fn new(name: &'static str, attributes: impl Into<Rc<str>>, key: usize) -> Self {
        Self { name, attributes: attributes.into(), key }
    }

    /// An element that says nothing but its name.
    pub(super) fn plain(name: &'static str) -> Self {
        Self::new(name, "", 0)
    }
}

impl PartialEq for Wrapper {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.name == other.name && self.attributes == other.attributes
    }
}

/// HTML under way.
#[derive(Debug, Default)]
pub(super) struct Markup {
    out: String,
    open: Vec<Wrapper>,
}

impl Markup {
    /// Markup of our own.
    pub(super) fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    /// Text of the document.
    pub(super) fn text(&mut self, text: &str) {
        escape(&mut self.out, text);
    }

    /// Text within these elements and no others; those that are open already stay open.
    pub(super) fn within(&mut self, wrappers: &[Wrapper]) {
        let wanted = wrappers.get(..wrappers.len().min(DEEPEST)).unwrap_or_default();
        let same = self.open.iter().zip(wanted).take_while(|(open, wanted)| open == wanted).count();
        self.close_down_to(same);
        for wrapper in wanted.iter().skip(same) {
            self.out.push('<');
            self.out.push_str(wrapper.name);
            self.out.push_str(&wrapper.attributes);
            self.out.push('>');
            self.open.push(wrapper.clone());
        }
    }

    /// Closes every inline element.
    pub(super) fn close(&mut self) {
        self.close_down_to(0);
    }

    fn close_down_to(&mut self, count: usize) {
        while self.open.len() > count {
            if let Some(wrapper) = self.open.pop() {
                self.out.push_str("</");
                self.out.push_str(wrapper.name);
                self.out.push('>');
            }
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.close();
        self.out
    }
}

/// ` name="value"`, escaped.
pub(super) fn attribute(out: &mut String, name: &str, value: &str) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    escape(out, value);
    out.push('"');
}

/// The same with at most so many characters of the value, on one line.
pub(super) fn short_attribute(out: &mut String, name: &str, value: &str, most: usize) {
    attribute(out, name, &short(value, most));
}

/// At most so many characters of a text, on one line.
pub(super) fn short(text: &str, most: usize) -> String {
    let mut characters = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut out: String = characters.by_ref().take(most).collect();
    if characters.next().is_some() {
        out.push('…');
    }
    out
}

/// Writes text so that it is text in an element and in a quoted attribute. What HTML does not allow is left out.
pub(super) fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            c if c.is_control() || is_noncharacter(c) => {}
            c => out.push(c),
        }
    }
}

fn is_noncharacter(c: char) -> bool {
    let code = u32::from(c);
    matches!(code & 0xFFFF, 0xFFFE | 0xFFFF) || (0xFDD0..=0xFDEF).contains(&code)
}
