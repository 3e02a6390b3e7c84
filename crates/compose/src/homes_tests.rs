//! Which homes a node keeps, takes and gives up, by what the database tells it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use engross_http::HomePlace;
use engross_protocol::Failure;
use engross_store::{Home, Homes, Pending, Store, WriteFence};

use super::homes::{
    BEAT, HomeKeeper, HomeState, KeptFiles, Moves, Moving, OwnHome, OwnerFolders, SharedPlace, TTL,
};

const NODE: &str = "one";

fn home(owner: &str, holder: &str, remaining: Duration) -> Home {
    let address = format!("http://{holder}");
    Home { owner: owner.to_owned(), holder: holder.to_owned(), address, remaining }
}

fn owners(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// A node that has these homes, open.
fn having(names: &[&str], asked: Instant) -> HomeState {
    let mut state = HomeState::default();
    for name in names {
        let fence = WriteFence::closed();
        fence.extend(asked + TTL);
        state.own.insert((*name).to_owned(), OwnHome { fence, is_open: true });
    }
    state
}

#[test]
fn what_is_free_is_taken_one_after_the_other_and_later_by_who_has_more() {
    let begun = Instant::now();
    let all = owners(&["anna", "ben", "carl", "dora"]);
    let told = || vec![home("anna", "two", TTL), home("ben", "two", Duration::ZERO)];
    let mut state = HomeState::default();
    let moves = state.take_in(NODE, told(), begun, &all);
    assert_eq!(moves, Moves { lost: vec![], free: vec!["ben".to_owned()], unwanted: vec![] });
    // With a home it leaves the others to others for a while, and with more for longer, but not for ever.
    for (own, patience) in
        [(vec!["x"], BEAT), (vec!["x", "y"], 2 * BEAT), (vec!["x", "y", "z", "w"], 2 * BEAT)]
    {
        let mut state = having(&own, begun);
        let told = || own.iter().map(|own| home(own, NODE, TTL)).chain(told()).collect::<Vec<_>>();
        assert!(state.take_in(NODE, told(), begun, &all).free.is_empty());
        assert!(
            state.take_in(NODE, told(), begun + patience - Duration::from_millis(1), &all).free.is_empty()
        );
        assert_eq!(state.take_in(NODE, told(), begun + patience, &all).free, ["ben"]);
    }
    // One that could not be opened is left alone, and one that is about to end takes nothing.
    state.failed.insert("ben".to_owned(), begun + Duration::from_secs(5));
    assert_eq!(state.take_in(NODE, told(), begun, &all).free, ["carl"]);
    assert_eq!(state.take_in(NODE, told(), begun + Duration::from_secs(6), &all).free, ["ben"]);
    state.is_closing = true;
    assert!(state.take_in(NODE, told(), begun + Duration::from_secs(7), &all).free.is_empty());
}

#[test]
fn what_somebody_else_has_is_lost_and_nothing_is_written_any_more() {
    let begun = Instant::now();
    let all = owners(&["anna", "ben"]);
    let mut state = having(&["anna", "ben"], begun);
    let (annas, bens) = (state.own["anna"].fence.clone(), state.own["ben"].fence.clone());
    let told = vec![home("anna", "two", TTL), home("ben", NODE, TTL), home("carl", NODE, TTL)];
    let moves = state.take_in(NODE, told, begun, &all);
    let expected = Moves { lost: vec!["anna".to_owned()], free: vec![], unwanted: vec!["carl".to_owned()] };
    assert_eq!(moves, expected);
    assert!(!annas.is_open() && bens.is_open());
    annas.extend(begun + TTL);
    assert!(!annas.is_open(), "a fence that was shut stays so");
    assert_eq!(state.find(NODE, "anna", begun), HomePlace::At("http://two".to_owned()));
    assert_eq!(state.find(NODE, "ben", begun), HomePlace::Here);
}

/// The database was away for longer than the home held, and nobody else has taken it.
#[test]
fn what_has_met_a_closed_fence_is_opened_anew() {
    let begun = Instant::now();
    let all = owners(&["anna", "ben"]);
    let mut state = having(&["anna", "ben"], begun);
    let annas = WriteFence::closed();
    state.own.insert("anna".to_owned(), OwnHome { fence: annas.clone(), is_open: true });
    let told = || vec![home("anna", NODE, Duration::ZERO), home("ben", NODE, TTL)];
    let kept = Moves { lost: vec![], free: vec![], unwanted: vec![] };
    assert_eq!(state.take_in(NODE, told(), begun, &all), kept, "nobody has written meanwhile");
    let annas = WriteFence::closed();
    assert!(!annas.lets_write());
    state.own.insert("anna".to_owned(), OwnHome { fence: annas.clone(), is_open: true });
    let anna = || vec!["anna".to_owned()];
    let moves = state.take_in(NODE, told(), begun, &all);
    assert_eq!(moves, Moves { lost: anna(), free: vec![], unwanted: anna() });
    annas.extend(begun + TTL);
    assert!(!annas.is_open());
    // A home that is on its way back is not asked back twice, and not taken: it would be given back under the next one's feet.
    assert_eq!(state.take_in(NODE, told(), begun, &all), kept);
    let told = vec![home("ben", NODE, TTL)];
    assert!(state.take_in(NODE, told.clone(), begun + 5 * BEAT, &all).free.is_empty());
    state.released("anna");
    assert!(state.take_in(NODE, told.clone(), begun + 6 * BEAT, &all).free.is_empty());
    assert_eq!(state.take_in(NODE, told, begun + 7 * BEAT, &all).free, anna());
}

#[test]
fn a_node_says_once_that_another_one_has_its_address() {
    let begun = Instant::now();
    let mut state = HomeState::default();
    let mut says = |told: Vec<Home>, after: Duration| {
        state.take_in(NODE, told, begun + after, &owners(&[]));
        state.has_double(NODE, "http://two", begun + after)
    };
    let double = || vec![home("anna", "two", TTL)];
    // Started again, it sees the homes that it had before, until they run out.
    assert!(!says(double(), Duration::ZERO));
    assert!(!says(double(), TTL));
    assert!(!says(vec![home("anna", "two", Duration::ZERO)], 2 * TTL));
    assert!(!says(double(), 3 * TTL));
    assert!(says(double(), 5 * TTL));
    assert!(!says(double(), 6 * TTL), "once");
    assert!(!says(vec![home("anna", "three", TTL)], 7 * TTL));
}

/// A database whose first connection has died in silence.
#[derive(Default)]
struct SilentDatabase {
    asked: AtomicUsize,
}

impl Homes for SilentDatabase {
    fn take(&self, _: &str, _: &str, _: &str, _: Duration) -> Pending<'_, bool> {
        Box::pin(std::future::pending())
    }

    fn renew(&self, _: &str, ttl: Duration) -> Pending<'_, Vec<Home>> {
        match self.asked.fetch_add(1, Ordering::SeqCst) {
            0 => Box::pin(std::future::pending()),
            _ => Box::pin(std::future::ready(Ok(vec![home("anna", NODE, ttl)]))),
        }
    }

    fn release(&self, _: &str, _: &str) -> Pending<'_, ()> {
        Box::pin(std::future::pending())
    }
}

struct SilentPlace;

impl SharedPlace for SilentPlace {
    fn homes(&self) -> Arc<dyn Homes> {
        Arc::<SilentDatabase>::default()
    }

    fn logs<'a>(&'a self, _: &'a str, _: &'static str) -> Pending<'a, Arc<dyn Store>> {
        Box::pin(std::future::pending())
    }

    fn files<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
        _: OwnerFolders,
        _: &WriteFence,
    ) -> Moving<'a, Result<Option<Arc<dyn KeptFiles>>, Failure>> {
        Box::pin(std::future::pending())
    }

    fn follow<'a>(&'a self, _: &'a str, _: &'a str, _: OwnerFolders) -> Moving<'a, ()> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn one_silent_connection_costs_no_home() {
    let keeper = HomeKeeper::new(Arc::new(SilentPlace), NODE.to_owned(), "http://one".to_owned());
    let begun = Instant::now();
    assert_eq!(keeper.renew().await.unwrap(), [home("anna", NODE, TTL)]);
    assert!(begun.elapsed() < TTL / 2, "{:?}", begun.elapsed());
}

#[test]
fn what_was_told_is_believed_as_long_as_it_holds() {
    let begun = Instant::now();
    let mut state = HomeState::default();
    let told = vec![home("anna", "two", Duration::from_secs(2)), home("ben", NODE, TTL)];
    state.take_in(NODE, told, begun, &owners(&["anna"]));
    let at = |seconds| state.find(NODE, "anna", begun + Duration::from_secs(seconds));
    assert_eq!(at(1), HomePlace::At("http://two".to_owned()));
    assert_eq!(at(2), HomePlace::Nowhere);
    // What the database still calls one's own, of a time before, is nowhere until it is open.
    assert_eq!(state.find(NODE, "ben", begun), HomePlace::Nowhere);
    assert_eq!(state.find(NODE, "nobody", begun), HomePlace::Nowhere);
    let mut state = having(&["anna"], begun);
    state.own.get_mut("anna").unwrap().is_open = false;
    assert_eq!(state.find(NODE, "anna", begun), HomePlace::Nowhere);
}
