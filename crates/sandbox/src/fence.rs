//! Gives up the rights of this process on files, by Landlock.
//!
//! Must never follow a symbolic link when it allows: what a link leads to is allowed, or not, by its own place.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, LandlockStatus, RestrictSelf, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

use crate::order::FenceRules;

/// The newest version whose rights are asked for; what the kernel does not know is left out.
const NEWEST: ABI = ABI::V9;

/// Devices that lead nowhere.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What root keeps of its rights: those on files, which the fence limits, and on its own account.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Enters the fence. There is no way out.
pub(crate) fn enter(fence: &FenceRules) -> Result<(), String> {
    drop_capabilities().map_err(|error| error.to_string())?;
    let told = restrict(fence).map_err(|error| error.to_string())?;
    match told {
        RulesetStatus::NotEnforced => Err("the kernel does not enforce it".to_owned()),
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
    }
}

fn restrict(fence: &FenceRules) -> Result<RulesetStatus, RulesetError> {
    let write = AccessFs::from_write(NEWEST);
    let read = BitFlags::from(AccessFs::ReadFile);
    // A device that it made itself would be a way to the whole disk.
    let own = (write | read) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let device = AccessFs::WriteFile | AccessFs::ReadFile;
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(write | read)?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rules(path_beneath_rules(readable(&fence.hide), read))?
        .add_rules(path_beneath_rules(DEVICES, device))?
        .add_rules(path_beneath_rules(&fence.write, own))?;
    Ok(ruleset.restrict_self()?.ruleset)
}

/// Root has rights that reach past the fence: it may read what other processes hold.
fn drop_capabilities() -> rustix::io::Result<()> {
    let has = capabilities(None)?;
    let kept = CapabilitySets {
        effective: has.effective & KEPT,
        permitted: has.permitted & KEPT,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, kept)
}

/// The places that together hold everything but `hidden`.
fn readable(hidden: &[PathBuf]) -> Vec<PathBuf> {
    let hidden: Vec<PathBuf> = hidden.iter().filter_map(|path| path.canonicalize().ok()).collect();
    if hidden.is_empty() {
        return vec![PathBuf::from("/")];
    }
    let mut places = Vec::new();
    let mut folders = vec![PathBuf::from("/")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if is_link || hidden.contains(&path) {
                continue;
            }
            if hidden.iter().any(|hidden| is_above(&path, hidden)) {
                folders.push(path);
            } else {
                places.push(path);
            }
        }
    }
    places
}

fn is_above(folder: &Path, path: &Path) -> bool {
    path.starts_with(folder)
}

/// The version of Landlock that the kernel has: each that has rights of its own is tried.
pub(crate) fn version() -> u8 {
    let has = |abi: ABI| {
        let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        let ruleset = ruleset.handle_access(AccessFs::from_all(abi));
        let ruleset = match (ruleset, Scope::from_all(abi)) {
            (Ok(ruleset), scope) if !scope.is_empty() => ruleset.scope(scope),
            (ruleset, _) => ruleset,
        };
        ruleset.is_ok_and(|ruleset| ruleset.create().is_ok())
    };
    let known = [(ABI::V9, 9), (ABI::V6, 6), (ABI::V5, 5), (ABI::V3, 3), (ABI::V2, 2), (ABI::V1, 1)];
    let found = known.into_iter().find(|(abi, _)| has(*abi)).map_or(0, |(_, number)| number);
    // Versions without rights of their own are told apart by nothing but their number.
    let next = known.into_iter().rfind(|(_, number)| *number > found).map_or(u8::MAX, |(_, number)| number);
    if found == 0 { 0 } else { told().clamp(found, next - 1) }
}

/// The version that the kernel tells. Nothing is asked for, so that nothing is given up.
fn told() -> u8 {
    let status = RestrictSelf::default().no_new_privs(false).apply().map(|status| status.landlock);
    let Ok(LandlockStatus::Available { effective_abi, kernel_abi }) = status else { return 0 };
    u8::try_from(kernel_abi.unwrap_or(effective_abi as i32)).unwrap_or(u8::MAX)
}
