//! Jobs on words: terms, laws, blanks, headings, other scripts.

use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use super::documents::{agreement, hebrew, nda};
use super::paper::Line;
use super::{ask, number, text_of};

/// Replaces words wherever they stand in the scope.
fn everywhere(old: &str, new: &str, scope: &Value) -> Value {
    json!([{"op": "modify_text", "originalText": old, "replacementText": new, "occurrence": "all", "scope": scope}])
}

#[test]
fn job_01_a_playbook_of_edits_and_comments() {
    let source = nda();
    let modify =
        |old: &str, new: &str| json!({"op": "modify_text", "originalText": old, "replacementText": new});
    let comment =
        |on: &str, text: &str| json!({"op": "insert_comment", "textToFind": on, "commentContent": text});
    let done = ask(
        &source,
        &json!([
            modify("three (3) years", "five (5) years"),
            modify("thirty (30) days", "ten (10) days"),
            modify("lasts two years", "lasts until either party ends it"),
            modify("employees and advisers", "employees"),
            modify("may not be an adequate remedy", "are not an adequate remedy"),
            {"op": "insert_paragraph", "after": number(&source, "", "They do not apply"),
             "content": "The Receiving Party must prove that an exception applies."},
            {"op": "delete_paragraph", "paragraphIndex": number(&source, "", "No licence is granted")},
            {"op": "edit_paragraph", "paragraphIndex": number(&source, "Heading3", "6. NO LICENCE"), "newContent": "6. RESERVED"},
            {"op": "insert_paragraph", "after": number(&source, "", "The parties submit"),
             "content": "Either party may seek an injunction in any court."},
            comment("[●]", "Which purpose?"),
            comment("registered office", "And by e-mail?"),
            comment("laws of the State of Delaware", "Our playbook asks for New York."),
        ]),
    );
    done.says(|wish| {
        wish.say("three (3) years", "five (5) years").say("thirty (30) days", "ten (10) days");
        wish.say("lasts two years", "lasts until either party ends it")
            .say("employees and advisers", "employees");
        wish.say("may not be", "are not").say("6. NO LICENCE", "6. RESERVED");
        let added = Line::body("Normal", "The Receiving Party must prove that an exception applies.");
        wish.insert_after("They do not apply", [added]);
        wish.remove("No licence is granted");
        wish.insert_after(
            "The parties submit",
            [Line::body("Normal", "Either party may seek an injunction in any court.")],
        );
        let said = |on: &str, text: &str| format!("Reviewer on '{on}': {text}");
        wish.comments = vec![
            said("[●]", "Which purpose?"),
            said("registered office", "And by e-mail?"),
            said("laws of the State of Delaware", "Our playbook asks for New York."),
        ];
    })
    .is_sound();
}

#[test]
fn job_02_the_law_everywhere() {
    let done = ask(&agreement(), &everywhere("England and Wales", "Scotland", &json!("everywhere")));
    done.says(|wish| {
        wish.say("England and Wales", "Scotland");
    })
    .is_sound();
}

/// Whoever says nothing of other stories means the body, and is told of what stands elsewhere.
#[test]
fn job_02_the_law_in_the_body_and_word_of_the_rest() {
    let batch = json!([{"op": "modify_text", "originalText": "England and Wales", "replacementText": "Scotland", "occurrence": "all"}]);
    let done = ask(&agreement(), &batch);
    done.says(|wish| {
        wish.say_in("body", "England and Wales", "Scotland");
    })
    .is_sound();
    let message = done.results[0].message.as_deref().unwrap_or_default();
    assert!(message.contains("header") && message.contains("footnote"), "{message}");
}

#[test]
fn job_03_the_law_story_by_story() {
    let replace = |target: &str| json!({"op": "modify_text", "target": target, "originalText": "England and Wales", "replacementText": "Scotland"});
    let done = ask(
        &agreement(),
        &json!([
            {"op": "modify_text", "originalText": "England and Wales", "replacementText": "Scotland", "occurrence": "all"},
            replace("header:default"),
            replace("footnote:12"),
        ]),
    );
    done.says(|wish| {
        wish.say("England and Wales", "Scotland");
    })
    .is_sound();
}

#[test]
fn job_06_a_defined_term_gets_another_name() {
    let done = ask(&agreement(), &everywhere("Customer", "Client", &json!("everywhere")));
    done.says(|wish| {
        wish.say("Customer", "Client").call("Customer", "Client");
    })
    .is_sound();
    // The contents table takes the new heading when it is made anew, and the answer says that it was left.
    let told = done.results[0].message.as_deref().unwrap_or_default();
    assert!(told.contains("P6"), "the line of the contents table is not told: {told}");
}

#[test]
fn job_06_whole_words_only() {
    let batch = json!([{"op": "modify_text", "originalText": "Term", "replacementText": "Period", "occurrence": "all",
                            "wholeWord": true}]);
    let done = ask(&agreement(), &batch);
    done.says(|wish| {
        for line in wish.lines.iter_mut().filter(|line| !line.style.starts_with("TOC")) {
            for (old, new) in [
                ("the Term.", "the Period."),
                ("“Term”", "“Period”"),
                (" Term,", " Period,"),
                ("and Term", "and Period"),
            ] {
                line.say(old, new);
            }
            line.looks
                .iter_mut()
                .filter(|(_, words)| words == "Term")
                .for_each(|(_, words)| *words = "Period".to_owned());
        }
        wish.call("Commencement and Term", "Commencement and Period");
    })
    .is_sound();
}

#[test]
fn job_06_a_pattern_with_what_it_found() {
    let batch = json!([{"op": "modify_text", "pattern": "Schedule ([1-4])", "replacementText": "Annex $1", "occurrence": "all"}]);
    let done = ask(&agreement(), &batch);
    done.says(|wish| {
        for number in 1..=4 {
            let (old, new) = (format!("Schedule {number}"), format!("Annex {number}"));
            wish.say_in("body", &old, &new).call(&old, &new);
        }
    })
    .is_sound();
}

#[test]
fn job_07_a_term_where_no_contents_table_has_it() {
    let done = ask(&nda(), &everywhere("Company", "Client", &json!("everywhere")));
    done.says(|wish| {
        wish.say("Company", "Client");
    })
    .is_sound();
    let done = ask(
        &nda(),
        &everywhere("receiving party", "Recipient", &json!("body"))
            .as_array()
            .map(|all| {
                let mut all = all.clone();
                all[0]["matchCase"] = json!(false);
                json!(all)
            })
            .unwrap(),
    );
    done.says(|wish| {
        wish.say("Receiving Party", "Recipient");
    })
    .is_sound();
}

#[test]
fn job_20_a_heading_is_renamed() {
    let source = agreement();
    let heading = number(&source, "Heading1", "Confidentiality");
    let batch = json!([{"op": "modify_text", "paragraphIndex": heading, "originalText": "Confidentiality", "replacementText": "Confidential Information"}]);
    ask(&source, &batch)
        .says(|wish| {
            let at =
                wish.lines.iter().position(|line| line.style == "Heading1" && line.text == "Confidentiality");
            wish.lines[at.unwrap()].text = "Confidential Information".to_owned();
            wish.call_exactly("Confidentiality", "Confidential Information");
        })
        .is_sound();
}

/// The agent quotes the paragraph as it was read, labels of objects among the words.
#[test]
fn job_21_words_around_a_field_and_a_note_mark() {
    let source = agreement();
    for (start, old, new) in [
        ("Confidentiality (10/2)", "This is subject to", "This is without prejudice to"),
        ("Confidentiality (10/3)", "applies as well", "shall apply as well"),
    ] {
        let at = number(&source, "Clause2", start);
        let text = text_of(&source, at).replace(old, new);
        let done = ask(&source, &json!([{"op": "edit_paragraph", "paragraphIndex": at, "newContent": text}]));
        done.says(|wish| {
            wish.say_at(start, old, new);
        })
        .is_sound();
    }
}

#[test]
fn job_25_one_paragraph_becomes_three() {
    let source = nda();
    let at = number(&source, "", "Upon request");
    let parts = [
        "Upon request, the Receiving Party shall return the Confidential Information.",
        "It may destroy it instead.",
        "This is done within thirty (30) days, as set out in Section 2.",
    ];
    ask(&source, &json!([{"op": "edit_paragraph", "paragraphIndex": at, "newContent": parts.join("\n\n")}]))
        .says(|wish| {
            let at = wish.at("Upon request");
            wish.lines.splice(at..=at, parts.map(|text| Line::body("Normal", text)));
        })
        .is_sound();
}

#[test]
fn job_27_an_item_in_a_german_list() {
    let source = nda();
    let at = number(&source, "Liste", "Schulung");
    ask(&source, &json!([{"op": "insert_list_item", "afterParagraphIndex": at, "text": "Prüfung"}]))
        .says(|wish| {
            let item = wish.like("Schulung", "Prüfung");
            wish.insert_after("Schulung", [item]);
        })
        .is_sound();
}

#[test]
fn job_28_hebrew_stays_from_right_to_left() {
    let source = hebrew();
    let done = ask(
        &source,
        &json!([
            {"op": "modify_text", "originalText": "בכל חודש", "replacementText": "בכל שבוע"},
            {"op": "insert_paragraph", "after": 3, "content": "הדייר לא ישכיר את הדירה לאחר."},
            {"op": "insert_comment", "paragraphIndex": 2, "textToFind": "הדייר", "commentContent": "מי?"},
        ]),
    );
    done.says(|wish| {
        wish.say_in("body", "בכל חודש", "בכל שבוע");
        let mut line = wish.like("בעל הבית", "הדייר לא ישכיר את הדירה לאחר.");
        line.looks = vec![("rtl".to_owned(), line.text.clone())];
        wish.insert_after("בעל הבית", [line]);
        wish.comments.push("Reviewer on 'הדייר': מי?".to_owned());
    })
    .is_sound();
}

#[test]
fn job_30_chinese_is_edited_by_the_character() {
    let source = DocxBuilder::new().paragraph("甲方应在三十日内付款。").paragraph("乙方应交付货物。").build();
    ask(
        &source,
        &json!([{"op": "modify_text", "originalText": "三十日", "replacementText": "六十日"},
                             {"op": "insert_paragraph", "after": 2, "content": "本合同一式两份。"}]),
    )
    .says(|wish| {
        wish.say("三十日", "六十日");
        wish.insert_after("乙方", [Line::body("Normal", "本合同一式两份。")]);
    })
    .is_sound();
}

#[test]
fn job_36_blanks_are_filled() {
    ask(&nda(), &json!([{"op": "modify_text", "originalText": "____________", "replacementText": "Acme_Widgets Ltd", "plain": true},
                            {"op": "modify_text", "originalText": "[●]", "replacementText": "the sale of the Leeds works"}]))
            .says(|wish| {
                wish.say("____________", "Acme_Widgets Ltd").say("[●]", "the sale of the Leeds works");
            })
            .is_sound();
}
