//! Run queues: order, fairness, positions.

use proptest::prelude::*;

use super::run_queue::{Capacity, QueuedRun, RunQueue};
use engross_artifacts::RunId;

fn waiting(run: usize, principal: &str, thread: &str) -> QueuedRun {
    QueuedRun {
        run: RunId::parse(&format!("r{run}")).unwrap(),
        principal: principal.to_owned(),
        thread: thread.to_owned(),
    }
}

fn id(run: usize) -> RunId {
    RunId::parse(&format!("r{run}")).unwrap()
}

#[test]
fn principals_take_turns() {
    let mut queue = RunQueue::new(Some(Capacity { active: 1, queued: 20 }));
    for run in 0..4 {
        queue.wait(waiting(run, "many", &format!("t{run}")));
    }
    queue.wait(waiting(9, "one", "t"));
    let mut order = Vec::new();
    while let Some(next) = queue.admit() {
        queue.leave(&next.run);
        order.push(next.run.to_string());
    }
    assert_eq!(order, ["r0", "r9", "r1", "r2", "r3"]);
}

#[test]
fn a_lane_is_full_when_nobody_could_even_wait() {
    let mut queue = RunQueue::new(Some(Capacity { active: 2, queued: 1 }));
    let mut full = Vec::new();
    for run in 0..3 {
        full.push(queue.is_full());
        queue.wait(waiting(run, "p", &format!("t{run}")));
        queue.admit();
    }
    full.push(queue.is_full());
    assert_eq!(full, [false, false, false, true]);
    assert!(queue.leave(&id(0)));
    assert!(!queue.is_full());
    assert!(!queue.leave(&id(0)));
}

#[test]
fn of_one_thread_only_one_run_is_under_way() {
    let mut queue = RunQueue::new(None);
    queue.wait(waiting(1, "p", "t"));
    queue.wait(waiting(2, "p", "t"));
    queue.wait(waiting(3, "p", "u"));
    queue.wait(waiting(4, "q", "t"));
    let admitted: Vec<_> = std::iter::from_fn(|| queue.admit()).map(|next| next.run.to_string()).collect();
    assert_eq!(admitted, ["r1", "r4", "r3"]);
    queue.leave(&id(1));
    assert_eq!(queue.admit().map(|next| next.run), Some(id(2)));
}

proptest! {
    /// Whatever comes and goes, the told order is the one in which runs of different threads begin, places are kept, and a
    /// principal's runs stay in their order.
    #[test]
    fn positions_are_true(steps in prop::collection::vec((0_u8..3, 0_usize..12), 1..80)) {
        let places = Capacity { active: 2, queued: 100 };
        let mut queue = RunQueue::new(Some(places));
        let mut active: Vec<RunId> = Vec::new();
        let mut next = 0;
        for (kind, pick) in steps {
            match kind {
                0 => {
                    queue.wait(waiting(next, ["a", "b", "c"][pick % 3], &format!("t{next}")));
                    next += 1;
                }
                1 if !active.is_empty() => {
                    let run = active.remove(pick % active.len());
                    prop_assert!(queue.leave(&run));
                }
                _ => {
                    let told = queue.order();
                    let admitted = queue.admit();
                    if active.len() >= places.active {
                        prop_assert_eq!(admitted, None);
                    } else {
                        prop_assert_eq!(admitted.as_ref(), told.first());
                        active.extend(admitted.map(|admitted| admitted.run));
                    }
                }
            }
            prop_assert!(queue.active() <= places.active);
            prop_assert_eq!(queue.queued() + queue.active(), queue.order().len() + active.len());
        }
    }
}
