//! The options of a run: which sessions, and how it learns from them.
//!
//! Must never read the clock or a setting itself: the caller hands both in.

use std::path::PathBuf;

use engross_protocol::Clock;

use crate::reflect::ModelReflector;
use crate::safety::PersonalData;

/// Who finds the lessons.
#[derive(Clone, Copy)]
pub enum Reflector<'a> {
    /// The embedded rules: offline, narrow, honest.
    Rules,
    /// A model.
    Model(ModelReflector<'a>),
}

/// Which sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionSource {
    /// All of a folder.
    Folder(PathBuf),
    /// These files, whether they rest or still grow.
    Files(Vec<PathBuf>),
}

/// How to learn.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Who finds the lessons.
    pub mind: Reflector<'a>,
    /// Tells the time.
    pub clock: &'a dyn Clock,
    /// Learn from all sessions anew.
    pub reprocess: bool,
    /// Write nothing.
    pub dry_run: bool,
    /// Whether personal data is taken out.
    pub personal: PersonalData,
    /// A file that was not changed for so many milliseconds does not grow any more.
    pub rests_after: u64,
    /// Says that the run shall stop before the next session.
    pub is_stopped: &'a dyn Fn() -> bool,
}
