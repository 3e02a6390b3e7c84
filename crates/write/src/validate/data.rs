//! Is it JSON, JSON lines, TOML, YAML?

use saphyr_parser::Parser;
use serde::de::IgnoredAny;

use super::{Finding, Severity, Subject, Validator};
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

    fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let bytes = subject.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(subject.bytes);
        let error = serde_json::from_slice::<IgnoredAny>(bytes).err();
        error.map(|error| syntax(&error).at(bytes, error.line(), error.column())).into_iter().collect()
    }
}

impl Validator for JsonLines {
    fn name(&self) -> &'static str {
        "jsonl"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let lines = (1..).zip(subject.bytes.split(|byte| *byte == b'\n'));
        let wrong = lines.filter(|(_, line)| !line.trim_ascii().is_empty()).filter_map(|(number, line)| {
            let error = serde_json::from_slice::<IgnoredAny>(line).err()?;
            Some(syntax(&error).at(subject.bytes, number, error.column()))
        });
        wrong.take(LINES).collect()
    }
}

/// The error without its own words for the place.
fn syntax(error: &serde_json::Error) -> Finding {
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
    Finding::new(codes::SYNTAX_ERROR.name, Severity::Error, message)
}

impl Validator for Toml {
    fn name(&self) -> &'static str {
        "toml"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let Ok(text) = std::str::from_utf8(subject.bytes) else { return Vec::new() };
        let error = toml::from_str::<toml::Table>(text).err();
        let finding = error.map(|error| {
            let at = error.span().map_or(0, |span| span.start);
            Finding::new(codes::SYNTAX_ERROR.name, Severity::Error, error.message())
                .at_byte(subject.bytes, at)
        });
        finding.into_iter().collect()
    }
}

impl Validator for Yaml {
    fn name(&self) -> &'static str {
        "yaml"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let Ok(text) = std::str::from_utf8(subject.bytes) else { return Vec::new() };
        let error = Parser::new_from_str(text).find_map(Result::err);
        let finding = error.map(|error| {
            let at = error.marker();
            Finding::new(codes::SYNTAX_ERROR.name, Severity::Error, error.info()).at(
                subject.bytes,
                at.line(),
                at.col() + 1,
            )
        });
        finding.into_iter().collect()
    }
}
