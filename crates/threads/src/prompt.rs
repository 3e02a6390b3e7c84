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
    lines.push("User request:".to_owned());
    lines.push(if ask.text.trim().is_empty() { "See attached.".to_owned() } else { ask.text.clone() });
    lines.join("\n")
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
        "workingDirectory": record.workspace_binding.workspace_path,
        "executionTarget": target,
        "requestedExecutionTarget": target,
        "routing": routing,
        "idempotencyKey": ask.id,
        "runBudgetMs": ask.budget,
        "metadata": {"xworkmateTaskArtifactContract": contract},
    });
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
