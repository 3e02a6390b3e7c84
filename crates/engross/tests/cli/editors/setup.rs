//! `engross acp --setup`, with a person who mistypes.

use std::io::Write;
use std::process::Stdio;

use crate::desk::{ENGROSS, Ran, TestBench, ran};

fn setup(desk: &TestBench, typed: &str) -> Ran {
    let mut child = desk
        .command(ENGROSS)
        .args(["acp", "--setup"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
    ran(child.wait_with_output().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn a_model_on_this_machine_is_chosen_tried_and_kept() {
    use engross_testkit::scripted::ModelServer;
    let server = ModelServer::start(serde_json::json!({"turns": [], "default": {"text": "ready"}}));
    let desk = TestBench::new();
    std::fs::create_dir_all(desk.path("settings/engross")).unwrap();
    let before = "# mine\nauthor = \"Ada\" # me\n\n[agents.x]\ncommand = \"x\"\n";
    desk.put("settings/engross/config.toml", before.as_bytes());
    let typed = format!("nine\n9\n5\nnot an address\nm\n{}/v1\nm\n", server.url());
    let ran = setup(&desk, &typed);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("It answers."), "{ran:?}");
    let settings = String::from_utf8(desk.bytes("settings/engross/config.toml")).unwrap();
    assert!(
        settings.contains("# mine\nauthor = \"Ada\" # me\n") && settings.contains("[agents.x]"),
        "{settings}"
    );
    let doctor = desk.run(&["doctor", "--json"]).json();
    assert!(doctor["model"]["spec"].as_str().unwrap().contains("#m"), "{doctor}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_key_that_is_missing_is_named_and_never_asked_for() {
    let desk = TestBench::new();
    let ran = setup(&desk, "1\nclaude-x\nn\n");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stdout.contains("Set ANTHROPIC_API_KEY") && ran.stdout.contains("Nothing was changed"),
        "{ran:?}"
    );
    assert!(!desk.path("settings/engross/config.toml").exists());
    let ran = setup(&desk, "1\nclaude-x\nyes\n");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let settings = String::from_utf8(desk.bytes("settings/engross/config.toml")).unwrap();
    assert_eq!(settings, "model = \"anthropic/claude-x\"\n");
    // Broken off, it leaves all as it was.
    for typed in ["", "3\n", "7\n0\nx\n\n-1\n"] {
        let ran = setup(&desk, typed);
        assert_eq!(ran.code, Some(2), "{typed}: {ran:?}");
        assert_eq!(String::from_utf8(desk.bytes("settings/engross/config.toml")).unwrap(), settings);
    }
    let ran = setup(&desk, "6\n");
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
