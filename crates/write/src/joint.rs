//! Where a file was gone on with, for those who go on with it and those who look at how it goes on.
//!
//! Must never judge.

use serde::{Deserialize, Serialize};

/// A place where a file was gone on with, in bytes from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "StoredJoint", into = "StoredJoint")]
pub struct Joint {
    /// Where the last line begins that is proven to be as it was.
    pub proven: u64,
    /// Where the line begins that was cut: the same, or one behind it of which too little had come to prove anything.
    pub cut: u64,
}

impl Joint {
    /// A joint whose cut line is the one that is proven.
    #[must_use]
    pub fn at(place: u64) -> Self {
        Self { proven: place, cut: place }
    }

    /// The same in a file that has so many bytes before.
    #[must_use]
    pub fn behind(self, before: u64) -> Self {
        Self { proven: self.proven + before, cut: self.cut + before }
    }
}

/// How a joint is stored: one number where both are the same, as sessions of earlier versions have it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredJoint {
    One(u64),
    Two([u64; 2]),
}

impl From<StoredJoint> for Joint {
    fn from(stored: StoredJoint) -> Self {
        match stored {
            StoredJoint::One(place) => Self::at(place),
            StoredJoint::Two([proven, cut]) => Self { proven, cut },
        }
    }
}

impl From<Joint> for StoredJoint {
    fn from(joint: Joint) -> Self {
        if joint.proven == joint.cut { Self::One(joint.cut) } else { Self::Two([joint.proven, joint.cut]) }
    }
}
