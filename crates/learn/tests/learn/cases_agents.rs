//! Sessions that real agents wrote, each driven by a scripted model through the same four tasks: Claude Code 2.1.197, Codex 0.169.0, Gemini CLI
//! 0.61.0, Copilot CLI 1.0.102, opencode 1.18.33. Their own instructions were cut short; nothing else was changed.

use std::path::{Path, PathBuf};

use engross_learn::disk::{inspect_file, read_session};
use engross_learn::run::{Reflector, SessionSource};
use engross_learn::trace::{Options, Trace, build};

use super::home::Home;

fn folder(agent: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/learn/fixtures/agents")).join(agent)
}

/// The sessions of a folder, learnt from by rules: how many, and the lessons with what became of them.
fn learnt(input: &SessionSource) -> (usize, Vec<String>) {
    let home = Home::new();
    let report = home.learn_with(Reflector::Rules, input).unwrap();
    assert_eq!(report.failed, 0, "{:?}", report.sessions);
    let mut lessons: Vec<String> =
        home.book().skills().map(|skill| format!("{:?} {}", skill.status, skill.content)).collect();
    lessons.sort();
    (report.learnt, lessons)
}

fn trace(file: &Path) -> Trace {
    let read = read_session(&inspect_file(file).unwrap(), true).unwrap();
    build(read.transcript, Options::default()).unwrap()
}

const MAKE: &str = "Run `make gen` before `make test`";
const CHANGELOG: &str = "Always run the changelog script before tagging a release";

#[test]
fn claude_code_with_a_fork_and_a_helper() {
    let home = folder("claude-code");
    // The failure was had twice, the wish said in two pieces of work: the fork of the first says it again, and counts for nothing.
    let (count, lessons) = learnt(&SessionSource::Folder(home.clone()));
    assert_eq!((count, lessons), (7, vec![format!("Active {CHANGELOG}"), format!("Active {MAKE}")]));
    // Beside the sessions of one project, its helpers are found, too.
    let project = home.join("-home-ada-proj");
    assert_eq!(learnt(&SessionSource::Folder(project.clone())).0, 7);
    // Of the first session and its fork alone, nothing is confirmed.
    let pair = ["27e79692-6bc5-4d2c-8cb5-d9ee840b691f.jsonl", "b2415044-cf59-489c-82b6-c0bbff8f9424.jsonl"];
    let (_, lessons) = learnt(&SessionSource::Files(pair.map(|name| project.join(name)).to_vec()));
    assert_eq!(lessons, [format!("Candidate {CHANGELOG}")]);
    let helper =
        trace(&project.join("24b8222c-9bce-42c4-9bcc-f5251bbed70a/subagents/agent-aa2131e1322c49f5e.jsonl"));
    assert_eq!(helper.question, "HELPERJOB: find the port");
    assert_eq!((helper.extra.failures.len(), helper.extra.said.len()), (1, 0), "{helper:#?}");
    assert_eq!(helper.extra.parent.as_deref(), Some("24b8222c-9bce-42c4-9bcc-f5251bbed70a"));
    let first = trace(&project.join(pair[0]));
    assert_eq!((first.extra.failures.len(), first.extra.corrections.len()), (1, 1), "{first:#?}");
}

#[test]
fn codex_with_a_fork() {
    let home = folder("codex");
    let (count, lessons) = learnt(&SessionSource::Folder(home.clone()));
    assert_eq!((count, lessons), (5, vec![format!("Active {CHANGELOG}"), format!("Active {MAKE}")]));
    let fork = trace(
        &home.join("2026/11/26/rollout-2026-11-26T00-57-30-01a2155b-8885-76f1-aa02-ae5ff86bed4a.jsonl"),
    );
    assert_eq!(fork.extra.parent.as_deref(), Some("01a2155a-1e0f-7690-a73d-bf64c3f49a65"));
}

#[test]
fn gemini_copilot_and_opencode() {
    let expected = (2, vec![format!("Candidate {CHANGELOG}"), format!("Candidate {MAKE}")]);
    assert_eq!(learnt(&SessionSource::Folder(folder("gemini"))), expected);
    assert_eq!(learnt(&SessionSource::Folder(folder("copilot"))), expected);
    let exports = std::fs::read_dir(folder("opencode")).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(learnt(&SessionSource::Files(exports.collect())), expected);
}
