//! The cases of write sessions that concern a model in the loop, by their numbers.

use engross_llm::{Error, Event, FinishReason};
use serde_json::json;

use super::event::{ToolStep, TurnEvent};
use super::log::{LogEvent, Standing};
use super::request::{Parameters, TurnRequest};
use super::service_support::{Pieces, calls, done};
use super::write_support::{TestBench, again, answer, at_desk, begin, begin_with, bye, cut, hear, whole};
use super::{AnswerFinish, ClientToolChoice};

fn stop() -> TurnEvent {
    done(AnswerFinish::Stop)
}

/// A Markdown file of so many lines.
fn markdown(lines: usize) -> String {
    let line = |at: usize| match at % 20 {
        0 => format!("## Section {}\n", at / 20),
        7 => "```\n".to_owned(),
        8 => format!("let x{at} = \"\\u{{41}}\"; // 'quoted'\n"),
        9 => "```\n".to_owned(),
        at => format!("Line {at} of words with \"quotes\" and \\backslashes\\, ünï © 漢字.\n"),
    };
    (0..lines).map(line).collect()
}

/// No content anywhere but in the file.
async fn holds_no_content(desk: &TestBench, heard: &super::write_support::HeardAnswer, content: &str) {
    let log = serde_json::to_string(&desk.log(heard).await).unwrap();
    let messages = serde_json::to_string(&desk.messages(heard).await).unwrap();
    for text in [&log, &messages, &heard.text, &heard.content] {
        assert!(!text.contains(content), "{content} in {text}");
    }
}

#[tokio::test]
async fn case_20_chunks_and_done_become_the_file_and_nothing_else() {
    let desk =
        TestBench::new([begin("notes/plan.md", "create"), whole("# Plan\n\nSecret line.\nDONE\n"), bye()]);
    let heard = desk.say("write the plan").await;
    assert_eq!((heard.text.as_str(), heard.end.clone()), ("It is written.", stop()));
    assert_eq!(desk.file("notes/plan.md").unwrap(), "# Plan\n\nSecret line.\n");
    holds_no_content(&desk, &heard, "Secret").await;
    let (result, is_error) = desk.result(&heard, "call_1").await;
    assert_eq!(
        (result["stage"].as_str(), result["receipt"]["bytes"].as_u64(), is_error),
        (Some("complete"), Some(21), false)
    );
}

#[tokio::test]
async fn case_23_no_tool_on_offer_takes_content() {
    let desk = TestBench::new([bye()]);
    desk.say("hello").await;
    let asked = desk.model.asked.lock().unwrap();
    let tools: Vec<&str> = asked[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(tools, ["WritePlanTool_begin", "read_file", "list_files", "search_files", "stat"]);
    let parameters = asked[0].tools[0].parameters.to_string();
    assert!(!parameters.contains("content\""), "{parameters}");
}

#[tokio::test]
async fn a_file_of_two_thousand_lines_over_three_cut_answers_is_exact() {
    let file = markdown(2000);
    for piece in [1, 13, 4096] {
        let third = file.floor_char_boundary(file.len() / 3);
        let second = file.floor_char_boundary(2 * file.len() / 3);
        let end = format!("{}DONE\n", again(&file, second));
        let desk = TestBench::new([
            begin("long.md", "create"),
            answer(&file[..third], piece, FinishReason::Length),
            answer(again(&file[..second], third), piece, FinishReason::Length),
            answer(&end, piece, FinishReason::Stop),
            bye(),
        ]);
        let heard = desk.say("write").await;
        assert_eq!(heard.end, stop());
        assert_eq!(desk.file("long.md").unwrap(), file, "pieces of {piece}");
        let wrote = desk.wrote(&heard).await;
        let standings: Vec<Standing> = wrote.iter().map(|wrote| wrote.standing).collect();
        assert_eq!(standings, [Standing::GoesOn, Standing::GoesOn, Standing::Written]);
        // It is as long as ever when the file is done: one call and its result.
        assert_eq!(desk.messages(&heard).await.len(), 4);
    }
}

#[tokio::test]
async fn listeners_hear_how_far_it_is_and_content_only_if_they_ask() {
    let file = markdown(4000);
    let script =
        || [begin("long.md", "overwrite"), answer(&format!("{file}DONE\n"), 4096, FinishReason::Stop), bye()];
    let desk = TestBench::new(script().into_iter().chain(script()));
    let heard = desk.say("write").await;
    assert_eq!(heard.content, "");
    let running: Vec<&String> = heard
        .statuses
        .iter()
        .filter(|(_, step)| *step == ToolStep::Running)
        .map(|(message, _)| message)
        .collect();
    assert!(!running.is_empty() && running[0].contains(" lines, at ## Section "), "{running:?}");
    assert_eq!(heard.statuses.last().unwrap().1, ToolStep::Done);
    let parameters = Parameters { write_content: true, ..Parameters::default() };
    let heard = desk.submit(TurnRequest { parameters, ..at_desk("again") }).await;
    assert_eq!(heard.content, format!("{file}DONE\n"));
}

#[tokio::test]
async fn cases_37_to_40_labels_do_not_end_a_file() {
    use FinishReason::{ContentFilter, Length, Stop, ToolCalls};
    for label in [Length, Stop, ToolCalls] {
        let desk = TestBench::new([
            begin("a.txt", "create"),
            answer("one\ntw", 3, label),
            whole("one\ntwo\nthree\nDONE\n"),
            bye(),
        ]);
        let heard = desk.say("write").await;
        assert_eq!(heard.end, stop(), "{label:?}");
        assert_eq!(desk.file("a.txt").unwrap(), "one\ntwo\nthree\n", "{label:?}");
    }
    let desk = TestBench::new([begin("a.txt", "create"), answer("one\ntw", 3, ContentFilter)]);
    let heard = desk.say("write").await;
    assert_eq!(desk.file("a.txt"), None);
    assert!(heard.text.contains("a.txt is not complete"), "{}", heard.text);
    let wrote = desk.wrote(&heard).await;
    assert_eq!(
        (wrote[0].standing, wrote[0].code.as_str(), wrote[0].bytes),
        (Standing::Left, "INCOMPLETE", 6)
    );
}

#[tokio::test]
async fn cases_41_42_45_what_was_asked_to_be_repeated_is_taken_out_exactly() {
    let head =
        "The first line of the file is long enough to be known.\nThe second line of the file, likewise.\n";
    let tail = "The second line of the file, likewise.\n";
    for (name, again) in [
        ("repeats the tail", format!("{tail}Third.\nDONE\n")),
        ("begins anew", format!("{head}Third.\nDONE\n")),
    ] {
        let desk = TestBench::new([begin("a.txt", "create"), cut(head), whole(&again), bye()]);
        let heard = desk.say("write").await;
        assert_eq!(heard.end, stop(), "{name}");
        assert_eq!(desk.file("a.txt").unwrap(), format!("{head}Third.\n"), "{name}");
    }
    // What proves no place is asked for once more, and then kept.
    let unproven = || whole("Third.\nDONE\n");
    let desk = TestBench::new([begin("a.txt", "create"), cut(head), unproven(), unproven()]);
    let heard = desk.say("write").await;
    assert_eq!(desk.file("a.txt"), None);
    assert_eq!(desk.wrote(&heard).await.last().unwrap().code, "CONTINUATION_UNCLEAN");
}

#[tokio::test]
async fn case_43_a_model_that_goes_round_in_circles_is_stopped_and_the_write_can_be_gone_on_with() {
    let line = "This very line comes again and again, which leads nowhere.\n";
    let mut script = vec![begin("a.txt", "create")];
    script.extend((0..20).map(|_| cut(line)));
    let desk = TestBench::new(script);
    let heard = desk.say("write").await;
    assert!(heard.text.contains("a.txt is not complete"), "{}", heard.text);
    assert_eq!(desk.file("a.txt"), None);
    let wrote = desk.wrote(&heard).await;
    let last = wrote.last().unwrap();
    assert_eq!((last.standing, last.code.as_str()), (Standing::Left, "CONTINUATION_LIMIT"));
    assert!(wrote.len() <= 17, "{}", wrote.len());
}

#[tokio::test]
async fn case_44_chatter_and_fences_before_a_continuation_are_not_of_the_file() {
    let head =
        "The first line of the file is long enough to be known.\nThe second line of the file, likewise.\n";
    let chatter = "Sure, here is the rest of the file:\n\n```text\nThird.\n```\nDONE\n";
    let clean = "The second line of the file, likewise.\nThird.\nDONE\n";
    let desk = TestBench::new([begin("a.txt", "create"), cut(head), whole(chatter), whole(clean), bye()]);
    let heard = desk.say("write").await;
    assert_eq!(heard.end, stop());
    assert_eq!(desk.file("a.txt").unwrap(), format!("{head}Third.\n"));
}

#[tokio::test]
async fn case_36_a_fence_around_a_whole_file_of_code_is_taken_away_and_told() {
    let code = "fn main() {}\n";
    let script = |name: &str| [begin(name, "create"), whole(&format!("```rust\n{code}```\nDONE\n")), bye()];
    let desk = TestBench::new(script("main.rs"));
    let heard = desk.say("write").await;
    assert_eq!(desk.file("main.rs").unwrap(), code);
    let (result, _) = desk.result(&heard, "call_1").await;
    assert!(!result["receipt"]["warnings"].as_array().unwrap().is_empty(), "{result}");
    let desk = TestBench::new(script("main.md"));
    desk.say("write").await;
    assert_eq!(desk.file("main.md").unwrap(), format!("```rust\n{code}```\n"));
}

#[tokio::test]
async fn case_34_a_done_line_with_text_behind_it_is_asked_about() {
    let desk = TestBench::new([
        begin("a.txt", "create"),
        whole("one\nDONE\nI hope this helps!\n"),
        whole("DONE"),
        bye(),
    ]);
    let heard = desk.say("write").await;
    assert_eq!(heard.end, stop());
    assert_eq!(desk.file("a.txt").unwrap(), "one\n");
    let asked = desk.asked();
    assert!(asked[2].contains("line 2 is DONE, and more text follows it"), "{}", asked[2]);
}

#[tokio::test]
async fn case_68_errors_are_told_with_their_place_and_mended_by_a_patch() {
    let patch = json!({"target_file": "a.json", "operation": "patch",
        "patch": {"type": "replace_lines", "start_line": 2, "end_line": 2}});
    let desk = TestBench::new([
        begin("a.json", "create"),
        whole("{\n  \"a\": ,\n  \"b\": 2\n}\nDONE\n"),
        begin_with("call_2", &patch),
        whole("  \"a\": 1,\nDONE\n"),
        bye(),
    ]);
    let heard = desk.say("write").await;
    assert_eq!(heard.end, stop());
    assert_eq!(desk.file("a.json").unwrap(), "{\n  \"a\": 1,\n  \"b\": 2\n}\n");
    let asked = desk.asked();
    assert!(asked[2].contains("line 2, column") && asked[2].contains("Send a patch"), "{}", asked[2]);
    let (result, _) = desk.result(&heard, "call_2").await;
    assert_eq!(result["receipt"]["repairs"], 1);
    holds_no_content(&desk, &heard, "\\\"b\\\": 2,").await;
}

#[tokio::test]
async fn case_68_after_three_tries_the_model_is_told_that_nothing_was_written() {
    let bad = || whole("{\"a\": }\nDONE\n");
    let desk = TestBench::new([begin("a.json", "create"), bad(), bad(), bad(), bad(), bye()]);
    let heard = desk.say("write").await;
    assert_eq!(heard.end, stop());
    assert_eq!(desk.file("a.json"), None);
    let (result, is_error) = desk.result(&heard, "call_1").await;
    assert_eq!((result["error"]["code"].as_str(), is_error), (Some("VALIDATION_FAILED"), true));
}

#[tokio::test]
async fn cases_69_70_75_the_receipt_with_its_warnings_is_the_next_message() {
    let desk =
        TestBench::new([begin("a.rs", "create"), whole("fn f() {}\n// ... rest unchanged\nDONE\n"), bye()]);
    let heard = desk.say("write").await;
    assert_eq!(heard.end, stop());
    let told: serde_json::Value = serde_json::from_str(desk.asked().last().unwrap()).unwrap();
    assert_eq!(told["receipt"]["path"], "a.rs");
    let warnings = told["receipt"]["warnings"].to_string();
    assert!(warnings.contains("line 2"), "{warnings}");
}

#[tokio::test]
async fn case_74_reasoning_is_never_in_the_file() {
    let mut pieces: Pieces = vec![Ok(Event::Reasoning("I should write DONE\nDONE\n".to_owned()))];
    pieces.extend(whole("one\nDONE\n"));
    pieces.insert(2, Ok(Event::Reasoning("hm".to_owned())));
    let desk = TestBench::new([begin("a.txt", "create"), pieces, bye()]);
    desk.say("write").await;
    assert_eq!(desk.file("a.txt").unwrap(), "one\n");
}

#[tokio::test]
async fn case_76_a_background_turn_writes_as_any_other() {
    let desk = TestBench::new([begin("a.txt", "create"), cut("one\n"), whole("one\ntwo\nDONE\n"), bye()]);
    let request = TurnRequest { background: true, ..at_desk("write") };
    drop(desk.sessions.submit(request).await.unwrap());
    for _ in 0..200 {
        if desk.file("a.txt").is_some() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    assert_eq!(desk.file("a.txt").unwrap(), "one\ntwo\n");
}

#[tokio::test]
async fn cases_12_13_refusals_are_results_and_nothing_is_begun() {
    let desk = TestBench::new([
        begin("a.txt", "create"),
        bye(),
        begin_with("call_2", &json!({"target_file": "b.txt", "operation": "append"})),
        bye(),
    ]);
    desk.put("a.txt", "old");
    for (id, code) in [("call_1", "TARGET_EXISTS"), ("call_2", "TARGET_MISSING")] {
        let heard = desk.say("write").await;
        let (result, is_error) = desk.result(&heard, id).await;
        assert_eq!((result["error"]["code"].as_str(), is_error), (Some(code), true));
    }
    assert_eq!(desk.file("a.txt").unwrap(), "old");
}

#[tokio::test]
async fn what_leaves_the_workspace_is_refused() {
    let asked = |arguments: serde_json::Value| [begin_with("call_1", &arguments), bye()];
    for (arguments, code) in [
        (json!({"target_file": "a.txt"}), "INVALID_OPERATION"),
        (json!({"operation": "create"}), "TARGET_REQUIRED"),
        (json!({"target_file": "a.txt", "operation": "create", "root": ".."}), "ARGS_INVALID"),
        (json!({"target_file": "../a.txt", "operation": "create"}), "PATH_OUTSIDE_ROOT"),
        (json!({"target_file": ".engross/checkpoints/a", "operation": "create"}), "PROTECTED_PATH"),
        (json!({"target_file": "a.docx", "operation": "create"}), "UNSUPPORTED_TARGET"),
        (json!({"target_file": "a.txt", "operation": "shred"}), "INVALID_OPERATION"),
    ] {
        let desk = TestBench::new(asked(arguments.clone()));
        let heard = desk.say("write").await;
        let (result, is_error) = desk.result(&heard, "call_1").await;
        assert_eq!((result["error"]["code"].as_str(), is_error), (Some(code), true), "{arguments}");
    }
}

#[tokio::test]
async fn a_file_that_is_begun_within_another_waits_for_it() {
    let mut with_call = calls(
        "one\n",
        &[("call_2", "WritePlanTool_begin", r#"{"target_file":"b.txt","operation":"create"}"#)],
    );
    with_call.insert(0, Ok(Event::Text("zero\n".to_owned())));
    let desk = TestBench::new([
        begin("a.txt", "create"),
        with_call,
        whole("zero\none\ntwo\nDONE\n"),
        whole("other\nDONE\n"),
        bye(),
    ]);
    let heard = desk.say("write").await;
    assert_eq!(heard.end, stop());
    assert_eq!(desk.file("a.txt").unwrap(), "zero\none\ntwo\n");
    assert_eq!(desk.file("b.txt").unwrap(), "other\n");
}

#[tokio::test]
async fn a_call_behind_a_file_that_is_complete_is_carried_out() {
    let next = calls(
        "one\nDONE\n",
        &[("call_2", "WritePlanTool_begin", r#"{"target_file":"b.txt","operation":"create"}"#)],
    );
    let desk = TestBench::new([begin("a.txt", "create"), next, whole("two\nDONE\n"), bye()]);
    let heard = desk.say("write").await;
    assert_eq!(heard.end, stop());
    assert_eq!(
        (desk.file("a.txt").unwrap(), desk.file("b.txt").unwrap()),
        ("one\n".to_owned(), "two\n".to_owned())
    );
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_gone_on_with_and_one_that_fails_is_left() {
    let mut broken = answer("one\ntw", 2, FinishReason::Stop);
    *broken.last_mut().unwrap() = Err(Error::Truncated);
    let desk = TestBench::new([begin("a.txt", "create"), broken, whole("one\ntwo\nDONE\n"), bye()]);
    assert_eq!(desk.say("write").await.end, stop());
    assert_eq!(desk.file("a.txt").unwrap(), "one\ntwo\n");

    let mut failing = answer("one\ntw", 2, FinishReason::Stop);
    let gone = || Error::Protocol { provider: "the model", message: "it is gone".to_owned() };
    *failing.last_mut().unwrap() = Err(gone());
    let desk = TestBench::new([begin("a.txt", "create"), failing]);
    let heard = desk.say("write").await;
    assert!(matches!(heard.end, TurnEvent::Failed { .. }));
    let wrote = desk.wrote(&heard).await;
    assert_eq!((wrote[0].standing, wrote[0].bytes), (Standing::Left, 6));
    // The next turn goes on with it.
    let again = begin_with("call_2", &json!({"session_id": wrote[0].id.to_string()}));
    desk.model.answers.lock().unwrap().extend([again, whole("one\ntwo\nDONE\n"), bye()]);
    assert_eq!(desk.say("go on").await.end, stop());
    assert_eq!(desk.file("a.txt").unwrap(), "one\ntwo\n");
}

#[tokio::test]
async fn a_file_that_was_left_gives_way_to_one_that_is_begun_anew() {
    let desk = TestBench::new([
        begin("a.txt", "create"),
        answer("one", 3, FinishReason::ContentFilter),
        begin_with("call_2", &json!({"target_file": "a.txt", "operation": "create"})),
        whole("other\nDONE\n"),
        bye(),
    ]);
    desk.say("write").await;
    assert_eq!(desk.say("again").await.end, stop());
    assert_eq!(desk.file("a.txt").unwrap(), "other\n");
}

#[tokio::test]
async fn a_turn_that_is_stopped_in_a_file_leaves_it_to_be_gone_on_with() {
    let endless: Pieces = vec![Ok(Event::Text("one\n".to_owned()))];
    let desk = TestBench::new([begin("a.txt", "create"), endless]);
    // The stream ends without an end: the model is asked again, and never answers.
    let answering = desk.sessions.submit(at_desk("write")).await.unwrap();
    let key = super::SessionName::Named("doc".to_owned());
    let sessions = desk.sessions.clone();
    let cancelling = async {
        while desk.model.asked().len() < 3 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        sessions.cancel("", &key).await.unwrap();
    };
    let (heard, ()) = tokio::join!(hear(answering), cancelling);
    assert!(
        matches!(&heard.end, TurnEvent::Failed { code, .. } if code == "TURN_CANCELLED"),
        "{:?}",
        heard.end
    );
    assert_eq!(desk.file("a.txt"), None);
    let (result, is_error) = desk.result(&heard, "call_1").await;
    assert!(is_error && result.to_string().contains("is not complete"), "{result}");
}

#[tokio::test]
async fn after_a_crash_the_turn_goes_on_behind_what_is_durable() {
    // It dies while the model thinks about the second part.
    let desk = TestBench::new([begin("a.txt", "create"), cut("The first line of it is here.\ntw")]);
    let request = TurnRequest { background: true, idempotency_key: Some("k".to_owned()), ..at_desk("write") };
    let desk = desk.killed_in(request.clone(), 3).await;
    desk.model
        .answers
        .lock()
        .unwrap()
        .extend([whole("The first line of it is here.\ntwo\nthree\nDONE\n"), bye()]);
    let heard = desk.submit(request).await;
    assert_eq!(heard.end, stop());
    assert_eq!(desk.file("a.txt").unwrap(), "The first line of it is here.\ntwo\nthree\n");
    let log = desk.log(&heard).await;
    assert!(
        log.iter().any(|event| matches!(event, LogEvent::Accepted(accepted) if accepted.retake)),
        "{log:?}"
    );
}

#[tokio::test]
async fn files_of_many_sessions_at_once_do_not_mix() {
    let desks = (0..8).map(|number| {
        let content: String = (0..500).map(|line| format!("file {number}, line {line}\n")).collect();
        let (head, _) = content.split_at(content.len() / 2 + 3);
        let desk = TestBench::new([
            begin("same.txt", "create"),
            answer(head, 1, FinishReason::Length),
            answer(&format!("{}DONE\n", again(&content, head.len())), 5, FinishReason::Stop),
            bye(),
        ]);
        async move {
            let heard = desk.say("write").await;
            assert_eq!(heard.end, stop(), "{}", heard.text);
            assert_eq!(
                desk.file("same.txt").as_ref(),
                Some(&content),
                "{} {:?}",
                heard.text,
                desk.asked().last()
            );
        }
    });
    futures_util::future::join_all(desks).await;
}

#[tokio::test]
async fn a_forced_tool_does_not_hold_for_the_content() {
    let desk = TestBench::new([begin("a.txt", "create"), whole("one\nDONE\n"), bye()]);
    let parameters = Parameters {
        tool_choice: ClientToolChoice::Named("WritePlanTool_begin".to_owned()),
        ..Parameters::default()
    };
    assert_eq!(desk.submit(TurnRequest { parameters, ..at_desk("write") }).await.end, stop());
    let asked = desk.model.asked.lock().unwrap();
    let choices: Vec<_> = asked.iter().map(|request| request.tool_choice.clone()).collect();
    use engross_llm::ToolChoice::{Auto, Named};
    assert_eq!(choices, [Named("WritePlanTool_begin".to_owned()), Auto, Auto]);
}
