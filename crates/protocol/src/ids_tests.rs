//! Ids as text, their order, and where they come from.

use crate::{CountingIds, IdSource, InvalidId, RandomIds, SessionId};

#[test]
fn text_and_bytes_are_the_same_id() {
    let ids = CountingIds::default();
    let (first, second) = (SessionId::new(&ids, 7), SessionId::new(&ids, 7));
    assert_eq!(first.to_string(), "ses_00000000000000000000000000000001");
    assert_eq!(format!("{second:?}"), "ses_00000000000000000000000000000002");
    assert_eq!("ses_00000000000000000000000000000002".parse(), Ok(second));
    assert_eq!(SessionId::from_bytes(second.to_bytes()), second);
    assert!(first < second);
    let json = serde_json::to_string(&first).unwrap();
    assert_eq!(json, r#""ses_00000000000000000000000000000001""#);
    assert_eq!(serde_json::from_str::<SessionId>(&json).unwrap(), first);
}

#[test]
fn other_texts_are_refused() {
    for text in [
        "",
        "ses_",
        "00000000000000000000000000000001",
        "ses_0000000000000000000000000000001",
        "ses_000000000000000000000000000000001",
        "ses_0000000000000000000000000000000A",
        "ses_+0000000000000000000000000000001",
        "run_00000000000000000000000000000001",
        "ses_0000000000000000000000000000000é",
    ] {
        assert_eq!(text.parse::<SessionId>(), Err(InvalidId { text: text.to_owned(), prefix: "ses_" }));
        assert!(serde_json::from_value::<SessionId>(text.into()).is_err(), "{text}");
    }
}

#[test]
fn random_ids_hold_the_time_and_never_repeat() {
    let at = 1_900_000_000_123;
    let made: std::collections::BTreeSet<[u8; 16]> = (0..1_000).map(|_| RandomIds.next(at)).collect();
    assert_eq!(made.len(), 1_000);
    for bytes in made {
        let mut time = [0; 8];
        time[2..].copy_from_slice(&bytes[..6]);
        assert_eq!(u64::from_be_bytes(time), at);
        assert_eq!((bytes[6] >> 4, bytes[8] >> 6), (7, 0b10), "version and variant");
    }
    assert!(RandomIds.next(at) < RandomIds.next(at + 1));
}
