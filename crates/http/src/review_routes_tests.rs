//! `/v1/review`: a document and a playbook in a form, and a report with the redline.

use std::sync::Arc;

use axum::Router;
use axum::http::Method;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engross_documents::DocumentIsolation;
use engross_docx::revisions::Side;
use engross_docx::{Limits as DocumentLimits, WordDocument, from_markdown};
use engross_protocol::SystemClock;
use serde_json::{Value, json};

use crate::limits::Limits;
use crate::testing::client::{Got, send};
use crate::{PlaybookReviews, review_routes};

const FORM: (&str, &str) = ("content-type", "multipart/form-data; boundary=X");

const PLAYBOOK: &[u8] = b"# Fees\n\n## Fee\n\nStandard: Ten euros.\n\nNever: \"one hundred\"\n\n## Insurance\n\nStandard: Two million.\n";

fn document(markdown: &str) -> Vec<u8> {
    from_markdown(markdown, None, &DocumentLimits::default()).unwrap()
}

fn app() -> Router {
    let (author, clock) = ("Ada".to_owned(), Arc::new(SystemClock));
    review_routes(PlaybookReviews {
        model: None,
        author,
        clock,
        limits: Limits::default(),
        isolation: DocumentIsolation::default(),
    })
}

async fn post(parts: &[(&str, &[u8])]) -> Got {
    let mut body = Vec::new();
    for (name, bytes) in parts {
        let head =
            format!("--X\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{name}\"\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--X--\r\n");
    send(&app(), Method::POST, "/v1/review", &[FORM], body).await
}

/// The text of the redline in an answer, accepted or rejected.
fn text(answer: &Value, side: Side) -> String {
    let bytes = STANDARD.decode(answer["content"].as_str().unwrap()).unwrap();
    let mut redline = WordDocument::open(bytes, &DocumentLimits::default()).unwrap();
    redline.resolve_all(side).unwrap();
    redline.to_markdown(engross_docx::read::View::Accepted).unwrap()
}

#[tokio::test]
async fn answers_that_hold_become_changes_and_those_that_do_not_are_told() {
    let agreement =
        document("# Fee\n\nThe fee is twelve euros for each item.\n\n# Law\n\nThe law of Ireland applies.");
    let good = json!([
        {"position": "Fee", "verdict": "deviates", "paragraph": "P2", "quote": "fee is twelve euros", "reason": "It is too much.",
         "original": "twelve", "replacement": "ten"},
        {"position": "Insurance", "verdict": "standard", "paragraph": "P4", "quote": "insured for two million"}
    ]);
    let answers = good.to_string();
    let parts: &[(&str, &[u8])] =
        &[("document", &agreement), ("playbook", PLAYBOOK), ("answers", answers.as_bytes())];
    let said = post(parts).await.json();
    assert_eq!(said["positions"][0]["verdict"], "deviates", "{said}");
    assert_eq!(said["positions"][0]["citation"]["address"], "P2");
    // Words that are nowhere are no citation.
    assert_eq!(said["positions"][1]["verdict"], "unanswered", "{said}");
    assert_eq!(said["proof"]["reject"], "holds", "{said}");
    assert!(text(&said, Side::Accept).contains("ten euros"), "{said}");
    assert!(text(&said, Side::Reject).contains("twelve euros"));
}

#[tokio::test]
async fn without_a_model_and_answers_the_words_are_looked_at() {
    let agreement = document("# Fee\n\nThe fee is one hundred euros.");
    let said = post(&[("document", &agreement), ("playbook", PLAYBOOK)]).await.json();
    assert_eq!(said["positions"][0]["verdict"], "never", "{said}");
    assert_eq!(said["positions"][1]["verdict"], "missing", "{said}");
    assert_eq!(said["model"], "none");
}

#[tokio::test]
async fn what_is_missing_or_wrong_is_named() {
    let good = document("Text.");
    for (parts, wanted) in [
        (vec![("document", good.as_slice())], (400, "INVALID_REQUEST", "playbook")),
        (vec![("playbook", PLAYBOOK)], (400, "INVALID_REQUEST", "document")),
        (
            vec![("document", &good), ("playbook", b"## Fee\n\nNever: x\n")],
            (400, "INVALID_REQUEST", "playbook"),
        ),
        (vec![("document", &good), ("playbook", b"\xff\xfe")], (400, "INVALID_REQUEST", "playbook")),
        (vec![("document", b"%PDF-1.7"), ("playbook", PLAYBOOK)], (422, "NOT_A_ZIP", "document")),
        (
            vec![("document", &good), ("playbook", PLAYBOOK), ("answers", b"{")],
            (400, "INVALID_REQUEST", "answers"),
        ),
        (
            vec![("document", &good), ("playbook", PLAYBOOK), ("options", b"{\"x\": 1}")],
            (400, "INVALID_REQUEST", "options.x"),
        ),
        (vec![("document", &good), ("playbook", PLAYBOOK), ("note", b"x")], (400, "INVALID_REQUEST", "note")),
    ] {
        let got = post(&parts).await;
        let said = got.json();
        assert_eq!((got.status, said["error"]["code"].as_str().unwrap()), (wanted.0, wanted.1), "{said}");
        assert!(said["error"]["message"].as_str().unwrap().contains(wanted.2), "{said}");
    }
}
