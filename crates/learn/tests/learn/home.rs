//! A home folder with sessions of agents, and runs over it.

use std::path::PathBuf;

use engross_learn::Error;
use engross_learn::disk::{BookFile, BookPaths, folder_of};
use engross_learn::reflect::ModelReflector;
use engross_learn::run::{LearnReport, Options, Reflector, SessionOutcome, SessionSource, learn};
use engross_learn::safety::PersonalData;
use engross_learn::skillbook::Book;
use engross_llm::{Model, ScriptModel};
use engross_protocol::{Clock, Timestamp};
use serde_json::{Value, json};

pub use crate::lines::{entry, said, transcript, user};

/// A clock that is set by hand.
pub struct FixedClock(pub u64);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        "2026-01-31T09:30:00Z".parse().unwrap()
    }

    fn millis(&self) -> u64 {
        self.0
    }
}

/// Long after every file of a test was written, in milliseconds since 1970.
pub const LATER: u64 = 4_000_000_000_000;

pub struct Home {
    pub folder: tempfile::TempDir,
    pub now: u64,
    pub reprocess: bool,
    pub dry_run: bool,
}

impl Home {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("agents/main/sessions")).unwrap();
        Self { folder, now: LATER, reprocess: false, dry_run: false }
    }

    pub fn sessions(&self) -> PathBuf {
        folder_of(self.folder.path(), "main").unwrap()
    }

    pub fn paths(&self) -> BookPaths {
        BookPaths { json: self.folder.path().join("workspace/ace_skillbook.json") }
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.sessions().join(name), bytes).unwrap();
    }

    /// Learns from all sessions by rules.
    pub fn learn(&self) -> LearnReport {
        self.learn_with(Reflector::Rules, &SessionSource::Folder(self.sessions())).unwrap()
    }

    /// Learns from all sessions with a scripted model.
    pub fn learn_scripted(&self, script: &Value) -> LearnReport {
        let model = ScriptModel::new("script.json", &script.to_string()).unwrap();
        self.learn_asking(&model)
    }

    pub fn learn_asking(&self, model: &dyn Model) -> LearnReport {
        let asking =
            ModelReflector { model, budget: 100_000, personal: PersonalData::Redact, is_shortened: false };
        self.learn_with(Reflector::Model(asking), &SessionSource::Folder(self.sessions())).unwrap()
    }

    pub fn learn_with(&self, mind: Reflector<'_>, input: &SessionSource) -> Result<LearnReport, Error> {
        let mut book =
            if self.dry_run { BookFile::read(self.paths())? } else { BookFile::open(self.paths())? };
        let clock = FixedClock(self.now);
        let options = Options {
            mind,
            clock: &clock,
            reprocess: self.reprocess,
            dry_run: self.dry_run,
            personal: PersonalData::Redact,
            rests_after: 60_000,
            is_stopped: &|| false,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(learn(&mut book, input, options, &mut |_| {}))
    }

    pub fn book(&self) -> Book {
        BookFile::read(self.paths()).unwrap().journal.book
    }

    /// Every file beneath the home and what it holds.
    pub fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut folders = vec![self.folder.path().to_owned()];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let bytes = std::fs::read(&path).unwrap();
                    files.push((path, bytes));
                }
            }
        }
        files.sort();
        files
    }
}

/// What became of the sessions, in short.
pub fn outcomes(report: &LearnReport) -> Vec<(&str, &str)> {
    let word = |outcome: &SessionOutcome| match outcome {
        SessionOutcome::Learnt { .. } => "learnt",
        SessionOutcome::Skipped { .. } => "skipped",
        SessionOutcome::Waiting { .. } => "waiting",
        SessionOutcome::Failed { .. } => "failed",
    };
    report.sessions.iter().map(|session| (session.file.as_str(), word(&session.outcome))).collect()
}

pub fn call(id: &str, path: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "toolCall", "id": id, "name": "read", "arguments": {"path": path}}]})
}

pub fn result(id: &str, text: &str, is_error: bool) -> Value {
    json!({"role": "toolResult", "toolCallId": id, "toolName": "read", "isError": is_error,
        "content": [{"type": "text", "text": text}]})
}

/// A session whose first reading fails and whose second one works.
pub fn stumbling(id: &str) -> String {
    transcript(
        id,
        &[
            user("Where is the config?"),
            call("a", "/etc/none"),
            result("a", "ENOENT: no such file", true),
            call("b", "/etc/conf"),
            result("b", "port = 1", false),
            said("It is in /etc/conf."),
        ],
    )
}

/// A script that learns `lesson` from every session.
pub fn script(lesson: &str) -> Value {
    let reflection = json!({"reasoning": "r", "key_insight": lesson,
        "extracted_learnings": [{"learning": lesson, "atomicity_score": 0.9, "evidence": "two calls", "justification": "j"}],
        "skill_tags": []});
    let batch = json!({"reasoning": "r", "operations": [{"type": "ADD", "section": "files", "content": lesson,
        "justification": "j", "evidence": "two calls"}]});
    json!({"turns": [
        {"when": {"contains": "What was learnt:"}, "times": 0, "text": batch.to_string()},
        {"when": {"contains": "The record, part"}, "times": 0, "text": reflection.to_string()},
    ]})
}
