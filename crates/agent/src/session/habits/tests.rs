//! Every habit over every kind of file and several cuts: nothing is wrong in silence.
//!
//! `ENGROSS_WRITE_HABITS=all` tries all of them (`cargo xtask write-habits`); the ordinary tests try a part.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bench::{FileFate, HabitBench};
use super::files::{KINDS, Numbers, sample};
use super::habit::Habit;
use super::partner::{Partner, Trial};

/// How often each file is cut.
const CUTS: usize = 5;

fn trials(is_all: bool) -> Vec<Trial> {
    let mut trials = Vec::new();
    for (at, kind) in KINDS.into_iter().enumerate() {
        for (number, habit) in Habit::ALL.into_iter().enumerate() {
            for cut in 0..CUTS {
                if !is_all && (number + at + cut) % 11 != 0 {
                    continue;
                }
                let seed = (cut * 1000 + at) as u64;
                let file = sample(kind, seed);
                // Not within the first tenth, and before the end.
                let least = file.len() / 10;
                let cut = least + Numbers::new(seed + 77).below(file.len() - least - 1);
                let cut = file.floor_char_boundary(cut);
                for is_stubborn in [false, true] {
                    let name = format!("file.{kind}");
                    trials.push(Trial { name, file: file.clone(), cut, habit, is_stubborn });
                }
            }
        }
    }
    trials
}

async fn run(trial: &Trial) -> FileFate {
    let bench = HabitBench::new(Arc::new(Partner::new(trial.clone())));
    let heard = bench.say("write the file").await;
    bench.fate(&heard, &trial.name, &trial.file).await
}

#[expect(clippy::disallowed_methods, reason = "how much is tried")]
fn is_all() -> bool {
    std::env::var("ENGROSS_WRITE_HABITS").is_ok_and(|value| value == "all")
}

#[tokio::test]
async fn models_that_deviate_write_exact_files_or_say_that_they_did_not() {
    let mut counts: BTreeMap<(bool, Habit), BTreeMap<FileFate, usize>> = BTreeMap::new();
    let mut silent = Vec::new();
    let trials = trials(is_all());
    for group in trials.chunks(8) {
        let fates = futures_util::future::join_all(group.iter().map(run)).await;
        for (trial, fate) in group.iter().zip(fates) {
            *counts.entry((trial.is_stubborn, trial.habit)).or_default().entry(fate).or_default() += 1;
            if fate >= FileFate::Warned {
                silent.push(format!("{:?} {} at {} stubborn {} {fate:?}", trial.habit, trial.name, trial.cut, trial.is_stubborn));
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
