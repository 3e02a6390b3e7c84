//! One holder at a time.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::locks::{LockGuard, Locks};
use super::root::LockKey;

fn key(path: &str) -> LockKey {
    LockKey { root: (1, 2), path: path.to_owned() }
}

#[test]
fn a_lock_has_one_holder_until_it_is_dropped() {
    let locks = Locks::new();
    let held = locks.lock(&key("a")).unwrap();
    assert!(locks.clone().lock(&key("a")).is_none());
    assert!(locks.lock(&key("b")).is_some());
    assert!(locks.lock(&LockKey { root: (1, 3), path: "a".to_owned() }).is_some());
    drop(held);
    assert!(locks.lock(&key("a")).is_some());
    assert!(Locks::new().lock(&key("a")).is_some());
}

#[test]
fn threads_never_hold_it_together() {
    let (locks, inside, wins) = (Locks::new(), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while wins.load(Ordering::Relaxed) < 1000 {
                    if let Some(_held) = locks.lock(&key("a")) {
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        wins.fetch_add(1, Ordering::Relaxed);
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                }
            });
        }
    });
}

#[test]
fn guards_may_move_to_other_threads() {
    fn sendable<T: Send + Sync + 'static>() {}
    sendable::<LockGuard>();
    sendable::<Locks>();
    sendable::<crate::files::Folder>();
    sendable::<crate::files::StagedFile>();
}
