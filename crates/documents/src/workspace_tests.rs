//! Documents of a folder: each change is kept, one writer at a time.

use std::sync::Arc;

use engross_docx::ops::{Batch, Status, parse_operations};
use engross_docx::{EditOptions, Error as DocumentError, Tracking, WordDocument};
use engross_protocol::FixedClock;
use engross_store::files::{Locks, Precondition, RelPath, Root};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{CheckpointStore, EditWork, Error, OWN_FOLDER, Workspace};

/// Nobody works on a document elsewhere here.
const TRACKED: (Tracking, &EditWork<'static>) = (Tracking::Tracked, &EditWork::Resolution);
const UNTRACKED: (Tracking, &EditWork<'static>) = (Tracking::Untracked, &EditWork::Resolution);

const NDA: &[u8] = include_bytes!("../../../examples/nda.docx");

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

fn empty_workspace() -> (TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    let files = Root::open(folder.path()).unwrap().top();
    let checkpoints = files.make_folder(&path(OWN_FOLDER).join(&path("checkpoints")).unwrap()).unwrap();
    let store = CheckpointStore::of_workspace(checkpoints).unwrap();
    let clock = Arc::new(FixedClock("2026-01-31T09:30:00Z".parse().unwrap()));
    (folder, Workspace::new(files, store, Locks::new(), clock))
}

fn workspace() -> (TempDir, Workspace) {
    let (folder, workspace) = empty_workspace();
    workspace.put(&path("nda.docx"), NDA, &Precondition::Absent).unwrap();
    (folder, workspace)
}

fn options() -> EditOptions {
    EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() }
}

/// Changes the term of the agreement from its original words to others.
fn lengthen(to: &str) -> impl Fn(&mut WordDocument) -> Result<Vec<Status>, DocumentError> + use<> {
    let operation = json!([{"op": "modify_text", "paragraphIndex": 50, "originalText": "three (3) years", "replacementText": to}]);
    move |document| {
        let batch = Batch { operations: parse_operations(&operation).unwrap(), ..Batch::default() };
        Ok(document.apply(&batch, &options())?.into_iter().map(|result| result.status).collect())
    }
}

fn ids(workspace: &Workspace, file: &str) -> Vec<String> {
    workspace.checkpoints(&path(file)).unwrap().into_iter().map(|checkpoint| checkpoint.id).collect()
}

#[test]
fn what_is_taken_back_while_it_is_proven_is_not_written() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let (folder, workspace) = workspace();
    let file = path("nda.docx");
    let stopped = Arc::new(AtomicBool::new(false));
    let signal = Arc::clone(&stopped);
    let stopping = workspace.clone().until(Arc::new(move || signal.load(Ordering::SeqCst)));
    let edit = |document: &mut WordDocument| {
        stopped.store(true, Ordering::SeqCst);
        lengthen("four (4) years")(document)
    };
    let taken_back = stopping.edit(&file, None, TRACKED, edit).unwrap_err();
    assert!(matches!(taken_back, Error::Stopped), "{taken_back}");
    let put = stopping.put(&path("new.docx"), NDA, &Precondition::Absent);
    assert!(matches!(put, Err(Error::Stopped)), "{put:?}");
    assert_eq!(workspace.read(&file).unwrap().unwrap(), NDA);
    assert!(ids(&workspace, "nda.docx").is_empty(), "nor kept");
    assert!(!folder.path().join("new.docx").exists());
    // Who does not stop is not stopped by it.
    workspace.edit(&file, None, TRACKED, lengthen("four (4) years")).unwrap();
}

#[test]
fn each_change_has_a_checkpoint_and_can_be_taken_back_to_the_byte() {
    let (_folder, workspace) = workspace();
    let file = path("nda.docx");
    let (done, first, _) = workspace.edit(&file, None, TRACKED, lengthen("four (4) years")).unwrap();
    assert_eq!(done, [Status::Applied]);
    let once = workspace.read(&file).unwrap().unwrap();
    assert_ne!(once, NDA);
    let (done, second, _) = workspace.edit(&file, None, TRACKED, lengthen("five (5) years")).unwrap();
    assert_eq!(done, [Status::Refused], "the words are gone");
    assert_eq!(second.checkpoint, None, "nothing was changed");
    assert_eq!(ids(&workspace, "nda.docx"), [first.checkpoint.clone().unwrap()]);
    workspace.restore(&file, &first.checkpoint.unwrap(), &Precondition::Any).unwrap();
    assert_eq!(workspace.read(&file).unwrap().unwrap(), NDA);
    let newest = ids(&workspace, "nda.docx").pop().unwrap();
    workspace.restore(&file, &newest, &Precondition::Any).unwrap();
    assert_eq!(workspace.read(&file).unwrap().unwrap(), once, "what was there before the restoring, too");
    let unknown = workspace.restore(&file, "000000000000000-abc", &Precondition::Any).unwrap_err();
    assert_eq!(unknown.code(), "CHECKPOINT_UNKNOWN");
    assert_eq!(
        workspace.restore(&file, "../../nda.docx", &Precondition::Any).unwrap_err().code(),
        "CHECKPOINT_UNKNOWN"
    );
}

#[test]
fn a_refused_edit_makes_nobody_the_author_of_a_document() {
    let (_folder, workspace) = workspace();
    let file = path("nda.docx");
    let no_such_words =
        json!([{"op": "modify_text", "originalText": "ninety-nine weeks", "replacementText": "a day"}]);
    let refused = |document: &mut WordDocument| {
        let batch = Batch { operations: parse_operations(&no_such_words).unwrap(), ..Batch::default() };
        Ok(document.apply(&batch, &options())?.into_iter().map(|result| result.status).collect::<Vec<_>>())
    };
    let (done, _, _) = workspace.edit(&file, None, TRACKED, refused).unwrap();
    assert_eq!(done, [Status::Refused]);
    assert_eq!(workspace.made_from(&file).unwrap(), None, "else the next edit would replace a person's file");
    workspace.edit(&file, None, TRACKED, lengthen("four (4) years")).unwrap();
    assert_eq!(workspace.made_from(&file).unwrap().as_deref(), Some("nda.docx"));
}

#[test]
fn checkpoints_of_two_documents_never_cross() {
    let (_folder, workspace) = workspace();
    let (one, other) = (path("nda.docx"), path("drafts/nda.docx"));
    workspace.put(&other, NDA, &Precondition::Absent).unwrap();
    let edited = workspace.edit(&one, None, TRACKED, lengthen("four (4) years")).unwrap().1;
    assert_eq!(ids(&workspace, "drafts/nda.docx"), Vec::<String>::new());
    let foreign = workspace.restore(&other, &edited.checkpoint.unwrap(), &Precondition::Any).unwrap_err();
    assert_eq!(foreign.code(), "CHECKPOINT_UNKNOWN");
    assert_eq!(workspace.read(&other).unwrap().unwrap(), NDA);
}

#[test]
fn only_the_newest_checkpoints_are_kept() {
    let (_folder, workspace) = workspace();
    let file = path("notes.txt");
    for n in 0..110 {
        workspace.put(&file, format!("draft {n}").as_bytes(), &Precondition::Any).unwrap();
    }
    let kept = ids(&workspace, "notes.txt");
    assert_eq!(kept.len(), 100);
    assert!(kept.is_sorted());
    workspace.restore(&file, kept.last().unwrap(), &Precondition::Any).unwrap();
    assert_eq!(workspace.read(&file).unwrap().unwrap(), b"draft 108");
}

#[test]
fn a_document_that_changed_since_it_was_read_is_not_edited() {
    let (_folder, workspace) = workspace();
    let file = path("nda.docx");
    let read = workspace.open(&file).unwrap().document.revision();
    workspace.edit(&file, Some(&read), TRACKED, lengthen("four (4) years")).unwrap();
    let late = workspace.edit(&file, Some(&read), TRACKED, lengthen("five (5) years"));
    assert_eq!(late.err().map(|error| error.code()), Some("DOCUMENT_CHANGED"));
}

#[test]
fn redlines_off_leaves_no_marks() {
    let (_folder, workspace) = workspace();
    let file = path("nda.docx");
    let (_, _, now) = workspace.edit(&file, None, UNTRACKED, lengthen("four (4) years")).unwrap();
    let known = WordDocument::open(NDA.to_vec(), &engross_docx::Limits::default()).unwrap();
    assert_eq!(now.revisions().unwrap(), known.revisions().unwrap());
    assert_eq!(workspace.open(&file).unwrap().document.revision(), now.revision());
}

#[test]
fn one_document_is_made_by_its_first_change() {
    let (_folder, base) = empty_workspace();
    let target = path("nda.redline.docx");
    let one = base.clone().of_one(target.clone(), NDA.to_vec(), None);
    assert_eq!(one.read(&target).unwrap().unwrap(), NDA);
    assert!(base.read(&target).unwrap().is_none(), "reading makes nothing");
    let edited = one.edit(&target, None, TRACKED, lengthen("four (4) years")).unwrap().1;
    assert_eq!(edited.checkpoint, None, "there was nothing to keep");
    let there = base.read(&target).unwrap().unwrap();
    assert_ne!(there, NDA);
    assert_eq!(one.read(&target).unwrap().unwrap(), there);
}

#[test]
fn what_is_not_for_callers_cannot_be_named() {
    let (_folder, workspace) = workspace();
    for (text, code) in [
        (".engross/checkpoints/nda.docx/1-a", "PROTECTED_PATH"),
        (".ENGROSS/x", "PROTECTED_PATH"),
        ("./.engross", "PROTECTED_PATH"),
        ("../nda.docx", "PATH_OUTSIDE_ROOT"),
        ("/etc/passwd", "PATH_OUTSIDE_ROOT"),
        ("", "TARGET_REQUIRED"),
        (".git/config", "PROTECTED_PATH"),
    ] {
        assert_eq!(Workspace::path(text).unwrap_err().code(), code, "{text}");
    }
    let listed: Vec<String> = workspace
        .list(None, 100)
        .unwrap()
        .files
        .into_iter()
        .map(|listed| listed.path.as_str().to_owned())
        .collect();
    assert_eq!(listed, ["nda.docx"]);
}

#[test]
fn what_is_no_document_says_so() {
    let (_folder, workspace) = workspace();
    workspace.put(&path("note.docx"), b"not a zip", &Precondition::Any).unwrap();
    let error = workspace.open(&path("note.docx")).err().unwrap();
    assert!(matches!(&error, Error::Document { file, .. } if file == "note.docx"), "{error}");
    assert_eq!(workspace.open(&path("none.docx")).err().unwrap().code(), "TARGET_MISSING");
}

/// Writers in several threads: no change is lost.
#[test]
fn one_writer_at_a_time() {
    let (_folder, workspace) = workspace();
    let file = path("nda.docx");
    let operation = |n: usize| -> Value {
        json!([{"op": "insert_paragraph", "after": "P5", "content": format!("Clause of writer {n}.")}])
    };
    std::thread::scope(|scope| {
        for n in 0..4 {
            let (workspace, file) = (&workspace, &file);
            scope.spawn(move || {
                let batch =
                    Batch { operations: parse_operations(&operation(n)).unwrap(), ..Batch::default() };
                let edit = |document: &mut WordDocument| document.apply(&batch, &options());
                workspace.edit(file, None, TRACKED, edit).unwrap();
            });
        }
    });
    let text = format!("{:?}", workspace.open(&file).unwrap().document.read(&Default::default()).unwrap());
    for n in 0..4 {
        assert!(text.contains(&format!("Clause of writer {n}.")), "{n}");
    }
    assert_eq!(ids(&workspace, "nda.docx").len(), 4);
}
