//! Jobs on clauses: new ones, moved ones, struck ones, rewritten ones, and the references to them.

use serde_json::json;

use super::documents::{agreement, nda};
use super::paper::{Line, Paper};
use super::{JobOutcome, ask, number, paper};

const BEHIND: &str = "Data Protection";

/// Puts a clause before the eleventh.
fn with_new_clause(source: &[u8]) -> JobOutcome {
    let before = number(source, "Heading1", BEHIND);
    ask(
        source,
        &json!([
            {"op": "insert_paragraph", "before": before, "content": "Anti-Bribery", "style": "Heading1"},
            {"op": "insert_paragraph", "before": before, "content": "The Supplier shall not bribe anybody.", "style": "Clause2"},
        ]),
    )
}

/// The heading of a clause.
fn heading(paper: &Paper, title: &str) -> usize {
    let is_it = |line: &Line| line.style == "Heading1" && line.text == title;
    paper.lines.iter().position(is_it).unwrap_or_else(|| panic!("no heading {title}"))
}

fn add_new_clause(wish: &mut Paper) {
    let at = heading(wish, BEHIND);
    let like = |style: &str, text: &str| {
        let model = wish.lines.iter().find(|line| line.style == style).unwrap().clone();
        Line { text: text.to_owned(), looks: Vec::new(), ..model }
    };
    let lines = [like("Heading1", "Anti-Bribery"), like("Clause2", "The Supplier shall not bribe anybody.")];
    wish.lines.splice(at..at, lines);
}

#[test]
fn job_04_a_new_clause_in_the_middle() {
    with_new_clause(&agreement()).says(add_new_clause).is_sound();
}

/// What the references of the second clause on are called, once a clause stands before the eleventh.
fn mend_typed(wish: &mut Paper) {
    for line in wish.lines.iter_mut().filter(|line| line.story == "body" && !line.style.starts_with("TOC")) {
        for clause in (11..=31).rev() {
            line.say(&format!("Clause {clause}.2 applies"), &format!("Clause {}.2 applies", clause + 1));
            line.say(&format!("under clause {clause}"), &format!("under clause {}", clause + 1));
        }
    }
}

#[test]
fn job_05_references_follow_a_new_clause() {
    let redline = with_new_clause(&agreement()).written;
    let done = ask(&redline, &json!([{"op": "update_references"}, {"op": "update_fields"}]));
    // The pages of a contents table are known to the program that lays the document out.
    let without_contents = |paper: &mut Paper| paper.lines.retain(|line| !line.style.starts_with("TOC"));
    let mut wanted = paper(&redline);
    mend_typed(&mut wanted);
    without_contents(&mut wanted);
    let mut found = paper(&done.written);
    without_contents(&mut found);
    if let Some(difference) = super::difference(&wanted, &found) {
        panic!("{difference}");
    }
    for field in found.fields.iter().filter(|field| field.code.contains("REF _Ref")) {
        let (number, _) = field.target.as_ref().unwrap();
        assert_eq!(field.shown.trim_end_matches('.'), number.trim_end_matches('.'), "{field:?}");
    }
    done.is_sound();
}

/// The report names every typed reference that is old now, and none that mends itself.
#[test]
fn job_05_stale_references_are_told_wholly() {
    let source = agreement();
    let mut document = super::open(&source);
    let survey = document.survey();
    let before = number(&source, "Heading1", BEHIND);
    super::apply(
        &mut document,
        &json!([{"op": "insert_paragraph", "before": before, "content": "Anti-Bribery", "style": "Heading1"}]),
    );
    let effects = document.effects(&survey);
    let mut wanted = 0;
    for line in paper(&source).lines.iter().filter(|line| line.story == "body") {
        let stale = (11..=31).any(|clause| {
            line.text.contains(&format!("Clause {clause}.2 applies"))
                || line.text.contains(&format!("under clause {clause}"))
        });
        wanted += usize::from(stale);
    }
    let told: Vec<String> =
        effects.stale_references.iter().map(|it| format!("{} {}", it.address, it.names)).collect();
    assert_eq!(told.len(), wanted, "{told:#?}");
    assert!(effects.stale_references.iter().all(|reference| reference.now.is_some()), "{told:#?}");
}

#[test]
fn job_14_typed_headings_become_a_numbered_list() {
    let source = nda();
    let titles = [
        "1. DEFINITIONS",
        "2. OBLIGATIONS",
        "3. EXCEPTIONS",
        "4. RETURN",
        "5. REMEDIES",
        "6. NO LICENCE",
        "7. TERM",
        "8. NOTICES",
        "9. GOVERNING LAW",
    ];
    let places: Vec<usize> = titles.iter().map(|title| number(&source, "Heading3", title)).collect();
    ask(&source, &json!([{"op": "convert_headers_to_list", "paragraphIndices": places}]))
        .says(|wish| {
            for title in titles {
                let at = wish.at(title);
                let (typed, text) = title.split_once(' ').unwrap();
                wish.lines[at] = Line { text: text.to_owned(), ..wish.lines[at].clone() }.marked(typed);
            }
        })
        .is_sound();
}

#[test]
fn job_15_schedules_are_numbered_in_roman() {
    let source = nda();
    let places = [number(&source, "", "SCHEDULE 1"), number(&source, "", "SCHEDULE 2")];
    let batch = json!([{"op": "convert_headers_to_list", "paragraphIndices": places, "numberingFormat": "upperRoman", "newHeaderTexts": ["Leistungen", "Orte"]}]);
    ask(&source, &batch)
        .says(|wish| {
            for (old, marker, text) in [("SCHEDULE 1", "I.", "Leistungen"), ("SCHEDULE 2", "II.", "Orte")] {
                let at = wish.at(old);
                let looks = vec![("b".to_owned(), text.to_owned())];
                wish.lines[at] =
                    Line { text: text.to_owned(), looks, ..wish.lines[at].clone() }.marked(marker);
            }
        })
        .is_sound();
}

#[test]
fn job_16_a_clause_moves_and_is_still_meant() {
    let source = agreement();
    let (first, behind) =
        (number(&source, "Heading1", "Confidentiality"), number(&source, "Heading1", BEHIND));
    let before = number(&source, "Heading1", "Intellectual Property");
    let batch = json!([{"op": "move_paragraph", "paragraphIndex": first, "endParagraphIndex": behind - 1, "before": before}, {"op": "update_fields"}]);
    ask(&source, &batch)
        .says(|wish| {
            let clause: Vec<Line> =
                wish.lines.drain(heading(wish, "Confidentiality")..heading(wish, BEHIND)).collect();
            let at = heading(wish, "Intellectual Property");
            wish.lines.splice(at..at, clause);
            // So does its line in the contents table.
            let line = wish.lines.iter().position(|line| line.text.contains("10.\tConfidentiality")).unwrap();
            wish.lines.swap(line - 1, line);
            for (at, old, new) in [(line - 1, "10.", "9."), (line, "9.", "10.")] {
                wish.lines[at].text = wish.lines[at].text.replace(&format!("⟧{old}\t"), &format!("⟧{new}\t"));
            }
            // Notes are numbered in the order of their marks.
            swap_notes(wish, 9, 10);
        })
        // A note cannot have two marks: the moved one has a copy.
        .is_sound_but_for(&["footnotes.xml"]);
}

fn swap_notes(wish: &mut Paper, first: usize, second: usize) {
    let swapped = |text: &str, open: &str, close: &str| {
        let name = |number: usize| format!("{open}{number}{close}");
        text.replace(&name(first), "\u{0}")
            .replace(&name(second), &name(first))
            .replace('\u{0}', &name(second))
    };
    for line in &mut wish.lines {
        line.text = swapped(&line.text, "⟦footnote ", "⟧");
    }
    let at = |wish: &Paper, number: usize| {
        wish.lines.iter().position(|line| line.story == format!("footnote:{number}")).unwrap()
    };
    let (left, right) = (at(wish, first), at(wish, second));
    let text = wish.lines[left].text.clone();
    wish.lines[left].text = std::mem::replace(&mut wish.lines[right].text, text);
}

#[test]
fn job_16_the_last_paragraph_moves() {
    let source = nda();
    let (last, before) = (number(&source, "", "Leipzig"), number(&source, "", "SCHEDULE 2"));
    ask(&source, &json!([{"op": "move_paragraph", "paragraphIndex": last, "before": before}]))
        .says(|wish| {
            let line = wish.remove("Leipzig");
            wish.insert_before("SCHEDULE 2", [line]);
        })
        .is_sound();
}

/// Two other clauses refer to the one that goes: without a word about them it stays.
#[test]
fn job_17_a_clause_that_is_meant_elsewhere_is_not_struck_in_silence() {
    let source = agreement();
    let (first, behind) =
        (number(&source, "Heading1", "Confidentiality"), number(&source, "Heading1", BEHIND));
    let delete = json!({"op": "delete_paragraph", "paragraphIndex": first, "endParagraphIndex": behind - 1});
    ask(&source, &json!([delete])).refuses(0, "REFERENCE_BROKEN").says_whatever_was_refused(|_| {});
}

/// Strikes a clause, its notes with it.
fn strike(wish: &mut Paper) {
    let range = heading(wish, "Confidentiality")..heading(wish, BEHIND);
    wish.lines.drain(range);
    wish.lines.retain(|line| line.story != "footnote:10");
    for number in 11..=34 {
        let (old, new) = (format!("footnote {number}⟧"), format!("footnote {}⟧", number - 1));
        let (old_story, new_story) = (format!("footnote:{number}"), format!("footnote:{}", number - 1));
        for line in &mut wish.lines {
            line.text = line.text.replace(&old, &new);
            if line.story == old_story {
                line.story.clone_from(&new_story);
            }
        }
    }
}

#[test]
fn job_17_a_clause_is_struck_and_references_become_words_or_mean_another() {
    let source = agreement();
    let (first, behind) =
        (number(&source, "Heading1", "Confidentiality"), number(&source, "Heading1", BEHIND));
    for (references, label) in [
        (json!("drop"), "clause 10 ("),
        (json!({"retarget": behind}), "clause ⟦REF \\r \\h → Data Protection⟧ ("),
    ] {
        let delete = json!({"op": "delete_paragraph", "paragraphIndex": first, "endParagraphIndex": behind - 1, "references": references});
        let done = ask(&source, &json!([delete, {"op": "update_fields"}]));
        let mut wanted = paper(&source);
        strike(&mut wanted);
        for line in &mut wanted.lines {
            line.text = line.text.replace("clause ⟦REF \\r \\h → Confidentiality⟧ (", label);
        }
        let found = paper(&done.written);
        // The contents table follows.
        wanted.lines.retain(|line| !line.text.contains("10.\tConfidentiality"));
        for line in wanted.lines.iter_mut().filter(|line| line.style == "TOC1") {
            for clause in 11..=31 {
                let (old, new) = (format!("⟧{clause}.\t"), format!("⟧{}.\t", clause - 1));
                line.text = line.text.replace(&old, &new);
            }
        }
        assert_eq!(done.results[0].code, None, "{:?}", done.results);
        if let Some(difference) = super::difference(&wanted, &found) {
            panic!("{references}:\n{difference}");
        }
        done.is_sound();
    }
}

/// A new text for a clause: what is below its heading goes, its notes go, and what stands behind stays.
fn rewrite(wish: &mut Paper, title: &str, next: &str, new_title: &str, texts: &[&str]) {
    let (from, to) = (
        heading(wish, title),
        wish.lines
            .iter()
            .position(|line| line.text.starts_with(next) && line.style != "TOC1" && line.style != "Clause2"),
    );
    let model = wish.lines[from + 1].clone();
    let lines: Vec<Line> = texts
        .iter()
        .map(|text| Line { text: (*text).to_owned(), looks: Vec::new(), ..model.clone() })
        .collect();
    let gone: Vec<Line> = wish.lines.splice(from + 1..to.unwrap(), lines).collect();
    wish.lines[from].text = new_title.to_owned();
    wish.call(title, new_title);
    let mut notes: Vec<usize> = Vec::new();
    for line in gone {
        let marks = line
            .text
            .split("⟦footnote ")
            .skip(1)
            .filter_map(|rest| rest.split('⟧').next()?.parse::<usize>().ok());
        notes.extend(marks);
    }
    for note in notes.into_iter().rev() {
        wish.lines.retain(|line| line.story != format!("footnote:{note}"));
        for number in note + 1..=34 {
            for line in &mut wish.lines {
                line.text =
                    line.text.replace(&format!("footnote {number}⟧"), &format!("footnote {}⟧", number - 1));
                if line.story == format!("footnote:{number}") {
                    line.story = format!("footnote:{}", number - 1);
                }
            }
        }
    }
}

#[test]
fn job_18_the_last_clause_is_rewritten_and_schedules_stay() {
    let source = agreement();
    let at = number(&source, "Heading1", "Governing Law");
    let texts =
        ["This Agreement is governed by Scots law.", "The courts of Scotland have exclusive jurisdiction."];
    let batch = json!([{"op": "edit_section", "sectionHeaderIndex": at, "newHeaderText": "Governing Law", "newBodyParagraphs": texts}]);
    ask(&source, &batch)
        .says(|wish| {
            rewrite(wish, "Governing Law and Jurisdiction", "⟦page break⟧", "Governing Law", &texts);
        })
        .is_sound();
}

#[test]
fn job_18_a_section_with_a_typed_number_is_a_section() {
    let source = nda();
    let at = number(&source, "Heading3", "9. GOVERNING LAW");
    let batch = json!([{"op": "edit_section", "sectionHeaderIndex": at, "newBodyParagraphs": ["This Agreement is governed by the laws of New York."]}]);
    ask(&source, &batch)
        .says(|wish| {
            wish.remove("The parties submit");
            wish.say_at("This Agreement is governed", "the State of Delaware", "New York");
        })
        .is_sound();
}

#[test]
fn job_19_a_clause_with_a_reference_is_rewritten() {
    let source = agreement();
    let (at, behind) =
        (number(&source, "Heading1", "Warranties"), number(&source, "Heading1", "Indemnities"));
    let texts = ["The Supplier gives no warranty.", "The Customer accepts this."];
    let section = json!([{"op": "edit_section", "sectionHeaderIndex": at, "newBodyParagraphs": texts}]);
    let range = json!([{"op": "replace_range", "paragraphIndex": at + 1, "endParagraphIndex": behind - 1, "content": texts.join("\n\n")}]);
    for batch in [section, range] {
        ask(&source, &batch)
            .says(|wish| {
                rewrite(wish, "Warranties", "Indemnities", "Warranties", &texts);
            })
            .is_sound();
    }
}
