//! Builds the message of a turn: words, and files where the gateway does not have our disk.
//!
//! Must never begin with what the gateway takes for a command, nor hold a character that it refuses.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engross_store::files::{RelPath, Root};
use serde_json::{Value, json};

use super::error::GatewayFault;
use super::plugin::RemoteFolder;
use engross_tasks::runner::Turn;

/// Bytes of an attachment; requests hold no larger one.
const LARGEST: u64 = 10 << 20;

/// Where the agent of a turn works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WorkPlace<'a> {
    /// In the folder of the run, as the gateway is on this machine.
    Here,
    /// In a folder of the gateway's machine, from which files are fetched.
    There(&'a RemoteFolder),
    /// Anywhere on another machine, from which nothing is fetched.
    Elsewhere,
}

/// The words of a turn.
pub(super) fn message(turn: &Turn, place: WorkPlace<'_>) -> String {
    let ours = turn.directory.to_string_lossy();
    let there = |text: &str| match place {
        WorkPlace::There(prepared) => text.replace(&*ours, &prepared.directory),
        WorkPlace::Here | WorkPlace::Elsewhere => text.to_owned(),
    };
    let mut message = there(&turn.prompt).replace('\0', "\u{fffd}");
    if message.trim_start().starts_with(['/', '!']) {
        message.insert_str(0, "The task:\n");
    }
    if place == WorkPlace::Elsewhere {
        message.push_str("\n\nFiles cannot be fetched from your machine: answer with text.");
    } else {
        let names =
            "These names hold for this task, although they are not in the environment of your process:";
        message.push_str(&format!("\n\n{names}"));
        for (name, value) in &turn.environment {
            let value = match place {
                WorkPlace::There(prepared) if name == "XWORKMATE_ARTIFACT_SCOPE" => prepared.scope.clone(),
                _ => there(value),
            };
            message.push_str(&format!("\n{name}={value}"));
        }
        let folder = there(&ours);
        message.push_str(&format!(
            "\nThe current folder of this task is {folder}. Write every file beneath it."
        ));
    }
    for file in &turn.attachments {
        message.push_str(&format!("\n\nAttached: {}", file.name));
        if place == WorkPlace::Here {
            message.push_str(&format!(" ({})", file.path.display()));
        }
    }
    message
}

/// The files of a turn, for a gateway that cannot open them. It blocks.
pub(super) fn attachments(turn: &Turn) -> Result<Vec<Value>, GatewayFault> {
    let root = Root::open(&turn.directory)
        .map_err(|error| unreachable(&turn.directory.to_string_lossy(), &error.to_string()))?;
    let one = |file: &engross_tasks::runner::Attachment| {
        let failed = |problem: &str| unreachable(&file.name, problem);
        let beneath = file.path.strip_prefix(&turn.directory).ok().and_then(|path| path.to_str());
        let path = RelPath::parse(beneath.unwrap_or_default()).map_err(|error| failed(&error.to_string()))?;
        let bytes = root.top().read(&path, LARGEST).map_err(|error| failed(&error.to_string()))?;
        let (bytes, _) = bytes.ok_or_else(|| failed("it is gone"))?;
        let kind = if file.mime_type.starts_with("image/") { "image" } else { "file" };
        Ok(json!({
            "type": kind, "mimeType": file.mime_type, "fileName": file.name, "content": STANDARD.encode(bytes),
        }))
    };
    turn.attachments.iter().map(one).collect()
}

fn unreachable(path: &str, problem: &str) -> GatewayFault {
    GatewayFault::Attachment { path: path.to_owned(), problem: problem.to_owned() }
}
