//! Finds and ends every process that belongs to a program, also those that left its process group.
//!
//! Must never signal a process that was not proven to belong to it at that very moment: numbers of processes are used
//! again.

use std::collections::HashSet;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

/// How often it is looked for those that are left. A process that starts others without end is faster than the search; then the
/// rest is up to the mark at the next start.
const ROUNDS: usize = 20;

/// Tells the one who watches to end all of it, now.
pub(crate) const AT_ONCE: Signal = Signal::USR1;

/// Which processes belong to a program.
#[derive(Debug, Clone)]
pub struct ProcessTree {
    /// The first process, which leads a process group of its own; `None` when only the mark is known.
    pub leader: Option<Pid>,
    /// `NAME=VALUE` as it stands in the environment of each, whichever its parent is. An asterisk at the end stands for
    /// whatever follows.
    pub mark: Option<String>,
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::{HashMap, HashSet};

    use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};

    use super::ProcessTree;

    /// What `/proc` says about a process.
    struct Entry {
        parent: i32,
        group: i32,
        dead: bool,
    }

    /// The processes that are alive and belong to it, but for this one.
    pub(super) fn members(family: &ProcessTree) -> Vec<Pid> {
        let entries = entries();
        let leader = family.leader.map(|leader| leader.as_raw_nonzero().get());
        let own = getpid().as_raw_nonzero().get();
        let descends = beneath(&entries, leader.into_iter().collect());
        let belongs = |pid: i32, entry: &Entry| {
            descends.contains(&pid)
                || leader == Some(entry.group)
                || family.mark.as_deref().is_some_and(|mark| is_marked(pid, mark))
        };
        let found =
            entries.iter().filter(|(pid, entry)| **pid != own && !entry.dead && belongs(**pid, entry));
        found.filter_map(|(pid, _)| Pid::from_raw(*pid)).collect()
    }

    /// These processes and all that descends from them.
    fn beneath(entries: &HashMap<i32, Entry>, mut descends: HashSet<i32>) -> HashSet<i32> {
        // A parent may have a higher number than its child, so it takes some rounds.
        loop {
            let before = descends.len();
            let children = entries.iter().filter(|(_, entry)| descends.contains(&entry.parent));
            let children: Vec<i32> = children.map(|(pid, _)| *pid).collect();
            descends.extend(children);
            if descends.len() == before {
                return descends;
            }
        }
    }

    /// The children of the first process that are alive.
    pub(super) fn children(family: &ProcessTree) -> HashSet<Pid> {
        children_in(&entries(), family).into_iter().filter_map(Pid::from_raw).collect()
    }

    fn children_in(entries: &HashMap<i32, Entry>, family: &ProcessTree) -> HashSet<i32> {
        let leader = family.leader.map(|leader| leader.as_raw_nonzero().get());
        let of_leader = |entry: &Entry| leader == Some(entry.parent) && !entry.dead;
        entries.iter().filter(|(_, entry)| of_leader(entry)).map(|(pid, _)| *pid).collect()
    }

    /// Kills the children of the first process but for those in `spared`, with all beneath them. Whether there was any.
    pub(super) fn kill_children_but(family: &ProcessTree, spared: &HashSet<Pid>) -> bool {
        let look = || -> HashSet<Pid> {
            let entries = entries();
            let children = children_in(&entries, family);
            let is_spared = |pid: &i32| Pid::from_raw(*pid).is_none_or(|pid| spared.contains(&pid));
            let others = children.into_iter().filter(|pid| !is_spared(pid)).collect();
            let all = beneath(&entries, others).into_iter();
            let alive = all.filter(|pid| entries.get(pid).is_some_and(|entry| !entry.dead));
            alive.filter_map(Pid::from_raw).collect()
        };
        let handles: Vec<_> = look()
            .into_iter()
            .filter_map(|pid| Some((pid, pidfd_open(pid, PidfdFlags::empty()).ok()?)))
            .collect();
        let still = look();
        for (pid, handle) in handles {
            if still.contains(&pid) {
                let _ = pidfd_send_signal(&handle, Signal::KILL);
            }
        }
        !still.is_empty()
    }

    /// Signals each member. The handle is taken first and the process looked at again, so that a number that was given away
    /// meanwhile does no harm.
    pub(super) fn signal(family: &ProcessTree, signal: Signal, spared: Option<Pid>) {
        let handles: Vec<_> = members(family)
            .into_iter()
            .filter(|pid| Some(*pid) != spared)
            .filter_map(|pid| pidfd_open(pid, PidfdFlags::empty()).ok().map(|handle| (pid, handle)))
            .collect();
        let still: HashSet<Pid> = members(family).into_iter().collect();
        for (pid, handle) in handles {
            if still.contains(&pid) {
                let _ = pidfd_send_signal(&handle, signal);
            }
        }
    }

    /// Stops each member that is not stopped yet; those that are known to be are in `stopped`. Whether there was any.
    pub(super) fn stop(family: &ProcessTree, stopped: &mut HashSet<Pid>) -> bool {
        let new: Vec<Pid> = members(family).into_iter().filter(|pid| !stopped.contains(pid)).collect();
        let handles: Vec<_> =
            new.iter().filter_map(|pid| Some((*pid, pidfd_open(*pid, PidfdFlags::empty()).ok()?))).collect();
        let still: HashSet<Pid> = members(family).into_iter().collect();
        for (pid, handle) in handles {
            if still.contains(&pid) && pidfd_send_signal(&handle, Signal::STOP).is_ok() {
                stopped.insert(pid);
            }
        }
        !new.is_empty()
    }

    fn entries() -> HashMap<i32, Entry> {
        let Ok(folder) = std::fs::read_dir("/proc") else { return HashMap::new() };
        let numbers = folder.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
        numbers.filter_map(|pid| Some((pid, entry(pid)?))).collect()
    }

    #[expect(clippy::disallowed_methods, reason = "/proc is no place of a user's files")]
    fn entry(pid: i32) -> Option<Entry> {
        let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        // The name of the program stands in brackets and may hold anything.
        let end = stat.iter().rposition(|byte| *byte == b')')?;
        let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
        let mut words = rest.split_ascii_whitespace();
        let state = words.next()?;
        let parent = words.next()?.parse().ok()?;
        let group = words.next()?.parse().ok()?;
        Some(Entry { parent, group, dead: matches!(state, "Z" | "X" | "x") })
    }

    #[expect(clippy::disallowed_methods, reason = "/proc is no place of a user's files")]
    fn is_marked(pid: i32, mark: &str) -> bool {
        // Only the owner may read it; a process of somebody else is none of ours.
        let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { return false };
        environment.split(|byte| *byte == 0).any(|one| match mark.strip_suffix('*') {
            Some(start) => one.starts_with(start.as_bytes()),
            None => one == mark.as_bytes(),
        })
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use rustix::process::{Pid, Signal, kill_process_group};

    use super::ProcessTree;

    /// The first process while it lives; here nobody tells of the others.
    pub(super) fn members(family: &ProcessTree) -> Vec<Pid> {
        family.leader.filter(|_| !family.has_leader_ended()).into_iter().collect()
    }

    /// Nobody tells of them here.
    pub(super) fn children(_: &ProcessTree) -> std::collections::HashSet<Pid> {
        std::collections::HashSet::new()
    }

    /// Nobody tells of them here.
    pub(super) fn kill_children_but(_: &ProcessTree, _: &std::collections::HashSet<Pid>) -> bool {
        false
    }

    /// Signals the group. Its first process is not waited for before, so nobody else can have its number.
    pub(super) fn signal(family: &ProcessTree, signal: Signal, spared: Option<Pid>) {
        if let Some(leader) = family.leader.filter(|leader| Some(*leader) != spared) {
            let _ = kill_process_group(leader, signal);
        }
    }
}

impl ProcessTree {
    /// Whether the first process has ended. It is not waited for, so that its number stays its own.
    #[must_use]
    pub fn has_leader_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.leader.is_none_or(|leader| !matches!(waitid(WaitId::Pid(leader), options), Ok(None)))
    }

    /// The exit code of the first process, when it has ended by itself.
    #[must_use]
    pub fn leader_exit(&self) -> Option<i32> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(self.leader?), options).ok()??.exit_status()
    }

    /// Whether any process of it is alive.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        !system::members(self).is_empty()
    }

    /// How many processes of it are alive.
    #[must_use]
    pub fn count(&self) -> u64 {
        system::members(self).len() as u64
    }

    /// Asks all of them to end.
    pub fn terminate(&self) {
        system::signal(self, Signal::TERM, None);
    }

    /// Stops all of them but this process, again and again until a look finds none that is new: what does not run starts nothing.
    #[cfg(target_os = "linux")]
    pub(crate) fn stop_all(&self) {
        /// Some are never found running, as each has gone when it is looked at; those do not grow in number.
        const LOOKS: usize = 50;
        let mut stopped = HashSet::new();
        for _ in 0..LOOKS {
            if !system::stop(self, &mut stopped) {
                return;
            }
        }
    }

    /// Asks the first process, which watches over the rest, to end all of it at once; it goes last, and only when nothing is left.
    pub fn end_watched(&self) {
        if let Some(leader) = self.leader.filter(|_| !self.has_leader_ended()) {
            let _ = kill_process(leader, AT_ONCE);
        }
    }

    /// The children of the first process. Where that one watches, these are the program and all who have lost their parents.
    #[must_use]
    pub fn children(&self) -> HashSet<Pid> {
        system::children(self)
    }

    /// Ends the children of the first process that are not in `spared`, and all beneath them. Does nothing where nobody tells of
    /// processes.
    pub fn kill_children_but(&self, spared: &HashSet<Pid>) {
        for _ in 0..ROUNDS {
            if !system::kill_children_but(self, spared) {
                return;
            }
        }
    }

    /// Ends all of them, and what they start meanwhile.
    pub fn kill(&self) {
        self.kill_but(None);
    }

    /// Ends all of them but the first, which watches over the rest: while it lives, none of them can hide from it.
    pub fn kill_beneath(&self) {
        self.kill_but(self.leader);
    }

    fn kill_but(&self, spared: Option<Pid>) {
        for _ in 0..ROUNDS {
            system::signal(self, Signal::KILL, spared);
            if system::members(self).iter().all(|pid| Some(*pid) == spared) {
                return;
            }
        }
    }
}
