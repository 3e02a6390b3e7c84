//! Pictures, links, headers and embedded files that a part does not show any more: their relationships go, and the parts that only these led to.
//!
//! What was struck, rejected or given up must not stay in the file unseen. Must never take away what the text did not show when the file
//! was opened, nor a part to which anything else leads.

use std::collections::{BTreeSet, HashSet, VecDeque};

use engross_xml::Limits;

use crate::error::Error;
use crate::names::{N_ID, N_PART_NAME, OVERRIDE, RELATIONSHIP};
use crate::package::Package;
use crate::parts::{Relationship, TYPES_PART, drop_entries, relationships, relationships_part};

/// Relationships that a text names by their ids (ISO/IEC 29500-1 §11.3, §14.2, §15.2; [MS-DOCX] for `chartEx`). Others hold for a part as a whole.
const NAMED_KINDS: [&str; 14] = [
    "header",
    "footer",
    "image",
    "hyperlink",
    "chart",
    "chartEx",
    "oleObject",
    "package",
    "control",
    "aFChunk",
    DIAGRAM_DATA,
    "diagramLayout",
    "diagramQuickStyle",
    "diagramColors",
];
const DIAGRAM_DATA: &str = "diagramData";
/// Named by the data of a diagram instead.
const DIAGRAM_DRAWING: &str = "diagramDrawing";

/// Takes away what `part` showed before it was changed and shows no more, or what came with the change and is not shown. To be called when
/// all parts are written.
///
/// # Errors
/// When the part, or the list of content types, cannot be read.
pub(crate) fn drop_lost_parts(package: &mut Package, part: &str, limits: &Limits) -> Result<(), Error> {
    if !package.contains(part) {
        return Ok(());
    }
    // Where a list is damaged nobody can say what leads where, and all stays.
    let Ok(all) = relationships(package, part, limits) else { return Ok(()) };
    let lost = lost_relationships(package, part, &all)?;
    if lost.is_empty() {
        return Ok(());
    }
    let Ok(before) = reachable(package, limits) else { return Ok(()) };
    drop_entries(package, &relationships_part(part), (RELATIONSHIP, N_ID), |id| lost.contains(id), limits)?;
    let after = reachable(package, limits)?;
    let gone: BTreeSet<&String> = before.difference(&after).collect();
    let is_gone = |name: &str| gone.contains(&key(name.trim_start_matches('/')));
    drop_entries(package, TYPES_PART, (OVERRIDE, N_PART_NAME), is_gone, limits)?;
    for name in gone {
        package.remove_part(&relationships_part(name));
        package.remove_part(name);
    }
    Ok(())
}

/// The ids of the relationships that are lost.
fn lost_relationships(
    package: &Package,
    part: &str,
    all: &[Relationship],
) -> Result<BTreeSet<String>, Error> {
    let of_kinds = |kinds: &[&str]| -> HashSet<&str> {
        all.iter().filter(|own| kinds.contains(&own.kind.as_str())).map(|own| own.id.as_str()).collect()
    };
    let named = of_kinds(&NAMED_KINDS);
    if named.is_empty() {
        return Ok(BTreeSet::new());
    }
    let used = quoted(&package.part(part)?, &named);
    let unused: HashSet<&str> = named.difference(&used).copied().collect();
    if unused.is_empty() {
        return Ok(BTreeSet::new());
    }
    let source = |name: &str| package.source_part(name).unwrap_or_default();
    let was_used = quoted(&source(part), &unused);
    let was_there = quoted(&source(&relationships_part(part)), &unused);
    let is_lost = |id: &&str| was_used.contains(id) || !was_there.contains(id);
    let mut lost: BTreeSet<String> = unused.into_iter().filter(is_lost).map(str::to_owned).collect();

    let drawings = of_kinds(&[DIAGRAM_DRAWING]);
    for data in
        all.iter().filter(|own| own.kind == DIAGRAM_DATA && lost.contains(&own.id)).collect::<Vec<_>>()
    {
        if let Ok(bytes) = package.part(&data.target) {
            lost.extend(quoted(&bytes, &drawings).into_iter().map(str::to_owned));
        }
    }
    Ok(lost)
}

/// Which of these stand between two quotation marks somewhere, as the value of an attribute does.
fn quoted<'a>(bytes: &[u8], wanted: &HashSet<&'a str>) -> HashSet<&'a str> {
    let mut found = HashSet::new();
    let longest = wanted.iter().map(|id| id.len()).max().unwrap_or_default();
    for mark in [b'"', b'\''] {
        // Text has quotation marks, too: what stands between any two is looked at.
        for piece in bytes.split(|byte| *byte == mark).filter(|piece| piece.len() <= longest) {
            if let Some(id) = std::str::from_utf8(piece).ok().and_then(|piece| wanted.get(piece)) {
                found.insert(*id);
            }
        }
    }
    found
}

/// Parts of one name compare without case.
fn key(name: &str) -> String {
    name.to_ascii_lowercase()
}

/// The parts to which the package leads.
fn reachable(package: &Package, limits: &Limits) -> Result<BTreeSet<String>, Error> {
    let mut found = BTreeSet::new();
    let mut open = VecDeque::from([String::new()]);
    while let Some(part) = open.pop_front() {
        for own in relationships(package, &part, limits)?.into_iter().filter(|own| !own.external) {
            if package.contains(&own.target) && found.insert(key(&own.target)) {
                open.push_back(own.target);
            }
        }
    }
    Ok(found)
}
