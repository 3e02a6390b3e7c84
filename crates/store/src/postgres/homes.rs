//! Homes of owners in a table of the database of sessions.

use std::time::Duration;

use tokio_postgres::types::Type;

use super::asking::Statement;
use super::open::{Schema, migrated};
use super::rows::int;
use super::{PostgresStore, number};
use crate::Error;
use crate::homes::{Home, Homes, HomesSeen};
use crate::store::Pending;

/// The table, in a version of its own: only nodes that share what owners have need it.
const SCHEMA: Schema = Schema {
    version: "engross_homes_schema",
    migrations: &[include_str!("homes.sql"), include_str!("nodes.sql")],
};

const TAKE: Statement = Statement {
    text: "
    WITH moment AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now)
    INSERT INTO engross_homes AS h (owner, holder, address, until)
        SELECT $1::text, $2::text, $3::text, now + $4::bigint FROM moment
        ON CONFLICT (owner) DO UPDATE
            SET holder = excluded.holder, address = excluded.address, until = excluded.until
            WHERE h.holder = excluded.holder OR h.until <= (SELECT now FROM moment)
    RETURNING 1",
    given: &[Type::TEXT, Type::TEXT, Type::TEXT, Type::INT8],
};

/// The homes of others are seen as they were before, and one's own as they are now. A row without an owner is a node that takes homes.
/// Nodes that are long gone leave no row.
const RENEW: Statement = Statement {
    text: "
    WITH moment AS (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now),
    here AS (
        INSERT INTO engross_nodes AS n (node, until) SELECT $1::text, now + $2::bigint FROM moment WHERE $3::boolean
            ON CONFLICT (node) DO UPDATE SET until = excluded.until
    ),
    gone AS (
        DELETE FROM engross_nodes WHERE node IN (
            SELECT node FROM engross_nodes
            WHERE node <> $1::text AND until < (SELECT now FROM moment) - 60000 OR node = $1::text AND NOT $3::boolean
            FOR UPDATE SKIP LOCKED
        )
    ),
    kept AS (
        UPDATE engross_homes SET until = (SELECT now FROM moment) + $2::bigint WHERE holder = $1::text
        RETURNING owner, holder, address, $2::bigint AS remaining
    )
    SELECT owner, holder, address, remaining FROM kept
    UNION ALL
    SELECT owner, holder, address, greatest(until - (SELECT now FROM moment), 0) FROM engross_homes
    WHERE holder <> $1::text AND owner NOT IN (SELECT owner FROM kept)
    UNION ALL
    SELECT NULL, node, '', 0 FROM engross_nodes WHERE node <> $1::text AND until > (SELECT now FROM moment)",
    given: &[Type::TEXT, Type::INT8, Type::BOOL],
};

const OFFER: Statement = Statement {
    text: "UPDATE engross_homes SET address = '' WHERE owner = $1 AND holder = $2",
    given: &[Type::TEXT, Type::TEXT],
};

const RELEASE: Statement = Statement {
    text: "UPDATE engross_homes SET until = 0, holder = '' WHERE owner = $1 AND holder = $2",
    given: &[Type::TEXT, Type::TEXT],
};

/// A statement that has no answer holds up one; the next one has another.
const CONNECTIONS: usize = 3;

/// The homes of owners in a database, over connections of their own: sessions that keep the database busy cost no home.
#[derive(Debug)]
pub struct PostgresHomes(PostgresStore);

impl PostgresHomes {
    /// Makes the table beside those of `store` if it is not there.
    ///
    /// # Errors
    /// As [`PostgresStore::open`].
    pub async fn open(store: &PostgresStore) -> Result<Self, Error> {
        migrated(&store.opened, &SCHEMA, None).await?;
        Ok(Self(store.apart(CONNECTIONS)?))
    }
}

impl Homes for PostgresHomes {
    fn take(&self, owner: &str, holder: &str, address: &str, ttl: Duration) -> Pending<'_, bool> {
        let (owner, holder, address) = (owner.to_owned(), holder.to_owned(), address.to_owned());
        Box::pin(async move {
            let rows = self.0.query(&TAKE, &[&owner, &holder, &address, &millis(ttl)]).await?;
            Ok(!rows.is_empty())
        })
    }

    fn renew(&self, holder: &str, ttl: Duration, takes: bool) -> Pending<'_, HomesSeen> {
        let holder = holder.to_owned();
        Box::pin(async move {
            let rows = self.0.query(&RENEW, &[&holder, &millis(ttl), &takes]).await?;
            let rows = self.0.each(&rows, |row| {
                let home = Home {
                    owner: row.try_get::<_, Option<String>>(0)?.unwrap_or_default(),
                    holder: row.try_get(1)?,
                    address: row.try_get(2)?,
                    remaining: Duration::from_millis(number(row, 3)?),
                };
                Ok(home)
            })?;
            let (homes, nodes): (Vec<Home>, Vec<Home>) =
                rows.into_iter().partition(|row| !row.owner.is_empty());
            Ok(HomesSeen { homes, nodes: nodes.into_iter().map(|node| node.holder).collect() })
        })
    }

    fn offer(&self, owner: &str, holder: &str) -> Pending<'_, ()> {
        let (owner, holder) = (owner.to_owned(), holder.to_owned());
        Box::pin(async move { self.0.query(&OFFER, &[&owner, &holder]).await.map(drop) })
    }

    fn release(&self, owner: &str, holder: &str) -> Pending<'_, ()> {
        let (owner, holder) = (owner.to_owned(), holder.to_owned());
        Box::pin(async move { self.0.query(&RELEASE, &[&owner, &holder]).await.map(drop) })
    }
}

fn millis(time: Duration) -> i64 {
    int(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}
