//! What a runtime is told beside the person's words: where it works, what may not be touched, and what counts as delivered.
//!
//! Must never change the person's words, or be stored as if they were said.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::record::{ExecutionMode, ThreadRecord};
use super::state::Ask;
use engross_artifacts::{Sha256Sum, content_type};

/// Stands for the folder of the run where only the bridge knows it.
pub const RUN_FOLDER: &str = "$XWORKMATE_ARTIFACT_DIRECTORY";

/// Folders in which runtimes are used to put results; hints beneath the run's own folder.
const EXPECTED_DIRS: [&str; 6] = ["artifacts/", "reports/", "exports/", "assets/", "assets/images/", "dist/"];

/// The characters of earlier words that an agent is told again.
const RECALLED: usize = 24_000;

/// The prompt: the context of the thread (contracts/tasks.md §4.7), then the person's words.
#[must_use]
pub fn prompt(record: &ThreadRecord, ask: &Ask) -> String {
    let is_agent = record.execution_binding.execution_mode == ExecutionMode::Agent;
    let mut lines = vec![
        "TaskThread workspace context:".to_owned(),
        format!("- sessionKey: {}", record.thread_id),
        format!("- currentTaskWorkspace: {RUN_FOLDER}"),
    ];
    if is_agent {
        lines.push(format!("- localWorkspace: {}", record.workspace_binding.workspace_path));
    }
    if let Some(hint) = workspace_hint(record) {
        lines.push(format!("- remoteWorkspaceHint: {hint}"));
    }
    lines.extend(
        [
            "- Work in currentTaskWorkspace only. Files of other threads, of earlier runs and of the global workspace are not yours: do not read them for results, and do not change them.",
            "- Only files that are in currentTaskWorkspace when you end are delivered. A file that is only named in text, a placeholder and a half-finished file are not delivered; say so if you could not make one.",
        ]
        .map(str::to_owned),
    );
    if let Some(needed) = needed(ask) {
        lines.push(format!("- The task is done only if these files are there: {needed}."));
    }
    if ask.recalls {
        lines.extend(recalled(record, ask));
    }
    lines.push("User request:".to_owned());
    lines.push(if ask.text.trim().is_empty() { "See attached.".to_owned() } else { ask.text.clone() });
    lines.join("\n")
}

/// Where the last run worked at the bridge. An agent of this machine has the same disk, so that it is told nothing new.
fn workspace_hint(record: &ThreadRecord) -> Option<&str> {
    let context = &record.context_state;
    let told = context.last_remote_working_directory.as_deref().filter(|told| !told.trim().is_empty());
    told.filter(|told| *told != record.workspace_binding.workspace_path)
}

/// What was said before in the thread, for an agent that does not have it any more: the newest words, as many as fit.
fn recalled(record: &ThreadRecord, ask: &Ask) -> Vec<String> {
    let said = record.context_state.messages.iter().rev().filter(|said| said.id != ask.id && !said.error);
    // The newest words of the person are the request itself.
    let said = said.skip_while(|said| said.role == "user" && said.text == ask.text);
    let mut left = RECALLED;
    let mut lines = Vec::new();
    for said in said {
        let text: String = said.text.trim().chars().take(left).collect();
        left -= text.chars().count();
        lines.push(format!("{}: {text}", said.role));
        if left == 0 {
            break;
        }
    }
    if lines.is_empty() {
        return lines;
    }
    lines.push("What was said in this thread before, which you do not have any more:".to_owned());
    lines.reverse();
    lines
}

fn needed(ask: &Ask) -> Option<String> {
    let extensions = ask.required_extensions.iter().map(|extension| format!("at least one .{extension}"));
    let counts = ask.required_counts.iter().map(|(extension, count)| format!("{count} of .{extension}"));
    let all: Vec<String> = extensions.chain(counts).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

/// A file that is sent along.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentFiles {
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The parameters of `session.start` or `session.message`.
#[must_use]
pub fn params(record: &ThreadRecord, ask: &Ask, sent: &[SentFiles]) -> Value {
    let binding = &record.execution_binding;
    let is_gateway = binding.execution_mode == ExecutionMode::Gateway;
    let target = if is_gateway { "gateway" } else { "agent" };
    let mut routing = json!({
        "routingMode": "explicit", "explicitExecutionTarget": target,
        "explicitSkills": [], "allowSkillInstall": false, "availableSkills": []
    });
    routing[if is_gateway { "preferredGatewayProviderId" } else { "explicitProviderId" }] =
        json!(binding.provider_id);
    let mut contract = json!({
        "schemaVersion": 1,
        "appThreadKey": record.thread_id,
        "scopeKind": "task",
        "finalDeliverableDetection": "remote-runtime",
        "requiresExportBeforeFinalResponse": ask.wants_files,
        "rejectTextOnlyFileClaims": true,
        "expectedArtifactDirs": EXPECTED_DIRS,
        "currentTaskWorkspace": RUN_FOLDER,
    });
    let hint = workspace_hint(record);
    // What a gateway would do with a path of this disk is nothing good: it learns the person's folders, and writes to its own.
    if !is_gateway {
        contract["localWorkspace"] = json!(record.workspace_binding.workspace_path);
    }
    if let Some(hint) = hint {
        contract["remoteWorkspaceHint"] = json!(hint);
    }
    if ask.include_hidden {
        contract["includeHiddenArtifacts"] = json!(true);
    }
    if !ask.required_extensions.is_empty() {
        contract["requiredArtifactExtensions"] = json!(ask.required_extensions);
    }
    if !ask.required_counts.is_empty() {
        contract["expectedFileCountByExtension"] = json!(ask.required_counts);
    }
    let mut params = json!({
        "sessionId": record.thread_id,
        "threadId": record.thread_id,
        "appThreadKey": record.thread_id,
        "mode": "gateway-chat",
        "taskPrompt": prompt(record, ask),
        "userText": ask.text,
        "executionTarget": target,
        "requestedExecutionTarget": target,
        "routing": routing,
        "idempotencyKey": ask.id,
        "runBudgetMs": ask.budget,
        "metadata": {"xworkmateTaskArtifactContract": contract},
    });
    if !ask.sandbox.is_empty() {
        params["sandbox"] = json!(ask.sandbox);
    }
    let working = if is_gateway { hint } else { Some(record.workspace_binding.workspace_path.as_str()) };
    if let Some(working) = working {
        params["workingDirectory"] = json!(working);
    }
    if let Some(hint) = hint {
        params["remoteWorkingDirectoryHint"] = json!(hint);
    }
    if !sent.is_empty() {
        let sent = sent.iter().map(|file| {
            let sha256: [u8; 32] = Sha256::digest(&file.bytes).into();
            json!({
                "name": file.name,
                "mimeType": content_type(&file.name),
                "content": STANDARD.encode(&file.bytes),
                "sizeBytes": file.bytes.len(),
                "sha256": Sha256Sum::from_bytes(sha256).to_string(),
            })
        });
        params["inlineAttachments"] = sent.collect();
    }
    if !is_gateway {
        params["provider"] = json!(binding.provider_id);
        if let Some(model) = &ask.model {
            params["model"] = json!(model);
        }
    }
    params
}
