//! Statements on their way to the database, also through what shares its connections (pgbouncer and its like).
//!
//! Must never name a statement where connections are shared: the next transaction may have another one, where the name is unknown,
//! or is another node's name for another statement.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use deadpool_postgres::{Client, Pool};
use tokio_postgres::Row;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};

/// What the names of all tables and functions begin with.
pub(super) const TABLES: &str = "engross_";

/// A text of SQL for tables whose names begin otherwise.
pub(super) fn named<'t>(text: &'t str, tables: Option<&str>) -> Cow<'t, str> {
    match tables {
        Some(tables) => Cow::Owned(text.replace(TABLES, tables)),
        None => Cow::Borrowed(text),
    }
}

/// A value for a statement.
pub(super) type ParameterValue<'a> = &'a (dyn ToSql + Sync);

/// A statement, and the types of what is given to it.
pub(super) struct Statement {
    pub(super) text: &'static str,
    pub(super) given: &'static [Type],
}

/// Whether connections are shared with others between transactions, as far as is known.
#[derive(Debug, Default, Clone)]
pub(super) struct Sharing(Arc<AtomicBool>);

/// What a name of a statement fails with where connections are shared. Nothing was done then.
const OF_NAMES: [SqlState; 3] = [
    SqlState::INVALID_SQL_STATEMENT_NAME,
    SqlState::DUPLICATE_PSTATEMENT,
    // The name is another statement's, which takes other values.
    SqlState::PROTOCOL_VIOLATION,
];

/// How often two connections are compared. What shares them gives out the one that was free last, unless others are faster.
const COMPARISONS: usize = 4;

const MARK: &str = "SELECT current_setting('engross.connection', true)";

impl Sharing {
    /// Sees whether two connections of the pool are one at the database's end: what is set on one of them is then set on the other.
    pub(super) async fn look(pool: &Pool) -> Result<Self, deadpool_postgres::PoolError> {
        let (first, second) = (pool.get().await?, pool.get().await?);
        let mut is_shared = false;
        for _ in 0..COMPARISONS {
            for (own, other, mark) in [(&first, &second, "first"), (&second, &first, "second")] {
                own.batch_execute(&format!("SET engross.connection = '{mark}'")).await?;
                let row = other.query_typed_one(MARK, &[]).await?;
                is_shared |= row.try_get::<_, Option<&str>>(0)? == Some(mark);
            }
        }
        Ok(Self(Arc::new(AtomicBool::new(is_shared))))
    }

    /// Asks on a connection. A statement is prepared once for each connection, unless they are shared.
    pub(super) async fn ask(
        &self,
        client: &Client,
        text: &str,
        types: &[Type],
        given: &[ParameterValue<'_>],
    ) -> Result<Vec<Row>, tokio_postgres::Error> {
        if !self.0.load(Ordering::Relaxed) {
            let asked = match client.prepare_cached(text).await {
                Ok(prepared) => client.query(&prepared, given).await,
                Err(error) => Err(error),
            };
            match asked {
                Err(error) if error.code().is_some_and(|code| OF_NAMES.contains(code)) => {
                    self.0.store(true, Ordering::Relaxed);
                }
                asked => return asked,
            }
        }
        let given: Vec<(ParameterValue<'_>, Type)> =
            given.iter().copied().zip(types.iter().cloned()).collect();
        client.query_typed(text, &given).await
    }
}
