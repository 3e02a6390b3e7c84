//! The journal: any history, cut anywhere.

use proptest::prelude::*;
use serde_json::json;

use super::apply_tests::{add, context, run};
use super::journal::{DamagedLine, Record, read, write};
use super::{Book, parse_batch, settle};

/// A history and the book it makes.
fn history(steps: &[u8]) -> (Vec<Record>, Book) {
    let mut book = Book::default();
    let mut records = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let trace = format!("t{}", step % 5);
        let batch = match step % 4 {
            0 | 1 => add("s", &format!("lesson{} about{} matter{}", step / 8, step / 8, step / 8)),
            2 => json!([{"type": "TAG", "skill_id": format!("s-{:05}", step / 16), "tag": "harmful"}]),
            _ => {
                json!([{"type": "UPDATE", "skill_id": format!("s-{:05}", step / 16), "content": format!("new{at} words{at}")}])
            }
        };
        for operation in parse_batch(&batch).unwrap().into_iter().flatten() {
            for record in settle(&book, &operation, &context(&trace)).records {
                records.push(record.clone());
                book.apply(record);
            }
        }
    }
    (records, book)
}

#[test]
fn a_line_that_is_no_record_is_named() {
    let (records, _) = history(&[0, 8, 16]);
    let mut bytes = write(&records);
    bytes.extend_from_slice(b"{\"put\":7}\n");
    assert_eq!(read(&bytes).unwrap_err(), DamagedLine { line: 4 });
}

#[test]
fn a_fresh_book_is_empty() {
    assert_eq!(read(b"").unwrap().book, Book::default());
    let mut book = Book::default();
    run(&mut book, &json!([]), &context("t"));
    assert!(book.is_empty());
}

/// Large journals are read by several threads: the same book, and the same line for what is wrong.
#[test]
fn a_large_journal_is_read_as_a_small_one_is() {
    let (records, _) = history(&[0, 8, 16, 24]);
    let filler: Vec<Record> = (0..9_000)
        .map(|number| Record::Vote {
            id: format!("s-{:05}", number % 4),
            trace: format!("t{number}"),
            vote: super::Vote::default(),
        })
        .collect();
    let all: Vec<Record> = records.iter().chain(&filler).cloned().collect();
    let mut bytes = write(&all);
    while bytes.len() < 3 << 20 {
        bytes.extend(write(&filler));
    }
    let mut expected = Book::default();
    for record in all {
        expected.apply(record);
    }
    let journal = read(&bytes).unwrap();
    assert_eq!(journal.book, expected);
    assert_eq!(journal.whole, bytes.len() as u64);
    let line = journal.records / 2;
    let at =
        bytes.split_inclusive(|byte| *byte == b'\n').take(line as usize - 1).map(<[u8]>::len).sum::<usize>();
    bytes[at] = b'!';
    assert_eq!(read(&bytes).unwrap_err(), DamagedLine { line });
    let end = bytes.len();
    bytes[end / 8] = 0xff;
    assert!(read(&bytes).unwrap_err().line < line, "the first of two is named");
}

proptest! {
    #[test]
    fn case_67_a_journal_cut_anywhere_makes_the_book_of_its_whole_records(
        steps in prop::collection::vec(any::<u8>(), 0..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let (records, book) = history(&steps);
        let bytes = write(&records);
        prop_assert_eq!(&read(&bytes).unwrap().book, &book);
        let cut = cut.index(bytes.len() + 1);
        let journal = read(&bytes[..cut]).unwrap();
        let mut expected = Book::default();
        for record in records.iter().take(usize::try_from(journal.records).unwrap()) {
            expected.apply(record.clone());
        }
        prop_assert_eq!(&journal.book, &expected);
        prop_assert!(bytes[..cut].iter().skip(usize::try_from(journal.whole).unwrap()).all(|byte| *byte != b'\n'));
        let compact: Vec<Record> = book.records().collect();
        prop_assert_eq!(&read(&write(&compact)).unwrap().book, &book);
    }
}
