//! What people may ask for by name: redline, review, answer a redline.

use std::fmt::Write as _;

use engross_playbook::Playbook;
use rmcp::model::{JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

struct PromptRow {
    name: &'static str,
    title: &'static str,
    about: &'static str,
    /// The name and meaning of what it takes besides the document, and whether it must be given.
    argument: (&'static str, &'static str, bool),
    /// Whether it takes a playbook, too.
    takes_playbook: bool,
    text: &'static str,
}

const PROMPTS: &[PromptRow] = &[
    PromptRow {
        name: "redline",
        title: "Redline a document",
        about: "Change a document as asked, with tracked changes.",
        argument: ("instruction", "What to change.", true),
        takes_playbook: false,
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
        takes_playbook: true,
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
        takes_playbook: false,
        text: "List the tracked changes of {path} with read_document, mode=revisions, and read the paragraphs around them with \
               view=markup.\n\
               Decide on each: accept, reject, or answer with other words. {position}\n\
               Use resolve_changes with the ids for what is accepted and rejected; write other words with edit_document into the file \
               that came of it, and a comment with the reason for what you reject.\n\
               At the end list each change with the decision and its reason.",
    },
];

/// The argument that names a playbook.
const PLAYBOOK: &str = "playbook";

/// How a playbook is answered.
const ANSWERING: &str = "\nAnswer each position of the playbook below: 'standard' (as wanted), 'fallback' (within what is accepted), \
'never' (what Never forbids; words in quotes there count wherever the clause has them), 'deviates' (none of these) or 'missing'. Each \
verdict but 'missing' needs the address of a paragraph of that clause and at least three words of it, quoted exactly; a verdict without is \
none. For 'deviates', 'never' and 'missing' you may change text after all: the fewest words that will do, and a comment with the reason, all \
in one call of edit_document. At the end list every position with verdict, address, quotation and reason.\n";

/// The file that a request names as its playbook.
pub(crate) fn playbook_of<'a>(name: &str, given: Option<&'a JsonObject>) -> Option<&'a str> {
    let takes_one = PROMPTS.iter().any(|row| row.name == name && row.takes_playbook);
    let named = given?.get(PLAYBOOK)?.as_str()?.trim();
    (takes_one && !named.is_empty()).then_some(named)
}

/// A playbook as a model reads it.
fn positions(playbook: &Playbook) -> String {
    let mut out = ANSWERING.to_owned();
    for position in &playbook.positions {
        let _ = write!(out, "\n## {}\n", position.name);
        let also = position.also.join("; ");
        let missing = if position.may_be_missing { "acceptable" } else { "" };
        for (label, text) in [
            ("Also", also.as_str()),
            ("Standard", &position.standard),
            ("Fallback", &position.fallback),
            ("Never", &position.never),
            ("Missing", missing),
        ] {
            if !text.is_empty() {
                let _ = writeln!(out, "{label}: {text}");
            }
        }
    }
    out
}

/// What can be asked for.
pub(crate) fn prompts() -> Vec<Prompt> {
    let prompt = |row: &PromptRow| {
        let (name, about, required) = row.argument;
        let path = PromptArgument::new("path").with_description("The .docx file.").with_required(true);
        let other = PromptArgument::new(name).with_description(about).with_required(required);
        let mut arguments = vec![path, other];
        if row.takes_playbook {
            let about = "A Markdown file with positions on clauses, beside the document.";
            arguments.push(PromptArgument::new(PLAYBOOK).with_description(about).with_required(false));
        }
        Prompt::new(row.name, Some(row.about), Some(arguments)).with_title(row.title)
    };
    PROMPTS.iter().map(prompt).collect()
}

/// A prompt with what it was given; what is wrong otherwise.
pub(crate) fn prompt(
    name: &str,
    given: Option<&JsonObject>,
    playbook: Option<&Playbook>,
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
    if let Some(playbook) = playbook {
        out.push_str(&positions(playbook));
    }
    Ok((row.about, PromptMessage::new_text(Role::User, out)))
}
