//! A file of a page for people: its bytes, plain and packed, its tag, and the policy that comes with it.
//!
//! Must never put into a file what a request says: the same bytes go to everybody, without a token.

use std::io::Write as _;

use axum::body::Body;
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use engross_protocol::hex;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// A file of a page.
pub(super) struct PageFile {
    kind: &'static str,
    policy: &'static str,
    plain: &'static [u8],
    packed: Vec<u8>,
    tag: String,
}

impl PageFile {
    /// `policy` is its `Content-Security-Policy`.
    pub(super) fn new(kind: &'static str, policy: &'static str, plain: &'static [u8]) -> Self {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        // Writing to memory cannot fail; what is not packed is sent plain.
        let packed = encoder.write_all(plain).and_then(|()| encoder.finish()).unwrap_or_default();
        let hash = hex::encode(Sha256::digest(plain));
        Self { kind, policy, plain, packed, tag: format!("\"{}\"", hash.get(..32).unwrap_or(&hash)) }
    }

    pub(super) fn response(&self, asked: &HeaderMap) -> Response {
        let text =
            |name: &HeaderName| asked.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let is_known =
            text(&IF_NONE_MATCH).split(',').any(|tag| tag.trim().trim_start_matches("W/") == self.tag);
        let is_packed = !self.packed.is_empty() && takes_gzip(text(&ACCEPT_ENCODING));
        let mut response = Response::new(match (is_known, is_packed) {
            (true, _) => Body::empty(),
            (false, true) => Body::from(self.packed.clone()),
            (false, false) => Body::from(self.plain),
        });
        if is_known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        for (name, value) in [
            (CONTENT_TYPE, self.kind),
            (CONTENT_SECURITY_POLICY, self.policy),
            // Asked for again each time, so that page and program are of one build; the tag makes that cheap.
            (CACHE_CONTROL, "no-cache"),
            (VARY, "accept-encoding"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (REFERRER_POLICY, "no-referrer"),
            (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
            (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if is_packed && !is_known {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        if let Ok(tag) = HeaderValue::from_str(&self.tag) {
            headers.insert(ETAG, tag);
        }
        response
    }
}

/// Whether a client takes gzip, by its `Accept-Encoding`.
fn takes_gzip(accepted: &str) -> bool {
    accepted.split(',').any(|coding| {
        let (name, quality) = coding.split_once(';').unwrap_or((coding, ""));
        let is_refused =
            quality.trim().strip_prefix("q=").is_some_and(|value| value.trim().parse() == Ok(0.0));
        matches!(name.trim(), "gzip" | "*") && !is_refused
    })
}
