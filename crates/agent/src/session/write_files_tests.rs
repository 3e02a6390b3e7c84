//! What models do around the writing of files: they look, begin two at once, call again what was refused, write many.

use engross_llm::{Event, FinishReason, Message};
use serde_json::{Value, json};

use super::AnswerFinish;
use super::service_support::{Pieces, calls, done};
use super::write_support::{TestBench, answer, begin, begin_with, bye, cut, whole};

fn call(id: &str, name: &str, arguments: &Value) -> Pieces {
    calls("", &[(id, name, &arguments.to_string())])
}

#[tokio::test]
async fn models_look_at_text_files() {
    let desk = TestBench::new([
        call("c1", "list_files", &json!({})),
        call("c2", "read_file", &json!({"file": "notes/a.md", "start_line": "2", "end_line": 3})),
        call("c3", "search_files", &json!({"text": "TWO", "ignore_case": true})),
        call("c4", "stat", &json!({"file": "none.txt"})),
        call("c5", "read_file", &json!({"file": "a.docx"})),
        bye(),
    ]);
    desk.put("a.docx", "PK");
    desk.put("notes/a.md", "one\r\ntwo\r\nthree\r\nfour");
    let heard = desk.say("look").await;
    assert_eq!(heard.end, done(AnswerFinish::Stop));
    let read = |id: &'static str| {
        let (desk, heard) = (&desk, &heard);
        async move { desk.result(heard, id).await }
    };
    let (list, _) = read("c1").await;
    assert_eq!(list["files"], json!([{"file": "a.docx", "bytes": 2}, {"file": "notes/a.md", "bytes": 21}]));
    let (text, _) = read("c2").await;
    let text = text.as_str().unwrap();
    assert!(
        text.contains("4 lines, 21 bytes, CRLF, without a line end at the end, UTF-8, sha256 "),
        "{text}"
    );
    assert!(text.ends_with("lines 2 to 3\n    2\ttwo\n    3\tthree\n"), "{text}");
    assert_eq!(read("c3").await.0, json!("notes/a.md:2: two"));
    assert_eq!(read("c4").await.0, json!({"file": "none.txt", "exists": false}));
    let (refused, is_error) = read("c5").await;
    assert!(is_error && refused.to_string().contains("read_document"), "{refused}");
    // What it was told to begin with speaks of them.
    assert!(desk.model.asked.lock().unwrap()[0].system.contains("read_file"));
}

#[tokio::test]
async fn a_model_sees_its_own_text_again_and_the_log_never_does() {
    let file: String = (0..60).map(|line| format!("let value_{line} = {line};\n")).collect();
    let (head, _) = file.split_at(700);
    let rest = format!("{}DONE\n", super::write_support::again(&file, 700));
    let desk = TestBench::new([begin("a.rs", "create"), cut(head), whole(&rest), bye(), bye()]);
    let heard = desk.say("write").await;
    assert_eq!(heard.end, done(AnswerFinish::Stop));
    assert_eq!(desk.file("a.rs").as_ref(), Some(&file));
    let own = |messages: &[Message], text: &str| {
        messages
            .iter()
            .any(|message| matches!(message, Message::Assistant { content, .. } if content.contains(text)))
    };
    let asked = desk.model.asked();
    assert!(own(&asked[2], "let value_0 = 0;\nlet value_1 = 1;\n") && own(&asked[2], "let value_20 = 20;\n"));
    // In the next turn the file stands behind its receipt.
    desk.say("and now").await;
    let asked = desk.model.asked();
    let receipt = asked.last().unwrap().iter().find_map(|message| match message {
        Message::Tool { content, .. } => Some(content.clone()),
        _ => None,
    });
    assert!(receipt.unwrap().contains("let value_59 = 59;"));
    let kept = serde_json::to_string(&(desk.log(&heard).await, desk.messages(&heard).await)).unwrap();
    assert!(!kept.contains("let value_30"), "{kept}");
}

#[tokio::test]
async fn two_files_begun_in_one_answer_are_both_written() {
    let arguments = |file: &str| json!({"target_file": file, "operation": "create"}).to_string();
    let (one, two) = (arguments("one.txt"), arguments("two.txt"));
    let both = calls("", &[("c1", "WritePlanTool_begin", &one), ("c2", "WritePlanTool_begin", &two)]);
    let desk = TestBench::new([both, whole("first\nDONE\n"), whole("second\nDONE\n"), bye()]);
    let heard = desk.say("write both").await;
    assert_eq!(heard.end, done(AnswerFinish::Stop));
    let asked = desk.asked();
    assert!(asked[1].contains("one.txt comes first") && asked[2].contains("END-"), "{asked:?}");
    assert_eq!(
        (desk.file("one.txt").as_deref(), desk.file("two.txt").as_deref()),
        (Some("first\n"), Some("second\n"))
    );
}

/// Three at once, the second over two cut answers; the third cannot be begun, and the model is told so.
#[tokio::test]
async fn files_that_wait_have_their_turn_whatever_becomes_of_others() {
    let arguments = |file: &str| json!({"target_file": file, "operation": "create"}).to_string();
    let (one, two, three) = (arguments("one.txt"), arguments("two.txt"), arguments("three.txt"));
    let begin = "WritePlanTool_begin";
    let all = calls("", &[("c1", begin, &one), ("c2", begin, &two), ("c3", begin, &three)]);
    let desk = TestBench::new([all, whole("first\nDONE\n"), cut("se\nco"), whole("se\ncond\nDONE\n"), bye()]);
    desk.put("three.txt", "old");
    let heard = desk.say("write all").await;
    assert_eq!(heard.end, done(AnswerFinish::Stop));
    assert_eq!(desk.file("one.txt").as_deref(), Some("first\n"));
    assert_eq!(desk.file("two.txt").as_deref(), Some("se\ncond\n"));
    assert_eq!(desk.file("three.txt").as_deref(), Some("old"));
    assert!(desk.asked().last().unwrap().contains("TARGET_EXISTS"));
}

/// The turn ends in the first file: what waited is not begun behind the person's back, and says so.
#[tokio::test]
async fn files_that_wait_are_dropped_with_the_turn() {
    let arguments = |file: &str| json!({"target_file": file, "operation": "create"}).to_string();
    let (one, two) = (arguments("one.txt"), arguments("two.txt"));
    let begin = "WritePlanTool_begin";
    let both = calls("", &[("c1", begin, &one), ("c2", begin, &two)]);
    let desk = TestBench::new([both, answer("fir", 3, FinishReason::ContentFilter), bye()]);
    let heard = desk.say("write both").await;
    assert!(heard.text.contains("one.txt is not complete"), "{}", heard.text);
    let (result, is_error) = desk.result(&heard, "c2").await;
    assert!(is_error && result.to_string().contains("not begun"), "{result}");
    desk.say("and now").await;
    assert_eq!((desk.file("one.txt"), desk.file("two.txt")), (None, None));
}

#[tokio::test]
async fn content_in_the_call_does_not_keep_the_file_from_being_begun() {
    let call = json!({"target_file": "a.txt", "operation": "create", "content": "hel"});
    let desk = TestBench::new([begin_with("c1", &call), whole("hello\nDONE\n"), bye()]);
    let heard = desk.say("write").await;
    assert_eq!(heard.end, done(AnswerFinish::Stop));
    assert_eq!(desk.file("a.txt").as_deref(), Some("hello\n"));
    assert!(desk.asked()[1].contains("'content' of the call was not taken"), "{:?}", desk.asked());
}

/// A model that writes on although its call was refused is told that nothing took it.
#[tokio::test]
async fn content_of_a_file_that_was_not_begun_does_not_end_the_turn() {
    let right = json!({"target_file": "a.txt", "operation": "overwrite"});
    let content = || whole("hello\nDONE\n");
    let desk =
        TestBench::new([begin("a.txt", "create"), content(), begin_with("c2", &right), content(), bye()]);
    desk.put("a.txt", "old");
    let heard = desk.say("write").await;
    assert_eq!(heard.end, done(AnswerFinish::Stop));
    assert_eq!(desk.file("a.txt").as_deref(), Some("hello\n"));
    assert!(desk.asked()[2].starts_with("No file was open"), "{:?}", desk.asked());
    // Once in a turn: one who does not mend it ends it.
    let desk = TestBench::new([begin("a.txt", "create"), content(), content(), bye()]);
    desk.put("a.txt", "old");
    assert_eq!(desk.say("write").await.end, done(AnswerFinish::Stop));
    assert_eq!((desk.asked().len(), desk.file("a.txt").as_deref()), (3, Some("old")));
}

#[tokio::test]
async fn as_many_files_are_written_in_a_turn_as_a_model_likes() {
    let mut script = Vec::new();
    for number in 0..12 {
        let arguments = json!({"target_file": format!("{number}.txt"), "operation": "create"});
        script.push(begin_with(&format!("c{number}"), &arguments));
        script.push(whole(&format!("file {number}\nDONE\n")));
    }
    script.push(bye());
    let desk = TestBench::new(script);
    assert_eq!(desk.say("write twelve files").await.end, done(AnswerFinish::Stop));
    assert_eq!(desk.file("11.txt").as_deref(), Some("file 11\n"));
}

#[tokio::test]
async fn a_reason_that_is_not_known_does_not_end_a_file() {
    for reason in [FinishReason::Other, FinishReason::Recitation] {
        let desk = TestBench::new([
            begin("a.txt", "create"),
            answer("one\ntw", 3, reason),
            whole("one\ntwo\nDONE\n"),
            bye(),
        ]);
        assert_eq!(desk.say("write").await.end, done(AnswerFinish::Stop));
        assert_eq!(desk.file("a.txt").as_deref(), Some("one\ntwo\n"));
        let own_words = desk.asked()[2].contains("words of your own");
        assert_eq!(own_words, reason == FinishReason::Recitation, "{:?}", desk.asked());
    }
}

/// An answer with text behind its calls, as models without tools give.
fn with_content(parts: &[(&str, &str, &str)], finish: FinishReason) -> Pieces {
    let mut pieces: Pieces = vec![Ok(Event::Text("I write.\n".to_owned()))];
    for (index, (id, file, behind)) in parts.iter().enumerate() {
        let arguments = json!({"target_file": file, "operation": "create"}).to_string();
        let name = "WritePlanTool_begin".to_owned();
        pieces.push(Ok(Event::ToolCallStart { index, id: (*id).to_owned(), name }));
        pieces.push(Ok(Event::ToolCallArguments { index, delta: arguments }));
        let text = behind.split_inclusive('\n').map(|line| Ok(Event::Text(line.to_owned())));
        pieces.extend(text);
    }
    pieces.push(Ok(Event::Finish(finish)));
    pieces
}

#[tokio::test]
async fn content_in_one_answer_with_its_call_goes_into_the_file() {
    let two = [("c1", "one.txt", "\n\none\n1\nDONE\n\n"), ("c2", "two.txt", "two\nDONE\n")];
    let desk = TestBench::new([with_content(&two, FinishReason::ToolCalls), bye()]);
    let heard = desk.say("write both").await;
    assert_eq!(heard.end, done(AnswerFinish::Stop));
    assert_eq!(desk.file("one.txt").as_deref(), Some("one\n1\n"));
    assert_eq!(desk.file("two.txt").as_deref(), Some("two\n"));
    let messages = desk.messages(&heard).await;
    let said: Vec<&str> = messages
        .iter()
        .filter_map(|message| match message {
            Message::Assistant { content, .. } => Some(content.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(said[0], "I write.\n", "the content is no word to the person: {said:?}");
}

#[tokio::test]
async fn content_behind_its_call_that_is_cut_is_gone_on_with() {
    let file: String = (0..60).map(|line| format!("let value_{line} = {line};\n")).collect();
    let cut_at = [("c1", "a.rs", &file[..700])];
    let rest = format!("{}DONE\n", super::write_support::again(&file, 700));
    let desk = TestBench::new([with_content(&cut_at, FinishReason::Length), whole(&rest), bye()]);
    let heard = desk.say("write").await;
    assert_eq!(heard.end, done(AnswerFinish::Stop));
    assert_eq!(desk.file("a.rs"), Some(file));
}

#[tokio::test]
async fn words_behind_a_call_are_no_content() {
    let words = [("c1", "a.txt", "\nI begin the file now.\n")];
    let desk = TestBench::new([with_content(&words, FinishReason::ToolCalls), whole("text\nDONE\n"), bye()]);
    let heard = desk.say("write").await;
    assert_eq!(heard.end, done(AnswerFinish::Stop));
    assert_eq!(desk.file("a.txt").as_deref(), Some("text\n"));
}

#[tokio::test]
async fn a_file_may_be_named_by_its_absolute_path() {
    let desk = TestBench::new([]);
    let (at, outside) = (desk.path("notes/a.md").display().to_string(), "/etc/hosts");
    desk.put("notes/b.md", "one\ntwo\n");
    let b = desk.path("notes/b.md").display().to_string();
    let folder = desk.path("notes").display().to_string();
    desk.model.answers.lock().unwrap().extend([
        begin_with("c1", &json!({"target_file": at, "operation": "create"})),
        whole("text\nDONE\n"),
        call("c2", "read_file", &json!({"path": b})),
        call("c3", "list_files", &json!({"path": folder})),
        call("c4", "read_file", &json!({"file": outside})),
        begin_with("c5", &json!({"target_file": "/etc/x.txt", "operation": "create"})),
        bye(),
    ]);
    let heard = desk.say("write").await;
    assert_eq!(desk.file("notes/a.md").as_deref(), Some("text\n"));
    assert!(desk.result(&heard, "c2").await.0.to_string().contains("two"));
    assert!(desk.result(&heard, "c3").await.0.to_string().contains("notes/b.md"));
    for id in ["c4", "c5"] {
        let (refused, is_error) = desk.result(&heard, id).await;
        assert!(is_error && refused.to_string().contains("PATH_OUTSIDE_ROOT"), "{refused}");
    }
}
