//! Is it well-formed XML? Is the HTML whole?

use quick_xml::Reader;
use quick_xml::events::Event;

use super::{Finding, Severity, Subject, Validator};
use crate::codes;

pub(super) struct Xml;
pub(super) struct Html;

impl Validator for Xml {
    fn name(&self) -> &'static str {
        "xml"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
        first_error(subject.bytes).into_iter().collect()
    }
}

fn first_error(bytes: &[u8]) -> Option<Finding> {
    let mut reader = Reader::from_reader(bytes);
    reader.config_mut().check_comments = true;
    let (mut depth, mut roots) = (0u32, 0u32);
    let wrong = |message: String, at: u64| {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        Some(Finding::new(codes::SYNTAX_ERROR.name, Severity::Error, message).at_byte(bytes, at))
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

    fn check(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let text = String::from_utf8_lossy(subject.bytes).to_ascii_lowercase();
        let elements = ["html", "head", "body", "script", "style", "table", "template"];
        let unclosed = elements.into_iter().filter(|name| {
            let opened =
                text.matches(&format!("<{name}>")).count() + text.matches(&format!("<{name} ")).count();
            opened > text.matches(&format!("</{name}")).count()
        });
        unclosed
            .map(|name| {
                Finding::new(
                    codes::LOOKS_UNFINISHED.name,
                    Severity::Warning,
                    format!("<{name}> is not closed"),
                )
            })
            .collect()
    }
}
