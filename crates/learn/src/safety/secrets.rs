//! Replaces secrets and personal data by placeholders, the same for the same value, so that text stays readable and comparable.
//!
//! Must never give a value back, whole or in part. The list is in `docs/design/learning.md`.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use engross_protocol::hex;
use regex::{Captures, Regex};
use sha2::{Digest, Sha256};

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

/// Groups of the first pattern: the name of a group is the kind; a group ending in `_value` is the part that is taken out.
static KEYS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)
        (?P<pem>-----BEGIN\ [A-Z\ ]{0,30}PRIVATE\ KEY-----(?s:.*?)(?:-----END\ [A-Z\ ]{0,30}PRIVATE\ KEY-----|\z))
        |(?P<jwt>\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)
        |(?P<api_key>\b(?:sk|pk|rk)[-_](?:ant-|proj-|or-v1-|live_|test_|svcacct-)?[A-Za-z0-9_-]{16,}
            |\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[A-Za-z0-9_-]{16,}
            |\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{30,}
            |\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{30,}|\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}
            |\bdckr_pat_[A-Za-z0-9_-]{20,}|\bshp(?:at|ss|ca|pa)_[A-Fa-f0-9]{32}|\bya29\.[A-Za-z0-9_-]{20,}
            |\bxai-[A-Za-z0-9]{20,}|\bgsk_[A-Za-z0-9]{20,}|\blin_api_[A-Za-z0-9]{20,}|\bAGE-SECRET-KEY-1[0-9A-Z]{20,})
        |(?P<bot_token>\b[0-9]{8,10}:[A-Za-z0-9_-]{35}\b)
        |(?P<url_password>[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@"']{0,64}:(?P<url_value>[^\s/@"']{1,256})@)
        |(?P<bearer>(?i:bearer|basic)\s+(?P<bearer_value>[A-Za-z0-9._~+/=-]{12,}))
        |(?P<password>(?i:pass(?:word|wd|phrase)?|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|client[_-]?secret
            |private[_-]?key|credentials?)["']?\s{0,3}[:=]\s{0,3}["']?(?P<password_value>[^\s"',;&<>(){}\[\]]{6,}))
        "#,
    )
    .ok()
});

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

/// Takes secrets out of `text`. Doing it twice changes nothing more.
#[must_use]
pub fn redact(text: &str, personal: PersonalData) -> Cow<'_, str> {
    let text = replace(&KEYS, Cow::Borrowed(text));
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
    // What is only a word, such as `token: string` or `password: required`, is no secret.
    if kind == "password" && is_plain(value) {
        return whole.to_owned();
    }
    let before = whole.get(..part.start() - all.start()).unwrap_or_default();
    let after = whole.get(part.end() - all.start()..).unwrap_or_default();
    format!("{before}{}{after}", placeholder(kind, value))
}

/// Whether a value is a word of prose or of a schema, or a reference to where the secret is.
fn is_plain(value: &str) -> bool {
    let is_word = value.len() <= 12 && value.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '.');
    is_word || value.starts_with('$') || value.starts_with("process.env") || value.starts_with("os.environ")
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
