//! Every way in which an agent fails, each with its code, and none of them a wait without end.

use std::time::{Duration, Instant};

use engross_acp::client::AgentProvider;
use engross_protocol::{Clock, SystemClock};
use engross_tasks::runner::{Health, How, ProviderId, TaskRunner};

use super::fake::provider;
use super::fixture::{SOON, TestBench, code, limits, next, next_text, rest, run, said};

#[test]
fn one_that_does_not_start_says_why() {
    run(async {
        let mut short = limits();
        short.start = Duration::from_millis(500);
        for (start, wanted, words) in [
            ("die", "AGENT_START_FAILED", "the configuration is broken"),
            ("hang", "AGENT_START_TIMEOUT", "initialize"),
            ("garbage", "AGENT_PROTOCOL", "no JSON"),
            ("version", "AGENT_PROTOCOL", "version 2"),
            ("login", "AGENT_AUTH_REQUIRED", "Web login"),
            ("quota", "AGENT_ERROR", "disk quota exceeded on /home"),
        ] {
            // The one that hangs has to be there at all before it is late, the others answer when the machine lets them.
            let limits = if start == "hang" { short.clone() } else { limits() };
            let set = [("FAKE_START", start), ("MY_API_KEY", "sk-secret-123")];
            let world = TestBench::new(provider(&set), &limits);
            let error = world.start(world.turn("run-1", "say hello")).await.err().unwrap();
            assert_eq!(error.code, wanted, "{start}: {error}");
            assert!(error.message.contains(words), "{start}: {error}");
            assert!(!error.message.contains("sk-secret"), "{start}: {error}");
            assert!(world.processes().is_empty(), "{start}");
        }
    });
}

#[test]
fn a_word_or_two_out_of_place_do_no_harm() {
    run(async {
        let world = TestBench::new(provider(&[("FAKE_START", "noise")]), &limits());
        let turn = world.turn("run-1", "garbage 3\nsay ok");
        assert_eq!(world.say(turn).await, ("ok".to_owned(), How::Completed));
    });
}

#[test]
fn one_that_breaks_in_a_turn_has_a_code() {
    run(async {
        let mut limits = limits();
        limits.silence = Duration::from_millis(500);
        limits.message = 100_000;
        let world = TestBench::new(provider(&[]), &limits);
        for (prompt, wanted, words) in [
            ("die disk on fire", "AGENT_EXITED", "disk on fire"),
            ("garbage 1000", "AGENT_PROTOCOL", "no JSON"),
            ("huge 1000000", "AGENT_FRAME_TOO_LARGE", "100000"),
            ("hang", "AGENT_SILENT", "nothing"),
            ("wrong-id", "AGENT_SILENT", "nothing"),
        ] {
            let before = Instant::now();
            let (said, how) = world.say(world.turn("run-1", &format!("say first\n{prompt}"))).await;
            assert_eq!((said.as_str(), code(&how)), ("first", wanted), "{prompt}");
            let How::Failed { message, .. } = how else { panic!("{prompt}") };
            assert!(message.contains(words), "{prompt}: {message}");
            assert!(before.elapsed() < SOON, "{prompt}");
            assert!(world.processes().is_empty(), "{prompt}");
        }
    });
}

#[test]
fn a_tool_at_work_may_be_silent() {
    run(async {
        let mut limits = limits();
        limits.silence = Duration::from_millis(200);
        let world = TestBench::new(provider(&[]), &limits);
        let turn = world.turn("run-1", "tool t1 in_progress Build\nsleep 800\nsay built");
        assert_eq!(world.say(turn).await, ("built".to_owned(), How::Completed));
    });
}

#[test]
fn the_time_of_the_run_ends_it() {
    run(async {
        let world = TestBench::new(provider(&[]), &limits());
        let mut turn = world.turn("run-1", "flood");
        turn.deadline = SystemClock.millis() + 1_500;
        let before = Instant::now();
        let (_, how) = world.say(turn).await;
        assert_eq!(code(&how), "AGENT_DEADLINE");
        assert!(before.elapsed() < Duration::from_secs(10));
        assert!(world.processes().is_empty());
    });
}

#[test]
fn a_cancelled_turn_tells_nothing_more_and_ends() {
    run(async {
        let mut limits = limits();
        limits.cancel = Duration::from_millis(500);
        let world = TestBench::new(provider(&[]), &limits);
        // Those that listen, one that is late, and those that do not care.
        for prompt in ["wait-cancel", "late-cancel 10000", "hang", "flood", "ask allow_once"] {
            let mut turn = world.turn("run-1", &format!("say ready\n{prompt}"));
            turn.permissions = engross_tasks::runner::Policy::Ask;
            let mut running = world.start(turn).await.unwrap();
            assert_eq!(next_text(&mut running).await, "ready");
            tokio::time::sleep(Duration::from_millis(100)).await;
            let before = Instant::now();
            let receipt = running.control.cancel().await.unwrap();
            assert!(receipt.aborted && receipt.method == "session/cancel" && receipt.runs == ["run-1"]);
            let waiting = running.events.len();
            let events = rest(&mut running).await;
            assert!(before.elapsed() < Duration::from_secs(5), "{prompt}: {:?}", before.elapsed());
            let (text, how) = said(&events);
            assert_eq!(how, How::Cancelled, "{prompt}");
            assert!(!text.contains("too late"), "{prompt}");
            assert!(events.len() <= waiting + 2, "{prompt}: {} events after the cancelling", events.len());
            assert!(world.processes().is_empty(), "{prompt}");
            assert!(!running.control.cancel().await.unwrap().aborted, "{prompt}: it is over");
        }
    });
}

#[test]
fn a_missing_program_says_what_installs_it() {
    run(async {
        let id = ProviderId::new("fake").unwrap();
        let mut missing = AgentProvider::from_command(id, "engross-no-such-agent --acp").unwrap();
        missing.install = "install it with `npm install -g it`".to_owned();
        let world = TestBench::new(missing, &limits());
        let help = "install it with `npm install -g it`".to_owned();
        assert_eq!(world.runner().health().await, Health::Missing { help: help.clone() });
        let error = world.start(world.turn("run-1", "say hello")).await.err().unwrap();
        assert_eq!(error.code, "PROVIDER_UNAVAILABLE");
        assert!(error.message.contains(&help), "{error}");
    });
}

#[test]
fn health_is_remembered_and_asked_once() {
    run(async {
        let mut limits = limits();
        limits.probe = Duration::from_millis(700);
        let world = TestBench::new(provider(&[("FAKE_START", "hang")]), &limits);
        let before = Instant::now();
        let (first, second) = tokio::join!(world.runner().health(), world.runner().health());
        assert!(matches!(&first, Health::Failing { message } if message.contains("initialize")), "{first:?}");
        assert_eq!(first, second);
        assert_eq!(world.runner().health().await, first);
        assert!(before.elapsed() < Duration::from_millis(1_400), "{:?}", before.elapsed());
        assert!(world.processes().is_empty());

        let world = TestBench::new(provider(&[]), &limits_with_patience());
        assert_eq!(world.runner().health().await, Health::Ready);
    });
}

fn limits_with_patience() -> engross_acp::client::Limits {
    engross_acp::client::Limits { probe: SOON, ..limits() }
}

#[test]
fn a_listener_that_goes_away_ends_the_turn() {
    run(async {
        let world = TestBench::new(provider(&[]), &limits());
        for prompt in ["hang", "flood"] {
            let mut running =
                world.start(world.turn("run-1", &format!("say ready\n{prompt}"))).await.unwrap();
            next(&mut running).await;
            assert!(!world.processes().is_empty());
            drop(running);
            let before = Instant::now();
            while !world.processes().is_empty() {
                assert!(before.elapsed() < Duration::from_secs(5), "{prompt}");
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    });
}
