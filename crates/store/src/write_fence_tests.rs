//! What a fence lets pass, and when.

use std::time::{Duration, Instant};

use super::WriteFence;

#[test]
fn it_is_open_until_its_time_is_over_and_never_again_once_shut() {
    let fence = WriteFence::closed();
    assert!(!fence.is_open());
    let shared = fence.clone();
    fence.extend(Instant::now() + Duration::from_secs(60));
    assert!(shared.is_open());
    // An answer that was late takes nothing back.
    fence.extend(Instant::now());
    assert!(shared.is_open());
    fence.shut();
    assert!(!shared.is_open());
    shared.extend(Instant::now() + Duration::from_secs(60));
    assert!(!fence.is_open());
}

#[test]
fn it_closes_by_itself() {
    let fence = WriteFence::closed();
    fence.extend(Instant::now() + Duration::from_millis(30));
    assert!(fence.is_open());
    std::thread::sleep(Duration::from_millis(40));
    assert!(!fence.is_open());
}
