//! Rules of creating, finding and listing sessions.

use engross_store::{Append, Error, MAX_BYTES, Name, NameRow, NewSession, SessionSummary, Snapshot};

use crate::fixture::{Fixture, at, empty, id, name, new, note, written};

pub fn a_new_session_is_found_by_each_name_and_its_id(on: &dyn Fixture) {
    let store = on.open();
    let names = vec![(name("alias"), b"how".to_vec()), (name("KEY"), Vec::new()), (name("key "), vec![0])];
    let entries = vec![note(5, "one"), note(6, ""), note(7, "three")];
    let full = NewSession { names, entries, wake_at: Some(9), ..new(1, "key") };
    let session = engross_store::Session {
        head: 3,
        wake_at: Some(9),
        entries: vec![written(1, 5, "one"), written(2, 6, ""), written(3, 7, "three")],
        ..empty(1, "key")
    };
    assert_eq!(on.get(store.create(full)), (session.clone(), true));
    for known in ["key", "alias", "KEY", "key "] {
        assert_eq!(on.get(store.load(&name(known))), Some(session.clone()), "{known}");
    }
    assert_eq!(on.get(store.load_by_id(id(1))), Some(session));
    for unknown in ["Key", "ke", "key  ", "aliaſ"] {
        assert_eq!(on.get(store.load(&name(unknown))), None, "{unknown}");
        assert_eq!(on.get(store.value(&name(unknown))), None, "{unknown}");
    }
    assert_eq!(on.get(store.load_by_id(id(2))), None);
    let row = |value: &[u8]| Some(NameRow { session: id(1), value: value.to_vec() });
    assert_eq!(on.get(store.value(&name("alias"))), row(b"how"));
    assert_eq!(on.get(store.value(&name("key"))), row(b""));
    assert_eq!(on.get(store.value(&name("key "))), row(&[0]));
}

pub fn a_known_name_gives_its_session_and_writes_nothing(on: &dyn Fixture) {
    let store = on.open();
    on.get(store.create(new(1, "one")));
    on.get(store.create(NewSession { names: vec![(name("zwei"), Vec::new())], ..new(2, "two") }));
    let again = |key: &str, names: &[&str]| NewSession {
        names: names.iter().map(|text| (name(text), Vec::new())).collect(),
        entries: vec![note(1, "never written")],
        snapshot: Some(vec![1]),
        wake_at: Some(1),
        ..new(3, key)
    };
    assert_eq!(
        on.get(store.create(again("one", &["two", "new"]))),
        (empty(1, "one"), false),
        "the key first"
    );
    assert_eq!(on.get(store.create(again("new", &["other", "zwei", "one"]))), (empty(2, "two"), false));
    assert_eq!(on.get(store.create(again("two", &[]))), (empty(2, "two"), false));
    for unknown in ["new", "other"] {
        assert_eq!(on.get(store.load(&name(unknown))), None, "{unknown}");
    }
    assert_eq!(on.get(store.load_by_id(id(3))), None);
    assert_eq!(on.get(store.due(9, 9)), []);
}

pub fn a_deleted_session_is_gone_and_its_names_are_free(on: &dyn Fixture) {
    let store = on.open();
    for (number, key) in [(1, "one"), (2, "two")] {
        let names = vec![(name(&format!("alias {key}")), b"x".to_vec())];
        let entries = vec![note(5, "a"), note(6, "b")];
        on.get(store.create(NewSession { names, entries, wake_at: Some(1), ..new(number, key) }));
    }
    assert!(on.get(store.delete(id(1))));
    assert!(!on.get(store.delete(id(1))), "once");
    assert_eq!(on.get(store.load_by_id(id(1))), None);
    for gone in ["one", "alias one"] {
        assert_eq!(on.get(store.load(&name(gone))), None);
        assert_eq!(on.get(store.value(&name(gone))), None);
    }
    assert_eq!(on.error(store.entries(id(1), 0, 9)), Error::UnknownSession { session: id(1) });
    assert_eq!(on.get(store.due(9, 9)), [id(2)]);
    assert_eq!(on.get(store.entries(id(2), 0, 9)).len(), 2, "others stay");
    let (again, is_new) = on.get(store.create(NewSession { entries: vec![note(9, "new")], ..new(3, "one") }));
    assert!(is_new);
    assert_eq!((again.id, on.get(store.entries(id(3), 0, 9)).len()), (id(3), 1));
    assert_eq!(on.get(store.list(None, None, 9)).len(), 2);
}

pub fn an_id_is_used_once(on: &dyn Fixture) {
    let store = on.open();
    on.get(store.create(NewSession { entries: vec![note(1, "a")], ..new(1, "one") }));
    let error = on.error(store.create(new(1, "two")));
    assert_eq!(error, Error::Conflict { session: id(1), expected: 0, head: 1 });
    assert_eq!(on.get(store.load(&name("two"))), None);
}

pub fn a_name_given_twice_counts_once(on: &dyn Fixture) {
    let store = on.open();
    let names = [("key", "k"), ("a", "1"), ("a", "2")];
    let names = names.iter().map(|(text, value)| (name(text), value.as_bytes().to_vec())).collect();
    assert!(on.get(store.create(NewSession { names, ..new(1, "key") })).1);
    let names = [("b", "3"), ("b", "4")];
    let names = names.iter().map(|(text, value)| (name(text), value.as_bytes().to_vec())).collect();
    assert_eq!(on.get(store.append(Append { names, ..at(1, 0) })), 0);
    for (text, value) in [("key", ""), ("a", "1"), ("b", "3")] {
        let row = NameRow { session: id(1), value: value.into() };
        assert_eq!(on.get(store.value(&name(text))), Some(row), "{text}");
    }
}

pub fn a_size_is_that_of_entries_and_snapshot(on: &dyn Fixture) {
    let store = on.open();
    assert_eq!(on.error(store.size(id(1))), Error::UnknownSession { session: id(1) });
    on.get(store.create(new(1, "one")));
    assert_eq!(on.get(store.size(id(1))), 0);
    on.get(store.append(Append { entries: vec![note(1, "abc"), note(2, "ü")], ..at(1, 0) }));
    assert_eq!(on.get(store.size(id(1))), 5);
    on.get(store.append(Append { entries: vec![note(3, "x")], snapshot: Some(vec![0; 7]), ..at(1, 2) }));
    assert_eq!(on.get(store.size(id(1))), 13);
    on.get(store.append(Append { snapshot: Some(vec![0; 2]), ..at(1, 3) }));
    assert_eq!(on.get(store.size(id(1))), 8, "of the newest snapshot alone");
}

pub fn any_bytes_come_back(on: &dyn Fixture) {
    let store = on.open();
    let bytes: Vec<u8> = (0..=255).cycle().take(3 << 20).collect();
    let long = "ü".repeat(Name::MAX / 2);
    let names = ["\u{1}\u{7f}", "'; --\\", "\u{10ffff}\u{fffd}", "%_*", &long];
    let session = NewSession {
        names: names.iter().map(|text| (name(text), bytes[..1000].to_vec())).collect(),
        entries: vec![engross_store::NewEntry { kind: "müll", at: i64::MAX as u64, body: bytes.clone() }],
        snapshot: Some(bytes.clone()),
        wake_at: Some(i64::MAX as u64),
        ..new(1, "key")
    };
    on.get(store.create(session));
    for text in names {
        let session = on.get(store.load(&name(text))).unwrap();
        assert!(session.snapshot == Some(Snapshot { seq: 1, state: bytes.clone() }), "{text}");
        assert_eq!((session.wake_at, session.entries), (Some(i64::MAX as u64), vec![]));
        assert_eq!(on.get(store.value(&name(text))).unwrap().value, bytes[..1000]);
    }
    let entries = on.get(store.entries(id(1), 0, 9));
    assert_eq!((entries[0].kind.as_str(), entries[0].at), ("müll", i64::MAX as u64));
    assert!(entries[0].body == bytes);
}

pub fn requests_are_bounded(on: &dyn Fixture) {
    let store = on.open();
    on.get(store.create(new(1, "key")));
    let large = vec![0; MAX_BYTES];
    let error = Error::TooLarge { bytes: MAX_BYTES + 5, limit: MAX_BYTES };
    let entries = vec![note(1, "12345")];
    let append = Append { entries: entries.clone(), snapshot: Some(large.clone()), ..at(1, 0) };
    assert_eq!(on.error(store.append(append)), error);
    assert_eq!(on.error(store.create(NewSession { entries, snapshot: Some(large), ..new(2, "two") })), error);
    assert_eq!(on.session(&*store, id(1)), empty(1, "key"));
    assert_eq!(on.get(store.load_by_id(id(2))), None);
}

pub fn a_list_shows_the_newest_first_in_pages(on: &dyn Fixture) {
    let store = on.open();
    assert_eq!(on.get(store.list(None, None, 9)), []);
    for number in [3, 1, 200, 2] {
        let session =
            NewSession { at: u64::from(number), wake_at: Some(7), ..new(number, &format!("k{number}")) };
        on.get(store.create(session));
    }
    on.get(store.append(Append {
        entries: vec![note(50, "a"), note(40, "b")],
        wake_at: Some(None),
        snapshot: Some(vec![]),
        ..at(2, 0)
    }));
    on.get(store.append(Append { names: vec![(name("alias"), vec![])], ..at(3, 0) }));
    let summary = |number: u8| SessionSummary {
        id: id(number),
        key: name(&format!("k{number}")),
        head: 0,
        created_at: u64::from(number),
        changed_at: u64::from(number),
        wake_at: Some(7),
    };
    let two = SessionSummary { head: 2, changed_at: 40, wake_at: None, ..summary(2) };
    assert_eq!(on.get(store.list(None, None, 9)), [summary(200), summary(3), two.clone(), summary(1)]);
    assert_eq!(on.get(store.list(None, None, 2)), [summary(200), summary(3)]);
    assert_eq!(on.get(store.list(None, Some(id(3)), 2)), [two, summary(1)]);
    assert_eq!(on.get(store.list(None, Some(id(150)), 1)), [summary(3)]);
    assert_eq!(on.get(store.list(None, Some(id(1)), 2)), []);
    assert_eq!(on.get(store.list(None, None, 0)), []);
}

pub fn a_group_is_listed_and_measured_by_itself(on: &dyn Fixture) {
    let store = on.open();
    let keys = [
        (1, "key\u{1}ann\u{1}one"),
        (2, "key\u{1}anne\u{1}two"),
        (3, "key\u{1}ann\u{1}three\u{1}more"),
        (4, "key\u{1}\u{1}four"),
        (5, "five"),
        (6, "key\u{1}ann"),
        (7, "\u{1}ann\u{1}"),
        (8, "key\u{1}é'%\u{1}eight"),
    ];
    for (number, key) in keys {
        let entries = vec![note(1, &"x".repeat(usize::from(number)))];
        on.get(store.create(NewSession { entries, snapshot: Some(vec![0; 100]), ..new(number, key) }));
    }
    let ids = |group: Option<&str>, after, limit| {
        let listed = on.get(store.list(group, after, limit));
        assert!(listed.iter().all(|summary| group.is_none_or(|group| summary.key.group() == group)));
        listed.into_iter().map(|summary| summary.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(Some("ann"), None, 9), [id(7), id(6), id(3), id(1)]);
    assert_eq!(ids(Some("ann"), None, 2), [id(7), id(6)]);
    assert_eq!(ids(Some("ann"), Some(id(6)), 1), [id(3)]);
    assert_eq!(ids(Some("ann"), Some(id(1)), 9), []);
    assert_eq!(ids(Some(""), None, 9), [id(5), id(4)]);
    assert_eq!(ids(Some("é'%"), None, 9), [id(8)]);
    assert_eq!(ids(Some("Ann"), None, 9), []);
    assert_eq!(ids(None, None, 9).len(), 8);
    for (group, bytes) in [("ann", 417), ("anne", 102), ("", 209), ("an", 0)] {
        assert_eq!(on.get(store.group_size(group)), bytes, "{group}");
    }
}

pub fn old_sessions_are_found(on: &dyn Fixture) {
    let store = on.open();
    // Ids of version 7: the time, then whatever.
    let made = |at: u64, last: u8| {
        let mut bytes = [last; 16];
        bytes[..6].copy_from_slice(&at.to_be_bytes()[2..]);
        engross_store::SessionId::from_bytes(bytes)
    };
    for (number, (at, last, changed)) in
        [(1000, 0xff, 1000), (1000, 0, 5000), (2000, 7, 2000), (2001, 0, 2001), (3000, 9, 3000)]
            .into_iter()
            .enumerate()
    {
        let session = NewSession {
            id: made(at, last),
            at,
            entries: vec![note(changed, "a")],
            ..new(1, &format!("k{number}"))
        };
        assert!(on.get(store.create(session)).1);
    }
    let ids = |until, after, limit| {
        on.get(store.unchanged(until, after, limit)).into_iter().map(|old| old.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(999, None, 9), []);
    assert_eq!(ids(1000, None, 9), [made(1000, 0xff)], "one was changed later");
    assert_eq!(ids(2000, None, 9), [made(1000, 0xff), made(2000, 7)], "all that was made in this moment");
    assert_eq!(ids(5000, None, 2), [made(1000, 0), made(1000, 0xff)]);
    assert_eq!(ids(5000, Some(made(1000, 0xff)), 9), [made(2000, 7), made(2001, 0), made(3000, 9)]);
    assert_eq!(ids(2000, Some(made(3000, 9)), 9), [], "behind the end");
    assert_eq!(ids(u64::MAX >> 1, None, 9).len(), 5);
}

pub fn idle_sessions_are_deleted_together(on: &dyn Fixture) {
    let store = on.open();
    for number in 1..=6 {
        let names = vec![(name(&format!("alias {number}")), vec![number])];
        let entries = vec![note(1, "a"), note(2, "b")];
        let snapshot = Some(vec![1]);
        on.get(store.create(NewSession { names, entries, snapshot, ..new(number, &format!("k{number}")) }));
    }
    let fence = on.get(store.lease(id(2), "somebody", 100, 50)).unwrap();
    on.get(store.lease(id(3), "gone", 100, 10));
    on.get(store.append(Append { entries: vec![note(3, "c")], ..at(4, 2) }));
    let wanted = [(id(1), 2), (id(2), 2), (id(3), 2), (id(4), 2), (id(9), 0)];
    let deleted = |now| {
        let mut deleted = on.get(store.delete_idle(&wanted, now));
        deleted.sort_unstable();
        deleted
    };
    assert_eq!(deleted(120), [id(1), id(3)], "not what is leased, went on, or is unknown");
    assert_eq!(deleted(120), []);
    for (number, is_there) in [(1, false), (2, true), (3, false), (4, true), (5, true)] {
        assert_eq!(on.get(store.load_by_id(id(number))).is_some(), is_there, "{number}");
        assert_eq!(on.get(store.load(&name(&format!("alias {number}")))).is_some(), is_there, "{number}");
    }
    on.get(store.release(id(2), fence));
    assert_eq!(deleted(120), [id(2)]);
    // A lease that a clock has left which was set back.
    on.get(store.lease(id(5), "somebody", 10_000_000, 50));
    assert_eq!(on.get(store.delete_idle(&[(id(5), 2)], 100)), [id(5)]);
    assert_eq!(on.get(store.delete_idle(&[], 100)), []);
    assert!(on.get(store.create(new(7, "k1"))).1, "its names are free");
    assert_eq!(on.error(store.lease(id(2), "somebody", 100, 50)), Error::UnknownSession { session: id(2) });
}

pub fn what_is_due_comes_soonest_first(on: &dyn Fixture) {
    let store = on.open();
    for (number, wake_at) in [(1, Some(30)), (2, None), (3, Some(10)), (4, Some(20)), (5, Some(10))] {
        on.get(store.create(NewSession { wake_at, ..new(number, &number.to_string()) }));
    }
    let due = |until, limit| on.get(store.due(until, limit));
    assert_eq!(due(9, 9), []);
    assert_eq!(due(10, 9), [id(3), id(5)]);
    assert_eq!(due(i64::MAX as u64, 9), [id(3), id(5), id(4), id(1)]);
    assert_eq!(due(99, 3), [id(3), id(5), id(4)]);
    assert_eq!(due(99, 0), []);
    for (number, wake_at) in [(3, Some(None)), (2, Some(Some(5))), (4, None), (1, Some(Some(15)))] {
        on.get(store.append(Append { wake_at, ..at(number, 0) }));
    }
    assert_eq!(on.get(store.due(99, 9)), [id(2), id(5), id(1), id(4)]);
    assert_eq!(on.session(&*store, id(3)).wake_at, None);
    assert_eq!(on.session(&*store, id(1)).wake_at, Some(15));
}
