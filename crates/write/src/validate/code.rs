//! Parses source code and reports the errors that the file before it did not have.
//!
//! The grammars find a place even in code that is wrong, so only errors that the old file did not have are told.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tree_sitter::{Node, ParseOptions, Parser, TreeCursor};

use super::{ContentFinding, FindingSeverity, Language, Subject, Validator};
use crate::codes;

/// Errors that are reported.
const ERRORS: usize = 10;
/// The most nodes that are looked at.
const NODES: usize = 2_000_000;
/// How long a file may take: there is text that grammars despair of.
pub(super) const PATIENCE: Duration = Duration::from_secs(2);

/// Source code in a language.
pub(super) struct Code {
    pub(super) language: Language,
    /// How long it may take.
    pub(super) patience: Duration,
}

/// It took too long.
struct OutOfTime;

/// An error: what it is, the text of its line, and where it is.
struct CodeError {
    message: String,
    text: String,
    line: usize,
    column: usize,
}

impl Validator for Code {
    fn name(&self) -> &'static str {
        match self.language {
            Language::Bash => "bash",
            Language::C => "c",
            Language::Css => "css",
            Language::Go => "go",
            Language::Java => "java",
            Language::JavaScript => "javascript",
            Language::Python => "python",
            Language::Rust => "rust",
            Language::Tsx => "tsx",
            Language::TypeScript => "typescript",
        }
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<ContentFinding> {
        self.find(subject).unwrap_or_else(|OutOfTime| {
            let message = format!("the code was not parsed within {} ms", self.patience.as_millis());
            vec![ContentFinding::new(codes::NOT_VALIDATED.name, FindingSeverity::Warning, message)]
        })
    }
}

impl Code {
    fn find(&self, subject: &Subject<'_>) -> Result<Vec<ContentFinding>, OutOfTime> {
        let until = Instant::now() + self.patience;
        let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
        for old in subject.old.map_or(Ok(Vec::new()), |old| self.errors(old, until))? {
            *known.entry((old.message, old.text)).or_default() += 1;
        }
        let is_new = |wrong: &CodeError| match known.get_mut(&(wrong.message.clone(), wrong.text.clone())) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        };
        let new = self.errors(subject.bytes, until)?.into_iter().filter(is_new).take(ERRORS);
        let finding = |wrong: CodeError| {
            ContentFinding::new(codes::SYNTAX_ERROR.name, FindingSeverity::Error, wrong.message).at(
                subject.bytes,
                wrong.line,
                wrong.column,
            )
        };
        Ok(new.map(finding).collect())
    }

    fn errors(&self, text: &[u8], until: Instant) -> Result<Vec<CodeError>, OutOfTime> {
        let mut parser = Parser::new();
        if parser.set_language(&grammar(self.language)).is_err() {
            return Ok(Vec::new());
        }
        let mut within_time = |_: &_| {
            if Instant::now() < until { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut within_time);
        let rest = &mut |offset: usize, _| text.get(offset..).unwrap_or_default();
        let tree = parser.parse_with_options(rest, None, Some(options)).ok_or(OutOfTime)?;
        let mut found = Vec::new();
        let mut cursor = tree.walk();
        for _ in 0..NODES {
            let node = cursor.node();
            let is_wrong = node.is_error() || node.is_missing();
            if is_wrong {
                found.push(wrong(text, node));
            }
            if !is_wrong && node.has_error() && cursor.goto_first_child() {
                continue;
            }
            if !goto_next(&mut cursor) {
                break;
            }
        }
        Ok(found)
    }
}

/// Goes to the next node that is not below this one.
fn goto_next(cursor: &mut TreeCursor<'_>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

fn wrong(text: &[u8], node: Node<'_>) -> CodeError {
    let at = node.start_position();
    let line = text.split(|byte| *byte == b'\n').nth(at.row).unwrap_or_default();
    let before = &line[..at.column.min(line.len())];
    let message = if node.is_missing() {
        format!("'{}' is missing", node.kind())
    } else {
        "the code does not parse from here".to_owned()
    };
    CodeError {
        message,
        text: String::from_utf8_lossy(line).trim().to_owned(),
        line: at.row + 1,
        column: String::from_utf8_lossy(before).chars().count() + 1,
    }
}

fn grammar(language: Language) -> tree_sitter::Language {
    match language {
        Language::Bash => tree_sitter_bash::LANGUAGE.into(),
        Language::C => tree_sitter_c::LANGUAGE.into(),
        Language::Css => tree_sitter_css::LANGUAGE.into(),
        Language::Go => tree_sitter_go::LANGUAGE.into(),
        Language::Java => tree_sitter_java::LANGUAGE.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::Rust => tree_sitter_rust::LANGUAGE.into(),
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    }
}
