//! Logs: whole lines only.

use engross_store::files::AppendFile;
use proptest::prelude::*;

use super::{TestBench, code, path};

#[test]
fn lines_are_added_and_the_last_one_is_found() {
    let desk = TestBench::new();
    let target = path("logs/a.jsonl");
    let mut log = AppendFile::open(&desk.top, &target).unwrap();
    assert_eq!((log.len(), log.is_empty(), log.last_line(9).unwrap()), (0, true, None));
    assert_eq!(log.append(b"one\n"), Ok(4));
    assert_eq!(log.append(b"two\nthree\n"), Ok(14));
    log.sync().unwrap();
    assert_eq!(log.last_line(5).unwrap().as_deref(), Some(&b"three"[..]));
    assert_eq!(code(log.last_line(4)), "TOO_LARGE");
    assert_eq!(code(AppendFile::open(&desk.top, &target)), "FILE_NOT_WRITTEN");
    assert_eq!(log.append(b"four\n"), Ok(19));
    drop(log);
    let mut log = AppendFile::open(&desk.top, &target).unwrap();
    assert_eq!((log.len(), log.cut(), log.last_line(9).unwrap().unwrap().as_slice()), (19, 0, &b"four"[..]));
    assert_eq!(desk.text("logs/a.jsonl"), "one\ntwo\nthree\nfour\n");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn a_torn_line_is_taken_away(
        lengths in prop::collection::vec(prop_oneof![0..20_usize, 131_060..131_080_usize, 262_130..262_150_usize], 0..4),
        torn in prop_oneof![Just(0_usize), 1..20_usize, 131_060..131_080_usize],
    ) {
        let desk = TestBench::new();
        let whole: String = lengths.iter().map(|length| "x".repeat(*length) + "\n").collect();
        desk.put("log", &format!("{whole}{}", "y".repeat(torn)));
        let mut log = AppendFile::open(&desk.top, &path("log")).unwrap();
        prop_assert_eq!((log.len(), log.cut()), (whole.len() as u64, torn as u64));
        let last = log.last_line(1 << 20).unwrap().map(|line| line.len());
        prop_assert_eq!(last, lengths.last().copied());
        log.append(b"next\n").unwrap();
        prop_assert_eq!(log.last_line(4).unwrap().unwrap(), b"next");
        prop_assert_eq!(desk.text("log"), whole + "next\n");
    }
}
