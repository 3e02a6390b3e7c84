//! From the beginning to the receipt.

use engross_protocol::hex;
use engross_write::continuation::{Continuation, Overlap};
use engross_write::framing::{Terminator, TurnFinish};
use engross_write::patch::PatchSpec;
use engross_write::runner::{ChunkEnd, Notice};
use engross_write::session::{BeginOptions, Join, State, Unwrap, WriteOperation};
use engross_write::validate::ValidationMode;
use proptest::prelude::*;
use sha2::{Digest, Sha256};

use super::desk::{TestBench, code, problem};

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[test]
fn case_01_and_09_a_session_from_begin_to_receipt() {
    let desk = TestBench::new();
    let begun = desk.begin("notes/plan.txt", WriteOperation::Create).unwrap();
    assert_eq!((begun.state, begun.offset), (State::Open, 0));
    assert!(begun.instruction.contains(&begun.marker) && begun.instruction.contains("DONE"));
    let view = desk.send(begun.id, "one\ntwo\n").unwrap();
    assert_eq!((view.state, view.offset, view.receipt), (State::Receiving, 8, None));
    let view = desk.send(begun.id, format!("three\n{}\n", begun.marker)).unwrap();
    let receipt = view.receipt.unwrap();
    assert_eq!(
        (view.state, desk.read("notes/plan.txt").as_deref()),
        (State::Committed, Some("one\ntwo\nthree\n"))
    );
    assert_eq!((receipt.path.as_str(), receipt.bytes, receipt.lines), ("notes/plan.txt", 14, 3));
    assert_eq!((receipt.sha256, receipt.previous_sha256), (sha256(b"one\ntwo\nthree\n"), None));
    assert_eq!(desk.contents(), ["notes/plan.txt"]);
}

#[test]
fn cases_12_to_16_operations() {
    let desk = TestBench::new();
    desk.put("old.txt", "old\n");
    assert_eq!(code(desk.begin("old.txt", WriteOperation::Create)), "TARGET_EXISTS");
    assert_eq!(code(desk.begin("new.txt", WriteOperation::Append)), "TARGET_MISSING");
    assert_eq!(code(desk.begin("new.txt", WriteOperation::Patch)), "TARGET_MISSING");
    let receipt = desk.write("a/b/c.txt", WriteOperation::Overwrite, "made\n").unwrap().receipt.unwrap();
    assert_eq!((desk.read("a/b/c.txt").as_deref(), receipt.previous_sha256), (Some("made\n"), None));
    let receipt = desk.write("old.txt", WriteOperation::Append, "new\r\n").unwrap().receipt.unwrap();
    assert_eq!(desk.read("old.txt").as_deref(), Some("old\nnew\r\n"));
    assert_eq!((receipt.bytes, receipt.lines), (9, 2));
    assert_eq!((receipt.sha256, receipt.previous_sha256), (sha256(b"old\nnew\r\n"), Some(sha256(b"old\n"))));
    let receipt = desk.write("old.txt", WriteOperation::Overwrite, "x").unwrap().receipt.unwrap();
    assert_eq!((desk.read("old.txt").as_deref(), receipt.lines), (Some("x"), 1));
    let id = desk.begun("old.txt", WriteOperation::Append, |options| options.join = Some(Join::Newline));
    desk.send(id, "y").unwrap();
    desk.sessions.finalise(id).unwrap();
    assert_eq!(desk.read("old.txt").as_deref(), Some("x\ny"));
    assert_eq!(desk.contents(), ["a/b/c.txt", "old.txt"]);
}

#[test]
fn case_06_empty_content_is_not_written() {
    let desk = TestBench::new();
    let id = desk.begin("a.txt", WriteOperation::Create).unwrap().id;
    let view = desk.sessions.whole(id, b" \n\t").unwrap();
    assert_eq!((view.state, problem(&view)), (State::Incomplete, Some("EMPTY_CONTENT")));
    let view = desk.sessions.whole(id, b"DONE\nnot at all\n").unwrap();
    assert_eq!((view.state, desk.read("a.txt").as_deref()), (State::Committed, Some("DONE\nnot at all\n")));
    assert_eq!(desk.sessions.whole(id, b"again").unwrap().receipt, view.receipt, "it is written once");
    assert_eq!(desk.read("a.txt").as_deref(), Some("DONE\nnot at all\n"));
}

#[test]
fn case_48_an_append_that_is_sent_again_happens_once() {
    let mut desk = TestBench::new();
    desk.put("a.txt", "old\n");
    let id = desk.begin("a.txt", WriteOperation::Append).unwrap().id;
    desk.send(id, "new\n").unwrap();
    let receipt = desk.sessions.finalise(id).unwrap().receipt;
    assert!(receipt.is_some());
    for restarted in [false, true] {
        if restarted {
            desk.restart();
        }
        assert_eq!(desk.sessions.finalise(id).unwrap().receipt, receipt);
        let again = desk.sessions.chunk(id, Some(0), b"new\n", ChunkEnd::Whole).unwrap();
        assert_eq!(again.receipt, receipt);
        assert_eq!(desk.read("a.txt").as_deref(), Some("old\nnew\n"));
    }
}

#[test]
fn a_patch_of_the_target_and_a_patch_of_what_was_refused() {
    let desk = TestBench::new();
    desk.put("a.txt", "one\ntwo\nthree\n");
    let id = desk.begun("a.txt", WriteOperation::Patch, |options| {
        options.patch = Some(PatchSpec::ReplaceLines { start_line: 2, end_line: 2 });
    });
    desk.send(id, "2\n").unwrap();
    assert_eq!(desk.sessions.finalise(id).unwrap().state, State::Committed);
    assert_eq!(desk.read("a.txt").as_deref(), Some("one\n2\nthree\n"));

    let id = desk.begin("b.json", WriteOperation::Create).unwrap().id;
    desk.send(id, "{\n\"a\": 1\n\"b\": 2\n}\n").unwrap();
    let view = desk.sessions.finalise(id).unwrap();
    assert_eq!((view.state, problem(&view)), (State::NeedsRepair, Some("VALIDATION_FAILED")));
    assert!(view.prompt.unwrap().text.contains("line 3"));
    desk.sessions.patch(id, PatchSpec::ReplaceLines { start_line: 2, end_line: 2 }).unwrap();
    desk.send(id, "\"a\": 1,\n").unwrap();
    let view = desk.sessions.turn_end(id, TurnFinish::Stop).unwrap();
    assert_eq!(view.state, State::Incomplete, "a turn without an end line ends nothing");
    desk.send(id, format!("{}\n", view.marker)).unwrap();
    assert_eq!(desk.read("b.json").as_deref(), Some("{\n\"a\": 1,\n\"b\": 2\n}\n"));
    let receipt = desk.sessions.get(id).unwrap().receipt.unwrap();
    assert_eq!((receipt.repairs, receipt.lines), (1, 4));
    assert_eq!(desk.contents(), ["a.txt", "b.json"]);
}

#[test]
fn case_36_a_fence_around_the_file_is_taken_away_and_told() {
    let desk = TestBench::new();
    let id = desk.begun("a.py", WriteOperation::Create, |options| options.unwrap = Unwrap::Auto);
    desk.send(id, "```python\nx = 1\n```\n").unwrap();
    let receipt = desk.sessions.finalise(id).unwrap().receipt.unwrap();
    assert_eq!(desk.read("a.py").as_deref(), Some("x = 1\n"));
    let codes: Vec<&str> = receipt.warnings.iter().map(|warning| warning.code.as_str()).collect();
    // Without grammars it is said that Python was not checked.
    assert_eq!(
        codes,
        if cfg!(feature = "code") { vec!["UNWRAPPED"] } else { vec!["NOT_VALIDATED", "UNWRAPPED"] }
    );
    assert_eq!((receipt.bytes, receipt.lines), (6, 1));
}

#[test]
fn an_answer_of_done_cuts_off_what_follows_the_line_in_question() {
    let mut desk = TestBench::new();
    let id = desk.begin("a.txt", WriteOperation::Create).unwrap().id;
    desk.send(id, "text\nDONE\nThat was it.\n").unwrap();
    let view = desk.sessions.turn_end(id, TurnFinish::Stop).unwrap();
    assert_eq!((view.state, problem(&view)), (State::Ambiguous, Some("AMBIGUOUS_END")));
    desk.restart();
    desk.send(id, "DONE").unwrap();
    let receipt = desk.sessions.turn_end(id, TurnFinish::Stop).unwrap().receipt.unwrap();
    assert_eq!((desk.read("a.txt").as_deref(), receipt.bytes, receipt.lines), (Some("text\n"), 5, 1));
    assert_eq!(receipt.sha256, sha256(b"text\n"));
}

#[test]
fn case_21_silence_is_asked_about_and_ends_a_file_that_ends_with_done() {
    let desk = TestBench::new();
    let id = desk.begin("a.txt", WriteOperation::Create).unwrap().id;
    let silent = |millis| {
        desk.time.pass(millis);
        desk.sessions.watch();
        desk.sessions.get(id).unwrap()
    };
    desk.send(id, "text\n").unwrap();
    assert_eq!(
        (silent(1_999).state, silent(1).state),
        (State::Receiving, State::Paused(engross_write::session::Pause::Idle))
    );
    silent(1_999);
    let asked = |last| {
        let (told, _) = desk.sessions.events_after(id, last).unwrap();
        told.iter().filter(|told| matches!(told.news, Notice::Prompt(_))).count()
    };
    assert_eq!(asked(0), 1);
    silent(1);
    assert_eq!(asked(0), 2, "again after two more seconds");
    desk.send(id, "more\nDONE\n").unwrap();
    assert_eq!(silent(1_999).state, State::Receiving);
    assert_eq!((silent(1).state, asked(0)), (State::Committed, 2));
    assert_eq!(desk.read("a.txt").as_deref(), Some("text\nmore\n"));
}

#[test]
fn cases_53_and_08_a_session_that_nobody_uses_expires_and_blocks_nobody() {
    let mut desk = TestBench::new();
    let id = desk.begin("a.txt", WriteOperation::Create).unwrap().id;
    desk.send(id, "text\n").unwrap();
    desk.time.pass(299_999);
    desk.sessions.watch();
    assert_eq!(code(desk.begin("a.txt", WriteOperation::Create)), "SESSION_CONFLICT");
    desk.time.pass(1);
    desk.sessions.watch();
    let view = desk.sessions.get(id).unwrap();
    assert_eq!((view.state, problem(&view)), (State::Expired, Some("SESSION_EXPIRED")));
    assert_eq!(code(desk.send(id, "more")), "SESSION_EXPIRED");
    assert_eq!(code(desk.sessions.finalise(id)), "SESSION_EXPIRED");
    assert_eq!(desk.contents().len(), 1, "its content is kept");
    desk.write("a.txt", WriteOperation::Create, "other\n").unwrap();
    desk.restart();
    assert_eq!(desk.sessions.get(id).unwrap().state, State::Expired);
    assert_eq!(desk.sessions.sweep(), 0);
    desk.time.pass(100 * 365 * 24 * 3_600_000);
    desk.sessions.watch();
    assert_eq!(code(desk.sessions.get(id)), "SESSION_NOT_FOUND");
    assert!(desk.sessions.sweep() > 0);
    assert_eq!(desk.files(), ["a.txt"]);
}

#[test]
fn case_65_cancelling_leaves_nothing() {
    let desk = TestBench::new();
    desk.put("a.txt", "old");
    let id = desk.begin("a.txt", WriteOperation::Overwrite).unwrap().id;
    desk.send(id, "new\n").unwrap();
    let view = desk.sessions.cancel(id).unwrap();
    assert_eq!((view.state, problem(&view)), (State::Cancelled, Some("CANCELLED")));
    assert_eq!((desk.files(), desk.read("a.txt").as_deref()), (vec!["a.txt".to_owned()], Some("old")));
    assert_eq!(code(desk.sessions.finalise(id)), "CANCELLED");
    assert_eq!(desk.sessions.cancel(id).unwrap().state, State::Cancelled);
    assert_eq!(
        code(desk.sessions.cancel("wri_00000000000000000000000000000001".parse().unwrap())),
        "SESSION_NOT_FOUND"
    );
    desk.begin("a.txt", WriteOperation::Overwrite).unwrap();
}

#[test]
fn case_66_the_limit_is_noticed_at_once() {
    let desk = TestBench::new();
    let id = desk.begun("a.txt", WriteOperation::Create, |options| options.max_bytes = 100);
    let view = desk.send(id, "é".repeat(51)).unwrap();
    assert_eq!((view.state, problem(&view)), (State::Failed, Some("TOO_LARGE")));
    assert_eq!(desk.contents(), Vec::<String>::new());
    assert_eq!(code(desk.send(id, "x")), "TOO_LARGE");
}

#[test]
fn case_50_and_51_offsets_count_what_came() {
    let desk = TestBench::new();
    let id = desk.begin("a.txt", WriteOperation::Create).unwrap().id;
    let at = |offset, text: &str| desk.sessions.chunk(id, Some(offset), text.as_bytes(), ChunkEnd::Whole);
    assert_eq!(at(0, "hello ").unwrap().offset, 6);
    assert_eq!(code(at(7, "x")), "OFFSET_MISMATCH");
    assert_eq!(code(at(0, "hallo")), "OFFSET_MISMATCH");
    assert_eq!(at(0, "hello world\n").unwrap().offset, 12);
    assert_eq!(at(12, "").unwrap().offset, 12);
    desk.sessions.finalise(id).unwrap();
    assert_eq!(at(12, "late").unwrap().state, State::Committed);
    assert_eq!(desk.read("a.txt").as_deref(), Some("hello world\n"));
}

#[test]
fn events_tell_the_story_and_late_listeners_hear_it() {
    let desk = TestBench::new();
    let id = desk.begin("a.json", WriteOperation::Create).unwrap().id;
    desk.send(id, "{").unwrap();
    desk.sessions.turn_end(id, TurnFinish::Length).unwrap();
    desk.send(id, "]\nDONE\n").unwrap();
    desk.sessions.turn_end(id, TurnFinish::Stop).unwrap();
    desk.send(id, "{}\nDONE\n").unwrap();
    desk.sessions.turn_end(id, TurnFinish::Stop).unwrap();
    let name = |news: &Notice| match news {
        Notice::Opened => "opened",
        Notice::Progress { .. } => "progress",
        Notice::Prompt(_) => "prompt",
        Notice::Cut { .. } => "cut",
        Notice::Ambiguous(_) => "ambiguous",
        Notice::Resumed => "resumed",
        Notice::Validating => "validating",
        Notice::RepairNeeded(_) => "repair_needed",
        Notice::Committing => "committing",
        Notice::Committed(_) => "committed",
        Notice::Over { .. } => "over",
    };
    let (told, over) = desk.sessions.events_after(id, 0).unwrap();
    let names: Vec<&str> = told.iter().map(|told| name(&told.news)).collect();
    let story =
        "opened cut prompt resumed validating repair_needed prompt resumed validating committing committed";
    assert_eq!((names.join(" ").as_str(), over), (story, true));
    assert!(told.iter().map(|told| told.id).eq(1..=11));
    assert_eq!(desk.sessions.events_after(id, 10).unwrap().0.len(), 1);
}

#[test]
fn a_file_beyond_what_is_looked_into_goes_past_memory() {
    let desk = TestBench::new();
    let id = desk.begun("big.json", WriteOperation::Create, |options| options.terminator = Terminator::None);
    let line = format!("{}\n", "x".repeat((1 << 20) - 1));
    for _ in 0..17 {
        desk.sessions.chunk(id, None, line.as_bytes(), ChunkEnd::More).unwrap();
    }
    let receipt = desk.sessions.finalise(id).unwrap().receipt.unwrap();
    assert_eq!((receipt.bytes, receipt.lines), (17 << 20, 17));
    assert_eq!(receipt.sha256, sha256(line.repeat(17).as_bytes()));
    assert_eq!(
        receipt.warnings.iter().map(|warning| warning.code.as_str()).collect::<Vec<_>>(),
        ["NOT_VALIDATED"]
    );
    let id = desk
        .begun("big.json", WriteOperation::Append, |options| options.validate = Some(ValidationMode::Off));
    desk.send(id, "y").unwrap();
    let receipt = desk.sessions.finalise(id).unwrap().receipt.unwrap();
    assert_eq!((receipt.bytes, receipt.lines, receipt.warnings.len()), ((17 << 20) + 1, 18, 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// However it is cut, whenever the process is killed: the bytes are those that were sent.
    #[test]
    fn content_is_exact(
        text in "[a-zD\n⅓]{1,400}",
        cuts in prop::collection::vec((0usize..400, any::<bool>()), 0..6),
    ) {
        let mut desk = TestBench::new();
        let id = desk.begun("a.txt", WriteOperation::Create, |options| {
            options.terminator = Terminator::Sentinel;
            options.allow_empty = true;
        });
        let marker = desk.sessions.get(id).unwrap().marker;
        let all = format!("{text}\n{marker}\n");
        let mut cuts: Vec<(usize, bool)> = cuts.into_iter().map(|(at, kill)| (at.min(all.len()), kill)).collect();
        cuts.sort_unstable();
        let mut from = 0;
        for (at, kill) in cuts {
            let view = desk.sessions.chunk(id, Some(from as u64), &all.as_bytes()[from..at], ChunkEnd::Whole).unwrap();
            prop_assert_eq!(view.offset, at as u64);
            from = at;
            if kill {
                desk.restart();
                let view = desk.sessions.get(id).unwrap();
                prop_assert_eq!(view.offset, at as u64);
                if at > 0 && view.state != State::Committed {
                    prop_assert_eq!(code(desk.sessions.finalise(id)), "INCOMPLETE");
                }
            }
        }
        desk.sessions.chunk(id, Some(from as u64), &all.as_bytes()[from..], ChunkEnd::Whole).unwrap();
        prop_assert_eq!(desk.sessions.turn_end(id, TurnFinish::Stop).unwrap().state, State::Committed);
        let expected = format!("{text}\n");
        prop_assert_eq!(desk.read("a.txt").unwrap(), expected);
    }
}

/// A model that is to send a file again and sends only a part of it is asked once more; who means it sends it twice.
#[test]
fn a_part_of_what_was_refused_does_not_pass_for_all_of_it() {
    let function = |n: u32| format!("def f{n}(x):\n    return x + {n}\n\n");
    let whole: String = (0..6).map(function).collect();
    let chatty =
        format!("Sure, here is the file:\n\n```python\n{whole}```\n\nLet me know if you need changes!\n");
    let tail: String = (4..6).map(function).collect();
    for (sent, expected) in [(&whole, &whole), (&tail, &tail)] {
        let desk = TestBench::new();
        let options = BeginOptions {
            continuation: Continuation { overlap: Overlap::Seam, ..Continuation::default() },
            ..BeginOptions::new("a.txt", WriteOperation::Create)
        };
        let id = desk.sessions.begin(&options).unwrap().id;
        let marker = desk.sessions.get(id).unwrap().marker;
        let send = |text: &str| {
            desk.send(id, format!("{text}{marker}\n")).unwrap();
            desk.sessions.turn_end(id, TurnFinish::Stop).unwrap()
        };
        assert_eq!(send(&chatty).state, State::NeedsRepair);
        let asked = send(&tail);
        assert_eq!(asked.state, State::NeedsRepair);
        assert!(asked.prompt.unwrap().text.contains("only a part of the file: 8 of the 12 lines"));
        assert_eq!(desk.read("a.txt"), None);
        let done = send(sent);
        assert_eq!((done.state, desk.read("a.txt")), (State::Committed, Some(expected.clone())));
        let warned = done.receipt.unwrap().warnings.iter().any(|warning| warning.code == "ONLY_A_PART");
        assert_eq!(warned, *sent == tail);
    }
}

/// Two files in one answer, with a `DONE` behind each, are no one file.
#[test]
fn a_done_line_within_a_file_that_another_one_ends_is_asked_about() {
    let both =
        "# One\n\nText.\nDONE\n\n# Two\n\nMore text of the second file.\nAnd more.\nAnd more still.\nDONE\n";
    let first = "# One\n\nText.\nDONE\n";
    for (sent, expected, warned) in
        [(first, "# One\n\nText.\n", false), (both, both.strip_suffix("DONE\n").unwrap(), true)]
    {
        let desk = TestBench::new();
        let options = BeginOptions {
            continuation: Continuation { overlap: Overlap::Seam, ..Continuation::default() },
            ..BeginOptions::new("a.md", WriteOperation::Create)
        };
        let id = desk.sessions.begin(&options).unwrap().id;
        let send = |text: &str| {
            desk.send(id, text).unwrap();
            desk.sessions.turn_end(id, TurnFinish::Stop).unwrap()
        };
        let asked = send(both);
        assert_eq!((asked.state, desk.read("a.md")), (State::NeedsRepair, None));
        assert!(asked.prompt.unwrap().text.contains("If these are two files, send only this one"));
        let done = send(sent);
        assert_eq!((done.state, desk.read("a.md").as_deref()), (State::Committed, Some(expected)));
        let told = done.receipt.unwrap().warnings.iter().any(|warning| warning.code == "PROMPT_ARTEFACT");
        assert_eq!(told, warned);
    }
}
