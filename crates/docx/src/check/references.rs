//! Findings about references between parts: from fields and links to bookmarks, from threads to comments
//! (ISO/IEC 29500-1 §17.16.5, §17.13.4).

use std::collections::HashSet;

use crate::document::WordDocument;
use crate::error::Error;
use crate::model::{View, paragraphs};
use crate::names::{
    CID_COMMENT_ID, CID_PARA_ID, COMMENT, PARA_ID, W15_COMMENT_EX, W15_PARA_ID, W15_PARA_ID_PARENT,
};
use crate::references::Shows;
use crate::rules::{CheckedPart, Findings, Rule};

/// Whether fields and links lead to bookmarks that are there, and that still hold what they marked. Pending changes count as
/// accepted.
pub(super) fn check_targets(document: &WordDocument, findings: &mut Findings) {
    let trees = document.story_trees();
    let references = document.references(&trees, View::Accepted);
    for (_, placed, field) in references.fields() {
        let Some(name) = field.instruction.bookmark() else { continue };
        // Word knows the top of every document.
        if name.eq_ignore_ascii_case("_top") {
            continue;
        }
        let address = || placed.story.address(field.first);
        let is_entry = placed.story.is_in_contents(field);
        match references.target(name) {
            None if is_entry => findings.add(Rule::ContentsDangling, address, || {
                format!("an entry of a table of contents leads to the bookmark '{name}', which is not there")
            }),
            None => findings.add(Rule::ReferenceDangling, address, || {
                format!("a reference leads to the bookmark '{name}', which is not there")
            }),
            Some(target) => {
                // Links and page numbers may name a mere place; what shows words or a number marks them.
                let is_gone = match field.instruction.shows() {
                    Shows::Text | Shows::Note => references.content(&trees, &target).is_empty(),
                    // A paragraph shows its number whether the bookmark holds words or only stands in it.
                    Shows::Number(_) => {
                        !references.has_number(&target) && references.content(&trees, &target).is_empty()
                    }
                    _ => false,
                };
                if is_gone {
                    findings.add(Rule::ReferenceDisplaced, address, || {
                        format!("a reference leads to the bookmark '{name}', from which the text is gone")
                    });
                }
            }
        }
    }
}

/// Whether what the newer parts say of comments is about comments that are there.
pub(super) fn check_threads(
    document: &WordDocument,
    parts: &[CheckedPart<'_>],
    findings: &mut Findings,
) -> Result<(), Error> {
    let mut keys = HashSet::new();
    for part in parts {
        let tree = part.document;
        for comment in tree.children(tree.root()).filter(|node| tree.name(*node) == COMMENT) {
            let ids = paragraphs(tree, comment).into_iter();
            keys.extend(
                ids.filter_map(|paragraph| Some(tree.attribute(paragraph, PARA_ID)?.to_ascii_uppercase())),
            );
        }
    }
    for (kind, entry, ids) in [
        ("commentsExtended", W15_COMMENT_EX, &[W15_PARA_ID, W15_PARA_ID_PARENT][..]),
        ("commentsIds", CID_COMMENT_ID, &[CID_PARA_ID][..]),
    ] {
        let Some((name, tree)) = document.related_tree(kind)? else { continue };
        for node in tree.children(tree.root()).filter(|node| tree.name(*node) == entry) {
            let named = ids.iter().filter_map(|id| tree.attribute(node, *id));
            for id in named.filter(|id| !keys.contains(&id.to_ascii_uppercase())) {
                let message = || format!("it names a comment whose paragraph is {id}, which is not there");
                findings.add(Rule::CommentThreadUnresolved, || name.clone(), message);
            }
        }
    }
    Ok(())
}
