//! Signed download links.

use engross_artifacts::{Keys, LinkQuery, Sha256Sum, SigningKey};
use engross_protocol::hex;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::{HOUR, NOW, key, run, session};

fn keys() -> Keys {
    Keys::new(vec![key("new", 2), key("old", 1)])
}

/// What the bytes of the file are known by.
const SHA: Sha256Sum = Sha256Sum::from_bytes([0xab; 32]);

/// A query, its fields decoded.
fn query(text: &str) -> LinkQuery {
    let field = |name: &str| {
        let value = text.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}="))).unwrap();
        percent_encoding::percent_decode_str(value).decode_utf8().unwrap().into_owned()
    };
    LinkQuery {
        session_key: field("sessionKey"),
        run_id: field("runId"),
        relative_path: field("relativePath"),
        expires: field("expires"),
        sha256: Some(field("sha256")),
        sig: field("sig"),
    }
}

fn good() -> LinkQuery {
    query(
        &keys()
            .link(&session("agent:main:x"), &run("run-9"), ("reports/brief & co.md", SHA), NOW, HOUR)
            .unwrap(),
    )
}

fn code(query: &LinkQuery, now: u64) -> &'static str {
    keys().follow(query, now).map_or_else(|error| error.code(), |_| "good")
}

#[test]
fn a_link_has_the_form_of_the_contract() {
    let link =
        keys().link(&session("agent:main:x"), &run("run-9"), ("reports/brief.md", SHA), NOW, HOUR).unwrap();
    let expires = (NOW + HOUR) / 1000;
    let message = format!("agent:main:x\nrun-9\nreports/brief.md\n{expires}\n{SHA}");
    let mac = Hmac::<Sha256>::new_from_slice(&[2; 32]).unwrap().chain_update(message).finalize().into_bytes();
    let sig = hex::encode(mac);
    let expected = format!(
        "sessionKey=agent%3Amain%3Ax&runId=run-9&relativePath=reports%2Fbrief.md&sha256={SHA}&expires={expires}&sig={sig}"
    );
    assert_eq!(link, expected);
}

#[test]
fn a_link_leads_to_its_file_until_it_expires() {
    let target = keys().follow(&good(), NOW + HOUR - 1).unwrap();
    assert_eq!((target.session, target.run), (session("agent:main:x"), run("run-9")));
    assert_eq!(target.path.as_str(), "reports/brief & co.md");
    assert_eq!(code(&good(), NOW + HOUR), "DOWNLOAD_LINK_EXPIRED");
}

#[test]
fn a_link_that_was_changed_anywhere_is_refused() {
    let changes: [fn(&mut LinkQuery); 12] = [
        |query| query.sha256 = None,
        |query| query.sha256 = Some("ab".repeat(31) + "ac"),
        |query| query.session_key.push('x'),
        |query| query.run_id.push('x'),
        |query| query.relative_path.push('x'),
        |query| query.expires.push('0'),
        |query| query.expires.insert(0, '0'),
        |query| query.expires.insert(0, '+'),
        |query| query.sig.replace_range(..1, if query.sig.starts_with('0') { "1" } else { "0" }),
        |query| query.sig.truncate(62),
        |query| query.sig.clear(),
        |query| (query.session_key, query.run_id) = (query.run_id.clone(), query.session_key.clone()),
    ];
    for (at, change) in changes.iter().enumerate() {
        let mut query = good();
        change(&mut query);
        assert_eq!(code(&query, NOW), "DOWNLOAD_LINK_INVALID", "change {at}");
        assert_eq!(code(&query, u64::MAX), "DOWNLOAD_LINK_INVALID", "nothing is told about a wrong link");
    }
}

#[test]
fn paths_and_keys_that_no_link_is_issued_for_are_refused_first() {
    for path in ["", "/a", "../a", "a//b", "a/./b"] {
        assert_eq!(
            code(&LinkQuery { relative_path: path.to_owned(), ..good() }, NOW),
            "ARTIFACT_PATH_INVALID",
            "{path}"
        );
    }
    let query = LinkQuery { session_key: "a\nb".to_owned(), ..good() };
    assert_eq!(code(&query, NOW), "SCOPE_KEY_INVALID", "a line break could move the border between fields");
}

/// 0.1.0 issued links without a hash.
#[test]
fn a_link_of_old_still_leads_to_its_file() {
    let expires = (NOW + HOUR) / 1000;
    let message = format!("agent:main:x\nrun-9\na.md\n{expires}");
    let mac = Hmac::<Sha256>::new_from_slice(&[2; 32]).unwrap().chain_update(message).finalize().into_bytes();
    let old = LinkQuery { relative_path: "a.md".to_owned(), sha256: None, sig: hex::encode(mac), ..good() };
    assert_eq!(keys().follow(&old, NOW).unwrap().sha256, None);
    assert_eq!(code(&LinkQuery { sha256: Some(SHA.to_string()), ..old }, NOW), "DOWNLOAD_LINK_INVALID");
}

#[test]
fn an_older_key_verifies_until_it_is_retired() {
    let old = Keys::new(vec![key("old", 1)]).link(&session("s"), &run("r"), ("a", SHA), NOW, HOUR).unwrap();
    assert_eq!(code(&query(&old), NOW), "good");
    let retired = SigningKey::new("old", vec![1; 32], Some(NOW)).unwrap();
    let keys = Keys::new(vec![key("new", 2), retired]);
    assert_eq!(keys.follow(&query(&old), NOW).map_err(|error| error.code()), Err("DOWNLOAD_LINK_INVALID"));
}
