//! Fields of JSON objects, read strictly.

use serde_json::{Map, Value};

pub(super) type Object = Map<String, Value>;

pub(super) fn optional_text<'a>(object: &'a Object, field: &str) -> Result<Option<&'a str>, String> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_str().map(Some).ok_or_else(|| format!("'{field}' is no text")),
    }
}

pub(super) fn owned_text(object: &Object, field: &str) -> Result<Option<String>, String> {
    Ok(optional_text(object, field)?.map(str::to_owned))
}

pub(super) fn required_text(object: &Object, owner: &str, field: &str) -> Result<String, String> {
    owned_text(object, field)?.ok_or_else(|| format!("{owner} needs '{field}'"))
}

pub(super) fn flag(object: &Object, field: &str) -> Result<bool, String> {
    Ok(optional_flag(object, field)?.unwrap_or(false))
}

pub(super) fn optional_flag(object: &Object, field: &str) -> Result<Option<bool>, String> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            value.as_bool().map(Some).ok_or_else(|| format!("'{field}' is neither true nor false"))
        }
    }
}

/// A number from 0 that counts something.
pub(super) fn optional_count(object: &Object, field: &str) -> Result<Option<usize>, String> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64().and_then(|number| usize::try_from(number).ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(format!("'{field}' is no whole number from 0")),
        },
    }
}

/// A length in points, given back in parts of a point.
pub(super) fn optional_points(object: &Object, field: &str, parts: f64) -> Result<Option<i32>, String> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let points = value.as_f64().filter(|points| points.abs() <= 1584.0);
            let points = points.ok_or_else(|| format!("'{field}' is no number of points up to 1584"))?;
            #[expect(clippy::cast_possible_truncation, reason = "bounded above")]
            let rounded = (points * parts).round() as i32;
            Ok(Some(rounded))
        }
    }
}

/// The same for a length that cannot be negative.
pub(super) fn optional_extent(object: &Object, field: &str, parts: f64) -> Result<Option<u32>, String> {
    match optional_points(object, field, parts)? {
        None => Ok(None),
        Some(length) => {
            u32::try_from(length).map(Some).map_err(|_| format!("'{field}' cannot be less than 0"))
        }
    }
}

/// A list of texts.
pub(super) fn texts(object: &Object, field: &str) -> Result<Option<Vec<String>>, String> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let texts = value.as_array().and_then(|array| {
                array.iter().map(|value| value.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
            });
            texts.map(Some).ok_or_else(|| format!("'{field}' is no list of texts"))
        }
    }
}

/// One of several words.
pub(super) fn choice<T: Copy>(
    object: &Object,
    field: &str,
    known: &[(&str, T)],
) -> Result<Option<T>, String> {
    let Some(word) = optional_text(object, field)? else { return Ok(None) };
    match known.iter().find(|(name, _)| name.eq_ignore_ascii_case(word.trim())) {
        Some((_, value)) => Ok(Some(*value)),
        None => {
            let names = known.iter().map(|(name, _)| *name);
            let list = known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
            Err(format!("'{field}' cannot be '{word}'; {}it takes {list}", nearest(word, names)))
        }
    }
}

pub(super) fn check_fields(
    object: &Object,
    common: &[&str],
    own: &[&str],
    owner: &str,
) -> Result<(), String> {
    let known = || own.iter().chain(common).copied();
    match object.keys().find(|key| !known().any(|known| known == key.as_str())) {
        None => Ok(()),
        Some(key) => {
            let list = known().filter(|field| *field != "operation").collect::<Vec<_>>().join(", ");
            Err(format!("{owner} has no field '{key}'; {}it takes {list}", nearest(key, known())))
        }
    }
}

pub(super) fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str>) -> String {
    let given = given.to_ascii_lowercase();
    let score = |known: &str| strsim::jaro_winkler(&given, &known.to_ascii_lowercase());
    let best = known.map(|known| (score(known), known)).max_by(|left, right| left.0.total_cmp(&right.0));
    best.filter(|(score, _)| *score > 0.75)
        .map_or_else(String::new, |(_, known)| format!("did you mean '{known}'? "))
}
