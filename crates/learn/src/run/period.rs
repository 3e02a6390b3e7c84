//! What a book learnt in a span of time: counts, lessons, days.
//!
//! Must never count what has no date, nor call a lesson used that no session named. Pure: the caller says what time it is.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::skillbook::journal::{BookJournal, SessionEnd};
use crate::skillbook::{Skill, SkillStatus, to_iso};

/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// The most days that are told one by one.
const DAYS: usize = 366;

/// What happened in a span of time. Times are ISO dates.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PeriodReport {
    /// Where it begins.
    pub since: String,
    /// Where it ends.
    pub until: String,
    /// Sessions that were learnt from.
    pub sessions: usize,
    /// Of these, those learnt from while the book showed lessons.
    pub sessions_with_lessons: usize,
    /// Of these, those in which the agent named one.
    pub sessions_that_named: usize,
    /// The share of the last two; `None` where no session could name any.
    pub hit_rate: Option<f64>,
    /// Secrets and personal data that were taken out.
    pub redacted: u64,
    /// Votes for lessons.
    pub helped: u64,
    /// Votes against lessons.
    pub harmed: u64,
    /// Lessons that were observed for the first time.
    pub learnt: Vec<ReportedLesson>,
    /// Older lessons that were observed once more.
    pub confirmed: Vec<ReportedLesson>,
    /// Lessons that harmed.
    pub harmful: Vec<ReportedLesson>,
    /// Lessons that came and wait for a person.
    pub hidden: Vec<ReportedLesson>,
    /// Each day, the first one first.
    pub days: Vec<DayCounts>,
}

/// A lesson in a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportedLesson {
    /// Its id.
    pub id: String,
    /// Its words.
    pub content: String,
    /// How far it has come.
    pub status: SkillStatus,
    /// From how many pieces of work it comes.
    pub observations: usize,
    /// Votes for it in the span.
    pub helped: u32,
    /// Votes against it in the span.
    pub harmed: u32,
}

/// What happened on a day.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct DayCounts {
    /// Which: `2026-11-23`.
    pub day: String,
    /// Lessons that were observed for the first time.
    pub learnt: u64,
    /// Lessons that were observed once more.
    pub confirmed: u64,
    /// Votes against lessons.
    pub harmed: u64,
}

/// What happened from `since` until `now`, in milliseconds since 1970.
#[must_use]
pub fn report_since(journal: &BookJournal, since: u64, now: u64) -> PeriodReport {
    let is_within = |at: u64| at > 0 && (since..=now).contains(&at);
    let mut days: BTreeMap<u64, DayCounts> = BTreeMap::new();
    let first = (since / DAY).max((now / DAY).saturating_sub(DAYS as u64 - 1));
    for day in first..=now / DAY {
        let date = to_iso((day * DAY).max(1000));
        days.insert(day, DayCounts { day: date.chars().take(10).collect(), ..DayCounts::default() });
    }
    let mut on = |at: u64, count: fn(&mut DayCounts) -> &mut u64| {
        if let Some(day) = days.get_mut(&(at / DAY)) {
            *count(day) += 1;
        }
    };
    let (mut learnt, mut confirmed, mut harmful, mut hidden) = (vec![], vec![], vec![], vec![]);
    let (mut helped, mut harmed) = (0, 0);
    for skill in journal.book.skills() {
        let votes: Vec<_> = skill.votes.values().filter(|vote| is_within(vote.at)).collect();
        let mut told = told(skill);
        for vote in &votes {
            told.helped += vote.helpful;
            told.harmed += vote.harmful;
            (0..vote.harmful).for_each(|_| on(vote.at, |day| &mut day.harmed));
        }
        helped += u64::from(told.helped);
        harmed += u64::from(told.harmed);
        if told.harmed > 0 {
            harmful.push(told.clone());
        }
        if is_within(skill.created) {
            on(skill.created, |day| &mut day.learnt);
            if skill.status == SkillStatus::Quarantined {
                hidden.push(told.clone());
            }
            learnt.push(told.clone());
        }
        // The first observation made the lesson; those behind it confirmed it.
        let again: Vec<u64> =
            skill.sources.iter().skip(1).map(|source| source.at).filter(|at| is_within(*at)).collect();
        for at in &again {
            on(*at, |day| &mut day.confirmed);
        }
        if !again.is_empty() {
            confirmed.push(told);
        }
    }
    let sessions =
        journal.sessions.values().filter(|mark| mark.end == SessionEnd::Learnt && is_within(mark.at));
    let sessions: Vec<_> = sessions.collect();
    let could_name = sessions.iter().filter(|mark| mark.shown > 0).count();
    let named = sessions.iter().filter(|mark| mark.shown > 0 && mark.named > 0).count();
    PeriodReport {
        since: to_iso(since.max(1000)),
        until: to_iso(now.max(1000)),
        sessions: sessions.len(),
        sessions_with_lessons: could_name,
        sessions_that_named: named,
        hit_rate: share(named, could_name),
        redacted: sessions.iter().map(|mark| mark.redacted).sum(),
        helped,
        harmed,
        learnt,
        confirmed,
        harmful,
        hidden,
        days: days.into_values().collect(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "sessions are counted in thousands")]
fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 1000.0).round() / 1000.0)
}

fn told(skill: &Skill) -> ReportedLesson {
    ReportedLesson {
        id: skill.id.clone(),
        content: skill.content.clone(),
        status: skill.status,
        observations: skill.sessions(),
        helped: 0,
        harmed: 0,
    }
}
