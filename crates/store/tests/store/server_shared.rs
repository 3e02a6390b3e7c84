//! Postgres behind what gives each transaction another connection, as companies have it.

use std::sync::Arc;

use engross_store::{Append, PostgresStore, Store};
use engross_testkit::pooler::Pooler;
use engross_testkit::postgres::{PostgresServer, skip};
use tokio::task::JoinSet;

use crate::fixture::{at, id, name, new, note, runtime};

/// What a node does in a turn, again and again, with all statements that it has.
async fn work(store: Arc<dyn Store>, number: u8, rounds: u64) {
    let (own, key) = (id(number), format!("key {number}"));
    let (_, is_new) = store.create(new(number, &key)).await.unwrap();
    assert!(is_new);
    for round in 0..rounds {
        let fence = store.lease(own, "node", round * 100, 50).await.unwrap();
        let entries = vec![note(1, &format!("{number} {round}"))];
        let names = vec![(name(&format!("{number} {round}")), vec![number])];
        let head = store.append(Append { fence, entries, names, ..at(number, round) }).await.unwrap();
        assert_eq!(head, round + 1);
        store.release(own, fence.unwrap()).await.unwrap();
        let value = store.value(&name(&format!("{number} {round}"))).await.unwrap().unwrap();
        assert_eq!((value.session, value.value), (own, vec![number]));
        let entries = store.entries(own, round, 10).await.unwrap();
        assert_eq!(entries.len(), 1, "{number} {round}");
        assert!(store.due(1, 10).await.unwrap().is_empty());
        assert!(store.list(None, None, 100).await.unwrap().iter().any(|summary| summary.id == own));
        assert_eq!(store.names(own).await.unwrap().len() as u64, round + 2);
        assert!(store.size(own).await.unwrap() > 0);
        let loaded = store.load(&name(&key)).await.unwrap().unwrap();
        assert_eq!(loaded.entries.len() as u64, round + 1);
        assert_eq!(loaded.id, own);
    }
    assert!(store.delete(own).await.unwrap());
    assert!(store.load_by_id(own).await.unwrap().is_none());
}

#[test]
fn nodes_may_share_connections_between_transactions() {
    let Some(server) = PostgresServer::start() else { return skip() };
    let Some(pooler) = Pooler::start(&server, 3) else { return };
    let runtime = runtime();
    runtime.block_on(async {
        let mut tasks = JoinSet::new();
        for node in 0..3 {
            let store: Arc<dyn Store> = Arc::new(PostgresStore::open(pooler.url()).await.unwrap());
            for worker in 0..4 {
                tasks.spawn(work(Arc::clone(&store), 1 + 4 * node + worker, 25));
            }
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
    });
}

/// Tables that are up to date are opened by any number of nodes at once, whatever one of them does that was cut off.
#[test]
fn a_lock_that_is_never_given_back_keeps_nobody_out() {
    let Some(server) = PostgresServer::start() else { return skip() };
    let runtime = runtime();
    runtime.block_on(async {
        PostgresStore::open(&server.url()).await.unwrap().close().await.unwrap();
        let (cut_off, connection) =
            tokio_postgres::connect(&server.url(), tokio_postgres::NoTls).await.unwrap();
        let connection = runtime.spawn(connection);
        cut_off.batch_execute("BEGIN; SELECT pg_advisory_xact_lock(x'656e6772'::bigint)").await.unwrap();
        let url = server.url();
        let opened = tokio::time::timeout(std::time::Duration::from_secs(20), PostgresStore::open(&url));
        opened.await.unwrap().unwrap();
        drop(cut_off);
        let _ = connection.await;
    });
}
