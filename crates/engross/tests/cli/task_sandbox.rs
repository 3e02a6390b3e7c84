//! A task's agent is fenced in, and what was asked of its sandbox holds or is refused.

use engross_sandbox::Support;
use serde_json::json;

use crate::desk::{Ran, TestBench};
use crate::fake_agent;

fn run(desk: &TestBench, thread: &str, words: &str, more: &[&str]) -> Ran {
    let mut line = vec!["task", "run", words, "--agent", "fake", "--thread", thread, "--folder", thread];
    line.extend(["--config", "engross.toml", "--data", "data", "--json"]);
    line.extend(more);
    desk.run(&line)
}

/// Whether this kernel can do it. Where it cannot, that is said.
#[expect(clippy::print_stderr, reason = "what was not tried is to be seen")]
fn kernel_can() -> bool {
    let Some(problem) = Support::of_kernel().missing() else { return true };
    eprintln!("NOT TRIED, as this kernel cannot fence anything in: {problem}");
    false
}

#[test]
fn an_agent_writes_where_it_may_and_nowhere_else() {
    if !kernel_can() {
        return;
    }
    let desk = fake_agent::desk();
    desk.put("login", b"token");
    let settings = String::from_utf8(desk.bytes("engross.toml")).unwrap();
    desk.put("engross.toml", format!("{settings}login = [\"login\"]\n").as_bytes());
    let ran = run(&desk, "a", "@ write brief.md A brief.\n@ env HOME\n@ env TMPDIR", &["--sandbox", "on"]);
    assert_eq!((ran.code, desk.bytes("a/brief.md")), (Some(0), b"A brief.".to_vec()), "{ran:?}");
    let said = ran.json()["messages"][1]["text"].as_str().unwrap_or_default().to_owned();
    assert!(said.contains("agents.homes/fake/") && said.contains("/tmp]"), "{ran:?}");
    // Outside, in the folder for data, and in the home of the person.
    let outside = desk.path("outside.txt");
    let door = desk.path("data/tasks/door");
    for place in [&outside, &door, &desk.path("home.txt")] {
        let before = std::fs::read(place).ok();
        let ran = run(&desk, "b", &format!("@ write {} X", place.display()), &["--sandbox", "on"]);
        assert_eq!((ran.code, std::fs::read(place).ok()), (Some(1), before), "{ran:?}");
    }
    // An agent whose login is known is fenced in unasked, unless that login renews itself.
    assert_eq!(run(&desk, "d", &format!("@ write {} X", outside.display()), &[]).code, Some(1));
    let home = desk.path("login");
    assert!(home.exists());
    desk.put("login", br#"{"tokens":{"refresh_token":"r"}}"#);
    let ran = run(&desk, "e", "@ env HOME", &[]);
    assert!(!ran.json()["messages"][1]["text"].as_str().unwrap().contains("agents.homes"), "{ran:?}");
    assert!(ran.stdout.contains("renews itself"), "{ran:?}");
    // Without a fence it is as ever.
    let words = format!("@ write {} X\n@ say Done.", outside.display());
    let ran = run(&desk, "c", &words, &["--sandbox", "off"]);
    assert_eq!((ran.code, outside.exists()), (Some(0), true), "{ran:?}");
}

#[test]
fn more_than_was_allowed_ends_a_run() {
    if !kernel_can() {
        return;
    }
    let desk = fake_agent::desk();
    let many: Vec<String> = (0..30).map(|n| format!("@ write f{n}.txt x")).collect();
    let words = format!("{}\n@ sleep 20000\n@ say Done.", many.join("\n"));
    let ran = run(&desk, "a", &words, &["--max-files", "10"]);
    let shown = ran.json();
    assert_eq!((ran.code, &shown["lastResultCode"]), (Some(1), &json!("AGENT_QUOTA")), "{ran:?}");
    let ran = run(&desk, "b", "@ write a.txt x\n@ say Done.", &["--max-files", "100", "--no-network"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn what_cannot_be_enforced_is_refused() {
    let desk = fake_agent::desk();
    // The product's own agent runs no program that could be held to a quota.
    let line = ["task", "run", "Write x.md", "--thread", "own", "--folder", "own", "--no-network"];
    let ran = desk.run(&[&line[..], &["--config", "engross.toml", "--data", "data", "--json"]].concat());
    assert_eq!(
        (ran.code, &ran.json()["lastResultCode"]),
        (Some(1), &json!("SANDBOX_UNAVAILABLE")),
        "{ran:?}"
    );
}

#[test]
fn doctor_tells_of_the_sandbox() {
    let desk = TestBench::new();
    let checks = desk.run(&["doctor", "--json"]).json()["checks"].clone();
    let named = checks.as_array().unwrap().iter().find(|check| check["name"] == "sandbox of agents");
    let told = named.unwrap()["message"].as_str().unwrap().to_owned();
    assert_eq!(
        told.starts_with("on for agents whose login files"),
        Support::of_kernel().missing().is_none(),
        "{told}"
    );
}
