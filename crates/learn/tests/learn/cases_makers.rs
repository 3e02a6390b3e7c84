//! Sessions of several makers: where they keep them, copies and forks, failures, and formats that are not known.

use engross_learn::run::{Reflector, SessionSource};
use engross_learn::skillbook::SkillStatus;
use serde_json::json;

use super::home::{Home, outcomes, stumbling};

#[test]
fn sessions_are_found_in_the_folders_where_programs_keep_them() {
    let home = Home::new();
    let folder = home.folder.path().join("sessions");
    for (way, id) in
        [("2026/11/23/rollout-a", "a"), ("2026/11/24/rollout-b", "b"), ("p/x/subagents/rollout-a", "c")]
    {
        let path = folder.join(format!("{way}.jsonl"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, stumbling(id)).unwrap();
    }
    let input = SessionSource::Folder(folder);
    let report = home.learn_with(Reflector::Rules, &input).unwrap();
    assert_eq!((report.learnt, report.after.active), (3, 1));
    assert_eq!(report.sessions[0].file, "2026/11/23/rollout-a.jsonl");
    assert_eq!(home.learn_with(Reflector::Rules, &input).unwrap().skipped, 3);
}

#[test]
fn a_format_that_is_not_known_is_named_and_looked_at_again() {
    let home = Home::new();
    home.write("gemini.jsonl", "{\n  \"messages\": [],\n  \"kind\": \"main\"\n}\n");
    home.write(
        "mine.jsonl",
        "{\"messages\":[{\"who\":\"user\",\"content\":\"hi\"},{\"who\":\"assistant\",\"content\":\"ho\"}]}\n",
    );
    for _ in 0..2 {
        let report = home.learn();
        assert_eq!(outcomes(&report), [("gemini.jsonl", "failed"), ("mine.jsonl", "failed")]);
        assert!(format!("{:?}", report.sessions).contains("LEARN_FORMAT_UNKNOWN"));
    }
}

/// Copies with another header, and a fork that goes on: one piece of work.
#[test]
fn a_copy_of_a_session_confirms_nothing() {
    let home = Home::new();
    home.write("a.jsonl", stumbling("a"));
    let copy = stumbling("a").replace(r#""id":"a","#, r#""id":"z","#);
    home.write("z.jsonl", copy);
    home.learn();
    let book = home.book();
    let skill = book.skills().next().unwrap();
    assert_eq!((skill.sessions(), skill.status), (1, SkillStatus::Candidate));
}

/// As Codex writes them: no flag, the exit code in the head of the output.
#[test]
fn failures_of_codex_are_seen_and_teach() {
    let home = Home::new();
    for (name, file) in [("a", "notes/x.csv"), ("b", "notes/y.csv")] {
        let line = |at: usize, payload: &serde_json::Value| {
            format!(
                "{}\n",
                json!({"timestamp": format!("2026-11-23T10:00:0{at}.{name}Z"), "type": "response_item", "payload": payload})
            )
        };
        let call = |id: &str, command: &str| json!({"type": "function_call", "name": "exec_command", "call_id": id, "arguments": json!({"cmd": command}).to_string()});
        let output = |id: &str, code: i32, text: &str| {
            json!({"type": "function_call_output", "call_id": id,
                "output": format!("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code {code}\nOriginal token count: 9\nOutput:\n{text}")})
        };
        let mut text = format!(
            "{}\n",
            json!({"timestamp": "2026-11-23T10:00:00Z", "type": "session_meta", "payload": {"id": name, "cwd": "/w"}})
        );
        text += &line(
            1,
            &json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": format!("Sum {file}")}]}),
        );
        text += &line(2, &call("c1", &format!("xsum {file}")));
        text += &line(3, &output("c1", 1, "bad separator"));
        text += &line(4, &call("c2", &format!("xsum --sep=semicolon {file}")));
        text += &line(5, &output("c2", 0, "12"));
        text += &line(
            6,
            &json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It is 12."}]}),
        );
        home.write(&format!("rollout-{name}.jsonl"), text);
    }
    home.learn();
    let book = home.book();
    let skill = book.skills().next().unwrap();
    assert_eq!(
        (skill.content.as_str(), skill.status),
        ("Run `xsum` with `--sep=semicolon`", SkillStatus::Active)
    );
}
