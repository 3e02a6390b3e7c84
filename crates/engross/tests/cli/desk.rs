//! A folder of its own for each test, with the example agreement in it, and the program to run there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::SystemTime;

use engross_protocol::hex;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// The program.
pub const ENGROSS: &str = env!("CARGO_BIN_EXE_engross");

/// A date for `--date`.
pub const DATE: &str = "2026-01-31T09:30:00Z";

/// A folder with `nda.docx`.
pub struct TestBench {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// The one JSON document on standard output.
    pub fn json(&self) -> Value {
        let json = serde_json::from_str(&self.stdout);
        assert!(json.is_ok(), "{json:?}: {self:?}");
        json.unwrap()
    }

    /// Exit code and error code of a failed command with `--json`, whose error object must be whole.
    pub fn error(&self) -> (i32, String) {
        let json = self.json();
        let error = &json["error"];
        let keys: Vec<&String> = error.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["code", "message", "type", "details"]);
        let code = error["code"].as_str().unwrap().to_owned();
        assert!(self.stderr.contains(&format!("[{code}]")), "also for people: {self:?}");
        (self.code.unwrap(), code)
    }
}

impl TestBench {
    pub fn new() -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap(), variables: Vec::new() };
        desk.put("nda.docx", &std::fs::read(example("nda.docx")).unwrap());
        desk
    }

    /// The same, with an environment variable for the program.
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn put(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub fn sha256(&self, name: &str) -> String {
        hex::encode(Sha256::digest(self.bytes(name)))
    }

    /// Name, content and time of change of every file.
    pub fn files(&self) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        entries
            .filter(|path| path.is_file())
            .map(|path| {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                let modified = path.metadata().unwrap().modified().unwrap();
                (name, (std::fs::read(&path).unwrap_or_default(), modified))
            })
            .collect()
    }

    /// The folder of that name beneath the folder for data, with something in it.
    pub fn folder_of(&self, name: &str) -> PathBuf {
        let file = self.paths_of(name).pop().unwrap();
        file.ancestors().find(|folder| folder.ends_with(name)).unwrap().to_owned()
    }

    /// The files in all folders of that name beneath the folder for data.
    fn paths_of(&self, name: &str) -> Vec<PathBuf> {
        let mut open = vec![self.path(".local")];
        let mut found = Vec::new();
        while let Some(folder) = open.pop() {
            for path in std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    open.push(path);
                } else if path.components().any(|part| part.as_os_str() == name) {
                    found.push(path);
                }
            }
        }
        found
    }

    pub fn files_of(&self, name: &str) -> Vec<Vec<u8>> {
        self.paths_of(name).into_iter().map(|path| std::fs::read(path).unwrap()).collect()
    }

    /// Changes the first byte of each.
    pub fn spoil_files_of(&self, name: &str) {
        for path in self.paths_of(name) {
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[0] ^= 1;
            std::fs::write(path, bytes).unwrap();
        }
    }

    pub fn names(&self) -> Vec<String> {
        self.files().into_keys().collect()
    }

    /// The program in the folder, without anything of the machine's own settings.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path()).env_clear().stdin(Stdio::null());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        // A runner in the background ends soon after its test.
        command.env("ENGROSS_RUNNER_IDLE", "1");
        command.env("HOME", self.folder.path()).env("XDG_CONFIG_HOME", self.path("settings"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs `engross` with `arguments`.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        ran(self.command(ENGROSS).args(arguments).output().unwrap())
    }

    /// Runs `engross` with `arguments`, which must leave every file as it is and end with that code.
    pub fn refuses(&self, arguments: &[&str]) -> (i32, String) {
        let before = self.files();
        let ran = self.run(arguments);
        assert_eq!(self.files(), before, "{arguments:?}");
        ran.error()
    }
}

pub fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A file of `examples`.
pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// The path of a file of `examples` as an argument.
pub fn example_argument(name: &str) -> String {
    example(name).to_str().unwrap().to_owned()
}

/// A report with what differs from version to version checked and taken out: the hash, and the numbers of revisions.
pub fn settled(mut report: Value, desk: &TestBench) -> Value {
    if let Some(output) = report["output"].as_str() {
        assert_eq!(report["sha256"], desk.sha256(output).as_str());
        report["sha256"] = "of the output".into();
    }
    for operation in report["operations"].as_array_mut().into_iter().flatten() {
        let ids = operation["revisionIds"].as_array().unwrap();
        assert!(ids.iter().all(Value::is_number));
        operation["revisionIds"] = if ids.is_empty() { "none" } else { "some" }.into();
    }
    report
}
