//! When going on is given up.

use super::{Limit, ProgressGuard};

/// Turns of text, and what was said before the continuation that follows each.
fn rounds(turns: &[&str], max: u32) -> Vec<Result<(), Limit>> {
    let mut guard = ProgressGuard::default();
    let play = |turn: &&str| {
        guard.add(turn.as_bytes());
        guard.next_round(max)
    };
    turns.iter().map(play).collect()
}

#[test]
fn case_43_loops_and_standstill_end() {
    let long = "x".repeat(1000);
    assert_eq!(rounds(&["a", "b", "c"], 16), [Ok(()), Ok(()), Ok(())]);
    assert_eq!(rounds(&["a", "b", "c"], 2), [Ok(()), Ok(()), Err(Limit::Rounds { rounds: 2 })]);
    assert_eq!(rounds(&["a", ""], 16), [Ok(()), Err(Limit::NoProgress { added: 0 })]);
    assert_eq!(rounds(&[&long, "123456789"], 16), [Ok(()), Err(Limit::NoProgress { added: 9 })]);
    assert_eq!(rounds(&[&long, "1234567890"], 16), [Ok(()), Ok(())]);
    assert_eq!(rounds(&["a", "bc", "d", "bc"], 16), [Ok(()), Ok(()), Ok(()), Err(Limit::Loop)]);
    assert_eq!(rounds(&["a", "a"], 16), [Ok(()), Ok(())], "the first turn may be repeated by chance");
}
