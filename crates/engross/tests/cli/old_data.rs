//! A data folder as 0.1.0 left it: whatever it holds reads as it did, and is gone on with. `tests/data-0.1.0/make` writes the
//! folder and records what 0.1.0 itself answered to each step.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::desk::{ENGROSS, Ran, ran};
use crate::serve::Server;

/// Where the folder was made: threads of tasks keep the whole path of theirs.
const MADE_IN: &str = "/tmp/engross-0.1.0";

/// A copy of the home folder.
struct Home {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Home {
    fn copy() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        copy(&fixture("home"), &path);
        // Git keeps no empty folders.
        for folder in std::fs::read_to_string(fixture("empty-folders.txt")).unwrap().lines() {
            std::fs::create_dir_all(path.join(folder)).unwrap();
        }
        // The checkpoints of a document are found by its whole path.
        let documents = path.join(".local/share/engross/documents");
        let name = |home: &Path| {
            let digest = Sha256::digest(home.join("note.docx").as_os_str().as_encoded_bytes());
            digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        std::fs::rename(documents.join(name(Path::new(MADE_IN))), documents.join(name(&path))).unwrap();
        Self { _folder: folder, path }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(ENGROSS);
        command.current_dir(&self.path).env_clear().env("HOME", &self.path).env("TZ", "UTC");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[String], typed: &str) -> Ran {
        let mut child = self.command().args(arguments).spawn().unwrap();
        let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
        ran(child.wait_with_output().unwrap())
    }

    fn serve(&self) -> (Server, Serving) {
        let arguments = "serve --listen 127.0.0.1:0 --model script:script.json --transcripts transcripts";
        let mut child = self.command().args(arguments.split(' ')).stdout(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let serving = Serving(child);
        let address = said.find_map(|line| {
            line.unwrap()
                .strip_prefix("Listening at http://")
                .map(|rest| rest.split('/').next().unwrap().to_owned())
        });
        std::thread::spawn(move || said.for_each(drop));
        (Server::of(address.unwrap()), serving)
    }

    /// Without the places where the folder is and was.
    fn neutral(&self, answer: &Value) -> Value {
        let text =
            answer.to_string().replace(self.path.to_str().unwrap(), "{HOME}").replace(MADE_IN, "{HOME}");
        serde_json::from_str(&text).unwrap()
    }
}

/// A server that dies with the test.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data-0.1.0").join(name)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::write(to, std::fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

/// The steps and their answers, up to the first that a server is asked, up to the last of those, and the rest.
fn steps() -> [Vec<Value>; 3] {
    let text = std::fs::read_to_string(fixture("expected.json")).unwrap();
    let steps: Vec<Value> = serde_json::from_str(&text).unwrap();
    let asked = |step: &Value| step.get("send").is_some();
    let first = steps.iter().position(asked).unwrap();
    let last = steps.iter().rposition(asked).unwrap();
    [steps[..first].to_vec(), steps[first..=last].to_vec(), steps[last + 1..].to_vec()]
}

/// What answers have besides what they had in 0.1.0.
const ADDED: &[&str] = &["artifactCount", "created", "revision", "updated"];

/// Where the answer is another one than it was. `*` stands for what depends on the moment.
fn differences(place: &str, expected: &Value, found: &Value, all: &mut Vec<String>) {
    match (expected, found) {
        (Value::String(any), _) if any == "*" => {}
        (Value::Object(one), Value::Object(other))
            if one.keys().all(|key| other.contains_key(key))
                && other.keys().all(|key| one.contains_key(key) || ADDED.contains(&key.as_str())) =>
        {
            one.iter()
                .for_each(|(key, value)| differences(&format!("{place}/{key}"), value, &other[key], all));
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (at, (one, other)) in one.iter().zip(other).enumerate() {
                differences(&format!("{place}/{at}"), one, other, all);
            }
        }
        _ if expected == found => {}
        _ => all.push(format!("{place}: {expected} was, {found} is")),
    }
}

fn of_run(home: &Home, step: &Value) -> Value {
    let arguments: Vec<String> = serde_json::from_value(step["run"].clone()).unwrap();
    let ran = home.run(&arguments, step["typed"].as_str().unwrap());
    let stdout = serde_json::from_str(&ran.stdout).unwrap_or(Value::String(ran.stdout));
    json!({"exit": ran.code, "stdout": stdout})
}

fn of_send(server: &Server, step: &Value) -> Value {
    let headers = step["headers"].as_object().unwrap();
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(name, value)| (name.as_str(), value.as_str().unwrap())).collect();
    let body = match &step["body"] {
        Value::Null => Vec::new(),
        Value::String(text) => text.clone().into_bytes(),
        body => body.to_string().into_bytes(),
    };
    let path = step["path"].as_str().unwrap();
    let (status, answer) = server.send(step["send"].as_str().unwrap(), path, &headers, &body).unwrap();
    let mut answer: Value =
        serde_json::from_slice(&answer).unwrap_or_else(|_| String::from_utf8(answer).unwrap().into());
    if path == "/acp/rpc" {
        answer.as_object_mut().unwrap().remove("payload");
    }
    json!({"status": status, "body": answer})
}

#[test]
fn a_data_folder_of_0_1_0_reads_as_before_and_is_gone_on_with() {
    let home = Home::copy();
    let [before, asked, after] = steps();
    let mut all = Vec::new();
    let mut check = |step: &Value, answer: &Value| {
        let named =
            step.get("run").map_or_else(|| format!("{} {}", step["path"], step["body"]), Value::to_string);
        differences(&format!("{named}: "), &step["answer"], &home.neutral(answer), &mut all);
    };
    before.iter().for_each(|step| check(step, &of_run(&home, step)));
    let (server, serving) = home.serve();
    asked.iter().for_each(|step| check(step, &of_send(&server, step)));
    drop(serving);
    after.iter().for_each(|step| check(step, &of_run(&home, step)));
    assert!(all.is_empty(), "{}", all.join("\n"));
}
