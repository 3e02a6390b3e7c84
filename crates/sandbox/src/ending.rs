//! Ends all that is beneath the one who watches, whatever it does against it: starting others without end, leaving its group,
//! losing its parents.
//!
//! Must never return while something beneath this process is alive, nor signal what was not proven to be beneath it.

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, kill_process_group, wait, waitid,
};

use crate::control_group::ControlGroup;
use crate::process_tree::ProcessTree;

/// How often nobody is found to have ended before all processes are looked at again.
const IDLE: u32 = 20;

/// How many numbers after that of a child that has gone are tried: a process that goes on by starting another one and ending
/// has the next free number.
const AHEAD: i32 = 32;

/// Looks without waiting and without taking the end of a process away from anybody.
const PEEK: WaitIdOptions = WaitIdOptions::EXITED.union(WaitIdOptions::NOHANG).union(WaitIdOptions::NOWAIT);

/// What of a program is to be ended.
pub(crate) struct Ending {
    /// All that is beneath this process.
    pub(crate) tree: ProcessTree,
    /// The program, which leads a group of processes.
    pub(crate) program: Pid,
    /// Its control group.
    pub(crate) group: Option<ControlGroup>,
}

impl Ending {
    /// Everything beneath this process, of which `program` is the first.
    pub(crate) fn of(program: Pid, group: Option<ControlGroup>) -> Self {
        Self { tree: ProcessTree { leader: Some(getpid()), mark: None }, program, group }
    }

    /// Ends it. Who loses a parent becomes a child of this process, so that nothing is left when it has no child, whatever a
    /// look at the tree misses that changes meanwhile.
    pub(crate) fn end_all(&self) {
        if let Some(group) = &self.group {
            group.kill();
        }
        // The kernel lets nobody slip out of a group that is killed. The number is the group's while the program was not waited for.
        if waitid(WaitId::Pid(self.program), PEEK).is_ok() {
            let _ = kill_process_group(self.program, Signal::KILL);
        }
        while !chase() {
            // What is stopped starts nothing, so that those who multiply come to an end before one of them is killed.
            self.tree.stop_all();
            self.tree.kill();
            if let Some(group) = &self.group {
                group.kill();
            }
        }
        if let Some(group) = &self.group {
            group.remove();
        }
    }
}

/// Collects the children that have ended, and kills those that took their place, for as long as there are such. Whether none
/// is left.
fn chase() -> bool {
    let mut idle = 0;
    while idle < IDLE {
        match wait(WaitOptions::NOHANG) {
            Ok(Some((gone, _))) => {
                idle = 0;
                kill_children_after(gone);
            }
            Err(Errno::CHILD) => return true,
            Ok(None) | Err(_) => {
                idle += 1;
                std::thread::yield_now();
            }
        }
    }
    false
}

/// A child of this process that it has not waited for keeps its number, so that nobody else can be hit.
fn kill_children_after(gone: Pid) {
    let first = gone.as_raw_nonzero().get();
    for number in first.saturating_add(1)..=first.saturating_add(AHEAD) {
        let Some(pid) = Pid::from_raw(number) else { return };
        if waitid(WaitId::Pid(pid), PEEK).is_ok() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}
