//! Random inputs against what must hold of every session.

use engross_write::framing::{Terminator, TurnFinish};
use engross_write::session::{State, WriteInput, WriteSession};
use proptest::prelude::*;

use crate::host::{Host, MARKER};

#[derive(Debug, Clone)]
enum ModelStep {
    Text(String),
    TurnEnd(TurnFinish),
    Idle,
    Disconnect,
    Finalise,
    Cancel,
    Expire,
    /// The last bytes come once more.
    Again(usize),
    /// The process dies, and the session is read from its checkpoint.
    Restart,
}

fn ops() -> impl Strategy<Value = Vec<ModelStep>> {
    let piece = prop_oneof![
        4 => Just("text\n"), 2 => Just("DONE\n"), 1 => Just("DONE"), 1 => Just(MARKER), 1 => Just("\n"), 1 => Just("```\n"),
        1 => Just("é"), 1 => Just("END-K7"), 1 => Just("\r\n"),
    ];
    let text = prop::collection::vec(piece, 1..5).prop_map(|pieces| ModelStep::Text(pieces.concat()));
    let finish = prop_oneof![
        3 => Just(TurnFinish::Stop), 3 => Just(TurnFinish::Length), 1 => Just(TurnFinish::Error), 1 => Just(TurnFinish::ToolCalls),
    ];
    let op = prop_oneof![
        12 => text,
        5 => finish.prop_map(ModelStep::TurnEnd),
        2 => Just(ModelStep::Idle),
        1 => Just(ModelStep::Disconnect),
        1 => Just(ModelStep::Finalise),
        1 => Just(ModelStep::Cancel),
        1 => Just(ModelStep::Expire),
        2 => (0usize..30).prop_map(ModelStep::Again),
        2 => Just(ModelStep::Restart),
    ];
    prop::collection::vec(op, 0..20)
}

/// How many streams are tried; `cargo xtask write-streams` says more.
#[expect(clippy::disallowed_methods, reason = "how much is tried")]
fn streams(few: u32) -> u32 {
    std::env::var("ENGROSS_WRITE_STREAMS").ok().and_then(|number| number.parse().ok()).unwrap_or(few)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(streams(2000)))]

    #[test]
    fn nothing_is_written_that_has_no_end(ops in ops(), mode in prop_oneof![Just(Terminator::Done), Just(Terminator::Sentinel), Just(Terminator::Auto)]) {
        let mut host = Host::plain(|options| options.terminator = mode);
        let mut sent: Vec<u8> = Vec::new();
        let mut finalised = false;
        for op in ops {
            let before = host.session.state();
            match op {
                ModelStep::Text(text) => {
                    if before.takes_content() {
                        sent.extend_from_slice(text.as_bytes());
                    }
                    prop_assert!(host.send(&text).is_ok());
                }
                ModelStep::Again(back) => {
                    let from = sent.len().saturating_sub(back);
                    let offset = Some(from as u64);
                    let result = host.step(WriteInput::Chunk { offset, bytes: &sent[from..] });
                    // After a restart the bytes are not there to be compared with.
                    prop_assert!(result.is_ok() || host.session.offset() == sent.len() as u64);
                }
                ModelStep::TurnEnd(finish) => host.step(WriteInput::TurnEnd(finish)).unwrap(),
                ModelStep::Idle => host.step(WriteInput::Idle).unwrap(),
                ModelStep::Disconnect => host.step(WriteInput::Disconnect).unwrap(),
                ModelStep::Finalise => finalised |= host.step(WriteInput::Finalise).is_ok(),
                ModelStep::Cancel => host.step(WriteInput::Cancel).unwrap(),
                ModelStep::Expire => host.step(WriteInput::Expire).unwrap(),
                ModelStep::Restart => {
                    let checkpoint = serde_json::to_string(&host.session).unwrap();
                    let session: WriteSession = serde_json::from_str(&checkpoint).unwrap();
                    host.session = session;
                }
            }
            let state = host.session.state();
            prop_assert!(!before.is_final() || state == before || before == State::Failed, "{:?} after {:?}", state, before);
            prop_assert_eq!(host.session.offset(), sent.len() as u64);
            let content = String::from_utf8(host.spool.content.clone()).unwrap();
            let all = String::from_utf8_lossy(&sent).into_owned();
            // Content is what was sent without end lines: never anything else, in any other order.
            prop_assert!(is_subsequence(&content, &all), "{:?} of {:?}", content, all);
            prop_assert_eq!(host.commits, usize::from(state == State::Committed));
            let needs_error = matches!(state, State::Incomplete | State::Ambiguous | State::NeedsRepair | State::Failed | State::Cancelled | State::Expired);
            prop_assert_eq!(host.session.problem().is_some(), needs_error);
        }
        if host.session.state() == State::Committed {
            let text = String::from_utf8(sent).unwrap();
            let end = if mode == Terminator::Sentinel { text.contains(MARKER) } else { text.contains(MARKER) || text.contains("DONE") };
            prop_assert!(end || finalised, "{:?}", text);
            let receipt = host.session.receipt().unwrap();
            prop_assert_eq!(receipt.bytes, host.written().unwrap().len() as u64);
        }
    }

    #[test]
    fn a_file_cut_anywhere_arrives_exactly(
        lines in prop::collection::vec(prop_oneof![Just("DONE"), Just("text é"), Just(""), Just("```"), Just("END"), Just("DONE."), Just("x\r")], 1..12),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0u8..5), 0..5),
        mode in prop_oneof![Just(Terminator::Sentinel), Just(Terminator::Auto)],
    ) {
        let file: String = lines.iter().map(|line| format!("{line}\n")).collect();
        if file.trim().is_empty() {
            return Ok(());
        }
        let stream = format!("{file}{MARKER}\n");
        let mut at: Vec<(usize, u8)> = cuts.iter().map(|(index, how)| (index.index(stream.len()), *how)).collect();
        at.sort_unstable();
        let mut host = Host::plain(|options| options.terminator = mode);
        let mut from = 0;
        for (to, how) in at {
            host.send(&stream.as_bytes()[from..to]).unwrap();
            from = to;
            match how {
                0 => host.step(WriteInput::Disconnect).unwrap(),
                1 => host.step(WriteInput::TurnEnd(TurnFinish::Length)).unwrap(),
                2 => host.step(WriteInput::TurnEnd(TurnFinish::Error)).unwrap(),
                // A label that is wrong. In the other modes a turn may end the file with DONE.
                3 if mode == Terminator::Sentinel && stream.is_char_boundary(to) => host.step(WriteInput::TurnEnd(TurnFinish::Stop)).unwrap(),
                _ => host.session = serde_json::from_str(&serde_json::to_string(&host.session).unwrap()).unwrap(),
            }
        }
        host.send(&stream.as_bytes()[from..]).unwrap();
        prop_assert_eq!(host.written(), Some(file.as_str()));
    }
}

/// Every byte at which a stream may be cut, each way of cutting, each end and line end.
#[test]
fn the_fault_matrix_ends_exact_or_with_a_code() {
    let texts = ["a\nDONE.\nxDONE\n END-K7\n", "\nDONERIGHT\n\n", "```\nDONE\n```\né\n"];
    let faults = [
        None,
        Some(WriteInput::Disconnect),
        Some(WriteInput::Idle),
        Some(WriteInput::TurnEnd(TurnFinish::Length)),
        Some(WriteInput::TurnEnd(TurnFinish::Error)),
        Some(WriteInput::TurnEnd(TurnFinish::Stop)),
        Some(WriteInput::TurnEnd(TurnFinish::ToolCalls)),
    ];
    let mut exact = 0;
    for mode in [Terminator::Done, Terminator::Sentinel, Terminator::Auto] {
        for line_end in ["\n", "\r\n"] {
            for text in texts {
                let file = text.replace('\n', line_end);
                let end = if mode == Terminator::Sentinel { MARKER } else { "DONE" };
                let stream = format!("{file}{end}{line_end}");
                for fault in &faults {
                    for at in 0..=stream.len() {
                        exact += usize::from(survives(mode, &file, &stream, at, fault.as_ref()));
                    }
                }
            }
        }
    }
    assert!(exact > 3_500, "{exact}");
}

/// Whether the file arrives; the test fails when another one does.
fn survives(
    mode: Terminator,
    file: &str,
    stream: &str,
    at: usize,
    fault: Option<&WriteInput<'static>>,
) -> bool {
    let mut host = Host::named("a.md", |options| options.terminator = mode);
    host.send(&stream.as_bytes()[..at]).unwrap();
    if let Some(fault) = fault {
        host.step(fault.clone()).unwrap();
    }
    // A turn that ends with a line DONE ends the file, as far as anybody can tell.
    let so_far = &stream[..stream.floor_char_boundary(at)];
    let said_done =
        mode != Terminator::Sentinel && so_far.trim_end_matches('\r').lines().last() == Some("DONE");
    if said_done && matches!(fault, Some(WriteInput::TurnEnd(TurnFinish::Stop | TurnFinish::ToolCalls))) {
        return false;
    }
    host.send(&stream.as_bytes()[at..]).unwrap();
    host.step(WriteInput::TurnEnd(TurnFinish::Stop)).unwrap();
    let case = format!("{mode:?} {stream:?} {at} {fault:?}");
    match host.written() {
        Some(written) => assert_eq!(written, file, "{case}"),
        None => assert!(host.session.problem().is_some(), "{case}"),
    }
    host.written().is_some()
}

fn is_subsequence(part: &str, whole: &str) -> bool {
    let mut rest = whole.chars();
    part.chars().all(|wanted| rest.any(|found| found == wanted))
}
