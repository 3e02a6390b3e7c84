//! The machine under random inputs and restarts: what the paper forbids is never reached.

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;

use super::answer_text::AnswerText;
use super::decide::{Action, ExportedFiles, Input, Reply, decide};
use super::log::RunEvent;
use super::notifications;
use super::request::{Contract, Hints, LoadClass, RequestContext, RunRequest, Target};
use super::state::{Phase, RunThread};
use super::status::{RunStatus, RunSyncStatus};
use crate::runner::{AgentEvent, How, PermissionOption, Policy, ProviderId, TurnEnd};
use engross_artifacts::{Deliverable, Manifest, RunId, SessionKey, Sha256Sum};

pub(super) fn run(number: usize) -> RunId {
    RunId::parse(&format!("run-{number}")).unwrap()
}

pub(super) fn order(number: usize, contract: Contract, policy: Policy) -> RunRequest {
    RunRequest {
        face: RequestContext {
            run: run(number),
            turn: format!("turn-{number}"),
            session_id: "s".to_owned(),
            thread: "t".to_owned(),
            session_key: SessionKey::parse("agent:main:t").unwrap(),
            target: Target::Agent,
            provider: ProviderId::new("codex").unwrap(),
            model: None,
            skills: Vec::new(),
            class: LoadClass::ShortTask,
            budget: 600_000,
            accepted: 1_000,
            contract,
        },
        continues: false,
        prompt: "p".to_owned(),
        user_text: "p".to_owned(),
        permissions: policy,
        patience: 600_000,
        inline: Vec::new(),
        hints: Hints::default(),
        sandbox: crate::sandbox_request::SandboxRequest::default(),
        job: None,
    }
}

fn manifest(contract: &Contract, names: &[&str]) -> Manifest {
    let files: Vec<Deliverable> = names
        .iter()
        .map(|name| Deliverable {
            relative_path: (*name).to_owned(),
            size_bytes: 1,
            sha256: Sha256Sum::from_bytes([1; 32]),
            modified: 0,
            required: false,
        })
        .collect();
    Manifest {
        outcome: contract.requirements().judge(names.iter().copied()),
        frozen: false,
        list: None,
        files,
        warnings: Vec::new(),
        revision: Sha256Sum::from_bytes([2; 32]),
    }
}

fn exported(contract: &Contract, names: &[&str]) -> Box<ExportedFiles> {
    Box::new(ExportedFiles {
        manifest: manifest(contract, names),
        named_only: Vec::new(),
        merkle_root: String::new(),
    })
}

pub(super) fn contract(kind: usize) -> Contract {
    let mut contract = Contract { export: kind != 0, ..Contract::default() };
    match kind {
        2 => contract.extensions = vec!["PDF".to_owned()],
        3 => contract.counts = BTreeMap::from([("md".to_owned(), 2)]),
        4 => contract.expected_dirs = vec!["reports/".to_owned()],
        _ => {}
    }
    contract
}

/// A thread with its log, as it would be on the disk.
#[derive(Default)]
struct TestBench {
    log: Vec<RunEvent>,
    thread: RunThread,
    said: AnswerText,
    now: u64,
}

impl TestBench {
    fn new() -> Self {
        let mut bench = Self { now: 1_000, ..Self::default() };
        bench.append(vec![RunEvent::Opened {
            principal: "p".to_owned(),
            thread: "t".to_owned(),
            session_key: SessionKey::parse("agent:main:t").unwrap(),
        }]);
        bench
    }

    fn append(&mut self, events: Vec<RunEvent>) {
        for event in events {
            // Through the words of the store, as a restart would read it.
            let event: RunEvent = serde_json::from_slice(&serde_json::to_vec(&event).unwrap()).unwrap();
            self.thread.apply(&event, self.now);
            self.log.push(event);
        }
    }

    fn step(&mut self, id: &RunId, input: Input) -> Action {
        let decision = decide(&self.thread, id, input, &self.said, self.now);
        self.append(decision.events);
        decision.action
    }

    fn submit(&mut self, number: usize, contract: Contract, policy: Policy) {
        let order = Box::new(order(number, contract, policy));
        assert_eq!(self.step(&run(number), Input::Submit(order)), Action::Enqueue);
    }

    /// A run that is with its agent.
    fn begun(contract: Contract) -> Self {
        let mut bench = Self::new();
        bench.submit(1, contract, Policy::Ask);
        assert!(matches!(bench.step(&run(1), Input::Admit), Action::Start(_)));
        bench.step(&run(1), Input::Event(AgentEvent::Started { agent_session: Some("a".to_owned()) }));
        bench
    }

    fn end(&mut self, how: How, text: &str) -> Action {
        let text = Some(text.to_owned());
        self.step(&run(1), Input::Event(AgentEvent::Ended(TurnEnd { how, text })))
    }

    fn last(&self) -> &super::log::RunEnd {
        match self.log.last() {
            Some(RunEvent::Ended { end, .. }) => end,
            other => panic!("no end: {other:?}"),
        }
    }
}

/// The outcome table of the design, row by row; with it cases 69 to 80 and 121.
#[test]
fn the_outcome_table() {
    let missing = "OPENCLAW_REQUIRED_ARTIFACT_MISSING";
    let nothing = "OPENCLAW_TERMINAL_WITHOUT_EVIDENCE";
    type Row = (
        usize,
        &'static str,
        &'static [&'static str],
        RunStatus,
        &'static str,
        Option<&'static str>,
        RunSyncStatus,
    );
    let rows: &[Row] = &[
        (0, "hello", &[], RunStatus::Completed, "success", None, RunSyncStatus::NoArtifacts),
        (1, "hello", &[], RunStatus::Completed, "success", None, RunSyncStatus::NoExportedArtifacts),
        (4, "hello", &[], RunStatus::Completed, "success", None, RunSyncStatus::NoExportedArtifacts),
        (1, "", &["a.md"], RunStatus::Completed, "success", None, RunSyncStatus::Synced),
        (0, "hello", &["a.md"], RunStatus::Completed, "success", None, RunSyncStatus::Synced),
        (2, "see a.pdf", &[], RunStatus::Failed, "artifact_missing", Some(missing), RunSyncStatus::Failed),
        (
            2,
            "see a.pdf",
            &["a.md"],
            RunStatus::Failed,
            "artifact_missing",
            Some(missing),
            RunSyncStatus::Failed,
        ),
        (2, "", &["a.PDF"], RunStatus::Completed, "success", None, RunSyncStatus::Synced),
        (3, "two", &["a.md"], RunStatus::Failed, "artifact_missing", Some(missing), RunSyncStatus::Failed),
        (3, "two", &["a.md", "b.md"], RunStatus::Completed, "success", None, RunSyncStatus::Synced),
        (0, "  ", &[], RunStatus::Failed, nothing, Some(nothing), RunSyncStatus::Failed),
        (1, "", &[], RunStatus::Failed, nothing, Some(nothing), RunSyncStatus::Failed),
    ];
    for (kind, text, files, status, result_code, code, sync) in rows {
        for how in [How::Completed, How::Unstated] {
            let mut bench = TestBench::begun(contract(*kind));
            let inferred = how == How::Unstated && *status == RunStatus::Completed;
            assert_eq!(bench.end(how, text), Action::Export);
            bench.step(&run(1), Input::Exported(exported(&contract(*kind), files)));
            let end = bench.last();
            let seen = (end.status, end.result_code.as_str(), end.code.as_deref(), end.sync, end.inferred);
            assert_eq!(seen, (*status, *result_code, *code, *sync, inferred), "{kind} {text:?} {files:?}");
            assert_eq!(end.success, *status == RunStatus::Completed);
            assert_eq!(end.manifest.is_some(), end.success);
        }
    }
}

#[test]
fn case_72_and_90_a_failure_stays_one() {
    let mut bench = TestBench::begun(contract(0));
    assert_eq!(bench.step(&run(1), Input::Cancel), Action::AskToStop);
    let failed = How::Failed { code: "BOOM".to_owned(), message: "it broke".to_owned() };
    bench.end(failed, "half");
    let end = bench.last();
    assert_eq!(
        (end.status, end.code.as_deref(), end.text.as_str()),
        (RunStatus::Failed, Some("BOOM"), "half")
    );
    assert_eq!(bench.step(&run(1), Input::Cancel), Action::Reply(Reply::AlreadyTerminal));
}

#[test]
fn case_83_past_its_deadline_a_run_is_interrupted_and_stays_so() {
    let mut bench = TestBench::begun(contract(0));
    bench.now += 599_999;
    assert_eq!(bench.step(&run(1), Input::Deadline), Action::Reply(Reply::Ignored));
    bench.now += 1;
    bench.step(&run(1), Input::Deadline);
    let end = bench.last().clone();
    assert_eq!(
        (end.status, end.code.as_deref()),
        (RunStatus::Interrupted, Some("OPENCLAW_RUN_DEADLINE_EXCEEDED"))
    );
    let length = bench.log.len();
    bench.end(How::Completed, "late");
    bench.step(&run(1), Input::Lost("AGENT_LOST".to_owned(), "gone".to_owned()));
    assert_eq!(bench.log.len(), length, "an end was followed by something");
}

#[test]
fn case_88_the_wait_for_files_can_be_cancelled_once_and_for_all() {
    let mut bench = TestBench::begun(contract(1));
    bench.end(How::Completed, "done");
    for _ in 0..3 {
        assert_eq!(bench.step(&run(1), Input::Cancel), Action::Reply(Reply::CancelledWait));
    }
    bench.step(&run(1), Input::Exported(exported(&contract(1), &["late.md"])));
    let end = bench.last();
    let seen = (end.status, end.code.as_deref(), end.source.as_str(), end.manifest.is_none());
    assert_eq!(
        seen,
        (RunStatus::Cancelled, Some("ARTIFACT_WAIT_CANCELLED"), "bridge_artifact_wait_cancel", true)
    );
}

#[test]
fn a_restart_ends_what_was_with_an_agent_and_lists_what_was_done() {
    let mut bench = TestBench::begun(contract(0));
    bench.step(&run(1), Input::Restarted(false));
    assert_eq!(bench.last().code.as_deref(), Some("ACP_BRIDGE_RESTART"));
    assert_eq!(bench.last().status, RunStatus::Interrupted);

    let mut bench = TestBench::begun(contract(0));
    assert_eq!(bench.step(&run(1), Input::Restarted(true)), Action::Rest);
    bench.end(How::Completed, "done");
    assert_eq!(bench.step(&run(1), Input::Restarted(false)), Action::Export);

    let mut bench = TestBench::new();
    bench.submit(1, contract(0), Policy::Ask);
    assert_eq!(bench.step(&run(1), Input::Restarted(false)), Action::Enqueue);
}

fn options() -> Vec<PermissionOption> {
    [("yes", "allow_once"), ("always", "allow_always"), ("no", "reject_once")]
        .map(|(id, kind)| PermissionOption { id: id.to_owned(), kind: kind.to_owned(), name: String::new() })
        .to_vec()
}

fn question() -> AgentEvent {
    AgentEvent::Permission { id: "q".to_owned(), tool: "run tests".to_owned(), options: options() }
}

#[test]
fn case_93_permissions_are_asked_unless_a_policy_answers() {
    let told = |option: Option<&str>| Action::AnswerPermission("q".to_owned(), option.map(str::to_owned));
    for (policy, action) in
        [(Policy::Ask, Action::Rest), (Policy::Allow, told(Some("yes"))), (Policy::Deny, told(Some("no")))]
    {
        let mut bench = TestBench::new();
        bench.submit(1, contract(0), policy);
        bench.step(&run(1), Input::Admit);
        assert_eq!(bench.step(&run(1), Input::Event(question())), action, "{policy:?}");
    }
    let mut bench = TestBench::begun(contract(0));
    bench.step(&run(1), Input::Event(question()));
    let answer =
        |request: &str, option: Option<&str>| Input::Answer(request.to_owned(), option.map(str::to_owned));
    let unknown = Action::Reply(Reply::QuestionUnknown);
    assert_eq!(bench.step(&run(1), answer("perm-other", Some("yes"))), unknown);
    let not_offered = Action::Reply(Reply::OptionNotOffered);
    assert_eq!(bench.step(&run(1), answer("perm-run-1-1", Some("root"))), not_offered);
    assert_eq!(bench.step(&run(1), answer("perm-run-1-1", Some("yes"))), told(Some("yes")));
    let decided = Action::Reply(Reply::QuestionDecided);
    assert_eq!(bench.step(&run(1), answer("perm-run-1-1", Some("no"))), decided);
    // A cancel denies what is open, and everything that is asked after it.
    bench.step(&run(1), Input::Event(question()));
    assert_eq!(bench.step(&run(1), Input::Cancel), Action::AskToStop);
    assert_eq!(bench.step(&run(1), answer("perm-run-1-2", Some("yes"))), decided);
    assert_eq!(bench.step(&run(1), Input::Event(question())), told(None));
}

#[derive(Debug, Clone)]
enum Step {
    Submit(usize, Policy),
    On(usize, Input),
    /// The process dies: what was not stored is gone.
    Crash,
    Wait(u64),
}

fn ends() -> impl Strategy<Value = How> {
    prop_oneof![
        3 => Just(How::Completed),
        1 => Just(How::Unstated),
        1 => Just(How::Failed { code: "E".to_owned(), message: "m".to_owned() }),
        1 => Just(How::Cancelled),
    ]
}

fn inputs() -> impl Strategy<Value = Input> {
    let files = prop::collection::vec(prop::sample::select(vec!["a.md", "b.md", "c.pdf", "d.txt"]), 0..4);
    prop_oneof![
        4 => Just(Input::Admit),
        2 => Just(Input::Event(AgentEvent::Started { agent_session: None })),
        3 => (ends(), prop::option::of(Just(String::new())))
            .prop_map(|(how, text)| Input::Event(AgentEvent::Ended(TurnEnd { how, text }))),
        1 => Just(Input::Event(question())),
        1 => prop::option::of(Just("G".to_owned())).prop_map(|code| Input::Event(AgentEvent::Degraded(code))),
        1 => Just(Input::Lost("L".to_owned(), "m".to_owned())),
        1 => Just(Input::Deadline),
        1 => Just(Input::Refuse("OPENCLAW_GATEWAY_BUSY", "m".to_owned())),
        // What is required is not known here; the outcome is put in when the step is made.
        4 => files.prop_map(|files| {
            let mut files = files;
            files.sort_unstable();
            files.dedup();
            Input::Exported(exported(&Contract::default(), &files))
        }),
        1 => Just(Input::ExportFailed("X".to_owned(), "m".to_owned())),
        1 => Just(Input::Cancel),
        1 => Just(Input::Stopped),
        1 => (1_usize..4, prop::option::of(prop::sample::select(vec!["yes", "no", "root"])))
            .prop_map(|(number, option)| Input::Answer(format!("perm-run-1-{number}"), option.map(str::to_owned))),
        1 => Just(Input::Close),
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    let policy = prop::sample::select(vec![Policy::Ask, Policy::Allow, Policy::Deny]);
    prop_oneof![
        2 => (0_usize..5, policy).prop_map(|(kind, policy)| Step::Submit(kind, policy)),
        12 => (0_usize..4, inputs()).prop_map(|(run, input)| Step::On(run, input)),
        1 => Just(Step::Crash),
        1 => (1_u64..400_000).prop_map(Step::Wait),
    ]
}

/// What must hold at every moment.
fn check(bench: &TestBench) -> Result<(), TestCaseError> {
    let mut folded = RunThread::default();
    let mut ended: HashMap<&RunId, usize> = HashMap::new();
    let mut began: Vec<&RunId> = Vec::new();
    let mut accepted: Vec<&RunId> = Vec::new();
    let mut asked_to_stop: Vec<&RunId> = Vec::new();
    for event in &bench.log {
        folded.apply(event, 0);
        let Some(id) = event.run() else { continue };
        prop_assert!(!ended.contains_key(id), "an entry behind an end: {event:?}");
        match event {
            RunEvent::Accepted(_) => accepted.push(id),
            RunEvent::Started { .. } => began.push(id),
            RunEvent::CancelAsked { .. } => asked_to_stop.push(id),
            RunEvent::Ended { end, .. } => {
                ended.insert(id, 1);
                prop_assert_eq!(end.success, end.status == RunStatus::Completed);
                prop_assert_eq!(end.success, end.code.is_none());
                // No files of a failure, and a success is complete and says something.
                prop_assert_eq!(end.manifest.is_some(), end.success);
                if let Some(manifest) = &end.manifest {
                    let names = manifest.files.iter().map(Deliverable::label);
                    prop_assert!(end.face.contract.requirements().judge(names).constraint_satisfied);
                    prop_assert!(!manifest.files.is_empty() || !end.text.trim().is_empty());
                }
                let told = notifications::terminal(end, 1, "/w", None);
                prop_assert_eq!(&told["terminal"], &serde_json::json!(true));
            }
            _ => {}
        }
    }
    prop_assert!(bench.thread.runs.iter().filter(|run| run.holds()).count() <= 1, "two runs at once");
    let in_order: Vec<&RunId> = accepted.iter().copied().filter(|id| began.contains(id)).collect();
    prop_assert_eq!(in_order, began, "runs of a thread began out of order");
    for run in &bench.thread.runs {
        let done = matches!(run.phase, Phase::Done { .. });
        prop_assert_eq!(done, ended.contains_key(&run.id));
        prop_assert_eq!(done, run.status().is_terminal());
        let told = notifications::handle(run, "/w", None, bench.now);
        if !done {
            // A handle is never a result.
            prop_assert_eq!(&told["terminal"], &serde_json::json!(false));
            prop_assert_eq!(&told["artifacts"], &serde_json::json!([]));
            prop_assert!(!["completed", "failed", "cancelled"].contains(&told["status"].as_str().unwrap()));
            for field in [
                "success",
                "status",
                "turnId",
                "runId",
                "taskId",
                "sessionId",
                "threadId",
                "appThreadKey",
                "openclawSessionKey",
                "artifactScope",
            ] {
                prop_assert!(!told[field].is_null(), "{field} is missing");
            }
        }
    }
    let heads = |thread: &RunThread| {
        thread.runs.iter().map(|run| (run.id.clone(), run.seq, run.status())).collect::<Vec<_>>()
    };
    prop_assert_eq!(heads(&folded), heads(&bench.thread));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn nothing_forbidden_is_reached(steps in prop::collection::vec(steps(), 1..60)) {
        let mut bench = TestBench::new();
        let mut kinds = Vec::new();
        for step in steps {
            match step {
                Step::Submit(kind, policy) => {
                    bench.submit(kinds.len(), contract(kind), policy);
                    kinds.push(kind);
                }
                Step::On(number, input) if !kinds.is_empty() => {
                    let number = number % kinds.len();
                    let input = match input {
                        Input::Exported(listed) => {
                            let names: Vec<&str> = listed.manifest.files.iter().map(Deliverable::label).collect();
                            Input::Exported(exported(&contract(kinds[number]), &names))
                        }
                        input => input,
                    };
                    bench.said.text = if number % 2 == 0 { "words".to_owned() } else { String::new() };
                    bench.step(&run(number), input);
                }
                Step::On(..) => {}
                Step::Crash => {
                    bench.said = AnswerText::default();
                    let open: Vec<RunId> = bench.thread.open().map(|run| run.id.clone()).collect();
                    for id in open {
                        bench.step(&id, Input::Restarted(false));
                    }
                    prop_assert!(bench.thread.open().all(|run| !matches!(run.phase, Phase::Running(_))));
                }
                Step::Wait(time) => bench.now += time,
            }
            check(&bench)?;
        }
    }
}
