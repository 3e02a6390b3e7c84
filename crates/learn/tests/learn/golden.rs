//! The names under which learning stores and prints. What stands here was written by 0.1.0: a type or a variant may be renamed, the
//! name that it is written as may not.

use engross_learn::agents_md;
use engross_learn::run::SessionOutcome;
use engross_learn::skillbook::journal::{self, Record};
use engross_learn::skillbook::{Book, Dialect, Effect, Quarantine, SkillStatus, to_hybrid};
use engross_learn::trace;
use engross_transcript::{CallOutcome, FindingKind, LineError, Speaker, Transcript};
use serde::Serialize;
use serde_json::{Value, json};

use crate::home::transcript;

/// One record of each kind, with every field and every word that a field can hold.
const JOURNAL: &str = include_str!("golden/journal.jsonl");

fn words<T: Serialize>(values: &[T]) -> Value {
    json!(values)
}

#[test]
fn the_journal_is_read_and_written_as_it_was() {
    let mut again = Vec::new();
    for line in JOURNAL.lines() {
        let record: Record = serde_json::from_str(line).unwrap();
        again.extend(journal::write([&record]));
    }
    assert_eq!(String::from_utf8(again).unwrap(), JOURNAL);
    let read = journal::read(JOURNAL.as_bytes()).unwrap();
    assert_eq!((read.book.skills().len(), read.sessions.len(), read.records), (3, 3, 9));
}

#[test]
fn the_hybrid_file_is_written_as_it_was() {
    let book: Book = journal::read(JOURNAL.as_bytes()).unwrap().book;
    let golden: Value = serde_json::from_str(include_str!("golden/hybrid.json")).unwrap();
    assert_eq!(to_hybrid(&book), golden, "{:#}", to_hybrid(&book));
}

/// A session in which everything happens that a step can be.
#[test]
fn a_session_and_its_trace_are_printed_as_they_were() {
    let text = transcript(
        "s",
        &[
            json!({"role": "user", "content": "do it"}),
            json!({"role": "assistant", "model": "m", "content": [
                {"type": "thinking", "thinking": "so"}, {"type": "text", "text": "well"},
                {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a"}},
                {"type": "toolCall", "id": "c2", "name": "read", "arguments": {"path": "b"}},
            ]}),
            json!({"role": "toolResult", "toolCallId": "c1", "toolName": "read", "isError": true, "content": "no such file"}),
            json!({"role": "toolResult", "toolCallId": "c2", "toolName": "read", "content": "fine"}),
            json!({"role": "toolResult", "toolCallId": "c9", "content": "stray"}),
            json!({"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 1}),
            json!({"role": "user", "content": [{"type": "image", "mimeType": "image/png", "data": "aGk="}]}),
            json!({"role": "hookMessage", "content": "from a hook"}),
            json!({"role": "user", "content": "No, that is wrong"}),
            json!({"role": "assistant", "model": "m", "content": "done", "stopReason": "error", "errorMessage": "cut"}),
        ],
    );
    let session = Transcript::read(text.as_bytes(), true).unwrap();
    let trace = trace::build(session.clone(), trace::Options::default()).unwrap();
    let golden: Value = serde_json::from_str(include_str!("golden/session.json")).unwrap();
    let printed = json!({"session": session, "trace": trace, "view": trace.view(40, &str::to_owned)});
    assert_eq!(printed, golden, "{printed:#}");
}

#[test]
fn the_words_of_reports_stay() {
    let problems = [
        FindingKind::BadLine,
        FindingKind::TornTail,
        FindingKind::LineTooLong,
        FindingKind::NoHeader,
        FindingKind::SecondHeader,
        FindingKind::DanglingParent,
        FindingKind::DuplicateId,
        FindingKind::DuplicateKey,
        FindingKind::LoneSurrogate,
        FindingKind::MessageMissing,
        FindingKind::OddPiece,
        FindingKind::HalfCall,
        FindingKind::UnknownEntry,
        FindingKind::OrphanCall,
        FindingKind::OrphanResult,
        FindingKind::DuplicateResult,
        FindingKind::LateResult,
        FindingKind::SyntheticResult,
        FindingKind::PendingResult,
        FindingKind::AbandonedBranch,
        FindingKind::Compaction,
        FindingKind::NotFromModel,
    ];
    let golden = "bad_line torn_tail line_too_long no_header second_header dangling_parent duplicate_id duplicate_key \
                  lone_surrogate message_missing odd_piece half_call unknown_entry orphan_call orphan_result \
                  duplicate_result late_result synthetic_result pending_result abandoned_branch compaction not_from_model";
    assert_eq!(words(&problems), words(&golden.split_whitespace().collect::<Vec<_>>()));
    let bad = [
        LineError::InvalidUtf8,
        LineError::NotAnObject,
        LineError::Torn,
        LineError::NotANumber,
        LineError::Garbage,
        LineError::Malformed,
        LineError::TooDeep,
        LineError::TooLong,
    ];
    let golden = [
        "invalid_utf8",
        "not_an_object",
        "torn",
        "not_a_number",
        "garbage",
        "malformed",
        "too_deep",
        "too_long",
    ];
    assert_eq!(words(&bad), words(&golden));
    let origins = [Speaker::Person, Speaker::Model, Speaker::Program, Speaker::Hook];
    assert_eq!(words(&origins), words(&["person", "model", "program", "hook"]));
    let outcomes = [CallOutcome::Fine, CallOutcome::Failed, CallOutcome::Pending, CallOutcome::Synthetic];
    assert_eq!(words(&outcomes), words(&["fine", "failed", "pending", "synthetic"]));
    let warnings = [
        agents_md::BlockWarning::StrayEnd,
        agents_md::BlockWarning::SecondBlock,
        agents_md::BlockWarning::EditedInside,
        agents_md::BlockWarning::TooLargeForHosts,
        agents_md::BlockWarning::Repaired,
    ];
    let golden = ["stray_end", "second_block", "edited_inside", "too_large_for_hosts", "repaired"];
    assert_eq!(words(&warnings), words(&golden));
    let skipped = [
        trace::SkipReason::Empty,
        trace::SkipReason::NothingSaid,
        trace::SkipReason::NoQuestion,
        trace::SkipReason::NoAnswer,
        trace::SkipReason::NothingNew,
    ];
    assert_eq!(words(&skipped), words(&["empty", "nothing_said", "no_question", "no_answer", "nothing_new"]));
    let dialects = [
        Dialect::Bullets,
        Dialect::Plain,
        Dialect::Reasons,
        Dialect::Counters,
        Dialect::NoCounters,
        Dialect::Schema2,
    ];
    assert_eq!(
        words(&dialects),
        words(&["bullets", "plain", "reasons", "counters", "no_counters", "schema2"])
    );
    let quarantine = [
        Quarantine::ToolTextOnly,
        Quarantine::Shell,
        Quarantine::Url,
        Quarantine::DisablesSafety,
        Quarantine::Exfiltration,
        Quarantine::Injection,
        Quarantine::Contradiction,
    ];
    let golden =
        ["tool_text_only", "shell", "url", "disables_safety", "exfiltration", "injection", "contradiction"];
    assert_eq!(words(&quarantine), words(&golden));
}

#[test]
fn what_a_run_reports_keeps_its_names() {
    let id = "s-00001".to_owned();
    let effects = vec![
        Effect::Added { id: id.clone(), status: SkillStatus::Candidate },
        Effect::Confirmed { id: id.clone(), status: SkillStatus::Active },
        Effect::Updated { id: id.clone() },
        Effect::Voted { id: id.clone() },
        Effect::Retired { id: id.clone() },
        Effect::Merged { id },
        Effect::KeptApart,
        Effect::Unchanged,
    ];
    let outcomes = [
        SessionOutcome::Learnt { effects },
        SessionOutcome::Skipped { reason: "r".to_owned() },
        SessionOutcome::Waiting { until: 1 },
        SessionOutcome::Failed { code: "C".to_owned(), message: "m".to_owned() },
    ];
    let golden = json!([
        {"outcome": "learnt", "effects": [
            {"effect": "added", "id": "s-00001", "status": "candidate"},
            {"effect": "confirmed", "id": "s-00001", "status": "active"},
            {"effect": "updated", "id": "s-00001"}, {"effect": "voted", "id": "s-00001"},
            {"effect": "retired", "id": "s-00001"}, {"effect": "merged", "id": "s-00001"},
            {"effect": "kept_apart"}, {"effect": "unchanged"}]},
        {"outcome": "skipped", "reason": "r"},
        {"outcome": "waiting", "until": 1},
        {"outcome": "failed", "code": "C", "message": "m"},
    ]);
    assert_eq!(words(&outcomes), golden);
}
