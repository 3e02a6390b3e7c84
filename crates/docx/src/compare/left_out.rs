//! What of the second document a redline leaves out, since Word cannot track it: bookmarks and comments.
//!
//! Must never change the redline: it only says what is not there.

use std::collections::BTreeSet;

use engross_xml::Document;

use super::report::Limitation;
use crate::names::{BOOKMARK_START, COMMENT_REFERENCE, NAME};

/// How many bookmarks are named.
const NAMED: usize = 5;

/// Bookmarks and comments of the main part of `after` that `redline` has not.
pub(super) fn left_out(redline: &Document, after: &Document) -> Vec<Limitation> {
    let mut found = Vec::new();
    let known = bookmarks(redline);
    let lost: Vec<String> = bookmarks(after).difference(&known).cloned().collect();
    if !lost.is_empty() {
        let more = lost.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let shown: Vec<&str> = lost.iter().take(NAMED).map(String::as_str).collect();
        found.push(Limitation::left(
            "",
            format!(
                "bookmarks of the second document are not brought over, and references to them lead nowhere: {}{more}",
                shown.join(", ")
            ),
        ));
    }
    let comments = |document: &Document| {
        document.descendants(document.root()).filter(|node| document.name(*node) == COMMENT_REFERENCE).count()
    };
    let lost = comments(after).saturating_sub(comments(redline));
    if lost > 0 {
        let s = if lost == 1 { "" } else { "s" };
        found.push(Limitation::left(
            "comments",
            format!("{lost} comment{s} of the second document are left out"),
        ));
    }
    found
}

/// The names of the bookmarks; not the place where Word was last.
fn bookmarks(document: &Document) -> BTreeSet<String> {
    let starts = document.descendants(document.root()).filter(|node| document.name(*node) == BOOKMARK_START);
    let names = starts.filter_map(|node| document.attribute(node, NAME)).map(std::borrow::Cow::into_owned);
    names.filter(|name| name != "_GoBack").collect()
}
