//! Threads as people and programs see them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use engross_documents::change::{printable, printable_lines};
use engross_threads::{FileReport, Lifecycle, Thread, ThreadMessage};
use serde::Serialize;
use serde_json::{Value, json};

use super::view;

/// A thread, as `--json` shows it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownThread<'a> {
    #[serde(flatten)]
    row: Row<'a>,
    folder: &'a str,
    /// The files of the newest task.
    files: &'a [String],
    /// What was not as it should be with them.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
    /// Files that the answer names and that the task did not make.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    named_only: &'a [String],
    messages: Vec<ShownMessage<'a>>,
}

#[derive(Debug, Serialize)]
struct ShownMessage<'a> {
    role: &'a str,
    text: &'a str,
}

/// A thread in a list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Row<'a> {
    thread: &'a str,
    title: &'a str,
    provider: &'a str,
    status: &'static str,
    last_result_code: Option<&'a str>,
    last_artifact_sync_status: Option<&'a str>,
    run_id: Option<&'a str>,
    waiting: usize,
    /// Whether the agent waits for an answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    waits_for_you: bool,
    /// How many files the newest task brought.
    #[serde(skip)]
    file_count: usize,
}

impl<'a> Row<'a> {
    pub(super) fn of(thread: &'a Thread) -> Self {
        let record = &thread.record;
        let association = record.context_state.open_claw_task_association.as_ref();
        Self {
            thread: &record.thread_id,
            title: &record.title,
            provider: &record.execution_binding.provider_id,
            status: thread.lifecycle().as_str(),
            last_result_code: record.lifecycle_state.last_result_code.as_deref(),
            last_artifact_sync_status: record.context_state.last_artifact_sync_status.as_deref(),
            run_id: association
                .map(|association| association.run_id.as_str())
                .or(record.context_state.last_task_run_id.as_deref()),
            waiting: thread.waiting.len(),
            waits_for_you: false,
            file_count: record.context_state.last_task_artifact_relative_paths.len(),
        }
    }
}

impl Row<'_> {
    /// The same, with whether its agent is among those that wait for an answer.
    pub(super) fn asked(self, asked: &BTreeSet<String>) -> Self {
        Self { waits_for_you: asked.contains(self.thread), ..self }
    }
}

impl<'a> ShownThread<'a> {
    pub(super) fn of(thread: &'a Thread) -> Self {
        let context = &thread.record.context_state;
        Self {
            row: Row::of(thread),
            folder: &thread.record.workspace_binding.workspace_path,
            files: &context.last_task_artifact_relative_paths,
            warnings: &context.last_task_warnings,
            named_only: &context.last_task_named_only,
            messages: context
                .messages
                .iter()
                .map(|said| ShownMessage { role: &said.role, text: &said.text })
                .collect(),
        }
    }
}

/// A thread in a line.
pub(super) fn line(thread: &Thread) -> String {
    let row = Row::of(thread);
    let code = row.last_result_code.filter(|code| *code != row.status);
    let code = code.map(|code| format!(" ({code})")).unwrap_or_default();
    format!("{}: {}{code}\n", printable(row.thread), row.status)
}

/// What came of the newest task: its words, its files, what was odd, and how it ended.
pub(super) fn result(thread: &Thread, brought: &[FileReport], took: Duration, with_words: bool) -> String {
    let context = &thread.record.context_state;
    let mut text = String::new();
    // Why it failed is behind what the agent said, which may have been shown as it came.
    if let Some(ThreadMessage { text: said, role, error, .. }) = context.messages.last()
        && role == "assistant"
        && (with_words || (*error && !took.is_zero()))
    {
        let _ = writeln!(text, "{}", printable_lines(said.trim_end()));
    }
    let folder = Path::new(&thread.record.workspace_binding.workspace_path);
    if brought.is_empty() {
        for path in &context.last_task_artifact_relative_paths {
            let _ = writeln!(text, "{}", printable(&folder.join(path).to_string_lossy()));
        }
    } else {
        let _ = write!(text, "\n{}", view::table(brought));
        let _ = writeln!(text, "  in {}", printable(&folder.to_string_lossy()));
    }
    for warning in &context.last_task_warnings {
        let _ = writeln!(text, "! {}", printable(warning));
    }
    let code = thread.record.lifecycle_state.last_result_code.as_deref().unwrap_or("nothing was done yet");
    let files = context.last_artifact_sync_status.as_deref().unwrap_or("none");
    let _ = write!(text, "{}: {code}, files: {files}", printable(&thread.record.thread_id));
    let took = if took.is_zero() { String::new() } else { format!(", {}", view::duration(took)) };
    let _ = writeln!(text, "{took}");
    text
}

/// The last line of a task for programs.
pub(super) fn end_line(thread: &ShownThread<'_>) -> String {
    let mut end = json!({ "event": "end" });
    if let (Value::Object(end), Ok(Value::Object(fields))) = (&mut end, serde_json::to_value(thread)) {
        end.extend(fields);
    }
    format!("{end}\n")
}

/// All of a thread.
pub(super) fn whole(thread: &Thread) -> String {
    let mut text = line(thread);
    for said in &thread.record.context_state.messages {
        let _ = writeln!(text, "\n{}: {}", said.role, printable_lines(said.text.trim_end()));
    }
    let _ = write!(text, "\n{}", result(thread, &[], Duration::ZERO, false));
    text
}

/// Many threads: how each stands, for how long, and its files.
pub(super) fn table(threads: &[Thread], asked: &BTreeSet<String>, now: u64) -> String {
    if threads.is_empty() {
        return "There is nothing; `engross task run` begins a thread\n".to_owned();
    }
    let key = |thread: &Thread| printable(&thread.record.thread_id).chars().count();
    let width = threads.iter().map(key).max().unwrap_or_default();
    let mut text = String::new();
    for thread in threads {
        let row = Row::of(thread).asked(asked);
        let state = match thread.lifecycle() {
            Lifecycle::Running if row.waits_for_you => "? waits for you",
            Lifecycle::Running => "● running",
            Lifecycle::Queued => "◌ queued",
            Lifecycle::Archived => "▪ archived",
            Lifecycle::Ready => match row.last_result_code {
                None => "– new",
                Some("success") => "✓ success",
                Some("aborted") => "✗ aborted",
                Some(_) => "✗ failed",
            },
        };
        let code = row
            .last_result_code
            .filter(|code| thread.lifecycle() == Lifecycle::Ready && !matches!(*code, "success" | "aborted"));
        let sync = row.last_artifact_sync_status.unwrap_or("-");
        let since = thread
            .running()
            .map(|running| view::duration(Duration::from_millis(now.saturating_sub(running.began))));
        let files = match row.file_count {
            0 => sync.to_owned(),
            1 => format!("{sync}, 1 file"),
            count => format!("{sync}, {count} files"),
        };
        let title = printable(row.title);
        let code = code.map(|code| format!("{}  ", printable(code))).unwrap_or_default();
        let _ = writeln!(
            text,
            "{:width$}  {state:15}  {:8}  {files:20}  {:9}  {code}{title}",
            printable(row.thread),
            since.unwrap_or_default(),
            row.provider,
        );
    }
    text
}

/// A moment as people write it, in UTC.
pub(super) fn moment(at: u64) -> String {
    let at = i64::try_from(at).unwrap_or(i64::MAX);
    engross_threads::moment(at)
}
