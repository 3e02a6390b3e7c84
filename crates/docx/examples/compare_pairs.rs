//! Compares pairs of documents and writes their redlines: `compare_pairs LIST.tsv OUT`, a line of the list being
//! `id<TAB>before<TAB>after`. Prints a line for each: id, result, proof, milliseconds.
#![expect(clippy::print_stdout, reason = "it is a program")]
#![expect(clippy::disallowed_methods, reason = "reads and writes test documents")]

use std::path::Path;
use std::time::Instant;

use engross_docx::{CompareOptions, ComparedView, Limits, compare};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let list = std::fs::read_to_string(arguments.next().ok_or("a list is missing")?)?;
    let out = arguments.next().ok_or("a folder is missing")?;
    std::fs::create_dir_all(&out)?;
    let options = CompareOptions {
        author: "Reviewer".to_owned(),
        date: "2026-01-31T09:30:00Z".to_owned(),
        view: ComparedView::Accepted,
        keep_revisions: false,
        formatting: true,
        moves: true,
        granularity: engross_docx::Granularity::Word,
    };
    for line in list.lines() {
        let mut cells = line.split('\t');
        let (Some(id), Some(before), Some(after)) = (cells.next(), cells.next(), cells.next()) else {
            continue;
        };
        let (one, other) = (std::fs::read(before)?, std::fs::read(after)?);
        let start = Instant::now();
        let result = compare(one, other, &options, &Limits::default());
        let spent = start.elapsed().as_micros();
        match result {
            Ok(made) => {
                println!("{id}\tok\t{:?}\t{spent}\t{}", made.proof.accept, made.limitations.len());
                std::fs::write(Path::new(&out).join(format!("{id}.docx")), made.bytes)?;
            }
            Err(error) => println!("{id}\tfailed\t{error}\t{spent}\t0"),
        }
    }
    Ok(())
}
