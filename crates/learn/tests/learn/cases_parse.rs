//! What a reader must do with odd lines, trees and pairs, by the number of the case.

use engross_transcript::stats::count;
use engross_transcript::{CallOutcome, FindingKind, Speaker, StepKind, Transcript};

const HEADER: &str =
    r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-01-01T00:00:00Z","cwd":"/app"}"#;

fn user(id: &str, parent: &str, text: &str) -> String {
    let content = serde_json::json!([{"type": "text", "text": text}]);
    message(id, parent, &format!(r#"{{"role":"user","content":{content}}}"#))
}

fn assistant(id: &str, parent: &str, text: &str) -> String {
    let content = serde_json::json!([{"type": "text", "text": text}]);
    message(id, parent, &format!(r#"{{"role":"assistant","content":{content}}}"#))
}

fn message(id: &str, parent: &str, message: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    format!(r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"t","message":{message}}}"#)
}

fn read(lines: &[&str]) -> Transcript {
    read_bytes(format!("{}\n", lines.join("\n")).as_bytes())
}

fn read_bytes(bytes: &[u8]) -> Transcript {
    Transcript::read(bytes, true).unwrap()
}

/// What users and assistants said, on the path.
fn said(session: &Transcript) -> Vec<String> {
    let words = |what: &StepKind| match what {
        StepKind::User { text, .. } | StepKind::Assistant { text, .. } => Some(text.whole().into_owned()),
        _ => None,
    };
    session.path().filter_map(|step| words(&step.what)).collect()
}

fn problems(session: &Transcript) -> Vec<(u64, FindingKind)> {
    session.findings.first.iter().map(|finding| (finding.line, finding.problem)).collect()
}

/// A session whose one user says `text`, with `line` before that.
fn with_line(line: &[u8]) -> Transcript {
    let mut bytes = format!("{HEADER}\n").into_bytes();
    bytes.extend_from_slice(line);
    bytes.extend_from_slice(format!("\n{}\n", user("a1", "", "hello")).as_bytes());
    read_bytes(&bytes)
}

fn is_passed_over(line: &[u8]) {
    let session = with_line(line);
    assert_eq!(said(&session), ["hello"]);
    assert_eq!(problems(&session), [(2, FindingKind::BadLine)]);
    assert_eq!((session.end.used_lines, session.end.bad_lines), (3, 1));
}

#[test]
fn case_01_separators_inside_a_string_split_nothing() {
    for odd in ["\u{2028}", "\u{2029}", "\u{85}", "\u{b}", "\u{c}", "\u{1c}"] {
        let text = format!("before{odd}after");
        let session = read(&[HEADER, &user("a1", "", &text)]);
        assert_eq!(said(&session), [text]);
        assert_eq!(session.end.bad_lines, 0);
    }
}

#[test]
fn case_02_the_header_behind_a_byte_order_mark_is_read() {
    let bytes = format!("\u{feff}{HEADER}\n{}\n", user("a1", "", "hello"));
    assert_eq!(read_bytes(bytes.as_bytes()).id.as_deref(), Some("s1"));
}

#[test]
fn case_03_crlf_is_read_like_lf() {
    let text = format!("{HEADER}\n{}\n", user("a1", "", "hello"));
    let (lf, crlf) = (read_bytes(text.as_bytes()), read_bytes(text.replace('\n', "\r\n").as_bytes()));
    assert_eq!((lf.steps, lf.findings), (crlf.steps, crlf.findings));
}

#[test]
fn case_04_blank_lines_are_no_bad_lines() {
    let session = read(&[HEADER, "", "  \t", &user("a1", "", "hello")]);
    assert_eq!((said(&session).len(), session.end.used_lines, session.end.bad_lines), (1, 2, 0));
}

#[test]
fn case_05_a_torn_last_line_is_not_read_yet() {
    let whole = format!("{HEADER}\n{}\n", user("a1", "", "hello"));
    let torn = format!("{whole}{}", &user("a2", "a1", "more")[..40]);
    for is_over in [false, true] {
        let session = Transcript::read(torn.as_bytes(), is_over).unwrap();
        assert_eq!(session.end.offset, whole.len() as u64);
        assert_eq!(problems(&session), [(3, FindingKind::TornTail)]);
    }
}

#[test]
fn case_06_a_whole_last_line_without_an_end_is_read_once_the_file_rests() {
    let first = format!("{HEADER}\n");
    let text = format!("{first}{}", user("a1", "", "hello"));
    let growing = Transcript::read(text.as_bytes(), false).unwrap();
    assert_eq!((said(&growing).len(), growing.end.offset), (0, first.len() as u64));
    let resting = Transcript::read(text.as_bytes(), true).unwrap();
    assert_eq!((said(&resting).len(), resting.end.offset), (1, text.len() as u64));
}

#[test]
fn case_07_garbage_before_the_json_is_passed_over_and_counted() {
    is_passed_over(br#"/speci{"type":"custom","id":"deadbeef"}"#);
    let session = read(&[&format!("/speci{HEADER}"), &user("a1", "", "hello")]);
    assert_eq!(problems(&session), [(1, FindingKind::BadLine), (1, FindingKind::NoHeader)]);
}

#[test]
fn case_08_json_that_is_no_object_is_bad() {
    for line in ["42", "null", "[1,2]", "\"s\"", "true"] {
        is_passed_over(line.as_bytes());
    }
}

#[test]
fn case_09_invalid_utf8_costs_its_line_only() {
    is_passed_over(
        b"{\"type\":\"message\",\"id\":\"x\",\"message\":{\"role\":\"user\",\"content\":\"\xff\xfe\"}}",
    );
}

#[test]
fn case_10_not_a_number_is_bad() {
    is_passed_over(br#"{"type":"custom","data":{"x":NaN}}"#);
    is_passed_over(br#"{"type":"custom","data":{"x":-Infinity}}"#);
}

#[test]
fn case_11_half_a_surrogate_pair_is_replaced_and_told() {
    let line = user("a1", "", "bad tail").replace("tail", r"\ud83d");
    let session = read(&[HEADER, &line]);
    assert_eq!(said(&session), ["bad \u{fffd}"]);
    assert_eq!(problems(&session), [(2, FindingKind::LoneSurrogate)]);
}

#[test]
fn case_12_nul_in_a_text_is_kept() {
    assert_eq!(said(&read(&[HEADER, &user("a1", "", "a\0b")])), ["a\0b"]);
}

#[test]
fn case_13_a_line_of_many_megabytes_is_read_and_one_beyond_the_limit_is_told() {
    let long = "x".repeat(5_000_000);
    let session = read(&[HEADER, &user("a1", "", &long), &user("a2", "a1", "next")]);
    assert_eq!(said(&session), [long.as_str(), "next"]);
    let longer = "x".repeat(30_000_000);
    let session = read(&[HEADER, &user("a1", "", &longer), &user("a2", "a1", "next")]);
    assert_eq!(said(&session), ["next"]);
    assert!(problems(&session).contains(&(2, FindingKind::LineTooLong)));
}

#[test]
fn case_14_deep_nesting_costs_its_line_only() {
    let deep = format!("{{\"type\":\"custom\",\"data\":{}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
    is_passed_over(deep.as_bytes());
}

#[test]
fn case_15_of_two_equal_keys_the_last_one_counts() {
    let line = message("a1", "", r#"{"role":"user","content":"first","content":"last"}"#);
    let session = read(&[HEADER, &line]);
    assert_eq!(said(&session), ["last"]);
    assert_eq!(problems(&session), [(2, FindingKind::DuplicateKey)]);
}

#[test]
fn case_16_integers_of_any_length_survive() {
    let arguments = r#"{"n":123456789012345678901234567890,"z":-0.0,"x":1e400}"#;
    let call = format!(
        r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"c","name":"t","arguments":{arguments}}}]}}"#
    );
    let session = read(&[HEADER, &message("a1", "", &call)]);
    assert!(
        session
            .steps
            .iter()
            .any(|step| matches!(&step.what, StepKind::Call(call) if call.arguments == arguments))
    );
}

#[test]
fn case_17_a_plain_string_is_one_text() {
    let session = read(&[HEADER, &message("a1", "", r#"{"role":"user","content":"plain"}"#)]);
    assert_eq!(said(&session), ["plain"]);
}

#[test]
fn case_18_what_is_no_message_or_no_piece_is_passed_over() {
    let pieces = r#"{"role":"assistant","content":[null,7,"bare",{"no":"type"},{"type":"hologram"},{"type":"text"},{"type":"text","text":"ok"}]}"#;
    let session = read(&[
        HEADER,
        r#"{"type":"message","id":"n","parentId":null,"message":null}"#,
        &message("a1", "", pieces),
        &message("a2", "a1", r#"{"role":"assistant","content":null}"#),
    ]);
    assert_eq!(said(&session), ["ok"]);
    assert_eq!(
        (session.findings.of(FindingKind::MessageMissing), session.findings.of(FindingKind::OddPiece)),
        (1, 6)
    );
}

#[test]
fn case_19_an_unknown_entry_is_counted_and_keeps_its_place_in_the_tree() {
    let session = read(&[
        HEADER,
        &user("a1", "", "one"),
        r#"{"type":"x_future","id":"a2","parentId":"a1","payload":null,"deep":{"v":9}}"#,
        &assistant("a3", "a2", "two"),
    ]);
    assert_eq!(said(&session), ["one", "two"]);
    assert_eq!(session.findings.of(FindingKind::UnknownEntry), 1);
}

#[test]
fn case_20_an_empty_file_and_a_header_alone_say_nothing() {
    assert_eq!(read_bytes(b"").steps, []);
    let session = read(&[HEADER]);
    assert_eq!((session.steps.len(), session.findings.counts.len()), (0, 0));
}

#[test]
fn case_21_a_file_without_a_header_is_read() {
    let session = read(&[&user("a1", "gone", "one"), &assistant("a2", "a1", "two")]);
    assert_eq!((session.id.as_deref(), said(&session)), (None, vec!["one".to_owned(), "two".to_owned()]));
    assert_eq!(problems(&session), [(1, FindingKind::NoHeader), (1, FindingKind::DanglingParent)]);
}

#[test]
fn case_22_entries_without_ids_are_linear() {
    let line = |text: &str| {
        format!(r#"{{"type":"message","timestamp":"t","message":{{"role":"user","content":"{text}"}}}}"#)
    };
    let header = r#"{"type":"session","id":"old","timestamp":"t","cwd":"/"}"#;
    let session = read(&[header, &line("one"), &line("two"), &line("three")]);
    assert_eq!(said(&session), ["one", "two", "three"]);
    assert!(session.findings.first.is_empty());
}

fn result(id: &str, parent: &str, call: &str, rest: &str) -> String {
    let content = format!(
        r#"{{"role":"toolResult","toolCallId":"{call}","toolName":"exec","content":[{{"type":"text","text":"out"}}],{rest}}}"#
    );
    message(id, parent, &content)
}

fn call(id: &str, parent: &str, call: &str) -> String {
    let content = format!(
        r#"{{"role":"assistant","content":[{{"type":"toolCall","id":"{call}","name":"exec","arguments":{{}}}}]}}"#
    );
    message(id, parent, &content)
}

fn outcome(rest: &str) -> CallOutcome {
    let session = read(&[HEADER, &call("a1", "", "c"), &result("a2", "a1", "c", rest)]);
    let results = session.steps.into_iter().find_map(|step| match step.what {
        StepKind::Call(call) => call.result,
        _ => None,
    });
    results.unwrap().outcome
}

#[test]
fn case_27_details_that_tell_of_an_error_are_a_failure() {
    for (rest, expected) in [
        (r#""isError":false"#, CallOutcome::Fine),
        (r#""isError":true"#, CallOutcome::Failed),
        (r#""isError":false,"details":{"status":"error"}"#, CallOutcome::Failed),
        (r#""isError":false,"details":{"status":"completed","exitCode":2}"#, CallOutcome::Failed),
        (r#""isError":false,"details":{"status":"completed","exitCode":0}"#, CallOutcome::Fine),
        (r#""isError":false,"details":{"status":"pending"}"#, CallOutcome::Pending),
        (r#""isError":false,"details":7"#, CallOutcome::Fine),
    ] {
        assert_eq!(outcome(rest), expected, "{rest}");
    }
}

#[test]
fn case_28_the_delivery_mirror_is_no_model() {
    let mirror = message(
        "a2",
        "a1",
        r#"{"role":"assistant","content":[{"type":"text","text":"mirrored"}],"provider":"openclaw","model":"delivery-mirror"}"#,
    );
    let session = read(&[HEADER, &user("a1", "", "hi"), &mirror]);
    assert!(session.models.is_empty());
    let expected = StepKind::Assistant { text: "mirrored".into(), origin: Speaker::Program };
    assert_eq!(session.steps.last().unwrap().what, expected);
}

#[test]
fn case_29_a_boot_prompt_is_said_by_the_program() {
    let boot = "A new session was started via /new or /reset. Greet the user.";
    let session = read(&[HEADER, &user("a1", "", boot), &user("a2", "a1", "really me")]);
    let origins: Vec<_> = session
        .steps
        .iter()
        .map(|step| match step.what {
            StepKind::User { origin, .. } => Some(origin),
            _ => None,
        })
        .collect();
    assert_eq!(origins, [Some(Speaker::Program), Some(Speaker::Person)]);
}

#[test]
fn case_30_of_a_picture_size_and_hash_are_kept() {
    let line = message(
        "a1",
        "",
        r#"{"role":"user","content":[{"type":"image","data":"iVBORw0KGgo","mimeType":"image/png"}]}"#,
    );
    let expected =
        StepKind::Image { mime: "image/png".to_owned(), size: 11, sha: "904ba1c1941280f9".to_owned() };
    assert_eq!(read(&[HEADER, &line]).steps[0].what, expected);
}

#[test]
fn case_31_the_way_from_the_leaf_is_the_conversation() {
    let session = read(&[
        HEADER,
        &user("a1", "", "one"),
        &assistant("a2", "a1", "tried and left"),
        &user("a3", "a1", "again"),
        &assistant("a4", "a3", "done"),
    ]);
    assert_eq!(said(&session), ["one", "again", "done"]);
    assert_eq!(problems(&session), [(3, FindingKind::AbandonedBranch)]);
}

#[test]
fn case_32_a_parent_that_is_nowhere_is_the_entry_before() {
    let session = read(&[
        HEADER,
        &user("a1", "", "one"),
        &assistant("a2", "lost", "two"),
        &user("a3", "a4", "three"),
        &assistant("a4", "a3", "four"),
        &user("a5", "a5", "five"),
    ]);
    assert_eq!(said(&session), ["one", "two", "three", "four", "five"]);
    assert_eq!(session.findings.of(FindingKind::DanglingParent), 3);
}

#[test]
fn case_33_a_summary_is_no_experience_and_the_originals_count_once() {
    let compaction = r#"{"type":"compaction","id":"a3","parentId":"a2","summary":"they said one","firstKeptEntryId":"a2","tokensBefore":9}"#;
    let left =
        r#"{"type":"branch_summary","id":"a4","parentId":"a3","fromId":"a2","summary":"they said one"}"#;
    let session = read(&[
        HEADER,
        &user("a1", "", "one"),
        &user("a2", "a1", "two"),
        compaction,
        left,
        &user("a5", "a4", "three"),
    ]);
    assert_eq!(said(&session), ["one", "two", "three"]);
}

#[test]
fn case_35_labels_names_and_levels_say_nothing() {
    let session = read(&[
        HEADER,
        r#"{"type":"model_change","id":"m","parentId":null,"provider":"p","modelId":"big"}"#,
        &user("a1", "m", "one"),
        r#"{"type":"label","id":"l","parentId":"a1","targetId":"a1","label":"cp"}"#,
        r#"{"type":"session_info","id":"n","parentId":"l","name":"x"}"#,
        &assistant("a2", "n", "two"),
    ]);
    assert_eq!(
        (said(&session), session.models),
        (vec!["one".to_owned(), "two".to_owned()], vec!["big".to_owned()])
    );
}

#[test]
fn case_36_results_of_either_shape_make_the_same_pair() {
    let item = message(
        "a2",
        "a1",
        r#"{"role":"user","content":[{"type":"toolResult","toolCallId":"c","content":[{"type":"text","text":"out"}],"isError":false}]}"#,
    );
    let anthropic = message(
        "a2",
        "a1",
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"out","is_error":false}]}"#,
    );
    for line in [result("a2", "a1", "c", r#""isError":false"#), item, anthropic] {
        let session = read(&[HEADER, &call("a1", "", "c"), &line]);
        let StepKind::Call(call) = &session.steps[0].what else { panic!("a call") };
        let result = call.result.as_ref().unwrap();
        assert_eq!((&*result.text.whole(), result.outcome, result.line), ("out", CallOutcome::Fine, 3));
        assert!(session.findings.first.is_empty());
    }
}

#[test]
fn case_44_a_result_that_a_program_made_up_proves_nothing() {
    let made_up = message(
        "a2",
        "a1",
        r#"{"role":"toolResult","toolCallId":"c","toolName":"exec","content":[{"type":"text","text":"[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair."}],"isError":true}"#,
    );
    let session = read(&[HEADER, &call("a1", "", "c"), &made_up]);
    let StepKind::Call(call) = &session.steps[0].what else { panic!("a call") };
    assert_eq!(call.result.as_ref().unwrap().outcome, CallOutcome::Synthetic);
    assert_eq!(problems(&session), [(3, FindingKind::SyntheticResult)]);
}

#[test]
fn case_45_half_a_call_is_no_call() {
    let half = r#"{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"exec","arguments":{},"partialJson":"{\"co"}]}"#;
    let text = format!("{HEADER}\n{}\n", message("a1", "", half));
    assert_eq!(count(text.as_bytes()).unwrap().tool_calls, 0);
    assert_eq!(problems(&read_bytes(text.as_bytes())), [(2, FindingKind::HalfCall)]);
}

#[test]
fn a_file_of_claude_code_is_read() {
    let session = read(&[
        r#"{"type":"summary","summary":"x","leafUuid":"u4"}"#,
        r#"{"parentUuid":null,"isSidechain":false,"cwd":"/w","sessionId":"S","type":"user","message":{"role":"user","content":"fix it"},"uuid":"u1","timestamp":"t"}"#,
        r#"{"parentUuid":"u1","isSidechain":false,"type":"assistant","message":{"id":"m","role":"assistant","model":"claude-x","content":[{"type":"thinking","thinking":"hm","signature":"s"}],"stop_reason":null},"uuid":"u2"}"#,
        r#"{"parentUuid":"u2","isSidechain":false,"type":"assistant","message":{"id":"m","role":"assistant","model":"claude-x","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}]},"uuid":"u3"}"#,
        r#"{"parentUuid":"u3","isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_1","type":"tool_result","content":"no such file","is_error":true}]},"uuid":"u4","toolUseResult":"Error"}"#,
        r#"{"parentUuid":null,"isSidechain":true,"type":"user","message":{"role":"user","content":"helper"},"uuid":"h1"}"#,
    ]);
    let kinds: Vec<&str> = session
        .path()
        .map(|step| match &step.what {
            StepKind::User { .. } => "user",
            StepKind::Thinking(_) => "thinking",
            StepKind::Call(call)
                if call.result.as_ref().is_some_and(|r| r.outcome == CallOutcome::Failed) =>
            {
                "failed"
            }
            _ => "other",
        })
        .collect();
    assert_eq!((kinds, session.models), (vec!["user", "thinking", "failed"], vec!["claude-x".to_owned()]));
}

#[test]
fn a_file_of_codex_is_read() {
    let session = read(&[
        r#"{"timestamp":"t","type":"session_meta","payload":{"id":"S","cwd":"/w","model_provider":"openai"}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"fix it"}]}}"#,
        r#"{"timestamp":"t","type":"turn_context","payload":{"cwd":"/w","model":"gpt-x"}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}],"encrypted_content":"zz"}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c"}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"{\"output\":\"none\",\"metadata\":{\"exit_code\":2}}"}}"#,
        r#"{"timestamp":"t","type":"event_msg","payload":{"type":"agent_message","message":"done"}}"#,
        r#"{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}"#,
    ]);
    assert_eq!((session.id.as_deref(), session.cwd.as_deref()), (Some("S"), Some("/w")));
    assert_eq!(said(&session).split_first().unwrap().1, ["fix it", "done"]);
    assert_eq!(session.models, ["gpt-x"]);
    let call = session.steps.iter().find_map(|step| match &step.what {
        StepKind::Call(call) => Some(call.clone()),
        _ => None,
    });
    let call = call.unwrap();
    assert_eq!(call.arguments, r#"{"command":["ls"]}"#);
    assert_eq!(call.result.unwrap().outcome, CallOutcome::Failed);
    assert!(session.findings.first.is_empty());
}
