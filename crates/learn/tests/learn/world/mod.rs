//! A world of ten lessons, said and failed in four sessions each in varied words, among sessions that teach nothing: what of it
//! can a later agent use, without a model and with curators of five habits?

mod curators;
mod lessons;
mod recall;

use engross_learn::run::{LearnReport, block};

use self::curators::{Habit, ScriptedCurator};
use self::lessons::{judge, sessions};
use crate::home::{Home, LATER};

/// The lines of the block that show a lesson.
fn shown(home: &Home) -> Vec<String> {
    let inner = block(&home.book(), 4_000, LATER, "all.md").inner.unwrap_or_default();
    let rows = inner.lines().filter(|line| line.starts_with("  "));
    rows.map(|line| line.split('\t').nth(2).unwrap_or_default().to_owned()).collect()
}

fn assert_learnt(arm: &str, home: &Home, report: &LearnReport) {
    let lines = shown(home);
    let judged = judge(&lines);
    let usable = judged.usable.iter().filter(|is_usable| **is_usable).count();
    assert_eq!(report.learnt, sessions().len(), "{arm}");
    assert!(usable >= 9, "{arm}: {:?}\n{lines:#?}", judged.usable);
    assert_eq!(judged.noise, Vec::<String>::new(), "{arm}");
    assert!(lines.len() <= 14, "{arm} says things twice: {lines:#?}");
}

fn world() -> Home {
    let home = Home::new();
    for session in sessions() {
        home.write(&session.file, &session.text);
    }
    home
}

#[test]
fn a_world_is_learnt_by_rules() {
    let home = world();
    let report = home.learn();
    assert_learnt("rules", &home, &report);
}

#[test]
fn a_world_is_learnt_whatever_the_habit_of_the_curator() {
    for habit in [Habit::Repeat, Habit::Update, Habit::Nothing, Habit::OwnWords, Habit::Confirm] {
        let home = world();
        let report = home.learn_asking(&ScriptedCurator { habit, sessions: &sessions() });
        assert_learnt(&format!("{habit:?}"), &home, &report);
    }
}
