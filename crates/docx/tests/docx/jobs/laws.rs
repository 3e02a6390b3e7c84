//! What holds of every result, whatever was wished: it can be taken back part by part, tables are tables, references lead
//! somewhere, revisions bear the right name, and nothing is left over once all is accepted or rejected.
//!
//! Must never use the engine.

use std::collections::{BTreeMap, BTreeSet};

use super::package::Package;
use super::{AUTHOR, DATE};
use crate::oracle::{Element, Node, Side, canonical, is_revision, resolve};

/// Parts that hold text, and so revisions.
fn is_story(name: &str) -> bool {
    let file = name.strip_prefix("word/").unwrap_or_default();
    let kinds = ["document.xml", "header", "footer", "footnotes.xml", "endnotes.xml"];
    kinds.iter().any(|kind| file.starts_with(kind)) && file.ends_with(".xml")
}

/// What is wrong with `written`. `untracked` names the parts that were allowed to change without revisions.
pub(super) fn broken(source: &[u8], written: &[u8], untracked: &[&str]) -> Vec<String> {
    let (source, written) = (Package::open(source), Package::open(written));
    let mut faults = Vec::new();
    for (name, content) in &source.parts {
        match written.parts.get(name) {
            None => faults.push(format!("{name} is gone")),
            Some(new) if new == content || untracked.iter().any(|part| name.contains(part)) => {}
            Some(_) if is_story(name) => faults.extend(irreversible(name, &source, &written)),
            Some(_) => faults.extend(lost_entries(name, &source, &written)),
        }
    }
    faults.extend(unrelated(&written));
    let mut ids = BTreeSet::new();
    for name in written.parts.keys().filter(|name| is_story(name)) {
        let root = written.xml(name).unwrap();
        let old = source.xml(name);
        let mut say = |fault: String| faults.push(format!("{name}: {fault}"));
        authors(&root, old.as_ref(), &mut ids, &mut say);
        for side in [Side::Accept, Side::Reject] {
            let before = old.as_ref().map(|old| faulty(&resolve(old, side, None)));
            for fault in faulty(&resolve(&root, side, None)) {
                if !before.as_ref().is_some_and(|before| before.contains(&fault)) {
                    say(format!("{side:?} all: {fault}"));
                }
            }
        }
    }
    let before = source.xml("word/document.xml").map(|main| lost(&source, &main, Side::Accept));
    let main = written.xml("word/document.xml").unwrap();
    for side in [Side::Accept, Side::Reject] {
        for name in lost(&written, &main, side) {
            if before.as_ref().is_none_or(|before| !before.contains(&name)) {
                faults.push(format!("{side:?} all: a reference to {name} leads nowhere"));
            }
        }
    }
    faults
}

/// Rejecting what we wrote gives back the part.
fn irreversible(name: &str, source: &Package, written: &Package) -> Option<String> {
    let (before, after) = (source.xml(name).unwrap(), written.xml(name).unwrap());
    let names = |root: &Element| -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        root.walk(&mut Vec::new(), &mut |element, _| {
            if element.name == "w:bookmarkStart" {
                names.extend(element.attribute("w:name").map(str::to_owned));
            }
        });
        names
    };
    // Marks of comments, and bookmarks, are no tracked changes.
    let known = names(&before);
    let new_bookmarks: BTreeSet<String> = ids_of(&after, |element| {
        element.name == "w:bookmarkStart"
            && element.attribute("w:name").is_none_or(|name| !known.contains(name))
    });
    let comments = |package: &Package| {
        let part = package.related("comments").and_then(|name| package.xml(&name));
        part.map(|part| ids_of(&part, |element| element.name == "w:comment")).unwrap_or_default()
    };
    let aside: BTreeSet<String> =
        comments(source).symmetric_difference(&comments(written)).cloned().collect();
    let bare = |root: &Element, bookmarks: &BTreeSet<String>| canonical(&without(root, &aside, bookmarks));
    let after = without_unmarked_notes(after, &before, written);
    let rejected = bare(&resolve(&after, Side::Reject, Some(DATE)), &new_bookmarks);
    // Nothing in the source is ours; what the resolver itself drops does not count.
    let wanted = bare(&resolve(&before, Side::Reject, Some(DATE)), &BTreeSet::new());
    (rejected != wanted)
        .then(|| format!("{name}: rejecting does not give the source: {}", first(&wanted, &rejected)))
}

/// A part of notes without the new ones whose marks are rejected: they go with their marks.
fn without_unmarked_notes(mut part: Element, before: &Element, written: &Package) -> Element {
    let is_note = |element: &Element| element.is(&["w:footnote", "w:endnote"]);
    if !part.elements().any(is_note) {
        return part;
    }
    let known = ids_of(before, is_note);
    let main = resolve(&written.xml("word/document.xml").unwrap(), Side::Reject, Some(DATE));
    let mut marked = BTreeSet::new();
    main.walk(&mut Vec::new(), &mut |element, _| {
        let kind = element.name.strip_suffix("Reference");
        marked.extend(kind.zip(element.attribute("w:id")).map(|(kind, id)| format!("{kind} {id}")));
    });
    part.children.retain(|node| match node {
        Node::Element(note) if is_note(note) => {
            let id = note.attribute("w:id").unwrap_or_default();
            known.contains(id) || marked.contains(&format!("{} {id}", note.name))
        }
        _ => true,
    });
    part
}

fn ids_of(root: &Element, is_meant: impl Fn(&Element) -> bool) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    root.walk(&mut Vec::new(), &mut |element, _| {
        if is_meant(element) {
            ids.extend(element.attribute("w:id").map(str::to_owned));
        }
    });
    ids
}

/// The same without the marks of some comments and some bookmarks.
fn without(element: &Element, comments: &BTreeSet<String>, bookmarks: &BTreeSet<String>) -> Element {
    let goes = |child: &Element| {
        let of = |ids: &BTreeSet<String>| child.attribute("w:id").is_some_and(|id| ids.contains(id));
        let reference = |run: &Element| {
            let mut content = run.elements().filter(|child| child.name != "w:rPr");
            content.next().is_some_and(|child| {
                child.name == "w:commentReference"
                    && child.attribute("w:id").is_some_and(|id| comments.contains(id))
            }) && content.next().is_none()
        };
        // Whether a control waits for its text is no tracked change.
        child.name == "w:showingPlcHdr"
            || (child.is(&["w:commentRangeStart", "w:commentRangeEnd"]) && of(comments))
            || (child.is(&["w:bookmarkStart", "w:bookmarkEnd"]) && of(bookmarks))
            || (child.name == "w:r" && reference(child))
    };
    let children = element.children.iter().filter_map(|node| match node {
        Node::Element(child) if goes(child) => None,
        Node::Element(child) => Some(Node::Element(without(child, comments, bookmarks))),
        Node::Text(text) => Some(Node::Text(text.clone())),
    });
    Element {
        name: element.name.clone(),
        attributes: element.attributes.clone(),
        children: children.collect(),
    }
}

/// Where two trees begin to differ.
fn first(wanted: &Element, found: &Element) -> String {
    let short = |element: &Element| format!("{element:?}").chars().take(400).collect::<String>();
    let (left, right): (Vec<&Element>, Vec<&Element>) =
        (wanted.elements().collect(), found.elements().collect());
    let same_head = wanted.name == found.name && wanted.attributes == found.attributes;
    let at = left.iter().zip(&right).position(|(left, right)| left != right);
    match at.map(|at| (left[at], right[at])) {
        Some((left, right)) if same_head && left.name == right.name => first(left, right),
        Some((left, right)) if same_head => format!("wanted {}\nfound {}", short(left), short(right)),
        None if same_head && left.len() != right.len() => {
            let more = |all: &[&Element], known: usize| {
                all.get(known).map_or("nothing".to_owned(), |more| short(more))
            };
            format!("wanted {}\nfound {}", more(&left, right.len()), more(&right, left.len()))
        }
        _ => format!("wanted {}\nfound {}", short(wanted), short(found)),
    }
}

/// A part that lists things may have more of them, and none less.
fn lost_entries(name: &str, source: &Package, written: &Package) -> Option<String> {
    let lists = ["[Content_Types].xml", ".rels", "numbering.xml", "styles.xml", "settings.xml", "people.xml"];
    if name.contains("comments") {
        return None;
    }
    if !lists.iter().any(|list| name.ends_with(list)) {
        return Some(format!("{name} is changed"));
    }
    let (before, after) = (source.xml(name).unwrap(), written.xml(name).unwrap());
    let entries: Vec<&Element> = after.elements().collect();
    let lost = before.elements().find(|entry| !entries.contains(entry));
    lost.map(|entry| format!("{name}: an entry is lost or changed: {entry:?}"))
}

/// Relationships that are used and not there, or lead nowhere, and parts without a type.
fn unrelated(package: &Package) -> Vec<String> {
    let mut faults = Vec::new();
    for name in package.parts.keys() {
        if name != "[Content_Types].xml" && package.content_type(name).is_none() {
            faults.push(format!("{name} has no content type"));
        }
        if !name.ends_with(".xml") || name.starts_with('[') {
            continue;
        }
        let relations = package.relations(name);
        for relation in relations.iter().filter(|relation| !relation.is_external) {
            if !package.parts.contains_key(&relation.target) {
                faults.push(format!(
                    "{name}: {} leads to {}, which is not there",
                    relation.id, relation.target
                ));
            }
        }
        let Some(root) = package.xml(name) else { continue };
        root.walk(&mut Vec::new(), &mut |element, _| {
            for (attribute, value) in &element.attributes {
                let is_id = attribute.contains("officeDocument/2006/relationships}");
                if is_id && !relations.iter().any(|relation| relation.id == *value) {
                    faults.push(format!("{name}: {} names {value}, which is no relationship", element.name));
                }
            }
        });
    }
    faults
}

/// What is new bears our name and date and an id of its own; what is somebody else's is still there.
fn authors(root: &Element, old: Option<&Element>, ids: &mut BTreeSet<String>, say: &mut impl FnMut(String)) {
    let theirs = |root: &Element| {
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        root.walk(&mut Vec::new(), &mut |element, _| {
            if is_revision(element) && element.attribute("w:date") != Some(DATE) {
                let author = element.attribute("w:author").unwrap_or_default();
                *known.entry(format!("{} of {author}", element.name)).or_default() += 1;
            }
        });
        known
    };
    root.walk(&mut Vec::new(), &mut |element, above| {
        if !is_revision(element) {
            return;
        }
        let id = element.attribute("w:id").unwrap_or_default();
        // What older programs read instead of a drawing is the drawing once more, revisions and all, as Word writes it.
        let is_copy = above.iter().any(|above| above.name.ends_with("Fallback"));
        if !is_copy && !ids.insert(id.to_owned()) {
            say(format!("the revision id {id} stands twice"));
        }
        if element.attribute("w:date") == Some(DATE) && element.attribute("w:author") != Some(AUTHOR) {
            say(format!("ours under another name: {:?}", element.attributes));
        }
    });
    let (before, after) = (old.map(theirs).unwrap_or_default(), theirs(root));
    let gone = |(kind, count): &(&String, &usize)| after.get(*kind).unwrap_or(&0) < *count;
    for (kind, _) in before.iter().filter(gone) {
        say(format!("some {kind} is gone"));
    }
    for kind in after.keys().filter(|kind| !before.contains_key(*kind)) {
        say(format!("a new {kind} with a date that is not ours"));
    }
}

/// What is wrong with a part in which nothing is pending.
fn faulty(root: &Element) -> Vec<String> {
    let mut faults = Vec::new();
    let mut open: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut names = BTreeSet::new();
    root.walk(&mut Vec::new(), &mut |element, above| {
        let name = element.name.as_str();
        let id = || element.attribute("w:id").unwrap_or_default().to_owned();
        let is_choice = above.iter().all(|above| !above.name.ends_with("}Fallback"));
        match name {
            _ if is_revision(element) => faults.push(format!("{name} is left")),
            _ if name.starts_with("w:move") => faults.push(format!("{name} is left")),
            "w:delText" | "w:delInstrText" => faults.push(format!("{name} is left")),
            "w:tbl" => faults.extend(grid(element)),
            "w:bookmarkStart" | "w:commentRangeStart" => {
                *open.entry((name.trim_end_matches("Start"), id())).or_default() += 1;
                let bookmark = element.attribute("w:name").unwrap_or_default();
                if name == "w:bookmarkStart" && is_choice && !names.insert(bookmark.to_owned()) {
                    faults.push(format!("the bookmark {bookmark} stands twice"));
                }
            }
            "w:bookmarkEnd" | "w:commentRangeEnd" => {
                let count = open.entry((name.trim_end_matches("End"), id())).or_default();
                match count.checked_sub(1) {
                    Some(less) => *count = less,
                    None => faults.push(format!("{name} ends what never began")),
                }
            }
            "w:hyperlink" if element.children.is_empty() => faults.push("an empty link is left".to_owned()),
            "w:tc" if element.elements().last().is_none_or(|last| last.name != "w:p") => {
                faults.push("a cell does not end with a paragraph".to_owned());
            }
            _ => {}
        }
    });
    let unclosed = open.into_iter().filter(|(_, count)| *count > 0);
    faults.extend(unclosed.map(|((name, _), _)| format!("{name} is not closed")));
    faults.extend(fields(root));
    faults
}

/// Fields that are not begun, parted and ended in turn, story by story.
fn fields(root: &Element) -> Option<String> {
    let mut depth = 0_i32;
    let mut fault = None;
    root.walk(&mut Vec::new(), &mut |element, _| {
        if element.name == "w:fldChar" {
            depth += match element.attribute("w:fldCharType") {
                Some("begin") => 1,
                Some("end") => -1,
                _ => 0,
            };
            if depth < 0 {
                fault = Some("a field ends that never began".to_owned());
            }
        }
    });
    fault.or_else(|| (depth > 0).then(|| "a field does not end".to_owned()))
}

/// The cells of a row, those in content controls, too.
fn cells(row: &Element) -> Vec<&Element> {
    let mut found = Vec::new();
    for child in row.elements() {
        match child.name.as_str() {
            "w:tc" => found.push(child),
            "w:sdt" => found.extend(child.child("w:sdtContent").map(cells).unwrap_or_default()),
            _ => {}
        }
    }
    found
}

/// Rows that are not as wide as their table's grid, and cells merged with nothing.
fn grid(table: &Element) -> Vec<String> {
    let mut faults = Vec::new();
    let number = |element: Option<&Element>| {
        element.and_then(|element| element.attribute("w:val")).and_then(|value| value.parse::<usize>().ok())
    };
    let columns =
        table.child("w:tblGrid").map_or(0, |grid| grid.elements().filter(|e| e.name == "w:gridCol").count());
    let mut above: BTreeSet<usize> = BTreeSet::new();
    for (at, row) in table.elements().filter(|child| child.name == "w:tr").enumerate() {
        let properties = row.child("w:trPr");
        let skipped =
            |name: &str| properties.and_then(|properties| number(properties.child(name))).unwrap_or(0);
        let mut column = skipped("w:gridBefore");
        let mut merged = BTreeSet::new();
        for cell in cells(row) {
            let properties = cell.child("w:tcPr");
            let merge = properties.and_then(|properties| properties.child("w:vMerge"));
            if let Some(merge) = merge {
                merged.insert(column);
                if merge.attribute("w:val") != Some("restart") && !above.contains(&column) {
                    faults.push(format!("row {at}: a cell is merged with nothing above"));
                }
            }
            column += properties.and_then(|properties| number(properties.child("w:gridSpan"))).unwrap_or(1);
        }
        column += skipped("w:gridAfter");
        if column != columns {
            faults.push(format!("row {at} has {column} columns, the grid {columns}"));
        }
        above = merged;
    }
    faults
}

/// Bookmarks that fields and links name, and that are nowhere or empty.
fn lost(package: &Package, main: &Element, side: Side) -> BTreeSet<String> {
    let numbering = super::numbers::Numbering::of(package);
    let main = resolve(main, side, None);
    let known = super::objects::targets(&main, &numbering);
    let mut named = BTreeSet::new();
    let mut code = String::new();
    main.walk(&mut Vec::new(), &mut |element, _| match element.name.as_str() {
        "w:fldChar" if element.attribute("w:fldCharType") == Some("begin") => code.clear(),
        "w:instrText" => code.push_str(&element.characters()),
        "w:fldChar" => {
            let mut words = code.split_whitespace();
            if matches!(words.next(), Some("REF" | "PAGEREF")) {
                named.extend(words.next().map(str::to_owned));
            }
        }
        "w:hyperlink" => named.extend(element.attribute("w:anchor").map(str::to_owned)),
        _ => {}
    });
    // Lines of a table of contents stay until it is updated: the answer says that it is outdated.
    named.retain(|name| !name.starts_with("_Toc"));
    named.retain(|name| known.get(name).is_none_or(|(_, text)| text.ends_with(" (empty)")));
    named
}
