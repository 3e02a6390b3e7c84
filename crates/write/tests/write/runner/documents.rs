//! A target that is no text: a document is made of what was sent.

use engross_write::patch::PatchSpec;
use engross_write::session::{State, WriteOperation};

use super::desk::{TestBench, problem};

#[test]
fn markdown_becomes_a_document_of_which_the_receipt_tells() {
    let desk = TestBench::new();
    let id = desk.begin("out/a.docx", WriteOperation::Create).unwrap().id;
    desk.send(id, "# one\n\n").unwrap();
    desk.send(id, "two\n").unwrap();
    let view = desk.sessions.finalise(id).unwrap();
    let made = "PK\n\n\n# ONE\n\nTWO\n";
    assert_eq!(desk.read("out/a.docx").as_deref(), Some(made));
    let receipt = view.receipt.unwrap();
    assert_eq!(
        (receipt.bytes, receipt.lines),
        (made.len() as u64, 3),
        "bytes of the document, lines of the text"
    );
    assert_eq!(desk.contents(), ["out/a.docx"]);
    desk.write("out/a.docx", WriteOperation::Overwrite, "three\n").unwrap();
    assert_eq!(desk.read("out/a.docx").as_deref(), Some("PK\n\n\nTHREE\n"));
}

#[test]
fn what_no_document_can_hold_is_mended_by_a_patch() {
    let desk = TestBench::new();
    let id = desk.begun("a.docx", WriteOperation::Create, |options| options.repair_attempts = 1);
    desk.send(id, "ring \u{7} now\n").unwrap();
    let view = desk.sessions.finalise(id).unwrap();
    assert_eq!(view.state, State::NeedsRepair, "{view:?}");
    assert!(view.prompt.unwrap().text.contains("a bell at byte 5"));
    assert_eq!(desk.read("a.docx"), None);
    desk.sessions.patch(id, PatchSpec::ReplaceLines { start_line: 1, end_line: 1 }).unwrap();
    desk.send(id, "ring now\n").unwrap();
    desk.sessions.finalise(id).unwrap();
    assert_eq!(desk.read("a.docx").as_deref(), Some("PK\n\n\nRING NOW\n"));
    let refused = desk.begun("b.docx", WriteOperation::Create, |options| {
        options.validate = Some(engross_write::validate::ValidationMode::Off);
    });
    desk.send(refused, "\u{7}").unwrap();
    let view = desk.sessions.finalise(refused).unwrap();
    assert_eq!(problem(&view), Some("DOCUMENT_NOT_COMPOSED"));
    assert_eq!(desk.read("b.docx"), None);
}

#[test]
fn a_document_is_made_after_a_restart_too() {
    let mut desk = TestBench::new();
    let id = desk.begin("a.docx", WriteOperation::Create).unwrap().id;
    desk.send(id, "one\n").unwrap();
    desk.sessions.chunk(id, None, b"two\n", engross_write::runner::ChunkEnd::Whole).unwrap();
    desk.restart();
    desk.send(id, "three\n").unwrap();
    desk.sessions.finalise(id).unwrap();
    assert_eq!(desk.read("a.docx").as_deref(), Some("PK\n\n\nONE\nTWO\nTHREE\n"));
}
