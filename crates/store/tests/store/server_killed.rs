//! What is left in Postgres when the server is killed at any moment, and which databases are refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use engross_store::{Error, PostgresStore};
use engross_testkit::postgres::{PostgresServer, skip};
use tokio::task::JoinSet;

use crate::fixture::{Fixture, name};
use crate::load::{WRITERS, check, keep_writing};
use crate::server::OneSchema;

#[test]
fn every_acknowledged_append_survives_a_kill_of_the_server() {
    let Some(mut server) = PostgresServer::start() else { return skip() };
    let place = OneSchema::on(&server.url());
    let on: &dyn Fixture = &place;
    let store = on.open();
    let acknowledged: Arc<[AtomicU64; WRITERS as usize]> = Arc::default();
    for millis in [5, 40, 90] {
        let mut tasks = JoinSet::new();
        for writer in 0..WRITERS {
            let (store, acknowledged) = (store.clone(), acknowledged.clone());
            let work = async move {
                let told = |head| acknowledged[usize::from(writer)].swap(head, Ordering::Relaxed) < head;
                keep_writing(&*store, writer, told).await;
            };
            tasks.spawn_on(work, on.runtime().handle());
        }
        let written = || -> u64 { acknowledged.iter().map(|head| head.load(Ordering::Relaxed)).sum() };
        let (begun, is_last) = (Instant::now(), millis == 90);
        on.wait(async {
            tokio::time::sleep(Duration::from_millis(millis)).await;
            // On a busy machine little is written in that time.
            while is_last && written() <= 20 && begun.elapsed() < Duration::from_secs(30) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        server.kill();
        on.wait(tasks.join_all());
        let error = on.error(store.healthy());
        assert_eq!(error.code(), "STORE_UNAVAILABLE", "{error}");
        server.restart();
        // The store that was open finds the server again by itself.
        on.get(store.healthy());
        for writer in 0..WRITERS {
            let known = &acknowledged[usize::from(writer)];
            known.store(on.wait(check(&*store, writer, known.load(Ordering::Relaxed))), Ordering::Relaxed);
        }
    }
    let written: u64 = acknowledged.iter().map(|head| head.load(Ordering::Relaxed)).sum();
    assert!(written > 20, "{written}");
}

fn refusal(place: &OneSchema, url: &str) -> Error {
    place.runtime().block_on(PostgresStore::open(url)).map(drop).unwrap_err()
}

#[test]
fn a_later_schema_is_refused() {
    let Some(place) = OneSchema::new() else { return };
    let on: &dyn Fixture = &place;
    on.get(on.open().close());
    place.tell("UPDATE engross_schema SET version = 99");
    let error = refusal(&place, &place.url());
    assert!(matches!(error, Error::Newer { found: 99, known: 2, .. }), "{error:?}");
}

#[test]
fn nodes_that_start_together_make_one_schema() {
    let Some(place) = OneSchema::new() else { return };
    place.runtime().block_on(async {
        let mut tasks = JoinSet::new();
        for _ in 0..6 {
            let url = place.url();
            tasks.spawn(async move { PostgresStore::open(&url).await.map(drop) });
        }
        assert_eq!(tasks.join_all().await, vec![Ok(()); 6]);
    });
}

#[test]
fn what_cannot_be_used_is_named_without_its_password() {
    let Some(place) = OneSchema::new() else { return };
    let url = place.url();
    // On a Unix socket no server has encryption.
    let encrypted = if url.contains("@%2F") { "&sslmode=require" } else { "&sslmode=perhaps" };
    for (url, code) in [
        ("postgres://me:secret@127.0.0.1:1/db", "STORE_UNAVAILABLE"),
        ("postgres://me:secret@127.0.0.1:1/db?sslmode=require", "STORE_UNAVAILABLE"),
        ("postgres://me:secret@127.0.0.1:1/db?sslmode=perhaps", "STORE_UNUSABLE"),
        ("mysql://me:secret@127.0.0.1:1/db", "STORE_UNUSABLE"),
        (&format!("{url}{encrypted}"), "STORE_UNUSABLE"),
        (&url.replace("/postgres?", "/nowhere?"), "STORE_UNUSABLE"),
        (&url.replace("search_path", "search_patch"), "STORE_UNUSABLE"),
        (&url.replace("engross_test", "engross_gone"), "STORE_UNUSABLE"),
    ] {
        let error = refusal(&place, url);
        assert_eq!(error.code(), code, "{url}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

#[test]
fn rows_of_another_shape_are_damage() {
    let Some(place) = OneSchema::new() else { return };
    let on: &dyn Fixture = &place;
    let store = on.open();
    on.get(store.create(crate::fixture::new(1, "one")));
    place.tell("UPDATE engross_sessions SET head = -1");
    assert_eq!(on.error(store.load(&name("one"))).code(), "STORE_DAMAGED");
    place.tell("DROP TABLE engross_names CASCADE");
    assert_eq!(on.error(store.value(&name("one"))).code(), "STORE_DAMAGED");
}
