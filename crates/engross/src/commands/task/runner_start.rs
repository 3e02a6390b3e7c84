//! Starts the runner of a person's tasks, and says why one did not begin.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use engross_protocol::{Exit, Failure, hex};
use sha2::{Digest as _, Sha256};

use engross_compose::files;
use engross_compose::runner::Fingerprint;
use engross_compose::settings::{Environment, Flags, ProgramSettings};

/// What a runner says, in its folder.
const LOG: &str = "tasks/runner.log";

/// The bytes of that which are told.
const LOG_SHOWN: u64 = 4 << 20;

/// Starts a runner that goes on when this process and its terminal are gone.
pub(super) fn start(data: &Path, model: Option<&str>, config: Option<&Path>) -> Result<Child, Failure> {
    let failed = |error: std::io::Error| {
        let message =
            format!("the runner of tasks cannot be started: {error}; give --server, or see `engross doctor`");
        Failure::new(Exit::Io, "LISTEN_FAILED", message)
    };
    let log = data.join(LOG);
    files::make_folder(&data.join("tasks"))?;
    let log = OpenOptions::new().create(true).write(true).truncate(true).open(log).map_err(failed)?;
    let mut command = Command::new(std::env::current_exe().map_err(failed)?);
    command.args(["task", "runner", "--data"]).arg(data);
    if let Some(model) = model {
        command.args(["--model", model]);
    }
    if let Some(config) = config {
        command.arg("--config").arg(config);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    // Ctrl-C at the terminal is not meant for it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().map_err(failed)
}

/// Why a runner did not begin, in its own words.
pub(super) fn died(data: &Path) -> Failure {
    let log: PathBuf = data.join(LOG);
    let said = files::read_bytes(&log, LOG_SHOWN).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let line = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it says nothing");
    let line = line.trim_start_matches("error: ");
    let (line, code) =
        line.rsplit_once(" [").map_or((line, ""), |(line, code)| (line, code.trim_end_matches(']')));
    // A failure of its settings is one of ours.
    let exit = if code == "CONFIG_INVALID" || code == "USAGE" { Exit::Usage } else { Exit::Io };
    let known =
        ["CONFIG_INVALID", "USAGE", "LISTEN_FAILED", "MODEL_INVALID", "MODEL_UNKNOWN", "MODEL_KEY_MISSING"];
    let code = known.into_iter().find(|known| *known == code).unwrap_or("LISTEN_FAILED");
    Failure::new(exit, code, line.to_owned())
}

/// What stands for all that a runner depends on: the program and the settings, and, for the tasks of our own agent, its model, a
/// script, and the variables that matter to it. Agents of others are given the environment of the one who asks.
pub(super) fn made_for(
    model: Option<&str>,
    config: Option<&Path>,
    environment: &Environment,
) -> Result<Fingerprint, Failure> {
    let flags =
        Flags { config: config.map(Path::to_owned), model: model.map(str::to_owned), ..Flags::default() };
    let settings = ProgramSettings::load(&flags, environment)?;
    let mut shared = Digest::default();
    shared.add(env!("CARGO_PKG_VERSION").as_bytes());
    if let Some(file) = settings.file.as_ref().filter(|file| file.exists) {
        shared.add(&files::read_bytes(&file.path, 64 << 20).unwrap_or_default());
    }
    let mut model = Digest::default();
    let spec = settings.model.value.clone().unwrap_or_default();
    model.add(spec.as_bytes());
    if let Some(script) = spec.strip_prefix("script:") {
        model.add(&files::read_bytes(Path::new(script), 64 << 20).unwrap_or_default());
    }
    for (name, value) in environment.of_runner() {
        let digest = if environment.is_of_model(name) { &mut model } else { &mut shared };
        digest.add(name.as_bytes());
        digest.add(value.as_bytes());
    }
    Ok(Fingerprint { settings: shared.hex(), model: model.hex() })
}

/// A hash of several things, whose borders count.
#[derive(Default)]
struct Digest(Sha256);

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn hex(self) -> String {
        hex::encode_prefix(self.0.finalize(), 16)
    }
}
