//! Which homes a node keeps, takes and gives away, by what the database tells it.
//!
//! Must never ask anybody, nor look at a clock: what it is told says when it was asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, Instant};

use engross_http::{HomePlace, HomeUse, HomeUses};
use engross_store::{Home, HomesSeen, WriteFence};

/// How long a home is a node's that says no more.
pub(super) const TTL: Duration = Duration::from_millis(3_500);

/// By how much a fence closes before the home is free, for what was asked just before.
pub(super) const MARGIN: Duration = Duration::from_millis(300);

/// How long a node that has its share of homes leaves a free one to others.
pub(super) const MODESTY: Duration = Duration::from_secs(1);

/// Homes that are opened at once, at most: each reads files, and asks the database.
const AT_ONCE: usize = 8;

/// How long a home that could not be opened speaks against a node.
const UNFIT: Duration = Duration::from_secs(60);

/// How long a node does not give a home away again: one that came back could not be opened elsewhere.
pub(super) const ONCE_IN: Duration = Duration::from_secs(120);

/// How long a free home keeps others from being given away: one that nobody can open does not for ever.
const UNSETTLED: Duration = Duration::from_secs(10);

/// How long a node waits between homes that it gives away.
const BETWEEN: Duration = Duration::from_secs(1);

/// How long a node does not give away again what nobody took: the other nodes cannot open it, or do not know the owner.
pub(super) const UNTAKEN: Duration = Duration::from_secs(3_600);

/// How long a home is passed over that somebody began to use while it was offered.
const PASSED_OVER: Duration = Duration::from_secs(30);

/// The longest opening of a home that is given away: people wait for the next one.
const SOON_OPEN: Duration = Duration::from_secs(2);

/// The homes, as a node knows them.
#[derive(Default)]
pub(super) struct HomeState {
    /// What the database told last, and when that was asked for.
    told: Vec<Home>,
    asked: Option<Instant>,
    /// The homes that this node has.
    own: BTreeMap<String, OwnHome>,
    /// Who uses what owners have here, or is about to.
    uses: BTreeMap<String, HomeUses>,
    /// Owners whose things are being opened, also when the home is lost meanwhile: they are not opened twice at once.
    opening: BTreeSet<String>,
    /// Homes that are being given back: taken meanwhile, they would be given back with what is on its way.
    releasing: BTreeSet<String>,
    /// Since when homes are seen to be free.
    free: BTreeMap<String, Instant>,
    /// Homes that are left to others for a while: they could not be opened, or were given away.
    left: BTreeMap<String, Instant>,
    /// Homes that could not be opened here for a reason that does not pass, and when.
    failed: BTreeMap<String, Instant>,
    giving: Giving,
    /// The home that was given away last, until another node has it.
    given: Option<String>,
    /// Homes that are not given away before.
    kept: BTreeMap<String, Instant>,
    /// Whether another node has this one's address.
    doubled: DoubledAddress,
    is_closing: bool,
}

/// Whether a home is being given away; one at a time.
#[derive(Default)]
enum Giving {
    #[default]
    Nothing,
    Now,
    /// Not before.
    After(Instant),
}

/// Whether another node has the address of this one.
#[derive(Default)]
enum DoubledAddress {
    #[default]
    No,
    Since(Instant),
    Reported,
}

struct OwnHome {
    fence: WriteFence,
    /// When it was taken.
    taken: Instant,
    /// How long its things took to open, if they are.
    opened_in: Option<Duration>,
    /// Whether they are being closed, since another node is to have them.
    is_leaving: bool,
}

/// What is to be done after a beat.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Moves {
    /// Homes that are lost.
    pub(super) lost: Vec<String>,
    /// Homes that are to be taken.
    pub(super) free: Vec<String>,
    /// Homes that this node has and does not want.
    pub(super) unwanted: Vec<String>,
    /// Homes whose address is to be said again: it was taken back for an offer that is over.
    pub(super) unsaid: Vec<String>,
    /// Homes one of which may be given away, since another node has fewer: the first that nobody uses.
    pub(super) spare: Vec<String>,
}

impl HomeState {
    /// Takes in what the database told of all homes, asked at `asked`; says what follows. `owners` are those of this node's keys.
    pub(super) fn take_in(
        &mut self,
        node: &str,
        seen: HomesSeen,
        asked: Instant,
        owners: &BTreeSet<String>,
    ) -> Moves {
        let HomesSeen { homes: told, nodes } = seen;
        let mine: BTreeSet<&str> =
            told.iter().filter(|home| home.holder == node).map(|home| home.owner.as_str()).collect();
        let mut lost = Vec::new();
        self.own.retain(|owner, home| {
            // What met a closed fence may have failed for good in memory, and is whole where it is stored: it is opened anew.
            let is_kept = mine.contains(owner.as_str()) && !home.fence.has_refused();
            if is_kept {
                home.fence.extend(asked + TTL - MARGIN);
            } else {
                home.fence.shut();
                lost.push(owner.clone());
            }
            is_kept
        });
        let unwanted: Vec<String> = mine
            .iter()
            .filter(|owner| !self.own.contains_key(**owner) && !self.releasing.contains(**owner))
            .map(|owner| (*owner).to_owned())
            .collect();
        self.releasing.extend(unwanted.iter().cloned());
        let others: Vec<&Home> =
            told.iter().filter(|home| home.holder != node && !home.remaining.is_zero()).collect();
        let held: BTreeSet<&str> = others.iter().map(|home| home.owner.as_str()).collect();
        let is_free = |owner: &&String| {
            let is_taken = held.contains(owner.as_str()) || self.own.contains_key(*owner);
            let is_moving = self.opening.contains(*owner) || self.releasing.contains(*owner);
            !is_taken && !is_moving && !lost.contains(*owner)
        };
        let free: BTreeSet<String> = owners.iter().filter(is_free).cloned().collect();
        if self.given.as_ref().is_some_and(|given| held.contains(given.as_str())) {
            self.given = None;
        }
        let is_silent = |home: &&Home| home.holder == node && home.address.is_empty();
        let mut unsaid = Vec::new();
        if !matches!(self.giving, Giving::Now) {
            unsaid.extend(told.iter().filter(is_silent).map(|home| home.owner.clone()));
            unsaid.retain(|owner| self.own.contains_key(owner));
        }
        // A node that takes homes and has none counts, and one that has some and takes no more.
        let there: BTreeSet<&str> =
            others.iter().map(|home| &*home.holder).chain(nodes.iter().map(|node| &**node)).collect();
        let nodes_there = there.len() + 1;
        let share = owners.len().div_ceil(nodes_there);
        let fewest = nodes.iter().map(|node| others.iter().filter(|home| home.holder == *node).count()).min();
        let ripe = self.ripe(node, &free, asked, share);
        // Several that give at once would give too much if each looked at the fewest alone.
        let has_more = |fewest| self.own.len() > fewest + 1 && self.own.len() > owners.len() / nodes_there;
        // A node that takes none has reasons, or is of a build that knows nothing of homes without an address.
        let take_all = others.iter().all(|home| nodes.contains(&home.holder));
        let gives = take_all && fewest.is_some_and(has_more);
        let spare = if gives { self.spare(node, asked) } else { Vec::new() };
        self.told = told;
        self.asked = Some(asked);
        Moves { lost, free: ripe, unwanted, unsaid, spare }
    }

    /// Which free homes are to be taken: its share at once, what is beyond when nobody else has taken it.
    fn ripe(&mut self, node: &str, free: &BTreeSet<String>, asked: Instant, share: usize) -> Vec<String> {
        self.free.retain(|owner, _| free.contains(owner));
        if self.is_closing {
            return Vec::new();
        }
        let missing = if self.is_unfit(asked) { 0 } else { share.saturating_sub(self.own.len()) };
        let mut ripe = Vec::new();
        for owner in in_order_of(node, free) {
            let since = *self.free.entry(owner.clone()).or_insert(asked);
            let is_left = self.left.get(&owner).is_some_and(|until| *until > asked);
            let is_wanted = ripe.len() < missing || asked.duration_since(since) >= MODESTY;
            if is_wanted && !is_left && ripe.len() + self.opening.len() < AT_ONCE {
                ripe.push(owner);
            }
        }
        ripe
    }

    /// Which homes may be given away now.
    fn spare(&self, node: &str, asked: Instant) -> Vec<String> {
        let is_resting = match self.giving {
            Giving::Nothing => false,
            Giving::Now => true,
            Giving::After(until) => until > asked,
        };
        let is_settled = self.opening.is_empty()
            && self.releasing.is_empty()
            && self.free.iter().all(|(owner, since)| {
                self.failed.contains_key(owner) || asked.duration_since(*since) >= UNSETTLED
            });
        if self.is_closing || is_resting || !is_settled || self.given.is_some() {
            return Vec::new();
        }
        let is_spare = |owner: &String, home: &OwnHome| {
            home.opened_in.is_some_and(|passed| passed <= SOON_OPEN)
                && self.kept.get(owner).is_none_or(|until| *until <= asked)
        };
        let open =
            self.own.iter().filter(|(owner, home)| is_spare(owner, home)).map(|(owner, _)| owner.clone());
        let mut spare = in_order_of(node, &open.collect());
        // The last is the one that it would be the last to take.
        spare.reverse();
        spare
    }

    /// Whether homes fail here, and not one alone, which may be at fault itself.
    fn is_unfit(&self, now: Instant) -> bool {
        let failed = self.failed.values().filter(|since| now.duration_since(**since) < UNFIT).count();
        failed > 1 || failed == 1 && self.own.is_empty()
    }

    /// Whether others may count on this node to take homes.
    pub(super) fn takes_homes(&self, now: Instant) -> bool {
        !self.is_closing && !self.is_unfit(now)
    }

    /// A home was taken, which was asked for at `asked`, and what its owner has is being opened.
    pub(super) fn begin_to_open(&mut self, owner: &str, fence: WriteFence, asked: Instant) {
        let home = OwnHome { fence, taken: asked, opened_in: None, is_leaving: false };
        self.own.insert(owner.to_owned(), home);
        self.opening.insert(owner.to_owned());
        if self.given.take_if(|given| given == owner).is_some() {
            self.kept.insert(owner.to_owned(), asked + UNTAKEN);
            self.giving = Giving::After(asked + ONCE_IN);
        }
    }

    /// Notes that what an owner has is open; `false` when its home is another node's by now.
    pub(super) fn is_open_now(&mut self, owner: &str, now: Instant) -> bool {
        self.failed.remove(owner);
        let own = self.own.get_mut(owner);
        own.map(|own| own.opened_in = Some(now.duration_since(own.taken))).is_some()
    }

    /// What was being opened is open, or closed again.
    pub(super) fn opened(&mut self, owner: &str) {
        self.opening.remove(owner);
    }

    /// Leaves a home alone for a while that could not be opened. Unless the reason `is_passing`, other homes
    /// may fail here, too.
    pub(super) fn give_up(&mut self, owner: &str, now: Instant, pause: Duration, is_passing: bool) {
        self.shut(owner);
        self.left.insert(owner.to_owned(), now + pause);
        if !is_passing {
            self.failed.insert(owner.to_owned(), now);
        }
    }

    fn shut(&mut self, owner: &str) {
        if let Some(own) = self.own.remove(owner) {
            own.fence.shut();
        }
    }

    /// A home has been given back, or could not be.
    pub(super) fn released(&mut self, owner: &str) {
        self.releasing.remove(owner);
    }

    /// Somebody is about to use what an owner has, if it is here.
    pub(super) fn begin_use(&mut self, owner: &str) -> HomeUse {
        match self.uses.get(owner) {
            Some(uses) => uses.begin(),
            None => self.uses.entry(owner.to_owned()).or_default().begin(),
        }
    }

    /// Whether nobody does.
    pub(super) fn is_unused(&self, owner: &str) -> bool {
        self.uses.get(owner).is_none_or(HomeUses::are_over)
    }

    /// A home is about to be given away.
    pub(super) fn begin_to_give(&mut self) {
        self.giving = Giving::Now;
    }

    /// Nothing more is being given away. What is still here of it is passed over for a while.
    pub(super) fn has_given(&mut self, owner: &str, now: Instant) {
        self.giving = Giving::After(now + BETWEEN);
        if self.own.contains_key(owner) {
            self.kept.insert(owner.to_owned(), now + PASSED_OVER);
        }
    }

    /// Lets nobody begin to use what an owner has here; `false` where somebody does, or the node has other things to do.
    pub(super) fn begin_to_leave(&mut self, owner: &str) -> bool {
        let may_leave = self.is_unused(owner) && !self.is_closing;
        match self.own.get_mut(owner) {
            Some(own) if own.opened_in.is_some() && may_leave => {
                own.is_leaving = true;
                true
            }
            _ => false,
        }
    }

    /// It is not left.
    pub(super) fn stay(&mut self, owner: &str) {
        if let Some(own) = self.own.get_mut(owner) {
            own.is_leaving = false;
        }
    }

    /// What an owner has is closed: its home is to be given back, and is left to others for a while; `false` when it was lost, and maybe
    /// taken anew, meanwhile.
    pub(super) fn leave(&mut self, owner: &str, now: Instant, pause: Duration) -> bool {
        if !self.own.get(owner).is_some_and(|own| own.is_leaving) {
            return false;
        }
        self.shut(owner);
        self.left.insert(owner.to_owned(), now + pause);
        self.given = Some(owner.to_owned());
        self.kept.insert(owner.to_owned(), now + ONCE_IN);
        self.releasing.insert(owner.to_owned());
        true
    }

    /// Takes no more homes, and gives none away.
    pub(super) fn begin_to_close(&mut self) {
        self.is_closing = true;
    }

    /// Closes the fences of all homes; gives their owners.
    pub(super) fn leave_all(&mut self) -> Vec<String> {
        let own = std::mem::take(&mut self.own);
        own.values().for_each(|home| home.fence.shut());
        own.into_keys().collect()
    }

    /// Those of `owners` whose things are not here.
    pub(super) fn elsewhere(&self, owners: BTreeSet<String>) -> Vec<String> {
        let is_here = |owner: &String| self.own.contains_key(owner) || self.opening.contains(owner);
        owners.into_iter().filter(|owner| !is_here(owner)).collect()
    }

    /// Whether it is to be said that another node has the address of this one: once, and not of a node that was started again and whose
    /// homes have not run out yet.
    pub(super) fn has_double(&mut self, node: &str, address: &str, now: Instant) -> bool {
        let is_double =
            |home: &Home| home.holder != node && home.address == address && !home.remaining.is_zero();
        match (self.told.iter().any(is_double), &mut self.doubled) {
            (false, doubled) => *doubled = DoubledAddress::No,
            (true, doubled @ DoubledAddress::No) => *doubled = DoubledAddress::Since(now),
            (true, DoubledAddress::Since(since)) if now.duration_since(*since) >= 2 * TTL => {
                self.doubled = DoubledAddress::Reported;
                return true;
            }
            (true, _) => {}
        }
        false
    }

    /// Where what an owner has is asked for now.
    pub(super) fn find(&self, node: &str, owner: &str, now: Instant) -> HomePlace {
        if let Some(own) = self.own.get(owner) {
            let is_here = own.opened_in.is_some() && !own.is_leaving && own.fence.is_open();
            return if is_here { HomePlace::Here } else { HomePlace::Nowhere };
        }
        let passed = self.asked.map_or(Duration::MAX, |asked| now.duration_since(asked));
        let home = self.told.iter().find(|home| home.owner == owner && home.holder != node);
        match home {
            // One without an address is about to be given away.
            Some(home) if home.remaining > passed && !home.address.is_empty() => {
                HomePlace::At(home.address.clone())
            }
            _ => HomePlace::Nowhere,
        }
    }
}

/// Owners as a node takes their homes: each node in another order, so that two seldom want the same one.
fn in_order_of(node: &str, owners: &BTreeSet<String>) -> Vec<String> {
    let place = |owner: &String| {
        let mut hasher = DefaultHasher::new();
        (node, owner).hash(&mut hasher);
        hasher.finish()
    };
    let mut ordered: Vec<String> = owners.iter().cloned().collect();
    ordered.sort_by_cached_key(place);
    ordered
}
