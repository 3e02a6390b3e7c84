//! What a skill is worth, by what was seen of it.

use super::skill::{Skill, Vote};

/// After so many days a vote counts half.
pub const HALF_LIFE_DAYS: f64 = 90.0;

/// How far below the mean the bound lies, in standard deviations.
const CAUTION: f64 = 1.0;

const DAY: f64 = 86_400_000.0;

/// From 0 to 1: a careful guess at how often the skill helps where it is used. Votes fade; without any it is the guess about
/// a skill nobody has tried. `now` is in milliseconds since 1970.
#[must_use]
pub fn score(skill: &Skill, now: u64) -> f64 {
    let (mut good, mut bad) = (1.0, 1.0);
    for vote in skill.votes.values().chain([&skill.brought]) {
        let weight = weight(vote, now);
        good += weight * f64::from(vote.helpful);
        bad += weight * f64::from(vote.harmful);
    }
    let all: f64 = good + bad;
    let mean = good / all;
    let deviation = (mean * (1.0 - mean) / (all + 1.0)).sqrt();
    (mean - CAUTION * deviation).clamp(0.0, 1.0)
}

/// What is left of a vote.
#[expect(clippy::cast_precision_loss, reason = "times in milliseconds are far below the limit")]
fn weight(vote: &Vote, now: u64) -> f64 {
    if vote.at == 0 {
        return 1.0;
    }
    let days = now.saturating_sub(vote.at) as f64 / DAY;
    0.5f64.powf(days / HALF_LIFE_DAYS)
}
