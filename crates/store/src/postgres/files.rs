//! Rows of owners' files in tables beside those of sessions.
//!
//! Must never write a row for a term that is over: the row of the term is locked in the same statement.

use std::sync::Arc;

use engross_protocol::{IdSource, RandomIds, hex};
use sha2::{Digest, Sha256};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::asking::Statement;
use super::open::{Schema, migrated};
use super::rows::{Columns, int};
use super::{PostgresStore, number};
use crate::Error;
use crate::mirror::{FileContent, FilePart, FileRow, FileTable, FileTerm};
use crate::store::Pending;

/// The tables, in a version of their own: only nodes without a shared folder need them.
const SCHEMA: Schema = Schema { version: "engross_files_schema", migrations: &[include_str!("files.sql")] };

/// Who asks has the home, and goes on having it until this is done.
const BEGIN: Statement = Statement {
    text: "
    WITH home AS (SELECT 1 FROM engross_homes WHERE owner = $1 AND holder = $2 FOR SHARE),
    begun AS (
        INSERT INTO engross_files_terms AS t (owner, id, term) SELECT $1::text, $3::text, 1 FROM home
            ON CONFLICT (owner) DO UPDATE SET term = t.term + 1
        RETURNING term, id, changes, is_whole
    ),
    noted AS (INSERT INTO engross_files_objects (owner, term) SELECT $1::text, term FROM begun)
    SELECT term, id, changes, is_whole FROM begun",
    given: &[Type::TEXT, Type::TEXT, Type::TEXT],
};

const TERM: Statement = Statement {
    text: "SELECT term, id, changes, is_whole FROM engross_files_terms WHERE owner = $1",
    given: &[Type::TEXT],
};

const WHOLE: Statement = Statement {
    text: "UPDATE engross_files_terms SET is_whole = $3 WHERE owner = $1 AND term = $2 RETURNING 1",
    given: &[Type::TEXT, Type::INT8, Type::BOOL],
};

const ROWS: Statement = Statement {
    text: "
    SELECT path, is_folder, mode, modified, parts, tail, changed FROM engross_files
    WHERE owner = $1 AND changed > $2 ORDER BY path",
    given: &[Type::TEXT, Type::INT8],
};

const CHANGE: Statement = Statement {
    text: "
    WITH held AS (
        UPDATE engross_files_terms SET changes = changes + 1 WHERE owner = $1 AND term = $2 RETURNING changes
    ),
    removed AS (DELETE FROM engross_files f USING held WHERE f.owner = $1 AND f.digest = ANY($3)),
    put AS (
        INSERT INTO engross_files (owner, digest, path, is_folder, mode, modified, parts, tail, changed)
            SELECT $1::text, n.*, held.changes FROM held,
                unnest(
                    $4::bytea[], $5::text[], $6::boolean[], $7::bigint[], $8::bigint[], $9::text[], $10::bytea[]
                ) AS n
            ON CONFLICT (owner, digest) DO UPDATE
                SET is_folder = excluded.is_folder, mode = excluded.mode, modified = excluded.modified,
                    parts = excluded.parts, tail = excluded.tail, changed = excluded.changed
    )
    SELECT changes FROM held",
    given: &[
        Type::TEXT,
        Type::INT8,
        Type::BYTEA_ARRAY,
        Type::BYTEA_ARRAY,
        Type::TEXT_ARRAY,
        Type::BOOL_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::TEXT_ARRAY,
        Type::BYTEA_ARRAY,
    ],
};

const TERMS: Statement = Statement {
    text: "SELECT term FROM engross_files_objects WHERE owner = $1 ORDER BY term",
    given: &[Type::TEXT],
};

const FORGET: Statement = Statement {
    text: "DELETE FROM engross_files_objects WHERE owner = $1 AND term = $2",
    given: &[Type::TEXT, Type::INT8],
};

/// The rows of owners' files in a database.
#[derive(Debug)]
pub struct PostgresFileTable(Arc<PostgresStore>);

impl PostgresFileTable {
    /// Makes the tables beside those of `store` if they are not there. Those of [`super::PostgresHomes`] are to be there.
    ///
    /// # Errors
    /// As [`PostgresStore::open`].
    pub async fn open(store: Arc<PostgresStore>) -> Result<Self, Error> {
        migrated(&store.opened, &SCHEMA, None).await?;
        Ok(Self(store))
    }
}

impl FileTable for PostgresFileTable {
    fn begin(&self, owner: &str, holder: &str) -> Pending<'_, Option<FileTerm>> {
        let (owner, holder) = (owner.to_owned(), holder.to_owned());
        Box::pin(async move {
            // Kept by the first one alone.
            let id = hex::encode(RandomIds.next(0).get(8..).unwrap_or_default());
            let rows = self.0.query(&BEGIN, &[&owner, &holder, &id]).await?;
            Ok(self.0.each(&rows, term)?.into_iter().next())
        })
    }

    fn term(&self, owner: &str) -> Pending<'_, Option<FileTerm>> {
        let owner = owner.to_owned();
        Box::pin(async move {
            let rows = self.0.query(&TERM, &[&owner]).await?;
            Ok(self.0.each(&rows, term)?.into_iter().next())
        })
    }

    fn note_whole(&self, owner: &str, term: u64, is_whole: bool) -> Pending<'_, bool> {
        let owner = owner.to_owned();
        Box::pin(async move {
            let rows = self.0.query(&WHOLE, &[&owner, &int(term), &is_whole]).await?;
            Ok(!rows.is_empty())
        })
    }

    fn rows(&self, owner: &str, since: u64) -> Pending<'_, (Vec<FileRow>, u64)> {
        let owner = owner.to_owned();
        Box::pin(async move {
            let rows = self.0.query(&ROWS, &[&owner, &int(since)]).await?;
            let damaged = |path: &str| Error::Damaged {
                place: self.0.opened.place.clone(),
                message: format!("the parts of the file '{path}' are not as engross writes them"),
            };
            let (mut files, mut newest) = (Vec::with_capacity(rows.len()), since);
            for row in &rows {
                newest = newest.max(self.0.row(row, |row| number(row, 6))?);
                let (path, is_folder, mode, modified, parts, tail) = self.0.row(row, |row| {
                    let columns: (String, bool, u64) = (row.try_get(0)?, row.try_get(1)?, number(row, 2)?);
                    let (modified, parts, tail): (i64, String, Vec<u8>) =
                        (row.try_get(3)?, row.try_get(4)?, row.try_get(5)?);
                    Ok((columns.0, columns.1, columns.2, modified, parts, tail))
                })?;
                let content = match is_folder {
                    true => FileContent::Folder,
                    false => {
                        FileContent::Bytes { parts: parts_of(&parts).ok_or_else(|| damaged(&path))?, tail }
                    }
                };
                let mode = u32::try_from(mode).unwrap_or_default();
                files.push(FileRow { path, mode, modified, content });
            }
            Ok((files, newest))
        })
    }

    fn change(
        &self,
        owner: &str,
        term: u64,
        put: Vec<FileRow>,
        remove: Vec<String>,
    ) -> Pending<'_, Option<u64>> {
        let owner = owner.to_owned();
        Box::pin(async move {
            let (mut paths, mut folders, mut modes) = (Vec::new(), Vec::new(), Vec::new());
            let (mut times, mut parts, mut tails) = (Vec::new(), Vec::new(), Vec::new());
            for row in put {
                paths.push(row.path);
                modes.push(i64::from(row.mode));
                times.push(row.modified);
                folders.push(row.content == FileContent::Folder);
                let (of_file, tail) = match row.content {
                    FileContent::Folder => (Vec::new(), Vec::new()),
                    FileContent::Bytes { parts, tail } => (parts, tail),
                };
                parts.push(text_of(&of_file));
                tails.push(tail);
            }
            let (remove, digests) = (digests_of(&remove), digests_of(&paths));
            let rows = self
                .0
                .query(
                    &CHANGE,
                    &[
                        &owner,
                        &int(term),
                        &remove,
                        &digests,
                        &paths,
                        &folders,
                        &modes,
                        &times,
                        &parts,
                        &tails,
                    ],
                )
                .await?;
            Ok(self.0.each(&rows, |row| number(row, 0))?.into_iter().next())
        })
    }

    fn terms(&self, owner: &str) -> Pending<'_, Vec<u64>> {
        let owner = owner.to_owned();
        Box::pin(async move {
            let rows = self.0.query(&TERMS, &[&owner]).await?;
            self.0.each(&rows, |row| number(row, 0))
        })
    }

    fn forget_term(&self, owner: &str, term: u64) -> Pending<'_, ()> {
        let owner = owner.to_owned();
        Box::pin(async move { self.0.query(&FORGET, &[&owner, &int(term)]).await.map(drop) })
    }
}

fn term(row: &Row) -> Columns<FileTerm> {
    let (id, is_whole) = (row.try_get(1)?, row.try_get(3)?);
    Ok(FileTerm { number: number(row, 0)?, id, changes: number(row, 2)?, is_whole })
}

fn digests_of(paths: &[String]) -> Vec<Vec<u8>> {
    paths.iter().map(|path| Sha256::digest(path).to_vec()).collect()
}

/// Parts as a row has them: `LENGTH TERM HASH`, with a line for each.
fn text_of(parts: &[FilePart]) -> String {
    let lines = parts
        .iter()
        .map(|FilePart { length, sha256, term }| format!("{length} {term} {}", hex::encode(sha256)));
    lines.collect::<Vec<_>>().join("\n")
}

fn parts_of(text: &str) -> Option<Vec<FilePart>> {
    let part = |line: &str| {
        let mut words = line.split(' ');
        let (length, term) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some(FilePart { length, term, sha256: hex::decode::<32>(words.next()?)? })
    };
    text.lines().map(part).collect()
}
