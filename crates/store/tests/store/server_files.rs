//! Rows of owners' files in Postgres: who may write them, and that they come back as they were.

use std::sync::Arc;
use std::time::Duration;

use engross_store::mirror::{FileContent, FilePart, FileRow, FileTable, FileTerm};
use engross_store::{Homes, PostgresFileTable, PostgresHomes, PostgresStore};
use engross_testkit::postgres::skip;

use crate::fixture::runtime;
use crate::server::OneSchema;

const LONG: Duration = Duration::from_secs(60);

fn row(path: &str, content: FileContent) -> FileRow {
    let is_folder = content == FileContent::Folder;
    let (mode, modified) = if is_folder { (0, 0) } else { (0o640, 1_795_900_000_123_456_789) };
    FileRow { path: path.to_owned(), mode, modified, content }
}

fn file(path: &str, parts: usize, tail: &[u8]) -> FileRow {
    let part = |number: usize| FilePart {
        length: 4 << 20,
        sha256: [u8::try_from(number % 256).unwrap(); 32],
        term: number as u64,
    };
    row(path, FileContent::Bytes { parts: (0..parts).map(part).collect(), tail: tail.to_vec() })
}

#[test]
fn rows_are_those_of_one_term_and_come_back_as_they_were() {
    let Some(schema) = OneSchema::new() else { return skip() };
    runtime().block_on(async {
        let store = Arc::new(PostgresStore::open(&schema.url()).await.unwrap());
        let homes = PostgresHomes::open(&store).await.unwrap();
        let table = PostgresFileTable::open(store).await.unwrap();
        // Who has not the home has no term.
        assert_eq!(table.begin("anna", "one").await.unwrap(), None);
        assert!(homes.take("anna", "one", "http://one", LONG).await.unwrap());
        assert_eq!(table.begin("anna", "two").await.unwrap(), None);
        let first = table.begin("anna", "one").await.unwrap().unwrap();
        assert_eq!((first.number, first.changes), (1, 0));
        let all = vec![
            file("files/.engross-staged-x", 0, b""),
            row("files/empty", FileContent::Folder),
            file("files/na\u{ef}ve '\\ \u{fffd}C3.docx", 3, &[0, 1, 2, 255, 0]),
        ];
        assert_eq!(table.change("anna", 1, all.clone(), Vec::new()).await.unwrap(), Some(1));
        let none = vec!["files/none".to_owned()];
        assert_eq!(table.change("anna", 1, Vec::new(), none).await.unwrap(), Some(2));
        assert_eq!(table.rows("anna", 0).await.unwrap(), (all.clone(), 1));
        assert_eq!(table.rows("ben", 7).await.unwrap(), (Vec::new(), 7));
        // Replaced and removed at once.
        let put = vec![file("files/.engross-staged-x", 40, b"grown")];
        let removed = vec!["files/empty".to_owned()];
        assert_eq!(table.change("anna", 1, put.clone(), removed).await.unwrap(), Some(3));
        let now = vec![put[0].clone(), all[2].clone()];
        assert_eq!(table.rows("anna", 0).await.unwrap(), (now.clone(), 3));
        assert_eq!(table.rows("anna", 1).await.unwrap(), (put, 3));
        assert!(!first.is_whole && table.note_whole("anna", 1, true).await.unwrap());
        // Another node takes the home: what the first one sends late is refused, wholly.
        homes.release("anna", "one").await.unwrap();
        assert!(homes.take("anna", "two", "http://two", LONG).await.unwrap());
        let second = table.begin("anna", "two").await.unwrap();
        assert_eq!(second, Some(FileTerm { number: 2, changes: 3, is_whole: true, ..first }));
        assert_eq!(table.term("anna").await.unwrap(), second);
        assert_eq!(table.term("ben").await.unwrap(), None);
        assert!(homes.take("ben", "two", "http://two", LONG).await.unwrap());
        let of_ben = table.begin("ben", "two").await.unwrap().unwrap();
        assert_ne!(of_ben.id, second.unwrap().id);
        assert!(!table.note_whole("anna", 1, false).await.unwrap());
        assert!(table.term("anna").await.unwrap().unwrap().is_whole);
        let late = vec!["files/.engross-staged-x".to_owned()];
        let put = vec![file("files/late", 0, b"late")];
        assert_eq!(table.change("anna", 1, put, late).await.unwrap(), None);
        assert_eq!(table.rows("anna", 0).await.unwrap(), (now, 3));
        assert_eq!(table.terms("anna").await.unwrap(), [1, 2]);
        table.forget_term("anna", 1).await.unwrap();
        assert_eq!(table.terms("anna").await.unwrap(), [2]);
    });
}

/// An index has no room for long texts that cannot be made shorter.
#[test]
fn a_path_of_any_length_is_kept() {
    let Some(schema) = OneSchema::new() else { return skip() };
    runtime().block_on(async {
        let store = Arc::new(PostgresStore::open(&schema.url()).await.unwrap());
        let homes = PostgresHomes::open(&store).await.unwrap();
        let table = PostgresFileTable::open(store).await.unwrap();
        assert!(homes.take("anna", "one", "http://one", LONG).await.unwrap());
        let term = table.begin("anna", "one").await.unwrap().unwrap().number;
        let mut state = 7_u64;
        let mut letters = |count: usize| -> String {
            let next = |state: &mut u64| {
                *state =
                    state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                char::from_u32(0x4e00 + u32::try_from(*state >> 52).unwrap()).unwrap()
            };
            (0..count).map(|_| next(&mut state)).collect()
        };
        let path: String = (0..17).fold("files".to_owned(), |path, _| format!("{path}/{}", letters(80)));
        assert!(path.len() > 4_000);
        let all = vec![file(&path, 1, b"end")];
        assert!(table.change("anna", term, all.clone(), Vec::new()).await.unwrap().is_some());
        assert!(table.change("anna", term, all.clone(), Vec::new()).await.unwrap().is_some());
        assert_eq!(table.rows("anna", 0).await.unwrap().0, all);
        assert!(table.change("anna", term, Vec::new(), vec![path]).await.unwrap().is_some());
        assert_eq!(table.rows("anna", 0).await.unwrap().0, []);
    });
}

/// Many writers of an old term, and one who begins the next in their midst: what it reads then is all that they were told is done.
#[test]
fn nothing_is_told_as_kept_that_the_next_term_does_not_see() {
    let Some(schema) = OneSchema::new() else { return skip() };
    runtime().block_on(async {
        let store = Arc::new(PostgresStore::open(&schema.url()).await.unwrap());
        let homes = PostgresHomes::open(&store).await.unwrap();
        let table = Arc::new(PostgresFileTable::open(store).await.unwrap());
        assert!(homes.take("anna", "one", "http://one", LONG).await.unwrap());
        for round in 1..=6_u64 {
            let begun = table.begin("anna", "one").await.unwrap().unwrap();
            assert_eq!(begun.number, 2 * round - 1);
            let mut writing = tokio::task::JoinSet::new();
            for writer in 0..8_u64 {
                let table = Arc::clone(&table);
                writing.spawn(async move {
                    let mut told = Vec::new();
                    for number in 0.. {
                        let path = format!("files/{round}/{writer}/{number}");
                        let put = vec![file(&path, 0, b"x")];
                        if table.change("anna", 2 * round - 1, put, Vec::new()).await.unwrap().is_none() {
                            return told;
                        }
                        told.push(path);
                    }
                    told
                });
            }
            tokio::time::sleep(Duration::from_millis(20 * round)).await;
            assert_eq!(table.begin("anna", "one").await.unwrap().unwrap().number, 2 * round);
            let seen: Vec<String> =
                table.rows("anna", 0).await.unwrap().0.into_iter().map(|row| row.path).collect();
            let of_round = seen.iter().filter(|path| path.starts_with(&format!("files/{round}/"))).count();
            let mut told = 0;
            while let Some(paths) = writing.join_next().await {
                let paths = paths.unwrap();
                told += paths.len();
                assert!(paths.iter().all(|path| seen.contains(path)), "round {round}");
            }
            assert_eq!(of_round, told, "round {round}: what was refused is not there");
        }
    });
}
