//! Traces in a table of a database, which need not be that of the sessions.

use tokio_postgres::types::Type;

use super::asking::Statement;
use super::fault;
use super::open::{self, OpenPool, Schema};
use super::rows::int;
use crate::Error;
use crate::store::Pending;
use crate::traces::{TraceEvent, Traces};
use crate::types::SessionId;

/// The table, in a version of its own: a database may hold traces alone.
const SCHEMA: Schema = Schema { version: "engross_traces_schema", migrations: &[include_str!("traces.sql")] };

const INSERT: Statement = Statement {
    text: "
    INSERT INTO engross_traces (session, seq, at, type, tool, call, details, error)
    SELECT session, seq, to_timestamp(at / 1000.0), type, tool, call, details::jsonb, error::jsonb
    FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
        AS given (session, seq, at, type, tool, call, details, error)",
    given: &[
        Type::TEXT_ARRAY,
        Type::INT8_ARRAY,
        Type::INT8_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
        Type::TEXT_ARRAY,
    ],
};

const ERASE: Statement =
    Statement { text: "DELETE FROM engross_traces WHERE session = $1", given: &[Type::TEXT] };

/// Keeps traces in the table `engross_traces`.
#[derive(Debug)]
pub struct PostgresTraces {
    opened: OpenPool,
}

impl PostgresTraces {
    /// Opens the database at `url`, such as `postgres://user:password@host/database`, within a tokio runtime, as
    /// [`crate::PostgresStore::open`] does.
    ///
    /// # Errors
    /// [`Error::Unusable`] for an address, a password or a right that is wrong, [`Error::Unavailable`] while the server
    /// does not answer, [`Error::Newer`].
    pub async fn open(url: &str) -> Result<Self, Error> {
        Ok(Self { opened: open::open(url, &SCHEMA).await? })
    }
}

impl Traces for PostgresTraces {
    fn erase(&self, session: SessionId) -> Pending<'_, ()> {
        Box::pin(async move {
            let OpenPool { pool, place, sharing, .. } = &self.opened;
            let client = pool.get().await.map_err(|error| fault::no_connection(&error, place))?;
            let wrong = |error: tokio_postgres::Error| fault::meaning(&error, place);
            sharing.ask(&client, ERASE.text, ERASE.given, &[&session.to_string()]).await.map_err(wrong)?;
            Ok(())
        })
    }

    fn insert(&self, events: Vec<TraceEvent>) -> Pending<'_, ()> {
        Box::pin(async move {
            let OpenPool { pool, place, sharing, .. } = &self.opened;
            let client = pool.get().await.map_err(|error| fault::no_connection(&error, place))?;
            let wrong = |error: tokio_postgres::Error| fault::meaning(&error, place);
            let sessions: Vec<String> = events.iter().map(|event| event.session.to_string()).collect();
            let seqs: Vec<i64> = events.iter().map(|event| int(event.seq)).collect();
            let ats: Vec<i64> = events.iter().map(|event| int(event.at)).collect();
            let kinds: Vec<&str> = events.iter().map(|event| event.kind.as_str()).collect();
            let tools: Vec<Option<&str>> = events.iter().map(|event| event.tool.as_deref()).collect();
            let calls: Vec<Option<&str>> = events.iter().map(|event| event.call.as_deref()).collect();
            let details: Vec<&str> = events.iter().map(|event| event.details.as_str()).collect();
            let errors: Vec<Option<&str>> =
                events.iter().map(|event| event.error.as_ref().map(crate::traces::Details::as_str)).collect();
            let given: [&(dyn tokio_postgres::types::ToSql + Sync); 8] =
                [&sessions, &seqs, &ats, &kinds, &tools, &calls, &details, &errors];
            sharing.ask(&client, INSERT.text, INSERT.given, &given).await.map_err(wrong)?;
            Ok(())
        })
    }
}
