//! The cases of the contract, each by its number, as far as they are rules and not files.

use engross_write::continuation::{Continuation, Overlap, RestartDetection};
use engross_write::framing::{Terminator, TextEncoding, TurnFinish};
use engross_write::patch::PatchSpec;
use engross_write::session::{Escape, Pause, PromptKind, State, Unwrap, WriteInput, WriteOperation};
use engross_write::validate::ValidationMode;

use crate::host::{Host, MARKER};

const MODES: [Terminator; 3] = [Terminator::Done, Terminator::Sentinel, Terminator::Auto];

fn end(mode: Terminator) -> &'static str {
    if mode == Terminator::Sentinel { MARKER } else { "DONE" }
}

/// What is written of `text`, sent in one turn with an end line behind it.
fn written(name: &str, mode: Terminator, text: &str) -> Option<String> {
    let mut host = Host::named(name, |options| options.terminator = mode);
    host.turn(format!("{text}{}\n", end(mode)), TurnFinish::Stop);
    host.written().map(str::to_owned)
}

#[test]
fn case_1_the_instruction_says_how_to_send_and_end() {
    for mode in MODES {
        let text = Host::plain(|options| options.terminator = mode).session.instruction().text;
        for word in ["content", "stream", "write", end(mode), "No explanation"] {
            assert!(text.to_lowercase().contains(&word.to_lowercase()), "{mode:?} {word}: {text}");
        }
    }
    let text = Host::plain(|_| {}).session.instruction().text;
    assert!(text.find(MARKER).unwrap() < text.find("DONE").unwrap(), "the marker first: {text}");
}

#[test]
fn case_6_empty_content_is_not_written() {
    for text in ["", " \n\t\n", "\n"] {
        let mut host = Host::plain(|_| {});
        assert_eq!(host.turn(format!("{text}{MARKER}\n"), TurnFinish::Stop), State::Incomplete, "{text:?}");
        assert_eq!((host.code(), host.commits), (Some("EMPTY_CONTENT"), 0));
        assert_eq!(host.turn(format!("text\n{MARKER}"), TurnFinish::Stop), State::Committed);
        assert_eq!(host.written(), Some("text\n"));
        let mut host = Host::plain(|options| options.allow_empty = true);
        host.turn(format!("{text}{MARKER}\n"), TurnFinish::Stop);
        assert_eq!(host.written(), Some(text));
    }
}

#[test]
fn case_18_and_19_bytes_are_the_same() {
    for text in ["👩‍👩‍👧 日本 עברית\n", "a\r\nb\u{a0}c\r\n", "\u{feff}a\n", "a\0b\n", "&lt; \\n \\u0041\n"]
    {
        for mode in MODES {
            assert_eq!(written("a.txt", mode, text).as_deref(), Some(text), "{mode:?}");
        }
    }
}

#[test]
fn case_20_and_32_chunks_of_any_size_are_joined() {
    for size in 1..8 {
        let mut host = Host::plain(|_| {});
        for chunk in format!("one\ntwo é\n{MARKER}\n").as_bytes().chunks(size) {
            host.send(chunk).unwrap();
        }
        assert_eq!(host.written(), Some("one\ntwo é\n"), "{size}");
    }
}

#[test]
fn case_21_silence_asks_and_new_content_goes_on() {
    let mut host = Host::plain(|_| {});
    host.send("one\n").unwrap();
    host.step(WriteInput::Idle).unwrap();
    host.step(WriteInput::Idle).unwrap();
    assert_eq!(host.kinds(), [PromptKind::Idle, PromptKind::Idle]);
    assert_eq!(host.session.state(), State::Paused(Pause::Idle));
    host.send("two\nDONE\n").unwrap();
    assert_eq!(host.session.state(), State::Receiving);
    host.step(WriteInput::Idle).unwrap();
    assert_eq!((host.written(), host.asked.len()), (Some("one\ntwo\n"), 2), "DONE and silence end the file");
    let mut host = Host::plain(|options| options.terminator = Terminator::Done);
    host.send("one\nDONE\n").unwrap();
    assert_eq!((host.written(), host.asked.len()), (Some("one\n"), 0));
}

#[test]
fn case_25_and_26_lines_that_only_begin_with_done_are_content() {
    for line in ["DONERIGHT", "DONE:", "DONE.", "DONE DONE", " DONE", "done", "aDONE"] {
        for mode in MODES {
            let text = format!("a\n{line}\nb\n");
            assert_eq!(written("a.txt", mode, &text), Some(text), "{mode:?}");
        }
    }
}

#[test]
fn case_27_a_chunk_that_ends_in_done_is_no_end() {
    for mode in [Terminator::Done, Terminator::Auto] {
        let mut host = Host::plain(|options| options.terminator = mode);
        host.send("a\nDONE").unwrap();
        host.step(WriteInput::Idle).unwrap();
        assert_eq!(host.session.state(), State::Paused(Pause::Idle));
        host.send("LY\nDONE\n").unwrap();
        host.step(WriteInput::TurnEnd(TurnFinish::Stop)).unwrap();
        assert_eq!(host.written(), Some("a\nDONELY\n"), "{mode:?}");
    }
}

#[test]
fn case_28_done_in_an_open_fence_is_content() {
    let text = "```sh\nDONE\n```\nafter\n";
    for mode in MODES {
        assert_eq!(written("a.md", mode, text).as_deref(), Some(text), "{mode:?}");
    }
    let mut host = Host::named("a.md", |_| {});
    assert_eq!(host.turn("```sh\nls\nDONE\n", TurnFinish::Stop), State::Ambiguous);
    assert_eq!((host.code(), host.kinds()), (Some("AMBIGUOUS_END"), vec![PromptKind::Ambiguous]));
    assert_eq!(host.turn("DONE", TurnFinish::Stop), State::Committed);
    assert_eq!(host.written(), Some("```sh\nls\n"));
    assert_eq!(
        written("a.md", Terminator::Done, "```sh\nls\n").as_deref(),
        Some("```sh\nls\n"),
        "a last DONE ends"
    );
}

#[test]
fn case_29_only_a_line_feed_ends_a_line() {
    for end_of_line in ["\r", "\u{2028}", "\u{2029}", "\u{b}", "\u{85}", "\u{c}"] {
        let text = format!("a{end_of_line}DONE\nb\n");
        for mode in MODES {
            assert_eq!(written("a.txt", mode, &text).as_ref(), Some(&text), "{mode:?} {end_of_line:?}");
        }
    }
}

#[test]
fn case_30_a_marker_is_known_wherever_it_is_cut() {
    let text = format!("a\n{MARKER}\n");
    for at in 0..text.len() {
        for how in [WriteInput::Disconnect, WriteInput::TurnEnd(TurnFinish::Length), WriteInput::Idle] {
            let mut host = Host::plain(|options| options.terminator = Terminator::Sentinel);
            host.send(&text[..at]).unwrap();
            host.step(how.clone()).unwrap();
            host.send(&text[at..]).unwrap();
            assert_eq!(host.written(), Some("a\n"), "{at} {how:?}");
        }
    }
}

/// A sender that went elsewhere knows how far it is; that its old connection is gone is noticed at any moment.
#[test]
fn who_finalises_at_an_offset_knows_what_has_come() {
    for text in ["", "a\nb"] {
        for how in [None, Some(WriteInput::Disconnect), Some(WriteInput::Idle)] {
            let mut host =
                Host::plain(|options| (options.terminator, options.allow_empty) = (Terminator::None, true));
            host.send(text).unwrap();
            if let Some(how) = how.clone() {
                host.step(how).unwrap();
            }
            let offset = text.len() as u64;
            let refused = host.step(WriteInput::FinaliseAt(offset + 1)).unwrap_err();
            assert_eq!(refused.code, "OFFSET_MISMATCH", "{how:?}");
            host.step(WriteInput::FinaliseAt(offset)).unwrap();
            assert_eq!(host.written(), Some(text), "{how:?}");
            host.step(WriteInput::Disconnect).unwrap();
            host.step(WriteInput::FinaliseAt(offset)).unwrap();
            assert_eq!(host.written(), Some(text), "{how:?}");
        }
    }
}

#[test]
fn case_31_a_character_may_be_cut() {
    let text = format!("é😀\n{MARKER}\n");
    for at in 0..7 {
        let mut host = Host::plain(|_| {});
        host.send(&text.as_bytes()[..at]).unwrap();
        host.step(WriteInput::TurnEnd(TurnFinish::Length)).unwrap();
        host.send(&text.as_bytes()[at..]).unwrap();
        assert_eq!(host.written(), Some("é😀\n"), "{at}");
    }
}

#[test]
fn case_33_a_marker_leaves_done_lines_alone() {
    for mode in [Terminator::Sentinel, Terminator::Auto] {
        let mut host = Host::plain(|options| options.terminator = mode);
        host.turn(format!("DONE\na\nDONE\nDONE\n{MARKER}\n"), TurnFinish::Stop);
        assert_eq!(host.written(), Some("DONE\na\nDONE\nDONE\n"), "{mode:?}");
    }
}

#[test]
fn case_34_done_and_then_words_is_asked_about() {
    let answers = [
        ("DONE", "a\n"),
        (MARKER, "a\nDONE\nThat was all."),
        ("\nmore\nDONE", "a\nDONE\nThat was all.\nmore\n"),
    ];
    for (answer, file) in answers {
        let mut host = Host::plain(|_| {});
        assert_eq!(host.turn("a\nDONE\nThat was all.", TurnFinish::Stop), State::Ambiguous);
        assert_eq!((host.code(), host.commits), (Some("AMBIGUOUS_END"), 0));
        assert_eq!(host.turn(answer, TurnFinish::Stop), State::Committed, "{answer}");
        assert_eq!(host.written(), Some(file));
    }
    let mut host = Host::plain(|_| {});
    host.send("a\nDONE\nThat was all.").unwrap();
    host.step(WriteInput::Finalise).unwrap();
    assert_eq!(host.code(), Some("AMBIGUOUS_END"));
    assert_eq!(host.step(WriteInput::Finalise).unwrap_err().code, "AMBIGUOUS_END");
}

#[test]
fn case_35_and_36_a_fence_is_taken_away_only_when_asked_and_told() {
    let text = "Here is the file:\n```python\nx = 1\n```\n";
    assert_eq!(written("a.py", Terminator::Auto, text).as_deref(), Some(text));
    // Without grammars it is said that Python was not checked.
    let python = if cfg!(feature = "code") { vec!["UNWRAPPED"] } else { vec!["NOT_VALIDATED", "UNWRAPPED"] };
    for (name, file, warning) in [("a.py", "x = 1\n", python), ("a.md", text, vec!["PROMPT_ARTEFACT"])] {
        let mut host = Host::named(name, |options| options.unwrap = Unwrap::Auto);
        host.turn(format!("{text}{MARKER}"), TurnFinish::Stop);
        assert_eq!((host.written(), host.warnings()), (Some(file), warning), "{name}");
    }
}

#[test]
fn case_37_to_40_no_label_makes_a_file_whole() {
    let cases = [
        (TurnFinish::Length, State::Paused(Pause::Length), None, 1),
        (TurnFinish::Stop, State::Incomplete, Some("INCOMPLETE"), 1),
        (TurnFinish::ToolCalls, State::Incomplete, Some("INCOMPLETE"), 1),
        (TurnFinish::Other, State::Incomplete, Some("INCOMPLETE"), 1),
        (TurnFinish::ContentFilter, State::Incomplete, Some("INCOMPLETE"), 0),
        (TurnFinish::Error, State::Incomplete, Some("INCOMPLETE"), 0),
    ];
    for (finish, state, code, asked) in cases {
        for mode in MODES {
            let mut host = Host::plain(|options| options.terminator = mode);
            assert_eq!(host.turn("one\ntwo", finish), state, "{finish:?}");
            assert_eq!((host.code(), host.asked.len(), host.commits), (code, asked, 0), "{finish:?}");
            assert_eq!(host.step(WriteInput::Finalise).unwrap_err().code, "INCOMPLETE");
            assert_eq!(host.spool.content, b"one\ntwo", "what has come is kept");
            assert_eq!(
                host.turn(format!("\n{}\n", end(mode)), TurnFinish::Stop),
                State::Committed,
                "{finish:?}"
            );
            assert_eq!(host.written(), Some("one\ntwo\n"), "{finish:?} {mode:?}");
        }
    }
}

fn dedupe() -> Continuation {
    Continuation { overlap: Overlap::Dedupe, restart: RestartDetection::Detect, ..Continuation::default() }
}

#[test]
fn case_41_42_and_45_continuations_join_exactly() {
    let file: String = (1..400).map(|line| format!("This is line {line} of the file.\n")).collect();
    let cut = 9_999;
    for back in [0, 10, 23, 24, 100, 160, cut] {
        let mut host = Host::plain(|options| options.continuation = dedupe());
        host.turn(&file[..cut], TurnFinish::Length);
        host.turn(format!("{}{MARKER}\n", &file[cut - back..]), TurnFinish::Stop);
        let expected = if (1..24).contains(&back) {
            format!("{}{}", &file[..cut], &file[cut - back..])
        } else {
            file.clone()
        };
        assert_eq!(host.written(), Some(expected.as_str()), "{back}");
    }
}

#[test]
fn case_43_a_loop_ends() {
    let mut host = Host::plain(|options| options.continuation = dedupe());
    host.turn("The beginning of a file that never ends.\n", TurnFinish::Length);
    let mut rounds = 0;
    while host.session.state() != State::Incomplete {
        rounds += 1;
        host.turn("And the same words again and again and again.\nOnce more.\n", TurnFinish::Length);
        assert!(rounds < 20);
    }
    assert_eq!((host.code(), host.commits), (Some("CONTINUATION_LIMIT"), 0));
    let mut host = Host::plain(|options| options.continuation.max_rounds = 2);
    for round in 0..3 {
        host.turn(format!("round {round}\n"), TurnFinish::Length);
    }
    assert_eq!((host.code(), host.asked.len()), (Some("CONTINUATION_LIMIT"), 2));
}

#[test]
fn case_44_chatter_is_refused_once_and_asked_about() {
    let mut host = Host::plain(|options| options.continuation = dedupe());
    host.turn("The first line of this file.\n", TurnFinish::Length);
    host.turn("Sure, I will go on now:\nMore.\n", TurnFinish::Length);
    assert_eq!((host.session.state(), host.code()), (State::Incomplete, Some("CONTINUATION_UNCLEAN")));
    assert_eq!(host.asked.len(), 2);
    host.turn(format!("The first line of this file.\nMore.\n{MARKER}"), TurnFinish::Stop);
    assert_eq!(host.written(), Some("The first line of this file.\nMore.\n"));
    let mut host = Host::plain(|options| options.continuation = dedupe());
    host.turn("The first line of this file.\n", TurnFinish::Length);
    host.turn(
        format!("Sure, here is the rest:\nThe first line of this file.\nMore.\n{MARKER}"),
        TurnFinish::Stop,
    );
    assert_eq!(host.written(), Some("The first line of this file.\nMore.\n"));
    assert_eq!(host.warnings(), ["CHATTER_REMOVED"]);
}

#[test]
fn case_50_and_51_offsets_are_checked() {
    let mut host = Host::plain(|_| {});
    let at = |offset, bytes| WriteInput::Chunk { offset: Some(offset), bytes };
    host.step(at(0, b"abc\n")).unwrap();
    assert_eq!(host.step(at(5, b"x")).unwrap_err().code, "OFFSET_MISMATCH");
    assert_eq!(host.step(at(5, b"")).unwrap_err().code, "OFFSET_MISMATCH");
    assert_eq!(host.step(at(1, b"bX")).unwrap_err().code, "OFFSET_MISMATCH");
    host.step(at(2, b"")).unwrap();
    host.step(at(0, b"abc\n")).unwrap();
    host.step(at(2, b"c\nde\n")).unwrap();
    assert_eq!(host.session.offset(), 7);
    let end = format!("{MARKER}\n");
    host.step(at(7, end.as_bytes())).unwrap();
    assert_eq!((host.written(), host.session.offset()), (Some("abc\nde\n"), 8 + MARKER.len() as u64));
    host.step(at(99, b"after the commit")).unwrap();
    assert_eq!((host.written(), host.commits), (Some("abc\nde\n"), 1));
}

#[test]
fn case_52_and_54_one_commit_however_often_it_is_asked() {
    let mut host = Host::plain(|_| {});
    host.send("a\n").unwrap();
    for _ in 0..3 {
        host.step(WriteInput::Finalise).unwrap();
    }
    assert_eq!((host.written(), host.commits), (Some("a\n"), 1));
    let mut host = Host::plain(|_| {});
    host.write_fails = 1;
    host.turn(format!("a\n{MARKER}"), TurnFinish::Stop);
    assert_eq!((host.session.state(), host.code()), (State::Failed, Some("NO_SPACE")));
    host.step(WriteInput::Finalise).unwrap();
    assert_eq!(host.written(), Some("a\n"));
}

#[test]
fn case_65_nothing_is_left_of_what_was_cancelled() {
    let mut host = Host::plain(|_| {});
    host.send("a\n").unwrap();
    host.step(WriteInput::Cancel).unwrap();
    assert!(host.discarded);
    host.turn(format!("b\n{MARKER}\n"), TurnFinish::Stop);
    assert_eq!((host.code(), host.commits), (Some("CANCELLED"), 0));
    assert_eq!(host.step(WriteInput::Finalise).unwrap_err().code, "CANCELLED");
}

#[test]
fn case_66_and_67_the_limit_is_in_bytes_and_holds_at_once() {
    for (text, fits) in [("éé", true), ("ééa", false), ("abcd", true), ("abcde", false)] {
        let mut host = Host::plain(|options| options.max_bytes = 4);
        host.send(text).unwrap();
        let state = if fits { State::Receiving } else { State::Failed };
        assert_eq!(host.session.state(), state, "{text}");
        assert_eq!(host.code(), (!fits).then_some("TOO_LARGE"));
    }
}

#[test]
fn case_68_errors_stop_a_file_of_data_and_are_mended() {
    let mut host = Host::named("a.json", |_| {});
    assert_eq!(
        host.turn(format!("{{\n \"a\": 1\n \"b\": 2\n}}\n{MARKER}"), TurnFinish::Stop),
        State::NeedsRepair
    );
    assert_eq!((host.code(), host.commits), (Some("VALIDATION_FAILED"), 0));
    let (kind, text) = host.asked.last().unwrap();
    assert_eq!(*kind, PromptKind::Repair);
    assert!(text.contains("line 3, column") && text.contains("\"b\": 2"), "{text}");
    host.step(WriteInput::Patch(PatchSpec::ReplaceLines { start_line: 2, end_line: 2 })).unwrap();
    assert_eq!(host.turn(format!(" \"a\": 1,\n{MARKER}"), TurnFinish::Stop), State::Committed);
    assert_eq!(host.written(), Some("{\n \"a\": 1,\n \"b\": 2\n}\n"));
    assert_eq!(host.session.receipt().unwrap().repairs, 1);
    let mut host = Host::named("a.json", |_| {});
    host.turn(format!("nope\n{MARKER}"), TurnFinish::Stop);
    host.turn(format!("[1]\n{MARKER}"), TurnFinish::Stop);
    assert_eq!(host.written(), Some("[1]\n"), "the next content replaces the whole file");
    let mut host = Host::named("a.json", |_| {});
    for round in 1..=4 {
        let state = if round < 4 { State::NeedsRepair } else { State::Failed };
        assert_eq!(host.turn(format!("nope\n{MARKER}"), TurnFinish::Stop), state, "{round}");
    }
    assert_eq!(host.commits, 0);
}

#[test]
fn case_69_and_70_warnings_are_told_and_the_file_is_written() {
    let mut host = Host::named("a.json", |options| options.validate = Some(ValidationMode::Warn));
    host.turn(format!("nope\n{MARKER}"), TurnFinish::Stop);
    assert_eq!((host.written(), host.warnings()), (Some("nope\n"), vec!["SYNTAX_ERROR"]));
    let mut host = Host::named("a.txt", |_| {});
    host.turn(format!("# ... rest unchanged ...\n{MARKER}\nBye!"), TurnFinish::Stop);
    assert_eq!(host.warnings(), ["ELISION", "TEXT_AFTER_END"]);
    let mut host = Host::named("a.json", |options| options.validate = Some(ValidationMode::Off));
    host.turn(format!("nope\n{MARKER}"), TurnFinish::Stop);
    assert_eq!((host.written(), host.warnings()), (Some("nope\n"), vec![]));
}

#[test]
fn an_end_line_with_other_text_is_never_written() {
    let mut host = Host::plain(|_| {});
    assert_eq!(host.turn(format!("a\nThe end. {MARKER}\nDONE\n"), TurnFinish::Stop), State::NeedsRepair);
    assert_eq!((host.code(), host.commits), (Some("MARKER_IN_CONTENT"), 0));
}

#[test]
fn case_72_what_is_not_utf8_is_refused_or_counted() {
    let text = [b"a\xff\xfeb\n".as_slice(), MARKER.as_bytes()].concat();
    let mut host = Host::plain(|_| {});
    host.turn(&text, TurnFinish::Stop);
    assert_eq!((host.session.state(), host.code()), (State::Failed, Some("ENCODING_INVALID")));
    let mut host = Host::plain(|options| options.encoding = TextEncoding::Replace);
    host.turn(&text, TurnFinish::Stop);
    assert_eq!((host.written(), host.warnings()), (Some("a\u{fffd}\u{fffd}b\n"), vec!["ENCODING_REPLACED"]));
    let mut host = Host::plain(|_| {});
    host.send(b"a\n\xc3").unwrap();
    host.step(WriteInput::TurnEnd(TurnFinish::Stop)).unwrap();
    assert_eq!(host.code(), Some("ENCODING_INVALID"), "a character that is never finished");
}

#[test]
fn case_75_the_model_is_told_what_was_written() {
    let mut host = Host::plain(|_| {});
    host.turn(format!("a\nb\n{MARKER}"), TurnFinish::Stop);
    let text = host.session.receipt_prompt().unwrap().text;
    assert!(text.starts_with("file.txt is written: 4 bytes, 2 lines, sha256 0000"), "{text}");
}

#[test]
fn case_78_a_patch_that_does_not_fit_is_asked_for_again() {
    let find = |find: &str| PatchSpec::ReplaceText { find: find.to_owned() };
    let mut host = Host::plain(|options| {
        options.operation = WriteOperation::Patch;
        options.patch = Some(find("three"));
    });
    host.target = Some(b"one\ntwo\n".to_vec());
    assert_eq!(host.turn(format!("2\n{MARKER}"), TurnFinish::Stop), State::NeedsRepair);
    assert_eq!(host.code(), Some("PATCH_NO_MATCH"));
    host.step(WriteInput::Patch(find("two"))).unwrap();
    host.turn(format!("2\n{MARKER}"), TurnFinish::Stop);
    assert_eq!(host.written(), Some("one\n2\n"));
    let problem = Host::plain(|_| {}).step(WriteInput::Patch(find("x"))).unwrap_err();
    assert_eq!(problem.code, "ARGS_INVALID");
}

#[test]
fn case_15_content_goes_behind_what_is_there() {
    for (join, old, file) in
        [(None, "old", "oldnew\n"), (Some(()), "old", "old\nnew\n"), (Some(()), "old\n", "old\nnew\n")]
    {
        let mut host = Host::plain(|options| {
            options.operation = WriteOperation::Append;
            options.join = join.map(|()| engross_write::session::Join::Newline);
        });
        host.target = Some(old.as_bytes().to_vec());
        host.turn(format!("new\n{MARKER}"), TurnFinish::Stop);
        assert_eq!(host.written(), Some(file));
    }
}

#[test]
fn a_backslash_makes_an_end_line_content() {
    let mut host = Host::plain(|options| {
        options.escape = Some(Escape::Backslash);
        options.terminator = Terminator::Done;
    });
    host.send("a\n\\DONE\n\\\\DONE\nDONE\n").unwrap();
    assert_eq!(host.written(), Some("a\nDONE\n\\DONE\n"));
}

#[test]
fn nothing_but_the_sender_ends_content_without_end_lines() {
    let mut host = Host::plain(|options| options.terminator = Terminator::None);
    let text = format!("DONE\n{MARKER}\nlast");
    host.send(&text).unwrap();
    host.step(WriteInput::Idle).unwrap();
    host.step(WriteInput::Finalise).unwrap();
    assert_eq!(host.code(), Some("MARKER_IN_CONTENT"));
    let mut host = Host::plain(|options| options.terminator = Terminator::None);
    host.send("DONE\nlast").unwrap();
    host.step(WriteInput::Finalise).unwrap();
    assert_eq!(host.written(), Some("DONE\nlast"));
}
