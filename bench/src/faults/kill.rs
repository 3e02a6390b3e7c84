//! The server is killed with SIGKILL at random moments while clients speak to it.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use engross_testkit::postgres::PostgresServer;

use super::load::{CLIENTS, KnownAnswers, model};
use super::server::Server;
use super::{Dice, Trial};
use crate::Result;

pub(super) fn sqlite(trial: &Trial<'_>) -> Result<String> {
    run(trial, "sqlite", Duration::ZERO)
}

pub(super) fn postgres(trial: &Trial<'_>) -> Result<String> {
    let Some(database) = PostgresServer::start() else {
        return Ok("skipped: there is no Postgres".to_owned());
    };
    // So long the leases of a killed server may hold.
    run(trial, &database.url(), Duration::from_secs(16))
}

fn run(trial: &Trial<'_>, store: &str, rest: Duration) -> Result<String> {
    let kills = if trial.quick { 20 } else { 200 };
    let (model, known, mut dice) = (model(), KnownAnswers::default(), Dice(7));
    let over = AtomicBool::new(false);
    for round in 0..kills {
        let mut server = Server::start(trial.folder, store, &model.url())?;
        let address = server.address;
        std::thread::scope(|scope| {
            for client in 0..CLIENTS {
                let (known, over) = (&known, &over);
                scope.spawn(move || known.speak(address, client, &format!("{round}"), over));
            }
            std::thread::sleep(Duration::from_millis(dice.below(160)));
            server.kill();
        });
    }
    std::thread::sleep(rest);
    let server = Server::start(trial.folder, store, &model.url())?;
    Ok(format!("{kills} kills: {}", known.verify(server.address, &model)?))
}
