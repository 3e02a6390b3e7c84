//! The process of an agent: started in a group of its own, and ended together with everything that it started.
//!
//! Must never know what is said on its pipes, and must never leave a process behind: dropping it kills them all.

mod environment;
#[cfg(test)]
mod environment_tests;
mod stderr_tail;
#[cfg(test)]
mod stderr_tail_tests;

#[cfg(unix)]
use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

#[cfg(unix)]
use engross_sandbox::ProcessTree;
use engross_sandbox::{FenceRules, Quota, WatchOrder, WatchStage, WatchVerdict};
pub(crate) use stderr_tail::StderrTail;

/// This variable in the environment of a process marks it as an agent's, also when another process started it.
const MARK: &str = "ENGROSS_AGENT";

/// How often it is looked whether an agent has ended.
const LOOK: Duration = Duration::from_millis(10);

/// How long the one who watches may take to end what is left.
const OVERDUE: Duration = Duration::from_secs(30);

/// What to start.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    /// The file of the program.
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// Where it starts.
    pub(crate) folder: PathBuf,
    /// Our own environment, of which it sees only the usual part and `pass`.
    pub(crate) parent: Vec<(OsString, OsString)>,
    /// What else it sees of it. `NAME*` stands for all names that begin so.
    pub(crate) pass: Vec<String>,
    /// What it gets besides.
    pub(crate) set: Vec<(String, String)>,
    /// Whose agent it is, and which: `OWNER.NUMBER`.
    pub(crate) mark: String,
    /// Who watches over it.
    pub(crate) supervised: Option<Supervision>,
    /// What of the sandbox is not there, for people.
    pub(crate) gap: Option<String>,
}

/// How a process is watched over by another one of ours.
#[derive(Debug, Clone)]
pub(crate) struct Supervision {
    /// How the running program is told to do so.
    pub(crate) again: Vec<String>,
    /// What the agent may reach; `None` is everything.
    pub(crate) fence: Option<FenceRules>,
    /// How much it may use.
    pub(crate) quota: Quota,
}

/// Processes directly beneath the one who watches, at a moment.
#[cfg(unix)]
pub(crate) struct WatchedProcesses(HashSet<rustix::process::Pid>);

/// Nobody tells of processes here.
#[cfg(not(unix))]
pub(crate) struct WatchedProcesses;

/// A running agent.
pub(crate) struct Process {
    child: Child,
    #[cfg(unix)]
    family: ProcessTree,
    is_supervised: bool,
    words: StderrTail,
    readers: JoinSet<()>,
    over: bool,
}

impl Process {
    /// Starts it.
    ///
    /// # Errors
    /// As the system says.
    pub(crate) fn start(launch: &Launch) -> io::Result<(Self, ChildStdin, ChildStdout)> {
        let mut environment: Vec<(OsString, OsString)> =
            environment::allowed(&launch.parent, &launch.pass).collect();
        environment.extend(launch.set.iter().map(|(name, value)| (name.into(), value.into())));
        let mut command = command(launch)?;
        command
            .current_dir(&launch.folder)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // The one who watches over it goes last, and by itself.
            .kill_on_drop(launch.supervised.is_none());
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        #[cfg(unix)]
        let family = ProcessTree {
            leader: child.id().and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?)),
            mark: Some(format!("{MARK}={}", launch.mark)),
        };
        let words = StderrTail::new(environment::secrets(&environment));
        let mut process = Self {
            child,
            #[cfg(unix)]
            family,
            is_supervised: launch.supervised.is_some(),
            words,
            readers: JoinSet::new(),
            over: false,
        };
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(io::Error::other("the pipes to it were not made"));
        };
        process.readers.spawn(process.words.clone().keep_reading(errors));
        Ok((process, input, output))
    }

    /// What it last wrote to its error output.
    pub(crate) fn words(&self) -> &StderrTail {
        &self.words
    }

    /// Why it was ended by the one who watches over it, as soon as that is known.
    pub(crate) fn verdict(&self) -> Option<WatchVerdict> {
        #[cfg(unix)]
        return self.family.leader_exit().filter(|_| self.is_supervised).and_then(WatchVerdict::of_exit);
        #[cfg(not(unix))]
        None
    }

    /// Whether its first process has ended. Others may still hold its pipes open.
    pub(crate) fn has_ended(&mut self) -> bool {
        #[cfg(unix)]
        return self.family.has_leader_ended();
        #[cfg(not(unix))]
        matches!(self.child.try_wait(), Ok(Some(_)) | Err(_))
    }

    /// What of it is now directly beneath the one who watches: the program, and who has lost the parent.
    pub(crate) fn watched(&self) -> WatchedProcesses {
        #[cfg(unix)]
        return WatchedProcesses(if self.is_supervised { self.family.children() } else { HashSet::new() });
        #[cfg(not(unix))]
        WatchedProcesses
    }

    /// Ends who has lost the parent since `before`, with all beneath. Where nobody watches, such a one is not known.
    pub(crate) fn end_orphans(&self, before: &WatchedProcesses) {
        #[cfg(unix)]
        if self.is_supervised {
            self.family.kill_children_but(&before.0);
        }
        #[cfg(not(unix))]
        let _ = before;
    }

    /// Ends it: asks, waits for `grace`, then kills. All of its processes are gone afterwards.
    pub(crate) async fn stop(mut self, grace: Duration) {
        #[cfg(unix)]
        {
            self.family.terminate();
            let until = Instant::now() + grace;
            while self.family.is_alive() && Instant::now() < until {
                sleep(LOOK).await;
            }
        }
        #[cfg(not(unix))]
        {
            let _ = tokio::time::timeout(grace, self.child.wait()).await;
        }
        self.kill();
        if tokio::time::timeout(OVERDUE, self.child.wait()).await.is_err() {
            // Somebody has stopped the one who watches.
            #[cfg(unix)]
            self.family.kill();
            let _ = self.child.start_kill();
            let _ = self.child.wait().await;
        }
    }

    fn kill(&mut self) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        // The first process is waited for only afterwards, so that its number stays its own.
        #[cfg(unix)]
        {
            if self.is_supervised {
                // The one who watches ends when nothing is left beneath it, and not before.
                self.family.kill_beneath();
                self.family.end_watched();
                return;
            }
            self.family.kill();
        }
        let _ = self.child.start_kill();
    }
}

/// The command that starts it, with nothing of our environment: the program itself, or the one who watches over it.
fn command(launch: &Launch) -> io::Result<Command> {
    let Some(supervised) = &launch.supervised else {
        let mut command = Command::new(&launch.program);
        command.args(&launch.arguments).env_clear().env(MARK, &launch.mark);
        return Ok(command);
    };
    let order = WatchOrder {
        stage: WatchStage::Watch,
        parent: std::process::id(),
        again: supervised.again.clone(),
        program: launch.program.clone(),
        arguments: launch.arguments.clone(),
        // The one who watches does not carry the mark: it ends by itself, after all that do.
        mark: (MARK.to_owned(), launch.mark.clone()),
        fence: supervised.fence.clone(),
        quota: supervised.quota.clone(),
        grouped: true,
    };
    let order = order.text().map_err(|error| io::Error::other(error.to_string()))?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(&supervised.again).env_clear().env(engross_sandbox::VARIABLE, order);
    Ok(command)
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What an agent sees of `environment`: the usual, and the names in `pass`.
pub(crate) fn seen_by(
    pass: &[String],
    environment: &[(OsString, OsString)],
) -> impl Iterator<Item = (OsString, OsString)> {
    environment::allowed(environment, pass)
}

/// Kills the agents that an earlier server of the same `owner` left behind. Does nothing where processes do not tell their
/// environment.
pub(crate) fn sweep(owner: &str) {
    #[cfg(unix)]
    ProcessTree { leader: None, mark: Some(format!("{MARK}={owner}.*")) }.kill();
    #[cfg(not(unix))]
    let _ = owner;
}

/// Where the program `name` is, by the `PATH` of `parent`. A name with a slash in it is a path.
pub(crate) fn find_program(name: &str, parent: &[(OsString, OsString)]) -> Option<PathBuf> {
    if Path::new(name).components().count() > 1 {
        return is_program(Path::new(name)).then(|| PathBuf::from(name));
    }
    let path = parent.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value)?;
    let endings = if cfg!(windows) { &["", ".exe", ".cmd"][..] } else { &[""] };
    std::env::split_paths(path)
        .flat_map(|folder| endings.iter().map(move |ending| folder.join(format!("{name}{ending}"))))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    let Ok(metadata) = std::fs::metadata(path) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    metadata.is_file()
}
