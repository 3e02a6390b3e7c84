//! Learning from end to end: a home folder with sessions of two agents, a scripted model, the skillbook and AGENTS.md.

use serde_json::{Value, json};

use crate::desk::TestBench;

pub fn session(id: &str, messages: &[Value]) -> String {
    let mut text = json!({"type": "session", "version": 3, "id": id, "cwd": "/w"}).to_string();
    for (at, message) in messages.iter().enumerate() {
        let parent = at.checked_sub(1).map(|before| format!("{id}-{before}"));
        let entry =
            json!({"type": "message", "id": format!("{id}-{at}"), "parentId": parent, "message": message});
        text.push_str(&format!("\n{entry}"));
    }
    text.push('\n');
    text
}

pub fn stumbling(id: &str) -> String {
    let call = |call: &str, path: &str| {
        json!({"role": "assistant", "content": [
            {"type": "toolCall", "id": call, "name": "read", "arguments": {"path": path}}]})
    };
    let result = |call: &str, text: &str, is_error: bool| {
        json!({"role": "toolResult", "toolCallId": call, "toolName": "read", "isError": is_error,
            "content": [{"type": "text", "text": text}]})
    };
    session(
        id,
        &[
            json!({"role": "user", "content": "Where is the config?"}),
            call("a", "/none"),
            result("a", "ENOENT: no such file", true),
            call("b", "/conf"),
            result("b", "port = 1", false),
            json!({"role": "assistant", "content": [{"type": "text", "text": "In /conf."}]}),
        ],
    )
}

pub fn script() -> String {
    let lesson = "Stat a path before reading it";
    let reflection =
        json!({"key_insight": lesson, "extracted_learnings": [{"learning": lesson, "evidence": "x"}]});
    let batch = json!({"operations": [{"type": "ADD", "section": "paths", "content": lesson}]});
    json!({"turns": [
        {"when": {"contains": "What was learnt:"}, "times": 0, "text": batch.to_string()},
        {"when": {"contains": "The record, part"}, "times": 0, "text": reflection.to_string()},
    ]})
    .to_string()
}

/// A home folder with two sessions of `main` and one of `ops`.
pub fn home() -> TestBench {
    let desk = TestBench::new();
    for (agent, names) in [("main", &["one", "two"][..]), ("ops", &["three"])] {
        let folder = format!(".openclaw/agents/{agent}/sessions");
        std::fs::create_dir_all(desk.path(&folder)).unwrap();
        for name in names {
            desk.put(&format!("{folder}/{name}.jsonl"), stumbling(name).as_bytes());
        }
    }
    std::fs::create_dir_all(desk.path(".openclaw/workspace")).unwrap();
    desk.put(".openclaw/workspace/AGENTS.md", b"# Mine\r\n");
    desk.put("script.json", script().as_bytes());
    desk
}

const LEARN: [&str; 4] = ["learn", "--model", "script:script.json", "--json"];

#[test]
fn sessions_become_a_skillbook_and_a_block_and_a_second_run_does_nothing() {
    let desk = home();
    let first = desk.run(&LEARN).json();
    assert_eq!(
        (&first["found"], &first["learnt"], &first["calls"]),
        (&json!(2), &json!(2), &json!(4)),
        "{first:#}"
    );
    let book: Value = serde_json::from_slice(&desk.bytes(".openclaw/workspace/ace_skillbook.json")).unwrap();
    assert_eq!(book["sections"], json!({"context": ["paths-89758796"]}));
    let shown = String::from_utf8(desk.bytes(".openclaw/workspace/AGENTS.md")).unwrap();
    assert!(shown.starts_with("# Mine\r\n\r\n<!-- ACE:SKILLBOOK:START -->\r\n"), "{shown}");
    assert!(shown.contains("paths-89758796\tpaths\tStat a path before reading it"), "{shown}");
    let second = desk.run(&LEARN).json();
    assert_eq!((&second["skipped"], &second["calls"], &second["learnt"]), (&json!(2), &json!(0), &json!(0)));
    assert_eq!(second["agents_md"][0]["is_changed"], false);
    // The other agent's session confirms nothing new: one skill, from three sessions.
    let other = desk.run(&["learn", "--agent", "ops", "--model", "script:script.json", "--json"]).json();
    assert_eq!((&other["found"], &other["learnt"], &other["calls"]), (&json!(1), &json!(1), &json!(2)));
    let skills = desk.run(&["skills", "list", "--json"]).json()["skills"].clone();
    assert_eq!((skills.as_array().unwrap().len(), &skills[0]["sessions"]), (1, &json!(3)), "{skills:#}");
    let again = desk.run(&["learn", "--agent", "ops", "--model", "script:script.json", "--json"]).json();
    assert_eq!((&again["calls"], &again["learnt"]), (&json!(0), &json!(0)));
    let removed = desk.run(&["agents-md", "remove"]);
    assert_eq!(
        (removed.code, desk.bytes(".openclaw/workspace/AGENTS.md")),
        (Some(0), b"# Mine\r\n".to_vec())
    );
}

#[test]
fn one_agent_is_read_at_a_time_and_another_one_confirms() {
    let desk = home();
    let ops = desk.run(&["learn", "--agent", "ops", "--json"]).json();
    assert_eq!((&ops["found"], &ops["after"]["candidate"]), (&json!(1), &json!(1)), "{ops:#}");
    let main = desk.run(&["learn", "--json"]).json();
    assert_eq!((&main["found"], &main["after"]["active"]), (&json!(2), &json!(1)), "{main:#}");
}

#[test]
fn a_dry_run_leaves_everything_as_it_is() {
    let desk = home();
    let ran = desk.run(&["learn", "--dry-run"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("2 sessions found: 2 would be learnt"), "{ran:?}");
    assert_eq!(std::fs::read_dir(desk.path(".openclaw/workspace")).unwrap().count(), 1);
    assert_eq!(desk.bytes(".openclaw/workspace/AGENTS.md"), b"# Mine\r\n");
}

#[test]
fn what_cannot_be_learnt_is_refused_with_a_code() {
    let desk = home();
    for (arguments, expected) in [
        (&["learn", "--agent", "../x", "--json"][..], (2, "LEARN_AGENT_INVALID")),
        (&["learn", "--agent", "nobody", "--json"], (1, "LEARN_SESSIONS_MISSING")),
        (&["learn", "--model", "anthropic/claude", "--json"], (4, "MODEL_KEY_MISSING")),
        (&["skills", "show", "gone-00001", "--json"], (1, "SKILL_UNKNOWN")),
        (&["transcript", "stats", "gone.jsonl", "--json"], (5, "READ_FAILED")),
        (&["skills", "import", "script.json", "--json"], (1, "SKILLBOOK_INVALID")),
    ] {
        let (code, name) = desk.refuses(arguments);
        assert_eq!((code, name.as_str()), expected, "{arguments:?}");
    }
    desk.put(".openclaw/workspace/AGENTS.md", b"<!-- ACE:SKILLBOOK:START -->\n");
    let ran = desk.run(&["agents-md", "check", "--json"]);
    assert_eq!(ran.error(), (1, "AGENTS_MD_MARKERS".to_owned()));
}

#[test]
fn a_check_says_whether_the_block_is_what_the_skillbook_shows() {
    let desk = home();
    let check = |arguments: &[&str]| {
        let mut all = vec!["agents-md", "check", "--json"];
        all.extend(arguments);
        let ran = desk.run(&all);
        (ran.code, ran.json()["files"][0]["warnings"].clone())
    };
    const BOOK: [&str; 2] = ["--skillbook", ".openclaw/workspace/ace_skillbook.json"];
    desk.run(&LEARN);
    assert_eq!(check(&BOOK), (Some(0), json!([])));
    // Another budget shows something else, a block by hand is no block of the book, and without a book nobody can tell.
    let path = ".openclaw/workspace/AGENTS.md";
    let text = String::from_utf8(desk.bytes(path)).unwrap();
    desk.put(path, text.replace("Stat a path", "Guess a path").as_bytes());
    let (code, warnings) = check(&BOOK);
    assert_eq!((code, warnings), (Some(1), json!(["edited_inside", "outdated"])));
    desk.put(path, b"# Mine\r\n");
    assert_eq!(check(&BOOK), (Some(1), json!(["outdated"])));
    assert_eq!(check(&[]), (Some(0), json!([])));
    // Nothing was written by looking.
    assert_eq!(desk.bytes(path), b"# Mine\r\n");
}

#[test]
fn a_person_decides_about_skills() {
    let desk = home();
    desk.run(&["learn", "--agent", "ops"]);
    let id = "tool_read-36255507";
    let waiting = desk.run(&["skills", "review", "--json"]).json();
    assert_eq!(waiting["waiting"][0]["id"], id, "{waiting:#}");
    assert_eq!(desk.run(&["skills", "review", "--accept", id]).code, Some(0));
    assert_eq!(desk.run(&["skills", "pin", id]).code, Some(0));
    let shown = desk.run(&["skills", "show", id, "--json"]).json();
    assert_eq!((&shown["status"], &shown["pinned"]), (&json!("active"), &json!(true)));
    assert!(desk.run(&["skills", "export", "--format", "toon"]).stdout.starts_with("skills[1\t]"));
    assert_eq!(desk.run(&["skills", "retire", id]).code, Some(0));
    assert_eq!(desk.run(&["skills", "list", "--json"]).json()["skills"], json!([]));
    assert!(desk.run(&["skills", "list", "--all"]).stdout.ends_with("\n1 skill\n"));
    let all = desk.run(&["skills", "list", "--all", "--json"]).json();
    assert_eq!(all["skills"][0]["status"], "retired");
}

#[test]
fn transcripts_are_counted_shown_retold_and_mended() {
    let desk = home();
    desk.put("a.jsonl", format!("/speci{}torn", stumbling("a")).as_bytes());
    let stats = desk.run(&["transcript", "stats", "a.jsonl", "--json"]).json();
    let file = &stats["files"]["a.jsonl"];
    assert_eq!(
        (&file["paired"], &file["bad_lines"], &file["tool_calls"]),
        (&json!(2), &json!(2), &json!(2)),
        "{stats:#}"
    );
    let shown = desk.run(&["transcript", "show", "a.jsonl"]);
    assert!(shown.stdout.contains("call of read") && shown.stderr.contains("not redacted"), "{shown:?}");
    let trace = desk.run(&["transcript", "trace", "a.jsonl", "--json"]).json();
    let keys: Vec<&String> = trace["files"]["a.jsonl"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["question", "reasoning", "answer", "skill_ids", "feedback", "ground_truth", "extra"]);
    let mended = desk.run(&["transcript", "repair", "a.jsonl", "-o", "b.jsonl", "--json"]);
    assert_eq!(mended.code, Some(1), "a line was lost: {mended:?}");
    assert_eq!(desk.bytes("b.jsonl"), stumbling("a").as_bytes());
    let itself = desk.refuses(&["transcript", "repair", "a.jsonl", "-o", "a.jsonl", "--json"]);
    assert_eq!(itself, (2, "OUTPUT_IS_INPUT".to_owned()));
}

#[test]
fn a_person_reads_the_evidence_edits_filters_and_accepts_by_section() {
    let desk = home();
    desk.run(&["learn", "--agent", "ops"]);
    let id = "tool_read-36255507";
    let told = desk.run(&["skills", "review", "--because", "once"]);
    assert!(told.stdout.contains(id) && told.stdout.contains("three.jsonl:"), "{told:?}");
    assert_eq!(desk.run(&["skills", "review", "--because", "doubt", "--json"]).json()["waiting"], json!([]));
    assert_eq!(desk.run(&["skills", "review", "--section", "other", "--json"]).json()["waiting"], json!([]));
    let words = format!("{id}=Read /conf");
    assert_eq!(desk.run(&["skills", "review", "--edit", &words]).code, Some(0));
    let shown = desk.run(&["skills", "show", id, "--json"]).json();
    assert_eq!((&shown["content"], &shown["status"]), (&json!("Read /conf"), &json!("active")));
    assert!(shown["created"].as_str().unwrap().starts_with("20"), "{shown:#}");
    // By section only what nothing speaks against is accepted.
    let desk = home();
    desk.run(&["learn", "--agent", "ops"]);
    assert_eq!(desk.run(&["skills", "review", "--accept-section", "tool_read"]).code, Some(0));
    assert_eq!(desk.run(&["skills", "show", id, "--json"]).json()["status"], "active");
}

#[test]
fn a_report_says_what_was_learnt_and_how_often_it_was_named() {
    let desk = home();
    desk.run(&LEARN);
    let report = desk.run(&["skills", "report", "--since", "1d", "--json"]).json();
    assert_eq!(
        (&report["sessions"], &report["hit_rate"], &report["learnt"][0]["id"]),
        (&json!(2), &Value::Null, &json!("paths-89758796")),
        "{report:#}"
    );
    assert_eq!(report["confirmed"][0]["observations"], 2);
    // Two sessions more were shown the lesson, and one names it.
    let folder = ".openclaw/agents/main/sessions";
    let asked = json!({"role": "user", "content": "Where is the config?"});
    let named = json!({"role": "assistant", "content": [{"type": "text", "text": "By [paths-89758796] I stat it first: /conf."}]});
    let plain = json!({"role": "assistant", "content": [{"type": "text", "text": "In /conf."}]});
    desk.put(&format!("{folder}/four.jsonl"), session("four", &[asked.clone(), named]).as_bytes());
    desk.put(&format!("{folder}/five.jsonl"), session("five", &[asked, plain]).as_bytes());
    desk.run(&["learn"]);
    let report = desk.run(&["skills", "report", "--json"]).json();
    assert_eq!(
        (&report["hit_rate"], &report["sessions_with_lessons"]),
        (&json!(0.5), &json!(2)),
        "{report:#}"
    );
    let page = desk.run(&["skills", "report", "--html"]);
    assert!(page.stdout.starts_with("<!DOCTYPE html>") && page.stdout.contains("<rect "), "{page:?}");
    assert!(page.stdout.contains("50 % (1 of 2)"), "{page:?}");
    assert_eq!(desk.run(&["skills", "report", "--since", "soon"]).code, Some(2));
}

fn git(desk: &TestBench, arguments: &[&str]) -> String {
    let done = std::process::Command::new("git")
        .arg("-C")
        .arg(desk.path(".openclaw/workspace"))
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(arguments)
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn lessons_become_one_commit_on_a_branch_with_their_evidence() {
    let desk = home();
    for arguments in [
        &["init", "-q", "-b", "main"][..],
        &["config", "user.name", "Ada"],
        &["config", "user.email", "ada@example.org"],
        &["add", "AGENTS.md"],
        &["commit", "-q", "-m", "Begin"],
    ] {
        git(&desk, arguments);
    }
    let learnt = desk.run(&["learn", "--model", "script:script.json", "--branch", "lessons", "--json"]);
    let commit = learnt.json()["commit"].as_str().unwrap().to_owned();
    assert_eq!(git(&desk, &["rev-parse", "lessons"]).trim(), commit);
    assert_eq!(git(&desk, &["rev-list", "--count", "lessons"]).trim(), "2");
    let words = git(&desk, &["log", "-1", "--format=%B", "lessons"]);
    assert!(words.starts_with("Add a lesson of sessions\n"), "{words}");
    assert!(words.contains("[paths-89758796] Stat a path") && words.contains("one.jsonl"), "{words}");
    let names = git(&desk, &["show", "--name-only", "--format=", "lessons"]);
    for name in ["AGENTS.md", "ace_skillbook.json", "ace_skillbook.journal.jsonl", "ace_skillbook.md"] {
        assert!(names.contains(name), "{names}");
    }
    // What is checked out, and its index, are as they were.
    assert_eq!(git(&desk, &["branch", "--show-current"]).trim(), "main");
    assert_eq!(git(&desk, &["rev-list", "--count", "main"]).trim(), "1");
    assert_eq!(git(&desk, &["diff", "--cached", "--name-only"]), "");
    // Nothing new makes no commit; the branch that is checked out is refused.
    let again = desk.run(&["learn", "--model", "script:script.json", "--branch", "lessons", "--json"]);
    assert_eq!(again.json()["commit"], Value::Null);
    assert_eq!(desk.refuses(&["learn", "--branch", "main", "--json"]).0, 1);
}

#[test]
fn skills_are_exported_as_folders_that_agents_load() {
    let desk = home();
    desk.run(&LEARN);
    let ran = desk.run(&["skills", "export", "--format", "skill", "--output", "repository/skills"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let file = "repository/skills/lessons-paths/SKILL.md";
    let text = String::from_utf8(desk.bytes(file)).unwrap();
    assert!(text.starts_with("---\nname: lessons-paths\n"), "{text}");
    desk.put(file, text.replace("Stat a path", "Never stat a path").as_bytes());
    let waiting = desk.run(&["skills", "review", "--because", "proposal", "--json"]).json();
    assert_eq!(
        waiting["waiting"][0]["revision"]["content"], "Never stat a path before reading it",
        "{waiting:#}"
    );
    assert_eq!(desk.run(&["skills", "review", "--decline", "paths-89758796"]).code, Some(0));
    let text = String::from_utf8(desk.bytes(file)).unwrap();
    assert!(text.contains("] Stat a path"), "{text}");
    let waiting = desk.run(&["skills", "review", "--json"]).json();
    assert_eq!(waiting["waiting"], json!([]), "{waiting:#}");
    assert_eq!(desk.run(&["skills", "export", "--format", "skill"]).code, Some(2));
}
