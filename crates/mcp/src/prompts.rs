//! What people may ask for by name: redline, review, answer a redline.

use rmcp::model::{JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

struct PromptRow {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    /// The name and meaning of what it takes besides the document, and whether it must be given.
    argument: (&'static str, &'static str, bool),
    text: &'static str,
}

const PROMPTS: &[PromptRow] = &[
    PromptRow {
        name: "redline",
        title: "Redline a document",
        about: "Change a document as asked, with tracked changes.",
        argument: ("instruction", "What to change.", true),
        text: "Read {path} with read_document. Then carry out this, and nothing else: {instruction}\n\
               Use edit_document with the smallest operations that do it, all in one call, addressed by the numbers you read.\n\
               If an operation is refused, read its reason, mend it and send only that one again, with the file that was written as \
               path.\n\
               Check what else must follow: definitions, references, the same words elsewhere (search for them).\n\
               At the end run check_document on the result and say which file holds the redline, what was changed where, and what was \
               refused.",
    },
    PromptRow {
        name: "review",
        title: "Review a document",
        about: "Find what should be changed, and say it as comments.",
        argument: ("position", "For whom, and what matters.", false),
        text: "Read {path} with read_document, all of it: follow the cursor.\n\
               Review it. {position}\n\
               For each point add a comment with edit_document (insert_comment on the words it is about): what is wrong, why, and a \
               wording that would do. Change no text.\n\
               At the end list the points by weight, each with its address.",
    },
    PromptRow {
        name: "respond_to_redline",
        title: "Answer a redline",
        about: "Decide on the other side's tracked changes.",
        argument: ("position", "What may be accepted and what may not.", false),
        text: "List the tracked changes of {path} with read_document, mode=revisions, and read the paragraphs around them with \
               view=markup.\n\
               Decide on each: accept, reject, or answer with other words. {position}\n\
               Use resolve_changes with the ids for what is accepted and rejected; write other words with edit_document into the file \
               that came of it, and a comment with the reason for what you reject.\n\
               At the end list each change with the decision and its reason.",
    },
];

/// What can be asked for.
pub(crate) fn prompts() -> Vec<Prompt> {
    let prompt = |row: &PromptRow| {
        let (name, about, required) = row.argument;
        let path = PromptArgument::new("path").with_description("The .docx file.").with_required(true);
        let other = PromptArgument::new(name).with_description(about).with_required(required);
        Prompt::new(row.name, Some(row.about), Some(vec![path, other])).with_title(row.title)
    };
    PROMPTS.iter().map(prompt).collect()
}

/// A prompt with what it was given; what is wrong otherwise.
pub(crate) fn prompt(
    name: &str,
    given: Option<&JsonObject>,
) -> Result<(&'static str, PromptMessage), String> {
    let Some(row) = PROMPTS.iter().find(|row| row.name == name) else {
        let known: Vec<&str> = PROMPTS.iter().map(|row| row.name).collect();
        return Err(format!("there is no prompt '{name}'; known are {}", known.join(", ")));
    };
    let text = |name: &str| {
        let text = given.and_then(|given| given.get(name)).and_then(Value::as_str).unwrap_or_default().trim();
        (!text.is_empty()).then_some(text)
    };
    let (argument, _, required) = row.argument;
    let path = text("path").ok_or("'path' is missing; name the .docx file")?;
    let other = match (text(argument), required) {
        (None, true) => return Err(format!("'{argument}' is missing")),
        (other, _) => other.unwrap_or_default(),
    };
    // Parts are put in once: what a person gives is not looked through for places.
    let mut out = String::new();
    let mut rest = row.text;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((place, behind)) = behind.split_once('}') else { break };
        out.push_str(before);
        out.push_str(if place == "path" { path } else { other });
        rest = behind;
    }
    out.push_str(rest);
    Ok((row.about, PromptMessage::new_text(Role::User, out)))
}
