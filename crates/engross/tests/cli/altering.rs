//! Alterations of files and of JSON, for tests that are to find each of them.

use serde_json::{Value, json};

/// Numbers that look random and are the same each time.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// One of the numbers from 0 to before `most`.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }
}

/// Every text, number and truth in a value, by its path.
pub(crate) fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => fields.iter().flat_map(|(name, value)| beneath(name, value)).collect(),
        Value::Array(values) => {
            values.iter().enumerate().flat_map(|(at, value)| beneath(&at.to_string(), value)).collect()
        }
        _ => vec![String::new()],
    }
}

fn beneath(name: &str, value: &Value) -> Vec<String> {
    leaves(value).iter().map(|below| format!("/{name}{below}")).collect()
}

/// Makes a value of the same kind of it; of a time an earlier one.
pub(crate) fn alter(value: &mut Value) {
    *value = match &*value {
        Value::String(text) if text.starts_with("20") => json!(text.replacen("20", "19", 1)),
        Value::String(text) => json!(format!("{text}x")),
        Value::Number(number) => json!(number.as_u64().unwrap() + 1),
        other => panic!("nothing is altered of {other}"),
    };
}

const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes of a text in base64.
pub(crate) fn base64(text: &str) -> Vec<u8> {
    let mut bits = 0_u32;
    let mut bytes = Vec::new();
    for (number, digit) in text.bytes().filter(|digit| *digit != b'=').enumerate() {
        bits = bits << 6 | u32::try_from(DIGITS.iter().position(|known| *known == digit).unwrap()).unwrap();
        if number % 4 > 0 {
            let left = 6 - 2 * (number % 4);
            bytes.push(u8::try_from(bits >> left & 255).unwrap());
        }
    }
    bytes
}

/// Bytes in base64.
pub(crate) fn in_base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().enumerate().fold(0_u32, |bits, (at, byte)| bits | u32::from(*byte) << (16 - 8 * at));
        for at in 0..4 {
            let digit = DIGITS[usize::try_from(bits >> (18 - 6 * at) & 63).unwrap()];
            text.push(if at <= three.len() { digit as char } else { '=' });
        }
    }
    text
}
