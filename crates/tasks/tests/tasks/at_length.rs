//! Many tasks that wait, over restarts and a clock that jumps. `ENGROSS_QUEUED_TASKS` says how many; `cargo xtask
//! tasks-at-length` tries 5,000.

use std::collections::BTreeSet;

use engross_tasks::runner::Policy;
use engross_tasks::runs::Capacity;
use serde_json::{Value, json};

use super::{TestBench, and, gateway};
use crate::count;

#[tokio::test]
async fn at_length_what_waits_is_done_once_and_in_order() {
    let most = count("ENGROSS_QUEUED_TASKS", 120);
    let mut bench = TestBench::with(Capacity { active: 3, queued: most }, Policy::Ask).await;
    let asked = |number: usize| {
        let more =
            json!({ "waitMs": 0, "idempotencyKey": format!("k{number}"), "queueTimeoutMs": 86_400_000 });
        and(gateway(&format!("t{number}"), &format!("say:{number} write:{number}.md={number}")), more)
    };
    // Three that hold the places, so that all others wait.
    for number in 0..3 {
        bench
            .call("session.start", and(gateway(&format!("h{number}"), "hold"), json!({ "waitMs": 0 })))
            .await;
    }
    bench.gateway.given(3).await;
    let mut runs: Vec<Value> = Vec::new();
    for number in 0..most {
        let told = bench.call("session.start", asked(number)).await;
        assert_eq!(told["status"], "queued", "{told}");
        runs.push(told["runId"].clone());
        // Some are sent twice.
        if number.is_multiple_of(7) {
            assert_eq!(bench.call("session.start", asked(number)).await["runId"], runs[number]);
        }
    }
    let more = and(gateway("one-too-many", "say:x"), json!({ "waitMs": 0 }));
    assert_eq!(bench.refusal("session.start", more).await.1, "OPENCLAW_GATEWAY_BUSY");
    // Restarts while they are worked off, and a clock that jumps there and back.
    for round in 0..3 {
        bench.restart().await;
        bench.watch.forward(3_600_000);
        bench.bridge.runs().look_after(true).await.unwrap();
        bench.watch.back(7_200_000 * (round % 2));
        let done = bench.gateway.prompts().len();
        bench.gateway.given((done + most / 8).min(most / 4)).await;
    }
    let mut done = BTreeSet::new();
    for (number, run) in runs.iter().enumerate() {
        let end = bench.end(run).await;
        let files: Vec<&str> = end["artifacts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|file| file["relativePath"].as_str().unwrap())
            .collect();
        match end["status"].as_str().unwrap() {
            "completed" => {
                assert_eq!(
                    (end["output"].clone(), files),
                    (json!(number.to_string()), vec![&format!("{number}.md")[..]])
                );
                done.insert(number);
            }
            // It was with the gateway when the server went down.
            "interrupted" => {
                assert_eq!((end["code"].as_str(), files.len()), (Some("ACP_BRIDGE_RESTART"), 0), "{end}");
            }
            other => panic!("{number} ended as {other}: {end}"),
        }
        assert_eq!(bench.call("session.start", asked(number)).await["runId"], *run, "sent again");
    }
    assert!(
        done.len() + 9 >= most,
        "at most those that were under way at a restart: {} of {most}",
        done.len()
    );
}
