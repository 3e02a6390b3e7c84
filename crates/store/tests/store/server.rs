//! The fixture of Postgres.

use std::sync::Arc;

use engross_protocol::{RandomIds, SessionId};
use engross_store::{PostgresStore, Store};
use engross_testkit::postgres::shared;
use tokio::runtime::Runtime;
use tokio_postgres::NoTls;

use crate::fixture::{Fixture, runtime};

/// A schema of its own on a server.
pub struct OneSchema {
    server: String,
    schema: String,
    runtime: Runtime,
}

impl OneSchema {
    /// On the server that all tests share, if there is one.
    pub fn new() -> Option<Self> {
        Some(Self::on(shared()?))
    }

    pub fn on(server: &str) -> Self {
        let schema = format!("engross_test_{}", SessionId::new(&RandomIds, 0));
        let place = Self { server: server.to_owned(), schema, runtime: runtime() };
        place.tell(&format!("CREATE SCHEMA {}", place.schema));
        place
    }

    pub fn url(&self) -> String {
        let joint = if self.server.contains('?') { '&' } else { '?' };
        format!("{}{joint}options=-csearch_path%3D{}", self.server, self.schema)
    }

    /// Runs SQL within the schema, past the store.
    pub fn tell(&self, sql: &str) {
        self.runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(&self.url(), NoTls).await.unwrap();
            let connection = self.runtime.spawn(connection);
            client.batch_execute(sql).await.unwrap();
            drop(client);
            connection.await.unwrap().unwrap();
        });
    }
}

impl Drop for OneSchema {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.tell(&format!("DROP SCHEMA {} CASCADE", self.schema));
        }
    }
}

impl Fixture for OneSchema {
    fn open(&self) -> Arc<dyn Store> {
        Arc::new(self.runtime.block_on(PostgresStore::open(&self.url())).unwrap())
    }

    fn keeps(&self) -> bool {
        true
    }

    fn runtime(&self) -> &Runtime {
        &self.runtime
    }
}
