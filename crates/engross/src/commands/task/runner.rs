//! The runner of a person's tasks: a process in the background that carries them out while terminals come and go.
//!
//! Must never outlive its work for long, or lose the files of a run because nobody looks on.

use std::sync::Arc;
use std::time::Duration;

use engross_protocol::{Exit, Failure};
use engross_tasks::rpc::Bridge;
use engross_threads::{Link, needs_slot};
use futures_util::StreamExt as _;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::runner_link::at_door;
use super::runner_start::made_for;
use super::{CommandEnd, Place, folder};
use crate::cli::RunnerArgs;
use engross_compose::runner::{Door, serve_tasks};
use engross_compose::settings::Environment;

/// How long a runner without work waits for more, in seconds, unless ENGROSS_RUNNER_IDLE says.
const IDLE: u64 = 600;

/// How often it looks whether it has any.
const LOOK: Duration = Duration::from_millis(250);

/// How long threads that nobody looks on at are left alone before their files are brought home.
const UNSEEN: Duration = Duration::from_secs(1);

/// How many threads are carried on at once with nobody looking on.
const AT_ONCE: usize = 8;

/// `engross task runner`: what a command starts that finds none.
pub(super) async fn run(args: &RunnerArgs, environment: &Environment) -> Result<CommandEnd, Failure> {
    let place = Place::open(&args.place)?;
    let data = place.data.clone();
    let config = args.config.as_deref();
    let made_for = made_for(args.model.as_deref(), config, environment)?;
    let idle =
        environment.get("ENGROSS_RUNNER_IDLE").and_then(|idle| idle.trim().parse().ok()).unwrap_or(IDLE);
    let idle = Duration::from_secs(idle);
    let watched = serve_tasks(&data, args.model.as_deref(), config, environment, &made_for, |tasks, door| {
        watch(&place, tasks, door, idle)
    });
    let ended = watched.await;
    place.close().await?;
    ended.map(|()| CommandEnd::With(Exit::Done))
}

/// Resolves when the runner has had nothing to do for `idle`, or is asked to make room.
async fn watch(place: &Place, tasks: Bridge, door: Door, idle: Duration) {
    let retired = Arc::new(Notify::new());
    tasks.retires_by(Arc::clone(&retired));
    let mut since: Option<Instant> = None;
    let mut is_home = false;
    loop {
        tokio::select! {
            () = retired.notified() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        if !tasks.is_idle() {
            (since, is_home) = (None, false);
            continue;
        }
        let quiet = since.get_or_insert_with(Instant::now).elapsed();
        if quiet >= UNSEEN && !is_home {
            // What it does by itself is not what keeps it from ending.
            is_home = true;
            if let Ok(link) = at_door(&door) {
                bring_home(place, link, &tasks).await;
            }
        }
        if quiet >= idle {
            return;
        }
    }
}

/// Brings the files home of threads that nobody looks on at, and begins what waits in them.
async fn bring_home(place: &Place, link: Arc<dyn Link>, tasks: &Bridge) {
    let driver = place.driver(link);
    let Ok(threads) = driver.unfinished().await else { return };
    // A server carries these out, and the runner knows nothing of their runs.
    let own = threads.into_iter().filter(|thread| thread.state().server().is_none());
    let driven = own.map(|thread| {
        let has_turns = needs_slot(thread.state());
        let (driver, record) = (&driver, thread.into_state().record);
        let driven = async move {
            let key = record.thread_id.as_str();
            let Ok(to) = folder(&record) else { return };
            let mut unheard = |_| {};
            tokio::select! {
                driven = driver.drive(key, &to, &mut unheard) => {
                    if let Err(error) = driven {
                        tracing::warn!(thread = %key, %error, "a task thread is left for its person");
                    }
                }
                // Its agent works with the environment of somebody who looks on, and that is nobody of ours.
                () = awaits_viewer(tasks, key) => {}
            }
        };
        (has_turns, driven)
    });
    carry_on(driven).await;
}

/// Carries on with threads; with those that wait for their turn at a gateway all at once, as each waits for those before it, whichever
/// they are.
pub(super) async fn carry_on<T>(driven: impl Iterator<Item = (bool, impl Future<Output = T>)>) -> Vec<T> {
    let (turns, others): (Vec<_>, Vec<_>) = driven.partition(|(has_turns, _)| *has_turns);
    let at_once = turns.len().max(1);
    let of = |threads: Vec<(bool, _)>| futures_util::stream::iter(threads).map(|(_, driven)| driven);
    let (turns, others) = (of(turns).buffer_unordered(at_once), of(others).buffer_unordered(AT_ONCE));
    futures_util::stream::select(turns, others).collect().await
}

/// Resolves when a run of a thread waits until somebody looks on.
async fn awaits_viewer(tasks: &Bridge, thread: &str) {
    while !tasks.runs().waits_for_viewer(thread) {
        tokio::time::sleep(LOOK).await;
    }
}
