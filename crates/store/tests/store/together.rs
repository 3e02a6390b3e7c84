//! Rules of many writers at once.

use std::sync::Arc;

use engross_store::{Append, Error, Fence, NewSession, Store};
use tokio::task::JoinSet;

use crate::fixture::{Fixture, at, id, name, new, note, written};

/// Does `requests` at the same time; answers in the order of the requests.
fn all<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    on: &dyn Fixture,
    store: &Arc<dyn Store>,
    requests: impl Iterator<Item = u8>,
    request: impl Fn(Arc<dyn Store>, u8) -> F,
) -> Vec<T> {
    on.wait(async {
        let mut tasks = JoinSet::new();
        for number in requests {
            let answer = request(store.clone(), number);
            tasks.spawn(async move { (number, answer.await) });
        }
        let mut answers = tasks.join_all().await;
        answers.sort_by_key(|(number, _)| *number);
        answers.into_iter().map(|(_, answer)| answer).collect()
    })
}

pub fn one_writer_wins_each_head(on: &dyn Fixture) {
    let store = on.open();
    on.get(store.create(new(1, "one")));
    for head in 0..20 {
        let answers = all(on, &store, 0..16, |store, writer| async move {
            let entries = vec![note(u64::from(writer), "a")];
            store.append(Append { entries, ..at(1, head) }).await
        });
        let won: Vec<u64> =
            (0..).zip(&answers).filter(|(_, answer)| answer.is_ok()).map(|(writer, _)| writer).collect();
        assert_eq!(won.len(), 1, "{won:?} won head {head}");
        let conflict = Error::Conflict { session: id(1), expected: head, head: head + 1 };
        let losers = answers.iter().filter_map(|answer| answer.as_ref().err());
        assert_eq!(losers.collect::<Vec<_>>(), vec![&conflict; 15]);
        assert_eq!(on.get(store.entries(id(1), head, 9)), [written(head + 1, won[0], "a")]);
    }
}

pub fn a_bad_request_does_not_fail_its_neighbours(on: &dyn Fixture) {
    let store = on.open();
    for number in 0..40 {
        on.get(store.create(new(number, &format!("k{number}"))));
    }
    let answers = all(on, &store, 0..40, |store, number| async move {
        let names = match number % 4 {
            1 => vec![(name(&format!("n{number}")), vec![]), (name("k0"), vec![])],
            _ => vec![(name(&format!("n{number}")), vec![])],
        };
        let head = if number % 4 == 2 { 5 } else { 0 };
        store.append(Append { entries: vec![note(1, "a")], names, ..at(number, head) }).await
    });
    for (number, answer) in (0..).zip(answers) {
        let expected = match number % 4 {
            1 => Err(Error::NameTaken { name: name("k0"), session: id(0) }),
            2 => Err(Error::Conflict { session: id(number), expected: 5, head: 0 }),
            _ => Ok(1),
        };
        assert_eq!(answer, expected, "{number}");
        let found = on.get(store.value(&name(&format!("n{number}")))).is_some();
        assert_eq!(
            (found, on.session(&*store, id(number)).head),
            (expected.is_ok(), u64::from(expected.is_ok()))
        );
    }
}

pub fn a_name_is_created_once(on: &dyn Fixture) {
    let store = on.open();
    for round in 0..10 {
        let answers = all(on, &store, 0..12, |store, number| async move {
            let shared = [format!("shared {round}"), format!("shared {round}, {}", number % 3)];
            let names = shared.map(|text| (name(&text), vec![]));
            let names = if number % 2 == 0 { names.to_vec() } else { names.iter().rev().cloned().collect() };
            let key = format!("key {round} {number}");
            store.create(NewSession { names, ..new(round * 12 + number, &key) }).await.unwrap()
        });
        let made: Vec<_> = answers.iter().filter(|(_, created)| *created).collect();
        let shared = on.get(store.load(&name(&format!("shared {round}"))));
        assert_eq!(made.len(), 1, "{made:?}");
        assert_eq!(shared.as_ref(), Some(&made[0].0));
        for (session, _) in &answers {
            assert_eq!(on.get(store.load_by_id(session.id)).as_ref(), Some(session));
        }
    }
}

pub fn one_name_goes_to_one_session(on: &dyn Fixture) {
    let store = on.open();
    for number in 0..12 {
        on.get(store.create(new(number, &number.to_string())));
    }
    let answers = all(on, &store, 0..12, |store, number| async move {
        let names = vec![(name("shared"), vec![number])];
        store.append(Append { names, entries: vec![note(1, "a")], ..at(number, 0) }).await
    });
    let winner = on.get(store.value(&name("shared"))).unwrap();
    for (number, answer) in (0..).zip(answers) {
        let taken = Error::NameTaken { name: name("shared"), session: winner.session };
        assert_eq!(answer, if winner.value == [number] { Ok(1) } else { Err(taken) }, "{number}");
    }
}

pub fn one_holder_gets_a_free_lease(on: &dyn Fixture) {
    let store = on.open();
    on.get(store.create(new(1, "one")));
    for round in 1..=10 {
        let given = all(on, &store, 0..12, |store, number| async move {
            store.lease(id(1), &format!("holder {number}"), round * 100, 100).await.unwrap()
        });
        let given: Vec<Fence> = given.into_iter().flatten().collect();
        assert_eq!(given, [Fence(round)]);
    }
}
