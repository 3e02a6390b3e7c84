//! Learning from sessions of other programs, and from traces that say how it went.

use engross_learn::disk::BookFile;
use engross_learn::run::{Reflector, SessionOutcome, SessionSource};
use engross_learn::skillbook::SkillStatus;
use serde_json::{Value, json};

use crate::home::{Home, outcomes, script, stumbling};

/// A session of Gemini CLI in which a reading fails and the next one works.
fn gemini(id: &str, further: &[Value]) -> String {
    let call = |call: &str, path: &str, status: &str, response: Value| {
        json!({"id": call, "name": "read", "args": {"path": path}, "status": status, "timestamp": "t",
            "result": [{"functionResponse": {"response": response}}]})
    };
    let mut messages = vec![
        json!({"id": "1", "timestamp": format!("{id}-1"), "type": "user", "content": "Where is the config?"}),
        json!({"id": "2", "timestamp": format!("{id}-2"), "type": "gemini", "content": "", "toolCalls": [
            call("a", "/etc/none", "error", json!({"error": "ENOENT: no such file"})),
            call("b", "/etc/conf", "success", json!({"output": "port = 1"}))]}),
        json!({"id": "3", "timestamp": format!("{id}-3"), "type": "gemini", "content": "In /etc/conf."}),
    ];
    messages.extend_from_slice(further);
    let session = json!({"sessionId": id, "projectHash": "h", "startTime": "s", "lastUpdated": "l", "messages": messages});
    format!("{session:#}")
}

#[test]
fn sessions_of_another_program_confirm_what_others_taught() {
    let home = Home::new();
    home.write("one.jsonl", stumbling("one"));
    home.write("session-2026-two.json", gemini("two", &[]));
    let report = home.learn();
    assert_eq!(
        outcomes(&report),
        [("one.jsonl", "learnt"), ("session-2026-two.json", "learnt")],
        "{report:?}"
    );
    let book = home.book();
    let active: Vec<_> = book.skills().filter(|skill| skill.status == SkillStatus::Active).collect();
    assert_eq!(active.len(), 1, "{:?}", book.skills().collect::<Vec<_>>());
    // A second run opens nothing; a session that went on confirms nothing twice.
    assert_eq!(home.learn().sessions, []);
    let further = [json!({"id": "4", "timestamp": "t", "type": "user", "content": "Thanks."})];
    home.write("session-2026-two.json", gemini("two", &further));
    home.learn();
    assert_eq!(home.book().skills().next().unwrap().sessions(), 2);
}

#[test]
fn traces_vote_by_what_is_said_of_their_end() {
    let home = Home::new();
    home.write("one.jsonl", stumbling("one"));
    home.write("two.jsonl", stumbling("two"));
    home.learn_scripted(&script("Stat a path before reading it"));
    let id = home.book().skills().next().unwrap().id.clone();
    let trace = |answer: &str, feedback: &str, truth: Value| {
        json!({"question": "Where is it?", "reasoning": "[thinking] I look", "answer": answer, "skill_ids": [id],
            "feedback": feedback, "ground_truth": truth})
    };
    let traces = [
        trace("In Paris.", "", json!("Paris")),
        trace("In Rome.", "", json!("Paris")),
        trace("In /conf.", "that is wrong", Value::Null),
        trace("In /conf.", "passed", Value::Null),
    ];
    let path = home.folder.path().join("traces.json");
    std::fs::write(&path, json!(traces).to_string()).unwrap();
    let report = home.learn_with(Reflector::Rules, &SessionSource::Files(vec![path])).unwrap();
    assert_eq!((report.found, report.learnt), (4, 4), "{report:?}");
    let total = home.book().get(&id).unwrap().total();
    assert_eq!((total.helpful, total.harmful), (2, 2));
}

#[test]
fn what_is_of_nobody_known_is_named_and_looked_at_again() {
    let home = Home::new();
    home.write("session-odd.json", "{\"chat\": [1, 2]}");
    for _ in 0..2 {
        let report = home.learn();
        assert!(
            matches!(&report.sessions[0].outcome, SessionOutcome::Failed { code, .. } if code == "LEARN_FORMAT_UNKNOWN"),
            "{report:?}"
        );
    }
}

#[test]
fn what_a_killed_run_left_is_swept_by_the_next_one() {
    let home = Home::new();
    home.write("one.jsonl", stumbling("one"));
    home.learn();
    let folder = home.paths().json.parent().unwrap().to_owned();
    std::fs::write(folder.join(".engross-tmp-1-1"), "half").unwrap();
    std::fs::write(folder.join("kept.txt"), "a person's").unwrap();
    home.learn();
    assert!(!folder.join(".engross-tmp-1-1").exists());
    assert!(folder.join("kept.txt").exists());
    // One that only reads removes nothing.
    std::fs::write(folder.join(".engross-tmp-1-2"), "half").unwrap();
    BookFile::read(home.paths()).unwrap().sweep(u64::MAX);
    assert!(folder.join(".engross-tmp-1-2").exists());
}
