//! Rules of leases and fences.

use engross_store::{Append, Error, Fence};

use crate::fixture::{Fixture, at, id, new, note};

pub fn one_holder_at_a_time(on: &dyn Fixture) {
    let store = on.open();
    on.get(store.create(new(1, "one")));
    for (holder, now, ttl, fence) in [
        ("a", 100, 10, Some(1)),
        ("b", 100, 10, None),
        ("b", 109, 10, None),
        ("a", 105, 10, Some(1)), // renewed until 115
        ("b", 110, 10, None),
        ("a", 106, 5, Some(1)), // shortened to 111
        ("b", 110, 10, None),
        ("b", 111, 10, Some(2)), // run out
        ("a", 112, 10, None),
        ("b", 121, 10, Some(3)), // run out, though nobody else had it
        ("A", 125, 10, None),
        ("b", 126, 50_000, Some(3)),
        ("a", 126, 10, None), // longer than the one asked for, as the holder may ask for more
        ("b", 127, i64::MAX as u64, Some(3)),
        ("b", 128, 60_020, Some(3)),
        ("a", 138, 10, None),
        ("b", 138, 60_021, Some(3)),
        ("a", 138, 10, Some(4)), // no clock that goes right has given a lease until then
        ("a", 120, 10, Some(4)), // who has it may set its clock back
    ] {
        let given = on.get(store.lease(id(1), holder, now, ttl));
        assert_eq!(given, fence.map(Fence), "{holder} at {now} for {ttl}");
    }
}

pub fn sessions_are_leased_apart(on: &dyn Fixture) {
    let store = on.open();
    for number in [1, 2] {
        on.get(store.create(new(number, &number.to_string())));
    }
    assert_eq!(on.get(store.lease(id(1), "a", 0, 10)), Some(Fence(1)));
    assert_eq!(on.get(store.lease(id(2), "b", 0, 10)), Some(Fence(1)));
    on.get(store.release(id(1), Fence(1)));
    assert_eq!(on.get(store.lease(id(2), "a", 0, 10)), None);
    assert_eq!(on.get(store.lease(id(1), "b", 0, 10)), Some(Fence(2)));
}

pub fn a_released_lease_is_free_at_once(on: &dyn Fixture) {
    let store = on.open();
    on.get(store.create(new(1, "one")));
    assert_eq!(on.get(store.lease(id(1), "a", 0, 10)), Some(Fence(1)));
    for wrong in [0, 2] {
        on.get(store.release(id(1), Fence(wrong)));
        assert_eq!(on.get(store.lease(id(1), "b", 5, 10)), None, "released with fence {wrong}");
    }
    on.get(store.release(id(1), Fence(1)));
    assert_eq!(on.get(store.lease(id(1), "a", 5, 10)), Some(Fence(2)), "the same holder begins anew");
    on.get(store.release(id(1), Fence(1)));
    assert_eq!(on.get(store.lease(id(1), "b", 5, 10)), None, "an old fence releases nothing");
    on.get(store.release(id(1), Fence(2)));
    on.get(store.release(id(1), Fence(2)));
    assert_eq!(on.get(store.lease(id(1), "b", 5, 10)), Some(Fence(3)));
}

pub fn leases_are_renewed_together_and_never_taken_anew(on: &dyn Fixture) {
    let store = on.open();
    for number in 1..=5 {
        on.get(store.create(new(number, &number.to_string())));
    }
    for number in 1..=4 {
        assert_eq!(on.get(store.lease(id(number), "a", 0, 10)), Some(Fence(1)));
    }
    on.get(store.release(id(2), Fence(1)));
    on.get(store.lease(id(3), "b", 10, 10));
    let own: Vec<_> = (1..=6).map(|number| (id(number), Fence(1))).collect();
    let renew = |now| on.get(store.renew(&own, "a", now, 20));
    assert_eq!(renew(5), [2, 3, 5, 6].map(id), "given back, taken, never had, unknown");
    assert_eq!(on.get(store.lease(id(1), "b", 24, 10)), None, "renewed until 25");
    assert_eq!(on.get(store.lease(id(2), "b", 6, 10)), Some(Fence(2)), "it was not taken anew");
    assert_eq!(on.get(store.renew(&[(id(1), Fence(2))], "a", 6, 20)), [id(1)], "another fence");
    assert_eq!(on.get(store.renew(&[(id(1), Fence(1))], "b", 6, 20)), [id(1)], "another holder");
    assert_eq!(renew(25), (1..=6).map(id).collect::<Vec<_>>(), "run out");
    assert_eq!(on.get(store.renew(&[], "a", 25, 20)), []);
}

pub fn only_the_newest_fence_writes(on: &dyn Fixture) {
    let store = on.open();
    on.get(store.create(new(1, "one")));
    let append = |fence: Option<u64>, head| {
        let entries = vec![note(1, "a")];
        store.append(Append { fence: fence.map(Fence), entries, ..at(1, head) })
    };
    let fenced = |fence, newest| Error::Fenced { session: id(1), fence: Fence(fence), newest: Fence(newest) };
    assert_eq!(on.error(append(Some(1), 0)), fenced(1, 0));
    on.get(store.lease(id(1), "a", 0, 10));
    assert_eq!(on.get(append(Some(1), 0)), 1);
    on.get(store.lease(id(1), "a", 5, 10));
    assert_eq!(on.get(append(Some(1), 1)), 2, "renewed");
    on.get(store.lease(id(1), "b", 99, 10));
    assert_eq!(on.error(append(Some(1), 2)), fenced(1, 2));
    assert_eq!(on.error(append(Some(3), 2)), fenced(3, 2), "never given out");
    assert_eq!(on.get(append(Some(2), 2)), 3);
    assert_eq!(on.get(append(None, 3)), 4, "without a fence the head alone is checked");
    on.get(store.release(id(1), Fence(2)));
    assert_eq!(on.get(append(Some(2), 4)), 5, "nobody has taken it since");
}
