//! Clients that can do more than call: they show pages, put questions to a person, and have asked for further tools.
#![expect(clippy::disallowed_methods, reason = "the tests look at the files that are read and written")]

use serde_json::{Value, json};

use crate::McpTools;
use crate::partner_tests::{Client, three_to_five};

const REVISION: &str = "io.modelcontextprotocol/protocolVersion";
const ABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

fn pages() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}})
}

/// Words that stand in many places.
fn vague() -> Value {
    json!([{"op": "modify_text", "originalText": "Confidential Information", "replacementText": "Secrets"}])
}

#[tokio::test]
async fn only_who_shows_pages_is_told_of_them() {
    let (mut client, greeting) = Client::able(pages()).await;
    assert!(greeting["capabilities"]["extensions"]["io.modelcontextprotocol/ui"].is_object(), "{greeting}");
    let list = client.ask("tools/list", json!({})).await;
    let tools = list["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 7);
    for tool in tools {
        let shows = ["edit_document", "resolve_changes", "compare_documents", "review_changes"]
            .contains(&tool["name"].as_str().unwrap());
        let uri = shows.then_some("ui://engross/review.html");
        assert_eq!(tool["_meta"]["ui"]["resourceUri"].as_str(), uri, "{tool}");
    }
    let list = client.ask("resources/list", json!({})).await;
    assert_eq!(list["resources"][1]["uri"], "ui://engross/review.html");
    let page = client.ask("resources/read", json!({"uri": "ui://engross/review.html"})).await;
    assert_eq!(page["contents"][0]["mimeType"], "text/html;profile=mcp-app");
    assert!(page["contents"][0]["text"].as_str().unwrap().contains("ui/initialize"));

    let edit = json!({"path": "nda.docx", "operations": three_to_five()});
    let edited = client.call("edit_document", edit.clone()).await;
    let review = &edited["_meta"]["engross/review"];
    assert_eq!((&review["path"], &review["inPlace"]), (&json!("nda.redline.docx"), &json!(true)), "{edited}");
    let ours: Vec<&Value> =
        review["changes"].as_array().unwrap().iter().filter(|change| change["author"] == "Ada").collect();
    assert_eq!((ours.len(), &ours[0]["text"], &ours[0]["kind"]), (4, &json!("three"), &json!("deletion")));
    let pieces = review["paragraphs"][ours[0]["address"].as_str().unwrap()].as_array().unwrap();
    assert!(
        pieces.contains(&json!(["gone", "three"])) && pieces.contains(&json!(["come", "five"])),
        "{pieces:?}"
    );
    // What a person decides goes into the file that engross has made; what came from elsewhere stays.
    let ids: Vec<&str> = ours.iter().map(|change| change["id"].as_str().unwrap()).collect();
    let accept =
        json!({"path": "nda.redline.docx", "action": "accept", "ids": ids, "output": "nda.redline.docx"});
    let accepted = client.call("resolve_changes", accept).await;
    assert_eq!(accepted["_meta"]["engross/review"]["path"], "nda.redline.docx", "{accepted}");
    let theirs = client.call("review_changes", json!({"path": "nda.docx"})).await;
    assert_eq!(theirs["_meta"]["engross/review"]["inPlace"], false, "{theirs}");
    assert!(theirs["content"][0]["text"].as_str().unwrap().contains("tracked changes"), "{theirs}");

    // A client that has said that it shows none gets nothing of it.
    let mut plain = Client::ready().await;
    let list = plain.ask("tools/list", json!({})).await.to_string();
    assert!(!list.contains("_meta") && !list.contains("review_changes"), "{list}");
    let edited = plain.call("edit_document", edit).await;
    assert!(edited.get("_meta").is_none(), "{edited}");
    assert_eq!(plain.ask("resources/list", json!({})).await["resources"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn text_that_looks_like_marks_is_not_shown_as_changed() {
    let (mut client, _) = Client::able(pages()).await;
    let text = "The {--fee--}{++gift++} is ten euros.";
    client.text("edit_document", json!({"path": "trap.docx", "from_markdown": text})).await;
    let operations = json!([{"op": "modify_text", "originalText": "ten", "replacementText": "two"}]);
    let edited = client.call("edit_document", json!({"path": "trap.docx", "operations": operations})).await;
    let review = &edited["_meta"]["engross/review"];
    assert_eq!(review["total"], 2, "{edited}");
    assert_eq!(review["paragraphs"], json!({}), "{edited}");
}

/// The question of a call, and the client's answer to it.
async fn asked(
    client: &mut Client,
    arguments: Value,
    answer: impl FnOnce(&Client, &Value) -> Value,
) -> String {
    client
        .send(
            &json!({"jsonrpc": "2.0", "id": "e", "method": "tools/call", "params": {"name": "edit_document", "arguments": arguments}})
                .to_string(),
        )
        .await;
    let question = client.hear().await;
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let result = answer(client, &question["params"]);
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}).to_string()).await;
    let said = client.hear().await;
    assert_eq!(said["id"], "e", "{said}");
    said["result"]["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_person_says_which_place_is_meant() {
    let (mut client, _) = Client::able(json!({"elicitation": {}})).await;
    let edit = |output: &str| json!({"path": "nda.docx", "operations": vague(), "output": output});
    let text = asked(&mut client, edit("second.docx"), |client, question| {
        let message = question["message"].as_str().unwrap();
        assert!(message.starts_with("Which place is meant?") && message.contains("\n2. P22 "), "{message}");
        let field = &question["requestedSchema"]["properties"]["operation_1"];
        assert_eq!(field["enum"].as_array().unwrap().first().unwrap(), "1", "{question}");
        assert!(!client.path("second.docx").exists(), "nothing is written while somebody is asked");
        json!({"action": "accept", "content": {"operation_1": "2"}})
    })
    .await;
    assert!(
        text.starts_with("1 applied. Wrote second.docx") && text.contains("the user chose the place"),
        "{text}"
    );
    assert!(text.contains("P22 "), "{text}");
    let text = asked(
        &mut client,
        edit("all.docx"),
        |_, _| json!({"action": "accept", "content": {"operation_1": "all"}}),
    )
    .await;
    assert!(text.starts_with("1 applied. Wrote all.docx"), "{text}");
    // No, nothing, and nonsense are no choice.
    for answer in [
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
        json!({"action": "accept", "content": {"operation_1": "none"}}),
        json!({"action": "accept", "content": {"operation_1": "99", "operation_7": "1"}}),
        json!({"action": "accept"}),
    ] {
        let text = asked(&mut client, edit("none.docx"), |_, _| answer.clone()).await;
        assert!(text.contains("refused AMBIGUOUS_TARGET") && text.contains("chose none"), "{answer}: {text}");
        assert!(!client.path("none.docx").exists());
    }
    // The document became another one meanwhile.
    let text = asked(&mut client, edit("late.docx"), |client, _| {
        std::fs::copy(client.path("second.docx"), client.path("nda.docx")).unwrap();
        json!({"action": "accept", "content": {"operation_1": "2"}})
    })
    .await;
    assert!(text.contains("changed while the user was asked") && text.contains("AMBIGUOUS_TARGET"), "{text}");
    // What is clear is not asked about.
    client
        .text(
            "edit_document",
            json!({"path": "nda.docx", "operations": three_to_five(), "output": "clear.docx"}),
        )
        .await;
}

#[tokio::test]
async fn a_question_that_nobody_answers_ends_with_the_call() {
    let (mut client, _) = Client::able(json!({"elicitation": {"form": {}}})).await;
    let call = json!({"name": "edit_document", "arguments": {"path": "nda.docx", "operations": vague()}});
    client
        .send(&json!({"jsonrpc": "2.0", "id": "e", "method": "tools/call", "params": call}).to_string())
        .await;
    assert_eq!(client.hear().await["method"], "elicitation/create");
    client
        .send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "e"}})
                .to_string(),
        )
        .await;
    // The next call is answered, and nothing was written.
    client.text("check_document", json!({"path": "nda.docx"})).await;
    assert!(!client.path("nda.redline.docx").exists());
}

#[tokio::test]
async fn since_2026_a_question_is_an_answer() {
    let mut client = Client::silent();
    let meta = json!({
        REVISION: "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "partner", "version": "1"},
        ABILITIES: {"elicitation": {"form": {}}}
    });
    // Also as a client sends it that makes a text of its arguments.
    for (output, arguments) in [
        ("a.docx", json!({"path": "nda.docx", "operations": vague(), "output": "a.docx"})),
        ("b.docx", json!(json!({"path": "nda.docx", "operations": vague(), "output": "b.docx"}).to_string())),
    ] {
        let call = json!({"_meta": meta, "name": "edit_document", "arguments": arguments});
        let question = client.ask("tools/call", call.clone()).await;
        assert_eq!(question["resultType"], "input_required", "{question}");
        let form = &question["inputRequests"]["places"];
        assert_eq!(form["method"], "elicitation/create", "{question}");
        assert!(!client.path(output).exists());
        let mut again = call;
        again["requestState"] = question["requestState"].clone();
        again["inputResponses"] = json!({"places": {"action": "accept", "content": {"operation_1": "1"}}});
        let answer = client.ask("tools/call", again).await;
        assert_eq!(answer["resultType"], "complete", "{answer}");
        assert!(client.path(output).exists(), "{answer}");
    }
}

#[tokio::test]
async fn a_playbook_is_answered_by_who_calls_and_checked() {
    let mut client = Client::with(McpTools { playbooks: true, ..McpTools::default() });
    client.greet("2025-11-25", json!({})).await;
    assert_eq!(client.ask("tools/list", json!({})).await["tools"].as_array().unwrap().len(), 7);
    std::fs::write(
        client.path("p.md"),
        "# Ours\n\n## Term\n\nStandard: Two years.\n\nFallback: Three years.\n\nNever: \"perpetual\"\n\n## Insurance\n\nStandard: Two million.\n",
    )
    .unwrap();
    let call = |answers: Value| json!({"path": "nda.docx", "playbook": "p.md", "answers": answers});
    let look = client.text("review_playbook", json!({"path": "nda.docx", "playbook": "p.md"})).await;
    assert!(look.contains("## Term (P") && look.contains("## Insurance (no clause"), "{look}");
    assert!(look.contains("quote") && !client.path("nda.review.docx").exists(), "{look}");

    let place = look.split("## Term (P").nth(1).unwrap().split(" to P").nth(1).unwrap();
    let last: u32 = place.split(',').next().unwrap().parse().unwrap();
    let read = client.text("read_document", json!({"path": "nda.docx", "search": "three (3) years"})).await;
    let paragraph =
        read.lines().find_map(|line| line.strip_prefix("[P")?.split('|').next()).unwrap().to_owned();
    assert!(paragraph.parse::<u32>().unwrap() <= last, "{look} {paragraph}");
    // Words that are not there are no citation, and nothing is written.
    let invented = json!([
        {"position": "Term", "verdict": "fallback", "paragraph": format!("P{paragraph}"), "quote": "runs for ninety years"}
    ]);
    let text = client.text("review_playbook", call(invented)).await;
    assert!(text.contains("unanswered") && text.contains("no answer that holds"), "{text}");
    assert!(!client.path("nda.review.docx").exists());
    let good = json!([
        {"position": "term", "verdict": "deviates", "paragraph": format!("P{paragraph}"), "quote": "runs for three (3) years",
         "reason": "We need two years.", "original": "three (3) years", "replacement": "two (2) years"},
        {"position": "Insurance", "verdict": "missing", "reason": "There is none."}
    ]);
    // As a text, as some clients send lists.
    let text = client.text("review_playbook", call(json!(good.to_string()))).await;
    assert!(
        text.contains("nda.review.docx") && text.contains("deviates") && text.contains("missing"),
        "{text}"
    );
    let changes = client.text("read_document", json!({"path": "nda.review.docx", "mode": "revisions"})).await;
    assert!(changes.contains("two") && changes.contains("Ada"), "{changes}");
    let comments = client.text("read_document", json!({"path": "nda.review.docx", "mode": "comments"})).await;
    assert!(comments.contains("We need two years."), "{comments}");
    let wrong = client.refused("review_playbook", json!({"path": "nda.docx", "playbook": "nda.docx"})).await;
    assert!(wrong.contains("no text"), "{wrong}");
}
