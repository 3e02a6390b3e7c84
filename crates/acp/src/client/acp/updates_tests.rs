use serde_json::{Value, json};

use super::updates::Tools;
use engross_tasks::runner::{AgentEvent, PlanStep};

fn tool(id: &str, title: &str, kind: &str, status: &str) -> Option<AgentEvent> {
    let own = |text: &str| text.to_owned();
    Some(AgentEvent::Tool { id: own(id), title: own(title), kind: own(kind), status: own(status) })
}

fn plan(first: &str, second: &str) -> Option<AgentEvent> {
    let step =
        |content: &str, status: &str| PlanStep { content: content.to_owned(), status: status.to_owned() };
    Some(AgentEvent::Plan(vec![step("read", first), step("write", second)]))
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

#[test]
fn updates_are_told_in_order_and_whole() {
    let steps = |first: &str, second: &str| {
        json!({ "sessionUpdate": "plan", "entries": [
            { "content": "read", "priority": "high", "status": first },
            { "content": "write", "priority": "low", "status": second },
        ] })
    };
    let table = [
        (
            json!({ "sessionUpdate": "agent_message_chunk", "content": text(" a\n") }),
            Some(AgentEvent::Text(" a\n".to_owned())),
        ),
        (
            json!({ "sessionUpdate": "agent_thought_chunk", "content": text("hm") }),
            Some(AgentEvent::Thought("hm".to_owned())),
        ),
        (json!({ "sessionUpdate": "user_message_chunk", "content": text("me") }), None),
        (
            json!({ "sessionUpdate": "tool_call", "toolCallId": "1", "title": "Write a.txt", "kind": "edit" }),
            tool("1", "Write a.txt", "edit", "pending"),
        ),
        (
            json!({ "sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "in_progress" }),
            tool("1", "Write a.txt", "edit", "in_progress"),
        ),
        (json!({ "sessionUpdate": "tool_call_update", "toolCallId": "1", "rawOutput": { "x": 1 } }), None),
        (
            json!({ "sessionUpdate": "tool_call_update", "toolCallId": "2", "title": "ls", "kind": "dance" }),
            tool("2", "ls", "", "pending"),
        ),
        (
            json!({ "sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed" }),
            tool("1", "Write a.txt", "edit", "completed"),
        ),
        (steps("in_progress", "pending"), plan("in_progress", "pending")),
        (steps("completed", "completed"), plan("completed", "completed")),
        (
            json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "resource_link", "name": "x", "uri": "file:///tmp/a%20b.png" } }),
            Some(AgentEvent::Files(vec!["/tmp/a b.png".to_owned()])),
        ),
        (json!({ "sessionUpdate": "current_mode_update", "currentModeId": "x" }), None),
    ];
    let mut tools = Tools::default();
    for (update, event) in table {
        let update =
            serde_json::from_value(update.clone()).unwrap_or_else(|error| panic!("{update}: {error}"));
        assert_eq!(tools.event(update), event);
    }
    assert!(!tools.is_one_running());
    assert_eq!(tools.title("2"), Some("ls"));
}

/// Some agents name a use of a tool only where they ask for it.
#[test]
fn what_a_question_names_is_told_with_its_end() {
    let asked = |title: &str| {
        let asked = json!({ "toolCallId": "7", "title": title, "kind": "execute", "status": "in_progress" });
        serde_json::from_value(asked).unwrap()
    };
    let mut tools = Tools::default();
    tools.remember(&asked("printf x"));
    assert!(!tools.is_one_running(), "it waits for an answer");
    tools.remember(&asked("something else"));
    let ended = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "7", "status": "completed" });
    assert_eq!(
        tools.event(serde_json::from_value(ended).unwrap()),
        tool("7", "printf x", "execute", "completed")
    );
}
