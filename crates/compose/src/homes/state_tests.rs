//! Which homes a node keeps, takes and gives up, by what the database tells it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use engross_http::HomePlace;
use engross_protocol::Failure;
use engross_store::{Home, Homes, HomesSeen, Pending, Store, WriteFence};

use super::state::{HomeState, MODESTY, Moves, ONCE_IN, TTL, UNTAKEN};
use super::{BEAT, HomeKeeper, KeptFiles, Moving, OwnerFolders, SharedPlace};

const NODE: &str = "one";

fn home(owner: &str, holder: &str, remaining: Duration) -> Home {
    let address = format!("http://{holder}");
    Home { owner: owner.to_owned(), holder: holder.to_owned(), address, remaining }
}

fn owners(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn told_of(names: &[String], holder: &str) -> Vec<Home> {
    names.iter().map(|owner| home(owner, holder, TTL)).collect()
}

fn mine(names: &[String]) -> HomesSeen {
    seen(told_of(names, NODE), &[])
}

/// A node that has these homes, open.
fn having(names: &[&str], asked: Instant) -> HomeState {
    let mut state = HomeState::default();
    for name in names {
        open(&mut state, name, asked);
    }
    state
}

/// Gives a node a home, open; gives its fence.
fn open(state: &mut HomeState, owner: &str, asked: Instant) -> WriteFence {
    let fence = WriteFence::closed();
    fence.extend(asked + TTL);
    state.begin_to_open(owner, fence.clone(), asked);
    assert!(state.is_open_now(owner, asked));
    state.opened(owner);
    fence
}

fn seen(homes: Vec<Home>, nodes: &[&str]) -> HomesSeen {
    HomesSeen { homes, nodes: owners(nodes) }
}

#[test]
fn a_share_of_what_is_free_is_taken_at_once_and_the_rest_when_nobody_else_did() {
    let begun = Instant::now();
    let names: Vec<String> = (0..12).map(|number| format!("owner-{number}")).collect();
    let all: BTreeSet<String> = names.iter().cloned().collect();
    let nothing = |nodes: &[&str]| seen(vec![], nodes);
    // Alone, a node takes all, though not all at once.
    let mut state = HomeState::default();
    let moves = state.take_in(NODE, nothing(&[]), begun, &all);
    assert_eq!((moves.free.len(), moves.lost.len(), moves.unwanted.len()), (8, 0, 0));
    for owner in &moves.free {
        state.begin_to_open(owner, WriteFence::closed(), begun);
    }
    assert!(
        state.take_in(NODE, mine(&moves.free), begun, &all).free.is_empty(),
        "they are still being opened"
    );
    for owner in &moves.free {
        state.opened(owner);
    }
    assert_eq!(state.take_in(NODE, mine(&moves.free), begun + BEAT, &all).free.len(), 4);

    // Beside two others it takes a third at once, in another order than they.
    let mut state = HomeState::default();
    let first = state.take_in(NODE, nothing(&["two", "three"]), begun, &all).free;
    assert_eq!(first.len(), 4);
    let others = HomeState::default().take_in("two", nothing(&[NODE, "three"]), begun, &all).free;
    assert_ne!(first, others);
    // One that has its share leaves what is free to others for a second.
    let mut state = having(&["owner-0", "owner-1", "owner-2", "owner-3"], begun);
    let own = || seen(told_of(&names[..4], NODE), &["two", "three"]);
    let early = begun + MODESTY - Duration::from_millis(1);
    assert!(state.take_in(NODE, own(), begun, &all).free.is_empty());
    assert!(state.take_in(NODE, own(), early, &all).free.is_empty());
    assert_eq!(state.take_in(NODE, own(), begun + MODESTY, &all).free.len(), 8);
    // Those that have homes and take none any more count as well.
    let mut state = having(&["owner-0", "owner-1", "owner-2", "owner-3"], begun);
    let told =
        [told_of(&names[..4], NODE), told_of(&names[4..5], "two"), told_of(&names[5..6], "three")].concat();
    assert!(state.take_in(NODE, seen(told, &[]), begun, &all).free.is_empty());
    // Alone again, it takes the rest at once: nobody waits for its modesty.
    let told = told_of(&names[..4], NODE);
    assert_eq!(state.take_in(NODE, seen(told, &[]), begun + BEAT, &all).free.len(), 8);
}

#[test]
fn what_could_not_be_opened_is_left_alone_and_others_do_not_count_on_who_failed() {
    let begun = Instant::now();
    let after = |seconds| begun + Duration::from_secs(seconds);
    let all = owners(&["anna"]);
    let mut state = HomeState::default();
    assert!(state.takes_homes(begun));
    state.begin_to_open("anna", WriteFence::closed(), begun);
    state.give_up("anna", begun, Duration::from_secs(1), true);
    state.opened("anna");
    assert!(state.takes_homes(begun), "the database was away, and is so for all");
    assert!(state.take_in(NODE, seen(vec![], &[]), begun, &all).free.is_empty());
    assert_eq!(state.take_in(NODE, seen(vec![], &[]), after(1), &all).free, ["anna"]);
    state.give_up("anna", after(1), Duration::from_secs(5), false);
    assert!(!state.takes_homes(after(6)));
    // Others go first, and if there are none it tries again.
    assert!(state.take_in(NODE, seen(vec![], &[]), after(2), &all).free.is_empty());
    assert_eq!(state.take_in(NODE, seen(vec![], &[]), after(6), &all).free, ["anna"]);
    assert!(state.takes_homes(after(62)));
    // One that is about to end takes nothing.
    state.begin_to_close();
    assert!(!state.takes_homes(after(62)));
    assert!(state.take_in(NODE, seen(vec![], &[]), after(63), &all).free.is_empty());
}

#[test]
fn a_node_that_has_more_gives_one_away_that_nobody_uses() {
    let begun = Instant::now();
    let all = owners(&["anna", "ben", "carl"]);
    let names: Vec<String> = all.iter().cloned().collect();
    let told = || told_of(&names, NODE);
    let mut state = having(&["anna", "ben", "carl"], begun);
    // Alone, or beside one that has as many but one, it keeps them.
    assert!(state.take_in(NODE, seen(told(), &[]), begun, &all).spare.is_empty());
    let more = [told(), told_of(&["x".to_owned(), "y".to_owned()], "two")].concat();
    assert!(state.take_in(NODE, seen(more, &["two"]), begun, &all).spare.is_empty());
    let spare = |state: &mut HomeState, at| state.take_in(NODE, seen(told(), &["two"]), at, &all).spare;
    assert_eq!(spare(&mut state, begun).len(), 3);
    // One at a time, and with a pause.
    state.begin_to_give();
    assert!(spare(&mut state, begun).is_empty());

    // Who uses it keeps it here, also one that came before it was left.
    let using = state.begin_use("anna");
    assert!(!state.is_unused("anna") && state.is_unused("ben"));
    assert!(!state.begin_to_leave("anna"));
    assert_eq!(state.find(NODE, "anna", begun), HomePlace::Here);
    drop(using);
    assert!(state.begin_to_leave("anna"));
    assert_eq!(state.find(NODE, "anna", begun), HomePlace::Nowhere);
    state.stay("anna");
    assert_eq!(state.find(NODE, "anna", begun), HomePlace::Here);
    assert!(state.begin_to_leave("anna"));
    assert!(state.leave("anna", begun, Duration::from_secs(2)));
    assert!(!state.leave("anna", begun, Duration::from_secs(2)), "it is not here any more");
    assert_eq!(state.find(NODE, "anna", begun), HomePlace::Nowhere);
    // It is not asked back while it is on its way, and not taken again at once.
    let moves = state.take_in(NODE, seen(told(), &["two"]), begun + BEAT, &all);
    assert_eq!(moves, Moves::default());
    state.released("anna");
    state.has_given("anna", begun + BEAT);
    let left = || seen(told_of(&names[1..], NODE), &["two"]);
    let later = |seconds| begun + Duration::from_secs(seconds);
    assert!(state.take_in(NODE, left(), begun + 2 * BEAT, &all).free.is_empty());
    assert_eq!(state.take_in(NODE, left(), later(3), &all).free, ["anna"], "nobody took it");
    // What came back cannot be opened elsewhere: nothing is given for a while, and that not for long.
    open(&mut state, "anna", later(6));
    assert!(spare(&mut state, later(8)).is_empty());
    assert!(!spare(&mut state, later(7) + ONCE_IN).contains(&"anna".to_owned()));
    assert_eq!(spare(&mut state, later(7) + ONCE_IN).len(), 2);
    assert_eq!(spare(&mut state, later(6) + UNTAKEN).len(), 3);
    // Until another node has it the next one waits.
    let at = later(7) + UNTAKEN;
    state.begin_to_give();
    assert!(state.begin_to_leave("anna"));
    assert!(state.leave("anna", at, Duration::from_secs(2)));
    state.released("anna");
    state.has_given("anna", at);
    assert!(state.take_in(NODE, left(), at + BEAT, &all).spare.is_empty(), "it may be nowhere yet");

    // Somebody came in between: it is passed over for a while.
    let mut state = having(&["anna", "ben", "carl"], begun);
    state.begin_to_give();
    state.has_given("carl", begun);
    assert_eq!(spare(&mut state, begun + Duration::from_secs(2)).len(), 2);
    assert_eq!(spare(&mut state, begun + Duration::from_secs(31)).len(), 3);
    // Until the address is said again nobody leads here.
    let offered = || {
        let mut told = told();
        told[0].address.clear();
        seen(told, &["two"])
    };
    let unsaid = state.take_in(NODE, offered(), begun, &all).unsaid;
    assert_eq!(unsaid, [names[0].clone()]);
    state.begin_to_give();
    assert!(state.take_in(NODE, offered(), begun, &all).unsaid.is_empty(), "it is on offer");
    // What took long to open stays: people would wait for it.
    let mut state = having(&["anna", "ben"], begun);
    state.begin_to_open("carl", WriteFence::closed(), begun);
    assert!(state.is_open_now("carl", begun + Duration::from_secs(3)));
    state.opened("carl");
    assert!(!spare(&mut state, begun + Duration::from_secs(4)).contains(&"carl".to_owned()));
    assert_eq!(spare(&mut state, begun + Duration::from_secs(4)).len(), 2);
    // A node that has homes and takes none is of an older build, or about to end.
    let four = owners(&["anna", "ben", "carl", "x"]);
    let mut state = having(&["anna", "ben", "carl"], begun);
    let told = || [told_of(&names, NODE), told_of(&["x".to_owned()], "old")].concat();
    assert!(state.take_in(NODE, seen(told(), &["two"]), begun, &four).spare.is_empty());
    assert_eq!(state.take_in(NODE, seen(told(), &["two", "old"]), begun, &four).spare.len(), 3);
    // What is being given away has no address, and is waited for.
    let offered = Home { address: String::new(), ..home("anna", "two", TTL) };
    state.take_in(NODE, seen(vec![offered], &["two"]), begun, &all);
    assert_eq!(state.find(NODE, "anna", begun), HomePlace::Nowhere);
}

/// Any number of nodes that see each other: each owner has one home, and in the end all have as many.
#[test]
fn homes_spread_over_the_nodes_that_there_are() {
    let begun = Instant::now();
    let all: BTreeSet<String> = (0..20).map(|number| format!("owner-{number}")).collect();
    let names = ["one", "two", "three", "four"];
    let mut rows: BTreeMap<String, String> = BTreeMap::new();
    let mut nodes: BTreeMap<&str, HomeState> = BTreeMap::new();
    let mut moved = 0;
    for beat in 0..1_600_u32 {
        let now = begun + BEAT * beat;
        // One alone, then all, then one is away and comes back, as at an upgrade.
        match beat {
            0 => drop(nodes.insert("one", HomeState::default())),
            20 => nodes.extend(names[1..].iter().map(|name| (*name, HomeState::default()))),
            300 | 600 | 900 | 1_200 => {
                let away = names[beat as usize / 300 - 1];
                nodes.remove(away);
                rows.retain(|_, holder| holder != away);
            }
            320 | 620 | 920 | 1_220 => {
                nodes.insert(names[beat as usize / 300 - 1], HomeState::default());
            }
            _ => {}
        }
        let there: Vec<&str> = nodes.keys().copied().collect();
        for name in there.iter().copied() {
            let told = rows.iter().map(|(owner, holder)| home(owner, holder, TTL)).collect();
            let others: Vec<&str> = there.iter().copied().filter(|other| *other != name).collect();
            let state = nodes.get_mut(name).unwrap();
            let moves = state.take_in(name, seen(told, &others), now, &all);
            assert!(moves.lost.is_empty() && moves.unwanted.is_empty(), "{moves:?}");
            for owner in moves.free {
                if !rows.contains_key(&owner) {
                    rows.insert(owner.clone(), name.to_owned());
                    state.begin_to_open(&owner, WriteFence::closed(), now);
                    assert!(state.is_open_now(&owner, now));
                    state.opened(&owner);
                }
            }
            if let Some(owner) = moves.spare.first() {
                state.begin_to_give();
                assert!(state.begin_to_leave(owner));
                assert!(state.leave(owner, now, Duration::from_secs(2)));
                state.released(owner);
                state.has_given(owner, now);
                assert_eq!(rows.remove(owner).as_deref(), Some(name));
                moved += 1;
            }
        }
        if [19, 299, 319, 599, 619, 899, 1_199, 1_599].contains(&beat) {
            assert_eq!(rows.len(), 20, "at beat {beat}");
            let count = |name: &str| rows.values().filter(|holder| *holder == name).count();
            let counts: Vec<usize> = there.iter().map(|name| count(name)).collect();
            assert!(
                counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1,
                "{counts:?} at beat {beat}"
            );
        }
    }
    // Fifteen when three come, five when each comes back: none moves for nothing.
    assert!((35..=45).contains(&moved), "{moved}");
}

#[test]
fn what_somebody_else_has_is_lost_and_nothing_is_written_any_more() {
    let begun = Instant::now();
    let all = owners(&["anna", "ben"]);
    let mut state = HomeState::default();
    let (annas, bens) = (open(&mut state, "anna", begun), open(&mut state, "ben", begun));
    let told = vec![home("anna", "two", TTL), home("ben", NODE, TTL), home("carl", NODE, TTL)];
    let moves = state.take_in(NODE, seen(told, &["two"]), begun, &all);
    let (lost, unwanted) = (vec!["anna".to_owned()], vec!["carl".to_owned()]);
    let expected = Moves { lost, unwanted, ..Moves::default() };
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
    let told = || seen(vec![home("anna", NODE, Duration::ZERO), home("ben", NODE, TTL)], &[]);
    let kept = || Moves::default();
    assert_eq!(state.take_in(NODE, told(), begun, &all), kept(), "nobody has written meanwhile");
    let annas = WriteFence::closed();
    assert!(!annas.lets_write());
    state.begin_to_open("anna", annas.clone(), begun);
    state.opened("anna");
    let anna = || vec!["anna".to_owned()];
    let moves = state.take_in(NODE, told(), begun, &all);
    assert_eq!(moves, Moves { lost: anna(), unwanted: anna(), ..kept() });
    annas.extend(begun + TTL);
    assert!(!annas.is_open());
    // A home that is on its way back is not asked back twice, and not taken: it would be given back under the next one's feet.
    assert_eq!(state.take_in(NODE, told(), begun, &all), kept());
    let told = || seen(vec![home("ben", NODE, TTL)], &[]);
    assert!(state.take_in(NODE, told(), begun + 5 * BEAT, &all).free.is_empty());
    state.released("anna");
    assert_eq!(state.take_in(NODE, told(), begun + 6 * BEAT, &all).free, anna());
}

#[test]
fn a_node_says_once_that_another_one_has_its_address() {
    let begun = Instant::now();
    let mut state = HomeState::default();
    let mut says = |told: Vec<Home>, after: Duration| {
        state.take_in(NODE, seen(told, &[]), begun + after, &owners(&[]));
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

    fn renew(&self, _: &str, ttl: Duration, _: bool) -> Pending<'_, HomesSeen> {
        match self.asked.fetch_add(1, Ordering::SeqCst) {
            0 => Box::pin(std::future::pending()),
            _ => Box::pin(std::future::ready(Ok(seen(vec![home("anna", NODE, ttl)], &[])))),
        }
    }

    fn offer(&self, _: &str, _: &str) -> Pending<'_, ()> {
        Box::pin(std::future::pending())
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
    assert_eq!(keeper.renew().await.unwrap().homes, [home("anna", NODE, TTL)]);
    assert!(begun.elapsed() < TTL / 2, "{:?}", begun.elapsed());
}

#[test]
fn what_was_told_is_believed_as_long_as_it_holds() {
    let begun = Instant::now();
    let mut state = HomeState::default();
    let told = vec![home("anna", "two", Duration::from_secs(2)), home("ben", NODE, TTL)];
    state.take_in(NODE, seen(told, &["two"]), begun, &owners(&["anna"]));
    let at = |seconds| state.find(NODE, "anna", begun + Duration::from_secs(seconds));
    assert_eq!(at(1), HomePlace::At("http://two".to_owned()));
    assert_eq!(at(2), HomePlace::Nowhere);
    // What the database still calls one's own, of a time before, is nowhere until it is open.
    assert_eq!(state.find(NODE, "ben", begun), HomePlace::Nowhere);
    assert_eq!(state.find(NODE, "nobody", begun), HomePlace::Nowhere);
    let mut state = HomeState::default();
    let fence = WriteFence::closed();
    fence.extend(begun + TTL);
    state.begin_to_open("anna", fence, begun);
    assert_eq!(state.find(NODE, "anna", begun), HomePlace::Nowhere);
}
