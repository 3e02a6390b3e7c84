//! The runner of a person's tasks: a server for the commands of one person, beneath their folder for data.
//!
//! Must never take what is set for a server that others reach, nor run twice in one folder.

use std::path::Path;
use std::time::Duration;

use engross_protocol::Failure;
use engross_tasks::rpc::Bridge;

use super::server::{cannot_listen, listen, parts, serve};
use super::sessions;
use crate::files;
use crate::settings::{Environment, Flags, ServeSettings, Settings};
use crate::signals;

/// The folder of a person's runner, beneath the folder for data.
const RUNNER: &str = "tasks";

/// Where it says how commands of the person reach it.
const DOOR: &str = "door";

/// How often a runner looks whether its folder is still there.
const LOOK: Duration = Duration::from_secs(1);

/// How long turns may go on when it has nothing to do any more, or is asked to stop by the system.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

/// Serves beneath `data` until nobody needs it any more: the runner of a person's tasks. Does nothing where there is one.
/// `made_for` is written beside its address; `watch` hears of the bridge and ends when the server is to.
pub(crate) async fn serve_tasks<Watched: Future<Output = ()>>(
    data: &Path,
    model: Option<&str>,
    config: Option<&Path>,
    environment: &Environment,
    made_for: &str,
    watch: impl FnOnce(Bridge, Door) -> Watched,
) -> Result<(), Failure> {
    let folder = data.join(RUNNER);
    files::make_folder(&folder)?;
    let Some(_lock) = files::lock_folder(&folder)? else { return Ok(()) };
    let place = folder.join(DOOR);
    // What the one before it left leads nowhere.
    files::by_path::remove(&place).or_else(|error| match error {
        files::Error::NotFound { .. } => Ok(()),
        error => Err(error),
    })?;
    let token = sessions::process_name();
    let flags =
        Flags { config: config.map(Path::to_owned), model: model.map(str::to_owned), ..Flags::default() };
    let mut settings = Settings::load(&flags, environment)?;
    // What is set for a server is not meant for a person's own runner.
    settings.serve = ServeSettings::default();
    let own = [
        ("listen", "127.0.0.1:0".to_owned()),
        ("data", folder.to_string_lossy().into_owned()),
        ("token", token.clone()),
    ];
    for (key, value) in own {
        settings.serve.add_flag(key, vec![value])?;
    }
    let asked = settings.serve.listen();
    let parts = parts(&settings, environment)?;
    let listener = listen(asked).await?;
    let address = listener.local_addr().map_err(|error| cannot_listen(asked, &error))?;
    let door = Door { address: format!("http://{address}"), token, made_for: made_for.to_owned() };
    let (sender, began) = tokio::sync::oneshot::channel();
    let stop = async {
        let over = async {
            match began.await {
                Ok(bridge) => watch(bridge, door.clone()).await,
                Err(_) => std::future::pending().await,
            }
        };
        tokio::select! {
            () = over => {}
            () = signals::asked_to_stop() => {}
            () = is_gone(&place, &door) => {}
        }
        SHORT_PATIENCE
    };
    let written = files::write_private(&place, door.line().as_bytes());
    written?;
    serve(parts, listener, stop, |_, _, bridge| {
        let _ = sender.send(bridge.clone());
    })
    .await
}

/// Resolves when nobody can find this runner any more: its folder is gone, or holds another one's address.
async fn is_gone(place: &Path, door: &Door) {
    loop {
        tokio::time::sleep(LOOK).await;
        // What cannot be read now may be read later.
        if files::read_optional_text(place).is_ok_and(|line| line.as_deref() != Some(door.line().as_str())) {
            return;
        }
    }
}

/// How a person's commands reach the runner of their tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Door {
    /// Its address.
    pub(crate) address: String,
    /// What it asks for.
    pub(crate) token: String,
    /// What stands for the settings that it was started with.
    pub(crate) made_for: String,
}

impl Door {
    fn line(&self) -> String {
        format!("{} {} {}", self.address, self.token, self.made_for)
    }
}

/// What of a runner there is beneath a folder for data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunnerState {
    /// None.
    Nobody,
    /// One that cannot be reached yet, or not any more.
    Between,
    /// One that can be reached here.
    At(Door),
}

/// The runner that a person has beneath `data` now.
pub(crate) fn find(data: &Path) -> Result<RunnerState, Failure> {
    let folder = data.join(RUNNER);
    files::make_folder(&folder)?;
    if files::lock_folder(&folder)?.is_some() {
        return Ok(RunnerState::Nobody);
    }
    let line = files::read_optional_text(&folder.join(DOOR))?.unwrap_or_default();
    let mut words = line.split(' ').map(str::to_owned);
    Ok(match (words.next(), words.next(), words.next()) {
        (Some(address), Some(token), Some(made_for)) => RunnerState::At(Door { address, token, made_for }),
        _ => RunnerState::Between,
    })
}
