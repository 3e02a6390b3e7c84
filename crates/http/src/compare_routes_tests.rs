//! `/v1/compare` and `/v1/view`: documents in a form, and a redline, a report or HTML.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request};
use engross_docx::revisions::Side;
use engross_docx::{Limits, WordDocument, from_markdown};
use serde_json::json;
use tower::ServiceExt;

use crate::testing::client::{Got, plain, send};

const FORM: (&str, &str) = ("content-type", "multipart/form-data; boundary=X");

fn document(markdown: &str) -> Vec<u8> {
    from_markdown(markdown, None, &Limits::default()).unwrap()
}

fn form(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, bytes) in parts {
        let head =
            format!("--X\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{name}\"\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--X--\r\n");
    body
}

async fn report(app: &Router, parts: &[(&str, &[u8])]) -> Got {
    let headers = [FORM, ("accept", "text/html, application/json;q=0.9")];
    send(app, Method::POST, "/v1/compare", &headers, form(parts)).await
}

#[tokio::test]
async fn two_documents_become_a_redline() {
    let (_, app) = plain();
    let (before, after) =
        (document("# Fees\n\nThe fee is ten euros."), document("# Fees\n\nThe fee is twelve euros."));
    let parts: &[(&str, &[u8])] =
        &[("before", &before), ("after", &after), ("options", br#"{"author": "Ada", "moves": null}"#)];
    let said = report(&app, parts).await.json();
    assert_eq!(said["proof"], json!({"reject": "holds", "accept": "holds"}));
    assert_eq!(said["changes"][0]["before"], "ten");
    assert_eq!(said["changes"][0]["author"], "Ada");
    assert_eq!(said["limitations"], json!([]));

    let request = Request::post("/v1/compare").header("host", "localhost:1").header(FORM.0, FORM.1);
    let response = app.oneshot(request.body(Body::from(form(parts))).unwrap()).await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.headers()["content-type"].to_str().unwrap().ends_with("wordprocessingml.document"));
    let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec();
    assert_eq!(bytes.len(), said["size"]);
    let mut redline = WordDocument::open(bytes, &Limits::default()).unwrap();
    redline.resolve_all(Side::Accept).unwrap();
    let text = redline.to_markdown(engross_docx::read::View::Accepted).unwrap();
    assert!(text.contains("twelve euros"), "{text}");
}

#[tokio::test]
async fn formatting_and_changes_of_others_are_as_asked_for() {
    use engross_docx::ops::parse_batch;
    use engross_docx::{EditOptions, Tracking};
    let (_, app) = plain();
    let before = document("The fee is ten euros.\n\nThe law of **Ohio** applies.");
    let plain_law = document("The fee is ten euros.\n\nThe law of Ohio applies.");
    let mut tracked = WordDocument::open(before.clone(), &Limits::default()).unwrap();
    let batch = json!([{"op": "modify_text", "originalText": "ten", "replacementText": "twelve"}]);
    let options = EditOptions { author: "Them".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
    tracked.apply(&parse_batch(&batch).unwrap(), &options).unwrap();
    let tracked = tracked.save(Tracking::Tracked).unwrap().bytes;
    let told = async |after: &[u8], options: &str| {
        let parts: &[(&str, &[u8])] =
            &[("before", &before), ("after", after), ("options", options.as_bytes())];
        report(&app, parts).await.json()
    };
    for (options, authors) in [
        (r#"{"author": "Me"}"#, vec!["Me"]),
        (r#"{"author": "Me", "view": "original"}"#, vec![]),
        (r#"{"author": "Me", "keepRevisions": true}"#, vec!["Them"]),
    ] {
        let said = told(&tracked, options).await;
        let changes = said["changes"].as_array().unwrap().iter();
        let found: Vec<&str> = changes.filter_map(|change| change["author"].as_str()).collect();
        assert_eq!(found, authors, "{said}");
        assert_eq!(said["proof"], json!({"reject": "holds", "accept": "holds"}));
    }
    let said = told(&plain_law, "{}").await;
    assert_eq!(said["changes"][0]["kind"], "formatting", "{said}");
    let said = told(&plain_law, r#"{"formatting": false}"#).await;
    assert_eq!(said["changes"], json!([]), "{said}");
    assert!(said["limitations"][0]["difference"].as_str().unwrap().contains("formatting"), "{said}");
}

#[tokio::test]
async fn what_is_missing_or_wrong_is_named() {
    let (_, app) = plain();
    let good = document("Text.");
    let no_zip: &[u8] = b"%PDF-1.7";
    for (parts, wanted) in [
        (vec![("before", good.as_slice())], (400, "INVALID_REQUEST", "after")),
        (vec![("before", &good), ("after", &good), ("note", b"x")], (400, "INVALID_REQUEST", "note")),
        (vec![("before", &good), ("before", &good)], (400, "INVALID_REQUEST", "before")),
        (vec![("before", &good), ("after", no_zip)], (422, "NOT_A_ZIP", "after")),
        (vec![("before", no_zip), ("after", &good)], (422, "NOT_A_ZIP", "before")),
        (vec![("before", &good), ("after", &good), ("options", b"[]")], (400, "INVALID_REQUEST", "options")),
        (
            vec![("before", &good), ("after", &good), ("options", br#"{"view": "all"}"#)],
            (400, "INVALID_REQUEST", "options.view"),
        ),
        (
            vec![("before", &good), ("after", &good), ("options", br#"{"colour": 1}"#)],
            (400, "INVALID_REQUEST", "options.colour"),
        ),
    ] {
        let got = report(&app, &parts).await;
        let (status, code, _) = got.error();
        assert_eq!((status, code.as_str()), (wanted.0, wanted.1), "{}", got.text);
        assert!(got.text.contains(wanted.2), "{}", got.text);
    }
    for (kind, body) in [("application/json", &b"{}"[..]), (FORM.1, b"--X\r\nbroken")] {
        let got = send(&app, Method::POST, "/v1/compare", &[("content-type", kind)], body.to_vec()).await;
        assert_eq!(got.error().1, "INVALID_REQUEST", "{}", got.text);
    }
}

#[tokio::test]
async fn a_document_is_shown_and_cannot_act() {
    let (_, app) = plain();
    let good = document("# Fees\n\nThe fee & tax is *ten* euros.");
    let view =
        async |parts: &[(&str, &[u8])]| send(&app, Method::POST, "/v1/view", &[FORM], form(parts)).await;
    let got = view(&[("document", &good), ("options", br#"{"view": "accepted", "prefix": "left-"}"#)]).await;
    assert_eq!(got.status, 200, "{}", got.text);
    assert_eq!(got.header("content-type").as_deref(), Some("text/html; charset=utf-8"));
    assert!(got.header("content-security-policy").is_some_and(|policy| policy.starts_with("sandbox")));
    let wanted = "<p id=\"left-P2\" data-address=\"P2\">The fee &amp; tax is <i>ten</i> euros.</p>";
    assert!(got.text.starts_with("<article class=\"docx\" data-view=\"accepted\""), "{}", got.text);
    assert!(got.text.contains(wanted), "{}", got.text);
    let page = view(&[("document", &good), ("options", br#"{"page": true, "title": "<A & B>"}"#)]).await;
    assert!(page.text.contains("<title>&lt;A &amp; B&gt;</title>"), "{}", page.text);
    for (parts, status, code, named) in [
        (vec![("document", &b"%PDF-1.7"[..])], 422, "NOT_A_ZIP", "document"),
        (vec![("options", &b"{}"[..])], 400, "INVALID_REQUEST", "document"),
        (
            vec![("document", &good), ("options", br#"{"view": "all"}"#)],
            400,
            "INVALID_REQUEST",
            "options.view",
        ),
        (vec![("document", &good), ("options", br#"{"page": 1}"#)], 400, "INVALID_REQUEST", "options.page"),
        (vec![("document", &good), ("before", b"x")], 400, "INVALID_REQUEST", "before"),
    ] {
        let got = view(&parts).await;
        assert_eq!((got.error().0, got.error().1.as_str()), (status, code), "{}", got.text);
        assert!(got.text.contains(named), "{}", got.text);
    }
}
