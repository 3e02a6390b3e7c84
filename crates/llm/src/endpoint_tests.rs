//! Tests of [`super::endpoint`].

use crate::endpoint::{base_url, join, ollama_base_url};

#[test]
fn paths_are_added() {
    for (base, version, expected) in [
        ("https://host", None, "https://host/a/b"),
        ("https://host/", None, "https://host/a/b"),
        ("https://host/x/v1//", None, "https://host/x/v1//a/b"),
        ("https://host", Some("v1"), "https://host/v1/a/b"),
        ("https://host/v1", Some("v1"), "https://host/v1/a/b"),
        ("https://host/x/v1/", Some("v1"), "https://host/x/v1/a/b"),
        ("https://host/v2", Some("v1"), "https://host/v2/v1/a/b"),
    ] {
        assert_eq!(join(base_url(base).unwrap(), version, &["a", "b"]).as_str(), expected, "{base}");
    }
    let name = join(base_url("https://host").unwrap(), None, &["models", "a b/../?#%:go"]);
    assert_eq!(name.as_str(), "https://host/models/a%20b%2F..%2F%3F%23%25:go");
}

#[test]
fn only_plain_addresses_are_taken() {
    for bad in [
        "",
        "host",
        "/path",
        "ftp://host",
        "file:///etc/passwd",
        "http://",
        "https://user@host",
        "https://user:password@host/v1",
        "https://host?key=secret",
        "https://host/#x",
        "mailto:a@b",
    ] {
        let reason = base_url(bad).unwrap_err();
        assert!(!reason.contains("password") && !reason.contains("secret"), "{bad}: {reason}");
    }
}

#[test]
fn ollama_hosts() {
    for (host, expected) in [
        ("127.0.0.1:11434", "http://127.0.0.1:11434/"),
        ("gpu-box", "http://gpu-box:11434/"),
        ("gpu-box:80", "http://gpu-box/"),
        (" 0.0.0.0 ", "http://127.0.0.1:11434/"),
        ("0.0.0.0:9999", "http://127.0.0.1:9999/"),
        ("[::]:9999", "http://127.0.0.1:9999/"),
        ("[::1]", "http://[::1]:11434/"),
        ("http://gpu-box", "http://gpu-box/"),
        ("https://gpu-box/ollama", "https://gpu-box/ollama"),
        ("gpu-box/ollama", "http://gpu-box:11434/ollama"),
    ] {
        assert_eq!(ollama_base_url(host).unwrap().as_str(), expected, "{host}");
    }
    for bad in ["", " ", "http://", "a b", "user:password@host"] {
        assert!(ollama_base_url(bad).is_err(), "{bad}");
    }
}
