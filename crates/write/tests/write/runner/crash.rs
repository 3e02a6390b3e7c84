//! What a killed process leaves, byte by byte.

use std::path::PathBuf;

use engross_write::framing::{Terminator, TurnFinish};
use engross_write::runner::{ChunkEnd, WriteSessionId};
use engross_write::session::{State, WriteOperation};

use super::desk::{SPOOL, TestBench, code, problem};

fn journal(desk: &TestBench, id: WriteSessionId) -> PathBuf {
    desk.path(&format!("{SPOOL}/.engross-staged-{id}-journal"))
}

/// The journal is cut anywhere. What is taken up is a whole beginning of what was sent.
#[test]
fn case_46_and_49_a_torn_journal_gives_a_whole_beginning() {
    let mut desk = TestBench::new();
    let id = desk.begun("a.txt", WriteOperation::Create, |options| options.terminator = Terminator::None);
    let opened = std::fs::metadata(journal(&desk, id)).unwrap().len();
    let pieces = ["first\n", "second, longer\n", "3\n"];
    let mut known = vec![(opened, 0)];
    for piece in pieces {
        let offset = desk.send(id, piece).unwrap().offset;
        known.push((std::fs::metadata(journal(&desk, id)).unwrap().len(), offset));
    }
    let whole = std::fs::read(journal(&desk, id)).unwrap();
    let spool = desk.path(&format!("{SPOOL}/.engross-staged-{id}-0"));
    let content = std::fs::read(&spool).unwrap();
    let text = pieces.concat();
    for cut in usize::try_from(opened).unwrap()..=whole.len() {
        std::fs::write(journal(&desk, id), &whole[..cut]).unwrap();
        std::fs::write(&spool, &content).unwrap();
        desk.restart();
        let expected = known.iter().rev().find(|(length, _)| *length <= cut as u64).unwrap().1;
        let view = desk.sessions.get(id).unwrap();
        assert_eq!(view.offset, expected, "cut at {cut}");
        desk.sessions
            .chunk(
                id,
                Some(expected),
                &text.as_bytes()[usize::try_from(expected).unwrap()..],
                ChunkEnd::Whole,
            )
            .unwrap();
    }
    desk.sessions.finalise(id).unwrap();
    assert_eq!(desk.read("a.txt"), Some(text));
}

#[test]
fn content_that_is_damaged_is_not_taken_for_whole() {
    let mut desk = TestBench::new();
    let id = desk.begin("a.txt", WriteOperation::Create).unwrap().id;
    desk.send(id, "x".repeat(100_000)).unwrap();
    let spool = desk.path(&format!("{SPOOL}/.engross-staged-{id}-0"));
    let mut bytes = std::fs::read(&spool).unwrap();
    bytes[50_000] = b'y';
    std::fs::write(&spool, bytes).unwrap();
    desk.restart();
    let view = desk.sessions.get(id).unwrap();
    assert_eq!((view.state, problem(&view)), (State::Failed, Some("FILE_UNREADABLE")));
    assert_eq!(desk.read("a.txt"), None);
}

/// A crash before the renaming, and one between it and the receipt.
#[test]
fn case_47_and_48_a_crash_around_the_renaming_and_one_effect() {
    for operation in [WriteOperation::Create, WriteOperation::Append] {
        for renamed in [false, true] {
            let mut desk = TestBench::new();
            if operation == WriteOperation::Append {
                desk.put("a.txt", "old\n");
            }
            let id = desk.begin("a.txt", operation).unwrap().id;
            desk.send(id, "new\n").unwrap();
            let before = std::fs::read_dir(desk.path(SPOOL)).unwrap();
            let kept: Vec<(PathBuf, Vec<u8>)> = before
                .map(|entry| entry.unwrap().path())
                .map(|path| (path.clone(), std::fs::read(path).unwrap()))
                .collect();
            let receipt = desk.sessions.finalise(id).unwrap().receipt.unwrap();
            // The last record, the receipt, was not written.
            let whole = std::fs::read(journal(&desk, id)).unwrap();
            std::fs::write(journal(&desk, id), &whole[..whole.len() - 1]).unwrap();
            if !renamed {
                for (path, bytes) in &kept {
                    if !path.ends_with(journal(&desk, id).file_name().unwrap()) {
                        std::fs::write(path, bytes).unwrap();
                    }
                }
                match operation {
                    WriteOperation::Append => {
                        std::fs::write(desk.path("a.txt"), "old\n").unwrap();
                        let file = desk.path(&format!("{SPOOL}/.engross-staged-{id}-1"));
                        std::fs::write(file, "old\nnew\n").unwrap();
                    }
                    _ => std::fs::remove_file(desk.path("a.txt")).unwrap(),
                }
            }
            desk.restart();
            let view = desk.sessions.get(id).unwrap();
            assert_eq!(
                (view.state, view.receipt.as_ref()),
                (State::Committed, Some(&receipt)),
                "{operation:?} {renamed}"
            );
            assert_eq!(desk.sessions.finalise(id).unwrap().receipt, Some(receipt));
            let expected = if operation == WriteOperation::Append { "old\nnew\n" } else { "new\n" };
            assert_eq!(desk.read("a.txt").as_deref(), Some(expected));
        }
    }
}

#[test]
fn what_is_over_is_known_after_a_restart() {
    let mut desk = TestBench::new();
    let written = desk.write("a.txt", WriteOperation::Create, "x\n").unwrap();
    let id = desk.begin("b.txt", WriteOperation::Create).unwrap().id;
    desk.send(id, "text\n").unwrap();
    desk.sessions.turn_end(id, TurnFinish::Length).unwrap();
    desk.restart();
    let view = desk.sessions.get(written.id).unwrap();
    assert_eq!((view.state, view.receipt), (written.state, written.receipt));
    let view = desk.sessions.get(id).unwrap();
    assert_eq!(view.state.name(), "paused");
    // Nobody works on it, so it keeps nobody from the file; while another one does, it waits.
    let other = desk.begin("b.txt", WriteOperation::Create).unwrap().id;
    assert_eq!(code(desk.send(id, "more\n")), "SESSION_CONFLICT");
    desk.sessions.cancel(other).unwrap();
    desk.send(id, "more\nDONE").unwrap();
    desk.sessions.turn_end(id, TurnFinish::Stop).unwrap();
    assert_eq!(desk.read("b.txt").as_deref(), Some("text\nmore\n"));
}

/// A sender who says where it goes on may finalise; one who has lost what came in between may not.
#[test]
fn after_a_restart_the_offset_is_to_be_confirmed() {
    let mut desk = TestBench::new();
    let id = desk.begin("a.txt", WriteOperation::Create).unwrap().id;
    desk.send(id, "text\n").unwrap();
    desk.restart();
    assert_eq!(code(desk.sessions.finalise(id)), "INCOMPLETE");
    assert_eq!(code(desk.sessions.chunk(id, Some(9), b"", ChunkEnd::Whole)), "OFFSET_MISMATCH");
    let again = desk.sessions.chunk(id, Some(0), b"text\n", ChunkEnd::Whole).unwrap();
    assert_eq!(again.offset, 5, "what came since the last checkpoint is known when it comes again");
    let view = desk.sessions.chunk(id, Some(5), b"", ChunkEnd::Whole).unwrap();
    assert_eq!((view.state, view.offset), (State::Receiving, 5));
    assert_eq!(desk.sessions.finalise(id).unwrap().state, State::Committed);
}
