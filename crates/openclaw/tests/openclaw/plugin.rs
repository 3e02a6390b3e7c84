//! A gateway with the plugin: its folder is told, and its files come here.

use engross_openclaw::GatewayLimits;
use engross_tasks::runner::{AgentEvent, How, TaskRunner};
use serde_json::{Value, json};

use super::{TestBench, all, chat, ended, next, patient, started};
use engross_testkit::task_requests::within;

/// The SHA-256 of `made`.
const MADE: &str = "ea0890697a77af0a2e054cccec587c8a42feb5cf38e778c6c6e2a96bfb945c0b";

fn prepared() -> Value {
    json!({ "sessionKey": "agent:main:draft:1", "artifactScope": "tasks/s/turn-1", "artifactDirectory": "/far/tasks/s/turn-1" })
}

fn listed(path: &str) -> Value {
    json!({ "relativePath": path, "sizeBytes": 4, "sha256": MADE, "artifactRef": "ref" })
}

/// A turn that ended at a gateway with the plugin, which lists these files.
async fn done(room: &mut TestBench, end: Value, files: Value) -> engross_tasks::runner::RunningTurn {
    let turn = room.turn("x");
    let (running, sent) = within(async {
        tokio::join!(room.runner.start(turn), async {
            let asked = room.gate.asked("xworkmate.session.prepare").await;
            room.gate.ok(&asked, prepared());
            room.gate.accept().await
        })
    })
    .await;
    let told = sent["message"].as_str().unwrap();
    assert!(told.contains("folder of this task is /far/tasks/s/turn-1. Write"), "{told}");
    let mut running = running.unwrap();
    assert_eq!(next(&mut running).await, started());
    room.gate.event("chat", end);
    if !files.is_null() {
        let asked = room.gate.asked("xworkmate.artifacts.export").await;
        let expected = json!({
            "openclawSessionKey": "agent:main:draft:1", "runId": "turn-1", "artifactScope": "tasks/s/turn-1",
            "maxFiles": 10_000, "maxInlineBytes": 0, "includeContent": false,
        });
        assert_eq!(asked.params, expected);
        room.gate.ok(&asked, json!({ "artifacts": files }));
    }
    running
}

async fn hand(room: &mut TestBench, path: &str, content: &str) {
    let asked = room.gate.asked("xworkmate.artifacts.read").await;
    assert_eq!((&asked.params["relativePath"], &asked.params["artifactRef"]), (&json!(path), &json!("ref")));
    room.gate.ok(
        &asked,
        json!({ "artifacts": [{ "relativePath": path, "encoding": "base64", "content": content }] }),
    );
}

fn code(events: &[AgentEvent]) -> &str {
    let [AgentEvent::Ended(end)] = events else { panic!("{events:?}") };
    let How::Failed { code, .. } = &end.how else { panic!("{end:?}") };
    code
}

#[tokio::test]
async fn files_of_the_run_are_fetched_before_its_end_is_told() {
    let mut room = TestBench::new().await;
    let files = json!([listed("a.txt"), listed("reports/b.txt")]);
    let mut running = done(&mut room, chat("final", "done"), files).await;
    hand(&mut room, "a.txt", "bWFkZQ==").await;
    hand(&mut room, "reports/b.txt", "bWFkZQ==").await;
    assert_eq!(all(&mut running).await, [ended(How::Unstated, Some("done"))]);
    for path in ["a.txt", "reports/b.txt"] {
        assert_eq!(std::fs::read_to_string(room.folder.path().join("run").join(path)).unwrap(), "made");
    }
}

#[tokio::test]
async fn files_that_the_answer_names_are_collected_first() {
    let mut room = TestBench::new().await;
    let mut end = chat("final", "done");
    end["mediaUrls"] = json!([
        "/far/tasks/s/turn-1/b.png",
        "https://elsewhere.example/c.png",
        "/media/a.png",
        "/media/lost.png"
    ]);
    let mut running = done(&mut room, end, Value::Null).await;
    let asked = room.gate.asked("xworkmate.artifacts.collect-and-snapshot").await;
    assert_eq!(asked.params["sourceFiles"], json!(["/media/a.png", "/media/lost.png"]));
    let warnings = ["/media/lost.png is outside", "skipped symlink media/other"];
    // Versions of the plugin take all that lies in its folders.
    let copied = ["artifacts/media/browser/a.png", "artifacts/tmp-openclaw/gateway.log"];
    room.gate.ok(&asked, json!({ "copiedFiles": copied, "warnings": warnings }));
    let exported = room.gate.asked("xworkmate.artifacts.export").await;
    room.gate.ok(&exported, json!({ "artifacts": copied.map(listed) }));
    hand(&mut room, "artifacts/media/browser/a.png", "bWFkZQ==").await;
    // What did not come is told, and does not keep the rest away.
    let lost = AgentEvent::Files(vec!["/media/lost.png".to_owned()]);
    assert_eq!(all(&mut running).await, [lost, ended(How::Unstated, Some("done"))]);
}

#[tokio::test]
async fn a_file_that_the_answer_names_in_the_folder_of_the_run_is_exported_as_it_stands() {
    let mut room = TestBench::new().await;
    let mut end = chat("final", "done");
    end["mediaUrls"] = json!(["/far/tasks/s/turn-1/a.txt"]);
    let mut running = done(&mut room, end, json!([listed("a.txt")])).await;
    hand(&mut room, "a.txt", "bWFkZQ==").await;
    assert_eq!(all(&mut running).await, [ended(How::Unstated, Some("done"))]);
}

#[tokio::test]
async fn a_file_that_cannot_be_had_as_it_was_listed_fails_the_run() {
    let mut large = listed("a.txt");
    large["sizeBytes"] = json!(5);
    let cases = [
        // Other bytes than listed, no base64, no content, above the limit, and paths that lead out.
        (listed("a.txt"), Some("b3RoZXI=")),
        (listed("a.txt"), Some("%")),
        (large, None),
        (listed("../a.txt"), Some("bWFkZQ==")),
        (listed("/etc/a.txt"), Some("bWFkZQ==")),
    ];
    for (file, content) in cases {
        let mut room = TestBench::with(GatewayLimits { largest_file: 4, ..patient() }).await;
        let path = file["relativePath"].as_str().unwrap().to_owned();
        let mut running = done(&mut room, chat("final", "done"), json!([file])).await;
        if let Some(content) = content {
            hand(&mut room, &path, content).await;
        }
        assert_eq!(code(&all(&mut running).await), "OPENCLAW_ARTIFACT_UNREACHABLE", "{path} {content:?}");
        assert_eq!(std::fs::read_dir(room.folder.path().join("run")).unwrap().count(), 0, "{path}");
    }
}

#[tokio::test]
async fn nothing_is_fetched_of_a_run_that_was_not_done() {
    let mut room = TestBench::new().await;
    let mut running = done(&mut room, chat("aborted", ""), Value::Null).await;
    assert_eq!(all(&mut running).await, [ended(How::Cancelled, None)]);
    assert!(room.gate.is_idle());
}

#[tokio::test]
async fn a_folder_of_another_session_is_a_mismatch() {
    let mut room = TestBench::new().await;
    let turn = room.turn("x");
    let (refused, ()) = within(async {
        tokio::join!(room.runner.start(turn), async {
            let asked = room.gate.asked("xworkmate.session.prepare").await;
            let mut made = prepared();
            made["sessionKey"] = json!("agent:main:other");
            room.gate.ok(&asked, made);
        })
    })
    .await;
    assert_eq!(refused.err().map(|error| error.code).as_deref(), Some("OPENCLAW_SESSION_MISMATCH"));
    assert!(room.gate.is_idle(), "no turn is begun");
}

#[tokio::test]
async fn after_a_restart_the_files_are_fetched_all_the_same() {
    let mut room = TestBench::new().await;
    let turn = room.turn("x");
    let mut running = within(room.runner.resume(turn, None)).await.unwrap().unwrap();
    let asked = room.gate.asked("agent.wait").await;
    room.gate.ok(&asked, json!({ "status": "ok", "terminalReply": { "text": "done" } }));
    let asked = room.gate.asked("chat.history").await;
    room.gate.ok(&asked, json!({ "messages": [] }));
    let asked = room.gate.asked("xworkmate.session.prepare").await;
    room.gate.ok(&asked, prepared());
    // The line breaks while files are fetched.
    let _unanswered = room.gate.asked("xworkmate.artifacts.export").await;
    room.gate.cut();
    let asked = room.gate.asked("xworkmate.session.prepare").await;
    room.gate.ok(&asked, prepared());
    let asked = room.gate.asked("xworkmate.artifacts.export").await;
    room.gate.ok(&asked, json!({ "artifacts": [listed("a.txt")] }));
    hand(&mut room, "a.txt", "bWFkZQ==").await;
    assert_eq!(all(&mut running).await, [ended(How::Unstated, Some("done"))]);
    assert_eq!(std::fs::read_to_string(room.folder.path().join("run/a.txt")).unwrap(), "made");
}
