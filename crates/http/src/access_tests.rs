//! Who may use the server.

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use super::access::{Access, Token};

fn check(access: &Access, headers: &[(&str, &str)]) -> String {
    let headers: HeaderMap = headers
        .iter()
        .map(|(name, value)| {
            (name.parse::<HeaderName>().unwrap(), HeaderValue::from_bytes(value.as_bytes()).unwrap())
        })
        .collect();
    access.check(&headers).map_or_else(|error| error.code().to_owned(), |_| "in".to_owned())
}

#[test]
fn with_a_token() {
    let access = Access {
        token: Some(Token::new("s3cret")),
        origins: vec!["https://app.example".to_owned()],
        ..Access::default()
    };
    let host = ("host", "api.example");
    for (authorization, expected) in [
        ("Bearer s3cret", "in"),
        ("bearer s3cret ", "in"),
        ("Bearer s3cre", "UNAUTHORIZED"),
        ("Bearer s3crets", "UNAUTHORIZED"),
        ("Bearer S3cret", "UNAUTHORIZED"),
        ("Bearer ", "UNAUTHORIZED"),
        ("Bearer", "UNAUTHORIZED"),
        ("", "UNAUTHORIZED"),
        ("Basic s3cret", "UNAUTHORIZED"),
        ("s3cret", "UNAUTHORIZED"),
        ("Bearerés3cret", "UNAUTHORIZED"),
    ] {
        assert_eq!(check(&access, &[host, ("authorization", authorization)]), expected, "{authorization}");
    }
    assert_eq!(check(&access, &[host]), "UNAUTHORIZED");
}

#[test]
fn without_a_token_only_names_of_this_machine_lead_here() {
    let access = Access::default();
    for (host, expected) in [
        ("localhost", "in"),
        ("localhost:8080", "in"),
        ("127.0.0.1:1", "in"),
        ("[::1]:8080", "in"),
        ("[::1]", "in"),
        ("evil.example", "ORIGIN_NOT_ALLOWED"),
        ("localhost.evil.example", "ORIGIN_NOT_ALLOWED"),
        ("localhost:evil", "ORIGIN_NOT_ALLOWED"),
        ("localhost:", "ORIGIN_NOT_ALLOWED"),
        ("127.0.0.1.evil.example:80", "ORIGIN_NOT_ALLOWED"),
    ] {
        assert_eq!(check(&access, &[("host", host)]), expected, "{host}");
    }
}

#[test]
fn pages_of_other_origins_stay_out() {
    let listed = Access { origins: vec!["https://app.example/".to_owned()], ..Access::default() };
    let all = Access { origins: vec!["*".to_owned()], ..Access::default() };
    for (origin, with_list, with_all) in [
        ("http://localhost:3000", "in", "in"),
        ("https://localhost", "in", "in"),
        ("http://127.0.0.1:5173", "in", "in"),
        ("http://[::1]:5173", "in", "in"),
        ("https://app.example", "in", "in"),
        ("http://app.example", "ORIGIN_NOT_ALLOWED", "in"),
        ("https://app.example.evil", "ORIGIN_NOT_ALLOWED", "in"),
        ("https://localhost.evil.example", "ORIGIN_NOT_ALLOWED", "in"),
        ("https://localhost:1@evil.example", "ORIGIN_NOT_ALLOWED", "in"),
        ("null", "ORIGIN_NOT_ALLOWED", "in"),
        ("", "ORIGIN_NOT_ALLOWED", "in"),
    ] {
        let headers = [("host", "localhost:8080"), ("origin", origin)];
        assert_eq!(check(&listed, &headers), with_list, "{origin}");
        assert_eq!(check(&all, &headers), with_all, "{origin}");
    }
    let token = Access { token: Some(Token::new("t")), ..Access::default() };
    let own = [("host", "api.example"), ("origin", "https://api.example"), ("authorization", "Bearer t")];
    assert_eq!(check(&token, &own), "in", "pages that the server itself gives out");
}
