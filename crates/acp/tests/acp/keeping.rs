//! Processes between turns: started before, kept for a while, taken up again.

use std::time::{Duration, Instant};

use engross_acp::client::{AgentProvider, Limits, StartMode};
use engross_tasks::runner::{AgentEvent, Health, How, TaskRunner, Turn};

use super::fake::provider;
use super::fixture::{TestBench, is_alive, limits, run};

fn warm(set: &[(&str, &str)]) -> AgentProvider {
    AgentProvider { start: StartMode::Warm, warm: 1, ..provider(set) }
}

fn follow_up(world: &TestBench, run: &str, prompt: &str) -> Turn {
    Turn { continues: true, ..world.turn(run, prompt) }
}

async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let before = Instant::now();
    while !is_so() {
        assert!(before.elapsed() < Duration::from_secs(10), "{what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[test]
fn a_warm_process_takes_the_turn_and_another_takes_its_place() {
    run(async {
        let world = TestBench::new(warm(&[]), &limits());
        assert!(world.processes().is_empty(), "nothing is started that nobody asked for");
        assert_eq!(world.runner().health().await, Health::Ready);
        let first = world.processes();
        assert_eq!(first.len(), 1);
        let (pid, _) = world.say(world.turn("run-1", "pid")).await;
        assert_eq!(pid.parse::<i32>().unwrap(), first[0]);
        until("another one is started", || world.processes().len() == 2).await;
        world.agents.shut_down().await;
        assert!(world.processes().is_empty());
    });
}

#[test]
fn one_that_died_while_it_waited_is_not_given_away() {
    run(async {
        let world = TestBench::new(warm(&[]), &limits());
        assert_eq!(world.runner().health().await, Health::Ready);
        let pid = world.processes()[0];
        std::process::Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap();
        until("it is dead", || !is_alive(pid)).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_eq!(world.say(world.turn("run-1", "say ok")).await, ("ok".to_owned(), How::Completed));
    });
}

#[test]
fn a_warm_one_is_told_what_is_not_in_its_environment() {
    run(async {
        let world = TestBench::new(warm(&[]), &limits());
        let (text, how) = world.say(world.turn("run-1", "cwd\nenv XWORKMATE_RUN_ID\nblocks")).await;
        assert_eq!(how, How::Completed);
        let directory = world.directory("run-1");
        assert!(text.starts_with(&format!("{}\n[]\n", directory.display())), "{text}");
        assert!(text.contains("XWORKMATE_RUN_ID=run-1"), "{text}");
    });
}

/// A conversation of three turns: what is said in each, and whether the process stayed the same.
async fn conversation(world: &TestBench) -> (Vec<String>, bool) {
    let (first, _) = world.say(world.turn("run-1", "turns\ncwd\npid")).await;
    let mut all = vec![first];
    for run in ["run-2", "run-3"] {
        let (text, how) = world.say(follow_up(world, run, "turns\ncwd\npid")).await;
        assert_eq!(how, How::Completed);
        all.push(text);
    }
    let pids: Vec<&str> = all.iter().map(|text| text.lines().nth(2).unwrap()).collect();
    let same = pids.windows(2).all(|pair| pair[0] == pair[1]);
    let told = all.iter().map(|text| {
        let lines: Vec<&str> = text.lines().take(2).collect();
        lines.join(" ").replace(world.folder.path().to_str().unwrap(), "")
    });
    (told.collect(), same)
}

#[test]
fn a_conversation_goes_on_in_the_folder_of_each_run() {
    run(async {
        let state = tempfile::tempdir().unwrap();
        let state = state.path().to_str().unwrap();
        let moving = ["1 /run-1", "2 /run-2", "3 /run-3"].map(str::to_owned).to_vec();
        for can in ["load", "resume", "load resume"] {
            let set = [("FAKE_STATE", state), ("FAKE_CAN", can)];
            let world = TestBench::new(provider(&set), &limits());
            assert_eq!(conversation(&world).await, (moving.clone(), false), "a process for each run, {can}");
            let world = TestBench::new(warm(&set), &limits());
            assert_eq!(conversation(&world).await, (moving.clone(), true), "kept, {can}");
        }
        // One that cannot take up a session keeps its process, and its folder.
        let world = TestBench::new(provider(&[]), &limits());
        let staying = ["1 /run-1", "2 /run-1", "3 /run-1"].map(str::to_owned).to_vec();
        assert_eq!(conversation(&world).await, (staying, true));
    });
}

#[test]
fn it_is_taken_up_again_when_its_process_is_not_kept_any_more() {
    run(async {
        let state = tempfile::tempdir().unwrap();
        let set = [("FAKE_STATE", state.path().to_str().unwrap()), ("FAKE_CAN", "load")];
        let short = Limits { kept_for: Duration::from_millis(50), ..limits() };
        let world = TestBench::new(AgentProvider { warm: 0, ..warm(&set) }, &short);
        world.say(world.turn("run-1", "say hello")).await;
        until("the kept one ends", || world.processes().is_empty()).await;
        assert_eq!(world.say(follow_up(&world, "run-2", "turns")).await, ("2".to_owned(), How::Completed));

        let world = TestBench::new(AgentProvider { warm: 0, ..warm(&[]) }, &short);
        world.say(world.turn("run-1", "say hello")).await;
        until("the kept one ends", || world.processes().is_empty()).await;
        let error = world.start(follow_up(&world, "run-2", "turns")).await.err().unwrap();
        assert_eq!(error.code, "SESSION_CONTINUATION_UNAVAILABLE");
    });
}

/// The journal knows a conversation that a process before this one had.
#[test]
fn a_conversation_outlives_the_process_that_had_it() {
    run(async {
        let state = tempfile::tempdir().unwrap();
        let set = [("FAKE_STATE", state.path().to_str().unwrap()), ("FAKE_CAN", "load")];
        let before = TestBench::new(provider(&set), &limits());
        let mut events = before.hear(before.turn("run-1", "say hello")).await;
        let AgentEvent::Started { agent_session } = events.remove(0) else { panic!("{events:?}") };
        before.agents.shut_down().await;
        let world = TestBench::new(provider(&set), &limits());
        let turn = Turn { conversation: agent_session, ..follow_up(&world, "run-2", "turns") };
        assert_eq!(world.say(turn).await, ("2".to_owned(), How::Completed));
    });
}

#[test]
fn what_is_not_known_is_not_begun_anew() {
    run(async {
        let world = TestBench::new(provider(&[("FAKE_CAN", "load")]), &limits());
        let never = world.start(follow_up(&world, "run-1", "turns")).await.err().unwrap();
        assert_eq!(never.code, "SESSION_CONTINUATION_UNAVAILABLE");
        world.say(world.turn("run-1", "say hello")).await;
        // It says that it can, and does not.
        let lost = world.start(follow_up(&world, "run-2", "turns")).await.err().unwrap();
        assert_eq!(lost.code, "SESSION_CONTINUATION_UNAVAILABLE");
        assert!(world.processes().is_empty());
    });
}

#[test]
fn principals_do_not_share_a_conversation_and_closing_forgets_it() {
    run(async {
        let world = TestBench::new(warm(&[]), &limits());
        world.say(world.turn("run-1", "say hello")).await;
        let mut foreign = follow_up(&world, "run-2", "turns");
        foreign.principal = "bert".to_owned();
        assert_eq!(world.start(foreign).await.err().unwrap().code, "SESSION_CONTINUATION_UNAVAILABLE");
        world.runner().close("anna", "thread").await;
        let closed = world.start(follow_up(&world, "run-2", "turns")).await.err().unwrap();
        assert_eq!(closed.code, "SESSION_CONTINUATION_UNAVAILABLE");
    });
}

#[test]
fn only_so_many_processes_are_kept() {
    run(async {
        let world = TestBench::new(AgentProvider { warm: 0, ..warm(&[]) }, &Limits { kept: 2, ..limits() });
        let mut pids: Vec<i32> = Vec::new();
        for thread in 0..4 {
            let turn = Turn { thread: format!("thread-{thread}"), ..world.turn("run-1", "pid") };
            pids.push(world.say(turn).await.0.parse().unwrap());
        }
        let alive = || -> Vec<bool> { pids.iter().map(|pid| is_alive(*pid)).collect() };
        // One that is no longer counted may still be about to end.
        until("the oldest ones end", || world.processes().len() == 2 && !alive()[0] && !alive()[1]).await;
        assert_eq!(alive(), [false, false, true, true]);
    });
}

#[test]
fn turns_of_one_thread_come_one_after_the_other() {
    run(async {
        let world = TestBench::new(provider(&[]), &limits());
        let slow = world.turn("run-1", "sleep 300\nwrite a.txt x");
        let running = world.start(slow).await.unwrap();
        let file = world.directory("run-1").join("a.txt");
        let (text, _) = world.say(world.turn("run-2", "say second")).await;
        assert_eq!((text.as_str(), file.exists()), ("second", true));
        drop(running);
    });
}
