//! What is stored beside the content: how the session began, what it was when its content was last durable, and small
//! chunks that came since.
//!
//! Must never be believed beyond its first record that is not whole.

use std::cmp::Ordering;
use std::io::{BufReader, Read, Seek, SeekFrom};

use engross_store::Millis;
use engross_store::files::{FileError, Folder, StagedFile, StagedName};
use serde::{Deserialize, Serialize};

use super::WriteSessionId;
use super::content::{ContentState, PartState};
use crate::session::{State, WriteSession, WriteWarning};

/// What the name of a journal ends in.
const SUFFIX: &str = "-journal";
/// Length, checksum and kind, before each record.
const HEAD: usize = 9;
/// The longest record, in bytes.
const LONGEST: usize = 16 << 20;
/// What is read at once where most is passed over.
const PAGE: usize = 64 << 10;

/// How a session began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct JournalOpening {
    pub(super) id: WriteSessionId,
    pub(super) created: Millis,
    /// The file beneath the server's root.
    pub(super) path: String,
    /// The same beneath the folder that the sender named as root.
    pub(super) shown: String,
    /// Its hash, if it was there.
    pub(super) base: Option<String>,
    pub(super) session: Box<WriteSession>,
    pub(super) content: ContentState,
}

/// What a session was when its content was durable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Checkpoint<S = Box<WriteSession>> {
    pub(super) at: Millis,
    /// How many events were told.
    pub(super) events: u64,
    pub(super) session: S,
    pub(super) content: ContentState,
    /// The file that is about to take its place.
    pub(super) intent: Option<Intent>,
}

/// What of a checkpoint says whether its session is over.
#[derive(Deserialize)]
struct CheckpointEnd {
    session: SessionEnd,
    content: ContentState,
}

#[derive(Deserialize)]
struct SessionEnd {
    state: State,
}

/// A file that is about to take its place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Intent {
    /// The part that is the file.
    pub(super) part: PartState,
    pub(super) sha256: String,
    /// That of the file that it replaces.
    pub(super) previous_sha256: Option<String>,
    /// What was done to the content on the way.
    pub(super) changes: Vec<WriteWarning>,
    /// The checkpoint of the file that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) checkpoint: Option<String>,
    /// What a patch changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) diff: Option<String>,
}

/// What is read from a journal.
#[derive(Debug)]
pub(super) struct JournalContents {
    pub(super) opening: JournalOpening,
    pub(super) checkpoint: Option<Checkpoint>,
    /// Bytes that came before the checkpoint, the last of them.
    pub(super) before: Vec<Vec<u8>>,
    /// Bytes that came since.
    pub(super) since: Vec<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RecordKind {
    Opening = 1,
    Chunk = 2,
    Checkpoint = 3,
}

/// The journal of one session, open for appending.
#[derive(Debug)]
pub(super) struct Journal {
    staged: StagedFile,
}

impl Journal {
    /// The id of the session whose journal has this name.
    pub(super) fn id_of(name: &StagedName) -> Option<WriteSessionId> {
        name.as_str().strip_suffix(SUFFIX)?.parse().ok()
    }

    fn name(id: WriteSessionId) -> Result<StagedName, FileError> {
        StagedName::new(format!("{id}{SUFFIX}"))
    }

    /// Makes a journal, durably, and with it all names that were made in the folder before.
    pub(super) fn create(folder: &Folder, opening: &JournalOpening) -> Result<Self, FileError> {
        let mut journal = Self { staged: folder.stage_unsynced(&Self::name(opening.id)?)? };
        let written = journal
            .write(RecordKind::Opening, &json(opening)?)
            .and_then(|()| journal.staged.sync())
            .and_then(|()| folder.sync_names());
        match written {
            Ok(()) => Ok(journal),
            Err(error) => {
                journal.discard();
                Err(error)
            }
        }
    }

    /// Whether it is that of a session that is over and has left nothing besides. Only its last record is read: what is told of the
    /// session is read by [`Journal::open`], once somebody asks. What is torn, or not understood, is not over here.
    pub(super) fn is_over(folder: &Folder, id: WriteSessionId) -> Result<bool, FileError> {
        let Some(staged) = folder.staged(&Self::name(id)?)? else { return Ok(false) };
        let last = last_record(&mut BufReader::with_capacity(PAGE, staged.reader()?));
        let last = last.and_then(|body| serde_json::from_slice::<CheckpointEnd>(&body).ok());
        Ok(last.is_some_and(|last| last.session.state.is_final() && !last.content.has_parts()))
    }

    /// Opens one and reads what is whole of it; what follows is taken away. `None` when there is none, or nothing in it.
    pub(super) fn open(
        folder: &Folder,
        id: WriteSessionId,
    ) -> Result<Option<(Self, JournalContents)>, FileError> {
        let Some(mut staged) = folder.staged(&Self::name(id)?)? else { return Ok(None) };
        let (read, whole) = match read_end(&staged)? {
            Some((ended, whole)) => (Some(ended), whole),
            None => read(&staged)?,
        };
        staged.truncate(whole)?;
        Ok(read.map(|read| (Self { staged }, read)))
    }

    /// Bytes that came, in place of a checkpoint. Durable.
    pub(super) fn chunk(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.write(RecordKind::Chunk, bytes)?;
        self.staged.sync()
    }

    /// What the session is, once its content is durable. Durable.
    pub(super) fn checkpoint(&mut self, checkpoint: &Checkpoint<&WriteSession>) -> Result<(), FileError> {
        self.write(RecordKind::Checkpoint, &json(checkpoint)?)?;
        self.staged.sync()
    }

    pub(super) fn discard(self) {
        // What cannot be removed now is swept later.
        let _ = self.staged.discard();
    }

    fn write(&mut self, kind: RecordKind, body: &[u8]) -> Result<(), FileError> {
        let mut record = Vec::with_capacity(HEAD + body.len());
        let length = u32::try_from(body.len()).map_err(|_| self.too_long())?;
        record.extend(length.to_le_bytes());
        record.extend(checksum(kind as u8, body).to_le_bytes());
        record.push(kind as u8);
        record.extend(body);
        self.staged.append(&record)
    }

    fn too_long(&self) -> FileError {
        FileError::TooLarge { path: self.staged.name().as_str().to_owned(), limit: LONGEST as u64 }
    }
}

fn checksum(kind: u8, body: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&[kind]);
    crc.update(body);
    crc.finalize()
}

fn json<T: Serialize>(value: &T) -> Result<Vec<u8>, FileError> {
    serde_json::to_vec(value)
        .map_err(|error| FileError::NotWritten { path: "journal".to_owned(), reason: error.to_string() })
}

/// What is whole of the journal of a session that is over, and how many bytes that is. `None` where it is not over. Of what it was on
/// the way nothing is read but that it is whole: a folder has the journals of a day, and opening it must not take as long as they did.
fn read_end(staged: &StagedFile) -> Result<Option<(JournalContents, u64)>, FileError> {
    let mut reader = BufReader::new(staged.reader()?);
    let mut whole = 0;
    let (mut opening, mut last): (Option<Vec<u8>>, Option<Vec<u8>>) = (None, None);
    while let Some((kind, body)) = record(&mut reader) {
        whole += (HEAD + body.len()) as u64;
        match (kind, &opening) {
            (1, None) => opening = Some(body),
            (2, Some(_)) => {}
            (3, Some(_)) => last = Some(body),
            _ => return Err(newer(staged)),
        }
    }
    let (Some(opening), Some(last)) = (opening, last) else { return Ok(None) };
    let checkpoint = serde_json::from_slice::<Checkpoint>(&last).map_err(|_| newer(staged))?;
    if !checkpoint.session.state().is_final() {
        return Ok(None);
    }
    let opening = serde_json::from_slice(&opening).map_err(|_| newer(staged))?;
    let (checkpoint, before, since) = (Some(checkpoint), Vec::new(), Vec::new());
    Ok(Some((JournalContents { opening, checkpoint, before, since }, whole)))
}

/// What is whole of a journal, and how many bytes that is.
fn read(staged: &StagedFile) -> Result<(Option<JournalContents>, u64), FileError> {
    let mut reader = BufReader::new(staged.reader()?);
    let mut whole = 0;
    let mut found: Option<JournalContents> = None;
    while let Some((kind, body)) = record(&mut reader) {
        match (&mut found, kind) {
            (None, 1) => {
                let opening = serde_json::from_slice::<JournalOpening>(&body).map_err(|_| newer(staged))?;
                found = Some(JournalContents {
                    opening,
                    checkpoint: None,
                    before: Vec::new(),
                    since: Vec::new(),
                });
            }
            (Some(read), 2) => read.since.push(body.clone()),
            (Some(read), 3) => {
                let checkpoint = serde_json::from_slice::<Checkpoint>(&body).map_err(|_| newer(staged))?;
                // Only bytes up to the very checkpoint can be compared with what comes again.
                let known: usize = read.since.iter().chain(&read.before).map(Vec::len).sum();
                let since = std::mem::take(&mut read.since);
                let before = read.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.session.offset());
                let came: usize = since.iter().map(Vec::len).sum();
                if before + came as u64 == checkpoint.session.offset() && known <= LONGEST {
                    read.before.extend(since);
                } else {
                    read.before.clear();
                }
                read.checkpoint = Some(checkpoint);
            }
            _ => return Err(newer(staged)),
        }
        whole += (HEAD + body.len()) as u64;
    }
    Ok((found, whole))
}

/// A record is whole and not understood: the journal is left as it is.
fn newer(staged: &StagedFile) -> FileError {
    let reason = "a newer engross has written it: use that one".to_owned();
    FileError::Unreadable { path: staged.name().as_str().to_owned(), reason }
}

/// The body of the last record, if that is a checkpoint and nothing is torn behind it.
fn last_record(reader: &mut BufReader<impl Read + Seek>) -> Option<Vec<u8>> {
    let size = reader.seek(SeekFrom::End(0)).ok()?;
    reader.rewind().ok()?;
    let mut at = 0;
    loop {
        let (length, sum, kind) = head(reader)?;
        at += (HEAD + length) as u64;
        match at.cmp(&size) {
            Ordering::Less => reader.seek_relative(i64::try_from(length).ok()?).ok()?,
            Ordering::Equal if kind == RecordKind::Checkpoint as u8 => {
                let mut body = vec![0; length];
                reader.read_exact(&mut body).ok()?;
                return (checksum(kind, &body) == sum).then_some(body);
            }
            _ => return None,
        }
    }
}

/// The length, the checksum and the kind of the next record.
fn head(reader: &mut impl Read) -> Option<(usize, u32, u8)> {
    let mut head = [0; HEAD];
    reader.read_exact(&mut head).ok()?;
    let [a, b, c, d, e, f, g, h, kind] = head;
    let length = usize::try_from(u32::from_le_bytes([a, b, c, d])).ok();
    Some((length.filter(|length| *length <= LONGEST)?, u32::from_le_bytes([e, f, g, h]), kind))
}

/// The next record, if it is whole.
fn record(reader: &mut impl Read) -> Option<(u8, Vec<u8>)> {
    let (length, sum, kind) = head(reader)?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    (checksum(kind, &body) == sum).then_some((kind, body))
}
