//! Room of owners: what adds is refused when there is none, and what makes room never is.

use axum::http::{HeaderMap, HeaderValue, Method, header::CONTENT_LENGTH};

use super::OwnerQuota;

fn admits(quota: &OwnerQuota, method: &Method, path: &str, length: u64) -> bool {
    let headers = HeaderMap::from_iter([(CONTENT_LENGTH, HeaderValue::from(length))]);
    quota.admit(method, path, &headers).is_ok()
}

#[test]
fn what_comes_in_counts_until_it_is_measured() {
    let quota = OwnerQuota::new(Some(1000));
    let chat = "/v1/chat/completions";
    assert!(admits(&quota, &Method::POST, chat, 600) && admits(&quota, &Method::POST, chat, 600));
    assert_eq!(quota.used(), 1200);
    assert!(!admits(&quota, &Method::POST, chat, 1));
    for (method, path) in [
        (Method::GET, "/v1/sessions"),
        (Method::DELETE, "/v1/sessions/a"),
        (Method::POST, "/v1/sessions/a/cancel"),
        (Method::PUT, "/v1/sessions/a/settings"),
        (Method::POST, "/v1/view"),
    ] {
        assert!(admits(&quota, &method, path, 5), "{method} {path}");
    }
    for (method, path) in [
        (Method::PUT, "/v1/workspaces/w/files/a.docx"),
        (Method::POST, "/v1/write-sessions"),
        (Method::GET, "/acp"),
        (Method::POST, "/mcp"),
    ] {
        assert!(!admits(&quota, &method, path, 5), "{method} {path}");
    }
    // A request that comes while it is measured is not forgotten.
    let since = quota.since();
    quota.measured(0, 0);
    assert_eq!(quota.used(), 1200);
    quota.measured(10, since);
    assert!(admits(&quota, &Method::POST, chat, 1) && quota.used() == 11);
    assert!(admits(&OwnerQuota::default(), &Method::POST, chat, u64::MAX), "without a bound there is room");
}
