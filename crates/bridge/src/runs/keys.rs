//! Keys of sessions and ids of runs, read back from the log.
//!
//! Must never read one that could not have been made.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::scopes::{RunId, SessionKey};

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for SessionKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
