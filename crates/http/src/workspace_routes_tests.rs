//! `/v1/workspaces/{name}`: files, operations, checkpoints, and what may not be reached.

use axum::Router;
use axum::http::Method;
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::testing::client::{Got, get, post, send, with};
use crate::testing::fake::documents;

const NDA: &[u8] = include_bytes!("../../../examples/nda.docx");

/// A server whose root is the folder `root` in a folder of its own.
fn desk() -> (TempDir, Router) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    let (_, app) = with(|server| server.documents = documents(&root));
    (folder, app)
}

async fn put(app: &Router, path: &str, headers: &[(&str, &str)], bytes: impl Into<Vec<u8>>) -> Got {
    send(app, Method::PUT, path, headers, bytes.into()).await
}

async fn delete(app: &Router, path: &str, headers: &[(&str, &str)]) -> Got {
    send(app, Method::DELETE, path, headers, Vec::new()).await
}

fn hash(got: &Got) -> String {
    got.json()["sha256"].as_str().unwrap().to_owned()
}

fn codes(got: &Got) -> (u16, String) {
    let (status, code, _) = got.error();
    (status, code)
}

fn is(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[tokio::test]
async fn a_file_is_put_fetched_and_removed() {
    let (_folder, app) = desk();
    let file = "/v1/workspaces/w/files/notes/a%20%C3%BC.txt";
    assert_eq!(codes(&get(&app, file, &[]).await), is(404, "WORKSPACE_UNKNOWN"));
    let new = put(&app, file, &[], "hello").await;
    let sha256 = hash(&new);
    assert_eq!(
        (new.status, new.json()),
        (201, json!({"path": "notes/a ü.txt", "size": 5, "sha256": sha256}))
    );
    let tag = format!("\"{sha256}\"");
    assert_eq!(new.header("etag"), Some(tag.clone()));
    assert_eq!(put(&app, file, &[], "hello").await.status, 200, "there was one");

    let got = get(&app, file, &[]).await;
    assert_eq!((got.status, got.text.as_str()), (200, "hello"));
    for (name, value) in [
        ("etag", tag.as_str()),
        ("content-type", "text/plain"),
        ("content-disposition", "attachment; filename*=UTF-8''a%20%C3%BC%2Etxt"),
        ("x-content-type-options", "nosniff"),
        ("accept-ranges", "bytes"),
    ] {
        assert_eq!(got.header(name).as_deref(), Some(value), "{name}");
    }
    for (headers, status, text, range) in [
        (vec![("if-none-match", tag.as_str())], 304, "", None),
        (vec![("if-none-match", "\"x\", *")], 304, "", None),
        (vec![("if-none-match", "\"x\"")], 200, "hello", None),
        (vec![("range", "bytes=1-3")], 206, "ell", Some("bytes 1-3/5")),
        (vec![("range", "bytes=3-")], 206, "lo", Some("bytes 3-4/5")),
        (vec![("range", "bytes=-2")], 206, "lo", Some("bytes 3-4/5")),
        (vec![("range", "bytes=-99")], 206, "hello", Some("bytes 0-4/5")),
        (vec![("range", "bytes=1-99"), ("if-range", tag.as_str())], 206, "ello", Some("bytes 1-4/5")),
        (vec![("range", "bytes=1-3"), ("if-range", "\"x\"")], 200, "hello", None),
        (vec![("range", "bytes=9-")], 200, "hello", None),
        (vec![("range", "bytes=3-1")], 200, "hello", None),
        (vec![("range", "bytes=-0")], 200, "hello", None),
        (vec![("range", "bytes=0-1,3-4")], 200, "hello", None),
    ] {
        let got = get(&app, file, &headers).await;
        assert_eq!((got.status, got.text.as_str()), (status, text), "{headers:?}");
        assert_eq!(got.header("content-range").as_deref(), range, "{headers:?}");
    }

    let gone = delete(&app, file, &[]).await;
    assert_eq!((gone.status, gone.json()), (200, json!({"path": "notes/a ü.txt", "deleted": true})));
    assert_eq!(codes(&delete(&app, file, &[]).await), is(404, "TARGET_MISSING"));
    assert_eq!(codes(&get(&app, file, &[]).await), is(404, "TARGET_MISSING"));
}

#[tokio::test]
async fn files_are_listed_in_pages_without_checkpoints() {
    let (_folder, app) = desk();
    let names = ["!a.txt", "a.txt", "b/c.txt", "d.txt"];
    for name in names {
        for text in ["1", "2", "3"] {
            put(&app, &format!("/v1/workspaces/w/files/{name}"), &[], text).await;
        }
    }
    for limit in 1..6 {
        let (mut seen, mut query) = (Vec::new(), format!("?limit={limit}"));
        loop {
            let got = get(&app, &format!("/v1/workspaces/w/files{query}"), &[]).await.json();
            let page = got["data"].as_array().unwrap();
            assert!(page.len() <= limit && got["object"] == "list", "{got}");
            for file in page {
                assert!(file["size"] == 1 && file["modified"].as_u64().unwrap() > 1_700_000_000, "{file}");
                seen.push(file["path"].as_str().unwrap().to_owned());
            }
            let Some(next) = got["next"].as_str() else { break };
            query = format!("?limit={limit}&after={}", next.replace('/', "%2F"));
        }
        assert_eq!(seen, names, "pages of {limit}");
    }
    for (query, field) in [("?limit=0", "limit"), ("?limit=1001", "limit"), ("?offset=3", "offset")] {
        let got = get(&app, &format!("/v1/workspaces/w/files{query}"), &[]).await;
        assert_eq!((got.status, &got.json()["error"]["details"]["field"]), (400, &json!(field)));
    }
    assert_eq!(codes(&get(&app, "/v1/workspaces/none/files", &[]).await), is(404, "WORKSPACE_UNKNOWN"));
}

#[tokio::test]
async fn preconditions_hold() {
    let (folder, app) = desk();
    let file = "/v1/workspaces/w/files/a.txt";
    let other = format!("\"{}\"", "0".repeat(64));
    let missing = "/v1/workspaces/other/files/a.txt";
    assert_eq!(codes(&put(&app, missing, &[("if-match", "*")], "x").await), is(404, "WORKSPACE_UNKNOWN"));
    assert!(!folder.path().join("root/other").exists(), "nothing is made for what cannot be");
    let first = put(&app, file, &[("if-none-match", "*")], "one").await;
    let tag = first.header("etag").unwrap();
    for (headers, expected) in [
        (vec![("if-none-match", "*")], is(409, "TARGET_EXISTS")),
        (vec![("if-match", other.as_str())], is(409, "TARGET_CHANGED")),
        (vec![("if-match", "W/\"x\"")], is(400, "INVALID_REQUEST")),
        (vec![("if-none-match", tag.as_str())], is(400, "INVALID_REQUEST")),
        (vec![("if-match", "*"), ("if-none-match", "*")], is(400, "INVALID_REQUEST")),
    ] {
        assert_eq!(codes(&put(&app, file, &headers, "two").await), expected, "{headers:?}");
        assert_eq!(get(&app, file, &[]).await.text, "one", "{headers:?}");
    }
    assert_eq!(codes(&delete(&app, file, &[("if-match", other.as_str())]).await), is(409, "TARGET_CHANGED"));
    let second = put(&app, file, &[("if-match", &tag)], "two").await;
    assert_eq!((second.status, get(&app, file, &[]).await.text.as_str()), (200, "two"));
    assert_eq!(codes(&put(&app, file, &[("if-match", &tag)], "three").await), is(409, "TARGET_CHANGED"));
    let absent = "/v1/workspaces/w/files/b.txt";
    assert_eq!(codes(&put(&app, absent, &[("if-match", "*")], "x").await), is(404, "TARGET_MISSING"));
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test puts a file where no request may come")]
async fn nothing_else_is_reached() {
    let (folder, app) = desk();
    std::fs::write(folder.path().join("secret.txt"), "secret").unwrap();
    put(&app, "/v1/workspaces/w/files/a.txt", &[], "a").await;
    put(&app, "/v1/workspaces/w/files/a.txt", &[], "b").await;
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path(), folder.path().join("root/w/link")).unwrap();
    let long = "x".repeat(256);
    let deep = vec!["x"; 600].join("/");
    let table = [
        ("w/files/..%2f..%2fsecret.txt", 400, "PATH_OUTSIDE_ROOT"),
        ("w/files/../../secret.txt", 400, "PATH_OUTSIDE_ROOT"),
        ("w/files/%2e%2e/%2e%2e/secret.txt", 400, "PATH_OUTSIDE_ROOT"),
        ("w/files/a/..%2f..%2f..%2fsecret.txt", 400, "PATH_OUTSIDE_ROOT"),
        ("w/files/%2fetc%2fpasswd", 400, "PATH_OUTSIDE_ROOT"),
        ("w/files//etc/passwd", 400, "PATH_OUTSIDE_ROOT"),
        ("w/files/C:%5csecret.txt", 400, "PATH_OUTSIDE_ROOT"),
        ("w/files/..%5c..%5csecret.txt", 400, "PATH_INVALID"),
        #[cfg(unix)]
        ("w/files/link/secret.txt", 400, "PATH_OUTSIDE_ROOT"),
        #[cfg(unix)]
        ("w/files/link", 400, "PATH_OUTSIDE_ROOT"),
        ("w/files/a%00.txt", 400, "PATH_INVALID"),
        ("w/files/a%ff.txt", 400, "INVALID_REQUEST"),
        ("w/files/a.txt%2f", 400, "PATH_INVALID"),
        ("w/files/a.txt/b.txt", 400, "PATH_INVALID"),
        ("w/files/NUL.txt", 400, "PATH_INVALID"),
        ("w/files/.", 400, "TARGET_IS_DIR"),
        ("w/files/%20", 400, "TARGET_REQUIRED"),
        (&*format!("w/files/{long}"), 400, "PATH_INVALID"),
        (&*format!("w/files/{deep}"), 400, "PATH_INVALID"),
        ("w/files/.git/config", 403, "PROTECTED_PATH"),
        ("w/files/sub/.GIT/config", 403, "PROTECTED_PATH"),
        ("w/files/.engross/checkpoints/a.txt/x", 403, "PROTECTED_PATH"),
        ("w/files/a/../.Engross/checkpoints", 403, "PROTECTED_PATH"),
        ("w/files/.engross-tmp-1", 403, "PROTECTED_PATH"),
        ("%2e%2e/files/secret.txt", 400, "PATH_INVALID"),
        ("..%2froot%2fw/files/a.txt", 400, "PATH_INVALID"),
        (".hidden/files/a.txt", 400, "PATH_INVALID"),
        ("w%00/files/a.txt", 400, "PATH_INVALID"),
        (&*format!("{}/files/a.txt", "n".repeat(65)), 400, "PATH_INVALID"),
    ];
    for (path, status, code) in table {
        let path = format!("/v1/workspaces/{path}");
        assert_eq!(codes(&get(&app, &path, &[]).await), is(status, code), "GET {path}");
        assert_eq!(codes(&put(&app, &path, &[], "evil").await), is(status, code), "PUT {path}");
        assert_eq!(codes(&delete(&app, &path, &[]).await), is(status, code), "DELETE {path}");
        let apply =
            send(&app, Method::POST, &format!("{path}/operations"), &[], r#"{"operations":[]}"#).await;
        assert!(apply.status == status || code == "TARGET_IS_DIR", "POST {path} {}", apply.text);
        let checkpoints = get(&app, &path.replace("/files/", "/checkpoints/"), &[]).await;
        assert!(checkpoints.status >= 400 || !checkpoints.text.contains("size"), "{path}");
    }
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    let workspaces = std::fs::read_dir(folder.path().join("root")).unwrap();
    assert_eq!(workspaces.count(), 1, "no workspace was made on the way");
    assert_eq!(get(&app, "/v1/workspaces/w/files", &[]).await.json()["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_document_is_read_and_edited() {
    let (_folder, app) = desk();
    let file = "/v1/workspaces/w/files/nda.docx";
    let original = hash(&put(&app, file, &[], NDA).await);
    let got = get(&app, &format!("{file}?view=accepted&search=three%20(3)&limit=5"), &[]).await;
    let reading = got.json();
    assert_eq!(
        (got.status, &reading["file"], &reading["view"]),
        (200, &json!("nda.docx"), &json!("accepted"))
    );
    let revision = reading["revision"].as_str().unwrap().to_owned();
    let address = reading["paragraphs"][0]["address"].clone();

    let operation =
        json!({"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"});
    let apply = format!("{file}/operations");
    let batch =
        json!({"operations": [operation], "expectedRevision": revision, "date": "2026-01-31T09:30:00Z"});
    let got = send(&app, Method::POST, &apply, &[], batch.to_string()).await;
    let report = got.json();
    assert_eq!(got.status, 200, "{report}");
    assert_eq!(report["summary"], json!({"applied": 1, "noChange": 0, "refused": 0, "failed": 0}));
    assert_eq!(report["proof"], json!({"reject": "holds", "accept": "holds"}));
    assert_eq!((&report["input"], &report["output"]), (&json!("nda.docx"), &json!("nda.docx")));
    assert_eq!(report["operations"][0]["address"], address);
    assert_eq!(got.header("etag"), Some(format!("\"{}\"", hash(&got))));
    let markup = get(&app, &format!("{file}?view=markup&search=five"), &[]).await.json();
    assert_eq!(markup["revision"], report["revision"]);
    assert!(markup["paragraphs"].to_string().contains("{--three--}{++five++}"));

    // The revision is not the one that the operations were made for any more.
    let stale = send(&app, Method::POST, &apply, &[], batch.to_string()).await;
    assert_eq!(codes(&stale), is(409, "STALE_REVISION"));
    assert_eq!(stale.json()["error"]["details"]["expected"], json!(revision));

    let list = get(&app, "/v1/workspaces/w/checkpoints/nda.docx", &[]).await.json();
    assert_eq!(
        list["data"],
        json!([{"id": report["checkpoint"], "created": 1_795_293_365, "size": NDA.len()}])
    );
    let restore = json!({"restore": report["checkpoint"]}).to_string();
    let back = send(&app, Method::POST, "/v1/workspaces/w/checkpoints/nda.docx", &[], restore).await;
    assert_eq!((back.status, hash(&back)), (200, original));
    let list = get(&app, "/v1/workspaces/w/checkpoints/nda.docx", &[]).await.json();
    assert_eq!(list["data"].as_array().unwrap().len(), 2, "what was taken back is kept");

    let gone = send(&app, Method::DELETE, "/v1/workspaces/w/checkpoints/nda.docx", &[], "").await;
    assert_eq!((gone.status, gone.json()), (200, json!({"path": "nda.docx", "forgotten": 2})));
    let list = get(&app, "/v1/workspaces/w/checkpoints/nda.docx", &[]).await.json();
    assert_eq!(list["data"], json!([]));
    let nowhere = send(&app, Method::DELETE, "/v1/workspaces/none/checkpoints/nda.docx", &[], "").await;
    assert_eq!(codes(&nowhere), is(404, "WORKSPACE_UNKNOWN"));
}

#[tokio::test]
async fn what_an_operation_may_not_is_said() {
    let (_folder, app) = desk();
    let file = "/v1/workspaces/w/files/nda.docx";
    let original = hash(&put(&app, file, &[], NDA).await);
    put(&app, "/v1/workspaces/w/files/notes.docx", &[], "no document").await;
    let delete = json!({"op": "delete_paragraph", "paragraphIndex": 56});
    let nothing = json!({"op": "modify_text", "originalText": "no such words", "replacementText": "x"});
    let of = |operations: Value| json!({ "operations": operations }).to_string();
    let table = [
        (file, "{".to_owned(), is(400, "INVALID_JSON")),
        (file, "3".to_owned(), is(400, "INVALID_OPERATION")),
        (file, "{}".to_owned(), is(400, "INVALID_OPERATION")),
        (file, of(json!([{"op": "explode"}])), is(400, "INVALID_OPERATION")),
        (file, json!({"operations": [], "untracked": 1}).to_string(), is(400, "INVALID_REQUEST")),
        (file, json!({"operations": [delete], "author": " "}).to_string(), is(400, "INVALID_AUTHOR")),
        (file, json!({"operations": [delete], "date": "today"}).to_string(), is(400, "INVALID_DATE")),
        (file, of(json!([nothing])), is(422, "NOTHING_APPLIED")),
        (
            file,
            json!({"operations": [delete, nothing], "atomic": true}).to_string(),
            is(422, "NOTHING_APPLIED"),
        ),
        ("/v1/workspaces/w/files/notes.docx", of(json!([delete])), is(422, "NOT_A_ZIP")),
        ("/v1/workspaces/w/files/none.docx", of(json!([delete])), is(404, "TARGET_MISSING")),
        ("/v1/workspaces/none/files/nda.docx", of(json!([delete])), is(404, "WORKSPACE_UNKNOWN")),
    ];
    for (file, body, expected) in table {
        let got = send(&app, Method::POST, &format!("{file}/operations"), &[], body.clone()).await;
        assert_eq!(codes(&got), expected, "{body}");
    }
    // Case 163 of the contract: what became of each change, so that only what failed is made good.
    let got = send(&app, Method::POST, &format!("{file}/operations"), &[], of(json!([nothing]))).await;
    let details = got.json()["error"]["details"].clone();
    assert_eq!(details["summary"]["refused"], 1);
    assert_eq!(
        (&details["operations"][0]["status"], &details["operations"][0]["code"], &details["output"]),
        (&json!("refused"), &json!("TEXT_NOT_FOUND"), &Value::Null)
    );
    let read = get(&app, &format!("{file}?view=original&limit=1"), &[]).await;
    assert_eq!(read.header("etag"), Some(format!("\"{original}\"")), "it is as it was");
    let checkpoints = get(&app, "/v1/workspaces/w/checkpoints/nda.docx", &[]).await.json();
    assert_eq!(checkpoints["data"], json!([]));

    assert_eq!(codes(&post(&app, file, &[], "{}").await), is(404, "ROUTE_NOT_FOUND"));
    let restore = "/v1/workspaces/w/checkpoints/nda.docx";
    assert_eq!(codes(&post(&app, restore, &[], "{}").await), is(400, "INVALID_REQUEST"));
    for unknown in [r#"{"restore":"7-x"}"#, r#"{"restore":"../nda.docx"}"#, r#"{"restore":""}"#] {
        assert_eq!(codes(&post(&app, restore, &[], unknown).await), is(404, "CHECKPOINT_UNKNOWN"));
    }
    for (query, code) in [
        ("view=all", is(400, "INVALID_REQUEST")),
        ("limit=3", is(400, "INVALID_REQUEST")),
        ("view=accepted&limit=0", is(400, "INVALID_REQUEST")),
        ("view=accepted&stories=x", is(400, "INVALID_REQUEST")),
        ("view=accepted&story=x", is(400, "UNKNOWN_STORY")),
        ("view=accepted&from=x", is(400, "INVALID_CURSOR")),
    ] {
        assert_eq!(codes(&get(&app, &format!("{file}?{query}"), &[]).await), code, "{query}");
    }
    let unread = get(&app, "/v1/workspaces/w/files/notes.docx?view=accepted", &[]).await;
    assert_eq!(codes(&unread), is(422, "NOT_A_ZIP"));
}

#[tokio::test]
async fn untracked_operations_leave_no_revision() {
    let (_folder, app) = desk();
    let file = "/v1/workspaces/w/files/nda.docx";
    put(&app, file, &[], NDA).await;
    let paragraphs = async || {
        let read = get(&app, &format!("{file}?view=original"), &[]).await.json();
        read["paragraphs"].as_array().unwrap().len()
    };
    let before = paragraphs().await;
    let batch = r#"{"operations":[{"op":"delete_paragraph","paragraphIndex":56}],"untracked":true}"#;
    let got = post(&app, &format!("{file}/operations"), &[], batch).await;
    assert_eq!(got.json()["proof"], json!({"reject": "not_applicable", "accept": "holds"}));
    assert_eq!(paragraphs().await, before - 1, "rejecting does not bring it back");
}

#[tokio::test]
async fn case_161_a_long_document_is_read_in_pages() {
    let (_folder, app) = desk();
    // 150,000 words.
    let words = "The Recipient keeps the Confidential Information secret for as long as the Discloser so wishes, whatever happens \
                 between the parties and wherever they may then be found by one another.";
    let document =
        (0..5_400).fold(DocxBuilder::new(), |document, n| document.paragraph(&format!("{n}. {words}")));
    let file = "/v1/workspaces/w/files/long.docx";
    assert_eq!(put(&app, file, &[], document.build()).await.status, 201);
    let (mut seen, mut from) = (0, String::new());
    loop {
        let page = get(&app, &format!("{file}?view=accepted&limit=500{from}"), &[]).await;
        assert!(page.text.len() < 400_000, "{}", page.text.len());
        let page = page.json();
        seen += page["paragraphs"].as_array().unwrap().len();
        let Some(cursor) = page["cursor"].as_str() else { break };
        from = format!("&from={cursor}");
    }
    assert_eq!(seen, 5_400);
    let found = get(&app, &format!("{file}?view=accepted&search=5123."), &[]).await.json();
    assert_eq!(found["paragraphs"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn changes_and_comments_are_listed_with_the_state_they_belong_to() {
    let (_folder, app) = desk();
    put(&app, "/v1/workspaces/w/files/nda.docx", &[], NDA).await;
    let operations = json!({"operations": [
        {"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"},
        {"op": "insert_comment", "target": "P1", "commentContent": "Who signs?"},
    ], "author": "Grace"});
    let path = "/v1/workspaces/w/files/nda.docx/operations";
    let applied = send(&app, Method::POST, path, &[], operations.to_string()).await;
    assert_eq!(applied.status, 200, "{}", applied.text);
    let revisions = get(&app, "/v1/workspaces/w/files/nda.docx?list=revisions", &[]).await;
    assert_eq!(revisions.header("etag"), applied.header("etag"));
    let rows = revisions.json()["revisions"].clone();
    let kinds: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"insertion") && kinds.contains(&"deletion"), "{rows}");
    let of_grace = rows.as_array().unwrap().iter().filter(|row| row["author"] == "Grace");
    assert!(of_grace.clone().count() == 4 && of_grace.clone().all(|row| row["address"] == "P50"), "{rows}");
    let comments = get(&app, "/v1/workspaces/w/files/nda.docx?list=comments", &[]).await.json();
    let comments = comments["comments"].as_array().unwrap();
    let new = comments.iter().find(|comment| comment["text"] == "Who signs?").unwrap();
    assert_eq!(
        (&new["author"], &new["parent"], &new["resolved"]),
        (&json!("Grace"), &json!(null), &json!(false))
    );
    for query in ["?list=pictures", "?list=revisions&view=markup"] {
        let got = get(&app, &format!("/v1/workspaces/w/files/nda.docx{query}"), &[]).await;
        assert_eq!(codes(&got), is(400, "INVALID_REQUEST"), "{query}");
    }
}

#[tokio::test]
async fn a_checkpoint_is_fetched_whole_and_workspaces_are_listed() {
    let (_folder, app) = desk();
    assert_eq!(get(&app, "/v1/workspaces", &[]).await.json()["data"], json!([]));
    for name in ["b", "a.1"] {
        put(&app, &format!("/v1/workspaces/{name}/files/nda.docx"), &[], NDA).await;
    }
    let names = get(&app, "/v1/workspaces", &[]).await.json();
    let names: Vec<&str> =
        names["data"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a.1", "b"]);
    for text in ["one", "two"] {
        put(&app, "/v1/workspaces/b/files/note.txt", &[], text).await;
    }
    let list = get(&app, "/v1/workspaces/b/checkpoints/note.txt", &[]).await.json();
    let id = list["data"][0]["id"].as_str().unwrap().to_owned();
    let whole = get(&app, &format!("/v1/workspaces/b/checkpoints/note.txt?id={id}&content=1"), &[]).await;
    assert_eq!((whole.status, whole.text.as_str()), (200, "one"));
    let name = "attachment; filename*=UTF-8''note%2Etxt";
    assert_eq!(whole.header("content-disposition").as_deref(), Some(name));
    let wrong = get(&app, "/v1/workspaces/b/checkpoints/nda.docx?content=1", &[]).await;
    assert_eq!(codes(&wrong), is(400, "INVALID_REQUEST"));
    let unknown = get(&app, "/v1/workspaces/b/checkpoints/nda.docx?id=9&content=1", &[]).await;
    assert_eq!(codes(&unknown), is(404, "CHECKPOINT_UNKNOWN"));
}

#[tokio::test]
async fn a_document_is_shown_as_html() {
    let (_folder, app) = desk();
    let file = "/v1/workspaces/w/files/nda.docx";
    let sha256 = hash(&put(&app, file, &[], NDA).await);
    let got = get(&app, &format!("{file}?as=html&view=accepted"), &[]).await;
    assert_eq!(got.status, 200, "{}", got.text);
    assert_eq!(got.header("etag"), Some(format!("\"{sha256}\"")));
    assert!(got.header("content-security-policy").is_some_and(|policy| policy.starts_with("sandbox")));
    let read = get(&app, &format!("{file}?view=accepted&limit=1"), &[]).await.json();
    assert_eq!(got.header("x-engross-revision").as_deref(), read["revision"].as_str());
    assert!(got.text.starts_with("<article class=\"docx\" data-view=\"accepted\""), "{}", got.text);
    let page = get(&app, &format!("{file}?as=page"), &[]).await;
    assert!(page.text.contains("<title>nda.docx</title>") && page.text.contains("data-view=\"markup\""));
    for query in ["as=pdf", "as=html&limit=3", "as=html&view=all"] {
        let got = get(&app, &format!("{file}?{query}"), &[]).await;
        assert_eq!(codes(&got), is(400, "INVALID_REQUEST"), "{query}");
    }
}
