use engross_docx::ops::{Address, CommentPolicy, Edit, Place};
use engross_llm::{Answer, FinishReason};

use crate::translate::read_answer;

fn read(text: &str, finish: FinishReason) -> Result<Vec<Edit>, &'static str> {
    let answer = Answer {
        text: text.to_owned(),
        tool_calls: vec![],
        finish,
        usage: None,
        sources: vec![],
        thoughts: Vec::new(),
    };
    let proposals = read_answer(&answer).map_err(|error| error.code)?;
    Ok(proposals.into_iter().map(|proposal| proposal.operation.unwrap().edit).collect())
}

#[test]
fn an_answer_is_json_with_or_without_a_fence() {
    let place = Place::in_body(Address::Number(4));
    let deletion = Edit::DeleteParagraph { place, end: None, comments: CommentPolicy::default() };
    let json = r#"[{"op":"delete_paragraph","paragraphIndex":4}]"#;
    let object = format!("{{\"operations\":{json}}}");
    for text in
        [json.to_owned(), object.clone(), format!("\n```json\n{object}\n```\n"), format!("```\n{json}\n```")]
    {
        assert_eq!(read(&text, FinishReason::Stop), Ok(vec![deletion.clone()]), "{text}");
    }
    assert_eq!(read(r#"{"operations":[]}"#, FinishReason::Stop), Ok(vec![]));
}

#[test]
fn anything_else_is_no_answer() {
    for text in
        ["", "Sure! [1]", "{\"operations\":", "```json\n[]\n``` and more", "\"delete\"", "{\"op\":\"x\"}"]
    {
        assert_eq!(read(text, FinishReason::Stop), Err("INVALID_ARGUMENTS"), "{text}");
    }
    assert_eq!(read("[]", FinishReason::Length), Err("ANSWER_CUT"));
}
