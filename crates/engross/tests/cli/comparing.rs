//! `engross compare` and `engross diff`

use serde_json::Value;

use crate::desk::{DATE, TestBench, example_argument};

/// The example, and what five edits and the other side's own change make of it.
fn two_versions() -> TestBench {
    let desk = TestBench::new();
    let ops = example_argument("operations/nda.json");
    assert_eq!(desk.run(&["apply", "nda.docx", &ops, "--date", DATE]).code, Some(0));
    assert_eq!(desk.run(&["accept", "nda.redline.docx", "-o", "theirs.docx"]).code, Some(0));
    assert_eq!(desk.run(&["accept", "nda.docx", "-o", "ours.docx"]).code, Some(0));
    desk
}

fn texts(desk: &TestBench, file: &str) -> Vec<Value> {
    let reading = desk.run(&["read", file, "--json"]).json();
    reading["paragraphs"].as_array().unwrap().iter().map(|paragraph| paragraph["text"].clone()).collect()
}

#[test]
fn a_redline_gives_back_both_documents() {
    let desk = two_versions();
    let ran =
        desk.run(&["compare", "ours.docx", "theirs.docx", "-o", "changes.docx", "--date", DATE, "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let answer = ran.json();
    assert_eq!(answer["output"], "changes.docx");
    assert_eq!(answer["proof"]["reject"], "holds");
    assert_eq!(answer["proof"]["accept"], "holds");
    assert!(!answer["changes"].as_array().unwrap().is_empty());
    assert_eq!(desk.run(&["accept", "changes.docx", "-o", "accepted.docx"]).code, Some(0));
    assert_eq!(desk.run(&["reject", "changes.docx", "-o", "rejected.docx"]).code, Some(0));
    assert_eq!(texts(&desk, "accepted.docx"), texts(&desk, "theirs.docx"));
    assert_eq!(texts(&desk, "rejected.docx"), texts(&desk, "ours.docx"));
    assert_eq!(desk.run(&["check", "changes.docx"]).code, Some(0));
}

#[test]
fn a_person_reads_what_changed() {
    let desk = two_versions();
    let shown = desk.run(&["diff", "ours.docx", "theirs.docx", "--exit-code"]);
    assert_eq!(shown.code, Some(1));
    assert!(shown.stdout.contains("{+"), "{}", shown.stdout);
    assert_eq!(desk.run(&["diff", "ours.docx", "ours.docx", "--exit-code"]).code, Some(0));
    let told = desk.run(&["compare", "ours.docx", "theirs.docx", "--summary"]);
    assert!(told.stdout.contains("proven"), "{}", told.stdout);
    assert!(told.stdout.contains("ours.redline.docx"), "{}", told.stdout);
}

#[test]
fn a_look_takes_no_redline() {
    let desk = two_versions();
    let before = desk.files();
    let answer = desk.run(&["diff", "ours.docx", "theirs.docx", "--json"]).json();
    assert!(!answer["changes"].as_array().unwrap().is_empty() && answer["proof"].is_null(), "{answer}");
    let all = desk.run(&["diff", "ours.docx", "theirs.docx", "--formatting", "--json"]).json();
    assert_eq!(all["proof"]["accept"], "holds", "{all}");
    let words = |answer: &Value| -> Vec<(Value, Value)> {
        let changes = answer["changes"].as_array().unwrap().iter();
        let replaced = changes.filter(|change| change["kind"] == "replacement");
        replaced.map(|change| (change["before"].clone(), change["after"].clone())).collect()
    };
    assert_eq!(words(&answer), words(&all));
    assert_eq!(desk.files(), before, "nothing is written");
    desk.put(
        "bold.json",
        br#"[{"op": "format_text", "textToFormat": "Agreement", "bold": true, "occurrence": 1}]"#,
    );
    assert_eq!(desk.run(&["apply", "ours.docx", "bold.json", "-o", "r.docx"]).code, Some(0));
    assert_eq!(desk.run(&["accept", "r.docx", "-o", "bold.docx"]).code, Some(0));
    assert_eq!(desk.run(&["diff", "ours.docx", "bold.docx", "--exit-code"]).code, Some(0));
    assert_eq!(desk.run(&["diff", "ours.docx", "bold.docx", "--formatting", "--exit-code"]).code, Some(1));
    let left = ["compare", "ours.docx", "bold.docx", "-o", "left.docx", "--no-formatting", "--json"];
    let left = desk.run(&left).json();
    assert!(left["changes"].as_array().unwrap().is_empty(), "{left}");
    assert!(left["limitations"][0]["difference"].as_str().unwrap().contains("formatting"), "{left}");
}

#[test]
fn changes_that_the_documents_have_are_done_undone_or_kept() {
    let desk = TestBench::new();
    desk.put("base.md", b"The fee is 100 euros.\n\nThe law of Ohio applies.");
    assert_eq!(desk.run(&["from-markdown", "base.md", "-o", "base.docx"]).code, Some(0));
    let change = |file: &str, old: &str, new: &str, author: &str, out: &str| {
        let operation = format!(
            "[{{\"op\": \"modify_text\", \"originalText\": \"{old}\", \"replacementText\": \"{new}\"}}]"
        );
        desk.put("ops.json", operation.as_bytes());
        assert_eq!(desk.run(&["apply", file, "ops.json", "--author", author, "-o", out]).code, Some(0));
    };
    change("base.docx", "100", "120", "Them", "tracked.docx");
    change("tracked.docx", "Ohio", "Texas", "Quiet", "both.docx");
    // What nobody tracked, and what they did.
    assert_eq!(desk.run(&["accept", "both.docx", "--author", "Quiet", "-o", "after.docx"]).code, Some(0));
    let compared = |options: &[&str]| {
        let call =
            [&["compare", "base.docx", "after.docx", "-o", "out.docx", "--author", "Me", "--json"], options];
        let ran = desk.run(&call.concat());
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let changes = ran.json()["changes"].as_array().unwrap().clone();
        let told = |change: &Value| {
            let text = |field: &str| change[field].as_str().unwrap().to_owned();
            (text("author"), text("before"), text("after"))
        };
        changes.iter().map(told).collect::<Vec<_>>()
    };
    let said = |author: &str, old: &str, new: &str| (author.to_owned(), old.to_owned(), new.to_owned());
    let law = |author: &str| said(author, "Ohio", "Texas");
    assert_eq!(compared(&[]), [said("Me", "100", "120"), law("Me")]);
    assert_eq!(compared(&["--view", "original"]), [law("Me")]);
    assert_eq!(compared(&["--view", "as-is"]), [said("Me", "100", "100120"), law("Me")]);
    assert_eq!(compared(&["--keep-revisions"]), [said("Them", "100", "120"), law("Me")]);
    assert_eq!(desk.run(&["check", "out.docx"]).code, Some(0));
    let clash = ["compare", "base.docx", "after.docx", "--keep-revisions", "--view", "original"];
    assert_eq!(desk.run(&clash).code, Some(2));
    let told = desk.run(&["compare", "base.docx", "after.docx", "--summary"]).stdout;
    let amounts = told.find("Amounts:").unwrap();
    assert!(amounts < told.find("Parties, names and defined terms:").unwrap(), "{told}");
}

#[test]
fn a_document_takes_the_text_of_another() {
    let desk = two_versions();
    desk.put("ops.json", br#"[{"op": "replace_document", "file": "theirs.docx"}]"#);
    let ran = desk.run(&["apply", "ours.docx", "ops.json", "-o", "changed.docx"]);
    assert_eq!(ran.code, Some(0), "{} {}", ran.stdout, ran.stderr);
    assert_eq!(desk.run(&["accept", "changed.docx", "-o", "accepted.docx"]).code, Some(0));
    assert_eq!(texts(&desk, "accepted.docx"), texts(&desk, "theirs.docx"));
    assert_eq!(desk.run(&["reject", "changed.docx", "-o", "rejected.docx"]).code, Some(0));
    assert_eq!(texts(&desk, "rejected.docx"), texts(&desk, "ours.docx"));
    desk.put("ops.json", br#"[{"op": "replace_document", "file": "../theirs.docx"}]"#);
    let ran = desk.run(&["apply", "ours.docx", "ops.json", "-o", "other.docx"]);
    assert_ne!(ran.code, Some(0), "a file outside of the folder: {}", ran.stdout);
}

/// Tracked changes that wait in a document are no difference from itself.
#[test]
fn a_document_differs_in_nothing_from_itself() {
    let desk = TestBench::new();
    std::fs::copy(desk.path("nda.docx"), desk.path("copy.docx")).unwrap();
    assert!(
        !desk.run(&["revisions", "nda.docx", "--json"]).json()["revisions"].as_array().unwrap().is_empty()
    );
    let ran = desk.run(&["compare", "nda.docx", "copy.docx", "-o", "same.docx", "--json"]);
    assert_eq!(ran.json()["changes"].as_array().unwrap().len(), 0, "{}", ran.stdout);
    assert_eq!(std::fs::read(desk.path("same.docx")).unwrap(), std::fs::read(desk.path("nda.docx")).unwrap());
    let told = desk.run(&["compare", "nda.docx", "copy.docx", "-o", "same.docx", "--summary"]).stdout;
    assert!(told.starts_with("no change"), "{told}");
}

/// Git names `/dev/null` for the version of a file that came or is gone.
#[test]
fn a_file_that_comes_or_goes_is_looked_at() {
    let desk = TestBench::new();
    let sides = [(["diff", "/dev/null", "nda.docx"], "{+"), (["diff", "nda.docx", "/dev/null"], "[-")];
    for (arguments, sign) in sides {
        let ran = desk.run(&arguments);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stdout.contains(sign) && ran.stdout.lines().count() > 20, "{}", ran.stdout);
    }
}

#[test]
fn a_page_shows_both_side_by_side() {
    let desk = two_versions();
    let ran =
        desk.run(&["compare", "ours.docx", "theirs.docx", "-o", "changes.docx", "--html", "changes.html"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let page = std::fs::read_to_string(desk.path("changes.html")).unwrap();
    assert!(page.contains("<del>") && page.contains("<ins>"));
    assert!(!page.contains("<script") && !page.contains("http"));
    assert_eq!(
        page.matches("<tr>").count(),
        page.matches("</tr>").count() - page.matches("<tr class").count()
    );
}

#[test]
fn neither_document_is_overwritten() {
    let desk = two_versions();
    let before = desk.files();
    for target in ["ours.docx", "theirs.docx"] {
        let ran = desk.run(&["compare", "ours.docx", "theirs.docx", "-o", target]);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    }
    // A page does not take the place of its redline, however the two are named.
    for page in ["new.docx", "./new.docx"] {
        let ran = desk.run(&["compare", "ours.docx", "theirs.docx", "-o", "new.docx", "--html", page]);
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    }
    desk.put("letter.docx", b"not a document");
    let ran = desk.run(&["compare", "ours.docx", "letter.docx", "-o", "new.docx"]);
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("letter.docx"), "{}", ran.stderr);
    assert_eq!(desk.files()["ours.docx"], before["ours.docx"]);
    assert!(!desk.files().contains_key("new.docx"));
}

#[test]
fn a_package_may_be_one_xml_file() {
    let desk = TestBench::new();
    let ops = example_argument("operations/nda.json");
    let signature = ["--date", DATE, "--author", "Ada"];
    let apply = |arguments: &[&str]| desk.run(&[&["apply"], arguments, &signature].concat());
    assert_eq!(apply(&["nda.docx", &ops, "-o", "redline.xml"]).code, Some(0));
    let xml = std::fs::read_to_string(desk.path("redline.xml")).unwrap();
    assert!(xml.contains("<pkg:package") && xml.contains("<w:ins "), "{}", &xml[..200]);
    assert_eq!(apply(&["nda.docx", &ops, "-o", "redline.docx"]).code, Some(0));
    assert_eq!(texts(&desk, "redline.xml"), texts(&desk, "redline.docx"));
    assert_eq!(desk.run(&["accept", "redline.xml", "--in-place"]).code, Some(0));
    assert!(std::fs::read_to_string(desk.path("redline.xml")).unwrap().contains("<pkg:package"));
    assert_eq!(texts(&desk, "redline.xml"), texts(&desk, "redline.docx"));
    assert_eq!(desk.run(&["checkpoint", "redline.xml", "restore", "1"]).code, Some(0));
    assert_eq!(std::fs::read_to_string(desk.path("redline.xml")).unwrap(), xml, "byte for byte");
    assert_eq!(desk.run(&["accept", "redline.xml", "-o", "accepted.docx"]).code, Some(0));
    assert_eq!(desk.run(&["check", "accepted.docx"]).code, Some(0));
}

#[test]
fn a_document_is_shown_as_a_page() {
    let desk = two_versions();
    let ran = desk.run(&["to-html", "nda.redline.docx", "-o", "nda.html"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "nda.html\n"), "{}", ran.stderr);
    let page = std::fs::read_to_string(desk.path("nda.html")).unwrap();
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.contains("<title>nda.redline.docx</title>"),
        "{page}"
    );
    let revisions = desk.run(&["revisions", "nda.redline.docx", "--json"]).json();
    for revision in revisions["revisions"].as_array().unwrap() {
        let id = revision["id"].as_str().unwrap();
        assert!(page.contains(&format!("data-revision=\"{id}\"")), "{id}");
    }
    let part = desk.run(&["to-html", "nda.redline.docx", "--fragment", "--view", "accepted"]);
    assert!(part.stdout.starts_with("<article") && !part.stdout.contains("<ins"), "{}", part.stdout);
    assert_eq!(desk.run(&["to-html", "nda.docx", "-o", "nda.docx"]).code, Some(2));
}

#[test]
fn two_sides_of_one_document_come_together() {
    let desk = TestBench::new();
    desk.put("base.md", b"The fee is 100 euros.\n\nThe law of Ohio applies.\n\nSigned today.");
    assert_eq!(desk.run(&["from-markdown", "base.md", "-o", "base.docx"]).code, Some(0));
    let side = |name: &str, operations: &str| {
        desk.put("ops.json", operations.as_bytes());
        assert_eq!(desk.run(&["apply", "base.docx", "ops.json", "-o", "r.docx"]).code, Some(0));
        assert_eq!(desk.run(&["accept", "r.docx", "-o", name]).code, Some(0));
    };
    let say = |old: &str, new: &str| {
        format!("[{{\"op\": \"modify_text\", \"originalText\": \"{old}\", \"replacementText\": \"{new}\"}}]")
    };
    side("ours.docx", &say("100", "120"));
    side("theirs.docx", &say("Ohio", "Texas"));
    side("others.docx", &say("100", "150"));
    let ran = desk.run(&["merge", "base.docx", "ours.docx", "theirs.docx", "-o", "both.docx"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("ours: ") && ran.stdout.contains("theirs: "), "{}", ran.stdout);
    let said = ["The fee is 120 euros.", "The law of Texas applies.", "Signed today."];
    assert_eq!(texts(&desk, "both.docx"), said);
    assert!(
        desk.run(&["revisions", "both.docx", "--json"]).json()["revisions"].as_array().unwrap().is_empty()
    );
    let three = ["compare", "--three", "base.docx", "ours.docx", "theirs.docx", "--author", "Ann", "--json"];
    let answer = desk.run(&three).json();
    assert_eq!(
        (&answer["proof"]["one"], &answer["proof"]["other"]),
        (&"holds".into(), &"holds".into()),
        "{answer}"
    );
    let authors: Vec<&Value> =
        answer["changes"].as_array().unwrap().iter().map(|change| &change["author"]).collect();
    assert_eq!(authors, ["Ann", "theirs"]);
    let ran = desk.run(&["merge", "base.docx", "ours.docx", "others.docx", "--json"]);
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let conflict = &ran.json()["conflicts"][0];
    assert_eq!((&conflict["address"], &conflict["other"]), (&"P1".into(), &"The fee is 150 euros.".into()));
    let merged = ran.json()["output"].as_str().unwrap().to_owned();
    assert!(
        desk.run(&["comments", &merged]).stdout.contains("150 euros"),
        "what is open is told in the document"
    );
    let ran = desk.run(&["merge", "base.docx", "ours.docx", "theirs.docx", "-o", "ours.docx"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    let ran = desk.run(&["compare", "base.docx", "ours.docx", "theirs.docx"]);
    assert_eq!(ran.code, Some(2), "the third document needs --three");
}
