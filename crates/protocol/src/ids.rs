//! Ids: newtypes of sixteen bytes that sort by the time they were made, printed with a prefix.
//!
//! Must never ask for the time: it comes in from outside. The only place that makes ids.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Makes ids.
pub trait IdSource: Send + Sync {
    /// Sixteen bytes that were never given before. `now` is in milliseconds since 1970, UTC.
    fn next(&self, now: u64) -> [u8; 16];
}

/// Ids of version 7 (RFC 9562): the time, then 74 bits from the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    fn next(&self, now: u64) -> [u8; 16] {
        let nanos = u32::try_from(now % 1_000).unwrap_or_default() * 1_000_000;
        let at = uuid::Timestamp::from_unix(uuid::NoContext, now / 1_000, nanos);
        uuid::Uuid::new_v7(at).into_bytes()
    }
}

/// Ids that count from 1 and ignore the time: for tests.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl IdSource for CountingIds {
    fn next(&self, _now: u64) -> [u8; 16] {
        let count = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        u128::from(count).to_be_bytes()
    }
}

/// The text is no id of the kind that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is no id: expected {prefix} and 32 hexadecimal digits in lower case")]
pub struct InvalidId {
    /// What was given.
    pub text: String,
    /// What such an id begins with.
    pub prefix: &'static str,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 16]);

        impl $name {
            /// What its text begins with.
            pub const PREFIX: &'static str = $prefix;

            /// A new one. `now` is in milliseconds since 1970, UTC.
            #[must_use]
            pub fn new(source: &dyn IdSource, now: u64) -> Self {
                Self(source.next(now))
            }

            /// The one with these bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }

            /// Its bytes, which sort as the ids do.
            #[must_use]
            pub const fn to_bytes(self) -> [u8; 16] {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{:032x}"), u128::from_be_bytes(self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                let bytes = text.strip_prefix($prefix).and_then(digits);
                bytes.map(Self).ok_or_else(|| InvalidId { text: text.to_owned(), prefix: $prefix })
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

id!(
    /// A session: one stream of thought, kept as a log.
    SessionId,
    "ses_"
);

id!(
    /// A write session: one file that is being streamed.
    WriteSessionId,
    "wri_"
);

/// Sixteen bytes from exactly 32 hexadecimal digits in lower case.
fn digits(text: &str) -> Option<[u8; 16]> {
    let lower = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let number = (lower && text.len() == 32).then(|| u128::from_str_radix(text, 16).ok()).flatten()?;
    Some(number.to_be_bytes())
}
