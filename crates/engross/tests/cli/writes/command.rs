//! `engross write`.

use std::io::Write;
use std::process::Stdio;

use engross_protocol::hex;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::desk::{ENGROSS, Ran, TestBench, ran};

fn write(desk: &TestBench, arguments: &[&str], input: &[u8]) -> Ran {
    let mut child = desk
        .command(ENGROSS)
        .arg("write")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // One that refuses at once does not read.
    let _ = child.stdin.take().unwrap().write_all(input);
    ran(child.wait_with_output().unwrap())
}

#[test]
fn input_becomes_a_file() {
    let desk = TestBench::new();
    let text = "one\nDONE\nEND-ABCDEFGHIJKLMNOP\ntwo";
    let wrote = write(&desk, &["notes/a.txt", "--json"], text.as_bytes());
    let sha256 = hex::encode(Sha256::digest(text));
    let receipt = wrote.json();
    assert_eq!(wrote.code, Some(0));
    assert_eq!(
        (&receipt["path"], &receipt["bytes"], &receipt["lines"]),
        (&json!("notes/a.txt"), &json!(text.len()), &json!(4))
    );
    assert_eq!(receipt["sha256"], sha256.as_str());
    assert_eq!(desk.bytes("notes/a.txt"), text.as_bytes());
    let wrote = write(&desk, &["notes/a.txt", "--op", "append", "--join-newline"], b"three\n");
    assert!(wrote.code == Some(0) && wrote.stdout.starts_with("notes/a.txt: "), "{wrote:?}");
    assert_eq!(desk.bytes("notes/a.txt"), format!("{text}\nthree\n").as_bytes());
    let patch = r#"{"type":"replace_lines","start_line":2,"end_line":3}"#;
    assert_eq!(
        write(&desk, &["a.txt", "--root", "notes", "--op", "patch", "--patch", patch], b"1.5\n").code,
        Some(0)
    );
    assert_eq!(desk.bytes("notes/a.txt"), b"one\n1.5\ntwo\nthree\n");
}

#[test]
fn a_terminator_ends_the_file_when_it_is_asked_for() {
    let desk = TestBench::new();
    assert_eq!(write(&desk, &["a.txt", "--terminator", "done"], b"one\nDONE\nmore").code, Some(0));
    assert_eq!(desk.bytes("a.txt"), b"one\n");
    let before = desk.files();
    let cut = write(&desk, &["b.txt", "--terminator", "auto", "--json"], b"one\n");
    assert_eq!((cut.code, &cut.json()["error"]["code"]), (Some(1), &json!("INCOMPLETE")));
    assert_eq!(desk.files(), before, "nothing is left of it");
}

#[test]
fn what_is_refused_leaves_nothing() {
    let desk = TestBench::new();
    desk.put("there.txt", b"old");
    let table: [(&[&str], &[u8], i32, &str); 8] = [
        (&["there.txt"], b"x", 1, "TARGET_EXISTS"),
        (&["none.txt", "--op", "append"], b"x", 1, "TARGET_MISSING"),
        (&["none.txt", "--op", "overwrite", "--must-exist"], b"x", 1, "TARGET_MISSING"),
        (&["../a.txt"], b"x", 2, "PATH_OUTSIDE_ROOT"),
        (&["a.json"], b"{\"a\": }", 1, "VALIDATION_FAILED"),
        (&["a.txt"], b"", 1, "EMPTY_CONTENT"),
        (&["a.txt", "--max-bytes", "3"], b"four", 1, "TOO_LARGE"),
        (&["a.txt", "--op", "patch"], b"x", 2, "ARGS_INVALID"),
    ];
    let before = desk.files();
    for (arguments, input, exit, code) in table {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        let refused = write(&desk, &arguments, input);
        assert_eq!(
            (refused.code, &refused.json()["error"]["code"]),
            (Some(exit), &json!(code)),
            "{arguments:?}"
        );
        assert_eq!(desk.files(), before, "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing() {
    let desk = TestBench::new();
    let before = desk.files();
    let mut child = desk
        .command(ENGROSS)
        .args(["write", "a.txt"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"some text\n").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_ne!(desk.files(), before, "it has begun");
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(desk.files(), before);
}

#[test]
fn the_commands_of_the_guide_work() {
    let guide = include_str!("../../../../../docs/guide/write.md");
    let desk = TestBench::new();
    let path = std::path::Path::new(ENGROSS).parent().unwrap().to_str().unwrap();
    let mut tried = 0;
    for block in guide.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next()) {
        let done =
            desk.command("bash").args(["-e", "-c", &format!("PATH={path}:$PATH\n{block}")]).output().unwrap();
        assert!(done.status.success(), "{block}{}", String::from_utf8_lossy(&done.stderr));
        tried += 1;
    }
    assert!(tried > 2);
}

#[test]
fn markdown_becomes_a_word_document() {
    let desk = TestBench::new();
    let text = "# Lease\n\nThe term ends in **May**.\n\n| Item | Price |\n|---|---|\n| TestBench | 20 |\n";
    let wrote = write(&desk, &["out/lease.docx", "--json"], text.as_bytes());
    assert_eq!(wrote.code, Some(0), "{wrote:?}");
    let receipt = wrote.json();
    let bytes = desk.bytes("out/lease.docx");
    assert_eq!((&receipt["bytes"], &receipt["lines"]), (&json!(bytes.len()), &json!(7)));
    let told = desk.run(&["to-markdown", "out/lease.docx"]);
    assert!(told.stdout.contains("# Lease") && told.stdout.contains("The term ends in **May**."), "{told:?}");
    assert_eq!(desk.run(&["check", "out/lease.docx"]).code, Some(0));
    let wrote = write(&desk, &["out/plan.docx", "--json"], b"See ![the plan](plan.png).\n");
    assert_eq!(wrote.json()["warnings"][0]["code"], "LEFT_OUT", "{wrote:?}");
    let refused = write(&desk, &["out/lease.docx", "--op", "append", "--json"], b"more");
    assert_eq!(refused.json()["error"]["code"], "UNSUPPORTED_TARGET");
    assert_eq!(desk.bytes("out/lease.docx"), bytes);
}
