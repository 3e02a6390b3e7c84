//! Threads as people and programs see them.

use std::fmt::Write as _;
use std::path::Path;

use engross_threads::{Thread, ThreadMessage};
use serde::Serialize;

/// A thread, as `--json` shows it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownThread<'a> {
    #[serde(flatten)]
    row: Row<'a>,
    folder: &'a str,
    /// The files of the newest task.
    files: &'a [String],
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
            run_id: association.map(|association| association.run_id.as_str()),
            waiting: thread.waiting.len(),
        }
    }
}

impl<'a> ShownThread<'a> {
    pub(super) fn of(thread: &'a Thread) -> Self {
        let context = &thread.record.context_state;
        Self {
            row: Row::of(thread),
            folder: &thread.record.workspace_binding.workspace_path,
            files: &context.last_task_artifact_relative_paths,
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
    format!("{}: {}{code}\n", row.thread, row.status)
}

/// What came of the newest task.
pub(super) fn result(thread: &Thread) -> String {
    let context = &thread.record.context_state;
    let mut text = String::new();
    if let Some(ThreadMessage { text: said, role, .. }) = context.messages.last()
        && role == "assistant"
    {
        let _ = writeln!(text, "{}", said.trim_end());
    }
    let folder = Path::new(&thread.record.workspace_binding.workspace_path);
    for path in &context.last_task_artifact_relative_paths {
        let _ = writeln!(text, "{}", folder.join(path).display());
    }
    let code = thread.record.lifecycle_state.last_result_code.as_deref().unwrap_or("nothing was done yet");
    let files = context.last_artifact_sync_status.as_deref().unwrap_or("none");
    let _ = writeln!(text, "{}: {code}, files: {files}", thread.record.thread_id);
    text
}

/// All of a thread.
pub(super) fn whole(thread: &Thread) -> String {
    let mut text = line(thread);
    for said in &thread.record.context_state.messages {
        let _ = writeln!(text, "\n{}: {}", said.role, said.text.trim_end());
    }
    let _ = write!(text, "\n{}", result(thread));
    text
}

/// Many threads.
pub(super) fn table(threads: &[Thread]) -> String {
    if threads.is_empty() {
        return "There is nothing; `engross task run` begins a thread\n".to_owned();
    }
    let rows: Vec<Row<'_>> = threads.iter().map(Row::of).collect();
    let width = rows.iter().map(|row| row.thread.chars().count()).max().unwrap_or_default();
    let mut text = String::new();
    for row in rows {
        let code = row.last_result_code.unwrap_or("-");
        let _ = writeln!(
            text,
            "{:width$}  {:8}  {code:12}  {:9}  {}",
            row.thread, row.status, row.provider, row.title
        );
    }
    text
}
