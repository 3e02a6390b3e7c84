//! Rules of appending and reading entries, of closing and opening again.

use engross_store::{Append, Error, Fence, NameRow, NewSession, Session, Snapshot, Store};

use crate::fixture::{Fixture, at, empty, id, name, new, note, written};

pub fn entries_are_numbered_without_gaps(on: &dyn Fixture) {
    let store = on.open();
    on.get(store.create(new(1, "one")));
    on.get(store.create(new(2, "two")));
    assert_eq!(on.get(store.append(Append { entries: vec![note(1, "a"), note(2, "b")], ..at(1, 0) })), 2);
    assert_eq!(on.get(store.append(Append { entries: vec![note(9, "x")], ..at(2, 0) })), 1);
    assert_eq!(on.get(store.append(at(1, 2))), 2, "an append of nothing");
    assert_eq!(on.get(store.append(Append { entries: vec![note(3, "c")], ..at(1, 2) })), 3);
    let all = [written(1, 1, "a"), written(2, 2, "b"), written(3, 3, "c")];
    for (after, limit, range) in [
        (0, 9, 0..3),
        (0, 2, 0..2),
        (1, 1, 1..2),
        (2, 9, 2..3),
        (3, 9, 3..3),
        (u64::MAX, 9, 3..3),
        (0, 0, 0..0),
    ] {
        assert_eq!(on.get(store.entries(id(1), after, limit)), all[range], "after {after}, at most {limit}");
    }
    assert_eq!(on.get(store.entries(id(2), 0, usize::MAX)), [written(1, 9, "x")]);
    let session = Session { head: 3, entries: all.to_vec(), ..empty(1, "one") };
    assert_eq!(on.session(&*store, id(1)), session);
}

pub fn a_snapshot_stands_for_the_entries_before_it(on: &dyn Fixture) {
    let store = on.open();
    on.get(store.create(NewSession { snapshot: Some(b"nothing".to_vec()), ..new(1, "one") }));
    let snapshot = |seq, state: &[u8]| Some(Snapshot { seq, state: state.to_vec() });
    assert_eq!(on.session(&*store, id(1)), Session { snapshot: snapshot(0, b"nothing"), ..empty(1, "one") });
    on.get(store.append(Append { entries: vec![note(1, "a"), note(2, "b")], ..at(1, 0) }));
    let mut expected = Session {
        head: 2,
        snapshot: snapshot(0, b"nothing"),
        entries: vec![written(1, 1, "a"), written(2, 2, "b")],
        ..empty(1, "one")
    };
    assert_eq!(on.session(&*store, id(1)), expected);
    on.get(store.append(Append { entries: vec![note(3, "c")], snapshot: Some(b"abc".to_vec()), ..at(1, 2) }));
    (expected.head, expected.entries, expected.snapshot) = (3, vec![], snapshot(3, b"abc"));
    assert_eq!(on.session(&*store, id(1)), expected);
    on.get(store.append(Append { entries: vec![note(4, "d")], ..at(1, 3) }));
    (expected.head, expected.entries) = (4, vec![written(4, 4, "d")]);
    assert_eq!(on.session(&*store, id(1)), expected);
    on.get(store.append(Append { snapshot: Some(vec![]), ..at(1, 4) }));
    (expected.entries, expected.snapshot) = (vec![], snapshot(4, b""));
    assert_eq!(on.session(&*store, id(1)), expected);
    assert_eq!(on.get(store.entries(id(1), 0, 9)).len(), 4, "the entries are kept");
}

/// An append that would write everything there is to write.
fn full(number: u8, head: u64, names: &[&str]) -> Append {
    Append {
        entries: vec![note(7, "never written")],
        names: names.iter().map(|text| (name(text), b"never".to_vec())).collect(),
        snapshot: Some(b"never".to_vec()),
        wake_at: Some(Some(1)),
        ..at(number, head)
    }
}

pub fn a_refused_append_leaves_no_trace(on: &dyn Fixture) {
    let store = on.open();
    on.get(store.create(NewSession { entries: vec![note(1, "a")], ..new(1, "one") }));
    on.get(store.create(new(2, "two")));
    let taken = |text: &str, number| Error::NameTaken { name: name(text), session: id(number) };
    let conflict = |expected| Error::Conflict { session: id(1), expected, head: 1 };
    let fenced = Error::Fenced { session: id(1), fence: Fence(4), newest: Fence(0) };
    for (append, error) in [
        (full(1, 0, &["new"]), conflict(0)),
        (full(1, 2, &["new"]), conflict(2)),
        (full(1, u64::MAX >> 1, &["new"]), conflict(u64::MAX >> 1)),
        (full(1, 1, &["new", "two", "newer", "one"]), taken("two", 2)),
        (full(1, 1, &["one"]), taken("one", 1)),
        (full(1, 0, &["two"]), conflict(0)),
        (Append { fence: Some(Fence(4)), ..full(1, 0, &["two"]) }, fenced),
        (full(9, 0, &["two"]), Error::UnknownSession { session: id(9) }),
    ] {
        assert_eq!(on.error(store.append(append.clone())), error, "{append:?}");
        let session = Session { head: 1, entries: vec![written(1, 1, "a")], ..empty(1, "one") };
        assert_eq!(on.session(&*store, id(1)), session, "{append:?}");
        for text in ["new", "newer"] {
            assert_eq!(on.get(store.value(&name(text))), None, "{append:?}");
        }
        assert_eq!(on.get(store.due(9, 9)), [], "{append:?}");
    }
}

pub fn names_lead_to_the_session_they_were_appended_to(on: &dyn Fixture) {
    let store = on.open();
    on.get(store.create(new(1, "one")));
    let names = vec![(name("request-1"), b"1".to_vec()), (name("request-2"), vec![])];
    on.get(store.append(Append { names, entries: vec![note(1, "a")], ..at(1, 0) }));
    let row = NameRow { session: id(1), value: b"1".to_vec() };
    assert_eq!(on.get(store.value(&name("request-1"))), Some(row));
    let session = Session { head: 1, entries: vec![written(1, 1, "a")], ..empty(1, "one") };
    assert_eq!(on.get(store.load(&name("request-2"))), Some(session.clone()));
    assert_eq!(on.get(store.create(new(2, "request-1"))), (session, false));
}

pub fn an_unknown_session_is_told_as_such(on: &dyn Fixture) {
    let store = on.open();
    let unknown = Error::UnknownSession { session: id(1) };
    assert_eq!(on.error(store.append(at(1, 0))), unknown);
    assert_eq!(on.error(store.entries(id(1), 0, 9)), unknown);
    assert_eq!(on.error(store.lease(id(1), "me", 0, 9)), unknown);
    assert_eq!(on.error(store.release(id(1), Fence(1))), unknown);
}

pub fn a_closed_store_refuses_everything(on: &dyn Fixture) {
    let store = on.open();
    on.get(store.healthy());
    on.get(store.create(new(1, "one")));
    on.get(store.close());
    assert_eq!(on.error(store.load(&name("one"))), Error::Closed);
    assert_eq!(on.error(store.load_by_id(id(1))), Error::Closed);
    assert_eq!(on.error(store.create(new(2, "two"))), Error::Closed);
    assert_eq!(on.error(store.append(at(1, 0))), Error::Closed);
    assert_eq!(on.error(store.entries(id(1), 0, 9)), Error::Closed);
    assert_eq!(on.error(store.lease(id(1), "me", 0, 9)), Error::Closed);
    assert_eq!(on.error(store.release(id(1), Fence(1))), Error::Closed);
    assert_eq!(on.error(store.due(9, 9)), Error::Closed);
    assert_eq!(on.error(store.list(None, None, 9)), Error::Closed);
    assert_eq!(on.error(store.value(&name("one"))), Error::Closed);
    assert_eq!(on.error(store.healthy()), Error::Closed);
    assert_eq!(on.error(store.close()), Error::Closed);
}

pub fn everything_is_there_when_opened_again(on: &dyn Fixture) {
    if !on.keeps() {
        return;
    }
    let store = on.open();
    let first = NewSession { names: vec![(name("alias"), b"v".to_vec())], wake_at: Some(4), ..new(1, "one") };
    on.get(store.create(first));
    on.get(store.append(Append { entries: vec![note(1, "a")], snapshot: Some(b"s".to_vec()), ..at(1, 0) }));
    on.get(store.append(Append { entries: vec![note(2, "b")], ..at(1, 1) }));
    assert_eq!(on.get(store.lease(id(1), "me", 100, 50)), Some(Fence(1)));
    let seen = |store: &dyn Store| {
        (
            on.get(store.load(&name("alias"))),
            on.get(store.entries(id(1), 0, 9)),
            on.get(store.list(None, None, 9)),
            on.get(store.value(&name("alias"))),
            on.get(store.due(9, 9)),
        )
    };
    let before = seen(&*store);
    on.get(store.close());
    drop(store);
    let store = on.open();
    assert_eq!(seen(&*store), before);
    assert_eq!(on.get(store.lease(id(1), "you", 149, 50)), None);
    assert_eq!(on.get(store.lease(id(1), "you", 150, 50)), Some(Fence(2)));
    assert_eq!(on.get(store.append(Append { entries: vec![note(3, "c")], ..at(1, 2) })), 3);
}
