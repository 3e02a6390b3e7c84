//! Takes what became of delivered changes into the book of their kind.
//!
//! Must never count a change twice, nor show a lesson that nobody knows to come from a person.

use super::change::{DeliveredDocument, DocumentEditor};
use super::fate::{ChangeFate, ParagraphViews, fate_of};
use super::lesson::{SECTION, lesson_of};
use crate::disk::BookFile;
use crate::safety::doubts;
use crate::skillbook::{
    Author, Effect, Observation, Quarantine, SettleContext, SkillOperation, Witness, settle,
};
use engross_transcript::stats::sha;

/// What was read of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ObservedDocument {
    /// Its paragraphs.
    pub paragraphs: Vec<ParagraphViews>,
    /// Who changed it last.
    pub editor: DocumentEditor,
}

/// Holds a delivered document against what it became, and takes what that teaches into `book`, the book of its kind. Gives what
/// each decided change did. The caller keeps both.
pub fn observe(
    delivered: &mut DeliveredDocument,
    now: &ObservedDocument,
    book: &mut BookFile,
    millis: u64,
) -> Vec<Effect> {
    let name = now.editor.name.trim();
    // A program that resolves changes for an agent leaves these fields as they were.
    let is_person = !name.is_empty() && name != delivered.author && now.editor != delivered.editor;
    let session = format!("document:{}", sha(delivered.path.as_bytes()));
    let mut effects = Vec::new();
    for (number, change) in delivered.changes.iter_mut().enumerate().filter(|(_, change)| !change.decided) {
        let fate = fate_of(change, &now.paragraphs);
        if matches!(fate, ChangeFate::Pending | ChangeFate::Unclear) {
            continue;
        }
        change.decided = true;
        let Some(lesson) = lesson_of(change, &fate) else { continue };
        if !is_person && book.journal.book.same(&lesson.content).next().is_some() {
            continue;
        }
        let hash =
            sha(format!("{}\0{}\0{}\0{}", change.before, change.old, change.new, change.after).as_bytes());
        let seen = Observation {
            work: session.clone(),
            entry: format!("change {}", number + 1),
            line: 0,
            hash: hash.clone(),
            by: Witness::Person,
        };
        let doubts = |content: &str| {
            let mut doubts = doubts(content);
            if !is_person {
                doubts.push(Quarantine::UnknownActor);
            }
            doubts
        };
        let file = delivered.path.rsplit(['/', '\\']).next().unwrap_or_default();
        let operation = SkillOperation::Add {
            section: SECTION.to_owned(),
            content: lesson.content,
            id: None,
            justification: None,
            evidence: Some(format!("{file}: {}", lesson.evidence)),
            issue: None,
            keywords: Vec::new(),
        };
        let trace = format!("{session}#{hash}");
        let context = SettleContext {
            by: Author::Learnt,
            trace: &trace,
            session: &session,
            seen: &seen,
            now: millis,
            doubts: &doubts,
        };
        let verdict = settle(&book.journal.book, &operation, &context);
        for record in verdict.records {
            book.add(record);
        }
        effects.push(verdict.effect);
    }
    delivered.has_earlier = false;
    effects
}
