//! Counts a generated corpus and compares every field with what its generator knows:
//! `cargo run --release -p engross-learn --example check_transcripts -- FOLDER [THREADS]`.
//!
//! Exits with 1 when a field differs. Flags that leave no trace in the bytes are told apart (`docs/design/learning.md`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use engross_transcript::stats::{TranscriptStats, count};
use serde_json::Value;

/// What the generator says of a file although its bytes need not show it.
const INVISIBLE: &[&str] = &[
    "id_reuse",
    "results_out_of_order",
    "branch",
    "blank_line",
    "truncated_tail",
    "torn_line",
    "lone_surrogate",
    "unicode_line_sep",
    "control_char",
];

#[expect(clippy::disallowed_methods, reason = "a tool for the corpus, no part of the product")]
#[expect(clippy::print_stdout, reason = "its output")]
fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("name the folder of the corpus")?);
    let threads: usize = arguments.next().map_or(Ok(1), |threads| threads.parse())?;
    let expected: Value = serde_json::from_slice(&std::fs::read(folder.join("expected.json"))?)?;
    let files = expected["files"].as_object().ok_or("expected.json has no files")?;
    let names: Vec<&String> = files.keys().collect();
    let next = AtomicUsize::new(0);
    let begun = Instant::now();
    let counted: Vec<BTreeMap<&String, TranscriptStats>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut counted = BTreeMap::new();
                    while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let path = folder.join("agents/main/sessions").join(name);
                        let file = std::fs::File::open(path);
                        if let Ok(stats) = file.and_then(count) {
                            counted.insert(*name, stats);
                        }
                    }
                    counted
                })
            })
            .collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
    });
    let took = begun.elapsed().as_secs_f64();
    let (mut bytes, mut wrong, mut unseen) = (0, 0, BTreeMap::<String, u32>::new());
    let mut compared = 0;
    for (name, stats) in counted.into_iter().flatten() {
        bytes += stats.bytes;
        compared += 1;
        let found = serde_json::to_value(&stats)?;
        let wanted = files.get(name).and_then(Value::as_object).ok_or("a file without truth")?;
        for (field, wanted) in wanted {
            let found = &found[field];
            if field != "flags" && found != wanted {
                wrong += 1;
                println!("{name}: {field} is {found}, not {wanted}");
            }
        }
        let wanted: BTreeSet<String> =
            serde_json::from_value(wanted.get("flags").cloned().unwrap_or_default())?;
        for flag in wanted.symmetric_difference(&stats.flags) {
            *unseen.entry(format!("{}{flag}", if wanted.contains(flag) { "-" } else { "+" })).or_default() +=
                1;
            if stats.flags.contains(flag) && flag != "truncated_tail" || !INVISIBLE.contains(&flag.as_str()) {
                wrong += 1;
                println!("{name}: flag {flag}");
            }
        }
    }
    println!(
        "{compared} files of {}, {:.1} MB, {took:.2} s, {:.0} MB/s",
        files.len(),
        bytes as f64 / 1e6,
        bytes as f64 / 1e6 / took
    );
    println!("flags that the bytes do not show: {unseen:?}; wrong: {wrong}");
    Ok(if wrong == 0 && compared == files.len() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
