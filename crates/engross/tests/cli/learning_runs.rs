//! Runs of `engross learn` as a process: killed, two at once, without a key; and what sessions make of the lessons.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use engross_testkit::scripted::ModelServer;
use serde_json::{Value, json};

use crate::desk::{ENGROSS, TestBench, ran};
use crate::learning::{home, script, session, stumbling};
use crate::serve::Server;

const BOOK: &str = ".openclaw/workspace/ace_skillbook.json";

/// A model behind HTTP that answers as the script does, each word after a while.
fn model(delay: u64) -> (ModelServer, String) {
    let mut script: Value = serde_json::from_str(&script()).unwrap();
    for turn in script["turns"].as_array_mut().unwrap() {
        turn["first_delay_ms"] = delay.into();
    }
    let server = ModelServer::start(script);
    let spec = format!("openai-compatible:{}/v1#m", server.url());
    (server, spec)
}

/// A home whose agent has so many sessions.
fn full(sessions: usize) -> TestBench {
    let desk = home();
    for number in 0..sessions.saturating_sub(2) {
        let name = format!("s{number:02}");
        desk.put(&format!(".openclaw/agents/main/sessions/{name}.jsonl"), stumbling(&name).as_bytes());
    }
    desk
}

fn start(desk: &TestBench, arguments: &[&str]) -> Child {
    desk.command(ENGROSS).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The book without times.
fn skills(desk: &TestBench) -> Vec<Value> {
    let book: Value = serde_json::from_slice(&desk.bytes(BOOK)).unwrap();
    let timeless = |skill: &Value| {
        let mut own = skill["engross"].clone();
        for source in own["sources"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            source.remove("at");
        }
        json!([
            skill["id"],
            skill["content"],
            skill["status"],
            skill["helpful"],
            own["sources"],
            own["status"]
        ])
    };
    book["skills"].as_object().unwrap().values().map(timeless).collect()
}

fn journal(desk: &TestBench) -> String {
    std::fs::read_to_string(desk.path(".openclaw/workspace/ace_skillbook.journal.jsonl")).unwrap_or_default()
}

/// Sessions that the journal says are learnt from.
fn learnt(desk: &TestBench) -> usize {
    journal(desk).lines().filter(|line| line.starts_with("{\"session\"") && line.ends_with('}')).count()
}

#[test]
fn a_run_that_is_killed_at_any_moment_loses_the_session_in_hand_and_no_more() {
    const SESSIONS: usize = 14;
    let (undisturbed, (_server, spec)) = (full(SESSIONS), model(0));
    assert_eq!(undisturbed.run(&["learn", "--model", &spec]).code, Some(0));
    let desk = full(SESSIONS);
    let (server, spec) = model(6);
    let (mut kills, mut known) = (0, 0);
    loop {
        let mut run = start(&desk, &["learn", "--model", &spec]);
        let until = Instant::now() + Duration::from_millis(40 + 17 * (kills % 9) + 12 * kills);
        while Instant::now() < until && run.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if run.try_wait().unwrap().is_some_and(|status| status.success()) {
            break;
        }
        run.kill().unwrap();
        run.wait().unwrap();
        kills += 1;
        let now = learnt(&desk);
        assert!(now >= known, "after {kills} kills {now} sessions are learnt, and {known} were before");
        known = now;
        assert!(kills < 200, "no run comes to its end");
    }
    assert!(kills > 0, "nothing was killed");
    assert_eq!(skills(&desk), skills(&undisturbed), "after {kills} kills");
    let asked = server.requests().len() as u64;
    assert!(
        asked <= 2 * (SESSIONS as u64 + kills),
        "{asked} questions for {SESSIONS} sessions and {kills} kills"
    );
    let second = desk.run(&["learn", "--model", &spec, "--json"]).json();
    assert_eq!((&second["skipped"], &second["calls"]), (&json!(SESSIONS), &json!(0)));
    let left: Vec<String> = std::fs::read_dir(desk.path(".openclaw/workspace"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        // What a process had in hand when it was killed stays beside, by a name that only such files have.
        .filter(|name| !name.starts_with(".engross-tmp-"))
        .collect();
    assert_eq!(left.len(), 4, "{left:?}");
}

#[test]
fn of_two_runs_at_once_one_wins_and_nothing_is_torn() {
    let (expected, (_server, spec)) = (full(6), model(0));
    assert_eq!(expected.run(&["learn", "--model", &spec]).code, Some(0));
    let desk = full(6);
    let (_server, spec) = model(60);
    let first = start(&desk, &["learn", "--model", &spec, "--json"]);
    let begun = Instant::now();
    while journal(&desk).is_empty() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let second = ran(start(&desk, &["learn", "--model", &spec, "--json"]).wait_with_output().unwrap());
    assert_eq!(second.error(), (1, "LEARN_BUSY".to_owned()));
    assert_eq!(ran(first.wait_with_output().unwrap()).code, Some(0));
    assert_eq!(skills(&desk), skills(&expected));
    // Many at once: some win, some are sent away, and the book is whole after each.
    let runs: Vec<Child> = (0..6).map(|_| start(&desk, &["learn", "--reprocess", "--json"])).collect();
    let codes: Vec<Option<i32>> =
        runs.into_iter().map(|run| ran(run.wait_with_output().unwrap()).code).collect();
    assert!(codes.contains(&Some(0)) && codes.iter().all(|code| matches!(code, Some(0 | 1))), "{codes:?}");
    assert_eq!(desk.run(&["skills", "list", "--json"]).code, Some(0));
}

#[test]
fn case_55_a_missing_key_is_told_before_anything_is_read() {
    let desk = home();
    // Reading would wait for ever: nobody writes to this pipe.
    let pipe = desk.path(".openclaw/agents/main/sessions/a.jsonl");
    #[cfg(unix)]
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let ran = desk.run(&["learn", "--model", "anthropic/claude-sonnet-4-5", "--json"]);
    assert_eq!(ran.error(), (4, "MODEL_KEY_MISSING".to_owned()));
    assert_eq!(std::fs::read_dir(desk.path(".openclaw/workspace")).unwrap().count(), 1, "{}", pipe.display());
}

#[test]
fn case_80_where_sessions_go_is_shown_before_they_are_sent() {
    let server =
        ModelServer::start(json!({"turns": [], "default": {"fault": {"kind": "status", "code": 400}}}));
    let address = format!("{}/v1", server.url());
    let desk = home().with_variable("OPENAI_API_KEY", "k").with_variable("OPENAI_BASE_URL", &address);
    let ran = desk.run(&["learn", "--model", "openai/gpt-5"]);
    assert!(!server.requests().is_empty(), "{ran:?}");
    let told = ran.stderr.find(&format!("OPENAI_BASE_URL is set: {address}"));
    let failed = ran.stderr.find("one.jsonl:");
    assert!(told.is_some() && failed.is_some() && told < failed, "{ran:?}");
    // Nothing is said of it where nothing is sent.
    assert!(!desk.run(&["learn", "--dry-run"]).stderr.contains("OPENAI_BASE_URL"));
}

/// A server whose sessions are given the lessons of `desk`, and whose transcripts are kept there.
fn serve(desk: &TestBench, model: &ModelServer, tokens: &str) -> Server {
    let (spec, transcripts) = (format!("openai-compatible:{}/v1#m", model.url()), desk.path("transcripts"));
    let book = desk.path(BOOK);
    Server::try_start_with(
        &desk.path("server"),
        &["--model", &spec, "--transcripts", transcripts.to_str().unwrap()],
        &[("ENGROSS_SKILLBOOK", book.to_str().unwrap()), ("ENGROSS_SKILL_TOKENS", tokens)],
    )
    .unwrap()
}

fn system_of(model: &ModelServer) -> String {
    let request = model.requests().last().cloned().unwrap();
    let messages = request.body["messages"].as_array().unwrap();
    messages
        .iter()
        .filter(|message| message["role"] == "system")
        .map(|message| message["content"].to_string())
        .collect()
}

#[test]
fn sessions_are_given_what_fits_cite_it_and_their_outcome_votes() {
    let desk = home();
    std::fs::create_dir_all(desk.path("server")).unwrap();
    assert_eq!(desk.run(&["learn", "--model", "script:script.json"]).code, Some(0));
    let model = ModelServer::start(json!({"turns": [], "default": {
        "text": "I stat the path first, by [paths-89758796], and it is there."}}));
    let mut server = serve(&desk, &model, "800");
    let say = |text: &str| json!([{"role": "user", "content": text}]);
    assert_eq!(server.chat("s", "1", &say("Please read the path /conf for me")).unwrap().0, 200);
    let shown = system_of(&model);
    assert!(shown.contains("paths-89758796\\tpaths\\tStat a path before reading it"), "{shown}");
    assert_eq!(server.chat("t", "2", &say("Sing a song about summer")).unwrap().0, 200);
    assert!(system_of(&model).contains("paths-89758796"), "all is shown while it fits the budget");
    // What a person decides meanwhile holds from the next question on.
    assert_eq!(desk.run(&["skills", "retire", "paths-89758796"]).code, Some(0));
    assert_eq!(server.chat("u", "3", &say("Please read the path /conf again")).unwrap().0, 200);
    assert!(!system_of(&model).contains("paths-89758796"));
    assert_eq!(desk.run(&["skills", "review", "--accept", "paths-89758796"]).code, Some(0));
    let pid = server.child().id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(server.child().wait().unwrap().success());
    let learn = ["learn", "--sessions", "transcripts", "--reprocess", "--json"];
    for run in 0..2 {
        assert_eq!(desk.run(&learn).code, Some(0));
        let skill = desk.run(&["skills", "show", "paths-89758796", "--json"]).json();
        // Three sessions named it, each with one vote however often it is read.
        assert_eq!((&skill["helpful"], &skill["harmful"]), (&json!(3), &json!(0)), "run {run}: {skill:#}");
    }
}

#[test]
fn sessions_go_on_where_a_book_cannot_be_read_and_within_their_budget() {
    let desk = home();
    std::fs::create_dir_all(desk.path("server")).unwrap();
    let skills: serde_json::Map<String, Value> = (0..500)
        .map(|number| {
            let id = format!("paths-{number:05}");
            (id.clone(), json!({"id": id, "section": "paths", "content": format!("Read path number{number} with care")}))
        })
        .collect();
    desk.put(BOOK, json!({"skills": skills, "sections": {}, "next_id": 500}).to_string().as_bytes());
    let model = ModelServer::start(json!({"turns": [], "default": {"text": "ok"}}));
    let server = serve(&desk, &model, "200");
    let say = json!([{"role": "user", "content": "Read the path, please"}]);
    assert_eq!(server.chat("s", "1", &say).unwrap().0, 200);
    let shown = system_of(&model);
    assert!(shown.contains("paths-0") && shown.len() < 200 * 4 + 1_000, "{}", shown.len());
    desk.put(BOOK, b"{\"skills\": [");
    assert_eq!(server.chat("t", "2", &say).unwrap().0, 200);
    server.kill();
}

/// What somebody whose work goes wrong says, in words of their own each time, about three things.
fn lived_through() -> [(&'static str, String); 4] {
    let talk = |id: &str, asked: &str, wish: &str| {
        let said = |text: &str| json!({"role": "assistant", "model": "m", "content": [{"type": "text", "text": text}]});
        let person = |text: &str| json!({"role": "user", "content": text});
        session(
            id,
            &[person(asked), said("It is in the root folder."), person(wish), said("Understood, I move it.")],
        )
    };
    [
        ("one", stumbling("one")),
        ("two", stumbling("two")),
        ("three", talk("three", "Write the report of March.", "No. Always put reports into out/reports.")),
        (
            "four",
            talk(
                "four",
                "We need the report of April.",
                "As I said: reports never go anywhere but out/reports!",
            ),
        ),
    ]
}

/// Asks a real model, where one is named, with its key: `ENGROSS_LIVE_MODEL=anthropic/claude-haiku-4-5`. It costs a few thousand tokens.
#[test]
fn a_real_model_reads_reflects_saves_and_shows() {
    let Ok(spec) = std::env::var("ENGROSS_LIVE_MODEL") else {
        return skip("ENGROSS_LIVE_MODEL names no model");
    };
    let mut desk = TestBench::new();
    for name in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_COMPATIBLE_API_KEY"] {
        if let Ok(key) = std::env::var(name) {
            desk = desk.with_variable(name, &key);
        }
    }
    std::fs::create_dir_all(desk.path("sessions")).unwrap();
    for (name, text) in lived_through() {
        desk.put(&format!("sessions/{name}.jsonl"), text.as_bytes());
    }
    let learn = [
        "learn",
        "--sessions",
        "sessions",
        "--skillbook",
        "book.json",
        "--agents-md",
        "AGENTS.md",
        "--model",
        &spec,
        "--json",
    ];
    let began = Instant::now();
    let report = desk.run(&learn).json();
    let took = began.elapsed();
    assert_eq!((&report["learnt"], &report["failed"]), (&json!(4), &json!(0)), "{report:#}");
    let tokens = |name: &str| report["usage"][name].as_u64().unwrap_or_default();
    tell(&format!(
        "{spec}: {} calls, {} tokens in, {} out, {took:.1?}",
        report["calls"],
        tokens("input_tokens"),
        tokens("output_tokens")
    ));
    assert!(tokens("input_tokens") > 0, "{report:#}");
    let book: Value = serde_json::from_slice(&desk.bytes("book.json")).unwrap();
    assert!(!book["skills"].as_object().unwrap().is_empty(), "{report:#}");
    // What a person said twice is shown, in whatever words the model put it.
    let block = String::from_utf8(desk.bytes("AGENTS.md")).unwrap();
    assert!(block.contains("out/reports"), "{block}");
    let checked = desk.run(&["agents-md", "check", "--agents-md", "AGENTS.md", "--skillbook", "book.json"]);
    assert_eq!(checked.code, Some(0), "{checked:?}");
    // Nothing is asked about the same sessions again.
    assert_eq!(desk.run(&learn).json()["calls"], 0);
}

#[expect(clippy::print_stderr, reason = "the one who runs the tests wants to know what it cost")]
fn tell(what: &str) {
    eprintln!("{what}");
}

#[expect(clippy::print_stderr, reason = "the one who runs the tests wants to know")]
fn skip(why: &str) {
    eprintln!("skipped: {why}");
}
