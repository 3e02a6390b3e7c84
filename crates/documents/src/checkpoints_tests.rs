//! What is kept comes back to the byte, and so does what version 0.1.0 has kept.
#![expect(clippy::disallowed_methods, reason = "the tests look at the disk")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engross_protocol::FixedClock;
use engross_store::files::{Locks, Precondition, RelPath, Root};
use tempfile::TempDir;

use crate::checkpoints::sha256_of;
use crate::{CheckpointStore, Checkpoints, Workspace};

const NDA: &[u8] = include_bytes!("../../../examples/nda.docx");

fn clock() -> FixedClock {
    FixedClock("2026-12-31T09:30:00Z".parse().unwrap())
}

fn rel(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

fn fixtures(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/0.1.0").join(name)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn of_path(data: &TempDir, path: &str) -> Checkpoints {
    CheckpointStore::in_data(data.path()).unwrap().of_path(Path::new(path)).unwrap()
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The folder of the one document in `data`.
fn place(data: &TempDir) -> PathBuf {
    files_in(&data.path().join("documents")).pop().unwrap()
}

#[test]
fn what_is_kept_comes_back_to_the_byte() {
    let data = tempfile::tempdir().unwrap();
    let mut known = of_path(&data, "/a/nda.docx");
    assert_eq!(known.list().unwrap(), Vec::new());
    assert_eq!(files_in(&data.path().join("documents")), Vec::<PathBuf>::new(), "asking makes nothing");
    let states: [&[u8]; 4] = [NDA, b"no package", b"", NDA];
    for state in states {
        known.save(state, None, &clock()).unwrap();
    }
    let listed = known.list().unwrap();
    assert_eq!(listed.iter().map(|one| one.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(listed.is_sorted_by(|one, next| one.millis < next.millis && one.id < next.id));
    for (one, state) in listed.iter().zip(states) {
        assert_eq!(known.read(one).unwrap(), state);
        assert_eq!((one.size, &one.sha256), (state.len() as u64, &sha256_of(state)));
    }
    drop(known);
    assert_eq!(of_path(&data, "/a/nda.docx").list().unwrap(), listed);
    assert_eq!(of_path(&data, "/b/nda.docx").list().unwrap(), Vec::new(), "another document");
}

#[test]
fn the_same_as_the_newest_is_kept_again_only_under_a_name() {
    let data = tempfile::tempdir().unwrap();
    let mut known = of_path(&data, "/a/nda.docx");
    let first = known.save(NDA, None, &clock()).unwrap();
    assert_eq!(known.save(NDA, None, &clock()).unwrap(), first);
    let named = known.save(NDA, Some("as received"), &clock()).unwrap();
    assert_eq!((named.number, named.name.as_deref()), (2, Some("as received")));
}

#[test]
fn only_the_newest_hundred_are_kept_and_their_pieces() {
    let data = tempfile::tempdir().unwrap();
    let mut known = of_path(&data, "/a/notes.txt");
    for n in 1..=105 {
        known.save(format!("draft {n}").as_bytes(), None, &clock()).unwrap();
    }
    let listed = known.list().unwrap();
    assert_eq!((listed.len(), listed[0].number), (100, 6));
    assert_eq!(files_in(&place(&data).join("pieces")).len(), 100);
    assert_eq!(known.read(&listed[0]).unwrap(), b"draft 6");
}

#[test]
fn small_entries_share_a_piece_and_the_directory_has_its_own() {
    let data = tempfile::tempdir().unwrap();
    of_path(&data, "/a/nda.docx").save(NDA, None, &clock()).unwrap();
    let pieces = files_in(&place(&data).join("pieces")).len();
    assert!((3..8).contains(&pieces), "{pieces} files for 17 entries");
}

#[test]
fn a_damaged_checkpoint_is_never_given_back() {
    let data = tempfile::tempdir().unwrap();
    let mut known = of_path(&data, "/a/nda.docx");
    let one = known.save(NDA, None, &clock()).unwrap();
    for piece in files_in(&place(&data).join("pieces")) {
        let spoilt = vec![b'x'; std::fs::read(&piece).unwrap().len()];
        std::fs::write(piece, spoilt).unwrap();
    }
    assert_eq!(known.read(&one).unwrap_err().code(), "CHECKPOINT_DAMAGED");
    for piece in files_in(&place(&data).join("pieces")) {
        std::fs::remove_file(piece).unwrap();
    }
    assert_eq!(known.read(&one).unwrap_err().code(), "CHECKPOINT_DAMAGED");
}

/// The command line of version 0.1.0 kept pieces under the hash of the document's path.
#[test]
fn checkpoints_of_the_first_command_line_are_listed_restored_and_continued() {
    let data = tempfile::tempdir().unwrap();
    let key = sha256_of(b"/a/agreement.docx");
    let place = data.path().join("documents").join(&key[..32]);
    copy(&fixtures("by_path/lists"), &place.join("lists"));
    copy(&fixtures("by_path/pieces"), &place.join("pieces"));
    let mut known = of_path(&data, "/a/agreement.docx");
    let listed = known.list().unwrap();
    let names: Vec<_> = listed.iter().map(|one| (one.number, one.name.as_deref())).collect();
    assert_eq!(names, [(1, Some("as received")), (2, None)]);
    assert!(listed[0].id < listed[1].id, "both were made within one second");
    for (one, first) in listed.iter().zip(["5cdae98ebf8b", "dad5b84e4637"]) {
        assert_eq!(sha256_of(&known.read(one).unwrap()), one.sha256);
        assert!(one.sha256.starts_with(first));
    }
    let now = std::fs::read(fixtures("by_path/agreement.docx")).unwrap();
    let made = known.save(&now, None, &clock()).unwrap();
    assert_eq!(made.number, 3);
    let again = known.list().unwrap();
    assert_eq!((&again[..2], known.read(&again[2]).unwrap()), (&listed[..], now));
}

/// Workspaces and chats of version 0.1.0 kept whole files under the document's path.
#[test]
fn checkpoints_of_the_first_workspaces_are_listed_restored_and_continued() {
    let folder = tempfile::tempdir().unwrap();
    let files = Root::open(folder.path()).unwrap().top();
    copy(&fixtures("workspace/agreement.docx"), &folder.path().join(".engross/checkpoints/agreement.docx"));
    std::fs::copy(fixtures("workspace/now.docx"), folder.path().join("agreement.docx")).unwrap();
    let kept = files.folder(&rel(".engross").join(&rel("checkpoints")).unwrap()).unwrap().unwrap();
    let store = CheckpointStore::of_workspace(kept).unwrap();
    let workspace = Workspace::new(files, store, Locks::new(), Arc::new(clock()));
    let (file, old) =
        (rel("agreement.docx"), ["001795396244080-5cdae98ebf8b", "001795396244167-dad5b84e4637"]);
    let ids =
        || -> Vec<String> { workspace.checkpoints(&file).unwrap().into_iter().map(|one| one.id).collect() };
    assert_eq!(ids(), old);
    let first = workspace.checkpoints(&file).unwrap().swap_remove(0);
    assert_eq!(
        (first.millis, first.size, first.at.to_string()),
        (1_795_396_244_080, 2258, "2026-11-23T01:10:44Z".to_owned())
    );
    assert_eq!(workspace.losses(&file, old[0]).unwrap().lost.len(), 2);
    let now = workspace.read(&file).unwrap().unwrap();
    workspace.restore(&file, old[0], &Precondition::Any).unwrap();
    assert!(sha256_of(&workspace.read(&file).unwrap().unwrap()).starts_with("5cdae98ebf8b"));
    let all = ids();
    assert_eq!((&all[..2], all.len()), (&old.map(str::to_owned)[..], 3));
    workspace.restore(&file, &all[2], &Precondition::Any).unwrap();
    assert_eq!(workspace.read(&file).unwrap().unwrap(), now);
    // The oldest go first, whichever way they are kept.
    for n in 0..97 {
        workspace.put(&file, format!("draft {n}").as_bytes(), &Precondition::Any).unwrap();
    }
    assert_eq!((ids().len(), &ids()[0]), (100, &old[1].to_owned()));
    std::fs::write(
        folder.path().join(".engross/checkpoints/agreement.docx").join(old[1]),
        "not what was kept",
    )
    .unwrap();
    let error = workspace.restore(&file, old[1], &Precondition::Any).unwrap_err();
    assert_eq!(error.code(), "CHECKPOINT_DAMAGED");
}

/// A chat edits a file that the command line edits too: one history, with what chats of version 0.1.0 have kept.
#[test]
fn a_document_has_one_history_however_it_is_named() {
    let (data, base) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let whole = Root::open(&data.path().join("checkpoints/0123")).unwrap().top();
    copy(&fixtures("workspace/agreement.docx"), &data.path().join("checkpoints/0123/agreement.docx"));
    let by_path = CheckpointStore::in_data(data.path()).unwrap();
    let document = base.path().join("agreement.docx");
    by_path.of_path(&document).unwrap().save(NDA, None, &clock()).unwrap();
    let of_chat = by_path.clone().beneath(base.path().to_owned(), Some(whole));
    let listed = of_chat.of_file(&rel("agreement.docx")).unwrap().list().unwrap();
    assert_eq!(listed.iter().map(|one| one.number).collect::<Vec<_>>(), [0, 0, 1]);
    of_chat.of_file(&rel("agreement.docx")).unwrap().save(b"newer", None, &clock()).unwrap();
    let listed = by_path.of_path(&document).unwrap().list().unwrap();
    assert_eq!(listed.iter().map(|one| one.number).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn what_is_forgotten_leaves_nothing_and_no_number_comes_again() {
    let folder = tempfile::tempdir().unwrap();
    let files = Root::open(folder.path()).unwrap().top();
    let workspace = Workspace::with_own_checkpoints(files, Locks::new(), Arc::new(clock())).unwrap();
    let at = |millis: u64| move |one: &crate::Checkpoint| one.millis < millis;
    for (file, texts) in
        [("gone.txt", ["SECRET one", "SECRET two"]), ("here.txt", ["SECRET three", "SECRET four"])]
    {
        for text in texts {
            workspace.put(&rel(file), text.as_bytes(), &Precondition::Any).unwrap();
        }
        workspace.remove(&rel(file), &Precondition::Any).unwrap();
        workspace.put(&rel(file), b"now", &Precondition::Any).unwrap();
    }
    let listed = workspace.checkpoints(&rel("here.txt")).unwrap();
    assert_eq!(listed.iter().map(|one| one.number).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(workspace.forget(&rel("here.txt")).unwrap(), 2);
    assert_eq!(workspace.forget(&rel("here.txt")).unwrap(), 0);
    assert_eq!(workspace.checkpoints(&rel("here.txt")).unwrap(), []);
    assert_eq!(holding(folder.path(), b"SECRET three") + holding(folder.path(), b"SECRET four"), 0);
    workspace.put(&rel("here.txt"), b"later", &Precondition::Any).unwrap();
    let listed = workspace.checkpoints(&rel("here.txt")).unwrap();
    assert_eq!(listed.iter().map(|one| one.number).collect::<Vec<_>>(), [3]);
    // Of the other one the older checkpoint goes, then both.
    let listed = workspace.checkpoints(&rel("gone.txt")).unwrap();
    assert_eq!(workspace.forget_before(listed[1].millis).unwrap(), 2, "the older one, and what here.txt was");
    let kept = workspace.checkpoints(&rel("gone.txt")).unwrap();
    assert!(kept.len() == 1 && !kept.iter().any(at(listed[1].millis)));
    assert_eq!(workspace.earlier(&rel("gone.txt"), &kept[0].id).unwrap(), b"SECRET two");
    assert_eq!((holding(folder.path(), b"SECRET one"), holding(folder.path(), b"SECRET two")), (0, 1));
    assert_eq!(workspace.forget_before(u64::MAX).unwrap(), 1);
    assert_eq!(holding(folder.path(), b"SECRET"), 0);
    assert_eq!(workspace.read(&rel("gone.txt")).unwrap().as_deref(), Some(&b"now"[..]), "documents stay");
}

#[test]
fn what_version_0_1_0_has_kept_is_forgotten_too() {
    let folder = tempfile::tempdir().unwrap();
    let files = Root::open(folder.path()).unwrap().top();
    let kept = folder.path().join(".engross/checkpoints/deep");
    copy(&fixtures("workspace/agreement.docx"), &kept.join("agreement.docx"));
    let workspace = Workspace::with_own_checkpoints(files, Locks::new(), Arc::new(clock())).unwrap();
    let listed = workspace.checkpoints(&rel("deep/agreement.docx")).unwrap();
    assert_eq!(listed.len(), 2);
    assert_eq!(workspace.forget_before(listed[1].millis).unwrap(), 1);
    assert_eq!(workspace.checkpoints(&rel("deep/agreement.docx")).unwrap(), listed[1..]);
    assert_eq!(workspace.forget(&rel("deep/agreement.docx")).unwrap(), 1);
    assert_eq!(files_in(&kept.join("agreement.docx")), Vec::<PathBuf>::new());
}

/// How many files beneath a folder hold some words.
fn holding(folder: &Path, words: &[u8]) -> usize {
    let of = |path: PathBuf| match path.is_dir() {
        true => holding(&path, words),
        false => usize::from(std::fs::read(path).unwrap().windows(words.len()).any(|part| part == words)),
    };
    files_in(folder).into_iter().map(of).sum()
}
