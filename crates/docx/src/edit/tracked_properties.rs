//! Properties of tables, rows, cells and sections, changed with a record of what they were (ISO/IEC 29500-1 §17.13.5.32, .34 – .38).
//!
//! An element has one record. Somebody else's is never touched, so a change that would need a second one is refused.

use engross_xml::{Document, NodeId, QName};

use crate::canon::normal_form;
use crate::edit::properties::Setting;
use crate::edit::revision_writer::RevisionWriter;
use crate::error::{Refusal, RefusalCode};
use crate::model::is_id_since;
use crate::names::{
    CELL_DEL, CELL_INS, CELL_MERGE, DEL, FOOTER_REFERENCE, HEADER_REFERENCE, INS, SECT_PR, SECT_PR_CHANGE,
    TBL, TBL_PR, TBL_PR_CHANGE, TBL_PR_EX, TC, TC_PR, TC_PR_CHANGE, TR, TR_PR, TR_PR_CHANGE,
};

/// Gives the properties of `owner` these settings. Of an element that the batch made, no record is kept. Says whether there was
/// anything to change.
pub(crate) fn change_tracked(
    writer: &mut RevisionWriter<'_>,
    owner: NodeId,
    settings: &[Setting],
    is_new: bool,
) -> Result<bool, Refusal> {
    let Some((name, record_name)) = names_of(writer.document.name(owner)) else { return Ok(false) };
    let own = if name == SECT_PR { Some(owner) } else { writer.document.child(owner, name) };
    if settings.iter().all(|setting| setting.holds(writer.document, own)) {
        return Ok(false);
    }
    let properties = match own {
        Some(own) => own,
        None => new_properties(writer.document, owner, name),
    };
    let record = writer.document.child(properties, record_name);
    if record.is_some_and(|record| !is_id_since(writer.document, record, writer.since)) {
        return Err(second_record(writer.document.name(owner)));
    }
    if record.is_none() && !is_new {
        let before = recorded_copy(writer.document, properties);
        let record = writer.revision(record_name);
        writer.document.append(record, before);
        writer.document.append(properties, record);
    }
    for setting in settings {
        setting.apply(writer.document, properties);
    }
    Ok(true)
}

/// Whether an earlier revision holds the one record that the properties of `owner` can have.
pub(crate) fn has_foreign_record(document: &Document, owner: NodeId, since: i64) -> bool {
    let Some((name, record)) = names_of(document.name(owner)) else { return false };
    let own = if name == SECT_PR { Some(owner) } else { document.child(owner, name) };
    let record = own.and_then(|own| document.child(own, record));
    record.is_some_and(|record| !is_id_since(document, record, since))
}

/// Whether the batch has changed the properties of `owner`.
pub(crate) fn has_own_record(document: &Document, owner: NodeId, since: i64) -> bool {
    let Some((name, record)) = names_of(document.name(owner)) else { return false };
    let own = if name == SECT_PR { Some(owner) } else { document.child(owner, name) };
    let record = own.and_then(|own| document.child(own, record));
    record.is_some_and(|record| is_id_since(document, record, since))
}

/// Takes out a record of this batch that tells of no difference any more.
pub(crate) fn drop_idle_record(writer: &mut RevisionWriter<'_>, owner: NodeId) {
    if !has_own_record(writer.document, owner, writer.since) {
        return;
    }
    let Some((name, record_name)) = names_of(writer.document.name(owner)) else { return };
    let own = if name == SECT_PR { Some(owner) } else { writer.document.child(owner, name) };
    let Some((own, record)) = own.and_then(|own| Some((own, writer.document.child(own, record_name)?)))
    else {
        return;
    };
    let now = recorded_copy(writer.document, own);
    let same = writer
        .document
        .child(record, name)
        .is_some_and(|before| normal_form(writer.document, before) == normal_form(writer.document, now));
    if same {
        writer.document.detach(record);
    }
}

/// The properties that the record of a change of this batch holds, else the present ones.
pub(crate) fn properties_before(document: &Document, owner: NodeId, since: i64) -> Option<NodeId> {
    let (name, record) = names_of(document.name(owner))?;
    let own = if name == SECT_PR { Some(owner) } else { document.child(owner, name) }?;
    let record = document.child(own, record).filter(|record| is_id_since(document, *record, since));
    record.and_then(|record| document.child(record, name)).or(Some(own))
}

fn names_of(owner: QName) -> Option<(QName, QName)> {
    Some(match owner {
        TBL => (TBL_PR, TBL_PR_CHANGE),
        TR => (TR_PR, TR_PR_CHANGE),
        TC => (TC_PR, TC_PR_CHANGE),
        SECT_PR => (SECT_PR, SECT_PR_CHANGE),
        _ => return None,
    })
}

fn second_record(owner: QName) -> Refusal {
    let what = match owner {
        TBL => "the table",
        TR => "a row of the table",
        TC => "a cell of the table",
        _ => "the section",
    };
    Refusal::new(
        RefusalCode::FormatRevision,
        format!(
            "a pending revision already changes the properties of {what}, which can hold only one change; accept or reject it first"
        ),
    )
}

/// An empty property element at the place that the schema gives it.
fn new_properties(document: &mut Document, owner: NodeId, name: QName) -> NodeId {
    let properties = document.new_element(name);
    match document.child(owner, TBL_PR_EX).filter(|_| name == TR_PR) {
        Some(exceptions) => document.insert_after(exceptions, properties),
        None => document.prepend(owner, properties),
    }
    properties
}

/// What a record holds: the properties without marks, records and references, which it does not speak of.
fn recorded_copy(document: &mut Document, properties: NodeId) -> NodeId {
    let copy = document.copy(properties);
    let outside: Vec<NodeId> = document
        .children(copy)
        .filter(|child| {
            let name = document.name(*child);
            matches!(name, INS | DEL | CELL_INS | CELL_DEL | CELL_MERGE | HEADER_REFERENCE | FOOTER_REFERENCE)
                || crate::revisions::is_property_change(name)
        })
        .collect();
    outside.into_iter().for_each(|child| document.detach(child));
    copy
}
