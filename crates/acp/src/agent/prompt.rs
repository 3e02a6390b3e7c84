//! What the person wrote: a message, with the files that are named in it, or a command.
//!
//! Must never read a file: what the editor embeds is text already, and documents are read by tools.

use agent_client_protocol_schema::v1::{ContentBlock, EmbeddedResourceResource, Error as RpcError};

use super::codes;
use super::folder::SessionFolder;
use super::mentioned::MentionedFile;
use super::refusal;

/// The most bytes of a message with all that is embedded in it.
const BYTES: usize = 1 << 20;

/// The line between what is embedded and what the person wrote.
const INSTRUCTION: &str = "Instruction:";

/// What the model is told with `/redline`.
const REDLINE: &str = "Carry out what the person asks, and nothing else, as tracked changes with apply_redlines: the smallest \
operations that do it, all in one call. If an operation is refused, read its reason, mend it and send only that one again. Check what \
else must follow: definitions, references, the same words elsewhere. At the end say what was changed where, and what was refused.";

/// What the model is told with `/review`.
const REVIEW: &str = "Review the document. Read all of it first. For each point add a comment with apply_redlines (insert_comment on \
the words it is about): what is wrong, why, and a wording that would do. Change no text. At the end list the points by weight, each with \
its address.";

/// A prompt, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Prompt {
    /// For the model.
    Message {
        /// What the person wrote, with what is embedded before it.
        text: String,
        /// Standing instructions of this message alone.
        system: Option<&'static str>,
    },
    /// `/compare BEFORE AFTER`
    Compare(Vec<String>),
    /// `/accept FILE`
    Accept(Vec<String>),
    /// A command that lacks something; what to write instead.
    Incomplete(&'static str),
}

/// A prompt, and the files that it names.
#[derive(Debug)]
pub(super) struct PersonPrompt {
    /// What the person wants.
    pub(super) prompt: Prompt,
    /// Files that are linked, sent as bytes, or named in the text.
    pub(super) files: Vec<MentionedFile>,
}

/// Understands a prompt.
///
/// # Errors
/// `EDITOR_PROMPT_INVALID`: it is empty, too long, or holds what cannot be read.
pub(super) fn read(blocks: &[ContentBlock], folder: &SessionFolder) -> Result<PersonPrompt, RpcError> {
    let (mut text, mut embedded) = (String::new(), String::new());
    let mut files = Vec::new();
    for block in blocks {
        match block {
            ContentBlock::Text(block) => {
                files.extend(MentionedFile::in_text(&block.text, folder));
                add(&mut text, &block.text);
            }
            ContentBlock::ResourceLink(link) => {
                files.push(MentionedFile::linked(&link.uri, folder));
                add(&mut text, &name_of(&link.uri, folder));
            }
            ContentBlock::Resource(resource) => match &resource.resource {
                EmbeddedResourceResource::TextResourceContents(content) => {
                    let name = name_of(&content.uri, folder);
                    embedded.push_str(&format!("Content of {name}:\n\n{}\n\n", content.text));
                }
                EmbeddedResourceResource::BlobResourceContents(content) => {
                    files.push(MentionedFile::linked(&content.uri, folder));
                    add(&mut text, &name_of(&content.uri, folder));
                }
                _ => return Err(unreadable("a resource of an unknown kind")),
            },
            ContentBlock::Image(_) => return Err(unreadable("an image")),
            ContentBlock::Audio(_) => return Err(unreadable("a recording")),
            _ => return Err(unreadable("content of an unknown kind")),
        }
        if text.len() + embedded.len() > BYTES {
            let message = "the prompt is longer than 1 MiB; name files instead of embedding them";
            return Err(refusal::of_code(codes::EDITOR_PROMPT_INVALID, message));
        }
    }
    let text = text.trim();
    if text.is_empty() {
        let message = "the prompt has no text; write what is to be done";
        return Err(refusal::of_code(codes::EDITOR_PROMPT_INVALID, message));
    }
    Ok(PersonPrompt { prompt: understand(text, &embedded), files })
}

/// Adds a block to the text, apart from the word before it.
fn add(text: &mut String, block: &str) {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '"' | '/' | '.');
    if text.ends_with(is_word) && block.starts_with(is_word) {
        text.push(' ');
    }
    text.push_str(block);
}

/// What the person wrote of a message with embedded files before it.
pub(super) fn words_of_person(message: &str) -> &str {
    let embeds = message.starts_with("Content of ");
    let words = message.rsplit_once(&format!("\n{INSTRUCTION}\n")).filter(|_| embeds);
    words.map_or(message, |(_, words)| words)
}

fn understand(text: &str, embedded: &str) -> Prompt {
    let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let message = |text: &str, system| {
        let text =
            if embedded.is_empty() { text.to_owned() } else { format!("{embedded}{INSTRUCTION}\n{text}") };
        Prompt::Message { text, system }
    };
    match name {
        "/redline" if rest.is_empty() => Prompt::Incomplete("Say what to change: /redline INSTRUCTION"),
        "/redline" => message(rest, Some(REDLINE)),
        "/review" if rest.is_empty() => message("Review the document.", Some(REVIEW)),
        "/review" => message(&format!("Review the document. {rest}"), Some(REVIEW)),
        "/compare" => match words(rest) {
            files if files.len() == 2 => Prompt::Compare(files),
            _ => Prompt::Incomplete("Name two documents: /compare BEFORE.docx AFTER.docx"),
        },
        "/accept" => match words(rest) {
            files if files.len() <= 1 => Prompt::Accept(files),
            _ => Prompt::Incomplete(
                "Name one document: /accept FILE.docx (in quotes if there are blanks in it)",
            ),
        },
        _ => message(text, None),
    }
}

/// What a file is called in a message: its path beneath the folder, or all of its address.
fn name_of(uri: &str, folder: &SessionFolder) -> String {
    let name = folder.file(uri).map_or_else(|_| uri.to_owned(), |path| path.as_str().to_owned());
    if name.contains(char::is_whitespace) { format!("\"{name}\"") } else { name }
}

/// The words of an argument; what stands in quotes is one.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (word, behind) = match first {
            '"' | '\'' => {
                let inner = rest.get(first.len_utf8()..).unwrap_or_default();
                inner.split_once(first).unwrap_or((inner, ""))
            }
            _ => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        if !word.is_empty() {
            words.push(word.to_owned());
        }
        rest = behind.trim_start();
    }
    words
}

fn unreadable(what: &str) -> RpcError {
    let message = format!("the prompt holds {what}, which this agent cannot read; send text and files");
    refusal::of_code(codes::EDITOR_PROMPT_INVALID, message)
}
