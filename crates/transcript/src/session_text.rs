//! A text of a session: held, or, where it is long, the place where it stands, so that it is read again when it is needed.
//!
//! Must never shorten: [`SessionText::whole`] gives every character, or nothing and a note to the source that it failed.

use std::borrow::Cow;
use std::fmt::{self, Debug, Formatter};
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// Where a text stands in the lines of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPlace {
    /// Bytes before its line.
    pub offset: u64,
    /// Bytes of its line, without its end.
    pub length: u32,
    /// Which text of the line it is, from 0.
    pub nth: u32,
    /// Its own bytes.
    pub bytes: u32,
    /// Tells whether it is still the same text.
    pub hash: u64,
}

/// Gives texts of a session again.
pub trait TextSource: Debug + Send + Sync {
    /// The text at a place; `None` when it does not stand there any more. The source remembers that it failed.
    fn text(&self, place: &TextPlace) -> Option<String>;

    /// Whether a text could not be given again: what was made of the session is not to be trusted.
    fn has_failed(&self) -> bool;
}

/// A text of a session.
#[derive(Clone)]
pub struct SessionText(TextKind);

#[derive(Clone)]
enum TextKind {
    Here(Box<str>),
    There(Box<FarText>),
}

#[derive(Debug, Clone)]
struct FarText {
    source: SharedSource,
    place: TextPlace,
}

/// A source that very many texts name, each in the room of one address.
#[derive(Debug, Clone)]
pub(super) struct SharedSource(Arc<SourceOfTexts>);

#[derive(Debug)]
struct SourceOfTexts(Arc<dyn TextSource>);

impl From<Arc<dyn TextSource>> for SharedSource {
    fn from(source: Arc<dyn TextSource>) -> Self {
        Self(Arc::new(SourceOfTexts(source)))
    }
}

impl SessionText {
    /// A text that stands elsewhere.
    pub(super) fn there(source: SharedSource, place: TextPlace) -> Self {
        Self(TextKind::There(Box::new(FarText { source, place })))
    }

    /// All of it.
    #[must_use]
    pub fn whole(&self) -> Cow<'_, str> {
        match &self.0 {
            TextKind::Here(text) => Cow::Borrowed(text),
            TextKind::There(far) => Cow::Owned(far.source.0.0.text(&far.place).unwrap_or_default()),
        }
    }

    /// Its bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            TextKind::Here(text) => text.len(),
            TextKind::There(far) => usize::try_from(far.place.bytes).unwrap_or(usize::MAX),
        }
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Default for SessionText {
    fn default() -> Self {
        Self::from("")
    }
}

impl From<String> for SessionText {
    fn from(text: String) -> Self {
        Self(TextKind::Here(text.into_boxed_str()))
    }
}

impl From<&str> for SessionText {
    fn from(text: &str) -> Self {
        Self(TextKind::Here(text.into()))
    }
}

impl PartialEq for SessionText {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.whole() == other.whole()
    }
}

impl PartialEq<str> for SessionText {
    fn eq(&self, other: &str) -> bool {
        self.len() == other.len() && self.whole() == other
    }
}

impl PartialEq<&str> for SessionText {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl Debug for SessionText {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            TextKind::Here(text) => Debug::fmt(text, f),
            TextKind::There(far) => Debug::fmt(&far.place, f),
        }
    }
}

impl Serialize for SessionText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.whole())
    }
}
