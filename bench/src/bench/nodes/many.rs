//! `cargo xtask bench sessions`: what a database costs that holds ten thousand, a hundred thousand, a million sessions: a turn, a page
//! of one owner's, what an owner has in all, the look for what is old, and its deletion.
//!
//! Must never measure sessions that no server has made: all are copies of one that was spoken with.

use std::time::{Duration, Instant};

use engross_store::{PostgresStore, Store as _};
use engross_testkit::instant::InstantModel;
use engross_testkit::postgres::PostgresServer;
use tokio::runtime::Runtime;

use super::{measure, start};
use crate::bench::build;
use crate::bench::serve::load::{self, Keys, Load, Shape, percentile};
use crate::{Error, Result, say};

/// Whose sessions there are.
const OWNERS: usize = 1_000;

/// Turns of the session that is copied.
const TURNS: usize = 5;

/// Sessions that are copied in one statement.
const AT_ONCE: usize = 50_000;

/// Sessions that are deleted at each size, and in one statement: as many as a server does.
const DELETED: (usize, usize) = (10_000, 200);

/// How often a tenth is replaced at the end.
const ROUNDS: usize = 3;

/// The days through which the sessions were made.
const DAYS: u64 = 90;

const DAY: u64 = 24 * 60 * 60_000;

/// Measures at each power of ten from ten thousand up to `most`, and prints a table.
pub(crate) fn run(most: usize) -> Result<()> {
    let built = build()?;
    let epoch = Instant::now();
    let model = InstantModel::start(epoch);
    let Some(database) = PostgresServer::start() else {
        return Err(Error::Server("there is no Postgres: install it".to_owned()));
    };
    let server = start(&built.engine, &model, &database.url(), "many")?;
    let speak = |requests, keys, prefix: &str| {
        let shape = Shape::Whole;
        load::run(
            &Load { requests, concurrency: 1, keys, shape, prefix, message: "hi", epoch },
            server.address,
        )
    };
    speak(TURNS, Keys::Cycle(1), "copied")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::Server(error.to_string()))?;
    let failed = |error: engross_store::Error| Error::Server(error.to_string());
    let store = runtime.block_on(PostgresStore::open(&database.url())).map_err(failed)?;
    let copies = SessionCopies::of(&database)?;
    say(&format!(
        "copies of a session of {TURNS} turns, of {OWNERS} owners, made through {DAYS} days; times are p50 of 20, and of a turn of 8 clients\n"
    ));
    say(
        "| sessions | bytes each | turn ms | database µs a turn | 50 of an owner ms | bytes of an owner ms | nothing old ms | 200 old ms | deleted/s | database µs each |",
    );
    say("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut there = 0;
    let sizes = std::iter::successors(Some(10_000), |size| Some(size * 10)).take_while(|size| *size <= most);
    for size in sizes {
        copies.copy(&database, there, size, most)?;
        there = size;
        let bytes = bytes(&database);
        let now = copies.now;
        measure(std::slice::from_ref(&server), Some(&database), 8, 500, &format!("warm-{size}"), epoch)?;
        let turns = measure(
            std::slice::from_ref(&server),
            Some(&database),
            8,
            2_000,
            &format!("many-{size}"),
            epoch,
        )?;
        let each = |ask: &dyn Fn(usize) -> std::result::Result<(), engross_store::Error>| -> Result<f64> {
            let mut took = Vec::new();
            for number in 0..20 {
                let begun = Instant::now();
                ask(number).map_err(failed)?;
                took.push(begun.elapsed());
            }
            took.sort();
            Ok(percentile(&took, 0.5).as_secs_f64() * 1e3)
        };
        let owner = |number: usize| format!("owner{}", number * 37 % OWNERS);
        let page = each(&|number| {
            let listed = runtime.block_on(store.list(Some(&owner(number)), None, 50))?;
            debug_assert!(!listed.is_empty());
            Ok(())
        })?;
        let measured = each(&|number| runtime.block_on(store.group_size(&owner(number))).map(drop))?;
        let nothing =
            each(&|_| runtime.block_on(store.unchanged(now - 2 * DAYS * DAY, None, 200)).map(drop))?;
        let old = each(&|_| runtime.block_on(store.unchanged(now, None, DELETED.1)).map(drop))?;
        let (begun, cpu) = (Instant::now(), database.cpu());
        let gone = delete(&store, &runtime, now, DELETED.0.min(size / 2))?;
        let (wall, cpu) = (begun.elapsed(), database.cpu().saturating_sub(cpu));
        say(&format!(
            "| {size} | {} | {:.2} | {:.0} | {page:.2} | {measured:.2} | {nothing:.2} | {old:.2} | {:.0} | {:.0} |",
            bytes / size,
            turns.p50.as_secs_f64() * 1e3,
            turns.of_database.as_secs_f64() * 1e6,
            gone as f64 / wall.as_secs_f64(),
            micros(cpu) / gone as f64,
        ));
    }
    // As days go by: what is old goes, and as much comes.
    let before = bytes(&database);
    for round in 0..ROUNDS {
        delete(&store, &runtime, copies.now, there / 10)?;
        // As the database does by itself between two days: until then what was deleted takes up its room.
        bytes(&database);
        let first = most + round * there / 10;
        copies.copy(&database, first, first + there / 10, most)?;
    }
    let after = bytes(&database);
    say(&format!(
        "\n{ROUNDS} times a tenth of {there} sessions deleted, and as many made: {} MiB before, {} behind that",
        before >> 20,
        after >> 20
    ));
    say(&format!("a node has {:.0} MiB of memory at the end", server.memory()?));
    let tables = database.psql(
        "SELECT relname || ' ' || pg_size_pretty(pg_table_size(oid)) || ', indices ' || pg_size_pretty(pg_indexes_size(oid))
         FROM pg_class WHERE relkind = 'r' AND relname LIKE 'engross_%' ORDER BY pg_total_relation_size(oid) DESC LIMIT 4",
    );
    say(&tables);
    Ok(())
}

/// The bytes of all tables and indices, once what was deleted is given back to them.
fn bytes(database: &PostgresServer) -> usize {
    let _ = database.psql("VACUUM ANALYSE");
    let bytes = database.psql(
        "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class WHERE relkind = 'r' AND relname LIKE 'engross_%'",
    );
    bytes.parse().unwrap_or(0)
}

/// Deletes the oldest sessions as a server does; tells how many.
fn delete(store: &PostgresStore, runtime: &Runtime, now: u64, wanted: usize) -> Result<usize> {
    let failed = |error: engross_store::Error| Error::Server(error.to_string());
    let mut gone = 0;
    while gone < wanted {
        let page = runtime.block_on(store.unchanged(now, None, DELETED.1)).map_err(failed)?;
        let old: Vec<_> = page.iter().map(|session| (session.id, session.head)).collect();
        let deleted = runtime.block_on(store.delete_idle(&old, now)).map_err(failed)?;
        if deleted.is_empty() {
            return Err(Error::Server("nothing was deleted".to_owned()));
        }
        gone += deleted.len();
    }
    Ok(gone)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Copies of one session.
struct SessionCopies {
    /// In hexadecimal digits.
    id: String,
    /// When the copies are made, in milliseconds since 1970.
    now: u64,
}

impl SessionCopies {
    /// Of the session that is there, and alone.
    fn of(database: &PostgresServer) -> Result<Self> {
        let told = database.psql("SELECT encode(id, 'hex'), changed_at FROM engross_sessions");
        let (id, now) = told.split_once('|').unwrap_or_default();
        match (id.len(), now.parse()) {
            (32, Ok(now)) => Ok(Self { id: id.to_owned(), now }),
            _ => Err(Error::Server(format!("not one session is there: {told}"))),
        }
    }

    /// Makes copies until there are `to`, the oldest first, of `most` that will be.
    fn copy(&self, database: &PostgresServer, from: usize, to: usize, most: usize) -> Result<()> {
        let Self { id, now } = self;
        let step = DAYS * DAY / most.max(1) as u64;
        for first in (from..to).step_by(AT_ONCE) {
            let last = to.min(first + AT_ONCE) - 1;
            let made = now - DAYS * DAY;
            let told = database.psql(&format!(
                "CREATE TEMP TABLE made AS
                    SELECT n, {made} + {step}::bigint * n AS at,
                        decode(lpad(to_hex({made} + {step}::bigint * n), 12, '0') || substr(md5(n::text), 1, 20), 'hex') AS id
                    FROM generate_series({first}, {last}) AS n;
                INSERT INTO engross_sessions (id, key, head, created_at, changed_at, fence)
                    SELECT m.id, E'key\\x01owner' || m.n % {OWNERS} || E'\\x01s' || m.n, s.head, m.at, m.at, s.fence
                    FROM made m, engross_sessions s WHERE s.id = '\\x{id}';
                INSERT INTO engross_entries SELECT m.id, e.seq, e.kind, m.at, e.body
                    FROM made m, engross_entries e WHERE e.session = '\\x{id}';
                INSERT INTO engross_snapshots SELECT m.id, p.seq, p.state
                    FROM made m, engross_snapshots p WHERE p.session = '\\x{id}';
                INSERT INTO engross_names SELECT n.name || '-' || m.n, m.id, n.value
                    FROM made m, engross_names n WHERE n.session = '\\x{id}'"
            ));
            if told.contains("ERROR") {
                return Err(Error::Server(told));
            }
        }
        Ok(())
    }
}
