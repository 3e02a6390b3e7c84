//! What a run has come to: one table, and nothing else decides it.
//!
//! Must never call a success what lacks a file that was required, or has neither words nor files.

use engross_store::Millis;

use super::log::RunEnd;
use super::request::RequestContext;
use super::status::{RunStatus, RunSyncStatus};
use crate::codes;
use engross_artifacts::Manifest;

/// Files that are only named are told one by one up to here.
const NAMED: usize = 20;

/// What an agent left behind when it was done.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Evidence {
    pub(super) text: String,
    /// Whether the agent said that it was done.
    pub(super) said_so: bool,
    /// Files that it says were made and that are not there.
    pub(super) named_only: Vec<String>,
    pub(super) manifest: Manifest,
}

/// A run that ended without being done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failing {
    pub(super) status: RunStatus,
    pub(super) code: String,
    pub(super) message: String,
    pub(super) text: String,
    pub(super) source: &'static str,
}

/// The end of a run whose agent was done.
pub(super) fn judge(
    face: &RequestContext,
    started: Option<Millis>,
    evidence: Evidence,
    now: Millis,
) -> RunEnd {
    let Evidence { text, said_so, named_only, mut manifest } = evidence;
    if !manifest.outcome.constraint_satisfied {
        let message = format!(
            "required files are missing{}: ask the agent to write them into its artifact directory",
            missing(&manifest)
        );
        let Manifest { outcome, warnings, .. } = manifest;
        let failing = Failing {
            status: RunStatus::Failed,
            code: codes::OPENCLAW_REQUIRED_ARTIFACT_MISSING.name.to_owned(),
            message,
            text,
            source: "agent_end",
        };
        let mut end = fail(face, started, failing, now);
        "artifact_missing".clone_into(&mut end.result_code);
        end.missing = Some(outcome);
        end.warnings = warnings;
        end.named_only = named_only;
        return end;
    }
    if manifest.count() == 0 && text.trim().is_empty() {
        let failing = Failing {
            status: RunStatus::Failed,
            code: codes::OPENCLAW_TERMINAL_WITHOUT_EVIDENCE.name.to_owned(),
            message: "the agent ended without a word and without a file: look at its own log, then ask again"
                .to_owned(),
            text,
            source: "agent_end",
        };
        return fail(face, started, failing, now);
    }
    for name in named_only.iter().take(NAMED) {
        manifest
            .warnings
            .push(format!("the answer names '{}', which this run did not make", name.escape_debug()));
    }
    let sync = match (manifest.count() == 0, face.contract.export) {
        (false, _) => RunSyncStatus::Synced,
        (true, true) => RunSyncStatus::NoExportedArtifacts,
        (true, false) => RunSyncStatus::NoArtifacts,
    };
    RunEnd {
        face: face.clone(),
        started,
        ended: now,
        status: RunStatus::Completed,
        success: true,
        inferred: !said_so,
        code: None,
        message: None,
        text,
        result_code: "success".to_owned(),
        sync,
        manifest: Some(manifest),
        warnings: Vec::new(),
        named_only,
        merkle_root: None,
        prompt_sha256: None,
        asked: None,
        missing: None,
        source: "agent_end".to_owned(),
    }
}

/// The end of a run that was not done. Its files, if there are any, are never listed.
pub(super) fn fail(face: &RequestContext, started: Option<Millis>, failing: Failing, now: Millis) -> RunEnd {
    let Failing { status, code, message, text, source } = failing;
    let result_code = if status == RunStatus::Failed { code.clone() } else { status.as_str().to_owned() };
    RunEnd {
        face: face.clone(),
        started,
        ended: now,
        status,
        success: false,
        inferred: false,
        code: Some(code),
        message: Some(message),
        text,
        result_code,
        sync: RunSyncStatus::Failed,
        manifest: None,
        warnings: Vec::new(),
        named_only: Vec::new(),
        merkle_root: None,
        prompt_sha256: None,
        asked: None,
        missing: None,
        source: source.to_owned(),
    }
}

fn missing(manifest: &Manifest) -> String {
    let extensions =
        manifest.outcome.missing_required_extensions.iter().map(|extension| format!(".{extension}"));
    let counts = manifest
        .outcome
        .missing_required_file_counts
        .iter()
        .map(|(extension, count)| format!("{} of {} .{extension}", count.actual, count.expected));
    let all: Vec<String> = extensions.chain(counts).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
}
