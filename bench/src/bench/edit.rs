//! `cargo xtask bench edit`: CPU time and memory of the whole process, as ratios to a floor measured in the same run.
//!
//! The floor is what no editor can avoid: unpack the part, look at every tag, pack it again.

use std::fmt::Write as _;
use std::fs;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
use wait4::Wait4;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use super::{BuiltPrograms, build};
use crate::{Error, Result, root, say};

const PARAGRAPHS: usize = 4_000;
const WORDS: usize = 39;
const EDITS: usize = 200;
const MANY: usize = 50_000;
const PART: &str = "word/document.xml";

/// One line of the table.
struct Row {
    paragraphs: usize,
    what: &'static str,
    ours: Duration,
    floor: Duration,
    /// MiB.
    peak: f64,
}

impl Row {
    fn ratio(&self) -> f64 {
        self.ours.as_secs_f64() / self.floor.as_secs_f64().max(1e-6)
    }
}

const READ: &str = "read";
const ONE: &str = "1 word";
const TWENTY: &str = "20 words";
const WORDS_EDITED: &str = "200 words";
const MIXED: &str = "200 mixed operations";
const ACCEPT: &str = "accept all of these";
const REJECT: &str = "reject all of these";

/// Measures, prints a table, and fails when a bar is missed.
pub(crate) fn run(runs: usize) -> Result<()> {
    let BuiltPrograms { engine, chore } = build()?;
    let folder = root().join("target/bench");
    fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
    say(&format!("{runs} runs each, median CPU of the whole process (user + system), highest peak memory\n"));
    say("| document | what | engross ms | floor ms | ratio | peak MiB |");
    say("|---|---|---:|---:|---:|---:|");
    let sizes: [(usize, &[&'static str], usize); 3] = [
        (40, &[ONE], runs),
        (PARAGRAPHS, &[READ, ONE, TWENTY, WORDS_EDITED, MIXED, ACCEPT, REJECT], runs),
        (MANY, &[READ, MIXED, ACCEPT, REJECT], runs.div_ceil(3)),
    ];
    let mut rows = Vec::new();
    for (paragraphs, what, runs) in sizes {
        let files = Files::write(&folder, paragraphs)?;
        for what in what {
            let row = files.measure(&engine, &chore, what, runs)?;
            say(&format!(
                "| {paragraphs} paragraphs | {what} | {:.1} | {:.1} | {:.2} | {:.1} |",
                milliseconds(row.ours),
                milliseconds(row.floor),
                row.ratio(),
                row.peak
            ));
            rows.push(row);
        }
    }
    let missed = case_145_missed(&rows);
    if missed.is_empty() { Ok(()) } else { Err(Error::Missed(missed.join("; "))) }
}

/// The bars that a row misses. Case 145 of the contract: 4,000 paragraphs and 200 edits.
fn case_145_missed(rows: &[Row]) -> Vec<String> {
    let mut missed = Vec::new();
    for row in rows {
        let Row { paragraphs, what, ours, peak, .. } = row;
        if *paragraphs == 40 && milliseconds(*ours) > 5.0 {
            missed
                .push(format!("{what} in a one-page file takes {:.1} ms, more than 5", milliseconds(*ours)));
        }
        if *paragraphs == PARAGRAPHS && (row.ratio() > 3.0 || *peak > 80.0) {
            missed.push(format!(
                "{what} takes {:.2} times the floor and {peak:.0} MiB; the bars are 3 and 80",
                row.ratio()
            ));
        }
        // The floor grows with the document, so an equal ratio is linear growth.
        let small = rows.iter().find(|small| small.paragraphs == PARAGRAPHS && small.what == *what);
        if let Some(small) = small.filter(|small| *paragraphs == MANY && row.ratio() > 1.5 * small.ratio()) {
            missed.push(format!(
                "{what} takes {:.2} times the floor in {MANY} paragraphs and {:.2} times in {PARAGRAPHS}; it does not grow linearly",
                row.ratio(),
                small.ratio()
            ));
        }
    }
    missed
}

/// A document, batches for it, and a redline of it.
struct Files {
    paragraphs: usize,
    folder: PathBuf,
    document: PathBuf,
}

impl Files {
    fn write(folder: &Path, paragraphs: usize) -> Result<Self> {
        let files = Self {
            paragraphs,
            folder: folder.to_owned(),
            document: folder.join(format!("{paragraphs}.docx")),
        };
        write(&files.document, &document(paragraphs)?)?;
        for (what, operations) in [
            (ONE, batch(paragraphs, 1)),
            (TWENTY, batch(paragraphs, 20)),
            (WORDS_EDITED, batch(paragraphs, EDITS)),
            (MIXED, mixed(paragraphs, EDITS)),
        ] {
            write(&files.operations(what), operations.as_bytes())?;
        }
        Ok(files)
    }

    fn operations(&self, what: &str) -> PathBuf {
        self.folder.join(format!("{}-{}.json", self.paragraphs, what.replace(' ', "-")))
    }

    /// What is resolved: the document with the mixed operations.
    fn redline(&self) -> PathBuf {
        self.folder.join(format!("{}.redline.docx", self.paragraphs))
    }

    fn measure(&self, engine: &Path, chore: &Path, what: &'static str, runs: usize) -> Result<Row> {
        let (input, mut command) = (
            if matches!(what, ACCEPT | REJECT) { self.redline() } else { self.document.clone() },
            Command::new(engine),
        );
        match what {
            READ => command.arg("read").arg(&input),
            ACCEPT => command.arg("accept").arg(&input),
            REJECT => command.arg("reject").arg(&input),
            _ => command.arg("apply").arg(&input).arg(self.operations(what)),
        };
        if what != READ {
            let out = if what == MIXED { self.redline() } else { self.folder.join("out.docx") };
            command.arg("-o").arg(out).arg("--json");
        }
        let (mut ours, mut floor, mut peak) = (Vec::new(), Vec::new(), 0);
        for _ in 0..runs.max(1) {
            let (cpu, memory) = measure(&mut command)?;
            ours.push(cpu);
            peak = peak.max(memory);
            floor.push(measure(Command::new(chore).arg("floor").arg(&input).arg(PART))?.0);
        }
        let peak = f64::from(u32::try_from(peak / 1024).unwrap_or(u32::MAX)) / 1024.0;
        Ok(Row { paragraphs: self.paragraphs, what, ours: median(ours), floor: median(floor), peak })
    }
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
            json!({
                "op": "modify_text",
                "paragraphIndex": paragraph + 1,
                "originalText": format!("clause{paragraph}"),
                "replacementText": format!("provision{paragraph}")
            })
        })
        .collect();
    json!({"operations": operations}).to_string()
}

/// As many operations of every kind, spread over the document, none beside another.
fn mixed(paragraphs: usize, edits: usize) -> String {
    let text = |paragraph: usize| format!("Instead of clause{paragraph}, these words.");
    let operations: Vec<serde_json::Value> = (0..edits)
        .map(|edit| {
            let paragraph = edit * paragraphs / edits;
            let number = paragraph + 1;
            let word = format!("clause{paragraph}");
            match edit % 10 {
                0 => json!({"op": "modify_text", "paragraphIndex": number, "originalText": word, "replacementText": "provision"}),
                1 => json!({"op": "edit_paragraph", "paragraphIndex": number, "newContent": text(paragraph)}),
                2 => json!({"op": "insert_paragraph", "after": number, "content": text(paragraph)}),
                3 => json!({"op": "delete_paragraph", "paragraphIndex": number}),
                4 => json!({"op": "move_paragraph", "paragraphIndex": number, "after": number + 5}),
                5 => json!({"op": "format_text", "paragraphIndex": number, "textToFormat": word, "bold": true}),
                6 => json!({"op": "format_paragraph", "paragraphIndex": number, "alignment": "center"}),
                7 => json!({"op": "insert_comment", "paragraphIndex": number, "textToFind": word, "commentContent": "Why?"}),
                8 => json!({"op": "edit_list", "startParagraphIndex": number, "endParagraphIndex": number, "listType": "bullet",
                            "newItems": [text(paragraph), "one more"]}),
                _ => json!({"op": "replace_paragraph", "paragraphIndex": number, "content": "| a | b |\n|---|---|\n| c | d |"}),
            }
        })
        .collect();
    json!({"operations": operations}).to_string()
}
