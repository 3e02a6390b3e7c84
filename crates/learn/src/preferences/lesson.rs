//! The lesson in what a person made of a change: a preference that a later agent can follow.
//!
//! Must never quote more than a few words of a document.

use super::change::DeliveredChange;
use super::fate::ChangeFate;

/// The section of such lessons.
pub(super) const SECTION: &str = "wording";

/// Words and bytes of the longest quotation.
const WORDS: usize = 8;
const BYTES: usize = 90;

/// Words of the longest change whose acceptance tells more than that it was right there.
const SHORT: usize = 3;

/// What a later agent should do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreferenceLesson {
    /// As an order.
    pub content: String,
    /// What was seen.
    pub evidence: String,
}

/// The lesson of a change that met its fate; `None` where it teaches nothing.
#[must_use]
pub fn lesson_of(change: &DeliveredChange, fate: &ChangeFate) -> Option<PreferenceLesson> {
    let (old, new) = trimmed(&change.old, &change.new);
    // Marks and spaces are no matter of words.
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    if letters(&old) == letters(&new) {
        return None;
    }
    let says = |text: &str| text.chars().any(char::is_alphanumeric);
    let place = place_of(change);
    let content = match fate {
        ChangeFate::Pending | ChangeFate::Unclear => return None,
        ChangeFate::Rejected if says(&old) && says(&new) => {
            format!("Keep {}: do not change it to {}", quoted(&old)?, quoted(&new)?)
        }
        ChangeFate::Rejected if says(&old) => format!("Keep {}: do not delete it", quoted(&old)?),
        ChangeFate::Rejected if says(&new) => format!("Do not add {}{place}", quoted(&new)?),
        ChangeFate::Accepted if says(&old) && says(&new) && is_short(&old) && is_short(&new) => {
            format!("Write {} instead of {}", quoted(&new)?, quoted(&old)?)
        }
        ChangeFate::Reworded(words) if says(words) && says(&new) => {
            let (words, wrong) = trimmed(words, &new);
            format!("Write {}{place}, never {}", quoted(&words)?, quoted(&wrong)?)
        }
        ChangeFate::Reworded(words) if says(&new) && words.is_empty() => {
            format!("Leave out {}{place}", quoted(&new)?)
        }
        _ => return None,
    };
    let what = match fate {
        ChangeFate::Rejected => "was rejected",
        ChangeFate::Accepted => "was accepted",
        _ => "was reworded",
    };
    let evidence = format!("the change of '{}' to '{}' {what}", cut(&change.old), cut(&change.new));
    Some(PreferenceLesson { content, evidence })
}

fn is_short(text: &str) -> bool {
    text.split_whitespace().count() <= SHORT
}

/// Two texts without the marks that both end with.
fn trimmed(one: &str, other: &str) -> (String, String) {
    let mark = |text: &str| {
        text.chars().next_back().filter(|c| c.is_ascii_punctuation() && !matches!(c, ')' | '"' | '%'))
    };
    match (mark(one), mark(other)) {
        (Some(a), Some(b)) if a == b => {
            (one.trim_end_matches(a).to_owned(), other.trim_end_matches(b).to_owned())
        }
        _ => (one.to_owned(), other.to_owned()),
    }
}

/// A short text in quotation marks; `None` for a long one, and for one that has marks itself.
fn quoted(text: &str) -> Option<String> {
    let is_plain = !text.contains(['"', '`', '\n']);
    let is_short = text.split_whitespace().count() <= WORDS && text.len() <= BYTES;
    (is_plain && is_short && !text.is_empty()).then(|| format!("\"{text}\""))
}

/// Where it was, by the words before it.
fn place_of(change: &DeliveredChange) -> String {
    let words: Vec<&str> = change.before.split_whitespace().collect();
    let last = words.get(words.len().saturating_sub(2)..).unwrap_or_default().join(" ");
    quoted(last.trim_matches(|c: char| c.is_ascii_punctuation()))
        .map_or_else(String::new, |words| format!(" after {words}"))
}

fn cut(text: &str) -> String {
    text.chars().take(BYTES).collect()
}
