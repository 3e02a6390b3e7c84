//! What nobody can act on, and what only begins like it.

use super::vague::is_vague;

#[test]
fn praise_reports_and_advice_for_everything_are_vague() {
    for content in [
        "Great job, the agent did everything right",
        "The agent did an excellent job and was very helpful",
        "The user was happy with the result",
        "Keep up the good work",
        "Be careful when working",
        "Always think carefully.",
        "Double-check your work",
        "Follow best practices.",
        "Everything went well in this session",
        "Continue to be helpful",
    ] {
        assert!(is_vague(content), "{content}");
    }
    for content in [
        "Be concise in commit messages",
        "Use the agent's id when calling list_jobs",
        "Check the exit code before reporting success",
        "Keep `limit` at 50 or less when calling `list_invoices`",
        "Good names for branches begin with the ticket",
        "Verify checksums of downloads ahead of unpacking",
        "Write commit messages in the imperative mood",
        "The port of production is in config/prod.yaml",
    ] {
        assert!(!is_vague(content), "{content}");
    }
}
