//! Recorded frames, played in their order: what a run is told of them.

use engross_tasks::runner::{AgentEvent, How, RunningTurn, TaskRunner};
use serde_json::{Value, json};

use super::{TestBench, all, ended, next, started, text};
use engross_testkit::task_requests::within;

const DELIVERED: &str = include_str!("frames/delivered.jsonl");
const MEDIA: &str = include_str!("frames/media.jsonl");
const ABORTED: &str = include_str!("frames/aborted.jsonl");
const FAILED: &str = include_str!("frames/failed.jsonl");
const VERSION_3: &str = include_str!("frames/version3.jsonl");

/// Plays `frames`: waits for each request in them, and calls `cancel` before one for an end.
async fn play(room: &mut TestBench, frames: &str) -> Vec<AgentEvent> {
    let frames: Vec<Value> = frames.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let turn = room.turn("as recorded");
    let runner = room.runner.clone();
    let starting = runner.start(turn);
    let mut starting = Some(starting);
    let (mut running, mut asked): (Option<RunningTurn>, _) = (None, None);
    let mut receipt = None;
    for frame in &frames {
        if let Some(out) = frame.get("out") {
            let method = out["method"].as_str().unwrap();
            if method == "chat.send" {
                let start = starting.take().unwrap();
                let playing = async {
                    room.gate.without_plugin().await;
                    let asked = room.gate.asked(method).await;
                    let answer = frames.iter().find(|frame| frame["in"]["id"] == out["id"]).unwrap();
                    room.gate.ok(&asked, answer["in"]["payload"].clone());
                };
                let (begun, ()) = within(async { tokio::join!(start, playing) }).await;
                running = Some(begun.unwrap());
            } else {
                let control = running.as_ref().unwrap().control.clone();
                let cancelling = tokio::task::spawn(async move { control.cancel().await });
                asked = Some((room.gate.asked(method).await, out["id"].clone()));
                receipt = Some(cancelling);
            }
            continue;
        }
        let mut sent = frame["in"].clone();
        if sent["type"] == "res" {
            let Some((asked, id)) = &asked else { continue };
            assert_eq!(sent["id"], *id);
            sent["id"] = json!(asked.id);
        }
        room.gate.send(&sent);
    }
    if let Some(receipt) = receipt {
        let receipt = within(receipt).await.unwrap().unwrap();
        assert_eq!((receipt.aborted, receipt.runs), (true, vec!["run-1".to_owned()]));
    }
    let mut running = running.unwrap();
    assert_eq!(next(&mut running).await, started());
    all(&mut running).await
}

fn tool(id: &str, title: &str, status: &str) -> AgentEvent {
    AgentEvent::Tool {
        id: id.to_owned(),
        title: title.to_owned(),
        kind: "execute".to_owned(),
        status: status.to_owned(),
    }
}

#[tokio::test]
async fn a_recorded_task_is_told_with_its_tools_and_its_words() {
    let mut room = TestBench::new().await;
    let expected = [
        tool("call_0", "Exec print text", "in_progress"),
        tool("call_0", "Exec print text", "completed"),
        text("DELIVERED"),
        ended(How::Unstated, Some("DELIVERED")),
    ];
    assert_eq!(play(&mut room, DELIVERED).await, expected);
}

/// The line `MEDIA:` of the answer is in no text of the chat.
#[tokio::test]
async fn a_recorded_answer_that_names_a_file_is_told_with_it() {
    let mut room = TestBench::new().await;
    let title = "Exec create folder $(dirname → print text";
    let expected = [
        tool("call_0", title, "in_progress"),
        tool("call_0", title, "completed"),
        text("DELIVERED"),
        AgentEvent::Files(vec!["/home/you/.openclaw/media/pic.png".to_owned()]),
        ended(How::Unstated, Some("DELIVERED")),
    ];
    assert_eq!(play(&mut room, MEDIA).await, expected);
}

#[tokio::test]
async fn case_92_a_recorded_cancel_is_told_as_the_gateway_tells_it() {
    let mut room = TestBench::new().await;
    let events = play(&mut room, ABORTED).await;
    let all: String = (0..=10).map(|number| format!("still {number} ")).collect();
    let all = all.trim_end();
    let said: String = events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(said, all);
    assert_eq!(events.last(), Some(&ended(How::Cancelled, Some(all))));
}

#[tokio::test]
async fn case_90_a_failure_is_told_once_although_it_comes_twice() {
    let mut room = TestBench::new().await;
    let message = "the run failed at the gateway: 400 scripted bad request; see the gateway's log".to_owned();
    let how = How::Failed { code: "GATEWAY_EXECUTION_FAILED".to_owned(), message };
    assert_eq!(play(&mut room, FAILED).await, [ended(how, None)]);
}

#[tokio::test]
async fn an_older_gateway_is_understood() {
    let mut room = TestBench::new().await;
    let expected = [
        text("Let me use a tool."),
        tool("call_136_0", "exec", "in_progress"),
        tool("call_136_0", "exec", "failed"),
        text("\n\ndone: saw"),
        text(" 1 result"),
        AgentEvent::Files(vec!["/media/a.png".to_owned()]),
        ended(How::Unstated, Some("done: saw 1 result")),
    ];
    assert_eq!(play(&mut room, VERSION_3).await, expected);
}
