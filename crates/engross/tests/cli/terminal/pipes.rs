//! Chats with a pipe on one side: a line is a message, and nothing is drawn or asked.

use std::process::Stdio;

use serde_json::json;

use super::pty::Pty;
use super::{answer, script, scripted, writes};
use crate::desk::{ENGROSS, Ran, TestBench, ran};

/// Runs a line of a shell, in which `CHAT` is a chat.
fn shell(desk: &TestBench, line: &str) -> Ran {
    let line = line.replace("CHAT", &format!("'{ENGROSS}' chat --data data"));
    let run = desk.command("sh").args(["-c", &line]).stdin(Stdio::null()).output();
    ran(run.unwrap())
}

#[test]
fn a_line_is_a_message_and_answers_go_out_alone() {
    let desk = scripted(&script([answer("one", "First **answer**."), answer("two", "Second.")]));
    let run = shell(&desk, "printf 'one\\n\\ntwo' | CHAT --model script:script.json");
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "First **answer**.\nSecond.\n"), "{run:?}");
    assert!(!run.stderr.contains("First") && !run.stderr.contains('\u{1b}'), "{run:?}");
    // With no line at all there is nothing to do.
    let run = shell(&desk, "printf '' | CHAT --model script:script.json");
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{run:?}");
}

#[test]
fn how_it_went_is_the_exit_code() {
    let desk = scripted(&json!({"turns": [
        {"when": {"last_role": "user", "contains": "fail"}, "fault": {"kind": "status", "code": 400}},
    ], "default": {"text": "Here."}}));
    for (line, code) in [
        ("echo 'replace \"no such words\" with \"x\"' | CHAT nda.docx --model rules", 1),
        ("echo hello | CHAT --no-such-flag", 2),
        ("echo fail | CHAT --model script:script.json", 4),
        ("echo well | CHAT --model script:script.json", 0),
    ] {
        let run = shell(&desk, line);
        assert_eq!(run.code, Some(code), "{line}: {run:?}");
        assert_eq!(run.stdout.contains("Here."), code == 0, "{line}: {run:?}");
    }
}

/// What a receipt warns of, and a file that is not there in the end, is no secret of the model.
#[test]
fn warnings_and_files_that_were_not_written_are_told() {
    for (text, told, code) in [
        ("{\"a\": 1\n", "a.json is incomplete; say \"go on\"", 1),
        ("{\"a\": 1}\n", "a.json is written: 9 bytes", 0),
    ] {
        let desk = scripted(&script(writes("write", "a.json", "create", text, 0)));
        let run = shell(&desk, "echo 'write it' | CHAT --model script:script.json");
        assert_eq!(run.code, Some(code), "{run:?}");
        assert!(run.stderr.contains(told), "{run:?}");
    }
    let desk =
        scripted(&script(writes("write", "a.md", "create", "# Title\n\nText.\n\n## The last heading\n", 0)));
    let run = shell(&desk, "echo 'write it' | CHAT --model script:script.json");
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.stderr.contains("Warning: a.md: ") && run.stderr.contains("[LOOKS_UNFINISHED]"), "{run:?}");
    let desk = scripted(&script([answer("one", "")]));
    let run = shell(&desk, "echo one | CHAT --model script:script.json");
    assert!(run.stderr.contains("The model has answered nothing"), "{run:?}");
}

/// Who looks on at a terminal sees the answers as they are, and no line to type in.
#[test]
fn input_from_a_pipe_is_shown_at_a_terminal_without_an_editor() {
    let desk = scripted(&script([answer("one", "First answer."), answer("two", "Second answer.")]));
    let pty = Pty::piped(&desk, &["--model", "script:script.json"], "one\ntwo\n");
    let (code, screen) = pty.ends();
    assert_eq!(code, Some(0), "{screen}");
    let (first, second) = (screen.find("First answer."), screen.find("Second answer."));
    assert!(first.is_some() && first < second, "{screen}");
    assert!(!screen.lines().any(|line| line.starts_with("> ")), "{screen}");
}
