//! `engross transcript`: what stands in session files, for people and programs.
//!
//! Must never change a session file.

use std::fmt::Write as _;
use std::path::Path;

use engross_documents::change::{printable, printable_lines};
use engross_learn::disk::{
    SessionFile, SessionReader, inspect_file, open, read_session, sessions_at, write_whole,
};
use engross_learn::trace::{Options, build};
use engross_protocol::{Exit, Failure};
use engross_transcript::repair::repair;
use engross_transcript::stats::{TranscriptStats, count};
use engross_transcript::{CallOutcome, CallStep, StepKind, Transcript};
use serde_json::{Map, Value, json};

use super::CommandEnd;
use crate::cli::{RepairArgs, TranscriptArgs, TranscriptCommand};
use crate::output::{Output, note};

/// Said before anything is printed as it stands in a file.
const UNREDACTED: &str = "What follows is not redacted: it may hold secrets.";

pub(crate) fn run(args: &TranscriptArgs, output: Output) -> Result<CommandEnd, Failure> {
    match &args.command {
        TranscriptCommand::Stats(args) => each(
            &args.files,
            output,
            |found| count(source(found)?).map_err(|error| unreadable(&found.path, &error)),
            counts,
        ),
        TranscriptCommand::Show(args) => {
            note(UNREDACTED);
            each(&args.files, output, session, conversation)
        }
        TranscriptCommand::Trace(args) => {
            note(UNREDACTED);
            let trace = |found: &SessionFile| {
                let session = session(found)?;
                Ok(match build(session, Options::default()) {
                    Ok(trace) => serde_json::to_value(trace).unwrap_or_default(),
                    Err(skipped) => json!({"skipped": skipped.reason()}),
                })
            };
            each(&args.files, output, trace, |trace| match trace["skipped"].as_str() {
                Some(reason) => format!("no trace: {reason}\n"),
                None => {
                    let part = |name: &str| printable_lines(trace[name].as_str().unwrap_or_default());
                    format!(
                        "Question: {}\n\n{}\n\nFeedback: {}\n",
                        part("question"),
                        part("reasoning"),
                        part("feedback")
                    )
                }
            })
        }
        TranscriptCommand::Repair(args) => mend(args, output),
    }
}

/// Reads each session of the files and prints all. One that cannot be read does not keep back the others.
fn each<T: serde::Serialize>(
    paths: &[std::path::PathBuf],
    output: Output,
    read: impl Fn(&SessionFile) -> Result<T, Failure>,
    show: impl Fn(&T) -> String,
) -> Result<CommandEnd, Failure> {
    let (mut files, mut text, mut failed) = (Map::new(), String::new(), None);
    let sessions: Vec<Result<SessionFile, Failure>> = paths
        .iter()
        .flat_map(|path| {
            let (found, passed) = sessions_at(path);
            let failed = passed.into_iter().map(|passed| Err(unreadable(path, &passed.reason)));
            found.into_iter().map(Ok).chain(failed).collect::<Vec<_>>()
        })
        .collect();
    let count = sessions.len();
    for found in sessions {
        match found.and_then(|found| read(&found).map(|value| (found, value))) {
            Ok((found, value)) => {
                if output.json {
                    let name = name_of(&found, &files);
                    files.insert(name, serde_json::to_value(&value).unwrap_or_default());
                } else {
                    let _ = writeln!(text, "{}\n{}", title(&found), show(&value));
                }
            }
            Err(failure) => {
                note(&format!("error: {} [{}]", failure.message, failure.code));
                failed = Some(failure);
            }
        }
    }
    match failed {
        Some(failure) if count == 1 => Err(failure),
        failed => {
            output.answer(&json!({"files": files}), || text)?;
            Ok(CommandEnd::With(failed.map_or(Exit::Done, |failure| failure.exit)))
        }
    }
}

/// A session's name, or its whole path where two have the same name.
fn name_of(found: &SessionFile, files: &Map<String, Value>) -> String {
    if files.contains_key(&found.name) { title(found) } else { found.name.clone() }
}

/// Where a session is, for people.
fn title(found: &SessionFile) -> String {
    match &found.session {
        Some(session) => format!("{} in {}", printable(session), found.path.display()),
        None => found.path.display().to_string(),
    }
}

fn source(found: &SessionFile) -> Result<SessionReader, Failure> {
    open(found).map_err(|passed| unreadable(&found.path, &passed.reason))
}

fn session(found: &SessionFile) -> Result<Transcript, Failure> {
    let read = read_session(found, true).map(|read| read.transcript);
    read.map_err(|passed| unreadable(&found.path, &passed.reason))
}

fn unreadable(path: &Path, reason: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        Exit::Io,
        "READ_FAILED",
        format!("{}: {reason}; check the path and its permissions", path.display()),
    )
}

fn counts(stats: &TranscriptStats) -> String {
    let mut text = format!(
        "  {} bytes, {} lines, of which {} cannot be read\n  {} calls, {} results: {} paired ({} late), {} without a call, {} further ones; {} calls without a result\n",
        stats.bytes,
        stats.lines,
        stats.bad_lines,
        stats.tool_calls,
        stats.tool_results,
        stats.paired,
        stats.paired_late,
        stats.orphan_results,
        stats.duplicate_results,
        stats.orphan_calls,
    );
    let roles: Vec<String> =
        stats.roles.iter().map(|(role, count)| format!("{count} {}", printable(role))).collect();
    let _ =
        writeln!(text, "  messages: {}; {} from the leaf to the root", roles.join(", "), stats.leaf_messages);
    let flags: Vec<&str> = stats.flags.iter().map(String::as_str).collect();
    if !flags.is_empty() {
        let _ = writeln!(text, "  odd: {}", flags.join(", "));
    }
    text
}

fn conversation(session: &Transcript) -> String {
    let mut text = String::new();
    let known = |value: &Option<String>| printable(value.as_deref().unwrap_or("unknown"));
    let _ = writeln!(
        text,
        "session {} in {}, begun {}",
        known(&session.id),
        known(&session.cwd),
        known(&session.begun)
    );
    for step in &session.steps {
        let left = if step.is_on_path { "" } else { " (tried and left)" };
        let (who, said) = told(&step.what);
        let _ = writeln!(text, "\n{:>6} {who}{left}\n{}", step.line, printable_lines(&said));
    }
    if !session.findings.first.is_empty() {
        let _ = writeln!(text, "\nWhat is odd:");
    }
    for finding in &session.findings.first {
        let problem = serde_json::to_value(finding.problem).unwrap_or_default();
        let loss = if finding.problem.is_loss() { ", lost" } else { "" };
        let _ = writeln!(
            text,
            "{:>6} {}{loss} {}",
            finding.line,
            problem.as_str().unwrap_or_default().replace('_', " "),
            printable(&finding.detail)
        );
    }
    text
}

fn told(what: &StepKind) -> (String, String) {
    match what {
        StepKind::User { text, origin } => {
            (format!("user ({origin:?})").to_lowercase(), text.whole().into_owned())
        }
        StepKind::Thinking(text) => ("thinking".to_owned(), text.whole().into_owned()),
        StepKind::Assistant { text, origin } => {
            (format!("assistant ({origin:?})").to_lowercase(), text.whole().into_owned())
        }
        StepKind::Stopped { reason, message } => (format!("stopped: {}", printable(reason)), message.clone()),
        StepKind::Call(call) => (format!("call of {}", printable(&call.tool)), call_told(call)),
        StepKind::StrayResult(stray) => {
            ("result without a call".to_owned(), stray.result.text.whole().into_owned())
        }
        StepKind::Command { command, output, .. } => {
            (format!("command {}", printable(command)), output.whole().into_owned())
        }
        StepKind::Image { mime, size, .. } => {
            ("image".to_owned(), format!("{mime}, {size} characters of base64"))
        }
    }
}

fn call_told(call: &CallStep) -> String {
    match &call.result {
        None => format!("{}\n(no result)", call.arguments.whole()),
        Some(result) => {
            let outcome = match result.outcome {
                CallOutcome::Fine => "result",
                CallOutcome::Failed => "failed",
                CallOutcome::Pending => "pending",
                CallOutcome::Synthetic => "made up by a program",
            };
            format!(
                "{}\n-> {outcome}, line {}:\n{}",
                call.arguments.whole(),
                result.line,
                result.text.whole()
            )
        }
    }
}

fn mend(args: &RepairArgs, output: Output) -> Result<CommandEnd, Failure> {
    let path = &args.file;
    let target = args.output.clone().unwrap_or_else(|| path.with_extension("repaired.jsonl"));
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    if real(&target).is_some() && real(&target) == real(path) {
        let message = format!("{} is the session file itself; choose another name for -o", target.display());
        return Err(Failure::new(Exit::Usage, "OUTPUT_IS_INPUT", message));
    }
    let id = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut bytes = Vec::new();
    let found = inspect_file(path).map_err(|passed| unreadable(path, &passed.reason))?;
    let repaired = repair(source(&found)?, &mut bytes, &id).map_err(|error| unreadable(path, &error))?;
    write_whole(&target, &bytes)?;
    let answer = json!({"input": path, "output": target, "repair": repaired});
    output.answer(&answer, || {
        let mut text = format!("{}: {} lines", target.display(), repaired.kept);
        for (count, what) in [
            (repaired.trimmed.len(), "freed of what stood before them"),
            (repaired.left_out.len(), "left out because they cannot be read"),
            (repaired.headers_left_out.len(), "further headers left out"),
        ] {
            if count > 0 {
                let _ = write!(text, ", {count} {what}");
            }
        }
        if repaired.header_added {
            text.push_str(", a header added");
        }
        text.push('\n');
        text
    })?;
    Ok(CommandEnd::With(if repaired.left_out.is_empty() { Exit::Done } else { Exit::Refused }))
}
