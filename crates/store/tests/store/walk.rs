//! Random walks: whatever is asked for in whatever order, the store answers as a plain model of it does.

use std::collections::{BTreeMap, BTreeSet};

use engross_store::{
    Append, Error, Fence, NameRow, NewEntry, NewSession, Session, SessionSummary, Snapshot, Store,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::fixture::{Fixture, at, id, name, new, note, written};

/// What is asked for. Sessions, names and holders are few, so that requests meet.
#[derive(Debug, Clone)]
enum Step {
    Create { session: u8, key: u8, put: PutStep },
    Append { session: u8, off: i8, fence: Option<u64>, put: PutStep },
    Lease { session: u8, holder: u8, later: u64, ttl: u64 },
    Release { session: u8, fence: u64 },
    DeleteIdle { sessions: Vec<(u8, i8)>, later: u64 },
    OpenAgain,
}

/// What is to be written.
#[derive(Debug, Clone)]
struct PutStep {
    bodies: Vec<u8>,
    names: Vec<(u8, u8)>,
    snapshot: Option<u8>,
    wake_at: Option<Option<u64>>,
}

fn put() -> impl Strategy<Value = PutStep> {
    let names = vec((0..12_u8, any::<u8>()), 0..3);
    let wake_at = option::weighted(0.3, option::of(0..50_u64));
    (vec(any::<u8>(), 0..4), names, option::weighted(0.3, any::<u8>()), wake_at)
        .prop_map(|(bodies, names, snapshot, wake_at)| PutStep { bodies, names, snapshot, wake_at })
}

fn step() -> impl Strategy<Value = Step> {
    let session = 0..5_u8;
    let off = prop_oneof![8 => Just(0_i8), 1 => Just(-1), 1 => Just(1)];
    let fence = option::weighted(0.5, 0..4_u64);
    prop_oneof![
        3 => (session.clone(), 0..12_u8, put()).prop_map(|(session, key, put)| Step::Create { session, key, put }),
        6 => (session.clone(), off, fence, put())
            .prop_map(|(session, off, fence, put)| Step::Append { session, off, fence, put }),
        3 => (session.clone(), 0..2_u8, 0..8_u64, 0..20_u64)
            .prop_map(|(session, holder, later, ttl)| Step::Lease { session, holder, later, ttl }),
        1 => (session.clone(), 0..4_u64).prop_map(|(session, fence)| Step::Release { session, fence }),
        1 => (vec((session, prop_oneof![3 => Just(0_i8), 1 => Just(-1)]), 0..4), 0..8_u64)
            .prop_map(|(sessions, later)| Step::DeleteIdle { sessions, later }),
        1 => Just(Step::OpenAgain),
    ]
}

/// What should be there. Nothing here is shared with any store.
#[derive(Default)]
struct Model {
    sessions: BTreeMap<u8, KeptFile>,
    names: BTreeMap<u8, (u8, Vec<u8>)>,
    now: u64,
}

struct KeptFile {
    key: u8,
    log: Vec<(u64, String)>,
    snapshot: Option<Snapshot>,
    wake_at: Option<u64>,
    fence: u64,
    lease: Option<(u8, u64)>,
}

fn label(number: u8) -> String {
    // Of three groups, and of none.
    match number % 4 {
        0 => format!("name {number}"),
        group => format!("key\u{1}{group}\u{1}name {number}"),
    }
}

impl PutStep {
    fn entries(&self, now: u64) -> Vec<NewEntry> {
        self.bodies.iter().map(|body| note(now, &body.to_string())).collect()
    }

    fn names(&self) -> Vec<(engross_store::Name, Vec<u8>)> {
        self.names.iter().map(|(number, value)| (name(&label(*number)), vec![*value])).collect()
    }
}

impl KeptFile {
    fn head(&self) -> u64 {
        self.log.len() as u64
    }

    fn write(&mut self, put: &PutStep, now: u64) {
        self.log.extend(put.bodies.iter().map(|body| (now, body.to_string())));
        if let Some(state) = put.snapshot {
            self.snapshot = Some(Snapshot { seq: self.head(), state: vec![state] });
        }
        if let Some(wake_at) = put.wake_at {
            self.wake_at = wake_at;
        }
    }

    fn entries(&self, after: u64) -> Vec<engross_store::Entry> {
        let numbered = (1..).zip(&self.log).filter(|(seq, _)| *seq > after);
        numbered.map(|(seq, (at, body))| written(seq, *at, body)).collect()
    }
}

impl Model {
    fn session(&self, number: u8) -> Option<Session> {
        let kept = self.sessions.get(&number)?;
        Some(Session {
            id: id(number),
            key: name(&label(kept.key)),
            head: kept.head(),
            created_at: 1000,
            wake_at: kept.wake_at,
            snapshot: kept.snapshot.clone(),
            entries: kept.entries(kept.snapshot.as_ref().map_or(0, |snapshot| snapshot.seq)),
        })
    }

    fn bind(&mut self, session: u8, names: &[(u8, u8)]) {
        for (number, value) in names {
            self.names.entry(*number).or_insert((session, vec![*value]));
        }
    }

    fn create(&mut self, session: u8, key: u8, put: &PutStep) -> Result<(Session, bool), Error> {
        let mut names = std::iter::once(&key).chain(put.names.iter().map(|(number, _)| number));
        if let Some((known, _)) = names.find_map(|number| self.names.get(number)) {
            return Ok((self.session(*known).unwrap(), false));
        }
        if let Some(kept) = self.sessions.get(&session) {
            return Err(Error::Conflict { session: id(session), expected: 0, head: kept.head() });
        }
        let mut kept = KeptFile { key, log: vec![], snapshot: None, wake_at: None, fence: 0, lease: None };
        kept.write(put, self.now);
        self.sessions.insert(session, kept);
        self.names.insert(key, (session, vec![]));
        self.bind(session, &put.names);
        Ok((self.session(session).unwrap(), true))
    }

    fn append(&mut self, request: &Append, number: u8, put: &PutStep) -> Result<u64, Error> {
        let session = request.session;
        let kept = self.sessions.get_mut(&number).ok_or(Error::UnknownSession { session })?;
        match request.fence {
            Some(fence) if fence != Fence(kept.fence) => {
                return Err(Error::Fenced { session, fence, newest: Fence(kept.fence) });
            }
            _ if request.expected_head != kept.head() => {
                let expected = request.expected_head;
                return Err(Error::Conflict { session, expected, head: kept.head() });
            }
            _ => {}
        }
        if let Some((taken, _)) = put.names.iter().find(|(taken, _)| self.names.contains_key(taken)) {
            let session = id(self.names[taken].0);
            return Err(Error::NameTaken { name: name(&label(*taken)), session });
        }
        kept.write(put, self.now);
        let head = kept.head();
        self.bind(number, &put.names);
        Ok(head)
    }

    fn lease(&mut self, session: u8, holder: u8, ttl: u64) -> Result<Option<Fence>, Error> {
        let unknown = Error::UnknownSession { session: id(session) };
        let kept = self.sessions.get_mut(&session).ok_or(unknown)?;
        match kept.lease {
            Some((other, until)) if other != holder && self.now < until => return Ok(None),
            Some((_, until)) if self.now < until => {}
            _ => kept.fence += 1,
        }
        kept.lease = Some((holder, self.now + ttl));
        Ok(Some(Fence(kept.fence)))
    }

    fn delete_idle(&mut self, wanted: &[(u8, u64)]) -> BTreeSet<u8> {
        let now = self.now;
        let is_idle =
            |kept: &KeptFile, head| kept.head() == head && kept.lease.is_none_or(|(_, until)| now >= until);
        let idle = wanted
            .iter()
            .filter(|(number, head)| self.sessions.get(number).is_some_and(|kept| is_idle(kept, *head)));
        let gone: BTreeSet<u8> = idle.map(|(number, _)| *number).collect();
        self.sessions.retain(|number, _| !gone.contains(number));
        self.names.retain(|_, (number, _)| !gone.contains(number));
        gone
    }
}

/// Takes each step on both and compares every answer, then everything that can be seen.
fn walk(on: &dyn Fixture, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut store = on.open();
    let mut model = Model { now: 100, ..Model::default() };
    for step in steps {
        match step {
            Step::Create { session, key, put } => {
                let request = NewSession {
                    names: put.names(),
                    entries: put.entries(model.now),
                    snapshot: put.snapshot.map(|state| vec![state]),
                    wake_at: put.wake_at.flatten(),
                    ..new(*session, &label(*key))
                };
                prop_assert_eq!(on.wait(store.create(request)), model.create(*session, *key, put));
            }
            Step::Append { session, off, fence, put } => {
                let head = model.sessions.get(session).map_or(0, KeptFile::head);
                let request = Append {
                    fence: fence.map(Fence),
                    entries: put.entries(model.now),
                    names: put.names(),
                    snapshot: put.snapshot.map(|state| vec![state]),
                    wake_at: put.wake_at,
                    ..at(*session, head.saturating_add_signed(i64::from(*off)))
                };
                let expected = model.append(&request, *session, put);
                prop_assert_eq!(on.wait(store.append(request)), expected);
            }
            Step::Lease { session, holder, later, ttl } => {
                model.now += later;
                let answer = on.wait(store.lease(id(*session), &label(*holder), model.now, *ttl));
                prop_assert_eq!(answer, model.lease(*session, *holder, *ttl));
            }
            Step::Release { session, fence } => {
                let expected = model.sessions.get_mut(session).map(|kept| {
                    if kept.fence == *fence {
                        kept.lease = None;
                    }
                });
                let expected = expected.ok_or(Error::UnknownSession { session: id(*session) });
                prop_assert_eq!(on.wait(store.release(id(*session), Fence(*fence))), expected);
            }
            Step::DeleteIdle { sessions, later } => {
                model.now += later;
                let head = |session| model.sessions.get(session).map_or(0, KeptFile::head);
                let wanted: Vec<(u8, u64)> = sessions
                    .iter()
                    .map(|(session, off)| (*session, head(session).saturating_add_signed(i64::from(*off))))
                    .collect();
                let ids: Vec<_> = wanted.iter().map(|(session, head)| (id(*session), *head)).collect();
                let deleted: BTreeSet<_> = on.get(store.delete_idle(&ids, model.now)).into_iter().collect();
                let expected: BTreeSet<_> = model.delete_idle(&wanted).into_iter().map(id).collect();
                prop_assert_eq!(deleted, expected);
            }
            Step::OpenAgain if on.keeps() => {
                on.get(store.close());
                store = on.open();
            }
            Step::OpenAgain => {}
        }
    }
    compare(on, &*store, &model)
}

fn compare(on: &dyn Fixture, store: &dyn Store, model: &Model) -> Result<(), TestCaseError> {
    for (number, kept) in &model.sessions {
        prop_assert_eq!(on.get(store.load_by_id(id(*number))), model.session(*number));
        prop_assert_eq!(on.get(store.entries(id(*number), 0, 999)), kept.entries(0));
    }
    for number in 0..12 {
        let expected = model.names.get(&number);
        let session =
            expected.map(|(session, value)| NameRow { session: id(*session), value: value.clone() });
        prop_assert_eq!(on.get(store.value(&name(&label(number)))), session);
        let session = expected.and_then(|(session, _)| model.session(*session));
        prop_assert_eq!(on.get(store.load(&name(&label(number)))), session);
    }
    let summary = |(number, kept): (&u8, &KeptFile)| SessionSummary {
        id: id(*number),
        key: name(&label(kept.key)),
        head: kept.head(),
        created_at: 1000,
        changed_at: kept.log.last().map_or(1000, |(at, _)| *at),
        wake_at: kept.wake_at,
    };
    let all: Vec<SessionSummary> = model.sessions.iter().rev().map(summary).collect();
    prop_assert_eq!(&on.get(store.list(None, None, 99)), &all);
    for group in ["", "1", "2", "3", "name"] {
        let of_group = all.iter().filter(|summary| summary.key.group() == group).cloned();
        prop_assert_eq!(on.get(store.list(Some(group), None, 99)), of_group.clone().collect::<Vec<_>>());
        let mut bytes = 0;
        for summary in of_group {
            bytes += on.get(store.size(summary.id));
        }
        prop_assert_eq!(on.get(store.group_size(group)), bytes);
    }
    // Later than every id here, so that what was changed decides.
    let until = 5 << 40;
    let mut oldest_first = all;
    oldest_first.reverse();
    prop_assert_eq!(on.get(store.unchanged(until, None, 99)), oldest_first);
    let mut due: Vec<_> =
        model.sessions.iter().filter_map(|(number, kept)| Some((kept.wake_at?, id(*number)))).collect();
    due.retain(|(wake_at, _)| *wake_at <= 25);
    due.sort_unstable();
    prop_assert_eq!(on.get(store.due(25, 99)), due.into_iter().map(|(_, id)| id).collect::<Vec<_>>());
    on.get(store.close());
    Ok(())
}

/// Walks `cases` times, each on an empty place.
pub fn every_answer_is_the_models<F: Fixture>(cases: u32, place: impl Fn() -> Option<F>) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let walked = TestRunner::new(config).run(&vec(step(), 1..50), |steps| match place() {
        Some(place) => walk(&place, &steps),
        None => Ok(()),
    });
    walked.unwrap();
}
