//! Writes a redline: `cargo run -p engross-docx --example redline -- contract.docx operations.json redline.docx`.
#![expect(clippy::disallowed_methods, reason = "an example reads and writes the files that it is given")]

use engross_docx::ops::parse_batch;
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let [source, operations, target] = files.as_slice() else { return Err("give three files".into()) };
    let batch = parse_batch(&serde_json::from_slice(&std::fs::read(operations)?)?)?;
    let mut document = WordDocument::open(std::fs::read(source)?, &Limits::default())?;
    let options = EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
    document.apply(&batch, &options)?;
    Ok(std::fs::write(target, document.save(Tracking::Tracked)?.bytes)?)
}
