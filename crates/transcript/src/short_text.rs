//! Texts of which a session has very many: ids, times and the names of tools, in as few bytes as they take.
//!
//! Must never change a text: what does not fit in few bytes is held as it is.

use std::borrow::Borrow;
use std::collections::HashSet;
use std::fmt::{self, Debug, Display, Formatter};
use std::ops::Deref;
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// Bytes of an id that need no memory of their own.
const INLINE: usize = 22;

/// A text that is mostly short, such as an id.
#[derive(Clone)]
pub struct ShortText(ShortTextKind);

#[derive(Clone)]
enum ShortTextKind {
    Here { length: u8, bytes: [u8; INLINE] },
    Far(Box<str>),
}

impl From<&str> for ShortText {
    fn from(text: &str) -> Self {
        let mut bytes = [0; INLINE];
        match (bytes.get_mut(..text.len()), u8::try_from(text.len())) {
            (Some(head), Ok(length)) => {
                head.copy_from_slice(text.as_bytes());
                Self(ShortTextKind::Here { length, bytes })
            }
            _ => Self(ShortTextKind::Far(text.into())),
        }
    }
}

impl Deref for ShortText {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            ShortTextKind::Here { length, bytes } => {
                let text = bytes.get(..usize::from(*length)).unwrap_or_default();
                std::str::from_utf8(text).unwrap_or_default()
            }
            ShortTextKind::Far(text) => text,
        }
    }
}

/// When something was: an ISO date as agents write it, `2026-11-28T02:38:38.123Z`, or whatever stands there.
#[derive(Clone, PartialEq, Eq)]
pub struct StepTime(StepTimeKind);

#[derive(Clone, PartialEq, Eq)]
enum StepTimeKind {
    /// The seventeen digits of an ISO date.
    Digits(u64),
    #[expect(
        clippy::box_collection,
        reason = "hardly any time is so, and each takes the room of the largest"
    )]
    Far(Box<String>),
}

/// Where digits stand in an ISO date, and what stands between them.
const ISO: &[u8] = b"0000-00-00T00:00:00.000Z";

impl From<&str> for StepTime {
    fn from(text: &str) -> Self {
        let is_iso = text.len() == ISO.len()
            && text.bytes().zip(ISO).all(|(byte, model)| match model {
                b'0' => byte.is_ascii_digit(),
                model => byte == *model,
            });
        if !is_iso {
            return Self(StepTimeKind::Far(Box::new(text.to_owned())));
        }
        let digits = text.bytes().filter(u8::is_ascii_digit);
        Self(StepTimeKind::Digits(digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))))
    }
}

impl Display for StepTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            StepTimeKind::Digits(number) => {
                let digits = format!("{number:017}");
                let mut digits = digits.chars();
                let shown = ISO.iter().filter_map(|model| match model {
                    b'0' => digits.next(),
                    model => Some(char::from(*model)),
                });
                f.write_str(&shown.collect::<String>())
            }
            StepTimeKind::Far(text) => f.write_str(text),
        }
    }
}

impl Debug for StepTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.to_string(), f)
    }
}

impl Serialize for StepTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A name that many steps have, such as that of a tool: they share it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SharedName(Arc<String>);

impl From<&str> for SharedName {
    fn from(name: &str) -> Self {
        Self(Arc::new(name.to_owned()))
    }
}

impl Deref for SharedName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for SharedName {
    fn borrow(&self) -> &str {
        self
    }
}

/// Gives the same name for the same text.
#[derive(Debug, Default)]
pub struct SharedNames(HashSet<SharedName>);

impl SharedNames {
    /// The name that says `text`.
    pub fn name(&mut self, text: &str) -> SharedName {
        if let Some(name) = self.0.get(text) {
            return name.clone();
        }
        let name = SharedName::from(text);
        self.0.insert(name.clone());
        name
    }
}

macro_rules! acts_as_text {
    ($($type:ty),*) => {$(
        impl Default for $type {
            fn default() -> Self {
                Self::from("")
            }
        }

        impl Display for $type {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.write_str(self)
            }
        }

        impl Debug for $type {
            fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
                Debug::fmt(&**self, f)
            }
        }

        impl PartialEq<str> for $type {
            fn eq(&self, other: &str) -> bool {
                **self == *other
            }
        }

        impl PartialEq<&str> for $type {
            fn eq(&self, other: &&str) -> bool {
                **self == **other
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self)
            }
        }
    )*};
}

acts_as_text!(ShortText, SharedName);

impl PartialEq for ShortText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for ShortText {}
