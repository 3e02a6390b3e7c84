//! Which words are the answer.

use super::answer_text::{AnswerText, LONGEST_TEXT};

#[test]
fn case_52_the_answer_is_the_newest_message_that_has_words() {
    let mut said = AnswerText::default();
    said.hear("I shall look ");
    said.hear("at it. MEDIA:/tmp/early.png");
    said.call("c1");
    said.call("c1");
    assert_eq!(said.text, "I shall look at it. MEDIA:/tmp/early.png", "as long as nothing follows");
    said.hear("");
    said.hear("It is ");
    said.call("c1");
    said.hear("done.");
    assert_eq!(said.text, "It is done.", "news of a call that is known begins nothing");
    said.call("c2");
    assert_eq!(
        (said.text.as_str(), said.files.as_slice()),
        ("It is done.", &["/tmp/early.png".to_owned()][..])
    );
}

#[test]
fn an_answer_that_is_too_long_is_cut_once_and_says_so() {
    let mut said = AnswerText::default();
    said.hear(&"é".repeat(LONGEST_TEXT / 2 - 1));
    said.hear("xyé");
    said.hear("!");
    let (kept, told) = said.text.split_once('\n').unwrap();
    assert!(kept.ends_with("éxy") && kept.len() <= LONGEST_TEXT);
    assert_eq!(told, "[… the answer is longer than 8 MiB; the rest is left out …]");
}
