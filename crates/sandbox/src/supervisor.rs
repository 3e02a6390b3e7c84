//! Watches a program and all that it starts, from outside its fence, and ends all of it with the program or with its own
//! parent.
//!
//! Must never end while something that it watched is alive; must never leave the program running when it cannot watch.

use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, getppid,
    pidfd_open, set_child_subreaper, set_parent_process_death_signal, setrlimit, setsid, wait, waitid,
};

use crate::control_group::ControlGroup;
use crate::ending::Ending;
use crate::order::{Quota, WatchOrder, WatchStage, WatchVerdict};
use crate::process_tree::AT_ONCE;
use crate::{VARIABLE, fence, mounts, system_calls, usage};

/// How often it looks at what is in use, and reaps.
const LOOK: Duration = Duration::from_millis(250);

/// A measurement may take this part of the time.
const SHARE: u32 = 20;

/// How long the program has to end when that is asked for.
const GRACE: Duration = Duration::from_secs(2);

/// The exit code of an order that is void.
const VOID: u8 = 125;

pub(crate) fn carry_out(text: &str) -> u8 {
    let Ok(order) = serde_json::from_str::<WatchOrder>(text) else {
        tell("it has no order that can be read");
        return VOID;
    };
    let parent = i32::try_from(order.parent).ok().and_then(Pid::from_raw);
    if parent.is_none() {
        tell("it has no parent");
        return VOID;
    }
    match order.stage {
        WatchStage::Watch => watch(order, parent).unwrap_or_else(|error| {
            tell(&error.to_string());
            VOID
        }),
        WatchStage::Become => become_program(&order, parent),
    }
}

/// Says something where the one who started this reads it.
fn tell(problem: &str) {
    // Nobody else could be told.
    let _ = writeln!(io::stderr(), "engross: {problem}");
}

fn is_child_of(parent: Option<Pid>) -> bool {
    getppid() == parent
}

/// Gives up what the fence does not allow, and becomes the program.
fn become_program(order: &WatchOrder, parent: Option<Pid>) -> u8 {
    // First, as a change of rights takes the wish to die with the parent away. Where it cannot be, the fence stands without:
    // `Support::gap` has told so.
    if let Some(fence) = &order.fence
        && mounts::are_separable()
        && let Err(problem) = mounts::separate(&fence.write)
    {
        tell(&format!("modes, owners and times outside can be changed: {problem}"));
    }
    // The one who watches is never to be outlived; it may have gone before this was said.
    if set_parent_process_death_signal(Some(Signal::KILL)).is_err() || !is_child_of(parent) {
        return VOID;
    }
    // No terminal of a person, and a group of its own.
    let _ = setsid();
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    if let Some(fence) = &order.fence {
        // System calls last: they hold the rights that are given up before.
        let entered = fence::enter(fence).and_then(|()| system_calls::refuse(fence.network));
        if let Err(problem) = entered {
            tell(&format!("the sandbox cannot be set up: {problem}"));
            return WatchVerdict::UNAVAILABLE;
        }
    }
    let error = Command::new(&order.program)
        .args(&order.arguments)
        .env_remove(VARIABLE)
        .env(&order.mark.0, &order.mark.1)
        .exec();
    tell(&format!("`{}` cannot be started: {error}", order.program.display()));
    VOID
}

/// Starts the program in a fence, and sees to its end.
fn watch(order: WatchOrder, parent: Option<Pid>) -> io::Result<u8> {
    let Some(parent) = parent.filter(|parent| is_child_of(Some(*parent))) else { return Ok(VOID) };
    let parent_ends = pidfd_open(parent, PidfdFlags::empty())?;
    set_child_subreaper(Some(getpid()))?;
    let asked = EndSignals::hear()?;
    let places: Vec<PathBuf> = order.fence.iter().flat_map(|fence| fence.write.clone()).collect();
    let quota = order.quota.clone();
    let again = order.again.clone();
    let inner = WatchOrder { stage: WatchStage::Become, parent: std::process::id(), ..order };
    let text = inner.text().map_err(|error| io::Error::other(error.to_string()))?;
    let group = if inner.grouped { ControlGroup::make() } else { None };
    let mut command = Command::new(std::env::current_exe()?);
    command.args(again).env(VARIABLE, text);
    let child = match &group {
        Some(group) => group.starting(|| command.spawn()),
        None => Ok(command.spawn()),
    };
    let child = child.and_then(|child| child).inspect_err(|_| {
        if let Some(group) = &group {
            group.remove();
        }
    })?;
    let program = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let Some(program) = program else { return Ok(VOID) };
    let ending = Ending::of(program, group);
    let watched = watch_over(
        program,
        &ending,
        [&parent_ends, &pidfd_open(program, PidfdFlags::empty())?],
        &asked,
        &quota,
        &places,
    );
    ending.end_all();
    Ok(watched)
}

/// The signals that ask for an end.
#[derive(Debug, Clone, Default)]
struct EndSignals {
    /// To end all of it in good order.
    to_end: Arc<AtomicBool>,
    /// To end all of it, now.
    at_once: Arc<AtomicBool>,
}

impl EndSignals {
    fn hear() -> io::Result<Self> {
        let asked = Self::default();
        for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP]
        {
            signal_hook::flag::register(signal, Arc::clone(&asked.to_end))?;
        }
        signal_hook::flag::register(AT_ONCE.as_raw(), Arc::clone(&asked.at_once))?;
        Ok(asked)
    }
}

/// Looks on until all of it is to be ended; the exit code that tells why.
fn watch_over(
    program: Pid,
    ending: &Ending,
    ends: [&OwnedFd; 2],
    asked: &EndSignals,
    quota: &Quota,
    places: &[PathBuf],
) -> u8 {
    leave_pipes();
    let mut until: Option<Instant> = None;
    let mut next_count = Instant::now() + LOOK;
    loop {
        if let Some(ended) = reap(program) {
            return ended;
        }
        let mut ends = ends.map(|end| PollFd::new(end, PollFlags::IN));
        // A signal wakes it, too.
        let _ = poll(&mut ends, Some(&Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) }));
        let [parent, _] = &ends;
        if !parent.revents().is_empty() || asked.at_once.load(Ordering::Relaxed) {
            return VOID;
        }
        if asked.to_end.load(Ordering::Relaxed) && until.is_none() {
            ending.tree.terminate();
            until = Some(Instant::now() + GRACE);
        }
        if until.is_some_and(|until| Instant::now() > until) {
            return VOID;
        }
        if quota.processes.is_some_and(|most| ending.tree.count() > most) {
            tell(&format!("it had more than {} processes", quota.processes.unwrap_or_default()));
            return WatchVerdict::Processes.exit();
        }
        if Instant::now() >= next_count {
            let began = Instant::now();
            if let Some(verdict) = usage::exceeds(quota, places) {
                return verdict.exit();
            }
            next_count = Instant::now() + LOOK.max(began.elapsed() * SHARE);
        }
    }
}

/// Collects what has ended beneath this process. The exit code of `program`, which is left to be collected at the end, so that
/// its number stays its own.
fn reap(program: Pid) -> Option<u8> {
    loop {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if let Ok(Some(status)) = waitid(WaitId::Pid(program), options) {
            return Some(code(status.exit_status(), status.terminating_signal()));
        }
        match wait(WaitOptions::NOHANG) {
            // It ended between the two.
            Ok(Some((pid, status))) if pid == program => {
                return Some(code(status.exit_status(), status.terminating_signal()));
            }
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => return None,
        }
    }
}

/// The exit code that tells how a program ended. What stands for a verdict is kept for those.
fn code(exit: Option<i32>, signal: Option<i32>) -> u8 {
    let code = match (exit, signal) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 1,
    };
    match u8::try_from(code) {
        // It has none before the fence is entered, and cannot be one afterwards.
        Ok(WatchVerdict::UNAVAILABLE) => WatchVerdict::UNAVAILABLE,
        Ok(code) if code < WatchVerdict::FIRST => code,
        _ => WatchVerdict::FIRST - 1,
    }
}

/// Lets go of the pipes between the program and the one who started this, so that their ends are seen.
fn leave_pipes() {
    let nothing = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null");
    if let Ok(nothing) = nothing {
        let _ = rustix::stdio::dup2_stdin(&nothing);
        let _ = rustix::stdio::dup2_stdout(&nothing);
    }
}
