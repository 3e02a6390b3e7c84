use engross_docx::read::{ReadOptions, View};
use engross_llm::ToolCall;

use crate::writing::Texts;

use super::{ParsedCall, Question, ToolUse, parse_call};

fn parse(name: &str, arguments: &str) -> Result<ParsedCall, (&'static str, String)> {
    let call = ToolCall { id: "a".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() };
    parse_call(&call, &Texts::default()).map_err(|error| (error.code, error.message))
}

fn refused(name: &str, arguments: &str) -> String {
    let (code, message) = parse(name, arguments).unwrap_err();
    assert_eq!(code, "INVALID_ARGUMENTS", "{message}");
    message
}

fn reading(options: ReadOptions) -> Result<ParsedCall, (&'static str, String)> {
    Ok(ParsedCall::Use(ToolUse::Read(options)))
}

#[test]
fn readings() {
    let usual = ReadOptions { limit: Some(100), ..ReadOptions::default() };
    for none in ["", "{}", r#"{"from":null,"limit":null,"view":null,"search":""}"#] {
        assert_eq!(parse("read_document", none), reading(usual.clone()), "{none}");
    }
    let wanted = ReadOptions {
        view: View::Markup,
        search: Some("fee".to_owned()),
        from: Some("7".to_owned()),
        limit: Some(3),
        ..ReadOptions::default()
    };
    let all = r#"{"view":"markup","search":"fee","from":7,"limit":3}"#;
    assert_eq!(parse("read_document", all), reading(wanted));
    assert!(refused("read_document", r#"{"limit":0}"#).contains("limit"));
    assert!(refused("read_document", r#"{"view":"plain"}"#).contains("accepted"));
    assert!(refused("read_document", r#"{"serach":"x"}"#).contains("did you mean 'search'?"));
}

#[test]
fn a_wrong_operation_does_not_hinder_its_neighbours() {
    let arguments = r#"{"operations":[
        {"op":"delete_paragraph","paragraphIndex":2},
        {"op":"delete_paragraf","paragraphIndex":2},
        7,
        {"op":"delete_paragraph","paragraphIndex":3,"author":"Someone Else"}]}"#;
    let Ok(ParsedCall::Use(ToolUse::Apply(proposals))) = parse("apply_redlines", arguments) else { panic!() };
    let wrong: Vec<Option<&str>> = proposals
        .iter()
        .map(|proposal| proposal.operation.as_ref().err().map(|error| error.message.as_str()))
        .collect();
    assert_eq!(wrong[0], None);
    assert!(
        wrong[1].unwrap().starts_with("'delete_paragraf' is no operation; did you mean 'delete_paragraph'?")
    );
    assert_eq!(wrong[2], Some("it is no object"));
    assert_eq!(wrong[3], Some("'author' cannot be set here; leave it out"));
}

#[test]
fn operations_or_an_instruction() {
    assert_eq!(
        parse("apply_redlines", r#"{"instruction":"shorten it","operations":null}"#),
        Ok(ParsedCall::Ask(Question::Operations("shorten it".to_owned())))
    );
    refused("apply_redlines", "{}");
    refused("apply_redlines", r#"{"instruction":" "}"#);
    refused("apply_redlines", r#"{"instruction":"x","operations":[]}"#);
    refused("apply_redlines", r#"{"operations":"delete it"}"#);
    refused("apply_redlines", r#"{"operations":[],"date":"2026-01-01T00:00:00Z"}"#);
    assert_eq!(parse("apply_redline", "{}").unwrap_err().0, "UNKNOWN_TOOL");
}
