//! Slows down those who try tokens: an address has a few wrong ones, which come back slowly.
//!
//! Must never lock out a client that has shown the right token from its address before, nor grow with the addresses that call.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

/// Wrong tokens that an address may send at once.
const AT_ONCE: u32 = 20;

/// Milliseconds until one of them is forgotten.
const FORGOTTEN_AFTER: u64 = 3_000;

/// Addresses that are remembered; more push out those that were heard of longest ago.
const MOST: usize = 4096;

/// What is known of an address.
#[derive(Debug, Clone, Copy, Default)]
struct Attempts {
    wrong: u32,
    /// Since when `wrong` holds, in milliseconds since 1970.
    since: u64,
    /// Whether the right token came from here.
    is_known: bool,
}

impl Attempts {
    fn forget(&mut self, now: u64) {
        let forgotten = now.saturating_sub(self.since) / FORGOTTEN_AFTER;
        if forgotten > 0 {
            self.wrong = self.wrong.saturating_sub(u32::try_from(forgotten).unwrap_or(u32::MAX));
            self.since = now;
        }
    }
}

/// Counts wrong tokens by address.
#[derive(Debug, Default)]
pub struct Brake(Mutex<HashMap<IpAddr, Attempts>>);

impl Brake {
    /// A request came whose token is right or wrong. Gives the seconds to wait when the address has tried too often; then the
    /// request is refused, whatever its token, so that nobody learns that a guess was right.
    pub(crate) fn refuses(&self, address: IpAddr, is_right: bool, now: u64) -> Option<u64> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let address = network(address);
        if !all.contains_key(&address) {
            make_room(&mut all);
        }
        let attempts = all.entry(address).or_insert(Attempts { since: now, ..Attempts::default() });
        attempts.forget(now);
        let is_braked = attempts.wrong >= AT_ONCE;
        if is_right && (attempts.is_known || !is_braked) {
            attempts.is_known = true;
            return None;
        }
        if is_braked {
            return Some(FORGOTTEN_AFTER.div_ceil(1000));
        }
        attempts.wrong += 1;
        if attempts.wrong == AT_ONCE {
            tracing::warn!(%address, "many wrong tokens came from one address; it has to wait from now on");
        }
        None
    }
}

/// An address of IPv6 stands for its network: a customer has all of one.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        address => address,
    }
}

fn make_room(all: &mut HashMap<IpAddr, Attempts>) {
    if all.len() < MOST {
        return;
    }
    let mut ages: Vec<u64> = all.values().map(|attempts| attempts.since).collect();
    ages.sort_unstable();
    let middle = ages.get(ages.len() / 2).copied().unwrap_or_default();
    all.retain(|_, attempts| attempts.since > middle);
}
