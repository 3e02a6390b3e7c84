//! Tasks and sessions as tools: each call is a command of this program, in a process of its own.
//!
//! So they do what people get by the same command, and nothing that a command prints can get between the messages of the protocol. Must
//! never pass a call on to a shell, nor let a command outlive a call that was taken back.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use engross_mcp::{ArgumentKind, ArgumentRow, MoreCall, MoreTools, ToolEffect, ToolRow};
use engross_protocol::{Exit, Failure};

use super::parts::ToolParts;

/// The most bytes of an answer: some 6,000 tokens.
const MOST: usize = 24_000;

/// How soon it is noticed that a call was taken back.
const NOTICED_AFTER: Duration = Duration::from_millis(50);

const fn text(name: &'static str, about: &'static str, is_required: bool) -> ArgumentRow {
    ArgumentRow { name, kind: ArgumentKind::Text, about, is_required }
}

const THREAD: ArgumentRow = text("thread", "The thread's key, or its beginning.", true);

/// Tools on tasks for agents.
pub(super) const TASKS: &[ToolRow] = &[
    ToolRow {
        name: "run_task",
        title: "Hand a task to an agent",
        about: "Hands a task to an agent on this machine, which works on in the background; returns at once with the thread. Ask get_task how it stands.",
        arguments: &[
            text("text", "What is to be done.", true),
            text("thread", "A thread to go on with, or a name for a new one.", false),
            text("agent", "engross, codex, opencode, gemini or hermes; engross by default.", false),
        ],
        effect: ToolEffect::Acts,
        has_page: false,
    },
    ToolRow {
        name: "get_task",
        title: "See how a task stands",
        about: "What was said in a thread, how its newest task stands, the files it made.",
        arguments: &[THREAD],
        effect: ToolEffect::Reads,
        has_page: false,
    },
    ToolRow {
        name: "list_tasks",
        title: "List tasks",
        about: "All threads, the newest first.",
        arguments: &[],
        effect: ToolEffect::Reads,
        has_page: false,
    },
    ToolRow {
        name: "cancel_task",
        title: "Stop a task",
        about: "Stops what a thread has under way.",
        arguments: &[THREAD],
        effect: ToolEffect::Acts,
        has_page: false,
    },
];

/// Tools on sessions with the model that is set in engross.
pub(super) const SESSIONS: &[ToolRow] = &[
    ToolRow {
        name: "list_sessions",
        title: "List sessions",
        about: "The conversations that engross keeps, the newest first.",
        arguments: &[],
        effect: ToolEffect::Reads,
        has_page: false,
    },
    ToolRow {
        name: "show_session",
        title: "Read a session",
        about: "What was said in a session.",
        arguments: &[text("session", "The session's key or id.", true)],
        effect: ToolEffect::Reads,
        has_page: false,
    },
    ToolRow {
        name: "ask_session",
        title: "Say something in a session",
        about: "Says something to the model that is set in engross, in a session that is kept; with a document it edits that as tracked changes.",
        arguments: &[
            text("message", "What to say.", true),
            text("session", "The session; the document's own, or a new one, without.", false),
            ArgumentRow {
                name: "path",
                kind: ArgumentKind::Path,
                about: "A .docx file to talk about.",
                is_required: false,
            },
        ],
        effect: ToolEffect::Acts,
        has_page: false,
    },
];

/// Tools that are commands of this program.
pub(super) struct ProgramTools {
    rows: &'static [ToolRow],
    program: PathBuf,
    data: PathBuf,
    config: Option<PathBuf>,
    /// The first folder that is served.
    folder: PathBuf,
}

impl ProgramTools {
    pub(super) fn new(rows: &'static [ToolRow], parts: &ToolParts<'_>) -> Result<Self, Failure> {
        let program = std::env::current_exe().map_err(|error| {
            Failure::new(
                Exit::Io,
                "READ_FAILED",
                format!("this program cannot be found: {error}; start it by its path"),
            )
        })?;
        Ok(Self {
            rows,
            program,
            data: parts.data.to_owned(),
            config: parts.config.cloned(),
            folder: parts.folders.places().into_iter().next().unwrap_or_default(),
        })
    }

    /// The command of a call, and what it reads.
    fn command(&self, tool: &str, call: &MoreCall<'_>) -> Result<(Vec<OsString>, Option<String>), Failure> {
        let given = call.arguments;
        let flag = |name: &str, value: &str| [OsString::from(format!("{name}={value}"))];
        let mut line: Vec<OsString> = Vec::new();
        let mut said = None;
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        match tool {
            "run_task" => {
                line.extend(words(&["task", "run", "--detach", "--json"]));
                for name in ["thread", "agent"] {
                    given
                        .text(name)
                        .into_iter()
                        .for_each(|value| line.extend(flag(&format!("--{name}"), value)));
                }
            }
            "get_task" => line.extend(words(&["task", "get", "--json"])),
            "list_tasks" => line.extend(words(&["task", "list", "--json"])),
            "cancel_task" => line.extend(words(&["task", "cancel", "--json"])),
            "list_sessions" => line.extend(words(&["sessions", "list", "--json"])),
            "show_session" => line.extend(words(&["sessions", "show"])),
            _ => {
                line.extend(words(&["chat"]));
                given.text("session").into_iter().for_each(|key| line.extend(flag("--session", key)));
                // One message is one line there.
                said =
                    Some(given.required("message").split_whitespace().collect::<Vec<_>>().join(" ") + "\n");
            }
        }
        line.push("--data".into());
        line.push(self.data.clone().into());
        if let Some(config) = &self.config {
            line.push("--config".into());
            line.push(config.into());
        }
        // What a caller says stands behind the end of the flags.
        line.push("--".into());
        match tool {
            "run_task" => line.push(given.required("text").into()),
            "get_task" | "cancel_task" => line.push(given.required("thread").into()),
            "show_session" => line.push(given.required("session").into()),
            "ask_session" => {
                if let Some(path) = given.text("path") {
                    let (folder, file) = call.locate(path)?;
                    line.push(folder.join(file.as_str()).into());
                }
            }
            _ => {}
        }
        Ok((line, said))
    }
}

impl MoreTools for ProgramTools {
    fn rows(&self) -> &'static [ToolRow] {
        self.rows
    }

    fn call(&self, tool: &str, call: &MoreCall<'_>) -> Result<String, Failure> {
        let (line, said) = self.command(tool, call)?;
        let failed = |error: std::io::Error| {
            Failure::new(
                Exit::Io,
                "READ_FAILED",
                format!("{tool} could not be carried out: {error}; try again"),
            )
        };
        let mut child = Command::new(&self.program)
            .args(line)
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        if let (Some(mut input), Some(said)) = (child.stdin.take(), said) {
            // A command that ends before it has read says why.
            let _ = input.write_all(said.as_bytes());
        }
        let (out, complaints) = (reader(child.stdout.take()), reader(child.stderr.take()));
        let Some(status) = wait(&mut child, call).map_err(failed)? else {
            return Err(Failure::new(
                Exit::Refused,
                "CALL_STOPPED",
                "the call was taken back by the client; what was done before stands",
            ));
        };
        let (out, complaints) = (text_of(out), text_of(complaints));
        if status.success() {
            return Ok(cut(&if out.trim().is_empty() { complaints } else { out }));
        }
        let complaints = if complaints.trim().is_empty() { out } else { complaints };
        Err(Failure::new(Exit::Refused, "NOTHING_APPLIED", cut(complaints.trim())))
    }
}

/// Reads all of a pipe beside the command, so that neither waits for the other.
fn reader(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What came before a fault is told.
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn text_of(reader: JoinHandle<Vec<u8>>) -> String {
    String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
}

/// Waits for the end of a command; ends it when the call is taken back.
fn wait(child: &mut Child, call: &MoreCall<'_>) -> std::io::Result<Option<std::process::ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if call.is_stopped() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(NOTICED_AFTER);
    }
}

fn cut(text: &str) -> String {
    if text.len() <= MOST {
        return text.to_owned();
    }
    let (shown, rest) = text.split_at(text.floor_char_boundary(MOST));
    format!("{shown}\n… {} more bytes\n", rest.len())
}
