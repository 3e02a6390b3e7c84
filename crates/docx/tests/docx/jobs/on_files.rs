//! Jobs on whole files: from Markdown, to Markdown, back and forth, and jobs that other tests do.

use engross_docx::read::View;
use engross_docx::{Limits, from_markdown};

use super::documents::{agreement, with_text_box};
use super::paper::{Line, Paper};
use super::{open, paper};

const MARKDOWN: &str = "# Offer\n\nWe offer **two** things[^1], see [our site](https://example.com/):\n\n1. advice;\n2. training.\n\n> We are \
    glad to help.\n\n- [ ] signed\n\n---\n\n| Item | Price |\n|:---|---:|\n| Advice | 10 |\n\n```\nlet x = 1;\n```\n\nH~2~O and x^2^\n\n[^1]: Both at once.\n";

/// All that a document says, style by style.
fn said(paper: &Paper) -> String {
    paper.shown().join("\n")
}

#[test]
fn job_38_a_new_document_of_markdown() {
    let bytes = from_markdown(MARKDOWN, None, &Limits::default()).unwrap();
    let found = paper(&bytes);
    let text = said(&found);
    for wanted in [
        "] Offer",
        "1.] advice;",
        "2.] training.",
        "⟦footnote 1⟧",
        "Both at once.",
        "⟦link → https://example.com/⟧our site⟦/link⟧",
        "| Advice | 10 |",
        "let x = 1;",
        "We are glad to help.",
    ] {
        assert!(text.contains(wanted), "no '{wanted}' in\n{text}");
    }
    for typed in ["[^1]", "](", "```", "---", "> We", "[ ]", "~2~", "^2^", "**"] {
        assert!(!text.contains(typed), "'{typed}' is typed into\n{text}");
    }
}

#[test]
fn job_39_to_markdown_and_back() {
    let bytes = from_markdown(MARKDOWN, None, &Limits::default()).unwrap();
    let markdown = open(&bytes).to_markdown(View::Accepted).unwrap();
    let again = from_markdown(&markdown, None, &Limits::default()).unwrap();
    assert_eq!(said(&paper(&bytes)), said(&paper(&again)), "{markdown}");
}

/// What a reader of the agreement sees is in its Markdown: notes, and where links lead.
#[test]
fn job_39_nothing_is_lost_on_the_way_to_markdown() {
    let markdown = open(&agreement()).to_markdown(View::Accepted).unwrap();
    for wanted in
        ["Note 20".replace("20", "21").as_str(), "courts of England and Wales", "| Engineer | £900 | day |"]
    {
        assert!(markdown.contains(wanted), "no '{wanted}'");
    }
    let markdown = open(&with_text_box()).to_markdown(View::Accepted).unwrap();
    for wanted in ["https://example.com/terms", "Last update: 1 May", "Seal"] {
        assert!(markdown.contains(wanted), "no '{wanted}' in\n{markdown}");
    }
}

/// A list of Markdown put behind a clause is a list of its own: the numbers of the clauses stay.
#[test]
fn job_38_a_list_at_a_clause_does_not_join_the_clauses() {
    let source = agreement();
    let at = super::number(&source, "Clause2", "Services (3/4)");
    let content = format!("{}\n\n1. first;\n2. second.", super::text_of(&source, at));
    let done = super::ask(
        &source,
        &serde_json::json!([{"op": "replace_paragraph", "paragraphIndex": at, "content": content}]),
    );
    let found = paper(&done.written);
    let numbers = |paper: &Paper| -> Vec<String> {
        paper
            .shown()
            .into_iter()
            .filter(|line| line.contains("[Heading1") || line.contains("[Clause2"))
            .filter(|line| !line.ends_with("] first;") && !line.ends_with("] second."))
            .collect()
    };
    assert_eq!(numbers(&found), numbers(&paper(&source)));
    let items: Vec<&Line> =
        found.lines.iter().filter(|line| line.text == "first;" || line.text == "second.").collect();
    assert_eq!(items.len(), 2);
    assert!(items.iter().all(|item| item.list.is_some()), "{items:?}");
    done.is_sound();
}
