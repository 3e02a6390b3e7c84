//! The XML of comments: an entry of the comments part, initials, and ids of paragraphs.
//!
//! Must never know threads: which comment answers which is in other parts.

use std::collections::BTreeSet;

use engross_xml::Document;
use sha2::{Digest, Sha256};

use crate::edit::{NewComment, split_at_breaks, write_pieces};
use crate::names::{
    ANNOTATION_REF, AUTHOR, COMMENT, DATE, ID, IGNORABLE, INITIALS, MC, P, P_PR, P_STYLE, PARA_ID, R_PR,
    R_STYLE, RUN, VAL, W14,
};

const W14_URI: &str = "http://schemas.microsoft.com/office/word/2010/wordml";
const MC_URI: &str = "http://schemas.openxmlformats.org/markup-compatibility/2006";

/// Declares what a paragraph id needs.
pub(super) fn ensure_word_2010(tree: &mut Document) {
    tree.ensure_prefix(W14, "w14", W14_URI);
    tree.ensure_prefix(MC, "mc", MC_URI);
    let root = tree.root();
    let prefix = tree
        .raw_attributes(root)
        .find(|(_, name, uri)| name.starts_with("xmlns:") && *uri == W14_URI)
        .and_then(|(_, name, _)| name.strip_prefix("xmlns:").map(str::to_owned))
        .unwrap_or_else(|| "w14".to_owned());
    let ignorable = tree.attribute(root, IGNORABLE).unwrap_or_default().into_owned();
    if !ignorable.split_whitespace().any(|known| known == prefix) {
        tree.set_attribute(root, IGNORABLE, format!("{ignorable} {prefix}").trim());
    }
}

pub(super) fn append_comment(
    tree: &mut Document,
    comment: &NewComment,
    para_id: &str,
    [text_style, mark_style]: &[Option<String>; 2],
) {
    let node = tree.new_element(COMMENT);
    tree.set_attribute(node, ID, &comment.id.to_string());
    tree.set_attribute(node, AUTHOR, &comment.author);
    tree.set_attribute(node, DATE, &comment.date);
    tree.set_attribute(node, INITIALS, &initials(&comment.author));
    let lines = split_at_breaks(&comment.content);
    let count = lines.len();
    for (number, line) in lines.iter().enumerate() {
        let paragraph = tree.new_element(P);
        if number + 1 == count {
            tree.set_attribute(paragraph, PARA_ID, para_id);
        }
        if let Some(style) = text_style {
            let properties = tree.new_element(P_PR);
            let reference = tree.new_element(P_STYLE);
            tree.set_attribute(reference, VAL, style);
            tree.append(properties, reference);
            tree.append(paragraph, properties);
        }
        if number == 0 {
            let run = tree.new_element(RUN);
            if let Some(style) = mark_style {
                let properties = tree.new_element(R_PR);
                let reference = tree.new_element(R_STYLE);
                tree.set_attribute(reference, VAL, style);
                tree.append(properties, reference);
                tree.append(run, properties);
            }
            let mark = tree.new_element(ANNOTATION_REF);
            tree.append(run, mark);
            tree.append(paragraph, run);
        }
        write_pieces(tree, paragraph, line);
        tree.append(node, paragraph);
    }
    let root = tree.root();
    tree.append(root, node);
}

/// The first letters of a name's words, particles left out: `AMO` for Ana María de la O.
pub(super) fn initials(author: &str) -> String {
    let letters: String = author
        .split(|c: char| c.is_whitespace() || c == '-')
        .filter_map(|word| word.chars().find(|c| c.is_alphanumeric()))
        .filter(|c| c.is_uppercase() || c.is_numeric() || !c.is_lowercase())
        .take(4)
        .collect();
    match letters.is_empty() {
        true => {
            author.chars().find(|c| c.is_alphanumeric()).into_iter().flat_map(char::to_uppercase).collect()
        }
        false => letters,
    }
}

pub(super) fn fresh_paragraph_id(used: &mut BTreeSet<String>, comment: &NewComment) -> String {
    fresh_key(used, &[&comment.id.to_string(), &comment.author, &comment.date, &comment.content.text])
}

/// Eight hexadecimal digits below 80000000 that no paragraph has ([MS-DOCX] §2.2.4.1).
pub(super) fn fresh_key(used: &mut BTreeSet<String>, of: &[&str]) -> String {
    let mut number = number_of(of);
    loop {
        let key = format!("{number:08X}");
        if used.insert(key.clone()) {
            return key;
        }
        number = number % 0x7FFF_FFFE + 1;
    }
}

pub(super) fn number_of(of: &[&str]) -> u32 {
    let mut digest = Sha256::new();
    for text in of {
        digest.update(text.as_bytes());
        digest.update([0]);
    }
    let bytes = digest.finalize();
    let number = bytes.iter().take(4).fold(0, |number, byte| number << 8 | u32::from(*byte));
    number % 0x7FFF_FFFE + 1
}
