//! Nothing that an agent started survives it. Checked from outside, by the system's own list of processes.

use std::time::Duration;

use engross_acp::client::SandboxMode;
use engross_sandbox::Support;
use engross_tasks::runner::How;

use super::fake::provider;
use super::fixture::{TestBench, is_alive, limits, next_text, rest, run, said};

/// A turn that has started three processes: a child, one that left the process group, one whose parent is gone.
async fn forked(world: &TestBench, then: &str) -> (engross_tasks::runner::RunningTurn, Vec<i32>) {
    let mut running = world.start(world.turn("run-1", &format!("fork\npid\n{then}"))).await.unwrap();
    let mut pids: Vec<i32> =
        next_text(&mut running).await.split(' ').map(|pid| pid.parse().unwrap()).collect();
    assert_eq!(pids.len(), 3);
    pids.push(next_text(&mut running).await.parse().unwrap());
    assert!(pids.iter().all(|pid| is_alive(*pid)), "{pids:?}");
    (running, pids)
}

fn nothing_is_left(world: &TestBench, pids: &[i32]) {
    let alive: Vec<&i32> = pids.iter().filter(|pid| is_alive(**pid)).collect();
    assert!(alive.is_empty(), "{alive:?} of {pids:?}");
    assert!(world.processes().is_empty());
}

#[test]
fn cancelling_ends_the_whole_tree() {
    run(async {
        let world = TestBench::new(provider(&[]), &limits());
        for then in ["hang", "wait-cancel", "flood"] {
            let (mut running, pids) = forked(&world, then).await;
            running.control.cancel().await.unwrap();
            assert_eq!(said(&rest(&mut running).await).1, How::Cancelled);
            nothing_is_left(&world, &pids);
        }
    });
}

#[test]
fn the_end_of_a_turn_ends_what_it_left_running() {
    run(async {
        let world = TestBench::new(provider(&[("FAKE_CAN", "resume")]), &limits());
        for then in ["sleep 500\nsay bye", "sleep 500\ndie now"] {
            let (mut running, pids) = forked(&world, then).await;
            rest(&mut running).await;
            nothing_is_left(&world, &pids);
        }
    });
}

/// The agent goes on to the next turn; what a turn has left in the background, whose parents are gone, does not.
#[test]
#[cfg(target_os = "linux")]
fn a_kept_agent_keeps_nothing_that_has_lost_its_parent() {
    run(async {
        let world = TestBench::watched(provider(&[]), &limits(), Some(SandboxMode::Off));
        let (mut running, pids) = forked(&world, "sleep 2000\nsay bye").await;
        rest(&mut running).await;
        let alive: Vec<bool> = pids.iter().map(|pid| is_alive(*pid)).collect();
        assert_eq!(alive, [false, false, false, true], "the agent alone is there for the next turn");
        world.agents.shut_down().await;
        nothing_is_left(&world, &pids);
    });
}

#[test]
fn one_that_ignores_the_request_to_end_is_killed() {
    run(async {
        let mut stubborn = provider(&[]);
        stubborn.arguments[1] = format!("trap '' TERM; {}", stubborn.arguments[1]);
        let world = TestBench::new(stubborn, &limits());
        let (mut running, pids) = forked(&world, "hang").await;
        running.control.cancel().await.unwrap();
        assert_eq!(said(&rest(&mut running).await).1, How::Cancelled);
        nothing_is_left(&world, &pids);
    });
}

#[test]
fn the_end_of_the_server_ends_them() {
    // By order, and by the end of the runtime.
    for by_order in [true, false] {
        let (world, pids) = {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let world = TestBench::new(provider(&[]), &limits());
            let pids = runtime.block_on(async {
                let (running, pids) = forked(&world, "hang").await;
                if by_order {
                    world.agents.shut_down().await;
                    nothing_is_left(&world, &pids);
                }
                std::mem::forget(running);
                pids
            });
            runtime.shutdown_timeout(Duration::from_secs(5));
            (world, pids)
        };
        // The end of a runtime waits for nobody.
        let patience = std::time::Instant::now() + Duration::from_secs(5);
        while pids.iter().any(|pid| is_alive(*pid)) && std::time::Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(20));
        }
        nothing_is_left(&world, &pids);
    }
}

#[test]
fn a_server_finds_what_the_one_before_it_left() {
    run(async {
        let world = TestBench::new(provider(&[]), &limits());
        let mark = format!("{}.fake.1", world.owner);
        let left = |mark: &str| {
            let mut command = std::process::Command::new("sleep");
            command.arg("1000").env("ENGROSS_AGENT", mark).spawn().unwrap()
        };
        let mut ours = left(&mark);
        let mut theirs = left(&format!("{}-other.fake.1", world.owner));
        world.agents.sweep();
        assert!(!ours.wait().unwrap().success());
        assert!(is_alive(i32::try_from(theirs.id()).unwrap()));
        theirs.kill().unwrap();
        theirs.wait().unwrap();
    });
}

/// An agent whose command leaves a daemon without an environment behind, out of its group and without a parent.
fn with_a_daemon() -> engross_acp::client::AgentProvider {
    let mut provider = provider(&[]);
    let daemon = "(setsid env -i sleep 4711 >/dev/null 2>&1 3>&- </dev/null &)";
    provider.arguments[1] = format!("{daemon}; {}", provider.arguments[1]);
    provider
}

fn daemons() -> usize {
    let all = std::fs::read_dir("/proc").unwrap();
    let lines = all.filter_map(|entry| std::fs::read(entry.unwrap().path().join("cmdline")).ok());
    lines.filter(|line| line.starts_with(b"sleep\x004711\x00")).count()
}

#[test]
fn a_daemon_without_an_environment_does_not_outlive_a_turn() {
    run(async {
        let mut modes = vec![SandboxMode::Off];
        match Support::of_kernel().missing() {
            None => modes.push(SandboxMode::On),
            Some(problem) => eprintln!("NOT TRIED with a sandbox, as this kernel has none: {problem}"),
        }
        for mode in modes {
            let world = TestBench::watched(with_a_daemon(), &limits(), Some(mode));
            let mut running = world.start(world.turn("run-1", "say here\nhang")).await.unwrap();
            assert_eq!(next_text(&mut running).await, "here");
            let patience = std::time::Instant::now() + Duration::from_secs(20);
            while daemons() == 0 && std::time::Instant::now() < patience {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            assert!(daemons() > 0, "the daemon did not start");
            running.control.cancel().await.unwrap();
            assert_eq!(said(&rest(&mut running).await).1, How::Cancelled);
            assert_eq!(daemons(), 0);
            assert!(world.processes().is_empty());
        }
    });
}
