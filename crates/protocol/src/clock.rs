//! Time, as a dependency that is passed in. The only place that asks the operating system for it.

use std::fmt;
use std::str::FromStr;

/// A moment in UTC with whole seconds, printed as `2026-01-31T09:30:00Z` (ISO/IEC 29500-1 §22.9.2.2 `ST_DateTime`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

/// The text is no RFC 3339 date with a time zone.
#[derive(Debug, thiserror::Error)]
#[error("'{text}' is not an RFC 3339 date such as 2026-01-31T09:30:00Z")]
pub struct InvalidDate {
    /// What was given.
    pub text: String,
}

impl Timestamp {
    /// The second in which `millis` falls, counted from 1970, UTC.
    #[must_use]
    pub fn from_millis(millis: u64) -> Self {
        let at = i64::try_from(millis).ok().and_then(|millis| jiff::Timestamp::from_millisecond(millis).ok());
        Self::from_jiff(at.unwrap_or(jiff::Timestamp::MAX))
    }

    /// Rounds `at` down to the whole second.
    #[must_use]
    pub fn from_jiff(at: jiff::Timestamp) -> Self {
        Self(jiff::Timestamp::from_second(at.as_second()).unwrap_or(at))
    }
}

impl FromStr for Timestamp {
    type Err = InvalidDate;

    fn from_str(text: &str) -> Result<Self, InvalidDate> {
        text.parse().map(Self::from_jiff).map_err(|_| InvalidDate { text: text.to_owned() })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Tells the time.
pub trait Clock: Send + Sync {
    /// The moment of the call, in whole seconds: what documents say.
    fn now(&self) -> Timestamp;

    /// The moment of the call, in milliseconds since 1970, UTC: what logs say.
    fn millis(&self) -> u64;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that may ask")]
    fn now(&self) -> Timestamp {
        Timestamp::from_jiff(jiff::Timestamp::now())
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that may ask")]
    fn millis(&self) -> u64 {
        u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or_default()
    }
}

/// A clock that stands still: `--date`, and tests.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.0.0.as_millisecond()).unwrap_or_default()
    }
}
