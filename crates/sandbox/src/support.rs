//! What this kernel can enforce.
//!
//! Must never take a version for a promise: each feature is asked for.

/// What can be enforced here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Support {
    /// The version of Landlock; 0 is none.
    pub landlock: u8,
    /// Whether system calls can be filtered.
    pub filters: bool,
    /// Whether a process may have a view of the file systems of its own.
    pub mounts: bool,
}

/// The first version of Landlock with which a file outside cannot be cut (Linux 6.2).
const LEAST: u8 = 3;

/// The first with which processes outside cannot be signalled (Linux 6.12).
const SIGNALS: u8 = 6;

impl Support {
    /// Asks the kernel.
    #[must_use]
    pub fn of_kernel() -> Self {
        #[cfg(target_os = "linux")]
        return Self {
            landlock: super::fence::version(),
            filters: super::system_calls::are_filtered(),
            mounts: super::mounts::are_separable(),
        };
        #[cfg(not(target_os = "linux"))]
        Self::default()
    }

    /// Why nothing can be fenced in here.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        if cfg!(not(target_os = "linux")) {
            return Some("sandboxes need Linux".to_owned());
        }
        match (self.landlock, self.filters) {
            (0, _) => Some(
                "the kernel has no Landlock (Linux 6.2 or newer, with `landlock` among its security modules)"
                    .to_owned(),
            ),
            (version, _) if version < LEAST => Some(format!(
                "Landlock of the kernel is version {version}, and {LEAST} is needed (Linux 6.2)"
            )),
            (_, false) => Some("system calls cannot be filtered (seccomp)".to_owned()),
            _ => None,
        }
    }

    /// What of a sandbox does not hold here, in words; `None` when all of it does.
    #[must_use]
    pub fn gap(&self) -> Option<String> {
        let gaps = [
            (self.landlock < SIGNALS).then_some("processes outside can be signalled (before Linux 6.12)"),
            (!self.mounts).then_some(
                "mode, owner and times of files outside can be changed (this account may have no namespaces)",
            ),
        ];
        let gaps: Vec<&str> = gaps.into_iter().flatten().collect();
        (!gaps.is_empty()).then(|| gaps.join("; "))
    }
}
