//! The environment of the one who looks on: an agent works with it, nothing of it is stored, and a run waits for it.

use engross_protocol::Clock as _;
use engross_tasks::runs::Target;
use serde_json::{Value, json};

use super::{TestBench, agent, and, streaming};

fn seen_by(value: &str) -> Value {
    json!({ "viewerEnvironment": { "SECRET": value, "PATH": "/bin" } })
}

#[tokio::test]
async fn an_agent_works_with_the_environment_of_whoever_asked() {
    let bench = TestBench::runner().await;
    for (thread, value) in [("a", "one-very-secret"), ("b", "another-very-secret")] {
        let told = bench.call("session.start", and(agent(thread, "seen:SECRET"), seen_by(value))).await;
        assert_eq!(told["output"], value);
    }
    // A follow-up without one, as of the runner itself, has the one of before.
    let told = bench.call("session.message", agent("a", "seen:SECRET")).await;
    assert_eq!(told["output"], "one-very-secret");
    assert!(bench.bridge.is_idle());
    // The words of the answer hold it in this test; what was sent does not get there by itself.
    let told = bench.call("session.start", and(agent("c", "say:x"), seen_by("never-to-be-stored"))).await;
    assert_eq!(told["output"], "x");
    for file in std::fs::read_dir(bench.folder.path()).unwrap().flatten().filter(|file| file.path().is_file())
    {
        let bytes = std::fs::read(file.path()).unwrap();
        let is_there = bytes.windows(18).any(|piece| piece == b"never-to-be-stored");
        assert!(!is_there, "{}", file.path().display());
    }
}

#[tokio::test]
async fn after_a_crash_a_run_waits_until_somebody_looks_on() {
    let mut bench = TestBench::runner().await;
    let start = |words: &str| and(agent("a", words), json!({ "idempotencyKey": "k", "waitMs": 0 }));
    let told = bench.call("session.start", start("seen:SECRET")).await;
    assert_eq!(told["status"], "queued");
    for _ in 0..2 {
        bench.restart().await;
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        assert!(bench.agent.prompts().is_empty());
        assert!(bench.bridge.runs().waits_for_viewer("a"));
        // It keeps no runner at work, and no time runs for it.
        assert!(bench.bridge.runs().is_idle());
        bench.watch.forward(3_600_000);
        bench.bridge.runs().look_after(false).await.unwrap();
    }
    // Somebody who does not say what they see does not end the wait; somebody who does, does.
    bench.call("session.start", start("seen:SECRET")).await;
    assert!(bench.bridge.runs().waits_for_viewer("a"));
    bench.call("session.start", and(start("seen:SECRET"), seen_by("later"))).await;
    let ended = bench.end(&told["runId"]).await;
    assert_eq!((&ended["output"], bench.agent.prompts().len()), (&json!("later"), 1));
    assert!(!bench.bridge.runs().waits_for_viewer("a"));
    // Who only asks how it stands looks on as well.
    let told = bench.call("session.start", and(agent("b", "seen:SECRET"), json!({ "waitMs": 0 }))).await;
    bench.restart().await;
    let asked = and(json!({ "runId": told["runId"] }), seen_by("asked"));
    bench.call("xworkmate.tasks.get", asked).await;
    assert_eq!(bench.end(&told["runId"]).await["output"], "asked");
}

#[tokio::test]
async fn a_run_that_waits_can_be_cancelled_and_others_go_on() {
    let bench = TestBench::runner().await;
    let told = bench.call("session.start", and(agent("a", "say:x"), json!({ "waitMs": 0 }))).await;
    let other = bench.call("session.start", and(agent("b", "seen:SECRET"), seen_by("v"))).await;
    assert_eq!(other["output"], "v");
    let cancelled = bench.call("xworkmate.tasks.cancel", json!({ "runId": told["runId"] })).await;
    assert_eq!(cancelled["cancelled"], true, "{cancelled}");
    assert!(!bench.bridge.runs().waits_for_viewer("a"));
    assert_eq!(bench.bridge.runs().active(Target::Agent), 0);
}

#[tokio::test]
async fn nobody_else_hands_in_an_environment() {
    let bench = TestBench::new().await;
    let (number, code) = bench.refusal("session.start", and(agent("a", "say:x"), seen_by("v"))).await;
    assert_eq!((number, code.as_str()), (-32602, "RPC_PARAMS_INVALID"));
    let bench = TestBench::runner().await;
    for wrong in
        [json!({ "A": 1 }), json!({ "A=B": "x" }), json!({ "": "x" }), json!({ "A": "x".repeat(300_000) })]
    {
        let asked = and(agent("a", "say:x"), json!({ "viewerEnvironment": wrong }));
        assert_eq!(bench.refusal("session.start", asked).await.0, -32602);
    }
}

/// Who looks on after the end, or after a restart, hears of the tools and the plan with the moments at which they were used.
#[tokio::test]
async fn what_the_agent_did_is_told_to_those_who_come_later() {
    let mut bench = TestBench::new().await;
    let told = bench.call("session.start", agent("t", "plan:think tool:a tool:b say:done")).await;
    for _ in 0..2 {
        let asked = json!({ "runId": told["runId"], "afterSeq": 0, "waitMs": 0 });
        let mut frames = bench.bridge.open(streaming(), super::request("xworkmate.tasks.get", asked));
        let mut steps = Vec::new();
        while let Some(engross_tasks::rpc::RpcFrame::Event(envelope, _)) = frames.recv().await {
            let step = envelope["params"]["structuredEvent"].clone();
            match step["type"].as_str() {
                Some("tool_call") => {
                    assert!(step["atMs"].is_u64(), "{step}");
                    steps.push(format!(
                        "{} {}",
                        step["title"].as_str().unwrap(),
                        step["status"].as_str().unwrap()
                    ));
                }
                Some("plan") => steps.push(step["entries"][0]["content"].as_str().unwrap().to_owned()),
                _ => {}
            }
        }
        // What it got on with only passed by, and is heard while it is in memory.
        steps.retain(|step| !step.ends_with("in_progress"));
        assert_eq!(steps, ["think", "use a pending", "use a completed", "use b pending", "use b completed"]);
        bench.restart().await;
    }
}

#[tokio::test]
async fn files_of_old_runs_are_removed_and_those_of_newer_ones_stay() {
    let bench = TestBench::new().await;
    let old = bench.call("session.start", agent("old", "write:a.md=same write:b.md=alone say:x")).await;
    bench.watch.forward(10_000);
    let new = bench.call("session.start", agent("new", "write:c.md=same say:x")).await;
    let frozen = || {
        let folders = std::fs::read_dir(bench.folder.path().join("frozen")).unwrap().flatten();
        folders.filter_map(|folder| std::fs::read_dir(folder.path()).ok()).flatten().count()
    };
    assert_eq!(frozen(), 2);
    // The clock of the test is not that of the disk, whose files are all newer.
    let times = std::fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH);
    for folder in std::fs::read_dir(bench.folder.path().join("frozen")).unwrap().flatten() {
        for file in std::fs::read_dir(folder.path()).into_iter().flatten().flatten() {
            let file = std::fs::File::open(file.path()).unwrap();
            file.set_times(times).unwrap();
        }
    }
    let before = bench.watch.millis() - 5_000;
    let collected = bench.bridge.runs().collect(before).await.unwrap();
    assert_eq!((collected.files, collected.bytes, frozen()), (1, 5, 1));
    assert!(!bench.scope(&old).exists() && bench.scope(&new).exists());
    // What is told of the old run stays, without a way to its bytes.
    let told = bench.call("xworkmate.tasks.get", json!({ "runId": old["runId"] })).await;
    assert_eq!((&told["status"], &told["output"]), (&json!("completed"), &json!("x")));
    assert_eq!(bench.bridge.runs().collect(before).await.unwrap().files, 0);
}

#[tokio::test]
async fn tasks_of_old_threads_are_forgotten_with_their_words_and_others_stay() {
    let bench = TestBench::new().await;
    let old = bench.call("session.start", agent("old", "write:a.md=same say:x")).await;
    bench.watch.forward(10_000);
    let new = bench.call("session.start", agent("new", "say:x")).await;
    let runs = bench.bridge.runs();
    let logs = async || runs.config().store.list(None, None, 100).await.unwrap().len();
    let before = logs().await;
    assert_eq!(runs.forget(bench.watch.millis() - 5_000).await.unwrap(), 1);
    assert_eq!(logs().await, before - 1);
    let told = async |run: &Value| bench.call("xworkmate.tasks.get", json!({ "runId": run["runId"] })).await;
    assert_eq!(told(&new).await["status"], "completed");
    assert_ne!(told(&old).await["status"], "completed");
    // The thread can be begun anew, under its old name.
    let again = bench.call("session.start", agent("old", "say:y")).await;
    assert_eq!(again["status"], "completed");
}
