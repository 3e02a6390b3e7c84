//! Tests of [`super::policy`].

use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, HeaderValue, RETRY_AFTER};

use super::policy::{HttpPolicy, retry_after};
use crate::Error;

fn unavailable(retry_after: Option<u64>) -> Error {
    let retry_after = retry_after.map(Duration::from_secs);
    Error::Unavailable { provider: "a", retry_after, message: String::new() }
}

#[test]
fn waits_double_and_end() {
    let policy = HttpPolicy { retries: 9, ..HttpPolicy::default() };
    let waits: Vec<Option<Duration>> =
        (1..=10).map(|failures| policy.wait_before_retry(failures, &unavailable(None))).collect();
    let expected = [500, 1000, 2000, 4000, 8000, 16000, 32000, 60000, 60000];
    let mut expected: Vec<Option<Duration>> = expected.map(|it| Some(Duration::from_millis(it))).to_vec();
    expected.push(None);
    assert_eq!(waits, expected);
    let endless = HttpPolicy { retries: u32::MAX, ..policy };
    assert_eq!(endless.wait_before_retry(u32::MAX, &unavailable(None)), Some(policy.longest_wait));
}

#[test]
fn the_provider_goes_before() {
    let policy = HttpPolicy::default();
    let wait = |seconds| policy.wait_before_retry(1, &unavailable(Some(seconds)));
    assert_eq!(wait(0), Some(Duration::ZERO));
    assert_eq!(wait(60), Some(Duration::from_secs(60)));
    assert_eq!(wait(61), None);
}

#[test]
fn only_what_may_pass_is_repeated() {
    let policy = HttpPolicy::default();
    assert_eq!(policy.wait_before_retry(1, &Error::Truncated), None);
    let timeout = Error::Timeout { provider: "a", waited: Duration::ZERO };
    assert_eq!(policy.wait_before_retry(1, &timeout), None);
    let none = HttpPolicy { retries: 0, ..policy };
    assert_eq!(none.wait_before_retry(1, &unavailable(None)), None);
}

#[test]
fn retry_after_is_seconds_or_a_date() {
    let now = "Sun, 06 Nov 1994 08:49:37 GMT";
    for (asked, date, expected) in [
        ("7", None, Some(Duration::from_secs(7))),
        (" 0.5 ", None, Some(Duration::from_millis(500))),
        ("Sun, 06 Nov 1994 08:50:37 GMT", Some(now), Some(Duration::from_secs(60))),
        ("Sun, 06 Nov 1994 08:48:37 GMT", Some(now), Some(Duration::ZERO)),
        ("Sun, 06 Nov 1994 08:50:37 GMT", None, None),
        ("Sun, 06 Nov 1994 08:50:37 GMT", Some("yesterday"), None),
        ("-1", None, None),
        ("inf", None, None),
        ("NaN", None, None),
        ("1e300", None, None),
        ("soon", Some(now), None),
    ] {
        let mut headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(asked))]);
        headers.extend(date.map(|date| (DATE, HeaderValue::from_static(date))));
        assert_eq!(retry_after(&headers), expected, "{asked}");
    }
    assert_eq!(retry_after(&HeaderMap::new()), None);
}
