//! Files of a run on their way into a thread's folder.

#![expect(clippy::disallowed_methods, reason = "the folder is looked at from outside")]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use engross_protocol::hex;
use engross_store::files::{Folder, Root};

use super::outcome::RemoteArtifact;
use super::sync::{FetchError, FileOutcome, FileSource, Sink, SyncReport, sync};

/// A source of files by path; loses the connection after so many bytes as often as is said.
#[derive(Default)]
struct Shelf {
    files: BTreeMap<String, Vec<u8>>,
    cuts: RefCell<Vec<usize>>,
    begins_at_zero: bool,
    asked: RefCell<Vec<(String, u64)>>,
}

impl FileSource for Shelf {
    fn fetch(&self, file: &RemoteArtifact, from: u64, sink: &mut dyn Sink) -> Result<(), FetchError> {
        self.asked.borrow_mut().push((file.relative_path.clone(), from));
        let bytes = self.files.get(&file.relative_path).ok_or(FetchError::Gone)?;
        let from = if self.begins_at_zero { 0 } else { from };
        sink.begin(from)?;
        let rest = &bytes[usize::try_from(from).unwrap()..];
        match self.cuts.borrow_mut().pop() {
            Some(cut) => {
                sink.take(&rest[..cut.min(rest.len())])?;
                Err(FetchError::Lost("cut".to_owned()))
            }
            None => Ok(rest.chunks(7).try_for_each(|piece| sink.take(piece))?),
        }
    }
}

impl Shelf {
    fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        Self { files, ..Self::default() }
    }

    fn listed(&self) -> Vec<RemoteArtifact> {
        self.files.iter().map(|(path, bytes)| artifact(path, bytes)).collect()
    }
}

fn artifact(path: &str, bytes: &[u8]) -> RemoteArtifact {
    use sha2::Digest as _;
    let hash = sha2::Sha256::digest(bytes);
    RemoteArtifact {
        relative_path: path.to_owned(),
        size_bytes: Some(bytes.len() as u64),
        sha256: hex::encode(hash),
        ..RemoteArtifact::default()
    }
}

fn known(report: &SyncReport) -> BTreeMap<String, String> {
    let pair = |file: &super::sync::FileReport| Some((file.local_path.clone()?, file.sha256.clone()?));
    report.files.iter().filter_map(pair).collect()
}

fn bring(folder: &Folder, shelf: &Shelf, known: &BTreeMap<String, String>) -> SyncReport {
    sync(folder, shelf, &shelf.listed(), known, &mut |_| {})
}

fn outcomes(report: &SyncReport) -> Vec<(FileOutcome, Option<&str>)> {
    report.files.iter().map(|file| (file.outcome, file.local_path.as_deref())).collect()
}

fn read(folder: &Path, path: &str) -> String {
    std::fs::read_to_string(folder.join(path)).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn files_come_once_and_new_ones_replace_what_was_fetched() {
    let place = tempfile::tempdir().unwrap();
    let folder = Root::open(place.path()).unwrap().top();
    let first = Shelf::of(&[("a.md", "one"), ("deep/er/b.md", ""), ("same.md", "same")]);
    let report = bring(&folder, &first, &BTreeMap::new());
    assert_eq!(report.paths(), ["a.md", "deep/er/b.md", "same.md"]);
    assert_eq!(
        (read(place.path(), "a.md"), read(place.path(), "deep/er/b.md")),
        ("one".to_owned(), String::new())
    );

    let again = bring(&folder, &first, &known(&report));
    assert!(again.files.iter().all(|file| file.outcome == FileOutcome::Identical), "{again:?}");
    assert_eq!(first.asked.borrow().len(), 3, "nothing was fetched twice");

    let second = Shelf::of(&[("a.md", "two"), ("same.md", "same")]);
    let later = bring(&folder, &second, &known(&report));
    assert_eq!(outcomes(&later)[0], (FileOutcome::Written, Some("a.md")));
    assert_eq!(read(place.path(), "a.md"), "two");
    assert_eq!(names(place.path()), ["a.md", "deep", "same.md"], "no versions, no leftovers");
}

#[test]
fn what_a_person_changed_stays() {
    let place = tempfile::tempdir().unwrap();
    let folder = Root::open(place.path()).unwrap().top();
    let report = bring(&folder, &Shelf::of(&[("r.tar.gz", "one")]), &BTreeMap::new());
    std::fs::write(place.path().join("r.tar.gz"), "mine").unwrap();
    let second = Shelf::of(&[("r.tar.gz", "two")]);
    let later = bring(&folder, &second, &known(&report));
    assert_eq!(outcomes(&later), [(FileOutcome::Beside, Some("r.tar.v2.gz"))]);
    assert_eq!(read(place.path(), "r.tar.gz"), "mine");
    assert_eq!(read(place.path(), "r.tar.v2.gz"), "two");
    let again = bring(&folder, &second, &known(&later));
    assert_eq!(outcomes(&again), [(FileOutcome::Identical, Some("r.tar.v2.gz"))], "no third version");
}

/// Case 115: one that fails does not stop others; what was cut goes on where it was cut.
#[test]
fn case_115_cut_files_go_on_and_wrong_ones_are_dropped() {
    let place = tempfile::tempdir().unwrap();
    let folder = Root::open(place.path()).unwrap().top();
    let mut shelf =
        Shelf::of(&[("cut.md", "0123456789"), ("gone.md", "x"), ("short.md", "abc"), ("wrong.md", "abc")]);
    let mut listed = shelf.listed();
    shelf.files.remove("gone.md");
    listed[2].size_bytes = Some(4);
    listed[3].sha256 = "0".repeat(64);
    shelf.cuts = RefCell::new(vec![3, 4]);
    let report = sync(&folder, &shelf, &listed, &BTreeMap::new(), &mut |_| {});
    assert_eq!(read(place.path(), "cut.md"), "0123456789");
    let asked: Vec<u64> =
        shelf.asked.borrow().iter().filter(|(path, _)| path == "cut.md").map(|(_, from)| *from).collect();
    assert_eq!(asked, [0, 4, 7]);
    let failed = (FileOutcome::Failed, None);
    assert_eq!(outcomes(&report)[1..], [failed, failed, failed], "{report:?}");
    assert_eq!((report.failed(), report.paths()), (3, vec!["cut.md".to_owned()]));
    assert_eq!(shelf.asked.borrow().iter().filter(|(path, _)| path == "gone.md").count(), 1, "no second try");
    assert_eq!(names(place.path()), ["cut.md"], "nothing of the others");
}

#[test]
fn a_source_that_begins_anew_is_no_harm() {
    let place = tempfile::tempdir().unwrap();
    let folder = Root::open(place.path()).unwrap().top();
    let mut shelf = Shelf::of(&[("cut.md", "0123456789")]);
    shelf.begins_at_zero = true;
    shelf.cuts = RefCell::new(vec![4]);
    assert_eq!(bring(&folder, &shelf, &BTreeMap::new()).failed(), 0);
    assert_eq!(read(place.path(), "cut.md"), "0123456789");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_elsewhere() {
    let outside = tempfile::tempdir().unwrap();
    let place = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), place.path().join("link")).unwrap();
    let folder = Root::open(place.path()).unwrap().top();
    let shelf = Shelf::of(&[
        ("../up.md", "x"),
        ("/etc/x", "x"),
        ("a/../../b", "x"),
        ("link/in.md", "x"),
        ("nul\0.md", "x"),
        ("", "x"),
        (".git/config", "x"),
        ("ok.md", "fine"),
    ]);
    let report = bring(&folder, &shelf, &BTreeMap::new());
    assert_eq!(report.paths(), ["ok.md"]);
    assert_eq!(report.failed(), 7);
    assert!(names(outside.path()).is_empty());
    assert_eq!(names(place.path()), ["link", "ok.md"]);
}
