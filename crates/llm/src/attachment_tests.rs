//! What is taken for a picture, a file or sound, whatever a client says that it is.

use crate::attachment::attachment_table;
use crate::{AttachmentKind, AttachmentSource, MessageAttachment, Provider, attachment_refusal};

/// A PNG of one point.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";

fn media_type(attachment: &MessageAttachment) -> &str {
    match &attachment.source {
        AttachmentSource::Inline { media_type, .. } => media_type,
        AttachmentSource::Url(_) => "",
    }
}

#[test]
fn bytes_tell_what_something_is_and_not_the_client() {
    // Said to be JPEG, as clients do that give every picture one type.
    let picture =
        MessageAttachment::at(AttachmentKind::Picture, &format!("data:image/jpeg;base64,{PNG}")).unwrap();
    assert_eq!(media_type(&picture), "image/png");
    assert_eq!(picture.bytes(), Some(68));
    let wrapped: String =
        PNG.as_bytes().chunks(20).flat_map(|line| [line, b"\r\n"].concat()).map(char::from).collect();
    let wrapped = MessageAttachment::inline(AttachmentKind::Picture, &wrapped).unwrap();
    assert_eq!(wrapped, picture, "lines that are broken mean the same");
    let unpadded = MessageAttachment::inline(AttachmentKind::Picture, PNG.trim_end_matches('=')).unwrap();
    assert_eq!(unpadded, picture, "and so does a missing padding");
    let sounds = [
        ("UklGRiQAAABXQVZFZm10IA==", "audio/wav"),
        ("//uQZAAAAAAA", "audio/mpeg"),
        ("SUQzBAAAAAAA", "audio/mpeg"),
    ];
    for (data, wanted) in sounds {
        assert_eq!(media_type(&MessageAttachment::inline(AttachmentKind::Sound, data).unwrap()), wanted);
    }
    assert_eq!(MessageAttachment::kind_of("JVBERi0xLjcK"), Some(AttachmentKind::Pdf));
    assert_eq!(MessageAttachment::kind_of(&format!("data:;base64,{PNG}")), Some(AttachmentKind::Picture));
    assert_eq!(MessageAttachment::kind_of("aGVsbG8gd29ybGQ="), None);
}

#[test]
fn what_is_no_attachment_is_refused_in_words() {
    let cases = [
        (MessageAttachment::inline(AttachmentKind::Picture, ""), "is empty"),
        (MessageAttachment::inline(AttachmentKind::Picture, "not base64!"), "is no base64"),
        (MessageAttachment::inline(AttachmentKind::Picture, "aGVsbG8gd29ybGQ="), "first bytes"),
        (MessageAttachment::inline(AttachmentKind::Picture, "JVBERi0xLjcK"), "should be a picture"),
        (MessageAttachment::at(AttachmentKind::Picture, "data:image/png"), "without a comma"),
        (MessageAttachment::at(AttachmentKind::Picture, "data:image/svg+xml,<svg/>"), "not in base64"),
        (MessageAttachment::at(AttachmentKind::Picture, "file:///etc/passwd"), "must be an https"),
        (MessageAttachment::at(AttachmentKind::Picture, "https://a b/c.png"), "must be an https"),
        (
            MessageAttachment::at(AttachmentKind::Picture, &format!("https://a/{}", "x".repeat(9000))),
            "more than",
        ),
    ];
    for (read, wanted) in cases {
        let problem = read.unwrap_err();
        assert!(problem.contains(wanted), "{problem}");
    }
}

#[test]
fn a_log_never_holds_the_bytes() {
    let picture = MessageAttachment::inline(AttachmentKind::Picture, PNG).unwrap();
    assert!(!format!("{picture:?}").contains("iVBOR"));
    assert_eq!(picture.told(), "[a picture: image/png, 68 bytes]");
    let stored = serde_json::to_string(&picture).unwrap();
    assert_eq!(serde_json::from_str::<MessageAttachment>(&stored).unwrap(), picture);
}

#[test]
fn rules_and_scripts_read_text_only() {
    let picture = MessageAttachment::inline(AttachmentKind::Picture, PNG).unwrap();
    assert!(attachment_refusal(Provider::Embedded, &picture).is_some());
    assert!(attachment_refusal(Provider::Compatible, &picture).is_none());
}

/// The guide shows the table of the code.
#[test]
fn the_guide_has_the_table() {
    let guide = include_str!("../../../docs/guide/models.md");
    assert!(
        guide.contains(&attachment_table()),
        "put this into docs/guide/models.md:\n{}",
        attachment_table()
    );
}
