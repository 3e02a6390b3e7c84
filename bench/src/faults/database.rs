//! Postgres is killed and started again while clients speak to a server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use engross_testkit::postgres::PostgresServer;

use super::load::{CLIENTS, KnownAnswers, model};
use super::server::Server;
use super::{Dice, Trial};
use crate::Result;

pub(super) fn run(trial: &Trial<'_>) -> Result<String> {
    let Some(mut database) = PostgresServer::start() else {
        return Ok("skipped: there is no Postgres".to_owned());
    };
    let kills = if trial.quick { 2 } else { 10 };
    let (model, known, mut dice) = (model(), KnownAnswers::default(), Dice(11));
    let server = Server::start(trial.folder, &database.url(), &model.url())?;
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (known, over) = (&known, &over);
            scope.spawn(move || known.speak(server.address, client, "0", over));
        }
        for _ in 0..kills {
            std::thread::sleep(Duration::from_millis(300 + dice.below(1200)));
            database.kill();
            std::thread::sleep(Duration::from_millis(dice.below(1500)));
            database.restart();
        }
        std::thread::sleep(Duration::from_secs(1));
        over.store(true, Ordering::Relaxed);
    });
    // Leases that could not be given back run out.
    std::thread::sleep(Duration::from_secs(16));
    Ok(format!("{kills} kills of the database: {}", known.verify(server.address, &model)?))
}
