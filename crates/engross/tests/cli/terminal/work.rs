//! While an answer or a file is being made.

use std::time::Duration;

use engross_testkit::scripted::ModelServer;
use serde_json::json;

use super::pty::{CTRL_C, Pty};
use super::{answer, chat, left, script, scripted, writes};
use crate::desk::TestBench;

#[test]
fn an_answer_is_shown_as_it_comes_with_its_markdown() {
    let text = "# Findings\n\nThe **term** is `three years`. It is *long*.\n\n- first\n- second\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    let desk = scripted(&json!({"turns": [
        {"when": {"last_role": "user", "contains": "go"}, "first_delay_ms": 1200, "delay_ms": 60, "text": text},
    ]}));
    let pty = chat(&desk, &[]);
    pty.line("go");
    pty.sees("Thinking · 1 s · Ctrl-C stops");
    pty.until("the first line before the end", |screen| {
        screen.contains("Findings") && screen.contains("Answering")
    });
    let screen = pty.rests();
    for line in ["The term is three years. It is long.", "• first", "• second", "a  b", "─  ─", "1  2"]
    {
        assert!(screen.contains(line), "{line}: {screen}");
    }
    assert!(!screen.contains("**") && !screen.contains("Thinking"), "{screen}");
    pty.picture("chat-markdown");
}

/// A paragraph is one line of many words: it is shown while it comes, not at its end.
#[test]
fn a_long_paragraph_behind_another_is_shown_as_it_comes() {
    let text = format!("First paragraph.\n\n{}", "These are **more** words of the `second` one. ".repeat(40));
    let desk = scripted(&json!({"turns": [
        {"when": {"last_role": "user", "contains": "go"}, "delay_ms": 40, "text": text},
        {"when": {"last_role": "user", "contains": "nothing"}, "text": ""},
    ]}));
    let pty = chat(&desk, &[]);
    pty.line("go");
    pty.until("some of the second paragraph before its end", |screen| {
        screen.contains("First paragraph.")
            && screen.contains("These are more words")
            && screen.contains("Answering")
    });
    pty.rests();
    pty.line("nothing");
    pty.sees("The model has answered nothing");
}

/// What a model thinks is seen while it does, and gone when the answer comes.
#[test]
fn a_model_that_thinks_shows_it() {
    let thought = "Let me look at the term first. ".repeat(12) + "It is the notice that matters";
    let desk = scripted(&json!({"turns": [
        {"when": {"last_role": "user", "contains": "go"}, "delay_ms": 150, "reasoning": thought, "text": "The notice matters."},
    ]}));
    let pty = chat(&desk, &[]);
    pty.line("go");
    pty.until("its thoughts", |screen| {
        screen.contains("Thinking · ")
            && screen.contains(" bytes · Ctrl-C stops · … ")
            && screen.contains("look at the term first. Let me look")
            && (1..60).any(|seconds| screen.contains(&format!("· {seconds} s ·")))
    });
    pty.picture("chat-thinking");
    pty.sees("The notice matters.");
    let screen = pty.rests();
    assert!(!screen.contains("Let me look"), "{screen}");
}

/// Twice Ctrl-C in a file ends the chat, and nothing of the file is among the person's own.
#[test]
fn a_chat_that_is_ended_in_a_file_leaves_nothing_in_the_folder() {
    let text = "A line of the file, and some more words.\n".repeat(1200);
    let desk = scripted(&script(writes("write", "long.txt", "create", &text, 2)));
    let pty = chat(&desk, &["--auto"]);
    pty.line("write it");
    pty.sees("Writing long.txt: ");
    pty.keys(CTRL_C);
    pty.keys(CTRL_C);
    let (code, _) = pty.ends();
    assert!(code == Some(130) || code == Some(0), "{code:?}");
    assert_eq!(left(&desk), [""; 0]);
    let pty = chat(&desk, &["--auto"]);
    pty.sees("long.txt is incomplete; say \"go on\"");
}

#[test]
fn a_file_tells_how_far_it_is() {
    let text =
        "# Plan\n\nSome words of the plan.\n\n## Costs\n\n".to_owned() + &"More words here.\n".repeat(60);
    let desk = scripted(&script(writes("write", "plan.md", "create", &text, 25)));
    let pty = chat(&desk, &["--auto"]);
    pty.line("write it");
    let screen = pty.until("progress", |screen| {
        screen.contains("Writing plan.md: ")
            && screen.contains("bytes")
            && screen.contains("at ## Costs · 1 s")
    });
    assert!(screen.contains("lines"), "{screen}");
    pty.picture("chat-writing");
    pty.sees("✓ plan.md is written:");
    pty.sees("plan.md is there.");
    pty.rests();
    assert_eq!(desk.bytes("plan.md"), text.as_bytes());
    pty.line("/quit");
    assert_eq!(pty.ends().0, Some(0));
    assert_eq!(left(&desk), ["plan.md"], "nothing else is left in the folder");
}

#[test]
fn what_is_typed_meanwhile_waits_and_does_not_mix() {
    let slow = "Once upon a time there was an answer of many words that came slowly. ".repeat(3);
    let desk = scripted(&json!({"turns": [
        {"when": {"last_role": "user", "contains": "slow"}, "delay_ms": 40, "text": slow},
        {"when": {"last_role": "user", "contains": "next"}, "text": "This is the next one."},
    ]}));
    let pty = chat(&desk, &[]);
    pty.line("slow");
    pty.sees("Answering");
    pty.keys("the ne");
    pty.sees("Once upon a time");
    pty.keys("xt\r");
    pty.sees("1 message waits");
    pty.picture("chat-queue");
    let screen = pty.sees("This is the next one.");
    let words: Vec<&str> = screen.split_whitespace().collect();
    let joined = words.join(" ");
    assert!(joined.contains("> the next"), "{screen}");
    let story: Vec<&str> = slow.split_whitespace().collect();
    let shown: Vec<&&str> = words.iter().filter(|word| story.contains(*word)).collect();
    assert!(shown.len() >= story.len(), "all of it was shown: {screen}");
}

/// A message that is typed while tools work is read before the answer is over.
#[test]
fn what_is_typed_meanwhile_steers_the_model() {
    let mut turns = writes("write", "a.txt", "create", &"A line of the file.\n".repeat(12), 30);
    turns.insert(
        0,
        json!({"when": {"last_role": "user", "contains": "in French"}, "times": 0, "text": "Bien sûr."}),
    );
    let desk = scripted(&script(turns));
    let pty = chat(&desk, &["--auto"]);
    pty.line("write it");
    pty.sees("Writing a.txt");
    pty.line("the next one in French, please");
    pty.sees("1 message waits");
    pty.sees("✓ a.txt is written");
    let screen = pty.sees("Bien sûr.");
    assert!(screen.contains("· the model has read: the next one in French, please"), "{screen}");
    assert!(!screen.contains("a.txt is there."), "it was one answer: {screen}");
}

#[test]
fn ctrl_c_stops_the_answer_and_sends_what_waits() {
    let desk = scripted(&json!({"turns": [
        {"when": {"last_role": "user", "contains": "go"}, "times": 0, "text": "Well then", "fault": {"kind": "hang", "after": 1}},
        {"when": {"last_role": "user", "contains": "rather"}, "text": "As you like."},
    ]}));
    let pty = chat(&desk, &[]);
    pty.line("go");
    pty.sees("Answering");
    pty.line("rather this");
    pty.sees("1 message waits");
    pty.keys(CTRL_C);
    pty.sees("Stopped");
    let screen = pty.sees("As you like.");
    assert!(screen.contains("Well") && !screen.contains("TURN_CANCELLED"), "{screen}");
}

/// The second press comes while the first is carried out, or when it has been.
#[test]
fn ctrl_c_twice_ends_the_chat_however_fast_it_is() {
    let desk = scripted(&json!({"turns": [
        {"when": {"last_role": "user", "contains": "go"}, "times": 0, "text": "Well then", "fault": {"kind": "hang", "after": 1}},
    ]}));
    for apart in [0, 1, 3, 10, 40, 200] {
        let pty = chat(&desk, &[]);
        pty.line("go");
        pty.sees("Answering");
        pty.keys(CTRL_C);
        std::thread::sleep(Duration::from_millis(apart));
        pty.keys(CTRL_C);
        let (code, screen) = pty.ends();
        assert!(code == Some(130) || code == Some(0), "{code:?} with {apart} ms between: {screen}");
    }
}

#[test]
fn a_file_that_is_stopped_is_kept_and_gone_on_with() {
    let begin = json!({"when": {"last_role": "user", "contains": "write"}, "tool_calls": [{"name": "WritePlanTool_begin", "args": {"target_file": "a.md", "operation": "create"}}]});
    let desk = scripted(&json!({"turns": [
        begin,
        {"when": {"last_role": "tool", "contains": "awaiting_content"}, "text": "The first line of the file.\nThe second line of it.\nThe third", "fault": {"kind": "hang", "after": 12}},
    ]}));
    let pty = chat(&desk, &["--auto"]);
    pty.line("write it");
    pty.sees("Writing a.md: ");
    pty.keys(CTRL_C);
    pty.sees("! a.md is incomplete:");
    pty.sees("Say \"go on\" to have the rest");
    pty.rests();
    pty.line("/status");
    pty.sees("Incomplete");
    pty.line("/quit");
    assert_eq!(pty.ends().0, Some(0));
    assert_eq!(left(&desk), [""; 0], "unfinished content is not among the person's files");
    // The next chat says so, too.
    let pty = chat(&desk, &[]);
    pty.sees("a.md is incomplete; say \"go on\" to have the rest of it");
}

#[cfg(unix)]
#[test]
fn a_chat_that_is_killed_while_it_writes_says_so_and_goes_on() {
    let text = "The first line of the file.\nThe second line of it.\n".repeat(40);
    let desk = scripted(&script(writes("write", "a.md", "create", &text, 20)));
    let pty = chat(&desk, &["--auto"]);
    pty.line("write it");
    pty.until("some lines", |screen| screen.contains("Writing a.md: ") && screen.contains("· 2 s"));
    pty.signal("KILL");
    drop(pty);
    assert!(!desk.path("a.md").exists());
    let pty = chat(&desk, &["--auto"]);
    pty.sees("a.md is incomplete; say \"go on\"");
}

#[test]
fn a_failure_in_the_middle_is_told_and_asked_again() {
    let desk = scripted(&json!({"turns": [
        {"when": {"last_role": "user", "contains": "go"}, "text": "Half of an", "fault": {"kind": "disconnect", "after": 2}},
        {"when": {"last_role": "user", "contains": "go"}, "text": "All of an answer."},
    ]}));
    let pty = chat(&desk, &[]);
    pty.line("go");
    pty.sees("✗ ");
    pty.sees("/retry asks again");
    let screen = pty.rests();
    assert!(screen.contains("Half of"), "{screen}");
    pty.line("/retry");
    pty.sees("All of an answer.");
}

#[test]
fn nothing_of_a_model_steers_the_terminal() {
    let hostile = "Good\u{1b}[31m day\u{7}\u{9b}2J \u{202e}back\u{200f}\n\n```\n\u{1b}]0;title\u{7}\n```\n";
    let desk = scripted(&script([answer("go", hostile)]));
    let pty = chat(&desk, &[]);
    pty.line("go");
    pty.sees("title");
    pty.rests();
    let bytes = String::from_utf8(pty.bytes()).unwrap();
    assert!(bytes.contains("Good\u{fffd}[31m day\u{fffd}\u{fffd}2J \u{fffd}back\u{fffd}"), "{bytes:?}");
    assert!(!bytes.contains("\u{1b}]0;") && !bytes.contains('\u{202e}') && !bytes.contains("\u{1b}[31m day"));
}

/// Two people, or one with two contracts.
#[test]
fn two_chats_share_a_folder_for_data() {
    let desk = scripted(&script([answer("one", "First."), answer("two", "Second.")]));
    let first = Pty::chat(&desk, &["--model", "script:script.json", "--session", "a"]);
    let second = Pty::chat(&desk, &["--model", "script:script.json", "--session", "b"]);
    first.line("one");
    second.line("two");
    first.sees("First.");
    second.sees("Second.");
    first.rests();
    second.rests();
    first.line("two");
    first.sees("Second.");
    for chat in [first, second] {
        chat.rests();
        chat.line("/quit");
        assert_eq!(chat.ends().0, Some(0));
    }
    let history = String::from_utf8(desk.bytes("data/chat-history")).unwrap();
    assert!(history.contains("one") && history.contains("two"), "{history}");
}

/// A server that refuses tools: the model calls in text, and the person sees its words, the question and the file, and nothing of the
/// calls.
#[test]
fn a_model_without_tools_writes_as_any_other() {
    let refused = json!({"kind": "status", "code": 400, "message": "registry.ollama.ai/library/sim does not support tools"});
    let call =
        "I write it.\nCALL WritePlanTool_begin {\"target_file\": \"a.txt\", \"operation\": \"create\"}\n";
    let server = ModelServer::start(json!({"turns": [
        {"when": {"has_tools": true}, "times": 0, "fault": refused},
        {"when": {"last_role": "user", "contains": "Write"}, "text": call},
        {"when": {"last_role": "user", "contains": "awaiting_content"}, "text": "one\ntwo\nDONE\n"},
        {"when": {"last_role": "user", "contains": "\"complete\""}, "text": "It is **written**."},
    ], "default": {"text": "I know of nothing."}}));
    let desk = TestBench::new().with_variable("OLLAMA_HOST", &server.url());
    let pty = Pty::chat(&desk, &["--model", "ollama/sim"]);
    pty.line("Write the file.");
    pty.sees("Agree? yes  no  always");
    assert!(pty.screen().contains("New file a.txt"), "{}", pty.screen());
    pty.keys("y");
    pty.sees("It is written.");
    let screen = pty.rests();
    assert!(!screen.contains("CALL") && screen.contains("I write it."), "{screen}");
    assert_eq!(desk.bytes("a.txt"), b"one\ntwo\n");
}
