//! Lessons from persons: what they want for good, in their words and without their chatter.
//!
//! Must never make a rule of what was said about one thing only: *cancel that*, *I meant the other one*.

use std::sync::LazyLock;

use regex::Regex;

use super::DrawnLesson;
use crate::safety::neutral;
use crate::skillbook::{Witness, topic};
use crate::trace::{Correction, PersonWords};

/// Characters of the longest wish that becomes a lesson.
const LONGEST: usize = 240;

/// So many words that say something a wish needs.
const LEAST: usize = 2;

/// Words that say that something holds from now on.
static STANDING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)\b(always|never|from\ now\ on|in\ (the\ )?future|going\ forward|every\ time|each\ time|whenever|by\ default|
            as\ a\ rule|make\ it\ a\ (rule|habit)|next\ time|remember\ (to|that)|don'?t\ ever|must\ (always|never)|
            immer|nie(mals)?|ab\ jetzt|k(ü|ue)nftig|in\ zukunft|toujours|jamais|d(é|e)sormais|dor(é|e)navant|
            siempre|nunca|jam(á|a)s|sempre|mai|altijd|nooit)\b",
    )
    .ok()
});

/// What stands in front of a wish and says nothing.
static CHATTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:no+|nope|nein|non|wrong|stop|actually|again|hm+|hey|ok(?:ay)?|thanks?|thank\ you|well|sorry|careful|
            please|bitte|great|good|right|yes|but|and|so|oh|too\ slow(?:\ again)?|that(?:'s|\ is)\ (?:wrong|not\ right)|
            not\ like\ (?:that|this)|as\ i\ said|like\ i\ said|(?:as|like|same\ as)\ before|i\ (?:already\ )?(?:said|told\ you|asked\ you)(?:\ before)?|
            i\ want\ you\ to|i\ would\ like\ you\ to|you\ (?:should|must|have\ to|need\ to)|
            remember\ (?:to|that)|from\ now\ on|in\ (?:the\ )?future|going\ forward|next\ time|make\ it\ a\ rule\ to)
            (?:[\s,.!:;\u{2013}\u{2014}-]+|$)",
    )
    .ok()
});

/// Words that point at what was just there.
static POINTING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(that|this|it|those|these|the other one|the last one|the same one)\b").ok()
});

/// Words about what was or is, not about what shall be: *never mind*, *I never said that*, *always the same*.
static TELLING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)^(?:always|never)\ (?:the|a|an|this|that|these|same|mind|been|was|is)\b
            |^(?:i|he|she|they|it|you)(?:'ve|'d)?\ (?:have\ |had\ )?(?:always|never)\ (?:said|meant|asked|told|wanted|did|do|saw|had|was|worked|work)",
    )
    .ok()
});

/// Words of a wish without a word for always: *use X*, *X instead of Y*.
static WISH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^(use|write|put|run|call|name|keep|add|quote|read|send|format|sort|don'?t|do not|avoid|prefer)\b|^we (use|write|call|name|keep|run)\b|\b(instead of|rather than)\b|,\s*not\b")
        .ok()
});

pub(super) fn lessons(said: &[PersonWords], corrections: &[Correction]) -> Vec<DrawnLesson> {
    let mut lessons: Vec<DrawnLesson> = Vec::new();
    for words in said {
        let is_correction = corrections.iter().any(|correction| correction.line == words.line);
        let text = words.text.whole();
        for (content, is_standing) in wishes(&text, is_correction) {
            if lessons.iter().any(|known| known.content == content) {
                continue;
            }
            let reason = match is_standing {
                true => "A person said that it holds for good.",
                false => "A person set the agent right with these words.",
            };
            lessons.push(DrawnLesson {
                section: "user_preferences".to_owned(),
                content,
                justification: reason.to_owned(),
                evidence: format!("line {}: {}", words.line, cut(&neutral(&text))),
                issue: String::new(),
                keywords: Vec::new(),
                line: words.line,
                by: Witness::Person,
            });
        }
    }
    lessons
}

/// The sentences that hold for good, or, of a correction, say what is wanted; each with whether it says *always*.
fn wishes(text: &str, is_correction: bool) -> Vec<(String, bool)> {
    let is =
        |pattern: &Option<Regex>, text: &str| pattern.as_ref().is_some_and(|pattern| pattern.is_match(text));
    let text = neutral(text);
    let mut wishes = Vec::new();
    for sentence in sentences(&text) {
        let is_standing = is(&STANDING, sentence);
        let wish = without_chatter(sentence);
        let is_wanted = is_standing || is_correction && is(&WISH, wish) && !is(&POINTING, wish);
        let is_lesson = !is(&TELLING, wish)
            && (12..=LONGEST).contains(&wish.chars().count())
            && !wish.ends_with('?')
            && topic(wish).len() >= LEAST;
        if is_wanted && is_lesson {
            wishes.push((as_sentence(wish), is_standing));
        }
    }
    wishes
}

/// The sentences of a text. A dot inside a word ends none.
fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut begin = 0;
    for (at, char) in text.char_indices() {
        let end = at + char.len_utf8();
        let follows = text.get(end..).unwrap_or_default();
        let is_end =
            matches!(char, '.' | '!' | '?' | ';') && (follows.is_empty() || follows.starts_with(' '));
        if is_end {
            sentences.push(text.get(begin..end).unwrap_or_default().trim());
            begin = end;
        }
    }
    sentences.push(text.get(begin..).unwrap_or_default().trim());
    sentences
}

fn without_chatter(sentence: &str) -> &str {
    let mut rest = sentence.trim();
    while let Some(found) =
        CHATTER.as_ref().and_then(|chatter| chatter.find(rest)).filter(|found| found.end() > 0)
    {
        rest = rest.get(found.end()..).unwrap_or_default();
    }
    let rest = rest.trim_end_matches(['.', '!', ' ']);
    ["please", "thanks", "bitte"]
        .iter()
        .find_map(|word| rest.strip_suffix(word))
        .map_or(rest, |rest| rest.trim_end_matches([',', ' ']))
}

fn as_sentence(wish: &str) -> String {
    let mut chars = wish.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn cut(text: &str) -> String {
    text.chars().take(LONGEST).collect::<String>().trim_end().to_owned()
}
