//! Task threads, step by step and at random.

use engross_store::Millis;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::decision::{Rules, SlotState, ThreadAction, ThreadInput};
use super::machine::step;
use super::outcome::{BridgeReading, association_of};
use super::record::ThreadRecord;
use super::state::{Ask, Lifecycle, Stage, Thread, ThreadEntry, Work};

/// A thread, the moment, and what is to be done for it.
struct World {
    thread: Thread,
    log: Vec<(Millis, ThreadEntry)>,
    now: Millis,
    rules: Rules,
}

impl World {
    fn new() -> Self {
        let record = json!({
            "schemaVersion": 20_260_411, "threadId": "draft:1-1",
            "workspaceBinding": {"workspaceId": "w", "workspacePath": "/w"},
            "executionBinding": {"executionMode": "gateway", "providerId": "openclaw"}
        });
        let entry =
            ThreadEntry::Opened { record: Box::new(ThreadRecord::parse(&record.to_string()).unwrap()) };
        let thread = Thread::opened(&entry).unwrap();
        Self { thread, log: vec![(0, entry)], now: 1_000, rules: Rules::default() }
    }

    fn tell(&mut self, input: ThreadInput) -> Vec<ThreadAction> {
        let step = step(&self.thread, input, self.rules, self.now).unwrap();
        for entry in step.entries {
            self.thread.apply(&entry, self.now);
            self.log.push((self.now, entry));
        }
        step.actions
    }

    fn answer(&mut self, answer: &Value) -> Vec<ThreadAction> {
        self.tell(ThreadInput::Answered(BridgeReading::of(answer)))
    }

    fn begun(ask: Ask) -> Self {
        let mut world = Self::new();
        assert_eq!(world.tell(ThreadInput::Send(ask, SlotState::Free)), [ThreadAction::Submit { after: 0 }]);
        world
    }

    fn shown(&self) -> (&'static str, &str, &str) {
        let record = &self.thread.record;
        (
            self.thread.lifecycle().as_str(),
            record.lifecycle_state.last_result_code.as_deref().unwrap_or_default(),
            record.context_state.last_artifact_sync_status.as_deref().unwrap_or_default(),
        )
    }
}

fn ask(id: &str) -> Ask {
    Ask { id: id.to_owned(), text: format!("do {id}"), budget: 600_000, wants_files: true, ..Ask::default() }
}

fn handle(run: &str) -> Value {
    json!({
        "success": true, "status": "running", "runId": run, "taskId": run, "turnId": "t", "sessionId": "draft:1-1",
        "threadId": "draft:1-1", "appThreadKey": "draft:1-1", "openclawSessionKey": "agent:main:draft:1-1",
        "artifactScope": format!("tasks/s/{run}"), "resolvedGatewayProviderId": "openclaw"
    })
}

fn delivered(run: &str, paths: &[&str]) -> Value {
    let artifacts: Vec<Value> =
        paths.iter().map(|path| json!({"relativePath": path, "sizeBytes": 1})).collect();
    json!({"success": true, "status": "completed", "runId": run, "artifactScope": format!("tasks/s/{run}"),
        "output": "Here it is.", "artifacts": artifacts})
}

#[test]
fn the_main_flow_ends_with_the_files_of_this_run() {
    let mut world = World::begun(ask("1"));
    assert_eq!(world.shown(), ("running", "running", "running"));
    assert_eq!(world.answer(&handle("r1")), [ThreadAction::Look { after: 0 }]);
    assert_eq!(world.shown(), ("running", "running", "running"), "a handle is no result");
    assert_eq!(world.answer(&delivered("r1", &["a.docx"])), [ThreadAction::Fetch]);
    assert_eq!(world.shown(), ("running", "running", "syncing"));
    assert_eq!(world.tell(ThreadInput::Fetched { paths: vec!["a.docx".to_owned()], failed: 0 }), []);
    assert_eq!(world.shown(), ("ready", "success", "synced"));
    let context = &world.thread.record.context_state;
    assert_eq!(context.last_task_artifact_relative_paths, ["a.docx"]);
    assert_eq!(context.open_claw_task_association, None);
    let said: Vec<&str> = context.messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(said, ["do 1", "Here it is."]);
    world.tell(ThreadInput::Send(ask("2"), SlotState::Free));
    let context = &world.thread.record.context_state;
    assert!(context.last_task_artifact_relative_paths.is_empty(), "nothing of the run before");
    assert!(world.thread.running().unwrap().follows, "case 111: the session goes on");
}

/// The outcome table of the paper, row by row.
#[test]
fn the_outcome_table_holds() {
    let wants = ask("1");
    let chat = Ask { wants_files: false, ..ask("1") };
    let named = Ask { required_extensions: vec!["pdf".to_owned()], ..ask("1") };
    let text = json!({"success": true, "status": "completed", "output": "Answered."});
    let rows: [(&Ask, Value, (&str, &str)); 14] = [
        (&chat, text.clone(), ("success", "no-artifacts")),
        (&wants, text.clone(), ("success", "no-exported-artifacts")),
        (&named, text, ("artifact_missing", "failed")),
        (&named, delivered("r1", &["a.docx"]), ("artifact_missing", "failed")),
        (
            &wants,
            json!({"success": true, "status": "partially_delivered", "constraintSatisfied": false,
                "artifacts": [{"relativePath": "a.md"}]}),
            ("artifact_missing", "failed"),
        ),
        (
            &wants,
            json!({"success": false, "status": "failed", "code": "OPENCLAW_REQUIRED_ARTIFACT_MISSING",
                "missingRequiredExtensions": ["pdf"], "artifacts": [{"relativePath": "a.md"}]}),
            ("artifact_missing", "failed"),
        ),
        (&wants, json!({"status": "completed"}), ("OPENCLAW_TERMINAL_WITHOUT_EVIDENCE", "failed")),
        (
            &wants,
            json!({"success": true, "status": "completed"}),
            ("OPENCLAW_TERMINAL_WITHOUT_EVIDENCE", "failed"),
        ),
        (
            &wants,
            json!({"success": false, "status": "failed", "code": "EXECUTION_FAILED"}),
            ("EXECUTION_FAILED", "failed"),
        ),
        (&wants, json!({"success": false, "status": "failed", "output": "No."}), ("failed", "failed")),
        (&wants, json!({"success": false, "status": "interrupted", "code": "X"}), ("interrupted", "failed")),
        (&wants, json!({"success": false, "status": "canceled"}), ("aborted", "failed")),
        (&wants, json!({"success": true, "status": "artifact_missing"}), ("artifact_missing", "failed")),
        (
            &wants,
            json!({"ok": false, "status": "not_found", "code": "task_not_found"}),
            ("task_not_found", "failed"),
        ),
    ];
    for (ask, answer, (code, sync)) in rows {
        let mut world = World::begun(ask.clone());
        assert_eq!(world.answer(&answer), [], "{answer}");
        assert_eq!(world.shown(), ("ready", code, sync), "{answer}");
        assert!(world.thread.record.context_state.last_task_artifact_relative_paths.is_empty(), "{answer}");
    }
}

#[test]
fn a_failure_says_why() {
    for (answer, told) in [
        (json!({"success": false, "status": "failed", "error": "the model is down"}), "the model is down"),
        (
            json!({"success": false, "status": "failed", "output": "I began.", "message": "no room"}),
            "I began.\n\nno room",
        ),
        (json!({"success": false, "status": "failed", "output": "No.", "error": "No."}), "No."),
        (json!({"success": false, "status": "failed"}), "the run failed"),
    ] {
        let mut world = World::begun(ask("1"));
        world.answer(&answer);
        let last = world.thread.record.context_state.messages.last().cloned().unwrap_or_default();
        assert_eq!(
            (last.role.as_str(), last.text.as_str(), last.error),
            ("assistant", told, true),
            "{answer}"
        );
    }
}

#[test]
fn case_101_a_bare_running_snapshot_keeps_polling() {
    let mut world = World::begun(ask("1"));
    for status in ["queued", "running", "syncing-artifacts", "unknown"] {
        assert_eq!(world.answer(&json!({ "status": status })), [ThreadAction::Look { after: 0 }], "{status}");
        assert_eq!(world.thread.lifecycle(), Lifecycle::Running);
    }
}

/// Cases 97, 98 and 102: a lost stream is first heard again from where it broke, then asked after, ever more rarely.
#[test]
fn case_102_a_lost_stream_is_recovered() {
    let mut world = World::begun(ask("1"));
    world.tell(ThreadInput::Named(association_of(&handle("r1")).unwrap()));
    let lost = || ThreadInput::Lost("ACP_HTTP_CONNECTION_CLOSED".to_owned());
    assert_eq!(world.tell(lost()), [ThreadAction::Submit { after: 0 }], "the stream first");
    let pauses: Vec<ThreadAction> = (0..6).flat_map(|_| world.tell(lost())).collect();
    let after = |after| ThreadAction::Look { after };
    assert_eq!(pauses, [4_000, 8_000, 16_000, 30_000, 30_000, 30_000].map(after));
    assert_eq!(world.answer(&handle("r1")), [after(0)], "case 98");
    assert_eq!(world.thread.running().unwrap().stage, Stage::Recovering { failures: 0 });
    assert_eq!(world.answer(&delivered("r1", &["a.md"])), [ThreadAction::Fetch], "case 97");
}

/// Case 103, and the paper: a look-up that fails ends with its own code, clears what was pending, and the thread is ready.
#[test]
fn case_103_a_run_is_given_up_at_its_deadline() {
    let mut world = World::begun(ask("1"));
    world.answer(&handle("r1"));
    world.now = 1_000 + 600_000 + 300_000;
    let known = world.thread.record.context_state.open_claw_task_association.clone();
    assert_eq!(world.tell(ThreadInput::Wake), [ThreadAction::Cancel(known.map(Box::new))]);
    assert_eq!(world.shown(), ("ready", "OPENCLAW_RUN_POLL_TIMEOUT", "failed"));

    let mut world = World::begun(ask("1"));
    world.answer(&handle("r1"));
    world.rules.failures = 2;
    world.tell(ThreadInput::Lost("ACP_UNREACHABLE".to_owned()));
    world.tell(ThreadInput::Lost("ACP_UNREACHABLE".to_owned()));
    assert_eq!(world.tell(ThreadInput::Lost("ACP_HTTP_CONNECT_FAILED".to_owned())), []);
    assert_eq!(world.shown(), ("ready", "ACP_HTTP_CONNECT_FAILED", "failed"));
    assert_eq!(world.thread.record.context_state.open_claw_task_association, None);

    let mut world = World::begun(ask("1"));
    world.answer(&handle("r1"));
    assert_eq!(world.tell(ThreadInput::Refused("ACP_HTTP_401".to_owned(), "no".to_owned())), []);
    assert_eq!(world.shown(), ("ready", "ACP_HTTP_401", "failed"));
}

#[test]
fn case_105_a_full_queue_fails_without_files_and_keeps_the_words() {
    let mut world = World::new();
    assert_eq!(world.tell(ThreadInput::Send(ask("1"), SlotState::Full)), []);
    assert_eq!(world.shown(), ("ready", "OPENCLAW_GATEWAY_QUEUE_FULL", "failed"));
    assert_eq!(world.thread.record.context_state.messages[0].text, "do 1");
}

#[test]
fn case_106_a_queued_task_is_stopped_without_the_bridge() {
    let mut world = World::new();
    assert_eq!(world.tell(ThreadInput::Send(ask("1"), SlotState::Busy)), []);
    assert_eq!(world.shown(), ("queued", "queued", "queued"));
    assert_eq!(world.tell(ThreadInput::Abort), []);
    assert_eq!(world.shown(), ("ready", "aborted", "failed"));
    assert_eq!(world.tell(ThreadInput::Drain(SlotState::Free)), [], "case 109: nothing is left of it");
}

#[test]
fn case_107_a_stopped_run_stays_stopped() {
    let mut world = World::begun(ask("1"));
    world.answer(&handle("r1"));
    let actions = world.tell(ThreadInput::Abort);
    assert!(
        matches!(&actions[..], [ThreadAction::Cancel(Some(known))] if known.run_id == "r1"),
        "{actions:?}"
    );
    assert_eq!(world.shown(), ("ready", "aborted", "failed"));
    let log = world.log.len();
    assert_eq!(world.answer(&delivered("r1", &["late.md"])), []);
    assert_eq!(world.tell(ThreadInput::Lost("ACP_HTTP_CONNECTION_CLOSED".to_owned())), []);
    assert_eq!(world.log.len(), log, "what comes late changes nothing");
}

#[test]
fn case_110_follow_ups_of_a_thread_are_serial() {
    let mut world = World::begun(ask("1"));
    assert_eq!(world.tell(ThreadInput::Send(ask("2"), SlotState::Free)), []);
    assert_eq!(world.tell(ThreadInput::Send(ask("3"), SlotState::Free)), []);
    assert_eq!(world.answer(&json!({"success": true, "output": "One."})), [ThreadAction::AskForSlot]);
    assert_eq!(world.tell(ThreadInput::Drain(SlotState::Free)), [ThreadAction::Submit { after: 0 }]);
    assert_eq!(world.thread.running().unwrap().ask.id, "2");
    assert_eq!(world.thread.waiting.len(), 1);
}

#[test]
fn case_111_a_new_session_after_the_listed_codes() {
    for (code, follows) in [("ACP_HTTP_502", false), ("ACP_HTTP_CONNECTION_CLOSED", true)] {
        let mut world = World::begun(ask("1"));
        world.answer(&json!({"success": true, "output": "One."}));
        world.tell(ThreadInput::Send(ask("2"), SlotState::Free));
        world.tell(ThreadInput::Refused(code.to_owned(), String::new()));
        world.tell(ThreadInput::Send(ask("3"), SlotState::Free));
        assert_eq!(world.thread.running().unwrap().follows, follows, "{code}");
    }
}

#[test]
fn case_114_files_alone_are_a_success() {
    let mut world = World::begun(ask("1"));
    let answer =
        json!({"success": true, "status": "completed", "artifacts": {"items": [{"relativePath": "a.md"}]}});
    assert_eq!(world.answer(&answer), [ThreadAction::Fetch]);
    world.tell(ThreadInput::Fetched { paths: Vec::new(), failed: 1 });
    assert_eq!(world.shown(), ("ready", "success", "failed"), "none could be written");
}

/// Cases 34 and 85 at this face: results of another run are refused.
#[test]
fn results_of_another_run_are_refused() {
    let mut world = World::begun(ask("1"));
    world.answer(&handle("r2"));
    for foreign in [
        delivered("r1", &["old.md"]),
        json!({"status": "completed", "success": true, "artifactScope": "tasks/s/r1", "artifacts": [{"relativePath": "old.md"}]}),
        json!({"status": "failed", "runId": "r1"}),
    ] {
        assert!(matches!(world.answer(&foreign)[..], [ThreadAction::Look { .. }]));
        assert_eq!(world.thread.lifecycle(), Lifecycle::Running);
    }
}

#[test]
fn a_process_that_begins_anew_goes_on() {
    let mut world = World::begun(ask("1"));
    assert_eq!(
        world.tell(ThreadInput::Resume),
        [ThreadAction::Submit { after: 0 }],
        "the same request is carried out once"
    );
    world.answer(&handle("r1"));
    assert_eq!(world.tell(ThreadInput::Resume), [ThreadAction::Submit { after: 0 }]);
    world.answer(&delivered("r1", &["a.md"]));
    assert_eq!(world.tell(ThreadInput::Resume), [ThreadAction::Fetch]);
    world.tell(ThreadInput::Fetched { paths: vec!["a.md".to_owned()], failed: 0 });
    assert_eq!(world.tell(ThreadInput::Resume), []);
    world.tell(ThreadInput::Send(ask("2"), SlotState::Busy));
    assert_eq!(world.tell(ThreadInput::Resume), [ThreadAction::AskForSlot]);

    let mut other = World::begun(ask("1"));
    other.rules.is_idempotent = false;
    assert_eq!(other.tell(ThreadInput::Resume), []);
    assert_eq!(other.shown(), ("ready", "ACP_HTTP_CONNECTION_CLOSED", "failed"), "never sent twice");
}

#[test]
fn archived_threads_take_nothing_and_come_back() {
    let mut world = World::begun(ask("1"));
    let refused = step(&world.thread, ThreadInput::Archive, world.rules, 1).unwrap_err();
    assert_eq!(refused.code(), "THREAD_NOT_IDLE");
    world.answer(&json!({"success": true, "output": "One."}));
    assert_eq!(world.tell(ThreadInput::Archive), [ThreadAction::Close]);
    assert_eq!(world.thread.lifecycle(), Lifecycle::Archived);
    let refused =
        step(&world.thread, ThreadInput::Send(ask("2"), SlotState::Free), world.rules, 1).unwrap_err();
    assert_eq!(refused.code(), "THREAD_ARCHIVED");
    world.tell(ThreadInput::Restore);
    assert_eq!(world.shown(), ("ready", "success", "no-exported-artifacts"));
}

#[derive(Debug, Clone)]
enum Event {
    Send { slot: SlotState, named: bool },
    Drain(SlotState),
    Handle(u8),
    End { run: u8, success: Option<bool>, text: bool, files: u8, short: bool },
    NotFound,
    Lost,
    Refused,
    Fetched { failed: bool },
    Abort,
    Archive,
    Restore,
    Later(u32),
    Restart,
}

fn event() -> impl Strategy<Value = Event> {
    let slot =
        prop_oneof![3 => Just(SlotState::Free), 1 => Just(SlotState::Busy), 1 => Just(SlotState::Full)];
    let end = (0..3u8, any::<Option<bool>>(), any::<bool>(), 0..3u8, any::<bool>());
    prop_oneof![
        4 => (slot.clone(), any::<bool>()).prop_map(|(slot, named)| Event::Send { slot, named }),
        2 => slot.prop_map(Event::Drain),
        4 => (0..3u8).prop_map(Event::Handle),
        6 => end.prop_map(|(run, success, text, files, short)| Event::End { run, success, text, files, short }),
        1 => Just(Event::NotFound),
        3 => Just(Event::Lost),
        1 => Just(Event::Refused),
        4 => any::<bool>().prop_map(|failed| Event::Fetched { failed }),
        1 => Just(Event::Abort),
        1 => Just(Event::Archive),
        1 => Just(Event::Restore),
        2 => (0..400_000u32).prop_map(Event::Later),
        1 => Just(Event::Restart),
    ]
}

/// Things that somebody is doing for the thread and that will tell it something.
fn duties(actions: &[ThreadAction]) -> usize {
    let is_duty = |action: &&ThreadAction| {
        matches!(action, ThreadAction::Submit { .. } | ThreadAction::Look { .. } | ThreadAction::Fetch)
    };
    actions.iter().filter(is_duty).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    /// Whatever happens: a thread that runs is looked after, one that is ready has nothing pending, only a terminal of its
    /// own run with all that was required is a success, and its files are of that run.
    #[test]
    fn no_forbidden_state_is_reached(events in prop::collection::vec(event(), 1..60)) {
        let mut world = World::new();
        let (mut open, mut count) = (0usize, 0);
        let mut listed: Vec<String> = Vec::new();
        for event in events {
            count += 1;
            let was = world.thread.clone();
            let is_answer = matches!(
                event,
                Event::Handle(_) | Event::End { .. } | Event::NotFound | Event::Lost | Event::Refused | Event::Fetched { .. }
            );
            let is_fetching = was.running().is_some_and(|run| matches!(run.stage, Stage::Fetching { .. }));
            // Nobody answers who was not asked.
            if is_answer && (open == 0 || matches!(event, Event::Fetched { .. }) != is_fetching) {
                continue;
            }
            let input = match event {
                Event::Send { slot, named } => ThreadInput::Send(
                    Ask { required_extensions: if named { vec!["pdf".to_owned()] } else { Vec::new() }, ..ask(&count.to_string()) },
                    slot,
                ),
                Event::Drain(slot) => ThreadInput::Drain(slot),
                Event::Handle(run) => ThreadInput::Answered(BridgeReading::of(&handle(&format!("r{run}")))),
                Event::End { run, success, text, files, short } => {
                    let mut answer = delivered(&format!("r{run}"), &["a.md", "b.pdf"][..usize::from(files)]);
                    answer["success"] = json!(success);
                    if !text { answer["output"] = json!(""); }
                    if short { answer["constraintSatisfied"] = json!(false); }
                    ThreadInput::Answered(BridgeReading::of(&answer))
                }
                Event::NotFound => ThreadInput::Answered(BridgeReading::of(&json!({"ok": false, "status": "not_found"}))),
                Event::Lost => ThreadInput::Lost("ACP_HTTP_CONNECTION_CLOSED".to_owned()),
                Event::Refused => ThreadInput::Refused("ACP_HTTP_502".to_owned(), String::new()),
                Event::Fetched { failed } => {
                    let Work::Running(run) = &was.work else { continue };
                    let Stage::Fetching { terminal } = &run.stage else { continue };
                    listed = terminal.artifacts.iter().map(|file| file.relative_path.clone()).collect();
                    let paths = if failed { listed[1..].to_vec() } else { listed.clone() };
                    ThreadInput::Fetched { paths, failed: usize::from(failed) }
                }
                Event::Abort => ThreadInput::Abort,
                Event::Archive => ThreadInput::Archive,
                Event::Restore => ThreadInput::Restore,
                Event::Later(after) => { world.now += u64::from(after); ThreadInput::Wake }
                Event::Restart => {
                    open = 0;
                    ThreadInput::Resume
                }
            };
            let Ok(step) = step(&world.thread, input, world.rules, world.now) else { continue };
            for entry in step.entries {
                let line = serde_json::to_string(&entry).unwrap();
                prop_assert_eq!(&serde_json::from_str::<ThreadEntry>(&line).unwrap(), &entry, "the journal keeps it");
                world.thread.apply(&entry, world.now);
                world.log.push((world.now, entry));
            }
            if is_answer { open -= 1; }
            if !matches!(world.thread.work, Work::Running(_)) { open = 0; }
            open += duties(&step.actions);

            let thread = &world.thread;
            let record = &thread.record;
            prop_assert!(open <= 1, "one loop: {:?}", step.actions);
            match thread.lifecycle() {
                Lifecycle::Running => {
                    prop_assert_eq!(open, 1, "somebody looks after it");
                    prop_assert!(record.context_state.last_task_artifact_relative_paths.is_empty());
                }
                Lifecycle::Ready | Lifecycle::Queued | Lifecycle::Archived => {
                    prop_assert!(record.context_state.open_claw_task_association.is_none(), "nothing is pending");
                }
            }
            let paths = &record.context_state.last_task_artifact_relative_paths;
            prop_assert!(paths.iter().all(|path| listed.contains(path)));
            if let Some((_, ThreadEntry::Ended { code, paths, failed, .. })) = world.log.last() {
                prop_assert_eq!(code == "success", !failed);
                prop_assert!(!failed || paths.is_empty(), "no file of a run that failed");
                prop_assert_eq!(record.lifecycle_state.status.as_str(), "ready");
            }
        }
        let mut again = Thread::opened(&world.log[0].1).unwrap();
        for (at, entry) in &world.log[1..] {
            again.apply(entry, *at);
        }
        prop_assert_eq!(again, world.thread, "the journal tells all");
    }
}
