//! What a request may look like, and how one is refused.

use std::sync::Arc;

use engross_tasks::rpc::RpcRequest;
use engross_tasks::runner::Policy;
use engross_tasks::runs::Capacity;
use serde_json::{Value, json};

use super::{TestBench, agent, and, call, gateway};

#[test]
fn envelopes_are_read_strictly() {
    for (text, number) in [
        ("", -32700),
        ("[]", -32700),
        ("{\"id\":1}", -32700),
        ("{\"id\":1,\"method\":\" \"}", -32700),
        ("{\"id\":1,\"method\":\"x\",\"params\":[]}", -32602),
    ] {
        let (id, error) = *RpcRequest::parse(text.as_bytes()).unwrap_err();
        assert_eq!(error.number, number, "{text}");
        assert_eq!(id, if text.contains("id") { json!(1) } else { Value::Null });
    }
    let request = RpcRequest::parse(b"{\"method\":\"health\"}").unwrap();
    assert_eq!((request.id, request.params.len()), (None, 0));
}

#[tokio::test]
async fn answers_have_the_fields_that_clients_read() {
    let bench = TestBench::new().await;
    let envelope = bench.envelope(call(), "health", json!({})).await;
    let result = json!({ "status": "ok", "version": "0", "role": "acp-control-plane" });
    assert_eq!(
        envelope,
        json!({ "jsonrpc": "2.0", "id": "1", "result": result, "ok": true, "type": "res", "payload": result, "seq": 0 })
    );
    let envelope = bench.envelope(call(), "xworkmate.desktop.offer", json!({})).await;
    assert_eq!(envelope["error"]["code"], -32601);
    assert_eq!(envelope["error"]["message"], "unknown method: xworkmate.desktop.offer");
    assert_eq!((&envelope["ok"], &envelope["payload"]), (&json!(false), &Value::Null));
}

#[tokio::test]
async fn case_64_capabilities_list_agents_in_order_and_one_gateway() {
    let bench = TestBench::new().await;
    let told = bench.call("acp.capabilities", json!({})).await;
    let ids = |list: &str| -> Vec<String> {
        let list = told[list].as_array().unwrap();
        list.iter().map(|entry| entry["providerId"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        (ids("providerCatalog"), ids("gatewayProviders")),
        (vec!["codex".to_owned(), "gemini".to_owned()], vec!["openclaw".to_owned()])
    );
    assert_eq!(told["availableExecutionTargets"], json!(["agent", "gateway"]));
    assert_eq!(told["providerCatalog"][1]["enabled"], json!(false));
    assert_eq!(told["protocolVersion"], engross_tasks::rpc::PROTOCOL);
}

#[tokio::test]
async fn d1_the_prompt_is_the_first_field_that_has_one() {
    let bench = TestBench::new().await;
    let routing = agent("x", "")["routing"].clone();
    for (number, (fields, prompt)) in [
        (json!({ "taskPrompt": "say:a", "prompt": "say:b" }), "say:a"),
        (json!({ "taskPrompt": " ", "prompt": "say:b" }), "say:b"),
        (json!({ "message": [{ "text": "say:c" }, { "content": "x" }] }), "say:c\nx"),
        (json!({ "messages": [{ "role": "user", "content": "old" }, { "role": "user", "content": [{ "type": "text", "text": "say:d" }] }, { "role": "assistant", "content": "no" }] }), "say:d"),
        (json!({ "input": { "value": "say:e" } }), "say:e"),
        (json!({ "content": "say:f" }), "say:f"),
    ]
    .into_iter()
    .enumerate()
    {
        bench.call("session.start", and(fields, json!({ "threadId": format!("t{number}"), "routing": routing }))).await;
        assert_eq!(bench.agent.prompts().last().unwrap(), prompt);
    }
}

#[tokio::test]
async fn bad_requests_are_refused_with_their_codes() {
    let bench = TestBench::new().await;
    let inline = |content: &str| json!({ "inlineAttachments": [{ "name": "a", "content": content }] });
    let large = "A".repeat((10 << 20) / 3 * 4 + 8);
    let mut nobody = agent("t", "x");
    nobody["routing"]["explicitProviderId"] = json!("nobody");
    for (params, expected) in [
        (json!({ "threadId": "t", "taskPrompt": "x" }), (-32602, "ROUTING_REQUIRED")),
        (agent("t", " "), (-32602, "OPENCLAW_TASK_PROMPT_REQUIRED")),
        (agent("", "x"), (-32602, "TASK_THREAD_INVALID")),
        (agent("a\nb", "x"), (-32602, "TASK_THREAD_INVALID")),
        (nobody, (-32001, "PROVIDER_NOT_FOUND")),
        (and(agent("t", "x"), json!({ "taskLoadClass": "huge" })), (-32602, "RPC_PARAMS_INVALID")),
        (and(agent("t", "x"), json!({ "runBudgetMs": 0 })), (-32602, "RPC_PARAMS_INVALID")),
        (and(agent("t", "x"), json!({ "waitMs": "soon" })), (-32602, "RPC_PARAMS_INVALID")),
        (and(agent("t", "x"), inline("%%%")), (-32602, "OPENCLAW_ATTACHMENT_INVALID_BASE64")),
        (and(agent("t", "x"), inline(&large)), (-32602, "OPENCLAW_ATTACHMENT_FILE_TOO_LARGE")),
    ] {
        let (number, code) = bench.refusal("session.start", params).await;
        assert_eq!((number, code.as_str()), expected);
    }
    let (_, code) = bench.refusal("session.message", agent("never", "x")).await;
    assert_eq!(code, "SESSION_CONTINUATION_UNAVAILABLE");
    assert_eq!(bench.agent.prompts(), Vec::<String>::new(), "nothing reached an agent");
}

#[tokio::test]
async fn case_65_an_agent_is_not_made_a_gateway_by_a_hint() {
    let bench = TestBench::new().await;
    let mut asked = agent("t", "say:x");
    asked["routing"]["preferredGatewayProviderId"] = json!("openclaw");
    let told = bench.call("session.start", asked.clone()).await;
    assert_eq!(
        (&told["resolvedProviderId"], &told["resolvedGatewayProviderId"]),
        (&json!("codex"), &json!(""))
    );
    let told = bench.call("xworkmate.routing.resolve", asked).await;
    assert_eq!(
        (&told["resolvedExecutionTarget"], &told["status"]),
        (&json!("single-agent"), &json!("available"))
    );
    let told = bench.call("xworkmate.routing.resolve", gateway("t", "x")).await;
    assert_eq!(told["resolvedGatewayProviderId"], "openclaw");
}

#[tokio::test]
async fn d6_budgets_come_from_the_request_and_never_from_words() {
    let bench = TestBench::new().await;
    let wait = json!({ "waitMs": 0 });
    let video = "please render a very long video with many skills hold";
    for (thread, params, minutes) in [
        ("a", json!({}), 30),
        ("b", json!({ "taskLoadClass": "short_task" }), 10),
        ("c", json!({ "metadata": { "taskLoadClass": "complex_long_chain_task" } }), 60),
        ("d", json!({ "timeoutMs": 120_000 }), 2),
    ] {
        let told = bench.call("session.start", and(and(agent(thread, video), params), wait.clone())).await;
        assert_eq!(told["runtimeBudgetMinutes"], minutes, "{thread}");
    }
}

#[tokio::test]
async fn the_same_key_is_the_same_run_and_another_request_is_refused() {
    let bench = TestBench::new().await;
    let asked = and(agent("t", "say:1"), json!({ "idempotencyKey": "k" }));
    let one = bench.call("session.start", asked.clone()).await;
    let two = bench.call("session.start", and(asked, json!({ "waitMs": 10 }))).await;
    assert_eq!(one, two);
    assert_eq!(bench.agent.prompts().len(), 1);
    let other = and(agent("t", "say:2"), json!({ "idempotencyKey": "k" }));
    assert_eq!(bench.refusal("session.start", other).await, (-32602, "IDEMPOTENCY_KEY_REUSED".to_owned()));
}

/// A terminal and the runner may hand in the same request at once, when both find it after a crash: the thread comes to be while
/// the other one looks for its session key.
#[tokio::test]
async fn a_request_that_comes_several_times_at_once_is_one_run() {
    const THREADS: usize = 120;
    let bench = Arc::new(TestBench::new().await);
    for number in 0..THREADS {
        let named = json!({ "idempotencyKey": format!("k{number}") });
        let asked = and(agent(&format!("t{number}"), "say:1"), named);
        let begin = |one: usize| {
            let (bench, asked) = (Arc::clone(&bench), asked.clone());
            tokio::spawn(async move {
                // At other moments of the first one's way each time.
                for _ in 0..one * number {
                    tokio::task::yield_now().await;
                }
                bench.call("session.start", asked).await["runId"].clone()
            })
        };
        let calls: Vec<_> = (0..4).map(begin).collect();
        let mut runs = Vec::new();
        for call in calls {
            runs.push(call.await.unwrap());
        }
        assert!(runs.iter().all(|run| run.is_string() && *run == runs[0]), "{runs:?}");
    }
    assert_eq!(bench.agent.prompts().len(), THREADS);
}

#[tokio::test]
async fn a_policy_of_the_server_is_never_widened_by_a_request() {
    let wait = json!({ "waitMs": 1000 });
    for (policy, asked, answer) in [
        (Policy::Deny, "allow", Some("no")),
        (Policy::Allow, "deny", Some("no")),
        (Policy::Allow, "allow", Some("yes")),
    ] {
        let bench = TestBench::with(Capacity::default(), policy).await;
        let params = and(and(agent("t", "ask say:x"), json!({ "permissions": asked })), wait.clone());
        assert_eq!(bench.call("session.start", params).await["status"], "completed");
        assert_eq!(*bench.agent.answers.lock().unwrap(), [answer.map(str::to_owned)]);
    }
}

#[tokio::test]
async fn jobs_are_runs_that_nobody_listens_to() {
    let mut bench = TestBench::new().await;
    let job = bench
        .call("xworkmate.jobs.submit", json!({ "providerId": "codex", "taskPrompt": "say:clean" }))
        .await;
    assert_eq!((&job["status"], &job["sessionId"]), (&json!("pending"), &job["jobId"]));
    bench.restart().await;
    let told = loop {
        let told = bench.call("xworkmate.jobs.get", json!({ "jobId": job["jobId"] })).await;
        if ["completed", "failed"].contains(&told["status"].as_str().unwrap()) {
            break told;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(told["jobId"], job["jobId"]);
    let listed = bench.call("xworkmate.jobs.list", json!({})).await;
    assert_eq!(listed["jobs"].as_array().unwrap().len(), 1);
    assert_eq!(bench.call("xworkmate.jobs.stats", json!({})).await["summary"], listed["summary"]);
    assert_eq!(bench.call("xworkmate.jobs.get", json!({ "jobId": "job-x" })).await["status"], "not_found");
    let callback = json!({ "providerId": "codex", "taskPrompt": "x", "callbackUrl": "http://10.0.0.1/" });
    assert_eq!(bench.refusal("xworkmate.jobs.submit", callback).await.1, "CALLBACK_NOT_ALLOWED");
}
