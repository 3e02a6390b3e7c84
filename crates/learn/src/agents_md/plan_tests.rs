//! Every row of the marker contract.

use proptest::prelude::*;

use super::{BlockChange, BlockWarning, END, MarkerError, MarkerMode, START, check, plan};

const INNER: &str = "## Learned Strategies\n\n- [a-00001] Stat a path\n";

fn sync(file: &[u8]) -> Result<BlockChange, MarkerError> {
    plan(Some(file), Some(INNER), MarkerMode::Strict)
}

/// The bytes after a sync.
fn synced(file: &[u8]) -> Vec<u8> {
    sync(file).unwrap().bytes.unwrap()
}

fn block(inner: &str) -> String {
    let file = plan(None, Some(inner), MarkerMode::Strict).unwrap().bytes.unwrap();
    String::from_utf8(file).unwrap().trim_end().to_owned()
}

fn repaired(file: &str) -> String {
    let change = plan(Some(file.as_bytes()), Some(INNER), MarkerMode::Repair).unwrap();
    assert!(change.warnings.contains(&BlockWarning::Repaired));
    String::from_utf8(change.bytes.unwrap()).unwrap()
}

#[test]
fn a_new_file_begins_with_the_block() {
    let file = plan(None, Some(INNER), MarkerMode::Strict).unwrap().bytes.unwrap();
    assert!(file.starts_with(START.as_bytes()) && file.ends_with(format!("{END}\n").as_bytes()));
}

#[test]
fn what_stands_there_is_appended_to_byte_by_byte() {
    for before in ["# Mine\n", "# Mine", "# Mine  \n\n\n", "x\r\ny\r\n", "\u{feff}# Mine\n", "\n"] {
        let file = synced(before.as_bytes());
        assert!(file.starts_with(before.as_bytes()), "{before:?}");
    }
    let bytes = b"# caf\xe9 \xff\n";
    assert!(synced(bytes).starts_with(bytes), "no UTF-8 is needed");
}

#[test]
fn the_block_has_the_line_ends_of_the_file() {
    let file = String::from_utf8(synced(b"a\r\nb\r\nc\r\n")).unwrap();
    assert_eq!(file.replace("\r\n", "").matches(['\r', '\n']).count(), 0);
    let again = plan(Some(file.as_bytes()), Some(INNER), MarkerMode::Strict).unwrap();
    assert_eq!(again, BlockChange::default());
}

#[test]
fn case_81_what_is_as_it_shall_be_is_not_written() {
    assert_eq!(sync(&synced(b"# Mine\n")).unwrap(), BlockChange::default());
}

#[test]
fn a_block_that_is_not_whole_is_refused_and_can_be_put_right() {
    let started = format!("a\n{START}\nb\n");
    let turned = format!("a\n{END}\nb\n{START}\nc\n");
    for file in [&started, &turned] {
        assert_eq!(sync(file.as_bytes()).unwrap_err(), MarkerError::Unpaired);
        assert_eq!(check(file.as_bytes()).unwrap_err(), MarkerError::Unpaired);
        let new = repaired(file);
        let expected = format!("{}\n{}\n", file.replace(START, "").replace(END, ""), block(INNER));
        assert_eq!(new.replace("before=1", "before=0"), expected);
    }
}

#[test]
fn an_end_alone_is_left_and_told() {
    let file = format!("a\n{END}\n");
    let change = sync(file.as_bytes()).unwrap();
    assert_eq!(change.warnings, [BlockWarning::StrayEnd]);
    assert!(change.bytes.unwrap().starts_with(file.as_bytes()));
}

#[test]
fn of_two_blocks_the_first_is_changed() {
    let two = format!("a\n{START}\nold\n{END}\nb\n{START}\nolder\n{END}\nc\n");
    let change = sync(two.as_bytes()).unwrap();
    assert_eq!(change.warnings, [BlockWarning::SecondBlock, BlockWarning::EditedInside]);
    assert_eq!(change.edited.as_deref(), Some(&b"old\n"[..]), "nobody knows whose words they are");
    let new = String::from_utf8(change.bytes.unwrap()).unwrap();
    assert!(new.contains("Stat a path") && !new.contains("old\n") && new.contains("older"));
    assert!(!repaired(&two).contains("older"));
}

#[test]
fn nested_blocks_are_refused_and_can_be_joined() {
    let nested = format!("a\n{START}\n{START}\nold\n{END}\n{END}\nb\n");
    assert_eq!(sync(nested.as_bytes()).unwrap_err(), MarkerError::Nested);
    assert_eq!(repaired(&nested), format!("a\n{}\nb\n", block(INNER).replace("after=1", "after=0")));
}

#[test]
fn markers_in_a_code_fence_are_text() {
    let file = format!("```\n{START}\n{END}\n```\nend\n");
    let new = synced(file.as_bytes());
    assert!(new.starts_with(file.as_bytes()) && new.len() > file.len());
    let open = format!("```\n{START}\n{END}\n");
    assert_eq!(sync(open.as_bytes()).unwrap_err(), MarkerError::OpenFence);
}

#[test]
fn text_that_looks_like_a_pattern_is_put_in_as_it_is() {
    let inner = "x \\d \\1 \\g<0> $1\n";
    let file = plan(Some(b"a\n"), Some(inner), MarkerMode::Strict).unwrap().bytes.unwrap();
    assert!(String::from_utf8_lossy(&file).contains(inner));
    let again = plan(Some(&file), Some(inner), MarkerMode::Strict).unwrap();
    assert_eq!(again, BlockChange::default());
}

#[test]
fn an_empty_book_leaves_no_block() {
    let file = synced(b"# Mine\n");
    let change = plan(Some(&file), None, MarkerMode::Strict).unwrap();
    assert_eq!(change.bytes.as_deref(), Some(&b"# Mine\n"[..]));
    assert_eq!(plan(None, None, MarkerMode::Strict).unwrap(), BlockChange::default());
}

#[test]
fn case_85_what_a_person_changed_inside_is_given_back() {
    let file = String::from_utf8(synced(b"# Mine\n")).unwrap().replace("Stat a path", "Stat every path");
    assert_eq!(check(file.as_bytes()), Ok(vec![BlockWarning::EditedInside]));
    let change = sync(file.as_bytes()).unwrap();
    assert_eq!(change.warnings, [BlockWarning::EditedInside]);
    assert!(String::from_utf8(change.edited.unwrap()).unwrap().contains("Stat every path"));
    let seed = format!("a\n{START}\nof another program\n{END}\n");
    let change = sync(seed.as_bytes()).unwrap();
    assert_eq!(change.edited.as_deref(), Some(&b"of another program\n"[..]), "it never said what it wrote");
}

#[test]
fn case_87_a_file_larger_than_agents_read_is_told() {
    let file = "x\n".repeat(300);
    assert_eq!(sync(file.as_bytes()).unwrap().warnings, [BlockWarning::TooLargeForHosts]);
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"# Mine".to_vec()),
        Just(b"\xff".to_vec()),
        Just(b" ".to_vec()),
        Just(b"```".to_vec()),
        Just(b"\xef\xbb\xbf".to_vec()),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn case_86_what_was_put_in_comes_out_and_leaves_the_bytes_as_they_were(file in bytes(), later in prop::option::of("[a-z]{1,9}\n")) {
        if let Ok(change) = plan(Some(&file), Some(INNER), MarkerMode::Strict) {
            let mut synced = change.bytes.unwrap();
            prop_assert_eq!(&plan(Some(&synced), Some(INNER), MarkerMode::Strict).unwrap().bytes, &None);
            let other = plan(Some(&synced), Some("other\n"), MarkerMode::Strict).unwrap().bytes.unwrap();
            let back = plan(Some(&other), Some(INNER), MarkerMode::Strict).unwrap().bytes.unwrap();
            prop_assert_eq!(&back, &synced);
            let mut expected = file;
            if let Some(later) = later {
                synced.extend_from_slice(later.as_bytes());
                expected.extend_from_slice(later.as_bytes());
            }
            prop_assert_eq!(plan(Some(&synced), None, MarkerMode::Strict).unwrap().bytes.unwrap_or(synced), expected);
        }
    }

    #[test]
    fn nothing_outside_the_block_changes(pieces in prop::collection::vec(prop_oneof![Just(START), Just(END), Just("\n"), Just("text"), Just("```\n")], 0..10)) {
        let file = pieces.concat();
        for mode in [MarkerMode::Strict, MarkerMode::Repair] {
            if let Ok(BlockChange { bytes: Some(new), .. }) = plan(Some(file.as_bytes()), Some(INNER), mode) {
                let new = String::from_utf8(new).unwrap();
                let at = new.find("<!-- engross: ").unwrap();
                let before = &new[..at];
                let before = &before[..before.rfind(START).unwrap()];
                let kept = if mode == MarkerMode::Repair { file.replace(START, "").replace(END, "") } else { file.clone() };
                let plain = if mode == MarkerMode::Repair { before.replace(START, "").replace(END, "") } else { before.to_owned() };
                prop_assert!(kept.starts_with(plain.trim_end_matches('\n')), "{:?} {:?}", kept, plain);
            }
        }
    }
}

#[test]
fn markers_that_are_mentioned_are_text() {
    for mention in [
        format!("Use `{START}` and then my important sentence `{END}` markers.\n"),
        format!("    {START}\n    code\n    {END}\n"),
        format!("\t{START}\n\tcode\n\t{END}\n"),
    ] {
        let file = synced(mention.as_bytes());
        assert!(file.starts_with(mention.as_bytes()), "{mention}");
    }
}

#[test]
fn words_between_markers_that_we_did_not_write_are_kept_aside() {
    let file = format!("a\n{START}\nmy own words\n{END}\nb\n");
    let change = sync(file.as_bytes()).unwrap();
    assert_eq!(change.edited.as_deref(), Some(&b"my own words\n"[..]));
    assert_eq!(change.warnings, [BlockWarning::EditedInside]);
    assert_eq!(sync(format!("{START}\n{END}\n").as_bytes()).unwrap().edited, None);
}

#[test]
fn a_comment_that_is_never_closed_is_told() {
    assert_eq!(sync(b"# Mine\n<!-- to do\n").unwrap().warnings, [BlockWarning::OpenComment]);
    assert_eq!(sync(b"# Mine\n<!-- done -->\n").unwrap().warnings, []);
}
