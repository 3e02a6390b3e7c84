//! Answers of a bounded length, what they warn of, and work on files that nobody waits for.

use std::time::{Duration, Instant};

use engross_tasks::rpc::RpcFrame;
use serde_json::{Value, json};

use super::{TestBench, agent, and, call, count, gateway, request, streaming, within};

/// The bytes of an answer as it goes out.
async fn answer(bench: &TestBench, params: Value) -> (Value, usize) {
    let envelope = bench.envelope(call(), "xworkmate.tasks.get", params).await;
    let length = envelope.to_string().len();
    (envelope["result"].clone(), length)
}

#[tokio::test]
async fn a_run_with_many_files_is_told_in_pages_of_a_megabyte() {
    let bench = TestBench::new().await;
    let many = count("ENGROSS_TEST_FILES", 5_000);
    let began =
        bench.bridge.open(call(), request("session.start", agent("t", &format!("say:done many:{many}"))));
    let mut began = began;
    let Some(RpcFrame::Answer(told)) = began.recv().await else { panic!("no answer") };
    let run = told["result"]["runId"].clone();
    let told = loop {
        let told = bench.call("xworkmate.tasks.get", json!({ "runId": run, "waitMs": 5_000 })).await;
        if told["terminal"] == json!(true) {
            break told;
        }
    };
    assert_eq!(
        (&told["artifactCount"], &told["artifactsTruncated"]),
        (&json!(many), &json!(true)),
        "{}",
        told["code"]
    );
    let warned = told["artifactWarnings"]
        .as_array()
        .unwrap()
        .iter()
        .any(|line| line.as_str().unwrap().contains("next page"));
    assert!(warned, "{}", told["artifactWarnings"]);
    let mut seen = std::collections::BTreeSet::new();
    let mut cursor = Value::Null;
    loop {
        let mut ids = json!({ "runId": run });
        if cursor.is_string() {
            ids["cursor"] = cursor.clone();
        }
        let (page, length) = answer(&bench, ids).await;
        assert!(length <= 1_000_000, "{length}");
        for file in page["artifacts"].as_array().unwrap() {
            assert!(file["downloadUrl"].as_str().unwrap().contains(file["sha256"].as_str().unwrap()));
            assert!(seen.insert(file["relativePath"].as_str().unwrap().to_owned()), "{file} twice");
        }
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(seen.len(), many);
    let unchanged = json!({ "runId": run, "ifRevision": told["revision"] });
    let begun = Instant::now();
    let times = 50;
    for _ in 0..times {
        assert_eq!(bench.call("xworkmate.tasks.get", unchanged.clone()).await["notModified"], true);
    }
    let each = begun.elapsed() / times;
    assert!(each < Duration::from_millis(50), "{each:?}");
    let (_, code) = bench
        .refusal(
            "xworkmate.artifacts.list",
            json!({ "openclawSessionKey": told["openclawSessionKey"], "runId": run, "cursor": "x" }),
        )
        .await;
    assert_eq!(code, "ARTIFACT_CURSOR_INVALID");
}

#[tokio::test]
async fn long_words_are_told_once_and_to_their_end() {
    let bench = TestBench::new().await;
    let told = bench.call("session.start", agent("t", "words:100000")).await;
    let (run, whole) = (told["runId"].clone(), "word \u{1}\"".repeat(100_000));
    assert_eq!((&told["outputTruncated"], &told["outputBytes"]), (&json!(true), &json!(whole.len())));
    assert!(told["summary"].as_str().unwrap().len() < 1_000 && told["resultSummary"] == told["summary"]);
    let mut text = told["output"].as_str().unwrap().to_owned();
    let mut next = told["nextOutputOffset"].clone();
    while next.is_u64() {
        let (page, length) = answer(&bench, json!({ "runId": run, "outputOffset": next })).await;
        assert!(length <= 1_000_000, "{length}");
        text.push_str(page["output"].as_str().unwrap());
        next = page["nextOutputOffset"].clone();
    }
    assert_eq!(text, whole);
    let short = bench.call("session.start", agent("u", "say:short")).await;
    assert_eq!(
        (&short["output"], &short["summary"], &short["outputTruncated"]),
        (&json!("short"), &json!("short"), &Value::Null)
    );
}

#[tokio::test]
async fn a_file_that_is_only_named_is_told() {
    let bench = TestBench::new().await;
    let told = bench
        .call("session.start", agent("t", "say:Wrote:`report.pdf`,`notes.md` write:notes.md=x warn:odd"))
        .await;
    assert_eq!(told["namedOnly"], json!(["report.pdf"]), "{told:#}");
    let warnings = told["artifactWarnings"].to_string();
    assert!(
        warnings.contains("report.pdf") && warnings.contains("odd") && told["success"] == true,
        "{warnings}"
    );
}

#[tokio::test]
async fn hints_of_a_client_reach_the_agent() {
    let bench = TestBench::new().await;
    for name in ["XWORKMATE_REMOTE_WORKING_DIRECTORY_HINT", "XWORKMATE_REMOTE_WORKSPACE_HINT"] {
        let hints = json!({
            "remoteWorkingDirectoryHint": "/srv/a", "metadata": { "xworkmateTaskArtifactContract": { "remoteWorkspaceHint": "/srv/b" } },
        });
        let told = bench.call("session.start", and(agent(name, &format!("env:{name}")), hints)).await;
        assert_eq!(told["output"], if name.contains("WORKING") { "/srv/a" } else { "/srv/b" });
    }
}

#[tokio::test]
async fn a_plan_is_told_as_a_plan() {
    let bench = TestBench::new().await;
    let mut frames = bench.bridge.open(streaming(), request("session.start", agent("t", "plan:read say:x")));
    let mut plans = Vec::new();
    while let Some(frame) = within(frames.recv()).await {
        if let RpcFrame::Event(told, _) = &frame
            && told["params"]["event"] == "plan"
        {
            let mut plan = told["params"]["structuredEvent"].clone();
            assert!(plan["atMs"].take().is_u64(), "{told}");
            plans.push(plan);
        }
    }
    let entries = json!([{ "content": "read", "status": "pending" }]);
    assert_eq!(plans, [json!({ "type": "plan", "entries": entries, "atMs": null })]);
}

/// 100 GiB of zeros take minutes to hash: neither a cancel nor a stop waits for that.
#[tokio::test]
async fn nobody_waits_for_the_hash_of_a_giant() {
    for stops in [false, true] {
        let bench = TestBench::new().await;
        let asked = and(gateway("t", &format!("say:done sparse:{}", 100_u64 << 30)), json!({ "waitMs": 0 }));
        let run = bench.call("session.start", asked).await["runId"].clone();
        loop {
            let told = bench.call("xworkmate.tasks.get", json!({ "runId": run })).await;
            if told["status"] == "syncing-artifacts" {
                break;
            }
            assert_ne!(told["terminal"], json!(true), "{told}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let began = Instant::now();
        if !stops {
            let cancelled = bench.call("xworkmate.tasks.cancel", json!({ "runId": run })).await;
            assert_eq!(cancelled["cancellationScope"], "artifact-wait");
        }
        bench.bridge.runs().drain(Duration::from_secs(60)).await;
        assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    }
}

/// Who looks on at a run hears that it goes on when the server stops, and keeps it from its end no longer than that.
#[tokio::test]
async fn a_viewer_does_not_hold_up_a_server_that_stops() {
    let bench = TestBench::new().await;
    let looking_on = bench.call("session.start", agent("t", "hold"));
    let stopping = async {
        bench.agent.given(1).await;
        let began = Instant::now();
        bench.bridge.runs().drain(Duration::from_millis(50)).await;
        began
    };
    let (told, began) = tokio::join!(looking_on, stopping);
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(told["status"], "running", "{told}");
}

/// What a link leads to is what was delivered, whatever becomes of the folder.
#[tokio::test]
async fn what_was_delivered_never_changes() {
    let bench = TestBench::new().await;
    let told = bench.call("session.start", agent("t", "write:a.txt=GOOD")).await;
    let file = bench.scope(&told).join("a.txt");
    for change in 0..3 {
        match change {
            0 => std::fs::write(&file, "EVIL").unwrap(),
            1 => std::fs::remove_file(&file).unwrap(),
            _ => std::fs::remove_dir_all(bench.scope(&told)).unwrap(),
        }
        let read = json!({
            "openclawSessionKey": told["openclawSessionKey"], "runId": told["runId"],
            "artifactRef": told["artifacts"][0]["artifactRef"],
        });
        if change < 2 {
            let read = bench.call("xworkmate.artifacts.read", read).await;
            assert_eq!(read["artifacts"][0]["content"], "R09PRA==", "change {change}");
        }
        let again = bench.call("xworkmate.tasks.get", json!({ "runId": told["runId"] })).await;
        assert_eq!(again["artifacts"][0]["sha256"], told["artifacts"][0]["sha256"]);
        assert!(again["artifacts"][0]["downloadUrl"].is_string());
    }
}

/// A requirement is met by a file that can be what its name says, and by nothing else.
#[tokio::test]
async fn an_empty_or_broken_file_is_none_that_was_asked_for() {
    let bench = TestBench::new().await;
    let wants = |extension: &str| json!({ "requiredArtifactExtensions": [extension] });
    for (number, (made, extension, is_met)) in [
        ("brief.pdf=", "pdf", false),
        ("brief.pdf=text", "pdf", false),
        ("brief.pdf=%PDF-1.7…%%EOF", "pdf", true),
        ("a.docx=PK", "docx", false),
        ("a.json={", "json", false),
        ("a.json={}", "json", true),
        ("a.png=png", "png", false),
        ("~$a.md=x", "md", false),
        ("a.md.bak=x", "bak", false),
        ("a.md=x", "md", true),
        ("a.md=", "md", false),
    ]
    .into_iter()
    .enumerate()
    {
        let asked = and(agent(&format!("t{number}"), &format!("say:done write:{made}")), wants(extension));
        let told = bench.call("session.start", asked).await;
        let code = if is_met { Value::Null } else { json!("OPENCLAW_REQUIRED_ARTIFACT_MISSING") };
        assert_eq!(told["code"], code, "{made}: {told:#}");
        assert_eq!(
            told["artifactWarnings"].as_array().is_none_or(Vec::is_empty),
            is_met,
            "{made}: it is said why"
        );
    }
    let told = bench.call("session.start", agent("u", "write:empty.pdf= write:__init__.py= write:.gitkeep= write:x.tmp=x write:.claude/settings.json={} write:.envrc=x")).await;
    let names: Vec<&str> = told["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|file| file["relativePath"].as_str())
        .collect();
    let names: std::collections::BTreeSet<&str> = names.into_iter().collect();
    assert_eq!(names, [".gitkeep", "__init__.py", "empty.pdf"].into_iter().collect());
    let warnings: Vec<&str> =
        told["artifactWarnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(warnings.len(), 4, "{warnings:?}");
    let hidden = and(
        agent("v", "write:.claude/settings.json={} write:.envrc=x"),
        json!({ "includeHiddenArtifacts": true }),
    );
    assert_eq!(bench.call("session.start", hidden).await["artifactCount"], 2);
}

/// `auto` takes the first that the catalogue calls enabled, and `resolve` says the same as the catalogue.
#[tokio::test]
async fn routing_and_catalogue_agree() {
    let bench = TestBench::new().await;
    let auto = json!({ "routing": { "routingMode": "auto" } });
    let explicit =
        |id: &str| json!({ "routing": { "explicitExecutionTarget": "agent", "explicitProviderId": id } });
    for is_broken in [false, true] {
        bench.agent.is_broken.store(is_broken, std::sync::atomic::Ordering::SeqCst);
        let catalogue = bench.call("acp.capabilities", json!({})).await;
        for entry in catalogue["providerCatalog"].as_array().unwrap() {
            let id = entry["providerId"].as_str().unwrap();
            let resolved = bench.call("xworkmate.routing.resolve", explicit(id)).await;
            assert_eq!(resolved["unavailable"] == json!(false), entry["enabled"] == json!(true), "{id}");
        }
        let resolved = bench.call("xworkmate.routing.resolve", auto.clone()).await;
        assert_eq!(
            (&resolved["resolvedProviderId"], &resolved["unavailable"]),
            (&json!("codex"), &json!(is_broken))
        );
    }
}
