//! A comparison as a page: both documents side by side, to be opened without a network.
//!
//! Must never hold a script, nor a text of a document that is not escaped.

use std::fmt::Write as _;

use engross_docx::{ComparedParagraph, TextFate};

/// Paragraphs without a change that are shown on each side of one.
const AROUND: usize = 2;

const STYLE: &str = "body{font:15px/1.5 Georgia,serif;margin:2rem;color:#222;background:#fff}\
h1{font-size:1.3rem}table{border-collapse:collapse;width:100%;table-layout:fixed}\
td,th{border:1px solid #ddd;padding:.4rem .6rem;vertical-align:top;text-align:left;overflow-wrap:anywhere}\
td:first-child,th:first-child{width:7rem;color:#777;font:12px monospace}\
del{color:#a3122a;background:#fdeaec}ins{color:#0a6b2d;background:#e6f6eb}\
.gap td{color:#999;text-align:center;border-style:none}\
@media(prefers-color-scheme:dark){body{background:#1b1b1b;color:#ddd}td,th{border-color:#444}\
del{color:#ff9aa8;background:#47161d}ins{color:#8fe0a8;background:#143d22}}";

/// The page. `names` are those of the two documents.
pub(super) fn page(paragraphs: &[ComparedParagraph], names: (&str, &str)) -> String {
    let (before, after) = (escaped(names.0), escaped(names.1));
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{before} – {after}</title>\
         <style>{STYLE}</style></head><body><h1>{before} – {after}</h1>\n\
         <table><thead><tr><th scope=\"col\"></th><th scope=\"col\">{before}</th><th scope=\"col\">{after}</th></tr></thead><tbody>\n"
    );
    let is_near = |at: usize| {
        let from = at.saturating_sub(AROUND);
        paragraphs.iter().skip(from).take(at - from + AROUND + 1).any(|paragraph| !paragraph.is_same())
    };
    let mut left_out = 0;
    for (at, paragraph) in paragraphs.iter().enumerate() {
        if !is_near(at) {
            left_out += 1;
            continue;
        }
        gap(&mut page, &mut left_out);
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
            place(paragraph),
            side(paragraph, TextFate::Deleted, "del"),
            side(paragraph, TextFate::Inserted, "ins"),
        );
    }
    gap(&mut page, &mut left_out);
    page.push_str("</tbody></table></body></html>\n");
    page
}

fn gap(page: &mut String, left_out: &mut usize) {
    if *left_out > 0 {
        let _ = writeln!(
            page,
            "<tr class=\"gap\"><td></td><td colspan=\"2\">{left_out} {}</td></tr>",
            if *left_out == 1 { "paragraph alike" } else { "paragraphs alike" }
        );
        *left_out = 0;
    }
}

/// Where a paragraph stands, and what its words do not show.
fn place(paragraph: &ComparedParagraph) -> String {
    let mut text = escaped(&paragraph.address);
    for (is_so, what) in [(paragraph.is_moved, "moved"), (paragraph.is_formatted, "formatting")] {
        if is_so {
            let _ = write!(text, "<br><em>{what}</em>");
        }
    }
    text
}

/// What one document has of a paragraph: what both have, and what only it has, marked.
fn side(paragraph: &ComparedParagraph, own: TextFate, tag: &str) -> String {
    let mut text = String::new();
    for (fate, piece) in &paragraph.pieces {
        let piece = escaped(piece);
        match *fate {
            TextFate::Kept => text.push_str(&piece),
            fate if fate == own => _ = write!(text, "<{tag}>{piece}</{tag}>"),
            _ => {}
        }
    }
    if paragraph.fate == own {
        let _ = write!(text, "<{tag}>¶</{tag}>");
    }
    text
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("<br>"),
            '\t' => out.push_str("&emsp;"),
            '\u{FFFC}' => out.push('▢'),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}
