//! Logs in memory, and who may change which.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engross_protocol::{Clock, FixedClock, SessionId, Timestamp};
use engross_store::{Error as StoreError, Name, Store};

use tokio_util::task::TaskTracker;

use super::support::{Numbers, WatchedStore};
use super::{Creation, Error, Journal, LogGuard, Machine, NewLog, Options};

const ID: SessionId = SessionId::from_bytes([1; 16]);

fn journal(store: &Arc<WatchedStore>, holder: Option<&str>) -> Journal<Numbers> {
    let clock = Arc::new(FixedClock("2026-01-31T09:30:00Z".parse().unwrap()));
    let store: Arc<dyn Store> = Arc::<WatchedStore>::clone(store);
    Journal::new(Options {
        holder: holder.map(str::to_owned),
        logs: 4,
        names: 4,
        ..Options::new(store, clock)
    })
}

fn new(id: SessionId) -> NewLog {
    NewLog { id, at: 0, key: Name::new(id.to_string()).unwrap(), names: Vec::new() }
}

async fn create(journal: &Journal<Numbers>, id: SessionId) -> LogGuard<Numbers> {
    match journal.create(journal.get(id).lock().await, new(id), &[0]).await.unwrap() {
        Creation::New(guard) => guard,
        Creation::Known(_) => panic!("it is new"),
    }
}

async fn open(journal: &Journal<Numbers>) -> Result<LogGuard<Numbers>, Error> {
    journal.open(journal.get(ID).lock().await).await
}

/// Whether another process could work on the log now.
async fn is_free(journal: &Journal<Numbers>) -> bool {
    let lock = journal.get(ID).lock().await;
    journal.open_if_free(lock).await.unwrap().is_some()
}

#[tokio::test]
async fn a_lease_is_free_at_once_when_the_log_cannot_be_read() {
    let store = Arc::new(WatchedStore::default());
    let (one, two) = (journal(&store, Some("one")), journal(&store, Some("two")));
    create(&one, ID).await.release().await;
    store.fails_to_load.store(true, Ordering::SeqCst);
    assert!(matches!(open(&one).await, Err(Error::Store(StoreError::Full { .. }))));
    store.fails_to_load.store(false, Ordering::SeqCst);
    assert!(is_free(&two).await);
}

#[tokio::test]
async fn a_lease_is_released_when_its_guard_is_dropped_and_never_one_that_was_taken_behind_it() {
    let store = Arc::new(WatchedStore::default());
    let (one, two) = (journal(&store, Some("one")), journal(&store, Some("two")));
    let guard = create(&one, ID).await;
    assert!(!is_free(&two).await);
    drop(guard);
    // The same process takes it again while the release is still to come: it waits for that.
    let mut guard = open(&one).await.unwrap();
    tokio::time::sleep(Duration::from_millis(5)).await;
    assert!(!is_free(&two).await);
    guard.apply(&1, 1);
    guard.append(&[1], Vec::new(), 1).await.unwrap();
    drop(guard);
    assert_eq!(open(&two).await.unwrap().0, [0, 1]);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_goes_away_while_it_waits_leaves_no_lease_behind() {
    let store = Arc::new(WatchedStore::default());
    let (one, two) = (journal(&store, Some("one")), journal(&store, Some("two")));
    let guard = create(&one, ID).await;
    tokio::time::timeout(Duration::from_millis(60), open(&two)).await.map(|_| ()).unwrap_err();
    guard.release().await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(is_free(&one).await);
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_lost_is_told_and_its_writer_refused() {
    let store = Arc::new(WatchedStore::default());
    let one = journal(&store, Some("one"));
    let mut guard = create(&one, ID).await;
    let lost = guard.lease_lost();
    // The lease has run out, and another process has taken it.
    let now = 1 << 50;
    store.lease(ID, "two", now, 15_000).await.unwrap().unwrap();
    tokio::time::timeout(Duration::from_secs(20), lost).await.unwrap();
    guard.apply(&1, 1);
    let refused = guard.append(&[1], Vec::new(), 1).await;
    assert!(matches!(refused, Err(Error::Store(StoreError::Fenced { .. }))));
    drop(guard);
    assert_eq!(store.fold(ID).await.0, [0]);
}

/// The time that has passed in a test, which goes on by itself where nobody does anything.
struct PassedTime(tokio::time::Instant);

impl Clock for PassedTime {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis())
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap()
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_holds_as_long_as_somebody_has_the_right_whatever_they_do() {
    let store = Arc::new(WatchedStore::default());
    let clock = Arc::new(PassedTime(tokio::time::Instant::now()));
    let options = Options::new(
        Arc::<WatchedStore>::clone(&store) as Arc<dyn Store>,
        Arc::<PassedTime>::clone(&clock) as Arc<dyn Clock>,
    );
    let one: Journal<Numbers> = Journal::new(Options { holder: Some("one".to_owned()), ..options });
    let ids: Vec<SessionId> = (1..=20).map(|number| SessionId::from_bytes([number; 16])).collect();
    let mut guards = Vec::new();
    for id in &ids {
        guards.push(create(&one, *id).await);
    }
    // Nobody asks whether they are lost.
    tokio::time::sleep(Duration::from_secs(60)).await;
    for id in &ids {
        assert_eq!(store.lease(*id, "two", clock.millis(), 10).await.unwrap(), None);
    }
    let renewals = store.renewals.load(Ordering::SeqCst);
    assert!((38..=41).contains(&renewals), "{renewals} statements for all of them together");
    for guard in guards {
        guard.release().await;
    }
    assert!(store.lease(ids[0], "two", clock.millis(), 10).await.unwrap().is_some());
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(
        store.renewals.load(Ordering::SeqCst) <= renewals + 1,
        "nothing is renewed where nothing is held"
    );
    // What comes later is renewed again.
    let guard = one.open(one.get(ids[1]).lock().await).await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(store.lease(ids[1], "two", clock.millis(), 10).await.unwrap(), None);
    drop(guard);
}

#[tokio::test]
async fn a_state_stays_in_memory_unless_it_is_ahead_of_its_log() {
    let store = Arc::new(WatchedStore::default());
    let journal = journal(&store, None);
    drop(create(&journal, ID).await);
    for number in 1..4 {
        let mut guard = open(&journal).await.unwrap();
        guard.apply(&number, 1);
        guard.append(&[number], Vec::new(), 1).await.unwrap();
    }
    assert_eq!(store.loads.load(Ordering::SeqCst), 0);
    let mut guard = open(&journal).await.unwrap();
    guard.apply(&9, 1);
    drop(guard);
    assert_eq!(open(&journal).await.unwrap().0, [0, 1, 2, 3]);
    assert_eq!(store.loads.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn logs_that_nobody_works_on_make_room_and_others_never() {
    let store = Arc::new(WatchedStore::default());
    let journal = journal(&store, None);
    let busy = create(&journal, ID).await;
    let listened = journal.get(SessionId::from_bytes([2; 16]));
    for id in 3..40 {
        drop(create(&journal, SessionId::from_bytes([id; 16])).await);
    }
    let loaded: Vec<SessionId> = journal.loaded().iter().map(|log| log.id()).collect();
    assert!(loaded.len() <= 4 && loaded.contains(&ID) && loaded.contains(&listened.id()), "{loaded:?}");
    drop(busy);
    let again = journal.create(journal.get(listened.id()).lock().await, new(ID), &[7]).await.unwrap();
    assert!(matches!(again, Creation::Known(known) if known.id == ID));
    assert_eq!(journal.find(&Name::new(ID.to_string()).unwrap()).await.unwrap().unwrap().session, ID);
}

#[tokio::test]
async fn only_so_many_wait_for_a_log() {
    let store = Arc::new(WatchedStore::default());
    let journal = journal(&store, None);
    let log = journal.get(ID);
    let held = log.lock_behind(2).await.unwrap();
    assert!(log.lock_if_idle().is_none());
    let (first, second) = (log.lock_behind(2), log.lock_behind(2));
    tokio::pin!(first, second);
    let third = async {
        tokio::task::yield_now().await;
        log.lock_behind(2).await.err()
    };
    tokio::select! {
        biased;
        _ = &mut first => panic!("it is held"),
        _ = &mut second => panic!("it is held"),
        refused = third => assert_eq!(refused, Some(Error::QueueFull { queue: 2 })),
    }
    drop(held);
    drop(first.await.unwrap());
    drop(second.await.unwrap());
}

/// A store that says whether only this process writes there.
#[tokio::test]
async fn what_is_in_memory_is_read_again_only_where_others_may_have_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite");
    let shared = |holder: &str| {
        let store = Arc::new(engross_store::SqliteStore::open_shared(&path).unwrap());
        let clock = Arc::new(FixedClock("2026-01-31T09:30:00Z".parse().unwrap()));
        let options = Options::new(Arc::<engross_store::SqliteStore>::clone(&store), clock);
        (Journal::<Numbers>::new(Options { holder: Some(holder.to_owned()), ..options }), store)
    };
    async fn add(journal: &Journal<Numbers>, number: u64) -> Vec<u64> {
        let mut guard = open(journal).await.unwrap();
        guard.apply(&number, number);
        guard.append(&[number], Vec::new(), number).await.unwrap();
        let numbers = guard.0.clone();
        guard.release().await;
        numbers
    }
    let (one, first) = shared("one");
    create(&one, ID).await.release().await;
    assert_eq!(add(&one, 1).await, [0, 1]);
    assert!(first.sole_since().is_some());
    let (two, second) = shared("two");
    assert_eq!(add(&two, 2).await, [0, 1, 2]);
    assert_eq!(add(&one, 3).await, [0, 1, 2, 3]);
    assert_eq!(add(&two, 4).await, [0, 1, 2, 3, 4]);
    drop((two, second));
    while first.sole_since().is_none() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(add(&one, 5).await, [0, 1, 2, 3, 4, 5], "the others wrote before they went");
    assert_eq!(add(&one, 6).await, [0, 1, 2, 3, 4, 5, 6]);
}

#[tokio::test]
async fn logs_give_way_by_their_bytes_the_one_that_was_asked_for_longest_ago_first() {
    let store = Arc::new(WatchedStore::default());
    let clock = Arc::new(FixedClock("2026-01-31T09:30:00Z".parse().unwrap()));
    let shared: Arc<dyn Store> = Arc::<WatchedStore>::clone(&store);
    let journal: Journal<Numbers> = Journal::new(Options { bytes: 6, ..Options::new(shared, clock) });
    let ids: Vec<SessionId> = (1..=8).map(|number| SessionId::from_bytes([number; 16])).collect();
    for id in &ids {
        // One byte each.
        create(&journal, *id).await.release().await;
    }
    assert_eq!(journal.size(), (8, 8));
    let held = journal.get(ids[0]);
    journal.trim();
    assert_eq!(journal.size(), (4, 4), "half of what may be, and the one that is held");
    assert!(journal.loaded().iter().any(|log| log.id() == held.id()));
    assert!(journal.loaded().iter().any(|log| log.id() == ids[7]), "the newest stays");
    journal.trim();
    assert_eq!(journal.size(), (4, 4), "what has room stays");
    // What nobody has asked for since a while does not.
    let uses = journal.uses();
    let asked = journal.get(ids[7]).id();
    journal.let_go(uses);
    let mut left: Vec<SessionId> = journal.loaded().iter().map(|log| log.id()).collect();
    left.sort_unstable();
    assert_eq!(left, [held.id(), asked]);
}

/// What was told of entries that were handed on.
fn handed_on(
    journal: &Journal<Numbers>,
    mut guard: LogGuard<Numbers>,
    number: u64,
) -> (tokio::task::JoinHandle<Result<(), Error>>, Arc<AtomicU64>) {
    guard.apply(&number, number);
    let (journal, first) = (journal.clone(), Arc::default());
    let told = Arc::clone(&first);
    let handing = TaskTracker::new().spawn(async move {
        let stored = move |first| AtomicU64::store(&told, first, Ordering::SeqCst);
        journal.hand_on(guard, &[number], number, stored).await
    });
    (handing, first)
}

#[tokio::test]
async fn what_is_handed_on_is_stored_with_the_next_entries_and_told_only_then() {
    for holder in [None, Some("one")] {
        let store = Arc::new(WatchedStore::default());
        let journal = journal(&store, holder);
        let (guard, loaded) = (create(&journal, ID).await, journal.get(ID));
        assert!(!journal.is_awaited(&guard));
        let next = TaskTracker::new().spawn({
            let (journal, loaded) = (journal.clone(), Arc::clone(&loaded));
            async move { journal.open_to_append(loaded.lock_behind(8).await.unwrap()).await.unwrap() }
        });
        tokio::task::yield_now().await;
        assert_eq!(
            journal.is_awaited(&guard),
            holder.is_none(),
            "a store that others may write to is not kept"
        );
        let (handing, first) = handed_on(&journal, guard, 1);
        let mut next = next.await.unwrap();
        assert!(next.has_carried());
        assert_eq!((next.0.clone(), next.head(), next.next_entry()), (vec![0, 1], 1, 3));
        tokio::task::yield_now().await;
        assert!(!handing.is_finished() && first.load(Ordering::SeqCst) == 0);
        assert_eq!(store.fold(ID).await.0, [0], "a process that ends here has told nobody of it");
        next.apply(&2, 2);
        let appends = store.appends.load(Ordering::SeqCst);
        next.append(&[2], Vec::new(), 2).await.unwrap();
        assert_eq!(first.load(Ordering::SeqCst), 2);
        handing.await.unwrap().unwrap();
        assert_eq!(store.appends.load(Ordering::SeqCst), appends + 1);
        assert_eq!(store.fold(ID).await.0, [0, 1, 2]);
        assert_eq!(store.read(ID).await.head(), 3);
        next.release().await;
        assert_eq!(open(&journal).await.unwrap().0, [0, 1, 2]);
    }
}

/// The next entries want a name that another has: what was handed on before them stands all the same, and is told as stored.
#[tokio::test]
async fn what_is_handed_on_does_not_fail_by_what_came_behind_it() {
    let store = Arc::new(WatchedStore::default());
    let journal = journal(&store, None);
    let mut guard = create(&journal, ID).await;
    let name = || vec![(Name::new("taken").unwrap(), Vec::new())];
    guard.apply(&5, 1);
    guard.append(&[5], name(), 1).await.unwrap();
    let loaded = journal.get(ID);
    let next = TaskTracker::new().spawn({
        let (journal, loaded) = (journal.clone(), Arc::clone(&loaded));
        async move { journal.open_to_append(loaded.lock_behind(8).await.unwrap()).await.unwrap() }
    });
    tokio::task::yield_now().await;
    let (handing, first) = handed_on(&journal, guard, 2);
    let mut next = next.await.unwrap();
    next.apply(&3, 3);
    assert!(next.append(&[3], name(), 3).await.is_err());
    drop(next);
    handing.await.unwrap().unwrap();
    assert_eq!(first.load(Ordering::SeqCst), 3);
    assert_eq!(store.fold(ID).await.0, [0, 5, 2]);
    assert_eq!(open(&journal).await.unwrap().0, [0, 5, 2]);
}

#[tokio::test]
async fn what_is_handed_on_is_stored_by_itself_where_the_next_comes_to_nothing() {
    for (holder, spoils) in [(None, false), (Some("one"), false), (None, true), (Some("one"), true)] {
        let store = Arc::new(WatchedStore::default());
        let journal = journal(&store, holder);
        let guard = create(&journal, ID).await;
        let (lock, other) = (journal.get(ID), journal.get(ID));
        let (waits, leaves) = (lock.lock_behind(8), other.lock_behind(8));
        tokio::pin!(waits);
        let mut leaves = Box::pin(leaves);
        assert!(
            futures_util::poll!(&mut waits).is_pending() && futures_util::poll!(&mut leaves).is_pending()
        );
        let (handing, first) = handed_on(&journal, guard, 1);
        // The first one opens it and goes away, the second waits no longer.
        let mut next = journal.open_to_append(waits.await.unwrap()).await.unwrap();
        drop(leaves);
        if spoils {
            // It has taken something in that it never appends.
            next.apply(&9, 9);
            drop(next);
        } else {
            next.release().await;
        }
        handing.await.unwrap().unwrap();
        assert_eq!(first.load(Ordering::SeqCst), 2);
        assert_eq!(store.fold(ID).await.0, [0, 1]);
        let two = self::journal(&store, Some("two"));
        assert!(is_free(&two).await, "the lease is free behind it");
        assert_eq!(open(&journal).await.unwrap().0, [0, 1]);
    }
}

#[tokio::test]
async fn whoever_does_not_append_stores_what_was_handed_on_first() {
    let store = Arc::new(WatchedStore::default());
    let journal = journal(&store, None);
    let guard = create(&journal, ID).await;
    let looks = TaskTracker::new().spawn({
        let journal = journal.clone();
        async move { open(&journal).await.map(|guard| (guard.0.clone(), guard.has_carried())) }
    });
    tokio::task::yield_now().await;
    let (handing, _) = handed_on(&journal, guard, 1);
    assert_eq!(looks.await.unwrap().unwrap(), (vec![0, 1], false));
    handing.await.unwrap().unwrap();
    assert_eq!(store.fold(ID).await.0, [0, 1]);
}

#[tokio::test]
async fn an_end_and_a_beginning_that_cannot_be_stored_are_both_told_so() {
    let store = Arc::new(WatchedStore::default());
    let journal = journal(&store, None);
    let guard = create(&journal, ID).await;
    let loaded = journal.get(ID);
    let next = loaded.lock_behind(8);
    let mut next = Box::pin(next);
    assert!(futures_util::poll!(&mut next).is_pending());
    let (handing, first) = handed_on(&journal, guard, 1);
    let mut next = journal.open_to_append(next.await.unwrap()).await.unwrap();
    store.fails_to_append.store(true, Ordering::SeqCst);
    next.apply(&2, 2);
    assert!(matches!(next.append(&[2], Vec::new(), 2).await, Err(Error::Store(StoreError::Full { .. }))));
    assert!(matches!(handing.await.unwrap(), Err(Error::Store(StoreError::Full { .. }))));
    assert_eq!(first.load(Ordering::SeqCst), 0);
    drop(next);
    store.fails_to_append.store(false, Ordering::SeqCst);
    let mut guard = open(&journal).await.unwrap();
    assert_eq!(guard.0, [0], "neither half is there");
    guard.apply(&3, 3);
    guard.append(&[3], Vec::new(), 3).await.unwrap();
    assert_eq!(store.fold(ID).await.0, [0, 3]);
}
