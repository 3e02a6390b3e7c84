//! OpenClaw's own store: its rows are read as the lines of a file, and nothing is written there.

use engross_learn::disk::{discover, open, sessions_at};
use engross_learn::run::{Reflector, SessionOutcome, SessionSource};
use engross_learn::skillbook::SkillStatus;
use engross_transcript::stats::count;
use rusqlite::Connection;

use super::home::{Home, entry, outcomes, said, stumbling, user};

/// Text packed by Zstandard: `{"type":"message",…}` with 2,000 times `long ` in it, made by its reference program.
const PACKED: &[u8] = include_bytes!("fixtures/packed.zst");

fn store(home: &Home) -> std::path::PathBuf {
    let folder = home.folder.path().join("agents/main/agent");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join("openclaw-agent.sqlite")
}

/// A store with these sessions, still open as OpenClaw has it while it runs.
fn made(home: &Home, sessions: &[(&str, String)]) -> Connection {
    let connection = Connection::open(store(home)).unwrap();
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB,
                event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY(session_id, seq));
             CREATE TABLE session_nodes(session_key TEXT, current_session_id TEXT, entry_json TEXT, status TEXT);",
        )
        .unwrap();
    for (session, text) in sessions {
        add(&connection, session, 0, text);
    }
    connection
}

fn add(connection: &Connection, session: &str, from: usize, text: &str) {
    for (at, line) in text.lines().enumerate() {
        connection
            .execute(
                "INSERT INTO transcript_events VALUES (?1, ?2, ?3, 1790000000000, NULL, ?4, NULL)",
                (session, i64::try_from(from + at).unwrap(), line, i64::try_from(line.len()).unwrap()),
            )
            .unwrap();
    }
}

#[test]
fn a_store_gives_what_files_of_its_lines_give() {
    let home = Home::new();
    let long: String = (0..100).map(|at| entry("b", at + 6, &user(&format!("and {at}?")))).collect();
    let sessions = [("a", stumbling("a")), ("b", stumbling("b") + &long)];
    let _running = made(&home, &sessions);
    let (found, passed) = discover(&home.sessions()).unwrap();
    assert_eq!(passed, []);
    assert_eq!(found.iter().map(|found| found.name.as_str()).collect::<Vec<_>>(), ["a.jsonl", "b.jsonl"]);
    for (found, (_, text)) in found.iter().zip(&sessions) {
        assert_eq!(count(open(found).unwrap()).unwrap(), count(text.as_bytes()).unwrap(), "{}", found.name);
        assert_eq!(found.size, text.len() as u64);
    }
    let before = std::fs::read(store(&home)).unwrap();
    let report = home.learn();
    assert_eq!(outcomes(&report), [("a.jsonl", "learnt"), ("b.jsonl", "learnt")]);
    assert_eq!(home.book().count(SkillStatus::Active), 1, "two sessions with the same stumble");
    assert_eq!(std::fs::read(store(&home)).unwrap(), before);
    assert_eq!(home.learn().skipped, 2, "nothing is new");
}

#[test]
fn a_session_of_a_store_that_went_on_is_learnt_from_where_it_was_left() {
    let home = Home::new();
    let text = stumbling("a");
    let running = made(&home, &[("a", text.clone())]);
    home.learn();
    let further = entry("a", 6, &user("No, always use the file in /opt")) + &entry("a", 7, &said("Done."));
    add(&running, "a", text.lines().count(), &further);
    let report = home.learn();
    let SessionOutcome::Learnt { effects } = &report.sessions[0].outcome else { panic!("{report:?}") };
    assert_eq!(effects.len(), 1, "the stumble was learnt before");
}

#[test]
fn what_was_moved_into_the_store_is_not_read_twice() {
    let home = Home::new();
    home.write("a.jsonl", stumbling("a"));
    let _running = made(&home, &[("a", stumbling("a"))]);
    assert_eq!(outcomes(&home.learn()), [("a.jsonl", "learnt")]);
}

#[test]
fn a_store_stands_for_its_sessions_where_the_folder_is_gone_and_by_its_own_name() {
    let home = Home::new();
    drop(made(&home, &[("a", stumbling("a")), ("b", stumbling("b"))]));
    std::fs::remove_dir(home.sessions()).unwrap();
    assert_eq!(discover(&home.sessions()).unwrap().0.len(), 2);
    assert_eq!(sessions_at(&store(&home)).0.len(), 2);
    let input = SessionSource::Files(vec![store(&home)]);
    assert_eq!(home.learn_with(Reflector::Rules, &input).unwrap().learnt, 2);
}

#[test]
fn rows_that_are_packed_are_unpacked_and_rows_that_cannot_be_are_counted() {
    let home = Home::new();
    let running = made(&home, &[("a", stumbling("a"))]);
    for (seq, bytes) in [(100, PACKED), (101, b"\x28\xb5\x2f\xfdnonsense".as_slice()), (102, b"".as_slice())]
    {
        running
            .execute("INSERT INTO transcript_events VALUES ('a', ?1, NULL, 1, ?2, 1, NULL)", (seq, bytes))
            .unwrap();
    }
    let (found, _) = sessions_at(&store(&home));
    let stats = count(open(&found[0]).unwrap()).unwrap();
    assert_eq!((stats.bad_lines, stats.roles["user"]), (2, 2), "{stats:?}");
}

#[test]
fn a_file_that_is_another_store_is_told() {
    let home = Home::new();
    home.write("a.jsonl", stumbling("a"));
    Connection::open(store(&home)).unwrap().execute_batch("CREATE TABLE other(x)").unwrap();
    let report = home.learn();
    assert_eq!(outcomes(&report), [("openclaw-agent.sqlite", "failed"), ("a.jsonl", "learnt")]);
}
