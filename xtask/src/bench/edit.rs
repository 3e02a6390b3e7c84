//! `cargo xtask bench edit`: CPU time and memory of the whole process, as ratios to a floor measured in the same run.
//!
//! The floor is what no editor can avoid: unpack the part, look at every tag, pack it again.

use std::fmt::Write as _;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use wait4::Wait4;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::{Built, build};
use crate::{Error, Result, root, say};

const PARAGRAPHS: usize = 4_000;
const WORDS: usize = 39;
const EDITS: usize = 200;
const PART: &str = "word/document.xml";

/// Measures, prints a table, and fails when a bar is missed.
pub(crate) fn run(runs: usize) -> Result<()> {
    let Built { engine, chore } = build()?;
    let folder = root().join("target/bench");
    fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
    let sizes: Vec<(usize, usize)> = vec![(40, 1), (PARAGRAPHS, 1), (PARAGRAPHS, 20), (PARAGRAPHS, EDITS)];
    say(&format!("{runs} runs each, median CPU of the whole process (user + system), highest peak memory\n"));
    say("| document | edits | engross ms | floor ms | ratio | peak MiB |");
    say("|---|---:|---:|---:|---:|---:|");
    let mut missed = Vec::new();
    for (paragraphs, edits) in sizes {
        let file = folder.join(format!("{paragraphs}.docx"));
        let operations = folder.join(format!("{paragraphs}-{edits}.json"));
        write(&file, &document(paragraphs)?)?;
        write(&operations, batch(paragraphs, edits).as_bytes())?;
        let mut ours = Vec::new();
        let mut floor = Vec::new();
        let mut peak = 0;
        for _ in 0..runs {
            let out = folder.join("out.docx");
            let (cpu, memory) = measure(
                Command::new(&engine)
                    .arg("apply")
                    .arg(&file)
                    .arg(&operations)
                    .arg("-o")
                    .arg(&out)
                    .arg("--json"),
            )?;
            ours.push(cpu);
            peak = peak.max(memory);
            floor.push(measure(Command::new(&chore).arg("floor").arg(&file).arg(PART))?.0);
        }
        let (ours, floor) = (median(ours), median(floor));
        let ratio = ours.as_secs_f64() / floor.as_secs_f64().max(1e-6);
        let peak = f64::from(u32::try_from(peak / 1024).unwrap_or(u32::MAX)) / 1024.0;
        say(&format!(
            "| {paragraphs} paragraphs | {edits} | {:.1} | {:.1} | {ratio:.2} | {peak:.1} |",
            milliseconds(ours),
            milliseconds(floor)
        ));
        if paragraphs == 40 && milliseconds(ours) > 5.0 {
            missed
                .push(format!("one edit in a one-page file takes {:.1} ms, more than 5", milliseconds(ours)));
        }
        if edits == EDITS && (ratio > 3.0 || peak > 80.0) {
            missed.push(format!(
                "{EDITS} edits take {ratio:.2} times the floor and {peak:.0} MiB; the bars are 3 and 80"
            ));
        }
    }
    if missed.is_empty() { Ok(()) } else { Err(Error::Missed(missed.join("; "))) }
}

/// The floor itself, in a process of its own so that it is measured like the engine.
#[expect(clippy::disallowed_methods, reason = "a chore reads a file it made")]
pub(crate) fn floor(file: &Path, part: &str) -> Result<()> {
    let bytes = fs::read(file).map_err(Error::file(file))?;
    let mut archive = ZipArchive::new(Cursor::new(bytes))?;
    let mut xml = Vec::new();
    archive.by_name(part)?.read_to_end(&mut xml).map_err(Error::file(file))?;
    let tags = memchr::memchr_iter(b'<', &xml).count();
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::new(6));
    encoder.write_all(&xml).map_err(Error::file(file))?;
    let packed = encoder.finish().map_err(Error::file(file))?;
    say(&format!("{tags} tags, {} bytes", packed.len()));
    Ok(())
}

fn measure(command: &mut Command) -> Result<(Duration, u64)> {
    let shown = format!("{command:?}").replace('"', "");
    let failed = |how: String| Error::Command { command: shown.clone(), how };
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(format!("could not be started: {error}")))?;
    let usage = child.wait4().map_err(|error| failed(format!("could not be waited for: {error}")))?;
    if !usage.status.success() {
        return Err(failed(format!("ended with {}", usage.status)));
    }
    Ok((usage.rusage.utime + usage.rusage.stime, usage.rusage.maxrss))
}

fn median(mut values: Vec<Duration>) -> Duration {
    values.sort();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

#[expect(clippy::disallowed_methods, reason = "a chore writes a file it measures")]
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes).map_err(Error::file(path))
}

/// A document of that many paragraphs with words of a fixed sequence.
fn document(paragraphs: usize) -> Result<Vec<u8>> {
    let mut body = String::new();
    for paragraph in 0..paragraphs {
        let _ = write!(body, "<w:p><w:r><w:t>{}</w:t></w:r></w:p>", sentence(paragraph));
    }
    let xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<w:document xmlns:w=\
         \"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>{body}<w:sectPr/></w:body></w:document>"
    );
    let parts = [
        (
            "[Content_Types].xml",
            "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"rels\" \
             ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Override \
             PartName=\"/word/document.xml\" ContentType=\
             \"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml\"/></Types>"
                .to_owned(),
        ),
        (
            "_rels/.rels",
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship \
             Id=\"rId1\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" \
             Target=\"word/document.xml\"/></Relationships>"
                .to_owned(),
        ),
        (PART, xml),
    ];
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(name, SimpleFileOptions::default())?;
        writer.write_all(content.as_bytes()).map_err(Error::file(Path::new(name)))?;
    }
    Ok(writer.finish()?.into_inner())
}

fn sentence(paragraph: usize) -> String {
    const SYLLABLES: [&str; 16] =
        ["ta", "re", "mi", "no", "lu", "ka", "se", "di", "po", "vu", "ha", "ne", "bi", "go", "fe", "wa"];
    let mut state = paragraph as u64 * 7919 + 1;
    let mut words = vec![format!("clause{paragraph}")];
    while words.len() < WORDS {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let length = 2 + (state >> 60) as usize % 4;
        let word: String = (0..length)
            .filter_map(|syllable| SYLLABLES.get((state >> (20 + syllable * 8)) as usize % SYLLABLES.len()))
            .copied()
            .collect();
        words.push(word);
    }
    words.join(" ")
}

/// One changed word in each of `edits` paragraphs, spread over the document.
fn batch(paragraphs: usize, edits: usize) -> String {
    let operations: Vec<serde_json::Value> = (0..edits)
        .map(|edit| {
            let paragraph = edit * paragraphs / edits;
            serde_json::json!({
                "op": "modify_text",
                "paragraphIndex": paragraph + 1,
                "originalText": format!("clause{paragraph}"),
                "replacementText": format!("provision{paragraph}")
            })
        })
        .collect();
    serde_json::json!({"operations": operations}).to_string()
}
