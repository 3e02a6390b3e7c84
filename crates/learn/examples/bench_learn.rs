//! What `cargo xtask bench learn` measures: one thing for each start of this program.
//!
//! `bench_learn stats FOLDER THREADS` counts transcripts; `bench_learn sonic FOLDER` is the floor, a bare typed parse of the same
//! lines with pairing; `bench_learn book COUNT` prints what a skillbook costs, in milliseconds of one processor.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufRead;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use engross_learn::skillbook::journal::{Record, read, write};
use engross_learn::skillbook::render::{RecallQuery, choose, toon};
use engross_learn::skillbook::{
    Author, Book, Observation, SettleContext, Skill, SkillOperation, SkillSource, SkillStatus, import,
    settle, to_hybrid,
};
use engross_transcript::stats::count;
use serde::Deserialize;

type BenchError = Box<dyn std::error::Error>;

fn main() -> Result<(), BenchError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["stats", folder, threads] => stats(folder, threads.parse()?),
        ["sonic", folder] => sonic(folder),
        ["book", count] => book(count.parse()?),
        _ => Err("say what to measure: stats FOLDER THREADS, sonic FOLDER, book COUNT".into()),
    }
}

fn files(folder: &str) -> Result<Vec<PathBuf>, BenchError> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[expect(clippy::disallowed_methods, reason = "a tool for benches, no part of the product")]
#[expect(clippy::print_stdout, reason = "its output")]
fn stats(folder: &str, threads: usize) -> Result<(), BenchError> {
    let files = files(folder)?;
    let next = AtomicUsize::new(0);
    let paired: u64 = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut paired = 0;
                    while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let stats = std::fs::File::open(path).and_then(count);
                        paired += stats.map(|stats| stats.paired).unwrap_or_default();
                    }
                    paired
                })
            })
            .collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).sum()
    });
    println!("{paired}");
    Ok(())
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    typ: Cow<'a, str>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow, default)]
    content: Content<'a>,
    #[serde(borrow, rename = "toolCallId")]
    call_id: Option<Cow<'a, str>>,
}

#[derive(Deserialize, Default)]
#[serde(untagged)]
enum Content<'a> {
    #[default]
    None,
    Text(#[serde(borrow)] Cow<'a, str>),
    Blocks(#[serde(borrow)] Vec<Block<'a>>),
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type")]
    typ: Cow<'a, str>,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    thinking: Option<Cow<'a, str>>,
    #[serde(borrow, rename = "toolCallId")]
    call_id: Option<Cow<'a, str>>,
}

#[expect(clippy::disallowed_methods, reason = "a tool for benches, no part of the product")]
#[expect(clippy::print_stdout, reason = "its output")]
fn sonic(folder: &str) -> Result<(), BenchError> {
    let (mut paired, mut chars) = (0u64, 0usize);
    for path in files(folder)? {
        let mut open: HashMap<String, u32> = HashMap::new();
        let mut source = std::io::BufReader::with_capacity(256 << 10, std::fs::File::open(path)?);
        let mut bytes = Vec::new();
        while source.read_until(b'\n', &mut bytes)? > 0 {
            let line: Result<Line<'_>, _> = sonic_rs::from_slice(&bytes);
            if let Ok(line) = line {
                let mut result = |id: &Cow<'_, str>| {
                    if let Some(count) = open.get_mut(id.as_ref()).filter(|count| **count > 0) {
                        *count -= 1;
                        paired += 1;
                    }
                };
                if let (true, Some(message)) = (line.typ == "message", &line.message) {
                    if message.role == "toolResult" {
                        message.call_id.iter().for_each(&mut result);
                    }
                    let blocks = match &message.content {
                        Content::Blocks(blocks) => blocks.as_slice(),
                        Content::Text(text) => {
                            chars += text.len();
                            &[]
                        }
                        Content::None => &[],
                    };
                    for block in blocks {
                        chars += block.text.as_ref().or(block.thinking.as_ref()).map_or(0, |text| text.len());
                        match (block.typ.as_ref(), &block.id, &block.call_id) {
                            ("toolResult", _, Some(id)) => {
                                if let Some(count) = open.get_mut(id.as_ref()).filter(|count| **count > 0) {
                                    *count -= 1;
                                    paired += 1;
                                }
                            }
                            ("toolCall", Some(id), _) => *open.entry(id.to_string()).or_default() += 1,
                            _ => {}
                        }
                    }
                }
            }
            bytes.clear();
        }
    }
    println!("{paired} {chars}");
    Ok(())
}

/// Milliseconds that this thread was on a processor, so that others on the machine do not count.
#[expect(clippy::disallowed_methods, reason = "a tool for benches, no part of the product")]
#[expect(clippy::cast_precision_loss, reason = "a run takes seconds")]
fn cpu() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos: u64 = told.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).unwrap_or_default();
    nanos as f64 / 1e6
}

const WORDS: &str = "deploy retry schema token cache parser branch commit queue worker index shard latency budget session config \
    header payload cursor buffer socket thread lock merge rebase lint test fixture prompt context agent tool result error timeout \
    backoff quota tenant region bucket policy invoice customer report table column filter date range page limit offset export import \
    archive folder file path name link mode owner group script argument flag option value default setting profile account role";

/// A lesson of eight to fifteen words, the same for the same number. Every lesson has words that few others have.
fn lesson(number: u64) -> String {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut pick = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % u64::try_from(below).unwrap_or(1)).unwrap_or_default()
    };
    let count = 7 + pick(8);
    let mut text = format!("Check {}{}", words[pick(words.len())], pick(5_000));
    for _ in 0..count {
        text.push(' ');
        text.push_str(words[pick(words.len())]);
    }
    text
}

#[expect(clippy::print_stdout, reason = "its output")]
fn book(count: u64) -> Result<(), BenchError> {
    let mut made = Book::default();
    for number in 0..count {
        let session = format!("session-{}", number % 997);
        made.apply(Record::Put(Box::new(Skill {
            id: format!("lesson-{number:06}"),
            section: "lesson".to_owned(),
            content: lesson(number),
            justification: "three failed calls cost a turn each".to_owned(),
            evidence: "session f967: file missing".to_owned(),
            status: SkillStatus::Active,
            created: 1_772_206_205_000,
            updated: 1_772_206_205_000,
            sources: vec![SkillSource {
                trace: session.clone(),
                session,
                evidence: "two calls".to_owned(),
                ..SkillSource::default()
            }],
            ..Skill::default()
        })));
    }
    let records: Vec<Record> = made.records().collect();
    let journal = write(&records);
    let text = serde_json::to_string(&to_hybrid(&made))?;
    let timed = |name: &str, begun: f64| println!("{name} {:.3}", cpu() - begun);
    // Several threads read a journal, so the clock on the wall counts; the best of some, because the machine may have others to serve.
    let mut best = f64::MAX;
    for _ in 0..7 {
        let begun = Instant::now();
        let journal = read(&journal).map_err(|_| "the journal cannot be read")?;
        best = best.min(begun.elapsed().as_secs_f64() * 1e3);
        drop(journal);
    }
    println!("load {best:.3}");
    let begun = cpu();
    let mut book = read(&journal).map_err(|_| "the journal cannot be read")?.book;
    timed("load_cpu_of_one_thread", begun);
    let begun = cpu();
    let imported = import(&text)?;
    timed("import", begun);
    drop(imported);
    let begun = cpu();
    let _ = book.like("x", 0.9, 1);
    timed("index", begun);
    let context = SettleContext {
        by: Author::Learnt,
        trace: "t",
        session: "t",
        seen: Observation::unknown(),
        now: 1,
        doubts: &engross_learn::safety::doubts,
    };
    let mut times = Vec::new();
    let all = cpu();
    for number in 0..200 {
        // Every other one is there already.
        let content = lesson(if number % 2 == 0 { count + number } else { number * 7 % count });
        let operation = SkillOperation::Add {
            section: "lesson".to_owned(),
            content,
            id: None,
            justification: None,
            evidence: None,
            issue: None,
            keywords: Vec::new(),
        };
        // Too short for the processor's clock; the median is what nobody disturbed.
        let begun = Instant::now();
        for record in settle(&book, &operation, &context).records {
            book.apply(record);
        }
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    println!("add_cpu_mean {:.3}", (cpu() - all) / 200.0);
    times.sort_by(f64::total_cmp);
    println!("add {:.3}", times[times.len() / 2]);
    println!("add_worst {:.3}", times.last().copied().unwrap_or_default());
    let begun = cpu();
    let wanted =
        RecallQuery { query: Some("export invoices of a customer by date range"), tokens: 2_000, now: 1 };
    let shown = toon(&choose(&book, &wanted));
    timed("render", begun);
    println!("shown_bytes {}", shown.len());
    Ok(())
}
