//! Writes formatting as tracked changes: of runs as `w:rPrChange`, of paragraphs as `w:pPrChange`.
//!
//! An element has one record of what was before. Somebody else's is never touched, so formatting that would need a second
//! one is refused. One's own earlier record stands within the new one until the batch ends, when the two become one.

use std::ops::Range;

use engross_xml::{Document, NodeId};

use crate::edit::marks::change_properties;
use crate::edit::plan::RunFormatChange;
use crate::edit::properties::Setting;
use crate::edit::revision_writer::RevisionWriter;
use crate::edit::splice::{cut_out, refuse_barrier};
use crate::edit::tree_editor::{TreeEditor, WriteOutcome};
use crate::error::{Refusal, RefusalCode};
use crate::model::{Atom, AtomKind, Barrier, LOCKED, Paragraph, is_id_since, mark_revisions};
use crate::names::{INS, P_PR, P_PR_CHANGE, R_PR, R_PR_CHANGE};

impl TreeEditor<'_> {
    /// Formats text, each run with a record of what it was.
    pub(super) fn write_run_format(
        &mut self,
        format: &RunFormatChange,
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        let RunFormatChange { index, range, settings } = format;
        let nodes = self.own_chain(*index);
        let fields = self.snapshot.context(*index);
        let (view, first_id) = (self.snapshot.view, self.first_id);
        let read = |document: &Document| Paragraph::read_chain(document, &nodes, view, fields.as_ref());
        let paragraph = read(self.snapshot.tree);
        refuse_look(self.snapshot.tree, &paragraph, range, first_id)?;
        let mut writer = self.writer(author);
        let is_so = |document: &Document, run: NodeId| {
            let own = document.child(run, R_PR);
            settings.iter().all(|setting| setting.holds(document, own))
        };
        let mut changed = false;
        for part in stretches(&paragraph, range) {
            // Runs are looked at before they are cut, so that what already looks so stays whole; and anew each time,
            // since an earlier cut leaves a run with only its first piece.
            let now = read(writer.document);
            if now.overlapping(part.clone()).all(|atom| is_so(writer.document, atom.run)) {
                continue;
            }
            for run in cut_out(&mut writer, &now, part) {
                if !is_so(writer.document, run) {
                    change_run(&mut writer, run, settings)?;
                    changed = true;
                }
            }
        }
        // The formatting is read back by other means than it was written.
        let after = read(self.snapshot.tree);
        // An element of text that holds none has no look.
        let says = |atom: &&Atom| {
            matches!(atom.kind, AtomKind::Text | AtomKind::Character(_)) && !atom.range.is_empty()
        };
        let wrong =
            after.overlapping(range.clone()).filter(says).any(|atom| !is_so(self.snapshot.tree, atom.run));
        if wrong {
            return Err(Refusal::new(
                RefusalCode::ProofFailed,
                "the text would not look as wanted, so it was taken back; please report this document",
            ));
        }
        Ok(if changed {
            WriteOutcome::Done
        } else {
            WriteOutcome::Nothing("the text already looks like that")
        })
    }

    /// Formats a paragraph.
    pub(super) fn write_paragraph_look(
        &mut self,
        index: usize,
        settings: &[Setting],
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        if self.is_gone(index) {
            return Err(Refusal::new(
                RefusalCode::OverlappingOperations,
                format!("an earlier operation of this batch deletes P{}", index + 1),
            ));
        }
        let first_id = self.first_id;
        let nodes = self.own_chain(index);
        let writer = &mut self.writer(author);
        let mut changed = false;
        for node in nodes {
            let own = writer.document.child(node, P_PR);
            if settings.iter().all(|setting| setting.holds(writer.document, own)) {
                continue;
            }
            changed = true;
            let is_new = mark_revisions(writer.document, node).any(|mark| {
                writer.document.name(mark) == INS && is_id_since(writer.document, mark, first_id)
            });
            if is_new {
                // The element is this batch's own: rejecting takes all of it away.
                let properties = writer.ensure_paragraph_properties(node);
                for setting in settings {
                    setting.apply(writer.document, properties);
                }
                continue;
            }
            refuse_second_record(writer, own, P_PR_CHANGE)?;
            let wanted = match writer.copy_paragraph_properties(node) {
                Some(copy) => copy,
                None => writer.document.new_element(P_PR),
            };
            for setting in settings {
                setting.apply(writer.document, wanted);
            }
            change_properties(writer, node, Some(wanted));
            let now = writer.document.child(node, P_PR);
            if !settings.iter().all(|setting| setting.holds(writer.document, now)) {
                return Err(Refusal::new(
                    RefusalCode::ProofFailed,
                    "the paragraph would not look as wanted, so it was taken back; please report this document",
                ));
            }
        }
        Ok(if changed {
            WriteOutcome::Done
        } else {
            WriteOutcome::Nothing("the paragraph already looks like that")
        })
    }
}

/// Stretches of the range that one run after the other holds.
fn stretches(paragraph: &Paragraph, range: &Range<usize>) -> Vec<Range<usize>> {
    let mut found: Vec<(Range<usize>, NodeId)> = Vec::new();
    for atom in paragraph.overlapping(range.clone()).filter(|atom| atom.kind != AtomKind::Object) {
        let own = atom.range.start.max(range.start)..atom.range.end.min(range.end);
        match found.last_mut() {
            Some((known, run)) if known.end == own.start && *run == atom.run => known.end = own.end,
            _ => found.push((own, atom.run)),
        }
    }
    found.into_iter().map(|(range, _)| range).collect()
}

fn refuse_look(
    document: &Document,
    paragraph: &Paragraph,
    range: &Range<usize>,
    first_id: i64,
) -> Result<(), Refusal> {
    for atom in paragraph.overlapping(range.clone()) {
        match &atom.barrier {
            Some(barrier @ Barrier::Move) => return Err(refuse_barrier(barrier)),
            Some(barrier @ Barrier::ContentControl(LOCKED)) => return Err(refuse_barrier(barrier)),
            _ => {}
        }
        if atom.deleted.is_some_and(|deletion| is_id_since(document, deletion, first_id)) {
            return Err(Refusal::new(
                RefusalCode::OverlappingOperations,
                "an earlier operation of this batch deletes the text; mark the new text up instead, as **bold**, \
                 or send this one after reading again",
            ));
        }
    }
    Ok(())
}

fn refuse_second_record(
    writer: &RevisionWriter<'_>,
    properties: Option<NodeId>,
    record: engross_xml::QName,
) -> Result<(), Refusal> {
    let known = properties.and_then(|properties| writer.document.child(properties, record));
    let is_own = |known: NodeId| writer.ids.own().holds(writer.document, known);
    if known.is_some_and(|known| !is_id_since(writer.document, known, writer.since) && !is_own(known)) {
        return Err(Refusal::new(
            RefusalCode::FormatRevision,
            "its look is already changed by a pending revision, which can hold only one change; \
             accept or reject that one first",
        ));
    }
    Ok(())
}

fn change_run(writer: &mut RevisionWriter<'_>, run: NodeId, settings: &[Setting]) -> Result<(), Refusal> {
    let own = writer.document.child(run, R_PR);
    refuse_second_record(writer, own, R_PR_CHANGE)?;
    let properties = match own {
        Some(properties) => properties,
        None => {
            let properties = writer.document.new_element(R_PR);
            writer.document.prepend(run, properties);
            properties
        }
    };
    let earlier = writer.document.child(properties, R_PR_CHANGE);
    if earlier.is_none_or(|earlier| !is_id_since(writer.document, earlier, writer.since)) {
        let before = writer.document.copy(properties);
        writer.strip_tracking(before);
        if let Some(earlier) = earlier {
            writer.document.append(before, earlier);
        }
        let record = writer.revision(R_PR_CHANGE);
        writer.document.append(record, before);
        writer.document.append(properties, record);
    }
    for setting in settings {
        setting.apply(writer.document, properties);
    }
    Ok(())
}
