//! Lists session files and opens them.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use super::again::SessionLines;
use super::openclaw::{self, StoredRows};
use super::session_file::{SessionFile, UnreadableFile};
use super::whole::unreadable;
use crate::Error;
use engross_transcript::stats::sha;
use engross_transcript::{SessionMaker, TextSource, Transcript, foreign};

/// Bytes at a file's beginning, and before the place up to which it was read, that tell whether it is still the same file.
const HEAD: u64 = 1024;

/// The folder of an agent's sessions beneath OpenClaw's home.
///
/// # Errors
/// [`Error::AgentInvalid`] when the id could lead elsewhere.
pub fn folder_of(home: &Path, agent: &str) -> Result<PathBuf, Error> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_id =
        !agent.is_empty() && agent.len() <= 128 && agent.chars().all(is_name) && !agent.starts_with('.');
    if !is_id {
        return Err(Error::AgentInvalid {
            id: agent.chars().take(80).flat_map(char::escape_debug).collect(),
        });
    }
    Ok(home.join("agents").join(agent).join("sessions"))
}

/// The sessions of a folder, by name, and what there looks like one and is none. With them come those of OpenClaw's store beside
/// the folder; `folder` may also be such a store itself.
///
/// # Errors
/// [`Error::SessionsMissing`] and [`Error::ReadFailed`].
pub fn discover(folder: &Path) -> Result<(Vec<SessionFile>, Vec<UnreadableFile>), Error> {
    if openclaw::is_store(folder) {
        return Ok(sessions_at(folder));
    }
    let store = openclaw::beside(folder);
    let (mut found, mut passed) = match std::fs::read_dir(folder) {
        Ok(entries) => {
            let mut held = files(folder, entries)?;
            // Beside sessions only those of their helpers are looked for.
            let only = if held.0.is_empty() { None } else { Some(HELPERS) };
            beneath(folder, ("", only), 0, &mut held);
            held
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && store.is_some() => Default::default(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::SessionsMissing { path: folder.display().to_string() });
        }
        Err(error) => return Err(unreadable(folder, &error)),
    };
    if let Some(store) = store {
        let (stored, failed) = sessions_at(&store);
        // What was moved into the store may have been left in the folder too.
        found.retain(|file| !stored.iter().any(|row| row.name == file.name));
        found.extend(stored);
        passed.extend(failed);
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    passed.sort_by(|a, b| a.name.cmp(&b.name));
    Ok((found, passed))
}

fn files(folder: &Path, entries: std::fs::ReadDir) -> Result<(Vec<SessionFile>, Vec<UnreadableFile>), Error> {
    let (mut found, mut passed) = (Vec::new(), Vec::new());
    for entry in entries {
        let entry = entry.map_err(|error| unreadable(folder, &error))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // Gemini CLI keeps a session as one object.
        let is_object = name.starts_with("session-") && name.ends_with(".json");
        if !(name.ends_with(".jsonl") || is_object) || name.starts_with('.') {
            continue;
        }
        match inspect_file(&entry.path()) {
            Ok(session) => found.push(session),
            Err(reason) => passed.push(reason),
        }
    }
    Ok((found, passed))
}

/// So deep do programs keep their sessions: `projects/NAME/ID/subagents`, `sessions/YEAR/MONTH/DAY`.
const DEEP: usize = 6;

/// The folders in which Claude Code keeps the sessions of helpers, beneath one for the session that they help.
const HELPERS: &str = "subagents";

/// The sessions in the folders of a folder, each by its way from there; only in those with a name, if one is given. Links are
/// not followed.
fn beneath(
    folder: &Path,
    (way, only): (&str, Option<&str>),
    depth: usize,
    held: &mut (Vec<SessionFile>, Vec<UnreadableFile>),
) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let way = format!("{way}{name}/");
        if only.is_none_or(|only| only == name)
            && let Ok((found, passed)) = std::fs::read_dir(entry.path())
                .map_err(|error| unreadable(&entry.path(), &error))
                .and_then(|entries| files(&entry.path(), entries))
        {
            held.0.extend(
                found.into_iter().map(|file| SessionFile { name: format!("{way}{}", file.name), ..file }),
            );
            held.1.extend(
                passed.into_iter().map(|file| UnreadableFile { name: format!("{way}{}", file.name), ..file }),
            );
        }
        if depth < DEEP {
            beneath(&entry.path(), (&way, only), depth + 1, held);
        }
    }
}

/// The sessions that a path leads to: one for a file, those of a store for a store.
#[must_use]
pub fn sessions_at(path: &Path) -> (Vec<SessionFile>, Vec<UnreadableFile>) {
    let looked = match openclaw::is_store(path) {
        true => openclaw::sessions(path),
        false => inspect_file(path).map(|found| traces_in(&found).unwrap_or_else(|| vec![found])),
    };
    match looked {
        Ok(found) => (found, Vec::new()),
        Err(passed) => (Vec::new(), vec![passed]),
    }
}

/// Says what a path is, without opening it: opening a pipe would wait for its writer.
///
/// # Errors
/// Why it is no session file.
pub fn inspect_file(path: &Path) -> Result<SessionFile, UnreadableFile> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let pass = |reason: String| UnreadableFile { name: name.clone(), reason };
    let metadata =
        std::fs::metadata(path).map_err(|error| pass(format!("it cannot be looked at: {error}")))?;
    if !metadata.is_file() {
        return Err(pass("it is no ordinary file".to_owned()));
    }
    let modified = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let modified = modified.and_then(|at| u64::try_from(at.as_millis()).ok()).unwrap_or_default();
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let inode = 0;
    Ok(SessionFile { path: path.to_owned(), name, size: metadata.len(), modified, inode, session: None })
}

/// Bytes of the largest file of another program that is read.
const FOREIGN: u64 = 256 << 20;

/// What stands before the number of a trace in a file of several.
const TRACE: &str = "trace ";

/// A session that was read, and what gives its long texts again, which are not held.
#[derive(Debug)]
pub struct SparedSession {
    /// The session.
    pub transcript: Transcript,
    /// Its texts, unless all are held.
    pub texts: Option<Arc<dyn TextSource>>,
}

/// Reads a session of any program that is known. A last line without an end is read only if `is_over`: the file does not grow any more.
///
/// # Errors
/// Why it cannot be read.
pub fn read_session(found: &SessionFile, is_over: bool) -> Result<SparedSession, UnreadableFile> {
    let failed = |error: std::io::Error| UnreadableFile {
        name: found.name.clone(),
        reason: format!("it cannot be read: {error}"),
    };
    let number = trace_number(found);
    let session = match open(found)?.0 {
        ReaderKind::File(file) => {
            // Both handles share their place in the file: nothing is read again before all was read once.
            let texts: Arc<dyn TextSource> =
                Arc::new(SessionLines::of_file(file.try_clone().map_err(failed)?));
            let transcript = Transcript::read_sparing(file, is_over, Arc::clone(&texts)).map_err(failed)?;
            SparedSession { transcript, texts: Some(texts) }
        }
        // A row of a store has no place to go back to.
        rows @ ReaderKind::Rows(_) => {
            let transcript = Transcript::read(SessionReader(rows), is_over).map_err(failed)?;
            SparedSession { transcript, texts: None }
        }
    };
    if !session.transcript.is_foreign() && number.is_none() || found.size > FOREIGN {
        return Ok(session);
    }
    let mut bytes = Vec::new();
    open(found)?.take(FOREIGN).read_to_end(&mut bytes).map_err(failed)?;
    let Some((_, sessions)) = foreign::retell(&bytes) else { return Ok(session) };
    let Some(retold) = sessions.into_iter().nth(number.unwrap_or_default()) else { return Ok(session) };
    let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    drop(bytes);
    let lines = Arc::new(SessionLines::of_memory(retold.lines));
    let texts: Arc<dyn TextSource> = Arc::<SessionLines>::clone(&lines);
    let mut read = Transcript::read_sparing(lines.bytes(), true, texts).map_err(failed)?;
    read.given = retold.given;
    // What was read is the file, not what was made of it.
    read.end.offset = size;
    Ok(SparedSession { transcript: read, texts: None })
}

/// Which trace of its file a session is.
fn trace_number(found: &SessionFile) -> Option<usize> {
    found.session.as_deref()?.strip_prefix(TRACE)?.parse().ok()
}

/// The traces of a file of several, each a session of its own.
fn traces_in(file: &SessionFile) -> Option<Vec<SessionFile>> {
    let mut bytes = Vec::new();
    open(file).ok()?.take(HEAD).read_to_end(&mut bytes).ok()?;
    memchr::memmem::find(&bytes, b"\"question\"").filter(|_| file.size <= FOREIGN)?;
    bytes.clear();
    open(file).ok()?.take(FOREIGN).read_to_end(&mut bytes).ok()?;
    let (maker, sessions) = foreign::retell(&bytes)?;
    let of_number = |number: usize| SessionFile {
        name: format!("{}#{}", file.name, number + 1),
        session: Some(format!("{TRACE}{number}")),
        ..file.clone()
    };
    (maker == SessionMaker::Traces && sessions.len() > 1)
        .then(|| (0..sessions.len()).map(of_number).collect())
}

/// The bytes of a session.
#[derive(Debug)]
pub struct SessionReader(ReaderKind);

#[derive(Debug)]
enum ReaderKind {
    File(File),
    Rows(Box<StoredRows>),
}

impl Read for SessionReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match &mut self.0 {
            ReaderKind::File(file) => file.read(buffer),
            ReaderKind::Rows(rows) => rows.read(buffer),
        }
    }
}

impl SessionReader {
    /// Goes on behind the first `offset` bytes, of which nothing was read yet.
    fn skip_to(&mut self, offset: u64) -> std::io::Result<()> {
        match &mut self.0 {
            ReaderKind::File(file) => file.seek(SeekFrom::Start(offset)).map(|_| ()),
            ReaderKind::Rows(rows) => std::io::copy(&mut rows.take(offset), &mut std::io::sink()).map(|_| ()),
        }
    }
}

/// Opens a session.
///
/// # Errors
/// Why it cannot be read.
#[expect(clippy::disallowed_methods, reason = "this is the module that touches paths")]
pub fn open(found: &SessionFile) -> Result<SessionReader, UnreadableFile> {
    if let Some(session) = found.session.as_ref().filter(|_| trace_number(found).is_none()) {
        return StoredRows::open(&found.path, session)
            .map(|rows| SessionReader(ReaderKind::Rows(Box::new(rows))));
    }
    let opened = File::open(&found.path).map(|file| SessionReader(ReaderKind::File(file)));
    opened.map_err(|error| UnreadableFile {
        name: found.name.clone(),
        reason: format!("it cannot be read: {error}"),
    })
}

/// Beginning of the hash of a file's first line, as far as its first bytes hold it.
///
/// # Errors
/// Why it cannot be read.
pub fn head_of(found: &SessionFile) -> Result<String, UnreadableFile> {
    let mut head = Vec::new();
    let read = open(found)?.take(HEAD).read_to_end(&mut head);
    read.map_err(|error| UnreadableFile {
        name: found.name.clone(),
        reason: format!("it cannot be read: {error}"),
    })?;
    // The first line is whole from the beginning on; what follows may still grow.
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(sha(line))
}

/// Beginning of the hash of the last bytes before `offset`: what was read there, unless the file was written anew.
///
/// # Errors
/// Why it cannot be read.
pub fn tail_of(found: &SessionFile, offset: u64) -> Result<String, UnreadableFile> {
    let failed = |error: std::io::Error| UnreadableFile {
        name: found.name.clone(),
        reason: format!("it cannot be read: {error}"),
    };
    let mut file = open(found)?;
    file.skip_to(offset.saturating_sub(HEAD)).map_err(failed)?;
    let mut tail = Vec::new();
    file.take(offset.min(HEAD)).read_to_end(&mut tail).map_err(failed)?;
    Ok(sha(&tail))
}
