//! In which stories an operation looks for something. One on several stories is parted into one for each, and their outcomes
//! are made one again.
//!
//! Must never leave a part of an operation in the document when another part of it was refused: the batch is run again without.

use std::collections::BTreeSet;

use engross_xml::{Document, NodeId};

use super::WordDocument;
use crate::edit::content::PARAGRAPH_BREAK;
use crate::error::{Error, Refusal, RefusalCode};
use crate::model::{Paragraph, View, fields_at_start, paragraphs};
use crate::ops::{
    Change, Edit, Needle, Occurrence, Operation, OperationOutcome, Outcome, Search, SearchScope,
};
use crate::read::{StoryPart, excerpt, story_root};
use crate::text::{Finder, TextIndex};

/// How many places elsewhere are named.
const PLACES: usize = 8;

/// An operation on one of the stories that it means; the body without a story.
pub(super) type StoryOperation = (Option<StoryPart>, Operation);

/// What the stories besides the body say.
pub(super) struct OtherTexts {
    /// Name of the story, number of the paragraph, text.
    texts: Vec<(String, usize, String)>,
    index: TextIndex,
}

impl OtherTexts {
    /// Where a search that means the body would find something, too.
    fn places(&self, finder: &Finder) -> Vec<String> {
        let candidates = match finder.phrase() {
            Some(phrase) => self.index.candidates(phrase),
            None => (0..self.texts.len()).collect(),
        };
        let holds = |index: &usize| self.texts.get(*index).filter(|(.., text)| !finder.find(text).is_empty());
        candidates.iter().filter_map(holds).map(|(story, number, _)| format!("{story}/P{number}")).collect()
    }

    /// Says where it stands besides, if it does.
    pub(super) fn told(&self, search: &Search) -> Option<String> {
        let places = self.places(&finder_of(search)?);
        let more = places.len().saturating_sub(PLACES);
        let named = places.get(..places.len() - more)?.join(", ");
        let more = if more > 0 { format!(" and {more} more places") } else { String::new() };
        (!named.is_empty()).then(|| {
            format!("it also stands in {named}{more}; with \"scope\": \"everywhere\" these are meant, too")
        })
    }
}

fn finder_of(search: &Search) -> Option<Finder> {
    search.finder(crate::read::without_object_labels).ok()
}

impl WordDocument {
    /// The texts of all stories but the body and comments.
    pub(super) fn other_texts(&self, stories: &[StoryPart]) -> Result<OtherTexts, Error> {
        let mut texts = Vec::new();
        let all = SearchScope::Everywhere;
        for story in chosen(stories, &all).into_iter().flat_map(|(stories, _)| stories) {
            let own = self.texts_of(Some(&story))?.into_iter();
            texts.extend(own.zip(1..).map(|(text, number)| (story.name.clone(), number, text)));
        }
        let index = TextIndex::of(texts.iter().map(|(.., text)| text.as_str()));
        Ok(OtherTexts { texts, index })
    }

    fn texts_of(&self, story: Option<&StoryPart>) -> Result<Vec<String>, Error> {
        let texts = |document: &Document, root: NodeId| {
            let nodes = paragraphs(document, root);
            let fields = fields_at_start(document, &nodes);
            let text =
                |node: &NodeId| Paragraph::read(document, *node, View::Accepted, fields.get(node)).text;
            nodes.iter().map(text).collect::<Vec<_>>()
        };
        let Some(story) = story else { return Ok(texts(&self.tree, self.body)) };
        if story.part == self.main_name {
            return Ok(story_root(&self.tree, story).map_or_else(Vec::new, |root| texts(&self.tree, root)));
        }
        let document = self.story_tree(&story.part)?;
        Ok(story_root(&document, story).map_or_else(Vec::new, |root| texts(&document, root)))
    }

    /// An operation that names its stories, as one for each of them.
    pub(super) fn parted(
        &self,
        operation: &Operation,
        search: &Search,
        stories: &[StoryPart],
    ) -> Result<Result<Vec<StoryOperation>, Refusal>, Error> {
        let (mut chosen, has_body) = match chosen(stories, &search.scope) {
            Ok(chosen) => chosen,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if matches!(operation.edit, Edit::InsertComment { .. }) {
            // Word has comments only in the body and its notes.
            chosen.retain(|story| matches!(story.kind(), "footnote" | "endnote"));
        }
        let body = has_body.then_some(None);
        let all: Vec<Option<StoryPart>> = body.into_iter().chain(chosen.into_iter().map(Some)).collect();
        let part = |story: Option<StoryPart>, occurrence| {
            let mut own = operation.clone();
            if let Some((search, _)) = own.edit.search_mut() {
                search.scope = SearchScope::Unsaid;
                search.occurrence = occurrence;
            }
            (story, own)
        };
        if search.occurrence == Some(Occurrence::All) {
            let parts = all.into_iter().map(|story| part(story, Some(Occurrence::All)));
            return Ok(Ok(parts.collect()));
        }
        let Some(finder) = finder_of(search) else { return Ok(Ok(Vec::new())) };
        let mut counts = Vec::with_capacity(all.len());
        for story in &all {
            counts.push(count(&self.texts_of(story.as_ref())?, &finder));
        }
        let total: usize = counts.iter().sum();
        let mut having = all.iter().zip(&counts).filter(|(_, count)| **count > 0);
        let (story, occurrence) = match (search.occurrence, having.clone().count()) {
            // The first story says what is near.
            (_, 0) => (all.first().cloned().flatten(), search.occurrence),
            (Some(Occurrence::Nth(number)), _) => {
                let mut before = 0;
                let holder = having.find(|(_, count)| {
                    let holds = number <= before + **count;
                    before += if holds { 0 } else { **count };
                    holds
                });
                let Some((story, _)) = holder else {
                    let message = format!(
                        "'{}' occurs {total} times, so there is no occurrence {number}",
                        excerpt(finder.shown())
                    );
                    return Ok(Err(Refusal::new(RefusalCode::TextNotFound, message)));
                };
                (story.clone(), Some(Occurrence::Nth(number - before)))
            }
            (Some(Occurrence::Last), _) => {
                (having.next_back().and_then(|(story, _)| story.clone()), search.occurrence)
            }
            (None, 1) => (having.next().and_then(|(story, _)| story.clone()), None),
            _ => {
                let named: Vec<String> = having
                    .take(PLACES)
                    .map(|(story, count)| {
                        format!("{count} in {}", story.as_ref().map_or("the body", |story| &story.name))
                    })
                    .collect();
                let message = format!(
                    "'{}' occurs {total} times: {}; say which by 'occurrence' (a number, \"last\" or \"all\") or by 'scope'",
                    excerpt(finder.shown()),
                    named.join(", ")
                );
                return Ok(Err(Refusal::new(RefusalCode::AmbiguousTarget, message)));
            }
        };
        Ok(Ok(vec![part(story, occurrence)]))
    }
}

/// The stories of a scope, each once, and whether the body is among them.
fn chosen(stories: &[StoryPart], scope: &SearchScope) -> Result<(Vec<StoryPart>, bool), Refusal> {
    let mut known: BTreeSet<(String, String)> = BTreeSet::new();
    let mut once = |story: &&StoryPart| known.insert((story.part.clone(), story.key.clone()));
    let names = match scope {
        SearchScope::Stories(names) => names,
        SearchScope::Everywhere => {
            let own = stories.iter().filter(|story| story.kind() != "comment");
            return Ok((own.filter(|story| once(story)).cloned().collect(), true));
        }
        SearchScope::Unsaid => return Ok((Vec::new(), true)),
    };
    let mut found: Vec<StoryPart> = Vec::new();
    let mut has_body = false;
    for name in names {
        if name == "body" {
            has_body = true;
            continue;
        }
        let is_kind = KINDS.contains(&name.as_str());
        let fits = |story: &&StoryPart| {
            let kind = story.kind();
            story.name == *name
                || !story.name.contains('/') && story.name.split('@').next() == Some(name)
                || is_kind && name.strip_prefix(kind).is_some_and(|rest| matches!(rest, "s" | "es"))
        };
        let mut own = stories.iter().filter(fits).peekable();
        if own.peek().is_none() && !is_kind {
            let mut names: Vec<&str> = stories.iter().map(|story| story.name.as_str()).collect();
            names.truncate(20);
            let message = format!(
                "there is no story '{}' in this document; it has body{}{}; or name a kind: {}",
                excerpt(name),
                if names.is_empty() { "" } else { ", " },
                names.join(", "),
                KINDS.join(", ")
            );
            return Err(Refusal::new(RefusalCode::TargetNotFound, message));
        }
        found.extend(own.filter(|story| once(story)).cloned());
    }
    Ok((found, has_body))
}

const KINDS: [&str; 6] = ["headers", "footers", "footnotes", "endnotes", "textboxes", "comments"];

/// How often it occurs; one exact hit makes the tolerant ones noise.
fn count(texts: &[String], finder: &Finder) -> usize {
    let crosses = finder.phrase().filter(|phrase| phrase.contains('\n'));
    let found: Vec<_> = match crosses {
        Some(phrase) => {
            let lines: Vec<&str> = phrase.split('\n').filter(|line| !line.is_empty()).collect();
            let border = PARAGRAPH_BREAK.to_string();
            finder.with_words(lines.join(&border)).find(&texts.join(&border))
        }
        None => texts.iter().flat_map(|text| finder.find(text)).collect(),
    };
    match found.iter().filter(|found| found.exact).count() {
        0 => found.len(),
        exact => exact,
    }
}

/// The outcome of an operation of which these are those of its parts.
pub(super) fn joined(parts: Vec<OperationOutcome>) -> OperationOutcome {
    let mut whole = OperationOutcome::default();
    let mut change = Change::default();
    let mut remarks: Vec<String> = Vec::new();
    let (mut addresses, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
    let (mut applied, mut not_found, mut all_left) = (false, None, None);
    let mut unchanged = false;
    for part in parts {
        match part.outcome {
            Outcome::Applied(own) => {
                applied = true;
                addresses.extend(part.address);
                before.extend(part.before);
                after.extend(own.after);
                remarks.extend(own.remark);
                change.revision_ids.extend(own.revision_ids);
                change.gone_revision_ids.extend(own.gone_revision_ids);
                change.comment_ids.extend(own.comment_ids);
                change.untracked.extend(own.untracked);
            }
            Outcome::NoChange { remark } => {
                unchanged = true;
                remarks.extend(remark);
            }
            Outcome::Refused(refusal) if refusal.code == RefusalCode::TextNotFound => {
                not_found.get_or_insert(OperationOutcome { outcome: Outcome::Refused(refusal), ..part });
            }
            Outcome::Refused(refusal) if refusal.left.is_some() => {
                remarks.extend(refusal.left.clone());
                all_left.get_or_insert(OperationOutcome { outcome: Outcome::Refused(refusal), ..part });
            }
            outcome => return OperationOutcome { outcome, ..part },
        }
    }
    remarks.dedup();
    let remark = (!remarks.is_empty()).then(|| remarks.join("; "));
    let text = |texts: Vec<String>| (!texts.is_empty()).then(|| texts.join("\n"));
    if applied {
        change.revision_ids.sort_unstable();
        change.remark = remark;
        change.after = text(after);
        whole.address = Some(addresses.join(", "));
        whole.before = text(before);
        whole.outcome = Outcome::Applied(change);
        return whole;
    }
    match all_left.or(not_found) {
        Some(refused) if !unchanged => refused,
        _ => OperationOutcome { outcome: Outcome::NoChange { remark }, ..whole },
    }
}

/// Whether the parts must be taken back: one of them is in the document, and the whole was not done.
pub(super) fn is_torn(parts: &[OperationOutcome], whole: &OperationOutcome) -> bool {
    !whole.outcome.is_done() && parts.iter().any(|part| part.outcome.is_applied())
}

/// Whether hits in other stories are told: of a search in the body that names neither stories nor one of several hits.
pub(super) fn asks_elsewhere(edit: &Edit) -> Option<&Search> {
    let told = |search: &&Search| {
        search.scope == SearchScope::Unsaid
            && matches!(search.occurrence, None | Some(Occurrence::All))
            && !matches!(&search.needle, Needle::Words(words) if words.contains('\n'))
            && edit.search_place().is_none()
    };
    edit.search().filter(told)
}
