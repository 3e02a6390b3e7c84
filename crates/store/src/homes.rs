//! Which node has what an owner has, where several nodes share a database: for each owner at most one node, and for a while.
//!
//! Must never reckon by the clock of a node: what holds how long, the database says.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::Pending;

/// An owner's home: the node that has what the owner has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The owner.
    pub owner: String,
    /// The name of the node.
    pub holder: String,
    /// Where the node is reached, such as `http://10.0.0.3:18789`; empty while it is about to give the home away.
    pub address: String,
    /// How long it is that node's if it says no more; zero when anybody may take it.
    pub remaining: Duration,
}

/// What a node sees of the nodes and of what they have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HomesSeen {
    /// The homes of all nodes, also those whose time is over.
    pub homes: Vec<Home>,
    /// The other nodes that are there and would take homes, also those that have none.
    pub nodes: BTreeSet<String>,
}

/// Keeps homes. Each request is done wholly or not at all.
pub trait Homes: Send + Sync {
    /// Takes the home of an owner for `ttl`, or renews it, and says where it is reached; whether it is `holder`'s now.
    fn take(&self, owner: &str, holder: &str, address: &str, ttl: Duration) -> Pending<'_, bool>;

    /// Renews all homes of `holder` for `ttl`, also those whose time is over and that nobody has taken; says that `holder` is there, if it
    /// `takes` homes; gives what there is.
    fn renew(&self, holder: &str, ttl: Duration, takes: bool) -> Pending<'_, HomesSeen>;

    /// Says that `holder` is about to give away the home of an owner, and is not to be asked for what that has.
    fn offer(&self, owner: &str, holder: &str) -> Pending<'_, ()>;

    /// Gives back what `holder` has of the home of an owner.
    fn release(&self, owner: &str, holder: &str) -> Pending<'_, ()>;
}
