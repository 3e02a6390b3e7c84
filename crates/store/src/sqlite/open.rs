//! Opens the file: lock, settings, schema.
//!
//! A migration is one string, applied in one transaction together with its number; none is ever changed, only added.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::fault::{meaning, place};
use super::locks::Locks;
use crate::Error;

/// "engr": says in the file's header whose it is.
const APPLICATION: i64 = 0x656e_6772;

/// Statements that are kept prepared, more than there are.
const STATEMENTS: usize = 48;

/// How long a lock of somebody else's tool on the file is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// From nothing to the newest schema, one step each.
pub(super) const MIGRATIONS: &[&str] = &["
    CREATE TABLE sessions (
        number INTEGER PRIMARY KEY CHECK (number < 2147483648),
        id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
        key TEXT NOT NULL,
        head INTEGER NOT NULL CHECK (head < 4294967296),
        created_at INTEGER NOT NULL,
        changed_at INTEGER NOT NULL,
        wake_at INTEGER,
        fence INTEGER NOT NULL DEFAULT 0,
        holder TEXT,
        leased_until INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX sessions_due ON sessions (wake_at, id) WHERE wake_at IS NOT NULL;
    -- place is (the session's number << 32) + the entry's number.
    CREATE TABLE entries (
        place INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        at INTEGER NOT NULL,
        body BLOB NOT NULL
    ) STRICT;
    CREATE TABLE snapshots (
        session INTEGER PRIMARY KEY,
        seq INTEGER NOT NULL,
        state BLOB NOT NULL
    ) STRICT;
    CREATE TABLE names (
        name TEXT PRIMARY KEY,
        session INTEGER NOT NULL,
        value BLOB NOT NULL
    ) STRICT, WITHOUT ROWID;
",
    // What many sessions need: deletion and listing must not look through what is not asked for.
    "
    CREATE INDEX names_session ON names (session);
    CREATE INDEX sessions_group ON sessions (CASE instr(key, char(1)) WHEN 0 THEN '' ELSE substr(key, instr(key, char(1)) + 1,
            instr(substr(key || char(1), instr(key, char(1)) + 1), char(1)) - 1) END, id);
"];

/// An open file whose schema is the newest.
pub(super) struct OpenDatabase {
    pub(super) path: PathBuf,
    pub(super) writer: Connection,
    pub(super) locks: Locks,
}

/// Opens the file at `path`, whose locks were taken.
pub(super) fn open(path: &Path, locks: Locks) -> Result<OpenDatabase, Error> {
    let place = place(path);
    keep_private(path)
        .map_err(|error| Error::Unusable { place: place.clone(), message: error.to_string() })?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut writer = connect(path, flags).map_err(|error| meaning(&error, &place))?;
    prepare(&writer).map_err(|error| meaning(&error, &place))?;
    migrate(&mut writer, &place, MIGRATIONS)?;
    locks.joined().map_err(|error| Error::Unusable { place, message: error.to_string() })?;
    Ok(OpenDatabase { path: path.to_owned(), writer, locks })
}

/// Sees to it that the file, and those that SQLite makes beside it with the same rights, are their owner's alone. Files of an
/// earlier version were not.
#[cfg(unix)]
fn keep_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};

    // Never opened while it is there: closing it would drop the locks of SQLite on it.
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    for suffix in ["", "-wal", "-shm", "-lock", "-join"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let is_open_to_others =
            std::fs::metadata(&name).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0);
        if is_open_to_others {
            // A file of somebody else's stays as it is.
            let _ = std::fs::set_permissions(&name, std::fs::Permissions::from_mode(0o600));
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_private(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// A further connection, for reading.
pub(super) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Plans that may depend on a value are made anew each time a statement comes out of the cache.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

fn prepare(writer: &Connection) -> rusqlite::Result<()> {
    writer.pragma_update(None, "journal_mode", "wal")?;
    writer.pragma_update(None, "synchronous", "full")?;
    // What is deleted, or moved from page to page, leaves nothing behind: a session that is deleted is gone for good.
    writer.pragma_update(None, "secure_delete", "on")?;
    // A log that one large write has blown up is cut again.
    writer.pragma_update(None, "journal_size_limit", 16 << 20)
}

/// Brings the schema up to the newest of `migrations`, or refuses the file.
pub(super) fn migrate(writer: &mut Connection, place: &str, migrations: &[&str]) -> Result<(), Error> {
    let wrong = |error: rusqlite::Error| meaning(&error, place);
    let number = |name: &str| writer.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, found) =
        (number("application_id").map_err(wrong)?, number("user_version").map_err(wrong)?);
    if application != APPLICATION && (found != 0 || has_tables(writer).map_err(wrong)?) {
        let message = "it is a database of another program".to_owned();
        return Err(Error::Unusable { place: place.to_owned(), message });
    }
    let known = u32::try_from(migrations.len()).unwrap_or(u32::MAX);
    let found = u32::try_from(found).unwrap_or(u32::MAX);
    if found > known {
        return Err(Error::Newer { place: place.to_owned(), found, known });
    }
    for (version, migration) in (1..).zip(migrations).skip(found as usize) {
        let mut apply = || {
            let transaction = writer.transaction()?;
            transaction.execute_batch(migration)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", version)?;
            transaction.commit()
        };
        apply().map_err(wrong)?;
    }
    Ok(())
}

fn has_tables(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)", [], |row| row.get(0))
}
