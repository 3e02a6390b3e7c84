//! Opens the database: address, pool, encryption, schema.
//!
//! A migration is one text, applied in one transaction together with its number; none is ever changed, only added. Nodes
//! that start at the same time take turns.

use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::types::Type;
use tokio_postgres::{Config, NoTls, Transaction};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::asking::{Sharing, named};
use super::fault::{meaning, no_connection};
use crate::Error;

/// Tables that are made and changed together.
pub(super) struct Schema {
    /// The table that holds the number of the newest migration which was applied.
    pub(super) version: &'static str,
    /// From nothing to the newest, one step each.
    pub(super) migrations: &'static [&'static str],
}

/// The tables of sessions.
pub(super) const SESSIONS: Schema = Schema {
    version: "engross_schema",
    migrations: if cfg!(feature = "rehearsal") {
        &[include_str!("schema.sql"), include_str!("large.sql"), REHEARSAL]
    } else {
        &[include_str!("schema.sql"), include_str!("large.sql")]
    },
};

/// The migration of a build that plays the next version, as a real one would be: it only adds.
const REHEARSAL: &str = "
    ALTER TABLE engross_sessions ADD COLUMN rehearsed bigint NOT NULL DEFAULT 0;
    CREATE INDEX engross_sessions_changed ON engross_sessions (changed_at)";

/// "engross" in short: the lock that migrating nodes take.
const MIGRATION_LOCK: i64 = 0x656e_6772;

/// Has the server end a migrating node of which it hears nothing, so that its lock is free.
const LET_GO: &str = "SET LOCAL idle_in_transaction_session_timeout = '10s'";

/// Connections of one node. More do not make one database faster.
const CONNECTIONS: usize = 16;

/// How long a connection is waited for, be it a new one or one in use.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a silent server is believed to be there.
const SILENCE: Duration = Duration::from_secs(30);

/// An open database whose schema is the newest.
#[derive(Debug)]
pub(super) struct OpenPool {
    pub(super) pool: Pool,
    pub(super) place: String,
    pub(super) sharing: Sharing,
    config: Config,
}

impl OpenPool {
    /// As many connections besides, which are busy with nothing else.
    pub(super) fn apart(&self, connections: usize) -> Result<Self, Error> {
        let Self { place, sharing, config, .. } = self;
        let pool = pool(config.clone(), place, connections)?;
        Ok(Self { pool, place: place.clone(), sharing: sharing.clone(), config: config.clone() })
    }
}

/// Opens the database at `url`, and brings the tables of `schema` up to the newest.
pub(super) async fn open(url: &str, schema: &Schema) -> Result<OpenPool, Error> {
    let mut config: Config = url.parse().map_err(|error: tokio_postgres::Error| {
        let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
        Error::Unusable { place: "the address of the Postgres server".to_owned(), message: cause }
    })?;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(PATIENCE);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENCE).keepalives_idle(SILENCE);
    }
    let place = place(&config);
    let pool = pool(config.clone(), &place, CONNECTIONS)?;
    bring_forward(&pool, &place, schema, None).await?;
    let sharing = Sharing::look(&pool).await.map_err(|error| no_connection(&error, &place))?;
    Ok(OpenPool { pool, place, sharing, config })
}

/// Brings tables up to the newest that are beside others in one database. `tables` is what their names begin with, if it is not as
/// in the texts.
pub(super) async fn migrated(opened: &OpenPool, schema: &Schema, tables: Option<&str>) -> Result<(), Error> {
    bring_forward(&opened.pool, &opened.place, schema, tables).await
}

async fn bring_forward(pool: &Pool, place: &str, schema: &Schema, tables: Option<&str>) -> Result<(), Error> {
    let mut client = pool.get().await.map_err(|error| no_connection(&error, place))?;
    let transaction = client.transaction().await.map_err(|error| meaning(&error, place))?;
    migrate(&transaction, place, schema, tables).await?;
    transaction.commit().await.map_err(|error| meaning(&error, place))
}

fn pool(config: Config, place: &str, connections: usize) -> Result<Pool, Error> {
    let settings = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let unusable = |message: String| Error::Unusable { place: place.to_owned(), message };
    let manager = if config.get_ssl_mode() == SslMode::Require {
        let tls = engross_tls::secured().map_err(|error| unusable(error.to_string()))?;
        Manager::from_config(config, MakeRustlsConnect::new(tls), settings)
    } else {
        Manager::from_config(config, NoTls, settings)
    };
    let pool = Pool::builder(manager)
        .max_size(connections)
        .runtime(Runtime::Tokio1)
        .wait_timeout(Some(PATIENCE))
        .create_timeout(Some(PATIENCE));
    pool.build().map_err(|error| unusable(error.to_string()))
}

/// The server and its database, without user and password.
fn place(config: &Config) -> String {
    let ports = config.get_ports();
    let hosts = config.get_hosts().iter().enumerate().map(|(index, host)| {
        let port = ports.get(index).or(ports.first()).copied().unwrap_or(5432);
        match host {
            Host::Tcp(name) => format!("{name}:{port}"),
            Host::Unix(folder) => folder.display().to_string(),
        }
    });
    let database = config.get_dbname().or(config.get_user()).unwrap_or("postgres");
    format!("the Postgres database '{database}' at {}", hosts.collect::<Vec<_>>().join(", "))
}

/// Which migration the tables are at that are named in `version`; nothing where there are none.
async fn version_of(
    transaction: &Transaction<'_>,
    version: &str,
) -> Result<Option<u32>, tokio_postgres::Error> {
    // From the table itself: to_regclass may go by what this connection knew before it waited for the lock.
    let exists = "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relname = $1 AND pg_table_is_visible(oid))";
    let exists = transaction.query_typed_one(exists, &[(&version, Type::TEXT)]).await?;
    if !exists.try_get::<_, bool>(0)? {
        return Ok(None);
    }
    let found = transaction.query_typed_one(&format!("SELECT version FROM {version}"), &[]).await?;
    Ok(Some(u32::try_from(found.try_get::<_, i64>(0)?).unwrap_or(u32::MAX)))
}

/// Brings the schema up to its newest migration, or refuses the database.
async fn migrate(
    transaction: &Transaction<'_>,
    place: &str,
    schema: &Schema,
    tables: Option<&str>,
) -> Result<(), Error> {
    let Schema { version, migrations } = schema;
    let version = &*named(version, tables);
    let wrong = |error: tokio_postgres::Error| meaning(&error, place);
    let encoding = transaction.query_typed_one("SHOW server_encoding", &[]).await.map_err(wrong)?;
    let encoding: String = encoding.try_get(0).map_err(wrong)?;
    if encoding != "UTF8" {
        let message = format!("its encoding is {encoding}, not UTF8");
        return Err(Error::Unusable { place: place.to_owned(), message });
    }
    let known = u32::try_from(migrations.len()).unwrap_or(u32::MAX);
    // Nobody waits for another one where nothing is to be done, which is nearly always.
    if version_of(transaction, version).await.map_err(wrong)? == Some(known) {
        return Ok(());
    }
    // A process that is cut off while it has the lock keeps it until the server misses it, which may be in hours.
    transaction.batch_execute(LET_GO).await.map_err(wrong)?;
    let lock = "SELECT pg_advisory_xact_lock($1)";
    transaction.query_typed(lock, &[(&MIGRATION_LOCK, Type::INT8)]).await.map_err(wrong)?;
    let found = match version_of(transaction, version).await.map_err(wrong)? {
        Some(found) => found,
        None => {
            let begin =
                format!("CREATE TABLE {version} (version bigint NOT NULL); INSERT INTO {version} VALUES (0)");
            transaction.batch_execute(&begin).await.map_err(wrong)?;
            0
        }
    };
    if found > known {
        return Err(Error::Newer { place: place.to_owned(), found, known });
    }
    for migration in migrations.iter().skip(found as usize) {
        transaction.batch_execute(&named(migration, tables)).await.map_err(wrong)?;
    }
    if found < known {
        let number = format!("UPDATE {version} SET version = $1");
        transaction.query_typed(&number, &[(&i64::from(known), Type::INT8)]).await.map_err(wrong)?;
    }
    Ok(())
}
