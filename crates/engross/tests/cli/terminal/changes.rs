//! Changes: shown, agreed to, taken back.

use super::pty::Pty;
use super::{chat, left, script, scripted, writes};
use crate::desk::TestBench;

const EDIT: &str = "replace \"three (3) years\" with \"five (5) years\"";

#[test]
fn edits_are_made_after_a_yes_and_taken_back() {
    let desk = TestBench::new();
    let original = desk.bytes("nda.docx");
    let pty = Pty::chat(&desk, &["nda.docx", "--model", "rules"]);
    pty.line(EDIT);
    let screen = pty.sees("Agree? yes  no  always");
    assert!(screen.contains("threefive") && screen.contains("edit of nda.redline.docx"), "{screen}");
    assert!(!desk.path("nda.redline.docx").exists(), "nothing is made before");
    pty.picture("chat-approval");
    pty.keys("n");
    pty.rests();
    assert!(!desk.path("nda.redline.docx").exists());
    pty.line(EDIT);
    pty.until("another question", |screen| {
        screen.trim_end().ends_with("Ctrl-C stops") && screen.contains("Agree?")
    });
    pty.keys("y");
    pty.sees("✓ 1 applied. Wrote nda.redline.docx: rejecting all gives back the original");
    pty.rests();
    assert!(desk.run(&["read", "nda.redline.docx"]).stdout.contains("five (5) years"));
    pty.line("/diff");
    pty.until("the change again", |screen| screen.matches("threefive").count() >= 3);
    pty.line("/status");
    pty.sees("nda.redline.docx · ");
    pty.line("/accept");
    pty.sees("tracked changes of nda.redline.docx are accepted");
    assert!(!desk.run(&["revisions", "nda.redline.docx"]).stdout.contains("five"));
    pty.line("/undo");
    pty.sees("nda.redline.docx is as it was before the last edit");
    assert!(desk.run(&["revisions", "nda.redline.docx"]).stdout.contains("five"));
    pty.line("/undo");
    pty.sees("no edit is left");
    assert_eq!(desk.bytes("nda.docx"), original);
}

#[test]
fn always_asks_no_more() {
    let desk = TestBench::new();
    let pty = Pty::chat(&desk, &["nda.docx", "--model", "rules"]);
    pty.line(EDIT);
    pty.sees("Agree?");
    pty.keys("a");
    pty.sees("✓ 1 applied");
    pty.sees("agrees to all");
    pty.line("replace \"courts of Ireland\" with \"courts of Scotland\"");
    pty.sees("IrelandScotland");
    pty.until("the second end", |screen| screen.matches("✓ 1 applied").count() == 2);
    pty.line("/auto");
    pty.sees("asked about before they are made");
    pty.line("delete paragraph 56");
    pty.sees("Agree?");
    pty.keys("\u{3}");
    pty.sees("Stopped");
}

#[test]
fn a_file_is_shown_before_it_takes_its_place() {
    let text = "one\n2\nthree\nfour\n";
    let desk = scripted(&script(writes("write", "list.txt", "overwrite", text, 0)));
    desk.put("list.txt", b"one\ntwo\nthree\n");
    let pty = chat(&desk, &[]);
    pty.line("write it");
    let screen = pty.sees("Agree?");
    for line in ["Change list.txt · +2 −1", "  - two", "  + 2", "  + four"] {
        assert!(screen.contains(line), "{line}: {screen}");
    }
    assert_eq!(desk.bytes("list.txt"), b"one\ntwo\nthree\n");
    pty.picture("chat-diff");
    pty.line("no");
    pty.sees("! list.txt was not written [WRITE_DECLINED]");
    pty.sees("It was not to be.");
    pty.rests();
    assert_eq!(desk.bytes("list.txt"), b"one\ntwo\nthree\n");
    pty.line("write it again");
    pty.until("another question", |screen| {
        screen.matches("Change list.txt").count() == 2 && screen.contains("Agree?")
    });
    pty.keys("y");
    pty.sees("✓ list.txt is written: 17 bytes, 4 lines");
    pty.rests();
    assert_eq!(desk.bytes("list.txt"), text.as_bytes());
    pty.line("/undo");
    pty.sees("list.txt is as it was before it was written");
    assert_eq!(desk.bytes("list.txt"), b"one\ntwo\nthree\n");
    pty.line("/undo");
    pty.sees("There is nothing to take back");
    pty.line("/quit");
    assert_eq!(pty.ends().0, Some(0));
    assert_eq!(left(&desk), ["list.txt"]);
}

#[test]
fn what_somebody_else_has_changed_is_not_taken_back() {
    let desk = scripted(&script(writes("write", "new.txt", "create", "text\n", 0)));
    let pty = chat(&desk, &["--auto"]);
    pty.line("write it");
    pty.sees("✓ new.txt is written");
    pty.rests();
    desk.put("new.txt", b"mine\n");
    pty.line("/undo");
    pty.sees("[TARGET_CHANGED]");
    assert_eq!(desk.bytes("new.txt"), b"mine\n");
    desk.put("new.txt", b"text\n");
    pty.line("/quit");
    assert_eq!(pty.ends().0, Some(0));
    // Another chat of the session knows of it, too.
    let pty = chat(&desk, &["--auto"]);
    pty.line("/undo");
    pty.sees("new.txt is as it was before it was written");
    assert!(!desk.path("new.txt").exists(), "it was not there before");
    pty.line("/undo");
    pty.sees("There is nothing to take back");
}

/// A warning of the receipt comes before the person, not only before the model.
#[test]
fn warnings_are_shown() {
    let desk = scripted(&script(writes("write", "bad.py", "create", "def f(:\n  return\n", 0)));
    let pty = chat(&desk, &["--auto"]);
    pty.line("write it");
    let screen = pty.sees("✓ bad.py is written");
    let screen = if screen.contains("SYNTAX_ERROR") { screen } else { pty.rests() };
    assert!(screen.contains("SYNTAX_ERROR") || cfg!(not(feature = "code")), "{screen}");
}

/// Without a terminal on all three sides it is as it was: nothing is asked, nothing is drawn.
#[test]
fn pipes_are_asked_nothing() {
    let desk = TestBench::new();
    let shell = format!("echo '{EDIT}' | '{}' chat nda.docx --data data --model rules", crate::desk::ENGROSS);
    let output = desk.command("sh").args(["-c", &shell]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && told.contains("{+five+}") && !told.contains('\u{1b}'), "{told}");
}
