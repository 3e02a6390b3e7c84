//! The journal: any history, cut anywhere.

use proptest::prelude::*;
use serde_json::json;

use super::apply_tests::{add, context, run};
use super::journal::{Damaged, Record, read, write};
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
                book.take(record);
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
    assert_eq!(read(&bytes).unwrap_err(), Damaged { line: 4 });
}

#[test]
fn a_fresh_book_is_empty() {
    assert_eq!(read(b"").unwrap().book, Book::default());
    let mut book = Book::default();
    run(&mut book, &json!([]), &context("t"));
    assert!(book.is_empty());
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
            expected.take(record.clone());
        }
        prop_assert_eq!(&journal.book, &expected);
        prop_assert!(bytes[..cut].iter().skip(usize::try_from(journal.whole).unwrap()).all(|byte| *byte != b'\n'));
        let compact: Vec<Record> = book.records().collect();
        prop_assert_eq!(&read(&write(&compact)).unwrap().book, &book);
    }
}
