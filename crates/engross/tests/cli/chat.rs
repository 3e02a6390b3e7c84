//! `engross chat`: what is typed comes in by a pipe, as in a script.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::desk::{ENGROSS, Ran, TestBench, ran};
use crate::serve::Server;

const GUIDE: &str = include_str!("../../../../docs/guide/chat.md");

/// Runs `engross chat` with `arguments`, and sessions in the folder `data`.
fn chat(desk: &TestBench, arguments: &[&str], typed: &str) -> Ran {
    let mut child = desk
        .command(ENGROSS)
        .args(["chat", "--data", "data"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may end before it has read all.
    let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
    ran(child.wait_with_output().unwrap())
}

/// A desk with the model `script` in `script.json`.
fn scripted(script: &Value) -> TestBench {
    let desk = TestBench::new();
    desk.put("script.json", script.to_string().as_bytes());
    desk
}

fn text(desk: &TestBench, file: &str, view: &str) -> String {
    let ran = desk.run(&["read", file, "--view", view]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.stdout
}

#[test]
fn edits_are_a_proven_redline_beside_the_document() {
    let desk = TestBench::new();
    let original = desk.bytes("nda.docx");
    let typed = "replace \"three (3) years\" with \"five (5) years\"\n\nreplace \"courts of Ireland\" with \"courts of Scotland\"\n";
    let ran = chat(&desk, &["nda.docx", "--author", "Ada"], typed);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for said in
        ["Applying edits", "{+five+}", "Wrote nda.redline.docx: rejecting all gives back the original"]
    {
        assert!(ran.stderr.contains(said), "{said}: {ran:?}");
    }
    assert_eq!(desk.bytes("nda.docx"), original, "the document itself is as it was");
    assert_eq!(desk.run(&["check", "nda.redline.docx"]).code, Some(0));
    let accepted = text(&desk, "nda.redline.docx", "accepted");
    assert!(accepted.contains("five (5) years") && accepted.contains("courts of Scotland"));
    let originals = |file: &str| {
        let paragraphs =
            desk.run(&["read", file, "--view", "original", "--json"]).json()["paragraphs"].take();
        let texts = paragraphs.as_array().unwrap().iter().map(|paragraph| paragraph["text"].clone());
        texts.collect::<Vec<Value>>()
    };
    assert_eq!(originals("nda.redline.docx"), originals("nda.docx"), "rejecting gives the document back");
    assert!(desk.run(&["revisions", "nda.redline.docx"]).stdout.contains("Ada, "));
}

#[test]
fn edits_are_taken_back_one_by_one() {
    let desk = TestBench::new();
    let both = "replace \"three (3) years\" with \"five (5) years\"\nreplace \"courts of Ireland\" with \"courts of Scotland\"\n";
    assert_eq!(chat(&desk, &["nda.docx"], both).code, Some(0));
    let ran = chat(&desk, &["nda.docx"], "/undo\n");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let now = text(&desk, "nda.redline.docx", "accepted");
    assert!(now.contains("five (5) years") && now.contains("courts of Ireland"), "{ran:?}");
    // In a process of its own it is the last step again that is taken back: the undoing.
    let ran = chat(&desk, &["nda.docx"], &format!("/undo\n/undo\n/undo\n/undo\n{both}/undo\n/undo\n"));
    assert!(ran.stderr.contains("There is nothing to take back"), "{ran:?}");
    assert_eq!(desk.bytes("nda.redline.docx"), desk.bytes("nda.docx"), "{ran:?}");

    let ran = chat(&desk, &[], "/undo\n");
    assert_eq!(ran.code, Some(2), "without a document: {ran:?}");
}

#[test]
fn in_place_and_elsewhere() {
    let desk = TestBench::new();
    let original = desk.bytes("nda.docx");
    let delete = "delete paragraph 56\n";
    assert_eq!(chat(&desk, &["nda.docx", "-o", "out.docx"], delete).code, Some(0));
    assert_eq!(desk.bytes("nda.docx"), original);
    assert_ne!(desk.bytes("out.docx"), original);
    assert_eq!(
        chat(&desk, &["nda.docx", "--in-place", "--untracked", "--session", "x"], delete).code,
        Some(0)
    );
    assert_eq!(desk.run(&["revisions", "nda.docx"]).stdout, {
        desk.put("copy.docx", &original);
        desk.run(&["revisions", "copy.docx"]).stdout
    });
    assert_ne!(desk.bytes("nda.docx"), original);
    assert_eq!(chat(&desk, &["nda.docx", "--in-place", "--session", "x"], "/undo\n/undo\n").code, Some(0));
    assert_eq!(desk.bytes("nda.docx"), original);
    assert_eq!(desk.names().iter().filter(|name| name.ends_with(".docx")).count(), 3, "{:?}", desk.names());
}

#[test]
fn a_session_goes_on_in_another_process() {
    let desk = scripted(&json!({"turns": [
        {"when": {"last_role": "user", "contains": "name", "anywhere": "call me Ishmael"}, "text": "You are Ishmael."},
    ], "default": {"text": "Good\u{1b}[31m day."}}));
    let model = ["--model", "script:script.json", "--session", "Whale"];
    let ran = chat(&desk, &model, "call me Ishmael\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Good\u{fffd}[31m day.\n"), "{ran:?}");
    assert!(ran.stderr.contains("engross chat --session whale"), "{ran:?}");
    let ran = chat(&desk, &model, "what is my name?\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "You are Ishmael.\n"), "{ran:?}");
    assert!(ran.stderr.contains("Earlier, You: call me Ishmael\nEarlier, engross: Good"), "{ran:?}");
    let ran = chat(&desk, &model[..2], "what is my name?\n");
    assert!(!ran.stdout.contains("Ishmael") && !ran.stderr.contains("Earlier"), "another session: {ran:?}");
    // The server knows it, too.
    let server = Server::try_start(&desk.path(""), &["--model", "rules"]).unwrap();
    let (status, body) = server.send("GET", "/v1/sessions/whale", &[], b"").unwrap();
    assert!(status == 200 && String::from_utf8(body).unwrap().contains("Ishmael"));
    let ran = chat(&desk, &model, "what is my name?\n");
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (Some(0), "You are Ishmael.\n"),
        "beside the server: {ran:?}"
    );
}

#[test]
fn what_cannot_be_talked_about_is_refused() {
    let desk = TestBench::new();
    desk.put("notes.docx", b"no document");
    for (arguments, code, name) in [
        (&["none.docx"][..], 5, "NOT_FOUND"),
        (&["notes.docx"], 3, "NOT_A_ZIP"),
        (&["."], 3, "IS_A_DIRECTORY"),
        (&["nda.docx", "-o", "nda.docx"], 2, "OUTPUT_IS_INPUT"),
        (&["nda.docx", "-o", "no/such/out.docx"], 5, "WRITE_FAILED"),
        (&["-o", "out.docx"], 2, "USAGE"),
        (&["--session", "cron:x"], 2, "SESSION_KEY_INVALID"),
        (&["--author", " "], 2, "INVALID_AUTHOR"),
        (&["--model", "openai/x"], 4, "MODEL_KEY_MISSING"),
    ] {
        let before = desk.files();
        let ran = chat(&desk, arguments, "hello\n");
        assert_eq!(ran.code, Some(code), "{arguments:?} {ran:?}");
        assert!(ran.stderr.contains(&format!("[{name}]")), "{arguments:?} {ran:?}");
        assert_eq!(desk.files(), before, "{arguments:?}");
    }
    // A redline that another run has made is not written into.
    desk.put("nda.redline.docx", &desk.bytes("nda.docx"));
    let ran = chat(&desk, &["nda.docx"], "delete paragraph 56\n");
    assert!(ran.code == Some(1) && ran.stderr.contains("[TARGET_EXISTS]"), "{ran:?}");
}

#[test]
fn errors_keep_the_session_usable() {
    let desk = scripted(&json!({"turns": [
        {"when": {"last_role": "user", "contains": "fail"}, "fault": {"kind": "status", "code": 400}},
    ], "default": {"text": "Here."}}));
    let model = ["--model", "script:script.json", "--session", "s"];
    let ran = chat(&desk, &model, "fail\n/nothing\nare you there?\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(4), "Here.\n"), "{ran:?}");
    assert!(ran.stderr.contains("[MODEL_BAD_REQUEST]") && ran.stderr.contains("no such command"), "{ran:?}");
    let ran = chat(&desk, &model, "/help\nare you there?\n/quit\nnot any more\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Here.\n"), "{ran:?}");
    let rules = chat(&desk, &["nda.docx"], "replace \"no such words\" with \"x\"\n");
    assert_eq!(rules.code, Some(1), "nothing was applied: {rules:?}");
    assert!(rules.stderr.contains("TEXT_NOT_FOUND") && !rules.stderr.contains("Wrote"), "{rules:?}");
    assert!(!desk.path("nda.redline.docx").exists(), "there is no file without an edit");
    let wrong = chat(&desk, &["--session", "s"], "\u{0}\n");
    assert!(!wrong.stderr.contains("panicked"), "{wrong:?}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_the_answer_and_then_the_chat() {
    use std::io::{BufRead, BufReader, Read};
    use std::process::Command;
    let desk = scripted(&json!({"turns": [
        {"when": {"last_role": "user", "contains": "go"}, "times": 0, "text": "Well", "fault": {"kind": "hang", "after": 1}},
    ], "default": {"text": "Here."}}));
    for presses in [1, 2] {
        let mut child = desk
            .command(ENGROSS)
            .args(["chat", "--data", "data", "--model", "script:script.json", "--session", "s"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut typed = child.stdin.take().unwrap();
        typed.write_all(b"go\n").unwrap();
        let mut answer = BufReader::new(child.stdout.take().unwrap());
        let mut start = [0; 4];
        answer.read_exact(&mut start).unwrap();
        assert_eq!(&start, b"Well");
        let mut told = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let press = || {
            assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        };
        press();
        let mut stopped = told.by_ref().skip_while(|line| !line.starts_with("Stopping"));
        assert!(stopped.next().is_some());
        if presses == 1 {
            let cancelled = told.by_ref().find(|line| line.contains("[TURN_CANCELLED]"));
            assert!(cancelled.is_some(), "the turn ends");
            typed.write_all(b"are you there?\n").unwrap();
            drop(typed);
            let mut rest = String::new();
            answer.read_to_string(&mut rest).unwrap();
            assert_eq!((rest.as_str(), child.wait().unwrap().code()), ("\nHere.\n", Some(0)));
        } else {
            // At the prompt it ends the chat.
            assert!(told.by_ref().any(|line| line.contains("[TURN_CANCELLED]")));
            // The prompt is back a moment after the turn has ended.
            std::thread::sleep(std::time::Duration::from_millis(500));
            press();
            assert_eq!(child.wait().unwrap().code(), Some(0));
        }
    }
}

#[test]
fn the_commands_of_the_guide_work() {
    let blocks = GUIDE.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines: Vec<&str> = blocks.flat_map(str::lines).filter(|line| line.contains("engross chat")).collect();
    assert!(lines.len() >= 4, "{lines:?}");
    let desk = TestBench::new();
    for line in lines {
        let command = line.split(" #").next().unwrap().trim();
        let offline = command.replace("--model anthropic/MODEL", "--model rules");
        let typed = if offline.contains('|') { "" } else { "</dev/null" };
        let script =
            format!("{} {typed}", offline.replace("engross chat", &format!("'{ENGROSS}' chat --data data")));
        let shell = desk.command("sh").args(["-c", &script]).output().unwrap();
        let ran = ran(shell);
        assert_eq!(ran.code, Some(0), "{script}: {ran:?}");
    }
    assert!(text(&desk, "nda.redline.docx", "accepted").contains("five (5) years"));
    let help = desk.run(&["chat", "--help"]).stdout;
    for flag in help
        .lines()
        .filter_map(|line| line.trim_start().split([' ', ',']).find(|word| word.starts_with("--")))
    {
        assert!(
            flag == "--help" || flag == "--version" || GUIDE.contains(&format!("`{flag}")),
            "{flag} is not in the guide"
        );
    }
}
