//! Which node has what an owner has, where several nodes share a database: for each owner at most one node, and for a while.
//!
//! Must never reckon by the clock of a node: what holds how long, the database says.

use std::time::Duration;

use crate::Pending;

/// An owner's home: the node that has what the owner has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    /// The owner.
    pub owner: String,
    /// The name of the node.
    pub holder: String,
    /// Where the node is reached, such as `http://10.0.0.3:18789`.
    pub address: String,
    /// How long it is that node's if it says no more; zero when anybody may take it.
    pub remaining: Duration,
}

/// Keeps homes. Each request is done wholly or not at all.
pub trait Homes: Send + Sync {
    /// Takes the home of an owner for `ttl`, or renews it; whether it is `holder`'s now.
    fn take(&self, owner: &str, holder: &str, address: &str, ttl: Duration) -> Pending<'_, bool>;

    /// Renews all homes of `holder` for `ttl`, also those whose time is over and that nobody has taken; gives the homes of all.
    fn renew(&self, holder: &str, ttl: Duration) -> Pending<'_, Vec<Home>>;

    /// Gives back what `holder` has of the home of an owner.
    fn release(&self, owner: &str, holder: &str) -> Pending<'_, ()>;
}
