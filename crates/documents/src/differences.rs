//! What differs between two documents, as people and agents read it.
//!
//! Must never say that a redline is proven which is not.

use std::fmt::Write as _;

use engross_docx::ops::{Proof, ProofState};
use engross_docx::{ChangeKind, ChangeSubject, DocumentChange, Limitation};

use crate::change::{Palette, printable, replaced};

/// Characters of a longest text that a list shows.
const SHOWN: usize = 160;

/// How many changes there are and whether the redline is proven, in two lines.
#[must_use]
pub fn counts(changes: &[DocumentChange], proof: Proof) -> String {
    let count = |kind: ChangeKind| changes.iter().filter(|change| change.kind == kind).count();
    let parts: Vec<String> = [
        (ChangeKind::Replacement, "replaced"),
        (ChangeKind::Insertion, "inserted"),
        (ChangeKind::Deletion, "deleted"),
        (ChangeKind::Formatting, "formatted"),
        (ChangeKind::TableInsertion, "rows or cells inserted"),
        (ChangeKind::TableDeletion, "rows or cells deleted"),
        (ChangeKind::ControlInsertion, "content controls added"),
        (ChangeKind::ControlDeletion, "content controls removed"),
    ]
    .into_iter()
    .map(|(kind, name)| (count(kind), name))
    .filter(|(count, _)| *count > 0)
    .map(|(count, name)| format!("{count} {name}"))
    .collect();
    let holds = proof.accept == ProofState::Holds && proof.reject == ProofState::Holds;
    let proven = if holds { "proven: rejecting gives the first, accepting the second" } else { "NOT proven" };
    match parts.is_empty() {
        true => "no change\n".to_owned(),
        false => format!("{}\n{proven}\n", parts.join(", ")),
    }
}

/// What changed in plain words, what matters most first.
#[must_use]
pub fn summary(changes: &[DocumentChange], proof: Proof) -> String {
    let mut text = counts(changes, proof);
    for (subject, title) in [
        (ChangeSubject::Amount, "Amounts"),
        (ChangeSubject::Date, "Dates and periods"),
        (ChangeSubject::Number, "Numbers"),
        (ChangeSubject::Term, "Parties, names and defined terms"),
        (ChangeSubject::Words, "Other words"),
        (ChangeSubject::Numbering, "Numbers of clauses, counted anew"),
        (ChangeSubject::Layout, "Layout and tables"),
    ] {
        // A move is told where its text is now.
        let leaves =
            |change: &DocumentChange| change.counterpart.is_some() && change.kind == ChangeKind::Deletion;
        let own: Vec<&DocumentChange> =
            changes.iter().filter(|change| change.subject == subject && !leaves(change)).collect();
        if own.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n{title}:");
        if subject == ChangeSubject::Numbering {
            let _ = writeln!(text, "  {}", counted_anew(&own));
            continue;
        }
        for change in own {
            let _ = writeln!(text, "  {:<6} {}", printable(&change.address), sentence(change));
        }
    }
    text.push('\n');
    text
}

/// How many numbers of clauses are told one by one.
const NUMBERS_SHOWN: usize = 8;

fn counted_anew(changes: &[&DocumentChange]) -> String {
    let number = |change: &&DocumentChange| {
        let (head, tail) = rest_of_word(change);
        let [old, new] =
            [&change.before, &change.after].map(|own| printable(format!("{head}{own}{tail}").trim()));
        match (old.is_empty(), new.is_empty()) {
            (true, _) => format!("{new} is new"),
            (_, true) => format!("{old} is gone"),
            _ => format!("{old} becomes {new}"),
        }
    };
    let mut told: Vec<String> = changes.iter().map(number).collect();
    told.dedup();
    let more = told.len().saturating_sub(NUMBERS_SHOWN);
    told.truncate(NUMBERS_SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    told.join(", ") + &more
}

/// What one change does, in words for somebody who has not seen the document.
fn sentence(change: &DocumentChange) -> String {
    let quoted = |text: &str| format!("\u{201C}{}\u{201D}", printable(&shown(text)));
    if change.is_paragraph || change.counterpart.is_some() {
        let text = quoted(if change.after.is_empty() { &change.before } else { &change.after });
        let what = match (change.kind, change.counterpart.as_deref().map(printable)) {
            (ChangeKind::Insertion, Some(from)) => format!("moved here from {from}"),
            (_, Some(to)) => format!("moved to {to}"),
            (ChangeKind::Insertion, None) => "new paragraph".to_owned(),
            (ChangeKind::Deletion, None) => "paragraph gone".to_owned(),
            _ => "paragraph replaced".to_owned(),
        };
        return if text.chars().count() > 2 { format!("{what}: {text}") } else { what };
    }
    if !matches!(change.kind, ChangeKind::Replacement | ChangeKind::Insertion | ChangeKind::Deletion) {
        return line(change, Palette::new(false));
    }
    let (head, tail) = rest_of_word(change);
    let whole = |text: &str| quoted(format!("{head}{text}{tail}").trim());
    let sides = (change.before.trim().is_empty(), change.after.trim().is_empty());
    let what = match sides {
        (false, false) if change.before.trim() == change.after.trim() => {
            format!("{} reads as before, but its field, link or look is another", whole(&change.after))
        }
        (true, true) => match (white_space(&change.before), white_space(&change.after)) {
            (None, None) => return line(change, Palette::new(false)),
            (None, Some(new)) => format!("{new} is new"),
            (Some(old), None) => format!("{old} is gone"),
            (Some(old), Some(new)) => format!("{old} becomes {new}"),
        },
        (true, false) if head.is_empty() && tail.is_empty() => format!("{} is new", whole(&change.after)),
        (false, true) if head.is_empty() && tail.is_empty() => format!("{} is gone", whole(&change.before)),
        _ => format!("{} becomes {}", whole(&change.before), whole(&change.after)),
    };
    let place = format!("{}{}{}", change.lead, shown(&change.after), change.trail);
    let place = place.split_whitespace().collect::<Vec<_>>().join(" ");
    if place == change.after.trim() || place.is_empty() {
        return what;
    }
    format!("{what}, in: {}", printable(&place))
}

/// White space by its name: two kinds of it look alike.
fn white_space(text: &str) -> Option<String> {
    let mut all = text.chars();
    let first = all.next()?;
    let name = match first {
        ' ' => "space",
        '\u{A0}' | '\u{202F}' => "no-break space",
        '\t' => "tab",
        '\n' => "line break",
        _ => "white space",
    };
    match (text.chars().count(), all.all(|c| c == first)) {
        (1, _) => Some(format!("a {name}")),
        (count, true) => Some(format!("{count} {name}s")),
        _ => Some("white space".to_owned()),
    }
}

/// What stands of a word or number before and behind the part of it that changes.
fn rest_of_word(change: &DocumentChange) -> (&str, &str) {
    let texts = [change.before.as_str(), change.after.as_str()];
    let joins = |inner: Option<char>, outer: &[char]| {
        let is_inside = |own: &char| own.is_alphanumeric() || matches!(own, '.' | ',' | ':' | '\'');
        let far = outer.iter().find(|own| !matches!(own, '.' | ',' | ':' | '\''));
        inner.is_some_and(char::is_alphanumeric)
            && outer.first().is_some_and(is_inside)
            && far.is_some_and(|far| far.is_alphanumeric())
    };
    let before: Vec<char> = change.lead.chars().rev().take_while(|own| !own.is_whitespace()).collect();
    let behind: Vec<char> = change.trail.chars().take_while(|own| !own.is_whitespace()).collect();
    let head = texts.iter().any(|text| joins(text.chars().next(), &before));
    let tail = texts.iter().any(|text| joins(text.chars().next_back(), &behind));
    let start = change.lead.len() - before.iter().map(|own| own.len_utf8()).sum::<usize>();
    let end = behind.iter().map(|own| own.len_utf8()).sum();
    (
        change.lead.get(start..).filter(|_| head).unwrap_or_default(),
        change.trail.get(..end).filter(|_| tail).unwrap_or_default(),
    )
}

/// What one change does.
#[must_use]
pub fn line(change: &DocumentChange, palette: Palette) -> String {
    let before = shown(&change.before);
    let after = shown(&change.after);
    match change.kind {
        ChangeKind::Formatting if after.trim().is_empty() => "formatting".to_owned(),
        ChangeKind::Formatting => format!("formatting: {after}"),
        ChangeKind::TableInsertion => "a row or cell is inserted".to_owned(),
        ChangeKind::TableDeletion => "a row or cell is deleted".to_owned(),
        ChangeKind::ControlInsertion => control("added", &after),
        ChangeKind::ControlDeletion => control("removed", &before),
        _ => {
            let mark = if change.is_paragraph { " ¶" } else { "" };
            let place = change.counterpart.as_deref().map(printable);
            let other = match (change.kind, place) {
                (ChangeKind::Insertion, Some(place)) => format!(" (moved from {place})"),
                (_, Some(place)) => format!(" (moved to {place})"),
                (_, None) => String::new(),
            };
            replaced(&before, &after, palette) + mark + &other
        }
    }
}

/// A content control has no text of its own: its name is told, where it has one.
fn control(what: &str, name: &str) -> String {
    match name.trim() {
        "" => format!("a content control is {what}"),
        name => format!("the content control \u{201C}{}\u{201D} is {what}", printable(name)),
    }
}

fn shown(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(SHOWN).collect::<String>())
}

/// What differs and is no tracked change.
#[must_use]
pub fn limitations(limitations: &[Limitation]) -> String {
    let mut text = String::new();
    for limitation in limitations {
        let what = if limitation.applied {
            "applied without a tracked change"
        } else {
            "not a tracked change, left"
        };
        let _ =
            writeln!(text, "note: {}: {} ({what})", limitation.address, printable(&limitation.difference));
    }
    text
}
