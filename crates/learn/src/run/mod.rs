//! Runs: learns from one session after the other; each is stored before the next one begins.
//!
//! Must never mark as learnt what failed, learn anything twice, or write in a dry run. Time comes from a clock that is
//! handed in, files from `disk`.

mod block;
mod drawn;
mod learn;
mod learner;
mod options;
mod period;
mod period_page;
mod report;

pub use block::{LessonBlock, block};
pub use learn::{LearnEvent, learn};
pub use options::{Options, Reflector, SessionSource};
pub use period::{DayCounts, PeriodReport, ReportedLesson, report_since};
pub use period_page::period_page;
pub use report::{LearnReport, SessionOutcome, SessionReport, SkillCounts};
