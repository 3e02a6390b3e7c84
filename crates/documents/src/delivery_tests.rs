//! A result goes where it should, or nothing is changed.
#![expect(clippy::disallowed_methods, reason = "the tests look at the files that were written")]

use std::path::{Path, PathBuf};

use engross_docx::ops::{OperationResult, Status, Summary, parse_batch};
use engross_docx::{EditOptions, Tracking, WordDocument};
use engross_protocol::FixedClock;
use serde_json::json;
use tempfile::TempDir;

use crate::{
    CheckpointStore, Delivery, Destination, Error, InputFile, Receipt, check_name_of_new, has_result,
};

const NDA: &[u8] = include_bytes!("../../../examples/nda.docx");

struct TestFolder(TempDir);

impl TestFolder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir(folder.path("work")).unwrap();
        std::fs::write(folder.path("work/nda.docx"), NDA).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn data(&self) -> PathBuf {
        self.path("data")
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path("work")).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn open(&self) -> (InputFile, WordDocument, Vec<OperationResult>) {
        let (input, mut document) = InputFile::open(&self.path("work/nda.docx")).unwrap();
        let operations = json!([
            {"op": "modify_text", "paragraphIndex": 50, "originalText": "three (3)", "replacementText": "five (5)"},
            {"op": "modify_text", "originalText": "no such words", "replacementText": "x"},
        ]);
        let options = EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
        let results = document.apply(&parse_batch(&operations).unwrap(), &options).unwrap();
        (input, document, results)
    }

    fn deliver(&self, destination: &Destination) -> Result<Delivery, Error> {
        let (input, document, _) = self.open();
        input.deliver(&document, Tracking::Tracked, destination, &clock())
    }

    fn code(&self, destination: &Destination) -> &'static str {
        self.deliver(destination).unwrap_err().code()
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }
}

fn clock() -> FixedClock {
    FixedClock("2026-01-31T09:30:00Z".parse().unwrap())
}

#[test]
fn a_result_goes_to_a_file_of_its_own_and_replaces_an_earlier_one() {
    let folder = TestFolder::new();
    let (input, ..) = folder.open();
    let beside = input.beside("redline");
    assert_eq!(beside, folder.path("work/nda.redline.docx"));
    for _ in 0..2 {
        let delivery = folder.deliver(&Destination::NewFile(beside.clone())).unwrap();
        assert_eq!(delivery.output.as_deref(), beside.to_str());
    }
    assert_eq!(
        (folder.names(), folder.bytes("work/nda.docx")),
        (vec!["nda.docx".to_owned(), "nda.redline.docx".to_owned()], NDA.to_vec())
    );
    assert!(!folder.data().exists());
}

#[test]
fn in_place_keeps_what_it_replaces() {
    let folder = TestFolder::new();
    let delivery = folder.deliver(&Destination::InPlace(folder.data())).unwrap();
    assert_ne!(folder.bytes("work/nda.docx"), NDA);
    let document = std::fs::canonicalize(folder.path("work/nda.docx")).unwrap();
    let known = CheckpointStore::in_data(&folder.data()).unwrap().of_path(&document).unwrap();
    let listed = known.list().unwrap();
    assert_eq!((listed.len(), known.read(&listed[0]).unwrap()), (1, NDA.to_vec()));
    assert_eq!(delivery.output.as_deref(), folder.path("work/nda.docx").to_str());
}

#[test]
fn a_dry_run_proves_and_writes_nothing() {
    let folder = TestFolder::new();
    let dry = folder.deliver(&Destination::Nowhere).unwrap();
    assert_eq!((dry.output, folder.names()), (None, vec!["nda.docx".to_owned()]));
    let real = folder.deliver(&Destination::NewFile(folder.path("work/out.docx"))).unwrap();
    assert_eq!((dry.sha256, dry.proof), (real.sha256, real.proof));
}

#[test]
fn an_unchanged_document_needs_no_checkpoint() {
    let folder = TestFolder::new();
    let (input, document) = InputFile::open(&folder.path("work/nda.docx")).unwrap();
    let destination = Destination::InPlace(folder.data());
    input.deliver(&document, Tracking::Tracked, &destination, &clock()).unwrap();
    assert!(!folder.data().exists());
    assert_eq!(folder.bytes("work/nda.docx"), NDA);
}

#[test]
fn what_someone_else_has_changed_is_not_replaced() {
    let folder = TestFolder::new();
    let (input, document, _) = folder.open();
    std::fs::write(folder.path("work/nda.docx"), "theirs").unwrap();
    let destination = Destination::InPlace(folder.data());
    let error = input.deliver(&document, Tracking::Tracked, &destination, &clock()).unwrap_err();
    assert_eq!((error.code(), folder.bytes("work/nda.docx")), ("INPUT_CHANGED", b"theirs".to_vec()));
}

#[test]
fn what_cannot_be_kept_is_not_replaced() {
    let folder = TestFolder::new();
    std::fs::write(folder.data(), "no folder").unwrap();
    let error = folder.deliver(&Destination::InPlace(folder.data())).unwrap_err();
    assert!(matches!(error, Error::NotKept(_)), "{error}");
    assert_eq!(folder.bytes("work/nda.docx"), NDA);
}

#[test]
fn the_document_is_never_the_output() {
    let folder = TestFolder::new();
    for name in ["work/nda.docx", "work/./nda.docx", "work/../work/nda.docx"] {
        assert_eq!(folder.code(&Destination::NewFile(folder.path(name))), "OUTPUT_IS_INPUT", "{name}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.path("work/nda.docx"), folder.path("soft.docx")).unwrap();
        std::fs::hard_link(folder.path("work/nda.docx"), folder.path("hard.docx")).unwrap();
        for name in ["soft.docx", "hard.docx"] {
            assert_eq!(folder.code(&Destination::NewFile(folder.path(name))), "OUTPUT_IS_INPUT", "{name}");
        }
    }
    assert_eq!(folder.code(&Destination::NewFile(folder.path("work"))), "WRITE_FAILED");
    assert_eq!(folder.code(&Destination::NewFile(folder.path("none/out.docx"))), "WRITE_FAILED");
    assert_eq!(folder.bytes("work/nda.docx"), NDA);
}

#[test]
fn a_name_tells_no_other_kind_than_the_result_is() {
    let folder = TestFolder::new();
    for name in ["out.docm", "out.DOTX", "out.pdf", "out.md", "out.doc"] {
        assert_eq!(folder.code(&Destination::NewFile(folder.path(name))), "OUTPUT_KIND", "{name}");
        assert!(!folder.path(name).exists(), "{name}");
    }
    for name in ["out.docx", "out.DOCX", "out.xml", "out", "v1.2", "out.docx.tmp"] {
        folder.deliver(&Destination::NewFile(folder.path(name))).unwrap();
    }
}

#[test]
fn what_is_made_of_a_template_is_a_document() {
    let may = |template: Option<&str>, name: &str| {
        check_name_of_new(template.map(Path::new), Path::new(name)).is_ok()
    };
    for template in [None, Some("a.docx"), Some("a.DOTX"), Some("a")] {
        assert!(may(template, "new.docx"), "{template:?}");
        assert!(!may(template, "new.dotx") && !may(template, "new.docm"), "{template:?}");
    }
    for template in [Some("a.docm"), Some("a.dotm")] {
        assert!(may(template, "new.docm") && !may(template, "new.docx"), "{template:?}");
    }
}

#[test]
fn what_is_no_document_says_so() {
    let code = |path: &Path| InputFile::open(path).unwrap_err().code();
    let folder = TestFolder::new();
    std::fs::write(folder.path("note.docx"), "not a zip").unwrap();
    assert_eq!(code(&folder.path("note.docx")), "NOT_A_ZIP");
    assert_eq!(code(&folder.path("none.docx")), "NOT_FOUND");
    assert_eq!(code(&folder.path("work")), "IS_A_DIRECTORY");
    // Takes no room on the disk.
    let huge = std::fs::File::create(folder.path("huge.docx")).unwrap();
    huge.set_len((512 << 20) + 1).unwrap();
    assert_eq!(code(&folder.path("huge.docx")), "FILE_TOO_LARGE");
}

/// Clients read this JSON: its names and their order stay.
#[test]
fn a_receipt_has_its_names_in_this_order() {
    let folder = TestFolder::new();
    let (input, document, results) = folder.open();
    assert!(has_result(&results) && has_result(&[]) && !has_result(&results[1..]));
    let delivery = input.deliver(&document, Tracking::Tracked, &Destination::Nowhere, &clock()).unwrap();
    let delivery = Delivery { output: Some("out.docx".to_owned()), sha256: "0a".to_owned(), ..delivery };
    let receipt = Receipt::new(
        "nda.docx".to_owned(),
        Summary::of(&results),
        Vec::<u8>::new(),
        Some(delivery),
        vec!["why".to_owned()],
    );
    assert_eq!(
        serde_json::to_string(&receipt).unwrap(),
        r#"{"input":"nda.docx","output":"out.docx","sha256":"0a","summary":{"applied":1,"noChange":0,"refused":1,"failed":0},"operations":[],"proof":{"reject":"holds","accept":"holds"},"warnings":["why"]}"#
    );
    let nothing = Receipt::new("nda.docx".to_owned(), Summary::of(&[]), Vec::<u8>::new(), None, Vec::new());
    assert_eq!(
        serde_json::to_string(&nothing).unwrap(),
        r#"{"input":"nda.docx","output":null,"sha256":null,"summary":{"applied":0,"noChange":0,"refused":0,"failed":0},"operations":[],"proof":{"reject":"not_applicable","accept":"not_applicable"},"warnings":[]}"#
    );
}

fn edit(path: &Path, data: &Path, (from, to): (&str, &str)) -> PathBuf {
    let (input, mut document) = InputFile::open(path).unwrap();
    let input = input.recorded(data, &mut document);
    let batch =
        parse_batch(&json!([{"op": "modify_text", "originalText": from, "replacementText": to}])).unwrap();
    let options = EditOptions { author: "engross".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
    let results = document.apply(&batch, &options).unwrap();
    assert_eq!(results[0].status, Status::Applied, "{:?}", results[0].message);
    let output = input.free_beside("redline");
    input.deliver(&document, Tracking::Tracked, &Destination::NewFile(output.clone()), &clock()).unwrap();
    output
}

/// A file that engross did not write for this document stays, no matter whose it is.
#[test]
fn results_never_take_the_place_of_what_somebody_else_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let nda = folder.path().join("nda.docx");
    std::fs::write(&nda, NDA).unwrap();
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    let first = edit(&nda, &data, ("three (3) years", "five (5) years"));
    assert_eq!(name(&first), "nda.redline.docx");
    // The result of the same document is made anew.
    assert_eq!(edit(&nda, &data, ("three (3) years", "six (6) years")), first);
    // A person has worked on it.
    std::fs::write(&first, NDA).unwrap();
    let second = edit(&nda, &data, ("three (3) years", "five (5) years"));
    assert_eq!(name(&second), "nda.redline-2.docx");
    assert_eq!(std::fs::read(&first).unwrap(), NDA);
    // Another kind of document keeps its ending.
    let template = folder.path().join("nda.DOTX");
    std::fs::write(&template, NDA).unwrap();
    assert_eq!(name(&edit(&template, &data, ("three (3) years", "five (5) years"))), "nda.redline.DOTX");
}

/// Three commands of one person are one redline; what somebody else did with the file in between makes them history.
#[test]
fn commands_go_on_with_what_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let (data, other) = (folder.path().join("data"), folder.path().join("other data"));
    let nda = folder.path().join("nda.docx");
    std::fs::write(&nda, NDA).unwrap();
    let count = |path: &Path| InputFile::open(path).unwrap().1.revisions().unwrap().len();
    let first = edit(&nda, &data, ("three (3) years", "five (5) years"));
    let alone = count(&first);
    let second = edit(&first, &data, ("five (5) years", "nine (9) years"));
    assert_eq!(count(&second), alone);
    let stranger = edit(&first, &other, ("five (5) years", "nine (9) years"));
    assert!(count(&stranger) > alone);
}
