//! `read_document`: as much of a document as fits, and where the rest begins.

use engross_documents::{Error, listing};
use engross_docx::WordDocument;
use engross_docx::read::{ReadOptions, Reading, View, notation};
use engross_docx::revisions::Comment;
use engross_protocol::Failure;

use crate::answer::Answer;
use crate::arguments::CallArguments;
use crate::budget::Budget;
use crate::documents::McpDocuments;
use crate::folders::Place;

use super::{Caller, review};

/// What part of the room an outline may take before the text.
const OUTLINE_PART: usize = 4;

/// As much as stands around a paragraph that is cut.
const ROOM_FOR_REMARK: &str = "[P1|ListNumber|L:0|M:1.1|tbl:1] … [100000 more characters; raise max_tokens, or search in them]\n… 100 paragraphs in all; \
     read on from P2, and so on with what a line has besides\n";

/// The tracked changes, for the page that shows them.
pub(super) fn changes(
    documents: &McpDocuments,
    arguments: &CallArguments,
    caller: &Caller<'_>,
) -> Result<Answer, Failure> {
    list(documents, arguments, Some("revisions"), caller)
}

pub(super) fn run(
    documents: &McpDocuments,
    arguments: &CallArguments,
    caller: &Caller<'_>,
) -> Result<Answer, Failure> {
    list(documents, arguments, arguments.text("mode"), caller)
}

fn list(
    documents: &McpDocuments,
    arguments: &CallArguments,
    mode: Option<&str>,
    caller: &Caller<'_>,
) -> Result<Answer, Failure> {
    let path = arguments.required("path");
    let budget = Budget::of_tokens(arguments.count("max_tokens"));
    // Clients of agents that read no disk have no other way to learn what there is.
    if let Some(list) = documents.folders.listing(path) {
        return Ok(Answer::of(budget.cut(&list, "name a folder in it to see those")));
    }
    let (place, opened) = documents.open(path)?;
    let document = opened.document;
    let of = |error| Failure::from(Error::document(place.shown(), error));
    let list = match mode {
        None | Some("text") => {
            let options = ReadOptions {
                view: match arguments.text("view") {
                    Some("original") => View::Original,
                    Some("markup") => View::Markup,
                    _ => View::Accepted,
                },
                story: arguments.text("story").map(str::to_owned),
                search: arguments.text("search").map(str::to_owned),
                from: arguments.text("from").map(address),
                limit: arguments.count("limit"),
                ..ReadOptions::default()
            };
            let lessons = documents.workspace(&place)?.lessons([&place.path]);
            let lessons = if lessons.is_empty() {
                lessons
            } else {
                format!("Learned from people's decisions:\n{lessons}\n\n")
            };
            let text = reading(&place, &document, &options, budget.without(&lessons))?;
            return Ok(Answer::of(lessons + &text));
        }
        Some("outline") => listing::outline(&document.outline().map_err(of)?),
        Some("comments") => listing::comments(&document.comments().map_err(of)?),
        Some("revisions") => listing::revisions(&document.revisions().map_err(of)?),
        Some("controls") => listing::controls(&document.controls().map_err(of)?),
        Some("styles") => listing::styles(&document.styles().map_err(of)?),
        Some(_) => listing::properties(&document.properties().map_err(of)?),
    };
    let head = head(&place, &document);
    let list = if list.is_empty() { "There are none.\n".to_owned() } else { list };
    let list =
        budget.without(&head).cut(&list, "raise max_tokens, or look at the text with 'search' and 'from'");
    let review = (mode == Some("revisions")).then(|| review(documents, &document, &place, caller)).flatten();
    Ok(Answer { review, ..Answer::of(head + &list) })
}

/// `p40` as addresses are written.
fn address(text: &str) -> String {
    let is_number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    match text.trim().strip_prefix('p').filter(|rest| is_number(rest)) {
        Some(number) => format!("P{number}"),
        None => text.to_owned(),
    }
}

/// The text of a document, as much as fits.
pub(crate) fn reading(
    place: &Place,
    document: &WordDocument,
    options: &ReadOptions,
    budget: Budget,
) -> Result<String, Failure> {
    let of = |error| Failure::from(Error::document(place.shown(), error));
    // A text shows none.
    let options = ReadOptions { fingerprints: false, ..options.clone() };
    let whole = document.read(&options).map_err(of)?;
    let comments: Vec<Comment> =
        document.comments().map_err(of)?.into_iter().map(|placed| placed.comment).collect();
    let mut out = head(place, document);
    let is_plain =
        options == ReadOptions { view: options.view, fingerprints: false, ..ReadOptions::default() };
    let text = notation(&whole, &comments);
    if budget.without(&out).holds(&text) {
        if whole.paragraphs.is_empty() {
            out.push_str("No paragraph fits.\n");
        }
        return Ok(out + &text);
    }
    if is_plain {
        let outline = listing::outline(&document.outline().map_err(of)?);
        if !outline.is_empty() {
            let outline = budget.part(OUTLINE_PART).cut(&outline, "mode=outline lists them");
            out.push_str(&format!("Outline:\n{outline}\n"));
        }
    }
    let room = budget.without(&out);
    Ok(out + &fitting(&whole, &comments, room))
}

/// `nda.docx, 42 paragraphs, revision 5f3a…`
fn head(place: &Place, document: &WordDocument) -> String {
    format!(
        "{}, {} paragraphs, revision {}\n",
        place.shown(),
        document.paragraph_count(),
        document.revision()
    )
}

/// The paragraphs from the first on that fit with their comments, and where the rest begins; at least one, cut if it must be.
fn fitting(whole: &Reading, comments: &[Comment], room: Budget) -> String {
    let first = |count: usize| {
        let mut part = whole.clone();
        let next = part.paragraphs.get(count).map(|paragraph| paragraph.address.clone());
        part.paragraphs.truncate(count);
        part.cursor = next.or(part.cursor);
        part
    };
    let (mut fits, mut does_not) = (0, whole.paragraphs.len() + 1);
    while fits + 1 < does_not {
        let middle = fits.midpoint(does_not);
        if room.holds(&notation(&first(middle), comments)) {
            fits = middle;
        } else {
            does_not = middle;
        }
    }
    if fits > 0 {
        return notation(&first(fits), comments);
    }
    let mut one = first(1);
    if let Some(paragraph) = one.paragraphs.first_mut() {
        let kept = room.without(ROOM_FOR_REMARK).fitting_bytes(&paragraph.text);
        let left = paragraph.text.get(kept..).unwrap_or_default().chars().count();
        paragraph.text.truncate(kept);
        paragraph.text.push_str(&format!("… [{left} more characters; raise max_tokens, or search in them]"));
    }
    // Comments that do not fit beside it are listed by mode=comments.
    notation(&one, &[])
}
