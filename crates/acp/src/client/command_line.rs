//! Takes a command line apart: words, quotes and backslashes, and nothing else of a shell.
//!
//! Must never expand anything: what is written is what is started.

use super::error::{AgentFault, shown};

/// The words of `command`. Blanks part them, except in single or double quotes or behind a backslash; in single quotes a
/// backslash is an ordinary character.
///
/// # Errors
/// [`AgentFault::Command`] when there is no word, or a quote is not closed.
pub(super) fn split(command: &str) -> Result<Vec<String>, AgentFault> {
    let wrong = |problem| AgentFault::Command { command: shown(command), problem };
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = command.chars();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (_, '\\') => {
                let next = characters.next().ok_or_else(|| wrong("nothing follows the backslash"))?;
                word.get_or_insert_default().push(next);
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(wrong("a quote is not closed"));
    }
    words.extend(word);
    if words.first().is_none_or(String::is_empty) {
        return Err(wrong("it names no program"));
    }
    Ok(words)
}
