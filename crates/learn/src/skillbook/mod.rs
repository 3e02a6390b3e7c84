//! The skillbook: lessons with their evidence, their votes and their history.
//!
//! Must never lose a field that it does not know, apply part of an operation, count the vote of one trace twice, or take
//! back what a person decided. [`journal`] is the truth; `import` and `export` speak the dialects of others, [`render`]
//! shows what fits.

mod apply;
mod book;
mod citations;
mod compare;
mod conflict;
mod dialects;
mod evidence;
mod export;
mod hand_edits;
pub mod journal;
mod list;
mod meaning;
mod observation;
mod operation;
mod record;
pub mod render;
mod skill;
mod skill_file;
mod verdict;
mod words;

#[cfg(test)]
mod apply_tests;
#[cfg(test)]
mod compare_tests;
#[cfg(test)]
mod dialects_tests;
#[cfg(test)]
mod journal_tests;
#[cfg(test)]
mod meaning_tests;
#[cfg(test)]
mod render_tests;

pub use apply::settle;
pub use book::Book;
pub use citations::Citations;
pub use compare::{SIMILAR, SimilarSkill};
pub use conflict::{Conflict, conflicts};
pub use dialects::{Dialect, Import, import};
pub use export::{markdown, to_hybrid};
pub use hand_edits::{WrittenLessons, deletions, edit_of, proposals, put_ids_right, written};
pub use list::{ListedLesson, ReadList, by_section, listed, plain_list, read_list};
pub use meaning::{Likeness, likeness};
pub use observation::{LessonRevision, Observation, SkillSource, Witness};
pub(crate) use operation::section_name;
pub use operation::{SkillOperation, SkillRefusal, parse_batch};
pub use skill::{Author, HALF_LIFE_DAYS, Quarantine, Skill, SkillStatus, Vote, from_iso, score, to_iso};
pub use skill_file::{ExportedFolders, folder_name, head, inner};
pub use verdict::{Effect, SettleContext, Verdict};
pub(crate) use words::{is_canonical, raw_words, topic};
