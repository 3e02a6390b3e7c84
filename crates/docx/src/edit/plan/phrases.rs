//! The text of a paragraph or a phrase as it shall be.

use std::borrow::Cow;
use std::ops::Range;

use crate::edit::choice::{barrier_of, choose};
use crate::edit::content::{Syntax, read_content};
use crate::edit::hunks::hunks;
use crate::edit::links::heed_links;
use crate::edit::phrase::{Hit, find_hits};
use crate::edit::plan::step::{Plan, Step, TextChange};
use crate::edit::run_formats::{phrases, unheeded_marks};
use crate::edit::snapshot::StorySnapshot;
use crate::edit::touched::TouchedRange;
use crate::error::{Refusal, RefusalCode};
use crate::model::OBJECT;
use crate::ops::Search;
use crate::read::without_object_labels;
use crate::text::markdown::escape;
use crate::text::{Finder, StyledText, Template, adapt, literal};

/// The hits of a pattern in one paragraph, and what takes the place of each.
type Expansions = (usize, Vec<(Range<usize>, String)>);

pub(super) fn modify_text(
    snapshot: &mut StorySnapshot<'_>,
    place: Option<usize>,
    (search, replacement): (&Search, &str),
    syntax: Syntax,
) -> Result<Plan, Refusal> {
    let finder = finder_of(search)?;
    let hits = find_hits(snapshot, place, &finder)?;
    let replacement = without_object_labels(&replacement.replace("\r\n", "\n"));
    let template = Template::parse(&replacement, &finder).map_err(invalid)?;
    let is_words = finder.phrase().is_some();
    let mut expansions: Option<Expansions> = None;
    let found = choose(snapshot, hits, (search, &finder), |snapshot, hit| {
        let own = if is_words {
            replacement.clone()
        } else {
            if expansions.as_ref().is_none_or(|(index, _)| *index != hit.first) {
                let escape = if syntax == Syntax::Markdown { escape } else { str::to_owned };
                let all = finder.replacements(snapshot.text(hit.first), &template, escape);
                expansions = Some((hit.first, all));
            }
            let all = expansions.iter().flat_map(|(_, all)| all);
            all.filter(|(range, _)| *range == hit.range)
                .map(|(_, text)| text.clone())
                .next()
                .unwrap_or_default()
        };
        let steps = replace(snapshot, hit, (&finder, &own), syntax)?;
        let changed = steps.iter().flat_map(|step| match step {
            Step::Text(change) => {
                let hunks = change.hunks.iter();
                hunks.map(|hunk| (hunk.range.clone(), !hunk.new.text.is_empty())).collect()
            }
            _ => Vec::new(),
        });
        let barrier = barrier_of(snapshot, (search, hit), changed);
        Ok((steps, barrier))
    })?;
    // Formatting goes behind all text, as it means places of before.
    let mut steps = Vec::with_capacity(found.chosen.iter().map(Vec::len).sum());
    let mut formats = Vec::new();
    for step in found.chosen.into_iter().flatten() {
        let is_text = matches!(step, Step::Text(_));
        if is_text { &mut steps } else { &mut formats }.push(step);
    }
    steps.extend(formats);
    Ok(Plan { steps, remark: remarks(found.folded, found.left), found: None })
}

/// The steps that replace one hit.
fn replace(
    snapshot: &mut StorySnapshot<'_>,
    hit: &Hit,
    (finder, replacement): (&Finder, &str),
    syntax: Syntax,
) -> Result<Vec<Step>, Refusal> {
    let joined = snapshot.joined(hit.first, hit.last);
    let found = joined.get(hit.range.clone()).unwrap_or_default().to_owned();
    // Across paragraphs, a single line end in the request stands for the border, as it does in the search.
    let crosses = hit.first != hit.last;
    let replacement = if crosses {
        replacement.replace("\n\n", "\n").replace('\n', "\n\n")
    } else {
        replacement.to_owned()
    };
    let adapted = match finder.phrase().filter(|_| !hit.exact) {
        Some(original) => adapt(&visible(&found), original, &replacement),
        None => replacement,
    };
    let new = read_content(&adapted, syntax)?;
    let hunks = hunks(&found, &new, hit.range.start);
    let hunks = match crosses {
        true => hunks,
        false => heed_links(snapshot, hit.first, hit.range.start, &new, phrases(snapshot, hit.first, hunks)),
    };
    let formats = unheeded_marks(snapshot, (hit.first, hit.last), hit.range.start, &new, &hunks);
    let range = TouchedRange::Text(hit.range.clone());
    let change = Step::Text(TextChange { first: hit.first, last: hit.last, hunks, range });
    Ok(std::iter::once(change).chain(formats).collect())
}

/// What finds what an operation looks for; labels of objects mean nothing in words.
pub(super) fn finder_of(search: &Search) -> Result<Finder, Refusal> {
    search.finder(|words| without_object_labels(&words.replace("\r\n", "\n"))).map_err(invalid)
}

fn invalid(message: String) -> Refusal {
    Refusal::new(RefusalCode::InvalidOperation, message)
}

/// What people should know of how words were found.
pub(super) fn remarks(folded: bool, left: Option<String>) -> Option<String> {
    let said: Vec<String> = folded.then(|| FOLDED.to_owned()).into_iter().chain(left).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

/// What is said when words were found in another typography.
pub(super) const FOLDED: &str = "matched after treating quotes, dashes, spaces and ellipses alike; the document's own characters were kept";

/// The steps that give a paragraph the text `content`; what stays the same stays untouched.
pub(super) fn styled_text(snapshot: &mut StorySnapshot<'_>, index: usize, content: &StyledText) -> Vec<Step> {
    let content = &behind_note_mark(snapshot, index, content);
    let words = hunks(snapshot.text(index), content, 0);
    let hunks = heed_links(snapshot, index, 0, content, phrases(snapshot, index, words));
    let formats = unheeded_marks(snapshot, (index, index), 0, content, &hunks);
    let change = TextChange { first: index, last: index, hunks, range: TouchedRange::Whole };
    std::iter::once(Step::Text(change)).chain(formats).collect()
}

/// New text of a note with the space that parts it from the note's mark.
fn behind_note_mark<'c>(
    snapshot: &mut StorySnapshot<'_>,
    index: usize,
    content: &'c StyledText,
) -> Cow<'c, StyledText> {
    let is_note =
        index == 0 && ["footnote:", "endnote:"].iter().any(|kind| snapshot.prefix.starts_with(kind));
    let space = snapshot.text(index).chars().next().filter(|first| is_note && first.is_whitespace());
    match space {
        Some(space) if !content.text.is_empty() && !content.text.starts_with(char::is_whitespace) => {
            let mut whole = literal(&space.to_string());
            whole.append(content.clone());
            Cow::Owned(whole)
        }
        _ => Cow::Borrowed(content),
    }
}

/// A text without the marks of its objects.
pub(super) fn visible(text: &str) -> String {
    text.chars().filter(|c| *c != OBJECT).collect()
}
