//! How much room pictures and files of a conversation have.

use engross_llm::{AttachmentKind, Message, MessageAttachment};

use super::context::make_room;

/// A message with pictures of so many bytes of base64.
fn shows(text: &str, pictures: &[usize]) -> Message {
    let picture = |bytes: &usize| {
        let data = format!("R0lGODlh{}", "A".repeat(bytes - 8));
        MessageAttachment::inline(AttachmentKind::Picture, &data).unwrap()
    };
    Message::User { content: text.to_owned(), attachments: pictures.iter().map(picture).collect() }
}

/// How many pictures each message still has, and how many were told in words.
fn left(messages: &[Message], present: usize, room: usize) -> (Vec<usize>, usize) {
    let mut given: Vec<(usize, Message)> = messages.iter().cloned().enumerate().collect();
    let told = make_room(&mut given, present, room);
    for (_, message) in &given {
        let Message::User { content, attachments } = message else { panic!("only users speak here") };
        let in_words = content.matches("[a picture: image/gif").count();
        assert!(attachments.is_empty() || in_words == 0, "either the pictures or words for them");
    }
    (given.iter().map(|(_, message)| message.attachments().len()).collect(), told)
}

#[test]
fn the_newest_pictures_stay_and_words_stand_for_the_oldest() {
    let talk =
        [shows("a", &[400]), shows("b", &[]), shows("c", &[200, 200]), shows("d", &[400]), shows("e", &[])];
    assert_eq!(left(&talk, 4, 1200), (vec![1, 0, 2, 1, 0], 0));
    assert_eq!(left(&talk, 4, 1199), (vec![0, 0, 2, 1, 0], 1));
    assert_eq!(
        left(&talk, 4, 799),
        (vec![0, 0, 0, 1, 0], 3),
        "an older one has no place where a newer one has none"
    );
    assert_eq!(left(&talk, 4, 0), (vec![0, 0, 0, 0, 0], 4));
}

#[test]
fn what_the_client_sends_now_always_stays() {
    let talk = [shows("a", &[400]), shows("b", &[800])];
    assert_eq!(left(&talk, 1, 1000), (vec![0, 1], 1));
    assert_eq!(left(&talk, 0, 10), (vec![1, 1], 0), "a client that keeps the history sends all of it");
}
