//! Replaces secrets and personal data by placeholders, the same for the same value, so that text stays readable and comparable.
//!
//! Must never give a value back, whole or in part. The list is in `docs/design/learning.md`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use engross_protocol::hex;
use regex::{Captures, Regex};
use sha2::{Digest, Sha256};

use super::formats::{FORMATS, IDS, PLAIN};

/// Whether personal data is taken out, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PersonalData {
    /// E-mail addresses, numbers of chats and telephones become placeholders.
    #[default]
    Redact,
    /// They stay.
    Keep,
}

/// What every placeholder begins with.
const BEGIN: &str = "[REDACTED ";

/// Bits for each character from which on a long word is taken for a key.
const ENTROPY: f64 = 4.2;

static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[A-Za-z0-9_+=-]{28,}").ok());

static PERSONAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        (?P<email>\b[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,24}\b)
        |(?P<chat>(?i:telegram|whatsapp|signal|discord|slack|chat[_-]?id|user[_-]?id|sender[_-]?id)["']?\s{0,2}[:=]\s{0,2}["']?
            (?P<chat_value>-?[0-9]{6,20}))
        |(?P<phone>\+[0-9]{1,3}[\ -]?[0-9]{2,4}(?:[\ -]?[0-9]{2,4}){2,4}\b)
        "#,
    )
    .ok()
});

/// How many placeholders stand in a text.
#[must_use]
pub fn redactions(text: &str) -> u64 {
    text.matches(BEGIN).count().try_into().unwrap_or(u64::MAX)
}

/// Takes secrets out of `text`. Doing it twice changes nothing more.
#[must_use]
pub fn redact(text: &str, personal: PersonalData) -> Cow<'_, str> {
    let text = replace(&FORMATS, Cow::Borrowed(text));
    let text = match (WORDS.as_ref(), text) {
        (Some(words), text) if words.is_match(&text) => Cow::Owned(long_words(words, &text)),
        (_, text) => text,
    };
    match personal {
        PersonalData::Redact => replace(&PERSONAL, text),
        PersonalData::Keep => text,
    }
}

fn replace<'a>(pattern: &Option<Regex>, text: Cow<'a, str>) -> Cow<'a, str> {
    let Some(pattern) = pattern.as_ref().filter(|pattern| pattern.is_match(&text)) else { return text };
    Cow::Owned(pattern.replace_all(&text, |found: &Captures<'_>| replacement(pattern, found)).into_owned())
}

fn replacement(pattern: &Regex, found: &Captures<'_>) -> String {
    let Some(all) = found.get(0) else { return String::new() };
    let whole = all.as_str();
    let named = || pattern.capture_names().flatten().filter_map(|name| Some((name, found.name(name)?)));
    let kind = named().find(|(name, _)| !name.ends_with("_value")).map(|(name, _)| name).unwrap_or_default();
    let part = named().find(|(name, _)| name.ends_with("_value")).map_or(all, |(_, value)| value);
    let value = part.as_str();
    let before = whole.get(..part.start() - all.start()).unwrap_or_default();
    let is_harmless = value.starts_with(BEGIN.trim_end())
        || match kind {
            // What is only a word, such as `token: string` or `password: required`, is no secret.
            "password" | "flag" | "element" | "attribute" | "sql" | "prompt" | "storepass" | "archive"
            | "login" | "secret_base" => is_plain(value) || is_count(before, value),
            "said" | "my_password" | "as_password" => is_plain(value) || !is_chosen(value),
            "code" => !value.bytes().any(|byte| byte.is_ascii_digit()),
            "key_like" => !is_key(value),
            "bearer" => !value.bytes().any(|byte| byte.is_ascii_digit() || byte == b'='),
            "email" => value.starts_with("git@"),
            _ => false,
        };
    if is_harmless {
        return whole.to_owned();
    }
    let kind = if kind == "key_like" { "api_key" } else { kind };
    let after = whole.get(part.end() - all.start()..).unwrap_or_default();
    format!("{before}{}{after}", placeholder(kind, value))
}

/// Whether a value is a word of a schema or a form, or a reference to where the secret is.
fn is_plain(value: &str) -> bool {
    let lower = value.trim_end_matches(['.', ':', '?', '!']).to_lowercase();
    let is_reference = [
        "$",
        "process.env",
        "os.environ",
        "os.getenv",
        "getenv",
        "env.",
        "secrets.",
        "%",
        "<",
        "YOUR_",
        "your_",
        "your-",
    ];
    PLAIN.binary_search(&lower.as_str()).is_ok()
        || is_reference.iter().any(|begin| value.starts_with(begin))
        || value.bytes().all(|byte| matches!(byte, b'*' | b'x' | b'X' | b'.' | b'-' | b'_'))
}

/// Whether `tokens` are counted.
fn is_count(name: &str, value: &str) -> bool {
    name.to_lowercase().contains("token")
        && value.len() <= 9
        && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a person may have chosen a word to be a password: it has a digit, or signs, or large letters inside.
fn is_chosen(value: &str) -> bool {
    let value = value.trim_end_matches(['.', '!', '?']);
    value.len() >= 4
        && value
            .chars()
            .skip(1)
            .any(|c| c.is_ascii_digit() || c.is_ascii_uppercase() || "!@#$%^&*_+=".contains(c))
}

/// Whether what stands behind `sk-` or `pk_` is a key and no row of words.
fn is_key(value: &str) -> bool {
    let has = |part: &str, is: fn(&u8) -> bool| part.as_bytes().iter().any(is);
    let is_run =
        |part: &str| part.len() >= 16 && has(part, u8::is_ascii_digit) && has(part, u8::is_ascii_alphabetic);
    value.split(['-', '_']).any(is_run)
        || value.len() >= 27
            && has(value, u8::is_ascii_digit)
            && has(value, u8::is_ascii_uppercase)
            && has(value, u8::is_ascii_lowercase)
}

fn long_words(words: &Regex, text: &str) -> String {
    let replaced = words.replace_all(text, |found: &Captures<'_>| {
        let word = found.get(0).map(|word| word.as_str()).unwrap_or_default();
        if is_random(word) { placeholder("entropy", word) } else { word.to_owned() }
    });
    replaced.into_owned()
}

/// Whether a long word has small and large letters and digits, in no order that speech has. Hashes in hexadecimal and ids
/// are left: they are not secret, and lessons name them.
#[expect(clippy::cast_precision_loss, reason = "a word is short")]
fn is_random(word: &str) -> bool {
    let has = |is: fn(&u8) -> bool| word.as_bytes().iter().any(is);
    if !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit)) {
        return false;
    }
    if IDS.iter().any(|begin| word.starts_with(begin)) || is_camel(word) {
        return false;
    }
    let mut counts = [0u32; 256];
    for byte in word.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let length = word.len() as f64;
    let entropy: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / length)
        .map(|share| -share * share.log2())
        .sum();
    let kinds: HashSet<u8> = word.bytes().collect();
    entropy >= ENTROPY && kinds.len() >= 18
}

/// Whether a word is several words written as one, as names of classes are.
fn is_camel(word: &str) -> bool {
    let small = word.bytes().filter(u8::is_ascii_lowercase).count();
    let large = word.bytes().filter(u8::is_ascii_uppercase).count();
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    digits * 10 <= word.len() && small >= large * 3 && !word.contains(['+', '=', '-'])
}

/// The same for the same value of the same kind. Twenty-four bits of a hash tell two values apart and give none away.
fn placeholder(kind: &str, value: &str) -> String {
    let hash = Sha256::new()
        .chain_update(b"engross\0")
        .chain_update(kind)
        .chain_update(b"\0")
        .chain_update(value)
        .finalize();
    let digits = hex::encode_prefix(hash, 3);
    format!("{BEGIN}{kind} {digits}]")
}
