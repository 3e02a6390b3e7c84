//! Decides whether another continuation makes sense.

use serde::{Deserialize, Serialize};

/// Counts continuations, and notices those that add nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ProgressGuard {
    rounds: u32,
    before: u64,
    added: u64,
    hash: u64,
    hashes: Vec<u64>,
    /// Rounds in a row that added nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    fruitless: u32,
}

/// Why there is no further continuation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Limit {
    /// There were as many as there may be.
    #[error("after {rounds} continuations the file has not ended")]
    Rounds {
        /// So many.
        rounds: u32,
    },
    /// The last one added next to nothing.
    #[error("the last continuation added {added} bytes")]
    NoProgress {
        /// So many.
        added: u64,
    },
    /// The last one was the same as one before.
    #[error("the last continuation repeats an earlier one")]
    Loop,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

impl ProgressGuard {
    /// Continuations so far.
    #[must_use]
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// Takes what the current turn adds to the file.
    pub fn add(&mut self, bytes: &[u8]) {
        if self.added == 0 {
            self.hash = FNV_START;
        }
        self.added += bytes.len() as u64;
        // The first turn is compared with nothing.
        if self.rounds > 0 {
            self.hash =
                bytes.iter().fold(self.hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME));
        }
    }

    /// Bytes of what was added are taken back.
    pub fn take_back(&mut self, bytes: u64) {
        self.added = self.added.saturating_sub(bytes);
    }

    /// The turn has ended without the file. Counts the continuation that follows; only rounds in a row that add nothing are
    /// limited.
    ///
    /// # Errors
    /// When `most` of them came.
    pub fn next_fruitful_round(&mut self, most: u32) -> Result<(), Limit> {
        let is_loop = self.rounds > 0 && self.added > 0 && self.hashes.contains(&self.hash);
        if self.added == 0 || is_loop {
            self.fruitless += 1;
        } else {
            self.fruitless = 0;
            self.hashes.push(self.hash);
        }
        if self.fruitless >= most {
            return Err(if is_loop { Limit::Loop } else { Limit::NoProgress { added: self.added } });
        }
        self.rounds += 1;
        (self.before, self.added) = (self.added, 0);
        Ok(())
    }

    /// The turn has ended without the file. Counts the continuation that follows.
    ///
    /// # Errors
    /// When none should follow.
    pub fn next_round(&mut self, max_rounds: u32) -> Result<(), Limit> {
        let (added, before, hash) = (self.added, self.before, self.hash);
        if self.rounds > 0 {
            if added == 0 || added.saturating_mul(100) < before {
                return Err(Limit::NoProgress { added });
            }
            if self.hashes.contains(&hash) {
                return Err(Limit::Loop);
            }
            self.hashes.push(hash);
        }
        self.again(max_rounds)?;
        (self.before, self.added) = (added, 0);
        Ok(())
    }

    /// Counts another try of the continuation that was not taken.
    ///
    /// # Errors
    /// When there were enough.
    pub fn again(&mut self, max_rounds: u32) -> Result<(), Limit> {
        if self.rounds >= max_rounds {
            return Err(Limit::Rounds { rounds: self.rounds });
        }
        self.rounds += 1;
        Ok(())
    }
}
