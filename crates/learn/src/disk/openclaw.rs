//! Reads sessions in OpenClaw's own store, an SQLite file with one row for each line of a transcript.
//!
//! Must never write there, hold more than a few rows at once, or take a row that cannot be unpacked for none.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, Row};
use ruzstd::decoding::StreamingDecoder;

use super::session_file::{SessionFile, UnreadableFile};
use engross_transcript::lines::LONGEST_LINE;

/// Where the store of an agent is, from the folder of its sessions.
const BESIDE: &str = "../agent/openclaw-agent.sqlite";

/// How every SQLite file begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Rows that are read at once.
const ROWS: i64 = 32;

/// How long another program may keep the store to itself.
const PATIENCE: Duration = Duration::from_secs(5);

/// Stands for a row that cannot be unpacked: a line that is no JSON, so that it is counted.
const BAD: &str = "unreadable row";

/// The store beside a folder of sessions, if there is one.
pub(super) fn beside(folder: &Path) -> Option<PathBuf> {
    let store = folder.join(BESIDE);
    // The folder itself may be gone: everything is in the store now.
    let store = std::path::absolute(&store).map_or(store, |path| without_parents(&path));
    is_store(&store).then_some(store)
}

fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == std::path::Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

/// Whether a path leads to an SQLite file.
#[expect(clippy::disallowed_methods, reason = "this is the module that touches paths")]
pub(super) fn is_store(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
        && std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && magic == MAGIC
}

/// The sessions of a store, by id.
pub(super) fn sessions(path: &Path) -> Result<Vec<SessionFile>, UnreadableFile> {
    let failed = |error: rusqlite::Error| pass(path, &error);
    let connection = open(path).map_err(failed)?;
    let bytes = if has(&connection, "event_utf8_bytes").map_err(failed)? {
        "COALESCE(event_utf8_bytes, LENGTH(event_json), 0)"
    } else {
        "COALESCE(LENGTH(event_json), 0)"
    };
    let query = format!(
        "SELECT session_id, SUM({bytes} + 1), MAX(CAST(created_at AS INTEGER)) FROM transcript_events GROUP BY session_id ORDER BY session_id"
    );
    let mut statement = connection.prepare(&query).map_err(failed)?;
    let found = statement.query_map([], |row| {
        let session: String = row.get(0)?;
        Ok(SessionFile {
            path: path.to_owned(),
            name: format!("{session}.jsonl"),
            size: number(row, 1),
            modified: millis(number(row, 2)),
            inode: 0,
            session: Some(session),
        })
    });
    found.and_then(Iterator::collect).map_err(failed)
}

fn number(row: &Row<'_>, at: usize) -> u64 {
    row.get::<_, Option<i64>>(at)
        .ok()
        .flatten()
        .and_then(|number| u64::try_from(number).ok())
        .unwrap_or_default()
}

/// A time in milliseconds, also of a store that counts seconds.
fn millis(time: u64) -> u64 {
    if time < 100_000_000_000 { time.saturating_mul(1000) } else { time }
}

fn pass(path: &Path, error: &rusqlite::Error) -> UnreadableFile {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    UnreadableFile { name, reason: format!("it is no store of OpenClaw that can be read: {error}") }
}

fn open(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// Whether the rows have this column.
fn has(connection: &Connection, column: &str) -> rusqlite::Result<bool> {
    let query = "SELECT 1 FROM pragma_table_info('transcript_events') WHERE name = ?1";
    Ok(connection.query_row(query, [column], |_| Ok(())).optional()?.is_some())
}

/// The rows of one session as the lines of a file.
#[derive(Debug)]
pub(super) struct StoredRows {
    connection: Connection,
    session: String,
    query: String,
    /// The number of the last row that was read.
    last: i64,
    lines: Vec<u8>,
    given: usize,
}

impl StoredRows {
    /// The rows of `session`, first to last.
    pub(super) fn open(path: &Path, session: &str) -> Result<Self, UnreadableFile> {
        let failed = |error: rusqlite::Error| pass(path, &error);
        let connection = open(path).map_err(failed)?;
        let packed = if has(&connection, "event_zstd").map_err(failed)? { "event_zstd" } else { "NULL" };
        let query = format!(
            "SELECT seq, event_json, {packed} FROM transcript_events WHERE session_id = ?1 AND seq > ?2 ORDER BY seq LIMIT {ROWS}"
        );
        Ok(Self {
            connection,
            session: session.to_owned(),
            query,
            last: i64::MIN,
            lines: Vec::new(),
            given: 0,
        })
    }

    fn fill(&mut self) -> rusqlite::Result<()> {
        self.lines.clear();
        self.given = 0;
        let mut statement = self.connection.prepare_cached(&self.query)?;
        let mut rows = statement.query((&self.session, self.last))?;
        while let Some(row) = rows.next()? {
            self.last = row.get(0)?;
            let json: Option<String> = row.get(1).ok().flatten();
            let line = match json.filter(|json| !json.is_empty()) {
                Some(json) => json,
                None => row
                    .get::<_, Option<Vec<u8>>>(2)
                    .ok()
                    .flatten()
                    .and_then(|bytes| unpack(&bytes))
                    .unwrap_or_else(|| BAD.to_owned()),
            };
            // Between the tokens of JSON a line's end is a space like any other; in a string it cannot stand.
            self.lines.extend(line.bytes().map(|byte| if byte == b'\n' { b' ' } else { byte }));
            self.lines.push(b'\n');
        }
        Ok(())
    }
}

/// What was packed; `None` when it cannot be unpacked, or is longer than any line that is read.
fn unpack(bytes: &[u8]) -> Option<String> {
    let most = u64::try_from(LONGEST_LINE).ok()?;
    let mut text = String::new();
    StreamingDecoder::new(bytes).ok()?.take(most + 1).read_to_string(&mut text).ok()?;
    (text.len() <= LONGEST_LINE).then_some(text)
}

impl Read for StoredRows {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.given == self.lines.len() {
            self.fill().map_err(std::io::Error::other)?;
        }
        let rest = self.lines.get(self.given..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.given += count;
        Ok(count)
    }
}
