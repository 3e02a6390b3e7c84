//! Homes of owners in Postgres, and stores beside that of sessions in one database.

use std::sync::Arc;
use std::time::Duration;

use engross_store::{Append, Error, FencedStore, Homes, PostgresHomes, PostgresStore, Store, WriteFence};
use engross_testkit::postgres::skip;

use crate::fixture::{at, id, name, new, note, runtime};
use crate::server::OneSchema;

const LONG: Duration = Duration::from_secs(60);

#[test]
fn an_owner_has_one_home_at_a_time() {
    let Some(schema) = OneSchema::new() else { return skip() };
    runtime().block_on(async {
        let store = PostgresStore::open(&schema.url()).await.unwrap();
        let first = PostgresHomes::open(&store).await.unwrap();
        let other = PostgresStore::open(&schema.url()).await.unwrap();
        let second = PostgresHomes::open(&other).await.unwrap();
        assert!(first.take("anna", "one", "http://one", LONG).await.unwrap());
        assert!(!second.take("anna", "two", "http://two", LONG).await.unwrap());
        // Who has it may take it again.
        assert!(first.take("anna", "one", "http://one", LONG).await.unwrap());
        assert!(second.take("ben", "two", "http://two", LONG).await.unwrap());
        let mut seen = second.renew("two", LONG, true).await.unwrap().homes;
        seen.sort_by(|a, b| a.owner.cmp(&b.owner));
        let told: Vec<_> = seen.iter().map(|home| (&*home.owner, &*home.holder, &*home.address)).collect();
        assert_eq!(told, [("anna", "one", "http://one"), ("ben", "two", "http://two")]);
        assert!(seen.iter().all(|home| home.remaining > LONG / 2 && home.remaining <= LONG));

        // Given back, it is free at once, and the one who had it cannot renew it once somebody else has it.
        second.release("anna", "two").await.unwrap();
        assert!(!second.take("anna", "two", "http://two", LONG).await.unwrap());
        first.release("anna", "one").await.unwrap();
        let seen = first.renew("one", LONG, true).await.unwrap().homes;
        assert!(seen.iter().all(|home| home.holder != "one"), "what was given back is not renewed: {seen:?}");
        assert!(second.take("anna", "two", "http://two", LONG).await.unwrap());
        let seen = first.renew("one", LONG, true).await.unwrap().homes;
        assert!(seen.iter().all(|home| home.holder == "two"), "{seen:?}");

        // Whose time is over has it until somebody else takes it.
        assert!(first.take("carl", "one", "http://one", Duration::from_millis(20)).await.unwrap());
        tokio::time::sleep(Duration::from_millis(60)).await;
        let seen = second.renew("two", LONG, true).await.unwrap().homes;
        assert!(seen.iter().any(|home| home.owner == "carl" && home.remaining.is_zero()));
        assert!(first.renew("one", LONG, true).await.unwrap().homes.iter().any(|home| home.holder == "one"));
        assert!(!second.take("carl", "two", "http://two", LONG).await.unwrap());
        // Many at once: one wins.
        let mut tries = tokio::task::JoinSet::new();
        let second = Arc::new(second);
        for number in 0..16 {
            let homes = Arc::clone(&second);
            tries.spawn(
                async move { homes.take("dora", &number.to_string(), "http://n", LONG).await.unwrap() },
            );
        }
        let mut won = 0;
        while let Some(taken) = tries.join_next().await {
            won += usize::from(taken.unwrap());
        }
        assert_eq!(won, 1);
    });
}

#[test]
fn nodes_see_who_else_takes_homes() {
    let Some(schema) = OneSchema::new() else { return skip() };
    runtime().block_on(async {
        let store = PostgresStore::open(&schema.url()).await.unwrap();
        let homes = PostgresHomes::open(&store).await.unwrap();
        let nodes = async |node: &str, ttl, takes| homes.renew(node, ttl, takes).await.unwrap().nodes;
        assert!(nodes("one", LONG, true).await.is_empty());
        assert_eq!(nodes("two", LONG, true).await, ["one".to_owned()].into());
        // One that has no home is there; one that takes none, or says nothing any more, is not.
        assert_eq!(nodes("one", LONG, false).await, ["two".to_owned()].into());
        assert!(nodes("two", Duration::from_millis(20), true).await.is_empty());
        tokio::time::sleep(Duration::from_millis(60)).await;
        assert!(nodes("one", LONG, true).await.is_empty());

        // Who is about to give a home away is not led to, and has it until it is given back.
        assert!(homes.take("anna", "one", "http://one", LONG).await.unwrap());
        homes.offer("anna", "two").await.unwrap();
        let address = async || homes.renew("two", LONG, true).await.unwrap().homes.remove(0).address;
        assert_eq!(address().await, "http://one");
        homes.offer("anna", "one").await.unwrap();
        assert_eq!(address().await, "");
        assert!(!homes.take("anna", "two", "http://two", LONG).await.unwrap());
        assert_eq!(homes.renew("one", LONG, true).await.unwrap().homes.len(), 1);
        // It may think better of it.
        assert!(homes.take("anna", "one", "http://one", LONG).await.unwrap());
        assert_eq!(address().await, "http://one");
    });
}

/// Every connection for sessions waits, as for a database that is busy.
#[test]
fn homes_are_renewed_while_all_connections_for_sessions_are_busy() {
    let Some(schema) = OneSchema::new() else { return skip() };
    runtime().block_on(async {
        let store = Arc::new(PostgresStore::open(&schema.url()).await.unwrap());
        let homes = PostgresHomes::open(&store).await.unwrap();
        assert!(homes.take("anna", "one", "http://one", LONG).await.unwrap());
        let (client, connection) =
            tokio_postgres::connect(&schema.url(), tokio_postgres::NoTls).await.unwrap();
        let mut connected = tokio::task::JoinSet::new();
        connected.spawn(connection);
        client.batch_execute("BEGIN; LOCK TABLE engross_sessions").await.unwrap();
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..40 {
            let store = Arc::clone(&store);
            waiting.spawn(async move { store.load(&name("key")).await.map(drop) });
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        let renewed = tokio::time::timeout(Duration::from_secs(2), homes.renew("one", LONG, true)).await;
        assert_eq!(renewed.expect("it waits for connections of others").unwrap().homes.len(), 1);
        assert!(waiting.try_join_next().is_none(), "they are all waiting");
        client.batch_execute("COMMIT").await.unwrap();
        while let Some(loaded) = waiting.join_next().await {
            loaded.unwrap().unwrap();
        }
        drop(client);
        connected.join_next().await.unwrap().unwrap().unwrap();
    });
}

#[test]
fn stores_beside_each_other_know_nothing_of_each_other() {
    let Some(schema) = OneSchema::new() else { return skip() };
    runtime().block_on(async {
        let sessions = PostgresStore::open(&schema.url()).await.unwrap();
        let tasks = sessions.beside("tasks_1").await.unwrap();
        assert!(sessions.create(new(1, "key")).await.unwrap().1);
        assert!(tasks.create(new(1, "key")).await.unwrap().1);
        assert!(tasks.create(new(2, "other")).await.unwrap().1);
        tasks.append(Append { entries: vec![note(1, "a")], ..at(1, 0) }).await.unwrap();
        assert_eq!(sessions.load(&name("key")).await.unwrap().unwrap().head, 0);
        assert_eq!(tasks.load(&name("key")).await.unwrap().unwrap().head, 1);
        assert_eq!(sessions.list(None, None, 10).await.unwrap().len(), 1);
        assert_eq!(tasks.list(None, None, 10).await.unwrap().len(), 2);
        // Another node opens the same tables.
        let again = PostgresStore::open(&schema.url()).await.unwrap().beside("tasks_1").await.unwrap();
        assert_eq!(again.load(&name("key")).await.unwrap().unwrap().head, 1);
        assert!(matches!(sessions.beside("Tasks").await, Err(Error::Unusable { .. })));
        assert!(matches!(sessions.beside("a;b").await, Err(Error::Unusable { .. })));
        // One is closed without the other.
        tasks.close().await.unwrap();
        assert_eq!(tasks.healthy().await, Err(Error::Closed));
        sessions.healthy().await.unwrap();
        sessions.close().await.unwrap();
        assert_eq!(sessions.close().await, Err(Error::Closed));
    });
}

#[test]
fn who_has_lost_a_home_reads_its_logs_and_does_not_write_them() {
    runtime().block_on(async {
        let fence = WriteFence::closed();
        let store: Arc<dyn Store> = Arc::new(engross_store::MemoryStore::new());
        let fenced = FencedStore::new(Arc::clone(&store), fence.clone());
        assert!(matches!(fenced.create(new(1, "key")).await, Err(Error::HomeLost)));
        fence.extend(std::time::Instant::now() + LONG);
        fenced.create(new(1, "key")).await.unwrap();
        fenced.append(Append { entries: vec![note(1, "a")], ..at(1, 0) }).await.unwrap();
        fence.shut();
        let late = fenced.append(Append { entries: vec![note(2, "b")], ..at(1, 1) }).await;
        assert!(matches!(late, Err(Error::HomeLost)));
        assert!(matches!(fenced.delete(id(1)).await, Err(Error::HomeLost)));
        assert_eq!(fenced.load(&name("key")).await.unwrap().unwrap().head, 1);
    });
}
