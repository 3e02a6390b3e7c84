//! Addresses: `P12`, `footnote:3/P1`, `§4.2(b)`, `{"text": …}`.

use serde_json::Value;

use crate::ops::fields::check_fields;
use crate::ops::place::{Address, Occurrence, Place};

/// Reads an address with the story it may name.
pub(super) fn parse_address(value: &Value) -> Result<(Option<String>, Address), String> {
    if let Some(number) = value.as_u64() {
        return paragraph_number(number).map(|address| (None, address));
    }
    if let Some(object) = value.as_object() {
        let known = ["text", "paraId", "fingerprint", "paragraphIndex", "story"];
        check_fields(object, &known, &[], "the address")?;
        let story = object.get("story").and_then(Value::as_str).filter(|story| *story != "body");
        let mut entries = object.iter().filter(|(key, _)| *key != "story");
        let address = match (entries.next(), entries.next()) {
            (Some((key, value)), None) => match (key.as_str(), value.as_str(), value.as_u64()) {
                ("text", Some(text), _) if !text.is_empty() => Address::Text(text.to_owned()),
                ("paraId", Some(id), _) => Address::ParagraphId(id.to_owned()),
                ("fingerprint", Some(print), _) => Address::Fingerprint(print.to_owned()),
                ("paragraphIndex", _, Some(number)) => paragraph_number(number)?,
                _ => return Err(format!("the address '{key}' has no usable value")),
            },
            (None, _) if story.is_some() => Address::Any,
            _ => {
                return Err("an address object has exactly one of 'text', 'paraId', 'fingerprint'".to_owned());
            }
        };
        return Ok((story.map(str::to_owned), address));
    }
    let Some(text) = value.as_str() else {
        return Err("an address is a number, a text such as \"P12\", or an object such as {\"text\": \"…\"}"
            .to_owned());
    };
    let text = text.trim();
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    // A whole marker such as [P12|Heading1] may be quoted back.
    let inner = inner.split('|').next().unwrap_or(inner);
    match inner.rsplit_once('/') {
        Some((story, place)) if story.contains(':') && !is_story(place) => {
            let address = parse_in_story(place).ok_or_else(|| no_address(text))??;
            Ok((Some(story.to_owned()), address))
        }
        _ => match parse_in_story(inner) {
            Some(address) => Ok((None, address?)),
            None if is_story(inner) => Ok((Some(inner.to_owned()), Address::Any)),
            None => Err(no_address(text)),
        },
    }
}

/// An address without a story; `None` for what is none.
fn parse_in_story(text: &str) -> Option<Result<Address, String>> {
    let digits = text.strip_prefix(['P', 'p']).unwrap_or(text);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let number = digits.parse().map_err(|_| format!("'{text}' is no paragraph number"));
        return Some(number.and_then(paragraph_number));
    }
    if let Some(id) = text.strip_prefix("paraId:") {
        return Some(Ok(Address::ParagraphId(id.to_owned())));
    }
    if let Some(print) = text.strip_prefix("fp:") {
        return Some(Ok(Address::Fingerprint(print.to_owned())));
    }
    if let Some(number) = text.strip_prefix('§').map(str::trim).filter(|number| !number.is_empty()) {
        return Some(Ok(Address::Provision(number.to_owned())));
    }
    match text {
        "first" => Some(Ok(Address::First)),
        "last" => Some(Ok(Address::Last)),
        _ if text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Some(Ok(Address::ParagraphId(text.to_owned())))
        }
        _ => None,
    }
}

fn is_story(text: &str) -> bool {
    let kinds = ["header", "footer", "footnote", "endnote", "textbox", "comment"];
    let own = text.rsplit('/').next().unwrap_or(text);
    own.split_once(':').is_some_and(|(kind, key)| kinds.contains(&kind) && !key.is_empty())
}

fn no_address(text: &str) -> String {
    format!(
        "'{text}' is no address; give P and a number, \"first\", \"last\", a paraId, a number as shown such as \"§4.2\", \
         {{\"text\": \"…\"}}, or one of these in another story, as \"footnote:3/P1\""
    )
}

fn paragraph_number(number: u64) -> Result<Address, String> {
    match usize::try_from(number) {
        Ok(number) if number > 0 => Ok(Address::Number(number)),
        _ => Err("paragraphs are counted from 1".to_owned()),
    }
}

/// Reads a place: an address, and which of several.
pub(super) fn parse_place(value: &Value, occurrence: Option<Occurrence>) -> Result<Place, String> {
    let (story, address) = parse_address(value)?;
    let story = story.filter(|story| story != "body");
    Ok(Place { story, address, occurrence })
}

pub(super) fn parse_occurrence(value: &Value) -> Result<Occurrence, String> {
    match (value.as_u64().and_then(|number| usize::try_from(number).ok()), value.as_str()) {
        (Some(number), _) if number > 0 => Ok(Occurrence::Nth(number)),
        (_, Some("first")) => Ok(Occurrence::Nth(1)),
        (_, Some("last")) => Ok(Occurrence::Last),
        (_, Some("all")) => Ok(Occurrence::All),
        _ => Err("'occurrence' is a number from 1, \"first\", \"last\" or \"all\"".to_owned()),
    }
}
