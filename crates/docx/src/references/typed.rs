//! References that people typed: `Clause 11.2`, `Sections 3 and 4`, `§ 5`, `Schedule 2`.
//!
//! Works on text alone. Must never take a provision of another document for one of this: what follows `of the` and is not this
//! agreement, and statutes by their abbreviation, are left out.

use std::ops::Range;

/// A typed reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypedReference {
    /// The word before the number, as it stands.
    pub(crate) word: String,
    /// The number as it stands: `11.2(b)`.
    pub(crate) number: String,
    /// Where the number stands, in bytes.
    pub(crate) range: Range<usize>,
    pub(crate) kind: Kind,
}

/// What a word before a number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A numbered provision of the main text.
    Provision,
    /// A paragraph of the same schedule.
    Paragraph,
    /// A schedule, annex or exhibit: by the place of its word in the list.
    Attachment(usize),
}

/// Words before the numbers of provisions, in lower case.
const PROVISIONS: &[&str] = &[
    "section",
    "sections",
    "clause",
    "clauses",
    "sub-clause",
    "sub-clauses",
    "subclause",
    "subclauses",
    "subsection",
    "subsections",
    "article",
    "articles",
    "§",
    "§§",
    "ziffer",
    "ziffern",
    "ziff.",
    "abschnitt",
    "abschnitte",
    "abschnitten",
    "artikel",
    "artikeln",
    "klausel",
    "klauseln",
    "cláusula",
    "cláusulas",
    "artículo",
    "artículos",
    "sección",
    "secciones",
    "articolo",
    "articoli",
    "clausola",
];
const PARAGRAPHS: &[&str] = &["paragraph", "paragraphs"];
/// Words for what is attached, each with its plural.
const ATTACHMENTS: &[&[&str]] = &[
    &["schedule", "schedules"],
    &["annex", "annexes", "annexe"],
    &["appendix", "appendices"],
    &["exhibit", "exhibits"],
    &["attachment", "attachments"],
    &["anlage", "anlagen"],
    &["anhang", "anhänge", "anhängen"],
];
/// Words that part the numbers of one reference.
const BETWEEN: &[&str] =
    &["and", "or", "to", "through", "und", "oder", "bis", "sowie", "y", "et", "e", "&", "–", "-"];

/// What a word before a number means.
pub(crate) fn kind_of(word: &str) -> Option<Kind> {
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '§').to_lowercase();
    if PROVISIONS.contains(&word.as_str()) {
        return Some(Kind::Provision);
    }
    if PARAGRAPHS.contains(&word.as_str()) {
        return Some(Kind::Paragraph);
    }
    ATTACHMENTS.iter().position(|forms| forms.contains(&word.as_str())).map(Kind::Attachment)
}

/// The references that a text holds, in order.
pub(crate) fn typed_references(text: &str) -> Vec<TypedReference> {
    let mut found = Vec::new();
    let mut words = words(text).peekable();
    while let Some((range, word)) = words.next() {
        let (kind, mut at) = match kind_of(word) {
            Some(kind) => (kind, range.end),
            // Without a space: `§5`.
            None => match word.find('§').map(|at| range.start + at + '§'.len_utf8()) {
                Some(behind) if behind < range.end => (Kind::Provision, behind),
                _ => continue,
            },
        };
        let first = found.len();
        while let Some((number, end)) = number_behind(text, at, kind) {
            let shown = text.get(number.clone()).unwrap_or_default().to_owned();
            let word = word.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '§');
            let word = if word.starts_with('§') { "§".to_owned() } else { word.to_owned() };
            found.push(TypedReference { word, number: shown, range: number, kind });
            match behind_separator(text, end) {
                Some(next) => at = next,
                None => break,
            }
        }
        if let Some(last) = found.get(first..).and_then(<[_]>::last) {
            let end = last.range.end;
            if is_foreign(text.get(end..).unwrap_or_default()) {
                found.truncate(first);
            }
            while words.next_if(|(range, _)| range.start < end).is_some() {}
        }
    }
    found
}

/// The number with which a paragraph's text begins, when it is that of a provision: `9. LAW`, `Section 4: Fees`, `SCHEDULE 1`.
pub(crate) fn typed_number(text: &str) -> Option<(Kind, String)> {
    let text = text.trim_start();
    let word = text.split_whitespace().next()?;
    let (kind, at) = match kind_of(word) {
        Some(Kind::Paragraph) => return None,
        Some(kind) => (Some(kind), word.len()),
        None if text.starts_with('§') => (Some(Kind::Provision), '§'.len_utf8()),
        None => (None, 0),
    };
    let (range, end) = number_behind(text, at, kind.unwrap_or(Kind::Provision))?;
    let number = text.get(range)?.to_owned();
    let rest = text.get(end..).unwrap_or_default();
    let ends = rest.is_empty()
        || rest.starts_with(['.', ':', '\t', '\n', '–', '—'])
        || rest.starts_with(" –")
        || rest.starts_with(" —")
        || rest.starts_with(" -");
    let is_title = || {
        !rest.trim_end().ends_with(['.', ';', ','])
            && rest.chars().count() < 80
            && rest.trim_start().starts_with(char::is_uppercase)
    };
    let is_heading = match kind {
        Some(_) => ends || is_title(),
        // A bare number may begin any sentence.
        None => {
            number.starts_with(|c: char| c.is_ascii_digit())
                && (rest.starts_with(['.', '\t']) || (number.contains('.') && rest.starts_with(' ')))
        }
    };
    is_heading.then(|| (kind.unwrap_or(Kind::Provision), number))
}

/// A number in the form in which two are compared.
pub(crate) fn key_of(number: &str) -> String {
    let number = number.rsplit(char::is_whitespace).next().unwrap_or(number);
    number.trim_end_matches(['.', ':', ')']).to_lowercase().replace(')', "").replace('(', ".")
}

fn words(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut at = 0;
    text.split(char::is_whitespace).filter_map(move |word| {
        let start = at;
        at += word.len()
            + text.get(start + word.len()..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        (!word.is_empty()).then_some((start..start + word.len(), word))
    })
}

/// The number behind white space at `at`, and where it ends.
fn number_behind(text: &str, at: usize, kind: Kind) -> Option<(Range<usize>, usize)> {
    let rest = text.get(at..)?;
    let start = at + (rest.len() - rest.trim_start_matches([' ', '\u{A0}', '\u{202F}']).len());
    let rest = text.get(start..)?;
    let first = rest.chars().next()?;
    let mut end = 0;
    if first.is_ascii_digit() {
        for (at, c) in rest.char_indices() {
            let goes_on = c.is_ascii_digit()
                || (c == '.'
                    && rest.get(at + 1..).is_some_and(|next| next.starts_with(|c: char| c.is_ascii_digit())));
            if !goes_on {
                break;
            }
            end = at + 1;
        }
        // `12A` is a number of its own.
        let letter = rest.get(end..).and_then(|rest| rest.chars().next()).filter(char::is_ascii_uppercase);
        if letter.is_some()
            && !rest.get(end + 1..).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
        {
            end += 1;
        }
    } else {
        let token = rest.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(rest.len());
        let word = rest.get(..token)?;
        let is_roman = !word.is_empty() && word.chars().all(|c| "IVXLC".contains(c));
        let is_letter = word.len() == 1 && matches!(kind, Kind::Attachment(_));
        if !(is_roman || is_letter) {
            return None;
        }
        end = token;
    }
    // Brackets: `(b)(iv)`.
    while let Some(inner) = rest.get(end..).and_then(|rest| rest.strip_prefix('(')) {
        let length = inner.find(')')?;
        let is_item =
            (1..=4).contains(&length) && inner.get(..length)?.chars().all(|c| c.is_ascii_alphanumeric());
        if !is_item {
            break;
        }
        end += length + 2;
    }
    let behind = rest.get(end..).and_then(|rest| rest.chars().next());
    // `30%`, `5th` and the like are no numbers of provisions.
    let is_whole = behind.is_none_or(|c| !(c.is_alphanumeric() || c == '%'));
    is_whole.then(|| (start..start + end, start + end))
}

/// Where a further number of the same reference may begin.
fn behind_separator(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let comma = rest.trim_start_matches([' ', '\u{A0}']).strip_prefix(',');
    let after = comma.unwrap_or(rest).trim_start_matches([' ', '\u{A0}']);
    let word = after.split(|c: char| c.is_whitespace() || c == '\u{A0}').next().unwrap_or_default();
    if BETWEEN.contains(&word.to_lowercase().as_str()) {
        return Some(text.len() - after.len() + word.len());
    }
    comma.map(|comma| text.len() - comma.len())
}

/// Whether what follows a number says that another document is meant.
fn is_foreign(rest: &str) -> bool {
    let mut words =
        rest.split(|c: char| c.is_whitespace() || c == '\u{A0}').filter(|word| !word.is_empty()).peekable();
    if !rest.starts_with([' ', '\u{A0}']) {
        return false;
    }
    // `Abs. 1 Satz 2`
    while words
        .next_if(|word| {
            matches!(*word, "Abs." | "Absatz" | "Satz" | "S." | "Nr." | "lit." | "para" | "para.")
                || word.starts_with(|c: char| c.is_ascii_digit())
        })
        .is_some()
    {}
    let bare = |word: &str| word.trim_end_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let first = words.next().map(bare).unwrap_or_default();
    let second = words.next().map(bare).unwrap_or_default();
    let third = words.next().map(bare).unwrap_or_default();
    let is_ours = |word: &str| {
        let word = word.to_lowercase();
        [
            "this",
            "these",
            "our",
            "agreement",
            "contract",
            "deed",
            "terms",
            "dieses",
            "dieser",
            "diesem",
            "vertrags",
            "vertrages",
            "vereinbarung",
            "present",
        ]
        .contains(&word.as_str())
    };
    match first.as_str() {
        "of" | "in" | "to" if second.eq_ignore_ascii_case("the") => first == "of" && !is_ours(&third),
        "of" => !is_ours(&second),
        "thereof" | "therein" => true,
        "des" | "der" => !is_ours(&second) && second.starts_with(char::is_uppercase),
        // Statutes are called by their capitals: BGB, DSGVO, GDPR, GmbHG.
        word => word.chars().filter(|c| c.is_uppercase()).count() >= 2,
    }
}
