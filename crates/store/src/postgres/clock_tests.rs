//! What a node makes of the times that the database tells.

use engross_protocol::Clock as _;

use super::clock::DatabaseClock;

/// The database's clock of the tests shows so much when a node's begins.
const DAY: u64 = 1_790_000_000_000;

/// How far the node's clock is from the database's, in milliseconds, after it has heard of it.
fn off(clock: &DatabaseClock) -> i64 {
    let elapsed = clock.elapsed();
    clock.millis().cast_signed() - (DAY + elapsed).cast_signed()
}

#[test]
fn the_first_time_told_is_taken_for_the_middle() {
    let clock = DatabaseClock::default();
    clock.hear(DAY + 40, 0, 100);
    assert!((-12..=-8).contains(&off(&clock)), "{}", off(&clock));
}

#[test]
fn a_slow_statement_makes_nothing_worse() {
    let clock = DatabaseClock::default();
    clock.hear(DAY + 1, 0, 2);
    for waited in [10, 500, 30_000] {
        // It was told at the very beginning, or at the very end.
        clock.hear(DAY + 1000, 1000, 1000 + waited);
        clock.hear(DAY + 2000, 2000 - waited.min(2000), 2000);
        assert!((-1..=1).contains(&off(&clock)), "{} after a wait of {waited}", off(&clock));
    }
}

#[test]
fn a_clock_that_was_set_is_followed() {
    let clock = DatabaseClock::default();
    clock.hear(DAY + 1, 0, 2);
    // Another server took over whose clock is an hour behind.
    clock.hear(DAY + 10 - 3_600_000, 10, 12);
    assert!((-3_600_003..=-3_599_997).contains(&off(&clock)), "{}", off(&clock));
    clock.hear(DAY + 20, 20, 22);
    assert!((-3..=3).contains(&off(&clock)), "{}", off(&clock));
}
