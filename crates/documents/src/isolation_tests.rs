use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use engross_docx::html::HtmlOptions;
use engross_docx::{CompareOptions, ComparedView, EditOptions, Granularity, Limits, Tracking, from_markdown};
use engross_protocol::FixedClock;
use engross_store::files::{Locks, Precondition, Root};
use serde_json::json;

use crate::document_job::{DocumentJob, JobReply, carry_out};
use crate::isolation::{DocumentIsolation, JobInterruption, JobRunner};
use crate::{EditWork, Error, Workspace, redline};

/// Does jobs as a worker does, with jobs and answers as texts; or does none.
#[derive(Default)]
struct FakeWorker {
    asked: Mutex<Vec<String>>,
    refusals: AtomicUsize,
}

impl FakeWorker {
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

impl JobRunner for FakeWorker {
    fn run(&self, job: &DocumentJob, files: &[&[u8]]) -> Result<(JobReply, Vec<Vec<u8>>), JobInterruption> {
        let text = serde_json::to_string(job).unwrap();
        let told: DocumentJob = serde_json::from_str(&text).unwrap();
        assert_eq!(told, *job);
        let name = serde_json::to_value(job).unwrap()["job"].as_str().unwrap().to_owned();
        self.asked.lock().unwrap().push(name);
        if self.refusals.load(Ordering::SeqCst) > 0 {
            self.refusals.fetch_sub(1, Ordering::SeqCst);
            return Err(JobInterruption::Limit("too much".to_owned()));
        }
        let (reply, made) = carry_out(told, files.iter().map(|file| file.to_vec()).collect());
        let text = serde_json::to_string(&reply).unwrap();
        Ok((serde_json::from_str(&text).unwrap(), made))
    }
}

fn bytes(markdown: &str) -> Vec<u8> {
    from_markdown(markdown, None, &Limits::default()).unwrap()
}

fn isolation() -> (Arc<FakeWorker>, DocumentIsolation) {
    let worker = Arc::new(FakeWorker::default());
    (Arc::clone(&worker), DocumentIsolation::by(worker))
}

#[test]
fn a_document_is_tried_once_and_known_then() {
    let (worker, isolation) = isolation();
    let document = bytes("Pay at once.");
    isolation.open("a.docx", document.clone()).unwrap();
    isolation.open("b.docx", document).unwrap();
    assert_eq!(worker.asked(), ["check"]);
}

#[test]
fn a_document_that_passes_a_bound_is_not_opened_and_not_tried_again_at_once() {
    let (worker, isolation) = isolation();
    worker.refusals.store(1, Ordering::SeqCst);
    for _ in 0..2 {
        let refused = isolation.open("a.docx", bytes("Pay at once.")).unwrap_err();
        assert_eq!(refused.code(), "DOCUMENT_LIMITS");
        assert_eq!(refused.to_string(), "a.docx: too much");
    }
    assert_eq!(worker.asked(), ["check"]);
    isolation.open("b.docx", bytes("Pay later.")).unwrap();
}

#[test]
fn what_is_no_document_is_told_as_without_a_worker() {
    let (_, isolation) = isolation();
    let refused = isolation.open("a.docx", b"%PDF-1.7".to_vec()).unwrap_err();
    assert_eq!(refused.code(), "NOT_A_ZIP");
    let refused = isolation.html("a.docx", b"%PDF-1.7".to_vec(), &HtmlOptions::default()).unwrap_err();
    assert_eq!(refused.code(), "NOT_A_ZIP");
}

#[test]
fn what_a_worker_makes_is_what_is_made_here() {
    let (worker, isolation) = isolation();
    let here = DocumentIsolation::default();
    let (old, new) = (bytes("Pay within *thirty* days.\n\nNothing else."), bytes("Pay within sixty days."));
    let options = CompareOptions {
        author: "Ada".to_owned(),
        date: "2026-01-31T09:30:00Z".to_owned(),
        view: ComparedView::Accepted,
        keep_revisions: false,
        formatting: true,
        moves: true,
        granularity: Granularity::Word,
    };
    let made = isolation.redline(("a", old.clone()), ("b", new.clone()), &options).unwrap();
    assert_eq!(made, redline(old.clone(), new.clone(), &options).unwrap());
    assert!(!made.report.changes.is_empty() && !made.report.changes[0].lead.is_empty(), "{made:?}");
    let html = isolation.html("a", old.clone(), &HtmlOptions::default()).unwrap();
    assert_eq!(html, here.html("a", old, &HtmlOptions::default()).unwrap());
    let composed = isolation.compose("c", "# Terms\n\nPay.").unwrap();
    assert_eq!(composed, here.compose("c", "# Terms\n\nPay.").unwrap());
    assert_eq!(worker.asked(), ["compare", "html", "compose"]);
    // It was looked at there already.
    assert_eq!(isolation.unsoundness("c", composed.bytes).unwrap(), None);
    assert_eq!(worker.asked(), [""; 0]);
}

#[test]
fn an_edit_is_made_elsewhere_first_and_its_result_is_known() {
    let (worker, isolation) = isolation();
    let folder = tempfile::tempdir().unwrap();
    let files = Root::open(folder.path()).unwrap().top();
    let clock = Arc::new(FixedClock("2026-01-31T09:30:00Z".parse().unwrap()));
    let workspace = Workspace::with_own_checkpoints(files, Locks::new(), clock).unwrap().isolated(isolation);
    let path = Workspace::path("a.docx").unwrap();
    workspace.put(&path, &bytes("Pay within thirty days."), &Precondition::Absent).unwrap();
    let batch = json!([{"op": "modify_text", "originalText": "thirty", "replacementText": "sixty"}]);
    let parsed = engross_docx::ops::parse_batch(&batch).unwrap();
    let options = EditOptions { author: "Ada".to_owned(), date: workspace.date() };
    let applied = workspace.apply(&path, (&parsed, &batch), &options, Tracking::Tracked).unwrap();
    assert!(applied.is_applied);
    assert_eq!(worker.asked(), ["check", "edit"]);
    workspace.open(&path).unwrap();
    assert_eq!(worker.asked(), [""; 0]);

    worker.refusals.store(1, Ordering::SeqCst);
    let before = workspace.read(&path).unwrap();
    let work = EditWork::Operations { batch: &batch, options: &options };
    let edit = |_: &mut _| -> Result<(), engross_docx::Error> { panic!("it is not made here") };
    let refused = workspace.edit(&path, None, (Tracking::Tracked, &work), edit).unwrap_err();
    assert!(matches!(refused, Error::Limits { .. }), "{refused}");
    assert_eq!(workspace.read(&path).unwrap(), before);

    // What a checkpoint holds is compared elsewhere, too.
    let checkpoint = applied.checkpoint.unwrap();
    workspace.losses(&path, &checkpoint).unwrap();
    assert_eq!(worker.asked(), ["edit", "losses"]);
}
