//! Validates JSON, JSON lines, TOML, YAML, CSV, XML and HTML.
//!
//! Must never load an entity or follow a reference. `quick-xml` reads XML, not `engross-xml`: that one refuses a DOCTYPE, which SVG
//! files and property lists have.

use csv::ReaderBuilder;
use quick_xml::Reader;
use quick_xml::events::Event;
use saphyr_parser::Parser;
use serde::de::IgnoredAny;

use super::{ContentFinding, FindingSeverity, Subject, Validator};
use crate::codes;

/// Lines of JSON lines that are reported.
const LINES: usize = 10;

pub(super) struct Json;
pub(super) struct JsonLines;
pub(super) struct Toml;
pub(super) struct Yaml;

impl Validator for Json {
    fn name(&self) -> &'static str {
        "json"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<ContentFinding> {
        let bytes = subject.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(subject.bytes);
        if let Err(error) = std::str::from_utf8(bytes) {
            return vec![not_utf8(bytes, error.valid_up_to())];
        }
        let error = serde_json::from_slice::<IgnoredAny>(bytes).err();
        error.map(|error| syntax(&error).at(bytes, error.line(), error.column())).into_iter().collect()
    }
}

impl Validator for JsonLines {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<ContentFinding> {
        let lines = (1..).zip(subject.bytes.split(|byte| *byte == b'\n'));
        let wrong = lines.filter(|(_, line)| !line.trim_ascii().is_empty()).filter_map(|(number, line)| {
            let error = serde_json::from_slice::<IgnoredAny>(line).err()?;
            Some(syntax(&error).at(subject.bytes, number, error.column()))
        });
        wrong.take(LINES).collect()
    }
}

fn not_utf8(bytes: &[u8], at: usize) -> ContentFinding {
    ContentFinding::new(codes::SYNTAX_ERROR.name, FindingSeverity::Error, "this is not UTF-8")
        .at_byte(bytes, at)
}

/// The error without its own words for the place.
fn syntax(error: &serde_json::Error) -> ContentFinding {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
    ContentFinding::new(codes::SYNTAX_ERROR.name, FindingSeverity::Error, message)
}

impl Validator for Toml {
    fn name(&self) -> &'static str {
        "toml"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<ContentFinding> {
        let Ok(text) = std::str::from_utf8(subject.bytes) else { return Vec::new() };
        let error = toml::from_str::<toml::Table>(text).err();
        let finding = error.map(|error| {
            let at = error.span().map_or(0, |span| span.start);
            ContentFinding::new(codes::SYNTAX_ERROR.name, FindingSeverity::Error, error.message())
                .at_byte(subject.bytes, at)
        });
        finding.into_iter().collect()
    }
}

impl Validator for Yaml {
    fn name(&self) -> &'static str {
        "yaml"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<ContentFinding> {
        let Ok(text) = std::str::from_utf8(subject.bytes) else { return Vec::new() };
        let error = Parser::new_from_str(text).find_map(Result::err);
        let finding = error.map(|error| {
            let at = error.marker();
            ContentFinding::new(codes::SYNTAX_ERROR.name, FindingSeverity::Error, error.info()).at(
                subject.bytes,
                at.line(),
                at.col() + 1,
            )
        });
        finding.into_iter().collect()
    }
}

/// Rows that are reported.
const ROWS: usize = 10;

/// Rows of values with this byte between them.
pub(super) struct Rows(pub(super) u8);

impl Validator for Rows {
    fn name(&self) -> &'static str {
        if self.0 == b',' { "csv" } else { "tsv" }
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<ContentFinding> {
        let mut reader = ReaderBuilder::new().has_headers(false).delimiter(self.0).from_reader(subject.bytes);
        let wrong = reader.byte_records().filter_map(Result::err).filter_map(|error| match error.kind() {
            csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
                let line = pos.as_ref().map_or(1, csv::Position::line);
                let message = format!("the row has {len} columns, the first has {expected_len}");
                let finding =
                    ContentFinding::new(codes::UNEVEN_COLUMNS.name, FindingSeverity::Error, message);
                Some(finding.at(subject.bytes, usize::try_from(line).unwrap_or(1), 0))
            }
            _ => None,
        });
        wrong.take(ROWS).collect()
    }
}

pub(super) struct Xml;
pub(super) struct Html;

impl Validator for Xml {
    fn name(&self) -> &'static str {
        "xml"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<ContentFinding> {
        first_error(subject.bytes).into_iter().collect()
    }
}

fn first_error(bytes: &[u8]) -> Option<ContentFinding> {
    let mut reader = Reader::from_reader(bytes);
    reader.config_mut().check_comments = true;
    let (mut depth, mut roots) = (0u32, 0u32);
    let wrong = |message: String, at: u64| {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        Some(
            ContentFinding::new(codes::SYNTAX_ERROR.name, FindingSeverity::Error, message).at_byte(bytes, at),
        )
    };
    loop {
        let at = reader.buffer_position();
        match reader.read_event() {
            Err(error) => return wrong(error.to_string(), reader.error_position()),
            Ok(Event::Start(tag) | Event::Empty(tag))
                if tag.attributes().any(|attribute| attribute.is_err()) =>
            {
                return wrong("an attribute is malformed or comes twice".to_owned(), at);
            }
            Ok(Event::Start(_) | Event::Empty(_)) if depth == 0 && roots > 0 => {
                return wrong("there is a second root element".to_owned(), at);
            }
            Ok(Event::Start(_)) => {
                roots += u32::from(depth == 0);
                depth += 1;
            }
            Ok(Event::Empty(_)) => roots += u32::from(depth == 0),
            Ok(Event::End(_)) => depth = depth.saturating_sub(1),
            Ok(Event::Text(text)) if depth == 0 && is_text(text.as_bytes()) => {
                return wrong("there is text outside the root element".to_owned(), at);
            }
            Ok(Event::Eof) if depth > 0 => return wrong(format!("{depth} elements are not closed"), at),
            Ok(Event::Eof) if roots == 0 => return wrong("there is no root element".to_owned(), at),
            Ok(Event::Eof) => return None,
            Ok(_) => {}
        }
    }
}

fn is_text(text: &[u8]) -> bool {
    !text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text).trim_ascii().is_empty()
}

/// Browsers read any HTML: only what was clearly begun and not ended is told.
impl Validator for Html {
    fn name(&self) -> &'static str {
        "html"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<ContentFinding> {
        let text = String::from_utf8_lossy(subject.bytes).to_ascii_lowercase();
        let elements = ["html", "head", "body", "script", "style", "table", "template"];
        let unclosed = elements.into_iter().filter(|name| {
            let opened =
                text.matches(&format!("<{name}>")).count() + text.matches(&format!("<{name} ")).count();
            opened > text.matches(&format!("</{name}")).count()
        });
        unclosed
            .map(|name| {
                ContentFinding::new(
                    codes::LOOKS_UNFINISHED.name,
                    FindingSeverity::Warning,
                    format!("<{name}> is not closed"),
                )
            })
            .collect()
    }
}
