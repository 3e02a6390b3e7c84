//! Refuses system calls by which a process could reach beyond its files: what Landlock does not see.
//!
//! Must never refuse what ordinary programs need to build, fetch and write: a call that is refused answers "not permitted".

use std::collections::BTreeMap;
use std::path::Path;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

/// Whose effects are those of the whole machine, or of a process elsewhere, whatever rights the caller has.
const MACHINE: &[libc::c_long] = &[
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    // Keys of the account, and memory and queues that all its processes share.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // Since 5.1 a call has one number on all machines: io_uring (which opens sockets unseen), mounts of the new kind, quotas.
    425,
    426,
    427,
    428,
    429,
    430,
    431,
    432,
    433,
    442,
    443,
];

/// Whose first argument is the process, 0 for the one that calls.
const OF_A_PROCESS: &[libc::c_long] = &[
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setattr,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

/// Whose second argument is the process, its group or its account, 0 for those of the one that calls.
const OF_PROCESSES: &[libc::c_long] = &[libc::SYS_setpriority, libc::SYS_ioprio_set];

#[cfg(target_arch = "x86_64")]
const PORTS: &[libc::c_long] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_kexec_file_load];
#[cfg(not(target_arch = "x86_64"))]
const PORTS: &[libc::c_long] = &[];

/// On x86-64 the same calls have a second number, for programs with short pointers.
#[cfg(target_arch = "x86_64")]
const OTHER_NUMBERS: &[libc::c_long] = &[0, 0x4000_0000];
#[cfg(not(target_arch = "x86_64"))]
const OTHER_NUMBERS: &[libc::c_long] = &[0];

/// Refuses them for this process and all that it starts. A socket is refused when it could reach a service of this machine
/// that acts for anybody who asks (a bus, a container engine, a terminal), and every socket where there is to be no `network`.
pub(crate) fn refuse(network: bool) -> Result<(), String> {
    let program = filter(network).map_err(|error| error.to_string())?;
    seccompiler::apply_filter(&program).map_err(|error| error.to_string())
}

fn filter(network: bool) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let mut add =
        |call: libc::c_long, conditions: &[SeccompCondition]| -> Result<(), seccompiler::BackendError> {
            for other in OTHER_NUMBERS {
                let row = rules.entry(call | other).or_default();
                if !conditions.is_empty() {
                    row.push(SeccompRule::new(conditions.to_vec())?);
                }
            }
            Ok(())
        };
    for call in MACHINE.iter().chain(PORTS) {
        add(*call, &[])?;
    }
    let is = |argument: u8, value: u64| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value)
    };
    let unix = u64::from(libc::AF_UNIX.unsigned_abs());
    if network {
        for family in [libc::AF_UNIX, libc::AF_VSOCK, libc::AF_PACKET, libc::AF_KEY] {
            add(libc::SYS_socket, &[is(0, u64::from(family.unsigned_abs()))?])?;
        }
    } else {
        add(libc::SYS_socket, &[])?;
    }
    // Both ends of a pair belong to the process, but one that sends datagrams can be turned to any address.
    let datagrams = SeccompCondition::new(
        1,
        SeccompCmpArgLen::Dword,
        SeccompCmpOp::MaskedEq(0xf),
        u64::from(libc::SOCK_DGRAM.unsigned_abs()),
    )?;
    add(libc::SYS_socketpair, &[is(0, unix)?, datagrams])?;
    // How much of the machine another process gets.
    let is_other =
        |argument: u8| SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0);
    for call in OF_A_PROCESS {
        add(*call, &[is_other(0)?])?;
    }
    for call in OF_PROCESSES {
        add(*call, &[is_other(1)?])?;
    }
    // Limits of another process.
    let other = is_other(0)?;
    let sets = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    add(libc::SYS_prlimit64, &[other, sets])?;
    let machine = TargetArch::try_from(std::env::consts::ARCH)?;
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refused, machine)?.try_into()
}

/// Whether the kernel filters calls, on a machine that is known.
pub(crate) fn are_filtered() -> bool {
    TargetArch::try_from(std::env::consts::ARCH).is_ok()
        && Path::new("/proc/sys/kernel/seccomp/actions_avail").exists()
}
