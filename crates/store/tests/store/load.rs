//! Writers whose work can be checked after a crash: each append is two entries, a name, a snapshot and a deadline, all
//! made from the head they leave behind.

use engross_store::{Append, NameRow, Snapshot, Store};

use crate::fixture::{at, id, name, new, note, written};

/// How many write at once, each into a session of its own.
pub const WRITERS: u8 = 5;

fn body(writer: u8, seq: u64) -> String {
    format!("{writer} {seq} ").repeat(1 + usize::try_from(seq).unwrap() * 7 % 90)
}

fn label(writer: u8, head: u64) -> String {
    format!("append {writer} {head}")
}

/// Appends from what is there, until an append fails or `told` of an acknowledged head says no.
pub async fn keep_writing(store: &dyn Store, writer: u8, told: impl Fn(u64) -> bool) {
    let Ok((session, _)) = store.create(new(writer, &format!("writer {writer}"))).await else {
        return;
    };
    for head in (session.head + 2..).step_by(2) {
        let append = Append {
            entries: [head - 1, head].map(|seq| note(seq, &body(writer, seq))).to_vec(),
            names: vec![(name(&label(writer, head)), vec![writer])],
            snapshot: Some(head.to_string().into_bytes()),
            wake_at: Some(Some(head)),
            ..at(writer, head - 2)
        };
        if store.append(append).await != Ok(head) || !told(head) {
            return;
        }
    }
}

/// Whether `writer`'s session is whole and holds what was `acknowledged`; gives its head.
pub async fn check(store: &dyn Store, writer: u8, acknowledged: u64) -> u64 {
    let Some(session) = store.load_by_id(id(writer)).await.unwrap() else {
        assert_eq!(acknowledged, 0, "{writer}: the session is lost");
        return 0;
    };
    let head = session.head;
    assert!(
        (acknowledged..=acknowledged + 2).contains(&head),
        "{writer}: {head}, but {acknowledged} is known"
    );
    assert_eq!(head % 2, 0, "{writer}: half an append");
    let entries = store.entries(id(writer), 0, usize::MAX).await.unwrap();
    let expected: Vec<_> = (1..=head).map(|seq| written(seq, seq, &body(writer, seq))).collect();
    assert!(entries == expected, "{writer}: the entries");
    let state = (head > 0).then(|| Snapshot { seq: head, state: head.to_string().into_bytes() });
    assert_eq!((session.snapshot, session.wake_at), (state, (head > 0).then_some(head)), "{writer}");
    assert_eq!(session.entries, [], "{writer}: behind the snapshot");
    for step in (2..=head).step_by(2) {
        let row = NameRow { session: id(writer), value: vec![writer] };
        assert_eq!(store.value(&name(&label(writer, step))).await.unwrap(), Some(row));
    }
    assert_eq!(store.value(&name(&label(writer, head + 2))).await.unwrap(), None);
    head
}
