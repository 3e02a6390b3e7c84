//! What JavaScript asks, as values of the engine.

use engross_docx::html::HtmlOptions;
use engross_docx::read::{ReadOptions, View};
use engross_docx::revisions::{Choice, Range, RevisionKind, Side};
use engross_docx::{CompareOptions, ComparedView, Granularity};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::failure::Failure;

/// Reads a JSON text; `what` names it in the failure.
pub(crate) fn parse<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, Failure> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    serde_json::from_str(text).map_err(|error| wrong(&format!("{what}: {error}")))
}

fn wrong(message: &str) -> Failure {
    json!({"code": "INVALID_REQUEST", "message": message}).to_string()
}

/// The view of that name.
pub(crate) fn view(name: &str) -> Result<View, Failure> {
    match name {
        "accepted" | "" => Ok(View::Accepted),
        "original" => Ok(View::Original),
        "markup" => Ok(View::Markup),
        _ => Err(wrong("view: must be accepted, original or markup")),
    }
}

/// The side of that name.
pub(crate) fn side(name: &str) -> Result<Side, Failure> {
    match name {
        "accept" => Ok(Side::Accept),
        "reject" => Ok(Side::Reject),
        _ => Err(wrong("side: must be accept or reject")),
    }
}

/// What becomes of tracked changes in the view of that name; nothing where they stay.
pub(crate) fn optional_side(name: &str) -> Result<Option<Side>, Failure> {
    Ok(match view(if name.is_empty() { "markup" } else { name })? {
        View::Accepted => Some(Side::Accept),
        View::Original => Some(Side::Reject),
        _ => None,
    })
}

/// Who edits, and when.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Signature {
    pub(crate) author: String,
    pub(crate) date: String,
}

/// How to read.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ReadRequest {
    view: String,
    story: Option<String>,
    search: Option<String>,
    from: Option<String>,
    limit: Option<usize>,
    labels: Option<bool>,
}

impl ReadRequest {
    pub(crate) fn options(self) -> Result<ReadOptions, Failure> {
        let Self { view: name, story, search, from, limit, labels } = self;
        Ok(ReadOptions {
            view: view(&name)?,
            story,
            search,
            from,
            limit,
            labels: labels.unwrap_or(true),
            ..ReadOptions::default()
        })
    }
}

/// Which revisions are meant.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ChoiceRequest {
    ids: Vec<String>,
    author: Option<String>,
    kinds: Vec<String>,
    range: Option<String>,
}

impl ChoiceRequest {
    pub(crate) fn choice(self) -> Result<Choice, Failure> {
        let mut kinds = Vec::new();
        for word in &self.kinds {
            let named = RevisionKind::named(word);
            if named.is_empty() {
                return Err(wrong(&format!("kinds: '{word}' is no kind of tracked change")));
            }
            kinds.extend(named);
        }
        let range = match self.range {
            Some(text) => Some(Range::parse(&text).ok_or_else(|| wrong("range: must be as in P3-P9"))?),
            None => None,
        };
        Ok(Choice { ids: self.ids, author: self.author, kinds, range })
    }
}

/// How to show.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HtmlRequest {
    view: Option<String>,
    page: bool,
    title: String,
    prefix: String,
}

impl HtmlRequest {
    pub(crate) fn options(self) -> Result<HtmlOptions, Failure> {
        let Self { view: name, page, title, prefix } = self;
        Ok(HtmlOptions { view: view(name.as_deref().unwrap_or("markup"))?, page, title, prefix })
    }
}

/// How to compare.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CompareRequest {
    author: String,
    date: String,
    #[serde(default)]
    view: String,
    #[serde(default, rename = "keepRevisions")]
    keep_revisions: bool,
    formatting: Option<bool>,
    moves: Option<bool>,
    #[serde(default)]
    granularity: String,
}

impl CompareRequest {
    pub(crate) fn options(self) -> Result<CompareOptions, Failure> {
        let view = match self.view.as_str() {
            "accepted" | "" => ComparedView::Accepted,
            "original" => ComparedView::Original,
            "as-is" => ComparedView::AsIs,
            _ => return Err(wrong("view: must be accepted, original or as-is")),
        };
        let granularity = match self.granularity.as_str() {
            "word" | "" => Granularity::Word,
            "clause" => Granularity::Clause,
            "sentence" => Granularity::Sentence,
            _ => return Err(wrong("granularity: must be word, clause or sentence")),
        };
        let moves = self.moves.unwrap_or(true);
        Ok(CompareOptions {
            author: self.author,
            date: self.date,
            view,
            keep_revisions: self.keep_revisions,
            formatting: self.formatting.unwrap_or(true),
            moves,
            granularity,
        })
    }
}
