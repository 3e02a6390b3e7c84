//! Which addresses a reader may follow.

/// Longest address that is a link, in bytes.
const LONGEST: usize = 2_000;

/// Whether an address may be a link: `https:` with a host, or `mailto:`.
pub(super) fn is_safe(address: &str) -> bool {
    if address.len() > LONGEST || address.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
        return false;
    }
    let Some((scheme, rest)) = address.split_once(':') else { return false };
    match scheme.to_ascii_lowercase().as_str() {
        "https" => rest.strip_prefix("//").is_some_and(|rest| {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            // Who reads `https://bank.example@evil.example` is led elsewhere than they think.
            !host.is_empty() && !host.contains('@')
        }),
        "mailto" => rest.contains('@'),
        _ => false,
    }
}
