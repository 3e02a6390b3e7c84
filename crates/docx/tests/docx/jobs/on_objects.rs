//! Jobs on headers, notes, text boxes, forms, pictures, links, contents tables and pages.

use serde_json::{Value, json};

use super::documents::{PIXEL, agreement, form, nda, prices, with_text_box};
use super::paper::Line;
use super::{ask, number, paper, text_of};

#[test]
fn job_32_headers_of_odd_even_and_first_pages() {
    let edit = |story: &str, old: &str, new: &str| json!({"op": "modify_text", "target": story, "originalText": old, "replacementText": new});
    let batch = json!([
        edit("header:default", "draft", "agreement"),
        edit("header:even", "draft", "agreement"),
        edit("header:first", "Mutual", "One-Way"),
    ]);
    ask(&nda(), &batch)
        .says(|wish| {
            wish.say_in("header:default", "draft", "agreement").say_in("header:even", "draft", "agreement");
            wish.say_in("header:first", "Mutual", "One-Way");
        })
        .is_sound();
}

#[test]
fn job_32_a_footer_is_made() {
    let batch = json!([{"op": "create_footer", "kind": "default", "content": "Strictly confidential", "untracked": "allow"}]);
    ask(&prices(), &batch)
        .says(|wish| {
            let line =
                Line { story: "footer:default".to_owned(), ..Line::body("Footer", "Strictly confidential") };
            wish.lines.push(line);
        })
        .is_sound_but_for(&["document.xml"]);
}

#[test]
fn job_33_a_footnote_is_edited_commented_and_added() {
    let source = agreement();
    let at = number(&source, "Clause2", "Services (3/1)");
    ask(
            &source,
            &json!([
                {"op": "modify_text", "target": "footnote:20", "originalText": "letter", "replacementText": "e-mail"},
                {"op": "insert_note", "kind": "footnote", "paragraphIndex": at, "afterText": "Services (3/1)", "content": "As agreed in May."},
            ]),
        )
        .says(|wish| {
            wish.say_in("footnote:20", "letter", "e-mail");
            for number in (3..=34).rev() {
                for line in &mut wish.lines {
                    line.text = line.text.replace(&format!("footnote {number}⟧"), &format!("footnote {}⟧", number + 1));
                    if line.story == format!("footnote:{number}") {
                        line.story = format!("footnote:{}", number + 1);
                    }
                }
            }
            wish.say_at("Services (3/1)", "Services (3/1)", "Services (3/1)⟦footnote 3⟧");
            let like = wish.lines.iter().position(|line| line.story == "footnote:2").unwrap();
            let note = Line { story: "footnote:3".to_owned(), text: " As agreed in May.".to_owned(), ..wish.lines[like].clone() };
            wish.lines.insert(like + 1, note);
        })
        // The note itself is no revision: Word shows none without its mark.
        .is_sound_but_for(&["footnotes.xml"]);
}

#[test]
fn job_34_a_text_box_says_the_same_in_both_forms() {
    let batch = json!([{"op": "modify_text", "target": "textbox:1/P1", "originalText": "update: 1 May", "replacementText": "revision: 2 June"}]);
    ask(&with_text_box(), &batch)
        .says(|wish| {
            wish.say_in("textbox:1", "update: 1 May", "revision: 2 June");
        })
        .is_sound();
}

#[test]
fn job_35_text_is_filled_in() {
    let fill = |tag: &str, value: &str| json!({"op": "fill_control", "tag": tag, "value": value});
    let batch = json!([fill("name", "Acme Ltd"), fill("address", "1 High Street")]);
    ask(&form(), &batch)
        .says(|wish| {
            for (label, old, new) in [
                ("Name: ", "Click to enter a name", "Acme Ltd"),
                ("Click to enter an", "Click to enter an address", "1 High Street"),
            ] {
                let at = wish.at(label);
                wish.lines[at].text = wish.lines[at].text.replace(old, new);
                wish.lines[at].looks.clear();
            }
            wish.controls[0] = "name w:text \"Acme Ltd\"".to_owned();
            wish.controls[1] = "address rich \"1 High Street\"".to_owned();
        })
        .is_sound_but_for(&["document.xml"]);
}

#[test]
fn job_35_a_choice_a_date_a_box_and_bound_data() {
    let fill = |tag: &str, value: Value| json!({"op": "fill_control", "tag": tag, "value": value, "untracked": "allow"});
    let batch = json!([
        fill("kind", json!("Partnership")),
        fill("country", json!("Ireland")),
        fill("date", json!("2026-02-28")),
        fill("accepted", json!(true)),
        fill("reference", json!("REF-77")),
    ]);
    ask(&form(), &batch)
        .says(|wish| {
            for (label, old, new) in [
                ("Kind: ", "Choose one", "Partnership"),
                ("Country: ", "Choose or type", "Ireland"),
                ("Date: ", "Choose a date", "28 February 2026"),
                ("Accepted: ", "☐", "☒"),
                ("Reference: ", "REF-1", "REF-77"),
            ] {
                let at = wish.at(label);
                wish.lines[at].text = wish.lines[at].text.replace(old, new);
                wish.lines[at].looks.clear();
            }
            wish.controls[2] = "kind w:dropDownList \"Partnership\"".to_owned();
            wish.controls[3] = "country w:comboBox \"Ireland\"".to_owned();
            wish.controls[4] = "date w:date \"28 February 2026\" on 2026-02-28".to_owned();
            wish.controls[5] = "accepted w14:checkbox \"☒\" checked".to_owned();
            wish.controls[6] = "reference w:text \"REF-77\" bound to Some(\"REF-77\")".to_owned();
        })
        .is_sound_but_for(&["document.xml", "customXml"]);
}

/// What a form does not offer, and what it locks, is not filled in.
#[test]
fn job_35_what_a_form_does_not_allow() {
    let fill = |tag: &str, value: &str| json!({"op": "fill_control", "tag": tag, "value": value, "untracked": "allow"});
    let done = ask(
        &form(),
        &json!([fill("kind", "Trust"), fill("fixed", "Changed"), fill("date", "soon"), fill("nothing", "x")]),
    );
    assert!(done.results.iter().all(|result| result.code.is_some()), "{:?}", done.results);
    done.refuses(1, "CONTENT_CONTROL_LOCKED").says_whatever_was_refused(|_| {});
    assert_eq!(done.written, done.source);
}

/// Who replaces the prompt of a control by words has filled it in.
#[test]
fn job_35_words_in_the_place_of_a_prompt() {
    let batch = json!([{"op": "modify_text", "originalText": "Click to enter a name", "replacementText": "Acme Ltd"}]);
    ask(&form(), &batch)
        .says(|wish| {
            let at = wish.at("Name: ");
            wish.lines[at].text = "Name: Acme Ltd".to_owned();
            wish.lines[at].looks.clear();
            wish.controls[0] = "name w:text \"Acme Ltd\"".to_owned();
        })
        .is_sound_but_for(&["document.xml"]);
}

/// Bytes as an operation takes them.
fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * at)) as usize % 64];
            text.push(if at <= chunk.len() { char::from(sign) } else { '=' });
        }
    }
    text
}

#[test]
fn job_37_a_picture_is_put_in_and_changed() {
    let batch = json!([
        {"op": "insert_image", "paragraphIndex": 6, "afterText": "chapter", "data": base64(PIXEL), "width": 36, "height": 18, "altText": "Chart"},
        {"op": "edit_image", "image": 1, "altText": "The seal", "untracked": "allow"},
    ]);
    ask(&with_text_box(), &batch)
        .says(|wish| {
            wish.say_at("See the chapter", "chapter", "chapter⟦image \"Chart\" 36×18 69 bytes⟧");
            let at = wish.at("Signed under");
            wish.lines[at].text = wish.lines[at].text.replace("\"Seal\"", "\"The seal\"");
        })
        .is_sound_but_for(&["document.xml"]);
}

#[test]
fn job_37_a_picture_goes() {
    ask(&with_text_box(), &json!([{"op": "delete_image", "image": 1}]))
        .says(|wish| {
            let at = wish.at("Signed under");
            wish.lines[at].text = "Signed under seal  by the board.".to_owned();
        })
        .is_sound();
}

#[test]
fn job_37_links_are_made_changed_and_taken_away() {
    let source = with_text_box();
    let link = |op: &str, fields: Value| {
        let mut link = json!({"op": op});
        link.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        json!([link])
    };
    ask(&source, &link("insert_link", json!({"paragraphIndex": 6, "textToLink": "chapter on finance", "url": "https://example.com/finance"})))
            .says(|wish| {
                wish.say_at("See the chapter", "chapter on finance", "⟦link → https://example.com/finance⟧chapter on finance⟦/link⟧");
                let at = wish.at("See the");
                wish.lines[at].looks = vec![("rStyle=Hyperlink".to_owned(), "chapter on finance".to_owned())];
            })
            .is_sound();
    ask(
        &source,
        &link(
            "edit_link",
            json!({"paragraphIndex": 4, "text": "our new terms", "url": "https://example.com/new"}),
        ),
    )
    .says(|wish| {
        let at = wish.at("Read ");
        wish.lines[at].text =
            "Read ⟦link → https://example.com/new⟧our new terms⟦/link⟧ with care.".to_owned();
        wish.lines[at].looks[0].1 = "our new terms".to_owned();
    })
    .is_sound();
    ask(&source, &link("remove_link", json!({"paragraphIndex": 4})))
        .says(|wish| {
            let at = wish.at("Read ");
            wish.lines[at].text = "Read our terms with care.".to_owned();
            wish.lines[at].looks.clear();
        })
        .is_sound();
}

#[test]
fn job_37_a_link_over_words_of_several_formats_is_one_link() {
    let source = agreement();
    let line = paper(&source).lines.iter().find(|line| line.text.starts_with('“')).unwrap().clone();
    let (term, _) = line.text.split_once(" means").unwrap();
    let link = json!([{"op": "insert_link", "paragraphIndex": line.number, "textToLink": term, "url": "https://example.com/"}]);
    let outcome = ask(&source, &link);
    let main = crate::oracle::main_part(&outcome.written);
    let links = |main: &str| main.matches("<w:hyperlink ").count();
    assert_eq!(links(&main), links(&crate::oracle::main_part(&source)) + 1);
    let told = paper(&outcome.written).lines.into_iter().find(|known| known.number == line.number).unwrap();
    let linked = format!("⟦link → https://example.com/⟧{term}⟦/link⟧ means");
    assert!(told.text.starts_with(&linked), "{}", told.text);
    // What was bold is bold in the link.
    let bold = term.trim_matches(['“', '”']);
    assert!(
        told.looks.iter().any(|(look, words)| look.split(' ').any(|part| part == "b") && words == bold),
        "{:?}",
        told.looks
    );
    outcome.is_sound();
}

#[test]
fn job_37_a_cross_reference() {
    let source = agreement();
    let (at, to) =
        (number(&source, "Clause2", "Services (3/1)"), number(&source, "Heading1", "Confidentiality"));
    let batch = json!([{"op": "insert_cross_reference", "paragraphIndex": at, "afterText": "Services (3/1)", "to": format!("P{to}"), "show": "number"}]);
    let done = ask(&source, &batch);
    let found = paper(&done.written);
    let line = &found.lines[found.at("Services (3/1)")].text;
    assert!(line.contains("→ Confidentiality⟧"), "{line}");
    let shown: Vec<&str> = found
        .fields
        .iter()
        .filter(|field| {
            field.code.contains("REF")
                && field.target.as_ref().is_some_and(|to| to.1 == "Confidentiality")
                && !field.code.contains("PAGEREF")
        })
        .map(|field| field.shown.as_str())
        .collect();
    assert!(shown.iter().all(|shown| shown.trim_end_matches('.') == "10") && shown.len() > 1, "{shown:?}");
    done.is_sound();
}

#[test]
fn job_37_a_contents_table() {
    let source = nda();
    let done = ask(&source, &json!([{"op": "insert_table_of_contents", "before": 1, "levels": "1-3"}]));
    let found = paper(&done.written);
    for title in ["1. DEFINITIONS", "2. OBLIGATIONS", "9. GOVERNING LAW"] {
        let is_entry =
            |line: &&Line| line.text.contains(title) && line.text.contains(&format!("→ #{}⟧", &title[..1]));
        assert!(found.lines.iter().any(|line| is_entry(&line)), "no entry of {title}: {:#?}", found.shown());
    }
    done.is_sound();
}

/// A whole object goes with the words around it.
#[test]
fn job_37_a_phrase_with_a_reference_in_it_goes() {
    let source = agreement();
    let at = number(&source, "Clause2", "Confidentiality (10/5)");
    let text = text_of(&source, at);
    let phrase = &text[text.find(" See also paragraph").unwrap()..];
    let done = ask(
        &source,
        &json!([{"op": "modify_text", "paragraphIndex": at, "originalText": phrase, "replacementText": ""}]),
    );
    done.says(|wish| {
        let at = wish.at("Confidentiality (10/5)");
        let text = &mut wish.lines[at].text;
        text.truncate(text.find(" See also paragraph").unwrap());
    })
    .is_sound();
}

#[test]
fn job_37_pages_and_breaks() {
    let batch = json!([{"op": "insert_break", "after": 1, "kind": "page"}]);
    let done = ask(&prices(), &batch);
    let found = paper(&done.written);
    let text: Vec<&str> = found.lines.iter().map(|line| line.text.as_str()).collect();
    assert!(text.iter().take(3).any(|text| text.contains("⟦page break⟧")), "{text:?}");
    done.is_sound();
    let batch = json!([{"op": "page_setup", "orientation": "landscape"}]);
    let done = ask(&prices(), &batch);
    done.says(|wish| {
        let at = wish.lines.len() - 1;
        wish.lines[at].text = wish.lines[at].text.replace("11906×16838 ?", "16838×11906 landscape");
    })
    .is_sound();
}
