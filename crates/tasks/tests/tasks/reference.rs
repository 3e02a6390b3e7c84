//! The reference's plugin, as it answered: the cases of `reference/cases.json` asked of us without it.
//!
//! `tests/agents/run-plugin` asks both and records the answers. Must never take an answer of ours for the reference's: where the
//! two differ, the page of the protocol has a row with the reason.
#![cfg(unix)]

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use super::TestBench;

const CASES: &str = include_str!("reference/cases.json");
const ANSWERS: &str = include_str!("reference/answers.json");
const PAGE: &str = include_str!("../../../../docs/protocol/tasks.md");

/// What of an answer about a task is compared: the rest is the bridge's, not the plugin's.
const TASK: &[&str] = &[
    "success",
    "status",
    "terminal",
    "terminalSource",
    "evidence",
    "code",
    "appThreadKey",
    "openclawSessionKey",
    "runId",
    "taskId",
    "artifactScope",
    "artifacts",
    "artifactCount",
];

/// Fields that answers of ours have besides.
const ADDED: &[&str] = &["downloadUrl", "artifactCount", "nextCursor", "missingRequiredFileCounts"];

/// One case under way.
struct CaseRun {
    bench: TestBench,
    /// The answers as they came, by their labels.
    raw: HashMap<String, Value>,
}

impl CaseRun {
    fn root(&self) -> PathBuf {
        self.bench.folder.path().join("work")
    }

    fn place(&self, at: &Value) -> PathBuf {
        let (of, path) = at.as_str().unwrap().split_once(':').unwrap();
        match of {
            "media" => self.bench.folder.path().join("media").join(path),
            "root" => self.root().join(path),
            _ => PathBuf::from(self.raw[of]["artifactDirectory"].as_str().unwrap()).join(path),
        }
    }

    /// `$a.artifacts.0.artifactRef` is a part of the answer `a`, `$now` the time in milliseconds.
    fn looked_up(&self, value: &Value) -> Value {
        let Some(path) = value.as_str().and_then(|text| text.strip_prefix('$')) else { return value.clone() };
        if path == "now" {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
            return u64::try_from(now).unwrap().into();
        }
        let (label, path) = path.split_once('.').unwrap();
        self.raw[label].pointer(&format!("/{}", path.replace('.', "/"))).unwrap().clone()
    }

    async fn call(&mut self, step: &Value) -> Value {
        let method = step["method"].as_str().unwrap();
        let given = step["params"].as_object().unwrap();
        let params: Map<_, _> =
            given.iter().map(|(name, value)| (name.clone(), self.looked_up(value))).collect();
        let envelope = self.bench.envelope(super::call(), method, Value::Object(params)).await;
        if envelope["error"] != Value::Null {
            let is_conflict = envelope["error"]["data"]["code"] == "TASK_SESSION_CONFLICT";
            return json!({ "refused": if is_conflict { "conflict" } else { "invalid" } });
        }
        let mut answer = envelope["result"].clone();
        self.raw.insert(step["as"].as_str().unwrap().to_owned(), answer.clone());
        if method == "xworkmate.tasks.get" {
            answer.as_object_mut().unwrap().retain(|name, _| TASK.contains(&name.as_str()));
        }
        plain(&answer, self.root().to_str().unwrap())
    }

    /// Carries out a step that is no question.
    async fn prepare(&self, step: &Value) {
        let at = || self.place(&step["at"]);
        let to = || self.place(&step["to"]);
        match step["do"].as_str().unwrap() {
            "write" => {
                std::fs::create_dir_all(at().parent().unwrap()).unwrap();
                std::fs::write(at(), step["text"].as_str().unwrap()).unwrap();
                // Times of files are coarse, and lists are in their order.
                tokio::time::sleep(Duration::from_millis(12)).await;
            }
            "link" => std::os::unix::fs::symlink(to(), at()).unwrap(),
            "hard-link" => std::fs::hard_link(to(), at()).unwrap(),
            "remove" => std::fs::remove_file(at()).unwrap(),
            "pause" => tokio::time::sleep(Duration::from_millis(30)).await,
            other => panic!("there is no step {other}"),
        }
    }
}

/// An answer without what must differ: places, times, signatures, wording.
fn plain(value: &Value, root: &str) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(name, part)| {
                !part.is_null() && !matches!(name.as_str(), "createdAt" | "updatedAt")
            });
            let told = kept.map(|(name, part)| {
                let part = match name.as_str() {
                    "artifactRef" => "REF".into(),
                    "remoteWorkingDirectory" => "PLACE".into(),
                    "warnings" => {
                        let lines = part.as_array().unwrap().iter().filter_map(Value::as_str);
                        let mut told: Vec<String> = lines.map(warning).collect();
                        told.sort_unstable();
                        told.into()
                    }
                    _ => plain(part, root),
                };
                (name.clone(), part)
            });
            Value::Object(told.collect())
        }
        Value::Array(parts) => parts.iter().map(|part| plain(part, root)).collect(),
        Value::String(text) => text.replace(root, "ROOT").into(),
        other => other.clone(),
    }
}

/// What a warning says, in neither wording.
fn warning(line: &str) -> String {
    let (about, words) = line.split_once(": ").unwrap_or(("", line));
    if words == "left out, as symbolic links are not followed" {
        format!("link {about}")
    } else if about == "nextCursor" && words.ends_with("those that follow are on the next page") {
        "more than asked for".to_owned()
    } else if words.starts_with("without content, as it has more than ") {
        format!("no content {about}")
    } else if let Some(rule) = line
        .strip_prefix("artifact-ignore.md: the rule '")
        .and_then(|rest| rest.strip_suffix("' is not known and has no effect"))
    {
        format!("rule {rule}")
    } else {
        format!("other: {line}")
    }
}

/// Fields that only answers of ours have are left out; the page names them.
fn without_added(ours: &Value, recorded: &Value) -> Value {
    match ours {
        Value::Object(fields) => {
            let is_kept = |name: &str| !ADDED.contains(&name) || recorded.get(name).is_some();
            let kept = fields.iter().filter(|(name, _)| is_kept(name));
            Value::Object(
                kept.map(|(name, part)| (name.clone(), without_added(part, &recorded[name]))).collect(),
            )
        }
        Value::Array(parts) => {
            parts.iter().enumerate().map(|(at, part)| without_added(part, &recorded[at])).collect()
        }
        other => other.clone(),
    }
}

#[tokio::test]
async fn our_answers_are_the_references_but_for_rows_of_the_page() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    let answers: Value = serde_json::from_str(ANSWERS).unwrap();
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for case in &cases {
        let mut run = CaseRun { bench: TestBench::new().await, raw: HashMap::new() };
        for step in case["steps"].as_array().unwrap() {
            if step["do"] != "call" {
                run.prepare(step).await;
                continue;
            }
            let told = run.call(step).await;
            let (name, label) = (case["case"].as_str().unwrap(), step["as"].as_str().unwrap());
            let recorded = &answers[name][label];
            let expected = recorded.get("ours").unwrap_or(&recorded["reference"]);
            let told = without_added(&told, &recorded["reference"]);
            asked += 1;
            if told != *expected {
                wrong.push(format!("{name}: {label}:\n  told     {told}\n  recorded {expected}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "of {asked} answers");
    assert!(asked > 200, "{asked} questions were asked");
}

#[test]
fn every_difference_has_a_row_and_every_row_a_difference() {
    let cases: Vec<Value> = serde_json::from_str(CASES).unwrap();
    let answers: Value = serde_json::from_str(ANSWERS).unwrap();
    let table = PAGE.split_once("## Where the answers differ from the reference's plugin").unwrap().1;
    let table = table.split("\n## ").next().unwrap();
    let mut rows: HashMap<&str, usize> =
        table.lines().filter_map(|line| Some((line.strip_prefix("| `")?.split_once('`')?.0, 0))).collect();
    for case in &cases {
        for step in case["steps"].as_array().unwrap() {
            let (name, label) = (case["case"].as_str().unwrap(), step["as"].as_str().unwrap_or_default());
            let why = step["differs"].as_str();
            let differ = answers[name][label].get("ours").is_some();
            assert_eq!(why.is_some(), differ, "{name}: {label}");
            if let Some(why) = why {
                *rows.get_mut(why).unwrap_or_else(|| panic!("there is no row `{why}`")) += 1;
            }
        }
    }
    rows.retain(|_, steps| *steps == 0);
    assert!(rows.is_empty(), "no case shows {:?}", rows.keys());
}
