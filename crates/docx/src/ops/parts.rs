//! What operations on headers, footers and properties of the document ask for.

use std::collections::BTreeMap;

use engross_xml::QName;

use crate::names::{FOOTER_REFERENCE, HEADER_REFERENCE};

/// A header or a footer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoryKind {
    /// Above the text.
    Header,
    /// Below it.
    Footer,
}

impl StoryKind {
    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Footer => "footer",
        }
    }

    /// The element by which a section refers to it.
    pub(crate) fn reference(self) -> QName {
        match self {
            Self::Header => HEADER_REFERENCE,
            Self::Footer => FOOTER_REFERENCE,
        }
    }
}

/// The pages that show a header or footer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageKind {
    /// All that have no other.
    Default,
    /// The first of a section.
    First,
    /// Even ones.
    Even,
}

impl PageKind {
    /// Its name in documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::First => "first",
            Self::Even => "even",
        }
    }
}

/// The value of a property that people add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PropertyValue {
    /// A text.
    Text(String),
    /// Yes or no.
    Flag(bool),
    /// A number, as it is written.
    Number(String),
}

impl PropertyValue {
    /// As documents write it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) | Self::Number(text) => text.clone(),
            Self::Flag(flag) => flag.to_string(),
        }
    }
}

/// Properties to be set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PropertyChanges {
    /// Those that have a name of their own; an empty text takes one away.
    pub named: BTreeMap<String, String>,
    /// Those that people add; nothing takes one away.
    pub custom: BTreeMap<String, Option<PropertyValue>>,
}
