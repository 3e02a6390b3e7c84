//! Reading one artifact: by its reference, by its scope and path, in ranges.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use engross_artifacts::{ArtifactQuery, ByteSpan, Keys, PageRequest, Scope, SigningKey};
use engross_protocol::hex;
use hmac::{Hmac, KeyInit, Mac};
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{HOUR, NOW, TestBench, key};

fn by_ref(artifact_ref: &str) -> ArtifactQuery<'_> {
    ArtifactQuery { artifact_ref: Some(artifact_ref), ..Default::default() }
}

fn by_path<'a>(scope: &'a Scope, path: &'a str) -> ArtifactQuery<'a> {
    ArtifactQuery {
        artifact_scope: Some(scope.name().as_str()),
        relative_path: Some(path),
        ..Default::default()
    }
}

/// The reference of the first artifact.
fn reference(desk: &TestBench, scope: &Scope) -> String {
    desk.page(scope, PageRequest::default()).artifacts.remove(0).artifact_ref
}

/// A reference as a program that knows the secret would write it.
fn signed(body: &Value, secret: &[u8]) -> String {
    let body = URL_SAFE_NO_PAD.encode(body.to_string());
    let mac = Hmac::<Sha256>::new_from_slice(secret).unwrap().chain_update(&body).finalize();
    format!("{body}.{}", URL_SAFE_NO_PAD.encode(mac.into_bytes()))
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// A reference of version 2 to `a.md` with the content `abc`.
fn second_version(scope: &Scope) -> Value {
    json!({
        "v": 2,
        "workspaceRootHash": sha256(b"/w"),
        "scopeKind": "task",
        "sessionScope": scope.name().session_scope(),
        "runScope": scope.name().as_str(),
        "artifactScope": scope.name().as_str(),
        "relativePath": "a.md",
        "sizeBytes": 3,
        "sha256": sha256(b"abc")
    })
}

#[test]
fn case_032_a_path_alone_is_refused() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "a.md", "abc");
    let wanted = ArtifactQuery { relative_path: Some("a.md"), ..Default::default() };
    assert_eq!(desk.refusal(&scope, wanted), "ARTIFACT_SCOPE_REQUIRED");
    let wanted = ArtifactQuery { artifact_scope: Some(scope.name().as_str()), ..Default::default() };
    assert_eq!(desk.refusal(&scope, wanted), "ARTIFACT_SCOPE_REQUIRED");
    assert_eq!(desk.refusal(&scope, ArtifactQuery::default()), "ARTIFACT_SCOPE_REQUIRED");
}

#[test]
fn case_033_scope_and_path_of_this_run_are_read() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "x/a.md", "abc");
    let open = desk.open(&scope, by_path(&scope, "x/a.md")).unwrap();
    assert_eq!((open.size(), open.content_type()), (3, "text/markdown"));
    assert_eq!(open.etag(), format!("\"{}\"", sha256(b"abc")));
    let mut text = String::new();
    open.stream_all().unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "abc");
}

#[test]
fn case_120_what_is_not_delivered_is_not_shown() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "artifact-ignore.md", "*.log\ndrafts/\n");
    for hidden in ["a.log", "drafts/a.md", "drafts/deep/b.md", "artifact-ignore.md", ".git/config"] {
        if hidden != "artifact-ignore.md" {
            desk.put(&scope, hidden, "not for you");
        }
        assert_eq!(desk.refusal(&scope, by_path(&scope, hidden)), "ARTIFACT_REFUSED", "{hidden}");
    }
    desk.put(&scope, "sub/a.log", "a rule for the top");
    desk.open(&scope, by_path(&scope, "sub/a.log")).unwrap();
    assert_eq!(desk.manifest(&scope).files.len(), 1, "the list and the door agree");
}

#[test]
fn cases_025_and_034_another_runs_scope_is_refused() {
    let desk = TestBench::new();
    let (scope, other, foreign) = (desk.scope("s", "r"), desk.scope("s", "other"), desk.scope("t", "r"));
    for scope_of in [&other, &foreign] {
        desk.put(scope_of, "a.md", "abc");
        assert_eq!(desk.refusal(&scope, by_path(scope_of, "a.md")), "SCOPE_MISMATCH");
        let given = Some(scope_of.name().as_str());
        let opened = desk.workspace.open(scope.session(), scope.run(), given).map(|_| ());
        assert_eq!(opened.map_err(|error| error.code()), Err("SCOPE_MISMATCH"));
    }
}

#[test]
fn cases_035_and_036_references_from_another_session_or_run_are_refused() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    for (key, id) in [("s", "other"), ("t", "r"), ("a/b", "r"), ("a:b", "r")] {
        let other = desk.scope(key, id);
        desk.put(&other, "a.md", "abc");
        desk.put(&scope, "a.md", "abc");
        let theirs = reference(&desk, &other);
        assert_eq!(desk.refusal(&other, by_ref(&theirs)), "opened");
        assert_eq!(desk.refusal(&scope, by_ref(&theirs)), "ARTIFACT_REF_MISMATCH");
    }
}

#[test]
fn case_037_references_that_were_changed_anywhere_are_refused() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "a.md", "abc");
    let good = reference(&desk, &scope);
    assert_eq!(desk.refusal(&scope, by_ref(&good)), "opened");
    for at in 0..good.len() {
        let mut bytes = good.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        assert_eq!(desk.refusal(&scope, by_ref(&changed)), "ARTIFACT_REF_INVALID", "at {at}");
        assert_eq!(desk.refusal(&scope, by_ref(&good[..at])), "ARTIFACT_REF_INVALID", "the first {at}");
    }
    for more in
        [format!("{good}A"), format!("{good}="), format!("{good}."), format!(" {good}"), ".".to_owned()]
    {
        assert_eq!(desk.refusal(&scope, by_ref(&more)), "ARTIFACT_REF_INVALID", "{more}");
    }
}

#[test]
fn case_038_the_second_version_is_read_and_the_first_is_refused() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "a.md", "abc");
    desk.put(&scope, "b.md", "abd");
    let good = second_version(&scope);
    let with = |name: &str, value: Value| {
        let mut body = good.clone();
        body[name] = value;
        signed(&body, &[1; 32])
    };
    assert_eq!(desk.refusal(&scope, by_ref(&signed(&good, &[1; 32]))), "opened");
    assert_eq!(desk.refusal(&scope, by_ref(&signed(&good, &[2; 32]))), "ARTIFACT_REF_INVALID");
    let table = [
        (with("v", json!(1)), "ARTIFACT_REF_INVALID"),
        (with("v", json!(3)), "ARTIFACT_REF_INVALID"),
        (with("v", json!("2")), "ARTIFACT_REF_INVALID"),
        (with("sizeBytes", json!(-1)), "ARTIFACT_REF_INVALID"),
        (with("workspaceRootHash", json!(sha256(b"/x"))), "ARTIFACT_REF_MISMATCH"),
        (with("scopeKind", json!("workspace")), "ARTIFACT_REF_MISMATCH"),
        (with("sessionScope", json!("tasks/t")), "ARTIFACT_REF_MISMATCH"),
        (with("runScope", json!("tasks/s/x")), "ARTIFACT_REF_MISMATCH"),
        (with("artifactScope", json!("tasks/s/x")), "ARTIFACT_REF_MISMATCH"),
        (with("relativePath", json!("../r/a.md")), "ARTIFACT_PATH_INVALID"),
        (with("relativePath", json!("b.md")), "ARTIFACT_CHANGED"),
        (with("sizeBytes", json!(4)), "ARTIFACT_CHANGED"),
        (with("relativePath", json!("c.md")), "ARTIFACT_NOT_FOUND"),
    ];
    for (at, (text, code)) in table.iter().enumerate() {
        assert_eq!(desk.refusal(&scope, by_ref(text)), *code, "row {at}");
    }
}

#[test]
fn a_reference_and_a_path_or_scope_that_differ_are_refused() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "a.md", "abc");
    desk.put(&scope, "x/b.md", "abc");
    let page = desk.page(&scope, PageRequest::default());
    let artifact = page.artifacts.iter().find(|artifact| artifact.relative_path == "a.md").unwrap();
    let with = |artifact_scope, relative_path| {
        let artifact_ref = Some(artifact.artifact_ref.as_str());
        desk.refusal(&scope, ArtifactQuery { artifact_ref, artifact_scope, relative_path })
    };
    assert_eq!(with(Some(scope.name().as_str()), Some("a.md")), "opened");
    assert_eq!(with(None, Some("x/b.md")), "ARTIFACT_REF_MISMATCH");
    assert_eq!(with(Some("tasks/s/other"), None), "SCOPE_MISMATCH");
}

#[test]
fn a_file_that_changed_since_it_was_signed_is_refused() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    let path = desk.put(&scope, "a.md", "abc");
    let before = reference(&desk, &scope);
    std::thread::sleep(std::time::Duration::from_millis(20));
    super::write(&path, "abd");
    assert_eq!(desk.refusal(&scope, by_ref(&before)), "ARTIFACT_CHANGED");
    std::fs::remove_file(path).unwrap();
    assert_eq!(desk.refusal(&scope, by_ref(&before)), "ARTIFACT_NOT_FOUND");
}

#[test]
fn v10_references_outlive_a_restart_a_new_key_and_not_its_end() {
    let mut desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "a.md", "abc");
    let first = reference(&desk, &scope);
    let retiring = |at| SigningKey::new("k1", vec![1; 32], at).unwrap();
    desk.keys = Keys::new(vec![key("k2", 2), retiring(Some(NOW + HOUR))]);
    assert_eq!(desk.refusal(&scope, by_ref(&first)), "opened", "the old key verifies");
    let second = reference(&desk, &scope);
    desk.keys = Keys::new(vec![key("k2", 2), retiring(Some(NOW))]);
    assert_eq!(desk.refusal(&scope, by_ref(&first)), "ARTIFACT_REF_INVALID", "it is retired");
    assert_eq!(desk.refusal(&scope, by_ref(&second)), "opened", "the new key signed");
    desk.keys = Keys::new(vec![key("k3", 2)]);
    assert_eq!(desk.refusal(&scope, by_ref(&second)), "ARTIFACT_REF_INVALID", "no key of that name");
    desk.keys = Keys::new(vec![retiring(Some(NOW))]);
    let page = scope.page(&desk.manifest(&scope), PageRequest::default(), desk.signer(), desk.hashing());
    assert_eq!(page.map_err(|error| error.code()), Err("SIGNING_KEY_UNUSABLE"));
}

#[test]
fn a_reference_is_good_until_it_expires() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "a.md", "abc");
    let reference = reference(&desk, &scope);
    let at = |now| scope.open_wanted(by_ref(&reference), &desk.keys, now, desk.hashing()).map(|_| ());
    assert_eq!(at(NOW + HOUR - 1), Ok(()));
    assert_eq!(at(NOW + HOUR).map_err(|error| error.code()), Err("ARTIFACT_REF_EXPIRED"));
}

#[test]
fn weak_keys_are_refused_and_secrets_are_not_shown() {
    for (id, secret) in [("k", vec![1; 15]), ("", vec![1; 16]), ("a b", vec![1; 16]), ("k", vec![])] {
        assert_eq!(
            SigningKey::new(id, secret, None).map_err(|error| error.code()).err(),
            Some("SIGNING_KEY_UNUSABLE")
        );
    }
    let shown = format!(
        "{:?}",
        Keys::new(vec![SigningKey::new("k", b"hunter2hunter2hunter2".to_vec(), None).unwrap()])
    );
    assert!(!shown.contains("hunter2") && !shown.contains("104, 117"), "{shown}");
}

#[test]
fn case_039_a_file_over_the_limit_has_no_content() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "a.md", "abc");
    for (inline, content) in [(3, Some("YWJj")), (2, None)] {
        let open = desk.open(&scope, by_path(&scope, "a.md")).unwrap();
        let (artifact, warning) = scope.artifact_of(open, inline, desk.signer()).unwrap();
        assert_eq!((artifact.size_bytes, artifact.content.as_deref()), (3, content));
        assert_eq!(warning.is_some(), content.is_none());
    }
}

#[test]
fn case_040_paths_that_could_lead_out_are_refused() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "a.md", "abc");
    let table = [
        "",
        "..",
        "../a.md",
        "a/../../a.md",
        "x/../a.md",
        "./a.md",
        "/etc/passwd",
        "a.md/",
        "a//b",
        "a\0b",
        "\u{fffd}2E\u{fffd}2E/a",
        "\u{fffd}",
        "\u{fffd}GG",
        "\u{fffd}41.md",
        ".engross-tmp-1",
        &"a/".repeat(3000),
    ];
    for path in table {
        assert_eq!(desk.refusal(&scope, by_path(&scope, path)), "ARTIFACT_PATH_INVALID", "{path:?}");
    }
    for path in ["missing", "missing/a.md", "A\\..\\..\\b"] {
        assert_eq!(desk.refusal(&scope, by_path(&scope, path)), "ARTIFACT_NOT_FOUND", "{path:?}");
    }
    for path in ["a.md/x", ".git/config", "x/node_modules/a"] {
        assert_eq!(desk.refusal(&scope, by_path(&scope, path)), "ARTIFACT_REFUSED", "{path:?}");
    }
}

#[test]
fn ranges_are_those_of_http() {
    let span = |start, end| Ok(Some(ByteSpan { start, end }));
    let table = [
        ("bytes=0-0", span(0, 1)),
        ("bytes=2-5", span(2, 6)),
        ("bytes=7-", span(7, 10)),
        ("bytes=-3", span(7, 10)),
        ("bytes=-30", span(0, 10)),
        ("bytes=5-100", span(5, 10)),
        ("Bytes= 0-1", span(0, 2)),
        ("bytes=0-99999999999999999999999", span(0, 10)),
        ("bytes=10-", Err("RANGE_INVALID")),
        ("bytes=99999999999999999999999-", Err("RANGE_INVALID")),
        ("bytes=-0", Err("RANGE_INVALID")),
        ("bytes=5-2", Ok(None)),
        ("bytes=0-1,3-4", Ok(None)),
        ("lines=0-1", Ok(None)),
        ("bytes=", Ok(None)),
        ("bytes=a-b", Ok(None)),
        ("0-1", Ok(None)),
    ];
    for (header, expected) in table {
        assert_eq!(ByteSpan::of_header(header, 10).map_err(|error| error.code()), expected, "{header}");
    }
    assert!(ByteSpan::of_header("bytes=0-", 0).is_err(), "an empty file has no range");
}

proptest! {
    #[test]
    fn a_range_is_a_part_of_the_file(content in prop::collection::vec(any::<u8>(), 0..3000), start in 0_u64..3100, end in 0_u64..3100) {
        let desk = TestBench::new();
        let scope = desk.scope("s", "r");
        desk.put(&scope, "a", &content);
        let streamed = desk.open(&scope, by_path(&scope, "a")).unwrap().stream(ByteSpan { start, end });
        let expected = content.get(start as usize..end as usize);
        prop_assert_eq!(streamed.is_ok(), expected.is_some());
        if let (Ok(mut stream), Some(expected)) = (streamed, expected) {
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).unwrap();
            prop_assert_eq!(bytes, expected);
        }
    }
}

#[test]
fn a_stream_ends_well_only_if_the_file_stayed_the_same() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    let outcome = |change: &dyn Fn(&std::path::Path)| {
        let path = desk.put(&scope, "a", vec![7; 300_000]);
        super::set_age(&path, 100);
        let mut stream = desk.open(&scope, by_path(&scope, "a")).unwrap().stream_all().unwrap();
        let mut first = [0; 1000];
        stream.read_exact(&mut first).unwrap();
        change(&path);
        stream.read_to_end(&mut Vec::new()).is_ok()
    };
    assert!(outcome(&|_| {}));
    assert!(outcome(&|path| std::fs::remove_file(path).unwrap()), "removed");
    assert!(!outcome(&|path| super::write(path, vec![8; 300_000])), "overwritten");
    assert!(!outcome(&|path| super::write(path, "short")), "cut");
}
