//! The streaming engine against a plain one that sees the whole text, with every kind of cut.

use proptest::prelude::*;

use super::{
    ContentEnd, EndKind, Framer, Framing, Terminator, TextEncoding, TurnFinish, TurnStart, TurnVerdict,
};

const MARKER: &str = "END-K7QJ2MZTW4XA";
const MODES: [Terminator; 4] = [Terminator::Done, Terminator::Sentinel, Terminator::Auto, Terminator::None];

/// What became of a text that came in one turn.
#[derive(Debug, Clone, PartialEq)]
enum Outcome {
    Ended(String, EndKind),
    Ambiguous { line: u64, followed: bool },
    Unfinished(String),
}

fn strip(line: &str) -> Option<&str> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    let text = line.trim_end_matches([' ', '\t']);
    (line.len() - text.len() <= 64).then_some(text)
}

/// The whole text at once: lines, fences, rules, nothing clever.
fn plain(text: &str, framing: &Framing) -> Outcome {
    let knows_done = matches!(framing.terminator, Terminator::Done | Terminator::Auto);
    let knows_marker = framing.terminator != Terminator::None;
    let is_end = |line: &str| (knows_done && line == "DONE") || (knows_marker && line == MARKER);
    let mut content = String::new();
    let mut fence: Option<(char, usize)> = None;
    // The last DONE line: where it begins, its number, whether in a fence, blanks since.
    let mut last: Option<(usize, u64, bool, usize)> = None;
    let mut passed: Option<u64> = None;
    for (number, line) in (1u64..).zip(text.split_inclusive('\n')) {
        let whole = line.ends_with('\n');
        let body = line.strip_suffix('\n').unwrap_or(line);
        let stripped = strip(body);
        if knows_marker && stripped == Some(MARKER) {
            return Outcome::Ended(content, EndKind::Marker);
        }
        if knows_done && stripped == Some("DONE") {
            if framing.terminator == Terminator::Done && fence.is_none() && whole {
                return Outcome::Ended(content, EndKind::Done);
            }
            if let Some((_, line, false, _)) = last {
                passed = Some(line);
            }
            last = Some((content.len(), number, fence.is_some(), 0));
            content.push_str(line);
            continue;
        }
        if let Some((_, before, fenced, blanks)) = &mut last {
            *blanks += line.len();
            let tail = content[..].len() - content.trim_end_matches(['\r', '\n', ' ', '\t']).len();
            let blank = body.chars().all(|c| matches!(c, ' ' | '\t' | '\r'));
            if !blank || tail + line.len() > 64 {
                if !*fenced {
                    passed = Some(*before);
                }
                last = None;
            }
        }
        match stripped {
            Some(escaped)
                if framing.escape
                    && escaped.starts_with('\\')
                    && is_end(escaped.trim_start_matches('\\')) =>
            {
                content.push_str(&line[1..]);
            }
            _ => content.push_str(line),
        }
        if whole {
            fence = follow(fence, body);
        }
    }
    match (last, passed) {
        (Some((_, line, true, _)), _) if framing.terminator == Terminator::Auto => {
            Outcome::Ambiguous { line, followed: false }
        }
        (Some((offset, ..)), _) => Outcome::Ended(content[..offset].to_owned(), EndKind::Done),
        (None, Some(line)) if framing.terminator == Terminator::Auto => {
            Outcome::Ambiguous { line, followed: true }
        }
        _ => Outcome::Unfinished(content),
    }
}

fn follow(open: Option<(char, usize)>, line: &str) -> Option<(char, usize)> {
    let text = line.trim_start_matches(' ');
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'));
    let Some(mark) = mark.filter(|_| line.len() - text.len() <= 3) else { return open };
    let count = text.chars().take_while(|c| *c == mark).count();
    let info = &text[count..];
    if count < 3 || (mark == '`' && info.contains('`')) {
        return open;
    }
    match open {
        None => Some((mark, count)),
        Some((by, length))
            if by == mark && count >= length && info.trim_matches([' ', '\t', '\r']).is_empty() =>
        {
            None
        }
        open => open,
    }
}

/// The engine, given `text` in chunks.
fn streamed<'a>(chunks: impl IntoIterator<Item = &'a [u8]>, framing: &Framing) -> Outcome {
    let mut framer = Framer::new(framing.clone());
    let mut content = Vec::new();
    let mut out = |span: &[u8]| content.extend_from_slice(span);
    for chunk in chunks {
        framer.push(chunk, &mut out).unwrap();
        // However the stream is cut, a checkpoint holds all there is to know.
        framer = serde_json::from_str(&serde_json::to_string(&framer).unwrap()).unwrap();
        assert!(framer.held() <= 300, "held back: {}", framer.held());
    }
    let verdict = framer.turn_end(TurnFinish::Stop, &mut out);
    match verdict {
        TurnVerdict::Ended(ContentEnd { by, length }) => {
            content.truncate(usize::try_from(length).unwrap());
            Outcome::Ended(String::from_utf8(content).unwrap(), by)
        }
        TurnVerdict::Ambiguous(question) => {
            Outcome::Ambiguous { line: question.line, followed: question.followed }
        }
        TurnVerdict::Unfinished => {
            let end = framer.clone().finalise(&mut out);
            assert_eq!(end.map(|end| end.by), Ok(EndKind::Request));
            Outcome::Unfinished(String::from_utf8(content).unwrap())
        }
    }
}

fn framings() -> impl Iterator<Item = Framing> {
    MODES
        .into_iter()
        .flat_map(|mode| [false, true].map(|escape| Framing { escape, ..Framing::new(mode, MARKER) }))
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => Just("\n"), 2 => Just("\r\n"), 4 => Just("DONE"), 2 => Just(MARKER), 2 => Just("x"), 1 => Just("\\"),
        2 => Just(" "), 1 => Just("\t"), 1 => Just("\r"), 2 => Just("```"), 1 => Just("~~~"), 1 => Just("````"),
        1 => Just("`"), 1 => Just("D"), 1 => Just("DON"), 1 => Just("E"), 1 => Just("END-"), 1 => Just("é"),
        1 => Just("😀"), 1 => Just("\u{2028}"), 1 => Just("   "), 1 => Just("text of a line"), 1 => Just("\0"),
        1 => Just("                                                                 "),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn cut(text: &[u8], cuts: &[prop::sample::Index]) -> Vec<Vec<u8>> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
    at.extend([0, text.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| text[pair[0]..pair[1]].to_vec()).collect()
}

/// How many streams are tried; `cargo xtask write-streams` says more.
#[expect(clippy::disallowed_methods, reason = "how much is tried")]
fn streams(few: u32) -> u32 {
    std::env::var("ENGROSS_WRITE_STREAMS").ok().and_then(|number| number.parse().ok()).unwrap_or(few)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(streams(500)))]

    #[test]
    fn any_chunks_give_what_the_whole_text_gives(text in text(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        for framing in framings() {
            let expected = plain(&text, &framing);
            let chunks = cut(text.as_bytes(), &cuts);
            prop_assert_eq!(&streamed(chunks.iter().map(Vec::as_slice), &framing), &expected, "{:?}", framing);
        }
    }

    #[test]
    fn single_bytes_give_what_the_whole_text_gives(text in text()) {
        for framing in framings() {
            prop_assert_eq!(&streamed(text.as_bytes().chunks(1), &framing), &plain(&text, &framing), "{:?}", framing);
        }
    }

    #[test]
    fn any_bytes_are_replaced_as_the_standard_library_does(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), 0x80u8..0xff], 0..40),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let framing = Framing { encoding: TextEncoding::Replace, ..Framing::new(Terminator::None, "") };
        let mut framer = Framer::new(framing);
        let mut content = Vec::new();
        let mut whole = bytes.clone();
        whole.extend_from_slice(b"\n");
        for chunk in cut(&whole, &cuts) {
            framer.push(&chunk, &mut |span| content.extend_from_slice(span)).unwrap();
        }
        let expected = String::from_utf8_lossy(&whole);
        prop_assert_eq!(String::from_utf8(content).unwrap(), &*expected);
        prop_assert_eq!(framer.received(), whole.len() as u64);
        let valid = std::str::from_utf8(&whole).is_ok();
        prop_assert_eq!(framer.replaced() == 0, valid);

        let mut strict = Framer::new(Framing::new(Terminator::None, ""));
        let mut first = None;
        for chunk in cut(&whole, &cuts) {
            if let Err(error) = strict.push(&chunk, &mut |_| {}) {
                first = Some(error.offset);
                break;
            }
        }
        let at = std::str::from_utf8(&whole).err().map(|error| error.valid_up_to() as u64);
        prop_assert_eq!(first, at);
    }
}

#[test]
fn every_pair_of_cuts_gives_what_the_whole_text_gives() {
    let texts = [
        format!("a\nDONE\n{MARKER}\n"),
        format!("a\r\nDONE \t\r\n\r\n{MARKER}"),
        "```sh\nDONE\n```\r\nDONE  ".to_owned(),
        "~~~~\nDONE\n~~~\n\nDONE\n\n".to_owned(),
        format!("é\n\\DONE\n\\\\DONE\n\\{MARKER}\nDONE"),
        "DONERIGHT\nDONE:\n DONE\nDONE DONE\ndone\nENDE\n".to_owned(),
    ];
    for text in texts {
        let bytes = text.as_bytes();
        for framing in framings() {
            let expected = plain(&text, &framing);
            for first in 0..=bytes.len() {
                for second in first..=bytes.len() {
                    let chunks = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                    assert_eq!(streamed(chunks, &framing), expected, "{text:?} {first} {second} {framing:?}");
                }
            }
        }
    }
}

/// Turns of text, each with its end, into what is there at the end of the last one.
fn turns(mode: Terminator, turns: &[(&str, TurnFinish, TurnStart)]) -> (TurnVerdict, String) {
    let mut framer = Framer::new(Framing::new(mode, MARKER));
    let mut content = Vec::new();
    let mut out = |span: &[u8]| content.extend_from_slice(span);
    let mut verdict = TurnVerdict::Unfinished;
    for (index, (text, finish, start)) in turns.iter().enumerate() {
        if index > 0 {
            framer.begin_turn(*start, &mut out);
        }
        framer.push(text.as_bytes(), &mut out).unwrap();
        verdict = framer.turn_end(*finish, &mut out);
    }
    if let TurnVerdict::Ended(end) = verdict {
        content.truncate(usize::try_from(end.length).unwrap());
    }
    (verdict, String::from_utf8(content).unwrap())
}

fn ended(by: EndKind, content: &str) -> (TurnVerdict, String) {
    (TurnVerdict::Ended(ContentEnd { by, length: content.len() as u64 }), content.to_owned())
}

#[test]
fn a_cut_goes_on_at_the_byte() {
    use TurnFinish::{Length, Stop};
    let text = format!("one\nDONE\ntwo\n{MARKER}\n");
    for at in 0..text.len() {
        let (first, second) = text.split_at(at);
        for mode in [Terminator::Sentinel, Terminator::Auto] {
            let got = turns(mode, &[(first, Length, TurnStart::Cut), (second, Stop, TurnStart::Cut)]);
            // All of the second turn may be the DONE that ends the file; nothing tells it from a line of the text.
            assert_eq!(got, ended(EndKind::Marker, "one\nDONE\ntwo\n"), "{at} {mode:?}");
        }
    }
    let text = "ABANDONED\nlast\nDONE\n";
    for at in 0..text.len() {
        let (first, second) = text.split_at(at);
        for mode in [Terminator::Done, Terminator::Auto] {
            let got = turns(mode, &[(first, Length, TurnStart::Cut), (second, Stop, TurnStart::Cut)]);
            assert_eq!(got, ended(EndKind::Done, "ABANDONED\nlast\n"), "{at} {mode:?}");
        }
    }
}

#[test]
fn a_terminator_alone_ends_a_cut_file() {
    use TurnFinish::{Length, Stop};
    for mode in [Terminator::Done, Terminator::Auto] {
        let got = turns(mode, &[("last line", Length, TurnStart::Cut), ("DONE", Stop, TurnStart::Cut)]);
        assert_eq!(got, ended(EndKind::Done, "last line"), "{mode:?}");
        let got =
            turns(mode, &[("ABAN", Length, TurnStart::Cut), ("DONE\nmore\nDONE", Stop, TurnStart::Cut)]);
        assert_eq!(got, ended(EndKind::Done, "ABANDONE\nmore\n"), "{mode:?}");
    }
    let twice =
        turns(Terminator::Auto, &[("a\nDONE\n", Length, TurnStart::Cut), ("DONE\n", Stop, TurnStart::Cut)]);
    assert_eq!(twice, ended(EndKind::Done, "a\nDONE\n"), "as it would be without the cut");
}

#[test]
fn an_answer_settles_where_the_file_ends() {
    use TurnFinish::Stop;
    let first = ("a\nDONE\nThat is all.", Stop, TurnStart::Cut);
    let answers = [
        ("DONE", ended(EndKind::Done, "a\n")),
        ("\n\nDONE\n", ended(EndKind::Done, "a\n")),
        (MARKER, ended(EndKind::Marker, "a\nDONE\nThat is all.")),
        ("\nmore\nDONE\n", ended(EndKind::Done, "a\nDONE\nThat is all.\nmore\n")),
        ("\nmore\n", (TurnVerdict::Unfinished, "a\nDONE\nThat is all.\nmore\n".to_owned())),
    ];
    for (answer, expected) in answers {
        let got = turns(Terminator::Auto, &[first, (answer, Stop, TurnStart::Reply)]);
        assert_eq!(got, expected, "{answer:?}");
    }
    let fenced = ("```\nDONE\n", Stop, TurnStart::Cut);
    let got = turns(Terminator::Auto, &[fenced, ("DONE", Stop, TurnStart::Reply)]);
    assert_eq!(got, ended(EndKind::Done, "```\n"));
    let got = turns(Terminator::Auto, &[fenced, ("```\nDONE", Stop, TurnStart::Reply)]);
    assert_eq!(got, ended(EndKind::Done, "```\nDONE\n```\n"));
    let unterminated = ("last line", Stop, TurnStart::Cut);
    for mode in [Terminator::Done, Terminator::Auto] {
        let got = turns(mode, &[unterminated, ("DONE", Stop, TurnStart::Reply)]);
        assert_eq!(got, ended(EndKind::Done, "last line"), "{mode:?}");
    }
}

#[test]
fn silence_ends_a_file_only_at_a_whole_line() {
    let cases = [
        (Terminator::Auto, "a\nDONE\n", true),
        (Terminator::Auto, "a\nDONE", false),
        (Terminator::Auto, "a\n", false),
        (Terminator::Auto, "```\nDONE\n", false),
        (Terminator::Auto, "a\nDONE\nb", false),
        (Terminator::Done, "```\nDONE\n", false),
        (Terminator::Sentinel, "a\nDONE\n", false),
    ];
    for (mode, text, ends) in cases {
        let mut framer = Framer::new(Framing::new(mode, MARKER));
        framer.push(text.as_bytes(), &mut |_| {}).unwrap();
        assert_eq!(framer.idle(&mut |_| {}).is_some(), ends, "{mode:?} {text:?}");
    }
}

#[test]
fn what_is_counted() {
    let mut framer = Framer::new(Framing::new(Terminator::Done, MARKER));
    let mut out = |_: &[u8]| {};
    framer.push(b" \n\n", &mut out).unwrap();
    assert!(framer.is_blank());
    framer.push("```rust ignore\nl\u{e9}".as_bytes(), &mut out).unwrap();
    assert!(!framer.is_blank());
    assert_eq!((framer.lines(), framer.released()), (4, 21));
    let fence = framer.fence().unwrap().clone();
    assert_eq!((fence.mark, fence.length, fence.info.as_str(), fence.line), ('`', 3, "rust ignore", 3));
    framer.push(b"\n```\nDONE\nbye\n", &mut out).unwrap();
    assert_eq!((framer.lines(), framer.released(), framer.after_end()), (5, 26, 3));
    assert_eq!(framer.fence(), None);
}
