//! The runner of a person's tasks: a server for the commands of one person, beneath their folder for data.
//!
//! Must never take what is set for a server that others reach, nor run twice in one folder.

use std::path::{Path, PathBuf};
use std::time::Duration;

use engross_http::Listener;
use engross_protocol::Failure;
use engross_tasks::rpc::Bridge;

use super::owner::DAY;
use super::server::{RunnerParts, cannot_listen, listen, parts, serve};
use super::sessions;
use crate::files;
use crate::settings::{Environment, Flags, ProgramSettings, ServeSettings};
use crate::signals;

/// The folder of a person's runner, beneath the folder for data.
const RUNNER: &str = "tasks";

/// Where it says how commands of the person reach it.
const DOOR: &str = "door";

/// How a token begins, and how many bytes it has at least.
const TOKEN: &str = "node_";
const TOKEN_BYTES: usize = 37;

/// The socket that they reach it by. Only the person may enter its folder and open it.
const SOCKET: &str = "runner.sock";

/// What stands in the door for that socket.
const BY_SOCKET: &str = "socket";

/// What stands in the door of a runner that cannot be reached yet.
const SHUT: &str = "shut";

/// The longest path of a socket that every system takes, in bytes; a folder with a longer one has a port of this machine instead.
#[cfg(unix)]
const LONGEST_SOCKET: usize = 100;

/// How many days a runner keeps its own copies of files that it has long brought home, unless ENGROSS_RUNNER_KEEP_DAYS says; 0 is
/// for ever.
const KEEP_DAYS: u64 = 30;

/// How often a runner looks whether its folder is still there.
const LOOK: Duration = Duration::from_secs(1);

/// How long turns may go on when it has nothing to do any more, or is asked to stop by the system.
const SHORT_PATIENCE: Duration = Duration::from_secs(1);

/// Serves beneath `data` until nobody needs it any more: the runner of a person's tasks. Does nothing where there is one.
/// `made_for` is written beside its address; `watch` hears of the bridge and ends when the server is to.
pub async fn serve_tasks<Watched: Future<Output = ()>>(
    data: &Path,
    model: Option<&str>,
    config: Option<&Path>,
    environment: &Environment,
    made_for: &Fingerprint,
    watch: impl FnOnce(Bridge, Door) -> Watched,
) -> Result<(), Failure> {
    let folder = data.join(RUNNER);
    files::make_folder(&folder)?;
    let Some(_lock) = files::lock_folder(&folder)? else { return Ok(()) };
    let place = folder.join(DOOR);
    // A viewer that has lost the runner before finds this one at the same socket, and is to be let in.
    let before = files::read_optional_text(&place)?.unwrap_or_default();
    let known =
        before.split(' ').nth(1).filter(|token| token.starts_with(TOKEN) && token.len() >= TOKEN_BYTES);
    let token = known.map_or_else(sessions::process_name, str::to_owned);
    // What the one before it left leads nowhere. The token stays there: this one may be killed before it has a door of its own.
    files::write_private(&place, format!("{SHUT} {token}").as_bytes())?;
    let days = environment.get("ENGROSS_RUNNER_KEEP_DAYS").and_then(|days| days.trim().parse().ok());
    let days: u64 = days.unwrap_or(KEEP_DAYS);
    let keep_files = (days > 0).then(|| Duration::from_secs(days.saturating_mul(DAY)));
    let flags =
        Flags { config: config.map(Path::to_owned), model: model.map(str::to_owned), ..Flags::default() };
    let mut settings = ProgramSettings::load(&flags, environment)?;
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
    let parts = parts(&settings, environment, Some(RunnerParts { keep_files }))?;
    let (listener, address) = match listen_at_socket(&folder.join(SOCKET)) {
        Some(listener) => (listener, RunnerAddress::Socket(folder.join(SOCKET))),
        None => {
            let listener = listen(asked)?;
            let address = listener.local_addr().map_err(|error| cannot_listen(asked, &error))?;
            (listener.into(), RunnerAddress::Port(format!("http://{address}")))
        }
    };
    let door = Door { address, token, made_for: made_for.clone() };
    let (sender, began) = tokio::sync::oneshot::channel();
    let stop = || {
        let asked = signals::asked_to_stop();
        async {
            let over = async {
                match began.await {
                    Ok(bridge) => watch(bridge, door.clone()).await,
                    Err(_) => std::future::pending().await,
                }
            };
            tokio::select! {
                () = over => {}
                () = asked => {}
                () = is_gone(&place, &door) => {}
            }
            SHORT_PATIENCE
        }
    };
    let written = files::write_private(&place, door.line().as_bytes());
    written?;
    let served = serve(parts, listener, stop, |_, bridge| {
        if let Some(bridge) = bridge {
            let _ = sender.send(bridge.clone());
        }
    })
    .await;
    let _ = files::by_path::remove(&folder.join(SOCKET));
    served
}

/// Listens at a socket in the person's folder; nothing where the system has none, or the path is too long for one.
#[cfg(unix)]
fn listen_at_socket(path: &Path) -> Option<Listener> {
    use std::os::unix::fs::PermissionsExt;
    if path.as_os_str().len() > LONGEST_SOCKET {
        return None;
    }
    // Whoever holds the folder's lock is the only one who listens here: what lies there is left over.
    let _ = files::by_path::remove(path);
    let listening = tokio::net::UnixListener::bind(path).and_then(|listener| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
        Ok(listener)
    });
    listening.map(Listener::File).ok()
}

#[cfg(not(unix))]
fn listen_at_socket(_: &Path) -> Option<Listener> {
    None
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
pub struct Door {
    /// Where it listens.
    pub address: RunnerAddress,
    /// What it asks for.
    pub token: String,
    /// What stands for the settings that it was started with.
    pub made_for: Fingerprint,
}

/// Where a runner listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunnerAddress {
    /// At a socket of this path.
    Socket(PathBuf),
    /// At a port of this machine.
    Port(String),
}

/// What stands for the settings that a runner was started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// For what every task depends on: the program, and the settings.
    pub settings: String,
    /// For what the tasks of our own agent depend on besides: its model, and the keys to that.
    pub model: String,
}

impl Door {
    fn line(&self) -> String {
        let address = match &self.address {
            RunnerAddress::Socket(_) => BY_SOCKET,
            RunnerAddress::Port(address) => address,
        };
        let Fingerprint { settings, model } = &self.made_for;
        format!("{address} {} {settings} {model}", self.token)
    }
}

/// What of a runner there is beneath a folder for data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunnerState {
    /// None.
    Nobody,
    /// One that cannot be reached yet, or not any more.
    Between,
    /// One that can be reached here.
    At(Door),
}

/// The runner that a person has beneath `data` now.
pub fn find(data: &Path) -> Result<RunnerState, Failure> {
    let folder = data.join(RUNNER);
    files::make_folder(&folder)?;
    if files::lock_folder(&folder)?.is_some() {
        return Ok(RunnerState::Nobody);
    }
    let line = files::read_optional_text(&folder.join(DOOR))?.unwrap_or_default();
    let mut words = line.split(' ').map(str::to_owned);
    Ok(match (words.next(), words.next(), words.next(), words.next()) {
        (Some(address), Some(token), Some(settings), model) => RunnerState::At(Door {
            address: match address.as_str() {
                BY_SOCKET => RunnerAddress::Socket(folder.join(SOCKET)),
                _ => RunnerAddress::Port(address),
            },
            token,
            // One of an older version has one word for both, and is none of ours.
            made_for: Fingerprint { settings, model: model.unwrap_or_default() },
        }),
        _ => RunnerState::Between,
    })
}
