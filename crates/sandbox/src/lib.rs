//! Processes that are fenced in: what they may write, read, call and use, and that they end together.
//!
//! Must never hold unsafe code, nor say that something holds which the kernel was not asked to enforce.
//!
//! `order` says what is wanted, `support` what the kernel can do, `supervisor` carries it out in two processes of our own
//! program: one that watches and reaps, and one that gives up its rights (`mounts`, `fence`, `system_calls`) and becomes the program.
//! `confinement` is for a process of our own that only computes: it keeps its pipes and nothing else, within `confined_limits`.
//! `usage` measures what is spent. `process_tree` finds all that a process started, and ends it; `ending` is how the one who
//! watches does so, by a `control_group` where there can be one.
//!
//! The watching process stands outside the fence, so that what is fenced in can neither signal nor look into it. It is the
//! reaper of everything beneath it: a daemon that clears its environment and leaves its group is still its descendant.

mod confined_limits;
#[cfg(target_os = "linux")]
mod confinement;
#[cfg(target_os = "linux")]
mod control_group;
#[cfg(all(test, target_os = "linux"))]
mod control_group_tests;
#[cfg(target_os = "linux")]
mod ending;
#[cfg(target_os = "linux")]
mod fence;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(all(test, target_os = "linux"))]
mod mounts_tests;
mod order;
#[cfg(unix)]
mod process_tree;
#[cfg(target_os = "linux")]
mod supervisor;
mod support;
#[cfg(target_os = "linux")]
mod system_calls;
#[cfg(target_os = "linux")]
mod usage;

pub use confined_limits::ConfinedLimits;
#[cfg(target_os = "linux")]
pub use confinement::Confinement;
pub use order::{FenceRules, Quota, WatchOrder, WatchOrderError, WatchStage, WatchVerdict};
#[cfg(unix)]
pub use process_tree::ProcessTree;
pub use support::Support;

/// The variable that holds an [`WatchOrder`] for [`supervise`].
pub const VARIABLE: &str = "ENGROSS_SUPERVISE";

/// Carries out the order in `text`, and answers with the exit code of this process: to be called at once when the program
/// starts, with the value of [`VARIABLE`].
#[must_use]
pub fn supervise(text: &str) -> u8 {
    #[cfg(target_os = "linux")]
    return supervisor::carry_out(text);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = text;
        WatchVerdict::UNAVAILABLE
    }
}
