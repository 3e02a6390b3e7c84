//! Every habit over every kind of file and several cuts: nothing is wrong in silence.
//!
//! `ENGROSS_WRITE_HABITS=SEED` tries all of them (`cargo xtask write-habits`), or those alone that `ENGROSS_WRITE_HABIT` names; the
//! ordinary tests try a part.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::author::{Author, Work};
use super::bench::{FileFate, HabitBench};
use super::files::{KINDS, Numbers, sample};
use super::habit::Habit;
use super::partner::{Partner, Trial};

/// How often each file is cut.
const CUTS: usize = 5;

/// What was once wrong in silence, in files of the first seed, is tried always.
const FOUND: [(Habit, &str); 6] = [
    (Habit::RepeatsFirstLine, "rs"),
    (Habit::RepeatsFirstLine, "js"),
    (Habit::RepeatsFirstLine, "c"),
    (Habit::RepeatsBehindTheSeam, "css"),
    (Habit::RepeatsBehindTheSeam, "ts"),
    (Habit::RepeatsBehindTheSeam, "yaml"),
];

fn trials(all: Option<u64>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (at, kind) in KINDS.into_iter().enumerate() {
        for (number, habit) in Habit::ALL.into_iter().enumerate().filter(|(_, habit)| is_tried(*habit)) {
            for cut in 0..CUTS {
                if all.is_none() && FOUND.contains(&(habit, kind)) {
                    trials.extend(trial(at, habit, cut, 1));
                }
                if all.is_some() || (number + at + cut) % 11 == 0 {
                    trials.extend(trial(at, habit, cut, all.unwrap_or_default()));
                }
            }
        }
    }
    trials
}

/// A file of the kind at that place, cut somewhere, from a model that has the habit once, and from one that keeps it.
fn trial(kind: usize, habit: Habit, cut: usize, seed: u64) -> [Trial; 2] {
    let seed = (cut * 1000 + kind) as u64 + seed * 100_000;
    let name = format!("file.{}", KINDS[kind]);
    let file = sample(KINDS[kind], seed);
    // Not within the first tenth, and before the end.
    let least = file.len() / 10;
    let cut = file.floor_char_boundary(least + Numbers::new(seed + 77).below(file.len() - least - 1));
    [false, true].map(|is_stubborn| Trial { name: name.clone(), file: file.clone(), cut, habit, is_stubborn })
}

async fn run(trial: &Trial) -> FileFate {
    let bench = HabitBench::new(Arc::new(Partner::new(trial.clone())));
    let heard = bench.say("write the file").await;
    let kind = trial.name.rsplit('.').next().unwrap_or_default();
    let fate = bench.fate(&heard, &trial.name, &trial.file, trial.habit.only_restyles(kind)).await;
    if fate >= FileFate::Warned {
        println!("{:?} {}: {}", trial.habit, trial.name, difference(&bench, trial));
    }
    fate
}

/// Where the file is not what it was to be.
fn difference(bench: &HabitBench, trial: &Trial) -> String {
    let file = bench.file(&trial.name).unwrap_or_default();
    let file = String::from_utf8_lossy(&file);
    let at = file.bytes().zip(trial.file.bytes()).take_while(|(one, other)| one == other).count();
    let around = |text: &str| {
        let from = text.floor_char_boundary(at.saturating_sub(60));
        text[from..text.floor_char_boundary((at + 60).min(text.len()))].to_owned()
    };
    let before = &trial.file[trial.file.floor_char_boundary(trial.cut.saturating_sub(60))..trial.cut];
    format!("cut behind {before:?}, at {at} {:?} for {:?}", around(&file), around(&trial.file))
}

#[expect(clippy::disallowed_methods, reason = "how much is tried")]
fn seed() -> Option<u64> {
    std::env::var("ENGROSS_WRITE_HABITS").ok()?.parse().ok()
}

/// Whether the habit is among those that are named, by the beginnings of their names.
#[expect(clippy::disallowed_methods, reason = "what is tried")]
fn is_tried(habit: Habit) -> bool {
    let names = std::env::var("ENGROSS_WRITE_HABIT").unwrap_or_default();
    let name = format!("{habit:?}");
    names.is_empty() || names.split(',').any(|named| name.starts_with(named))
}

#[tokio::test]
async fn models_that_deviate_write_exact_files_or_say_that_they_did_not() {
    let mut counts: BTreeMap<(bool, Habit), BTreeMap<FileFate, usize>> = BTreeMap::new();
    let mut silent = Vec::new();
    let trials = trials(seed());
    for group in trials.chunks(8) {
        let fates = futures_util::future::join_all(group.iter().map(run)).await;
        for (trial, fate) in group.iter().zip(fates) {
            *counts.entry((trial.is_stubborn, trial.habit)).or_default().entry(fate).or_default() += 1;
            if fate >= FileFate::Warned {
                silent.push(format!(
                    "{:?} {} at {} stubborn {} {fate:?}",
                    trial.habit, trial.name, trial.cut, trial.is_stubborn
                ));
            }
        }
    }
    let mut totals: BTreeMap<(bool, FileFate), usize> = BTreeMap::new();
    for ((is_stubborn, habit), fates) in &counts {
        println!("{} {habit:?}: {fates:?}", if *is_stubborn { "stubborn" } else { "once" });
        for (fate, count) in fates {
            *totals.entry((*is_stubborn, *fate)).or_default() += count;
        }
    }
    println!("{totals:?}");
    assert!(silent.is_empty(), "{} of {}:\n{}", silent.len(), trials.len(), silent.join("\n"));
}

#[tokio::test]
async fn every_sample_is_well_formed() {
    use engross_write::validate::{FileKind, Subject, validate};
    for kind in KINDS {
        for seed in 0..5 {
            let text = sample(kind, seed);
            let subject = Subject { bytes: text.as_bytes(), old: None, marker: None };
            let report = validate(FileKind::of_name(&format!("a.{kind}")), &subject, &[]);
            assert!(!report.has_errors(), "{kind}: {:?}\n{text}", report.findings);
        }
    }
}

#[tokio::test]
async fn a_model_that_knows_only_what_it_is_shown_writes_a_consistent_file() {
    for work in [Work::Program, Work::Report, Work::Table] {
        for seed in 0..if seed().is_some() { 200 } else { 12 } {
            // Three cuts or more.
            let most = 420 + usize::try_from(seed).unwrap() * 7 % 300;
            let author = Author { work, seed, most, answers: std::sync::Mutex::default() };
            let bench = HabitBench::new(Arc::new(author));
            let heard = bench.say("write the file").await;
            let text = bench.file(work.file()).map(|bytes| String::from_utf8(bytes).unwrap());
            let wrote = bench.wrote(&heard).await;
            let text = text.unwrap_or_else(|| panic!("{work:?} {seed}: {wrote:#?}"));
            assert_eq!(work.faults(&text), Vec::<String>::new(), "{work:?} {seed}\n{text}");
        }
    }
}
