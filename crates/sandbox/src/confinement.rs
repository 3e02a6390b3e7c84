//! Confines this very process, which has nothing to do but compute: it keeps the pipes that it has, and no other way out.
//!
//! Unlike `fence` and `system_calls`, which let ordinary programs live, this lets nothing through that is not needed to read, compute
//! and write. Must never be called where another thread runs: it holds for the thread that calls.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetStatus, Scope,
};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getppid, getrlimit, nice, set_parent_process_death_signal, setrlimit,
};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::confined_limits::ConfinedLimits;

/// The newest version of Landlock whose rights are given up; what the kernel does not know is left out.
const NEWEST: ABI = ABI::V9;

/// What the address space may have beside the memory: the program itself, its stack, and what is only reserved.
const BESIDE: u64 = 512 << 20;

/// Open files: the pipes, and what tells of the process itself.
const FILES: u64 = 16;

/// How much of the processor goes to others first.
const NICENESS: i32 = 5;

/// Ticks of a second in what the kernel tells of a process; the same on all machines.
const TICKS: u64 = 100;

/// Bytes of a page, at least: the resident part is told in pages.
const PAGE: u64 = 4096;

/// Calls without which nothing can be read, computed, written or ended. All of them reach this process alone, or a pipe that it has.
const NEEDED: &[libc::c_long] = &[
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_ppoll,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_membarrier,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getrusage,
    libc::SYS_getcpu,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Calls of old, which other machines have no number for.
#[cfg(target_arch = "x86_64")]
const OLD: &[libc::c_long] = &[libc::SYS_poll, libc::SYS_time];
#[cfg(not(target_arch = "x86_64"))]
const OLD: &[libc::c_long] = &[];

/// A process that has nothing left but what it had open.
#[derive(Debug)]
pub struct Confinement {
    /// What the kernel tells of this process; nothing can be opened any more.
    about: File,
}

impl Confinement {
    /// Gives up all rights of this process but to compute, for good. `parent` is the process that must be its parent, and with whose end
    /// this one ends.
    ///
    /// # Errors
    /// In words, when the kernel does not enforce something of it. The process must end then.
    pub fn enter(parent: u32, limits: ConfinedLimits) -> Result<Self, String> {
        let told = |error: rustix::io::Errno| error.to_string();
        let about = OpenOptions::new().read(true).open("/proc/self/stat");
        let about = about.map_err(|error| format!("/proc/self/stat: {error}"))?;
        // A terminal and a service manager ask all processes of a server to end, which this one does with its parent.
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::default()).map_err(|error| error.to_string())?;
        }
        nice(NICENESS).map_err(told)?;
        let bounds = [
            (Resource::Core, 0),
            (Resource::Fsize, 0),
            (Resource::Nofile, FILES),
            (Resource::Stack, limits.stack),
            (Resource::Data, limits.memory),
            (Resource::As, limits.memory.saturating_add(BESIDE)),
        ];
        for (resource, most) in bounds {
            set(resource, most, most).map_err(told)?;
        }
        set_capabilities(
            None,
            CapabilitySets {
                effective: CapabilitySet::empty(),
                permitted: CapabilitySet::empty(),
                inheritable: CapabilitySet::empty(),
            },
        )
        .map_err(told)?;
        // After the change of rights, which takes the wish away; the parent may have gone before it was said.
        set_parent_process_death_signal(Some(Signal::KILL)).map_err(told)?;
        let parent = i32::try_from(parent).ok().and_then(Pid::from_raw);
        if parent.is_none() || getppid() != parent {
            return Err("the process that wanted it is gone".to_owned());
        }
        leave_files()?;
        let program = filter().map_err(|error| error.to_string())?;
        seccompiler::apply_filter(&program).map_err(|error| error.to_string())?;
        Ok(Self { about })
    }

    /// Lets the process compute for so many seconds more; the kernel ends it then by `SIGXCPU`.
    ///
    /// # Errors
    /// In words, when the kernel does not enforce it.
    pub fn allow_seconds(&self, seconds: u64) -> Result<(), String> {
        let spent = self.spent().ok_or("what was spent cannot be told")?;
        let until = spent.saturating_add(seconds).saturating_add(1);
        let most = getrlimit(Resource::Cpu).maximum;
        setrlimit(Resource::Cpu, Rlimit { current: Some(until), maximum: most })
            .map_err(|error| error.to_string())
    }

    /// Bytes of the process that are in memory.
    #[must_use]
    pub fn resident(&self) -> u64 {
        self.field(24).unwrap_or(u64::MAX / PAGE).saturating_mul(PAGE)
    }

    /// Whole seconds that the process has computed.
    fn spent(&self) -> Option<u64> {
        Some((self.field(14)? + self.field(15)?) / TICKS)
    }

    /// A field of `/proc/self/stat`, counted from 1 as its manual does.
    fn field(&self, number: usize) -> Option<u64> {
        let mut text = [0; 1024];
        let length = self.about.read_at(&mut text, 0).ok()?;
        let text = std::str::from_utf8(text.get(..length)?).ok()?;
        // The second one is the name of the program, which may have spaces and brackets in it.
        let (_, rest) = text.rsplit_once(')')?;
        rest.split_ascii_whitespace().nth(number.checked_sub(3)?)?.parse().ok()
    }
}

fn set(resource: Resource, current: u64, most: u64) -> rustix::io::Result<()> {
    // What is allowed now cannot be raised, which is no harm.
    let had = getrlimit(resource).maximum.unwrap_or(u64::MAX);
    setrlimit(resource, Rlimit { current: Some(current.min(had)), maximum: Some(most.min(had)) })
}

/// No file, folder, socket or process is left to be reached.
fn leave_files() -> Result<(), String> {
    let given_up = || {
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(NEWEST))?
            .handle_access(AccessNet::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?;
        ruleset.create()?.restrict_self()
    };
    let status = given_up().map_err(|error: landlock::RulesetError| error.to_string())?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err("the kernel does not enforce Landlock".to_owned()),
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
    }
}

/// Lets the needed calls through; every other one answers "not permitted".
fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let needed = NEEDED.iter().chain(OLD).map(|call| (*call, Vec::new()));
    // A signal to itself, by which a process ends that cannot go on; with no right on others it reaches no further than its parent's group.
    let own = [libc::SYS_tgkill, libc::SYS_prlimit64].map(|call| (call, of_itself(call)));
    let mut rules: BTreeMap<i64, Vec<seccompiler::SeccompRule>> = needed.collect();
    for (call, rule) in own {
        rules.insert(call, vec![rule?]);
    }
    let machine = TargetArch::try_from(std::env::consts::ARCH)?;
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    SeccompFilter::new(rules, refused, SeccompAction::Allow, machine)?.try_into()
}

/// The call with this process as its first argument, by its number or as 0.
fn of_itself(call: libc::c_long) -> Result<seccompiler::SeccompRule, seccompiler::BackendError> {
    use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};
    let process = if call == libc::SYS_prlimit64 { 0 } else { u64::from(std::process::id()) };
    let is_own = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, process)?;
    SeccompRule::new(vec![is_own])
}
