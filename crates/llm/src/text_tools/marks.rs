//! Tokens and marks of the templates of models, which stand around calls and between them.
//!
//! Must never skip what could be a name or an argument.

/// Marks of templates that are no element and no token.
pub(super) const MARKS: [&str; 3] = ["[TOOL_CALLS]", "[/TOOL_CALLS]", "[ARGS]"];
/// What stands between a name and its arguments.
const GAP: [&str; 6] = ["Action Input:", "Arguments:", "[ARGS]", "```json\n", "```\n", ":"];

/// What is behind a token of a template, such as `<|tool_call|>`, if that comes next.
pub(super) fn token(text: &str) -> Option<&str> {
    let (begin, end) = if text.starts_with("<|") { ("<|", "|>") } else { ("<｜", "｜>") };
    let (inside, behind) = text.strip_prefix(begin)?.split_once(end)?;
    (inside.len() < 64 && !inside.contains(['\n', '<'])).then_some(behind)
}

/// What is behind a token that ends calls, such as `<|/tool_call|>`, if that comes next.
pub(super) fn closing_token(text: &str) -> Option<&str> {
    let behind = token(text)?;
    let inside = text.get(..text.len() - behind.len())?;
    ["/tool", "end", "eom", "eot"].iter().any(|word| inside.contains(word)).then_some(behind)
}

pub(super) fn skip_tokens(text: &str) -> &str {
    let mut rest = text;
    while let Some(behind) = token(rest.trim_start()) {
        rest = behind;
    }
    rest
}

/// What separates calls of one form.
pub(super) fn skip_noise(text: &str) -> &str {
    let mut rest = text;
    loop {
        let bare = skip_tokens(rest).trim_start_matches([',', ';']).trim_start();
        let bare = MARKS.iter().find_map(|mark| bare.strip_prefix(mark)).unwrap_or(bare);
        if bare.len() == rest.len() {
            return rest;
        }
        rest = bare;
    }
}

/// What stands between a name and its arguments.
pub(super) fn skip_gap(text: &str) -> &str {
    let mut rest = text;
    loop {
        let mut bare = skip_tokens(rest).trim_start();
        for mark in GAP {
            bare = bare.strip_prefix(mark).unwrap_or(bare);
        }
        // The number of a call, as in `functions.NAME:0`.
        if rest.starts_with(':') {
            bare = bare.trim_start_matches(|c: char| c.is_ascii_digit());
        }
        if bare.len() == rest.len() {
            return rest;
        }
        rest = bare;
    }
}

/// Whether `rest` may become a mark between a name and its arguments, or the first element of those.
pub(super) fn may_be_gap(rest: &str) -> bool {
    let is_token = rest.starts_with("<|") || rest.starts_with("<｜");
    GAP.iter().chain(&["<arg_key", "<param", "<｜"]).any(|mark| mark.starts_with(rest))
        || (is_token && rest.len() < 64 && !rest.contains('\n'))
}
