//! Tells a conversation with tools in text alone.

use std::fmt::Write as _;

use crate::{Message, Request, ToolChoice};

/// What stands before a call.
pub(super) const CALL: &str = "CALL ";

/// The same request without tools: they stand in the instructions, and calls and their results in the messages.
pub(super) fn in_text(request: Request) -> Request {
    let mut system = request.system;
    let separator = if system.is_empty() { "" } else { "\n\n" };
    _ = write!(
        system,
        "{separator}You have tools. To call one, write a line of its own: {CALL}NAME ARGUMENTS, with the arguments as a JSON object \
         on that line, and nothing behind it. The result comes in the next message. For example:\n{CALL}NAME {{\"key\": \"value\"}}\n\
         The tools:\n"
    );
    for tool in request.tools.iter().filter(|tool| !tool.is_free_text()) {
        _ = writeln!(system, "- {}: {} Arguments: {}", tool.name, tool.description, tool.parameters);
    }
    match &request.tool_choice {
        ToolChoice::Auto => {}
        ToolChoice::Required => system.push_str("Your next answer must be a call.\n"),
        ToolChoice::Named(name) => _ = writeln!(system, "Your next answer must be a call of {name}."),
    }
    let mut messages: Vec<Message> = Vec::with_capacity(request.messages.len());
    for message in request.messages {
        match (told(message), messages.last_mut()) {
            // Many servers want the two sides to take turns.
            (
                Message::User { content, attachments },
                Some(Message::User { content: last, attachments: more }),
            ) => {
                more.extend(attachments);
                last.push_str("\n\n");
                last.push_str(&content);
            }
            (message, _) => messages.push(message),
        }
    }
    Request { system, messages, tools: Vec::new(), tool_choice: ToolChoice::Auto, ..request }
}

fn told(message: Message) -> Message {
    match message {
        Message::User { .. } => message,
        Message::Assistant { mut content, tool_calls, .. } => {
            for call in tool_calls {
                let separator = if content.is_empty() || content.ends_with('\n') { "" } else { "\n" };
                let arguments = call.arguments.replace('\n', " ");
                _ = writeln!(content, "{separator}{CALL}{} {arguments}", call.name);
            }
            Message::Assistant { content, tool_calls: Vec::new(), thoughts: Vec::new() }
        }
        Message::Tool { name, content, is_error, attachments, .. } => {
            let what = if is_error { "The call failed" } else { "Result" };
            Message::User { content: format!("{what} of {name}:\n{content}"), attachments }
        }
    }
}
