//! Prints how fast the framing engine is, as a ratio to a floor measured in the same run: copy the bytes, count newlines,
//! check UTF-8. Run with `--release`; with words behind it only rows whose text and chunk they name, such as `code 4`.

use std::hint::black_box;
use std::io::Write as _;
use std::time::Instant;

use engross_write::framing::{Framer, Framing, Terminator};

const BYTES: usize = 16 << 20;
const RUNS: usize = 9;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    writeln!(out, "| text | chunk | engine MB/s | floor MB/s | ratio |\n|---|---:|---:|---:|---:|")?;
    for (name, text) in [("code", code()), ("prose", prose()), ("Markdown with many fences", fences())] {
        for chunk in [4, 64, 4096, 64 << 10] {
            let is_wanted = |word: &String| name.contains(word.as_str()) || *word == chunk.to_string();
            if !wanted.iter().all(is_wanted) {
                continue;
            }
            let (engine, floor) = best(|| engine(&text, chunk), || floor(&text, chunk));
            writeln!(out, "| {name} | {chunk} | {engine:.0} | {floor:.0} | {:.2} |", engine / floor)?;
        }
    }
    Ok(())
}

fn code() -> Vec<u8> {
    let paragraph = "    let total = items.iter().map(|item| item.price).sum::<u64>();\n\n// Every line counts.\n\
                     fn name(input: &str) -> String { input.to_owned() }\nEach of them Does what it says; END of story.\n";
    filled(paragraph)
}

const PROSE: &str = "Die Größe der Datei zählt nicht – nur ihr Inhalt. 日本語の行もあります。\n\n## A heading\n\n\
                     Plain words follow here, so that most of the text is ASCII, as it is in most documents;\n\
                     and a `name` in between.\n";
const FENCE: &str = "```rust\nfn main() {}\n```\n";

fn prose() -> Vec<u8> {
    filled(&format!("{}{FENCE}", PROSE.repeat(8)))
}

fn fences() -> Vec<u8> {
    filled(&format!("{PROSE}{FENCE}"))
}

fn filled(text: &str) -> Vec<u8> {
    text.repeat(BYTES / text.len()).into_bytes()
}

/// The best of some runs of both, in MB/s. They take turns, so that a busy machine disturbs both alike.
fn best(mut engine: impl FnMut() -> usize, mut floor: impl FnMut() -> usize) -> (f64, f64) {
    let mut best = (0f64, 0f64);
    for _ in 0..RUNS {
        best = (best.0.max(rate(&mut engine)), best.1.max(rate(&mut floor)));
    }
    best
}

fn rate(run: &mut impl FnMut() -> usize) -> f64 {
    let start = Instant::now();
    let bytes = black_box(run());
    f64::from(u32::try_from(bytes).unwrap_or(u32::MAX)) / start.elapsed().as_secs_f64() / 1e6
}

fn engine(text: &[u8], chunk: usize) -> usize {
    let mut framer = Framer::new(Framing::new(Terminator::Auto, "END-K7QJ2MZTW4XA"));
    let mut spool: Vec<u8> = Vec::with_capacity(chunk + 1024);
    for chunk in text.chunks(chunk) {
        spool.clear();
        let pushed = framer.push(black_box(chunk), &mut |span| spool.extend_from_slice(span));
        black_box((&spool, pushed.is_ok()));
    }
    text.len()
}

fn floor(text: &[u8], chunk: usize) -> usize {
    let mut spool: Vec<u8> = Vec::with_capacity(chunk + 1024);
    let mut lines = 0;
    for chunk in text.chunks(chunk) {
        spool.clear();
        let chunk = black_box(chunk);
        spool.extend_from_slice(chunk);
        lines += memchr::memchr_iter(b'\n', chunk).count();
        black_box((&spool, std::str::from_utf8(chunk).is_ok()));
    }
    black_box(lines);
    text.len()
}
