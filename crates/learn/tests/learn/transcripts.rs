//! Transcripts that real programs wrote, with what is odd about each.

use engross_transcript::{CallOutcome, FindingKind, Speaker, StepKind, Transcript};

fn session(name: &str) -> Transcript {
    let path = format!("{}/tests/learn/fixtures/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    Transcript::read(std::fs::File::open(path).unwrap(), true).unwrap()
}

#[test]
fn what_is_odd_about_real_files_is_told_with_its_line() {
    use FindingKind::{
        AbandonedBranch, Compaction, NotFromModel, OrphanCall, OrphanResult, PendingResult, SecondHeader,
    };
    type Row = (&'static str, u32, &'static [(u64, FindingKind)]);
    let table: &[Row] = &[
        ("v3_plain", 3, &[]),
        ("v3_thinking", 3, &[]),
        ("v3_http_tools", 3, &[]),
        ("v3_http_unicode_thinking_tools", 3, &[]),
        ("v3_http_role_tool_flattened", 3, &[]),
        ("v3_reset_archive", 3, &[]),
        ("v3_upstream_400", 3, &[]),
        ("v3_compaction", 3, &[(17, Compaction), (18, NotFromModel)]),
        ("v3_abort_first_turn_two_headers", 3, &[(2, AbandonedBranch), (2, NotFromModel), (3, SecondHeader)]),
        ("v3_kill9_mid_tool_orphan_call", 3, &[(8, OrphanCall)]),
        ("v3_tool_fail_orphan_result", 3, &[(8, OrphanResult)]),
        ("v3_model_change", 3, &[(13, NotFromModel)]),
        ("v3_slash_commands", 3, &[(2, NotFromModel), (3, NotFromModel), (8, NotFromModel)]),
        ("v4_http_tools", 4, &[]),
        ("v4_thinking", 4, &[]),
        ("v4_responses_tool", 4, &[(7, PendingResult)]),
        ("v4_upstream_500", 4, &[]),
        ("v4_client_tool_pending_stub", 4, &[(7, PendingResult)]),
    ];
    for (name, version, expected) in table {
        let session = session(name);
        let mut found: Vec<_> = session.findings.first.iter().map(|f| (f.line, f.problem)).collect();
        found.sort();
        let mut expected = expected.to_vec();
        expected.sort();
        assert_eq!((session.version, found), (Some(*version), expected), "{name}");
        assert_eq!(session.end.bad_lines, 0, "{name}");
    }
}

#[test]
fn a_gateways_time_and_notice_are_no_words_of_a_person() {
    let said: Vec<String> = session("v3_slash_commands")
        .steps
        .into_iter()
        .filter_map(|step| match step.what {
            StepKind::User { text, origin: Speaker::Person } => Some(text.whole().into_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(said, ["hello after think", "hello after model"]);
}

#[test]
fn a_model_that_failed_has_stopped() {
    let stopped = session("v3_upstream_400").steps.into_iter().find_map(|step| match step.what {
        StepKind::Stopped { reason, .. } => Some(reason),
        _ => None,
    });
    assert_eq!(stopped.as_deref(), Some("error"));
}

#[test]
fn a_call_holds_its_result() {
    let outcomes: Vec<_> = session("v3_tool_fail_orphan_result")
        .steps
        .into_iter()
        .filter_map(|step| match step.what {
            StepKind::Call(call) => Some((call.tool, call.result.map(|result| result.outcome))),
            _ => None,
        })
        .collect();
    assert_eq!(
        outcomes,
        [("exec".into(), Some(CallOutcome::Failed)), ("exec".into(), Some(CallOutcome::Fine))]
    );
}
