//! The line that is typed.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::pty::{ALT_ENTER, CTRL_C, LEFT, Pty, UP};
use super::{answer, chat, script, scripted};
use crate::desk::TestBench;

#[test]
fn a_line_is_edited() {
    let desk = scripted(&script([answer("say hello world", "Hello, world.")]));
    let pty = chat(&desk, &[]);
    pty.keys("say hello wrld");
    pty.keys(&LEFT.repeat(3));
    pty.keys("o");
    // To the beginning and to the end, a word away and back.
    pty.keys("\u{1}\u{5} extra\u{17}\r");
    let screen = pty.sees("Hello, world.");
    assert!(!screen.contains("^["), "{screen}");
    pty.rests();
    pty.line("/quit");
    assert_eq!(pty.ends().0, Some(0));
}

#[test]
fn what_was_typed_comes_back_also_in_another_chat() {
    let desk = scripted(&script([answer("first words", "One."), answer("second words", "Two.")]));
    let pty = chat(&desk, &[]);
    pty.line("first words");
    pty.sees("One.");
    pty.line("second words");
    pty.sees("Two.");
    pty.keys(&UP.repeat(2));
    pty.until("the older line", |screen| screen.matches("> first words").count() == 2);
    pty.keys("\u{15}\u{4}");
    assert_eq!(pty.ends().0, Some(0), "Ctrl-D on an empty line ends the chat");

    let mode = std::fs::metadata(desk.path("data/chat-history")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "nobody else reads what was typed");
    let pty = chat(&desk, &[]);
    pty.keys(UP);
    pty.sees("> second words");
    pty.keys("\u{15}\u{12}first");
    pty.sees("reverse-i-search)`first'");
    pty.keys("\r");
    pty.until("a second answer", |screen| screen.contains("One."));
}

#[test]
fn text_that_is_pasted_is_one_message() {
    let desk = scripted(&script([answer("one\ntwo\n\nthree", "All of it.")]));
    let pty = chat(&desk, &[]);
    pty.keys("\u{1b}[200~one\rtwo\r\rthree\u{1b}[201~");
    pty.sees("three");
    assert!(!pty.screen().contains("Thinking"), "nothing is sent yet");
    pty.keys("\r");
    pty.sees("All of it.");
    pty.rests();
    // Where the terminal has no brackets, its line ends are no Enter either.
    pty.keys("one\ntwo\n\nthree\r");
    pty.until("the second answer", |screen| screen.matches("All of it.").count() == 2);
}

#[test]
fn a_message_may_have_lines() {
    let desk = scripted(&script([answer("one\ntwo\nthree", "Three lines.")]));
    let pty = chat(&desk, &[]);
    pty.keys("one");
    pty.keys(ALT_ENTER);
    pty.keys("two\\\rthree\r");
    pty.sees("Three lines.");
}

#[test]
fn ctrl_c_keeps_the_line_and_a_second_one_ends() {
    let desk = scripted(&script([answer("half a line", "Whole now.")]));
    let pty = chat(&desk, &[]);
    pty.keys("half a li");
    pty.keys(CTRL_C);
    pty.sees("Ctrl-C once more ends the chat; your line is kept");
    pty.keys("ne\r");
    pty.sees("Whole now.");
    pty.rests();
    pty.keys("half a line");
    pty.keys(CTRL_C);
    pty.sees("your line is kept");
    pty.keys(CTRL_C);
    let (code, screen) = pty.ends();
    assert_eq!(code, Some(0));
    assert!(!screen.contains("once more"), "nothing is left behind the prompt: {screen}");
    // It is in the history.
    let pty = chat(&desk, &[]);
    pty.keys(UP);
    pty.sees("> half a line");
}

#[test]
fn commands_and_files_are_completed() {
    let desk = scripted(&script([answer("Quarterly figures", "I have read it.")]));
    desk.put("report for June.md", b"Quarterly figures");
    let pty = chat(&desk, &[]);
    pty.keys("/sta\t");
    pty.sees("> /status");
    pty.keys("\u{15}sum up @rep\t");
    pty.sees("@report\\ for\\ June.md");
    pty.keys("\r");
    pty.sees("report for June.md goes with it: 17 bytes");
    pty.sees("I have read it.");
}

#[test]
fn a_path_at_the_beginning_is_a_message_and_a_typing_error_is_not() {
    let desk = scripted(&script([answer("/etc/hosts", "It is mentioned.")]));
    let pty = chat(&desk, &[]);
    pty.line("/etc/hosts should be mentioned");
    pty.sees("It is mentioned.");
    pty.line("/statsu");
    pty.sees("There is no such command as /statsu; /status is near");
}

#[test]
fn another_size_breaks_nothing() {
    let long =
        "A long paragraph with many words that goes over several lines of any terminal there is. ".repeat(6);
    let desk = scripted(&script([answer("long", &long), answer("short", "Short.")]));
    let pty = chat(&desk, &[]);
    pty.line("long");
    pty.sees("any terminal there is.");
    pty.rests();
    pty.keys("short and ");
    pty.resize(20, 50);
    pty.keys("sweet");
    pty.until("the line", |screen| screen.contains("> short and sweet"));
    pty.keys("\r");
    let screen = pty.sees("Short.");
    assert!(screen.lines().all(|line| line.chars().count() <= 50), "{screen}");
    let screen = pty.rests();
    assert_eq!(screen.matches("/help").count(), 1, "there is one status line: {screen}");
}

#[test]
fn without_colours_and_on_a_dumb_terminal() {
    let desk =
        scripted(&script([answer("bold", "It is **bold**, `code` and [a link](https://example.org).")]));
    let arguments = ["--model", "script:script.json", "--session", "s"];
    let pty = Pty::start(&desk, &arguments, &[("NO_COLOR", "1")]);
    pty.sees("/help");
    pty.line("bold");
    pty.sees("It is bold, code and a link (https://example.org).");
    let bytes = String::from_utf8(pty.bytes()).unwrap();
    let colours = |text: &str| {
        ["\u{1b}[3", "\u{1b}[9"]
            .iter()
            .any(|start| text.split(start).skip(1).any(|rest| rest.as_bytes().get(1) == Some(&b'm')))
    };
    assert!(bytes.contains("\u{1b}[1mbold") && !colours(&bytes), "{bytes:?}");
    pty.line("/quit");
    assert_eq!(pty.ends().0, Some(0));

    let pty = Pty::start(&desk, &arguments, &[("TERM", "dumb")]);
    pty.sees("> ");
    pty.line("bold");
    pty.sees("It is **bold**");
    assert!(!pty.bytes().contains(&0x1b), "{:?}", pty.screen());
}

#[test]
fn an_end_from_outside_leaves_the_terminal_as_it_was() {
    let desk = scripted(&json!({"turns": [
        {"when": {"contains": "go"}, "text": "Well", "fault": {"kind": "hang", "after": 1}},
    ]}));
    for signal in ["TERM", "HUP"] {
        let pty = chat(&desk, &[]);
        pty.line("go");
        pty.sees("Answering");
        pty.signal(signal);
        assert_eq!(pty.ends().0, Some(130), "{signal}");
    }
}

/// The model of rules says what it understands, once, and goes on listening.
#[test]
fn a_wish_that_no_rule_knows_is_answered_with_what_they_know() {
    let desk = TestBench::new();
    let pty = Pty::chat(&desk, &["nda.docx", "--model", "rules"]);
    pty.line("make it sound friendlier");
    pty.sees("replace \"X\" with \"Y\"");
    let screen = pty.rests();
    assert!(screen.contains("delete paragraph") && !desk.path("nda.redline.docx").exists(), "{screen}");
    pty.line("replace \"three (3) years\" with \"five (5) years\"");
    pty.sees("Agree? yes  no  always");
    pty.keys("y");
    pty.sees("✓ 1 applied. Wrote nda.redline.docx");
    pty.rests();
    assert!(desk.path("nda.redline.docx").exists());
}
