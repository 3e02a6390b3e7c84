use std::path::PathBuf;

use super::message::{WorkPlace, attachments, message};
use super::plugin::RemoteFolder;
use engross_artifacts::{RunId, SessionKey};
use engross_tasks::runner::{Attachment, Policy, Turn};
use engross_tasks::sandbox_request::SandboxRequest;

fn turn(prompt: &str, directory: PathBuf) -> Turn {
    let path = directory.join(".xworkmate/attachments/t/01-a.txt");
    Turn {
        principal: "you".to_owned(),
        thread: "draft:secret".to_owned(),
        session_key: SessionKey::parse("agent:main:k").unwrap(),
        run: RunId::parse("run-1").unwrap(),
        turn: "turn-1".to_owned(),
        prompt: prompt.to_owned(),
        user_text: prompt.to_owned(),
        continues: false,
        conversation: None,
        environment: vec![
            ("XWORKMATE_ARTIFACT_DIRECTORY".to_owned(), directory.to_str().unwrap().to_owned()),
            ("XWORKMATE_ARTIFACT_SCOPE".to_owned(), "tasks/k/run-1".to_owned()),
        ],
        directory,
        attachments: vec![Attachment { name: "a.txt".to_owned(), mime_type: "text/plain".to_owned(), path }],
        model: None,
        permissions: Policy::Ask,
        sandbox: SandboxRequest::default(),
        viewer: None,
        deadline: 0,
    }
}

const NAMES: &str =
    "These names hold for this task, although they are not in the environment of your process:";

#[test]
fn a_gateway_here_works_in_the_folder_of_the_run() {
    let told =
        message(&turn("write to /w/tasks/k/run-1", PathBuf::from("/w/tasks/k/run-1")), WorkPlace::Here);
    let expected = format!(
        "write to /w/tasks/k/run-1\n\n{NAMES}\nXWORKMATE_ARTIFACT_DIRECTORY=/w/tasks/k/run-1\n\
         XWORKMATE_ARTIFACT_SCOPE=tasks/k/run-1\n\
         The current folder of this task is /w/tasks/k/run-1. Write every file beneath it.\n\n\
         Attached: a.txt (/w/tasks/k/run-1/.xworkmate/attachments/t/01-a.txt)"
    );
    assert_eq!(told, expected);
}

#[test]
fn a_gateway_with_the_plugin_works_in_its_own_folder() {
    let prepared = RemoteFolder { directory: "/far/t".to_owned(), scope: "tasks/k_/turn-1".to_owned() };
    let told = message(&turn("write to /w/run-1", PathBuf::from("/w/run-1")), WorkPlace::There(&prepared));
    let expected = format!(
        "write to /far/t\n\n{NAMES}\nXWORKMATE_ARTIFACT_DIRECTORY=/far/t\nXWORKMATE_ARTIFACT_SCOPE=tasks/k_/turn-1\n\
         The current folder of this task is /far/t. Write every file beneath it.\n\nAttached: a.txt"
    );
    assert_eq!(told, expected);
}

#[test]
fn a_gateway_elsewhere_is_told_no_folder() {
    let told = message(&turn("hello", PathBuf::from("/w/run-1")), WorkPlace::Elsewhere);
    let words = "hello\n\nFiles cannot be fetched from your machine: answer with text.\n\nAttached: a.txt";
    assert_eq!(told, words);
}

#[test]
fn no_task_is_taken_for_a_command() {
    for prompt in ["/reset", "!rm -rf x", "\n /stop"] {
        let told = message(&turn(prompt, PathBuf::from("/w")), WorkPlace::Here);
        assert!(told.starts_with(&format!("The task:\n{prompt}")), "{told}");
    }
    let told = message(&turn("a\0b", PathBuf::from("/w")), WorkPlace::Here);
    assert!(told.starts_with("a\u{fffd}b\n"), "{told}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test makes the file")]
fn attachments_are_sent_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let turn = turn("x", folder.path().to_owned());
    let fault = attachments(&turn).unwrap_err();
    assert_eq!(fault.code(), "OPENCLAW_ATTACHMENT_WRITE_FAILED");
    std::fs::create_dir_all(turn.attachments[0].path.parent().unwrap()).unwrap();
    std::fs::write(&turn.attachments[0].path, "hello").unwrap();
    let sent = serde_json::json!([
        { "type": "file", "mimeType": "text/plain", "fileName": "a.txt", "content": "aGVsbG8=" }
    ]);
    assert_eq!(serde_json::Value::Array(attachments(&turn).unwrap()), sent);
}
