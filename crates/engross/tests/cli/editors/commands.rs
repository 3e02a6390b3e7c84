//! The commands that are announced: two for the model, two without.

use serde_json::{Value, json};

use super::editor::{Editor, Permission, agreement, work};
use crate::desk::TestBench;

fn scripted() -> Value {
    json!({"turns": [
        {"when": {"contains": "Shorten clause 2", "not_contains": "/redline"}, "text": "Shortened."},
        {"when": {"contains": "Review the document. For the buyer"}, "text": "Reviewed."},
    ], "default": {"text": "Nothing fits."}})
}

#[test]
fn they_are_announced_and_two_of_them_ask_the_model() {
    let desk = TestBench::new();
    let (mut editor, session) = Editor::with_session(&desk, &scripted());
    editor.prompt(&session, "/redline Shorten clause 2").unwrap();
    editor.prompt(&session, "/review For the buyer").unwrap();
    assert_eq!(editor.text(), "Shortened.Reviewed.");
    let announced = editor.updates("available_commands_update");
    let commands = announced[0]["availableCommands"].as_array().unwrap();
    let names: Vec<&Value> = commands.iter().map(|command| &command["name"]).collect();
    assert_eq!(names, ["redline", "review", "compare", "accept"]);
    // A path at the beginning is no command.
    editor.prompt(&session, "/usr/share is a folder").unwrap();
    assert!(editor.text().ends_with("Nothing fits."));
    // What lacks something says what.
    editor.prompt(&session, "/redline").unwrap();
    assert!(editor.text().ends_with("/redline INSTRUCTION"), "{}", editor.text());
    editor.prompt(&session, "/compare one.docx").unwrap();
    assert!(editor.text().ends_with("AFTER.docx"), "{}", editor.text());
}

#[test]
fn accept_takes_the_changes_in_once_it_is_agreed_to() {
    let desk = TestBench::new();
    let (mut editor, session) = Editor::with_session(&desk, &scripted());
    // The example has changes of the other side.
    editor.prompt(&session, "/accept").unwrap();
    assert!(editor.text().contains("Accept 2 tracked changes of nda.docx"), "{}", editor.text());
    editor.prompt(&session, "/accept").unwrap();
    assert!(editor.text().contains("no tracked changes"), "{}", editor.text());
    let change = "replace \"three (3) years\" with \"five (5) years\"";
    assert_eq!(desk.run(&["edit", "work/nda.docx", change, "--in-place"]).code, Some(0));
    let redline = agreement(&desk);
    editor.permission = Permission::No;
    editor.prompt(&session, "/accept nda.docx").unwrap();
    assert_eq!(agreement(&desk), redline);
    assert!(editor.text().ends_with("Nothing was written."));
    editor.permission = Permission::Once;
    editor.prompt(&session, &format!("/accept \"{}/nda.docx\"", work(&desk))).unwrap();
    assert_eq!(desk.run(&["revisions", "work/nda.docx", "--json"]).json()["revisions"], json!([]));
    assert!(desk.run(&["read", "work/nda.docx"]).stdout.contains("five (5) years"));
    // The redline is kept.
    let checkpoints = desk.run(&["checkpoint", "work/nda.docx", "list", "--json"]).json();
    assert!(checkpoints["checkpoints"].as_array().unwrap().len() >= 2, "{checkpoints}");
}

#[test]
fn compare_writes_a_new_file_and_nothing_else() {
    let desk = TestBench::new();
    let (mut editor, session) = Editor::with_session(&desk, &scripted());
    let change = "replace \"three (3) years\" with \"five (5) years\"";
    let made = ["edit", "work/nda.docx", change, "--untracked", "-o", "work/nda v2.docx"];
    assert_eq!(desk.run(&made).code, Some(0));
    let before = (agreement(&desk), desk.bytes("work/nda v2.docx"));
    editor.prompt(&session, "/compare nda.docx \"nda v2.docx\"").unwrap();
    assert!(editor.text().contains("Wrote nda.redline.docx."), "{}", editor.text());
    assert_eq!((agreement(&desk), desk.bytes("work/nda v2.docx")), before);
    assert!(desk.run(&["read", "work/nda.redline.docx", "--view", "markup"]).stdout.contains("{++five"));
    let first = desk.bytes("work/nda.redline.docx");
    editor.prompt(&session, "/compare nda.docx \"nda v2.docx\"").unwrap();
    assert!(editor.text().contains("Wrote nda.redline-2.docx."), "{}", editor.text());
    assert_eq!(desk.bytes("work/nda.redline.docx"), first);
    editor.prompt(&session, "/compare nda.docx nda.docx").unwrap();
    assert!(editor.text().contains("say the same"), "{}", editor.text());
    for (files, code) in [
        ("nda.docx none.docx", "TARGET_MISSING"),
        ("nda.docx ../nda.docx", "PATH_OUTSIDE_ROOT"),
        ("nda.docx /etc/passwd", "EDITOR_FILE_OUTSIDE"),
    ] {
        let error = editor.prompt(&session, &format!("/compare {files}")).unwrap_err();
        assert_eq!(error["data"]["code"], code, "{error}");
    }
}
