//! How long we wait for a provider, and when we try again.
//!
//! Must never ask for the time: a date in `retry-after` is measured against the date of the same response.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::fmt::rfc2822;
use reqwest::header::{DATE, HeaderMap, HeaderName, RETRY_AFTER};

use crate::Error;

/// Limits of the conversation with a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpPolicy {
    /// How long connecting may take.
    pub connect_timeout: Duration,
    /// How long nothing may come, before the answer begins and between its bytes.
    pub idle_timeout: Duration,
    /// How often a request is repeated that got 429, 5xx or no connection. Nothing else is ever repeated, and nothing
    /// is once an answer has begun.
    pub retries: u32,
    /// Wait before the first repetition; it doubles each time. The provider's `retry-after` goes before it.
    pub first_backoff: Duration,
    /// Longest wait before a repetition. If the provider asks for more, the request fails at once and says so.
    pub longest_wait: Duration,
    /// Bytes of one answer as they come over the wire.
    pub answer_bytes: usize,
}

/// How often requests were repeated. Clones count together.
#[derive(Debug, Clone, Default)]
pub struct RetryCount(Arc<AtomicU64>);

impl RetryCount {
    /// The number so far.
    #[must_use]
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn add_one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Default for HttpPolicy {
    /// 10 s to connect, 120 s of silence, 3 repetitions after 0.5, 1 and 2 s, at most 60 s each, 64 MiB.
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(120),
            retries: 3,
            first_backoff: Duration::from_millis(500),
            longest_wait: Duration::from_secs(60),
            answer_bytes: 64 << 20,
        }
    }
}

impl HttpPolicy {
    /// How long to wait before repeating a request that failed for the `failures`th time; `None` to give up.
    pub(crate) fn wait_before_retry(&self, failures: u32, error: &Error) -> Option<Duration> {
        if failures > self.retries || !matches!(error, Error::RateLimited { .. } | Error::Unavailable { .. })
        {
            return None;
        }
        match error.retry_after() {
            Some(wait) => (wait <= self.longest_wait).then_some(wait),
            None => {
                let doubled = 2_u32.saturating_pow(failures.saturating_sub(1));
                Some(self.first_backoff.saturating_mul(doubled).min(self.longest_wait))
            }
        }
    }
}

/// What the response asks us to wait: seconds, or a date after its own `date`.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let asked = text(RETRY_AFTER)?;
    if let Ok(seconds) = asked.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let parser = rfc2822::DateTimeParser::new();
    let until = parser.parse_timestamp(asked).ok()?;
    let now = parser.parse_timestamp(text(DATE)?).ok()?;
    Some(Duration::try_from(until.duration_since(now)).unwrap_or(Duration::ZERO))
}
