//! Recognises lines that a model says to its reader.

/// The longest line that is looked at, in bytes.
const LONGEST: usize = 240;

/// What a model says before a file, in lower case.
const OPENINGS: &[&str] = &[
    "sure",
    "certainly",
    "absolutely",
    "of course",
    "okay",
    "ok,",
    "here is",
    "here's",
    "here are",
    "below is",
    "i've updated",
    "i have updated",
    "i've created",
    "i've written",
    "i've added",
    "i updated",
    "i'll",
    "i will",
    "i apologize",
    "understood",
    "as requested",
    "got it",
    "let me write",
    "let me continue",
    "continuing",
    "sorry",
];

/// What it says behind one.
const CLOSINGS: &[&str] = &[
    "let me know",
    "hope this helps",
    "feel free to",
    "if you need any",
    "if you have any questions",
    "if you'd like",
    "the file is complete",
    "this completes the",
    "that's the complete",
    "that is the complete",
    "happy to help",
    "would you like me to",
    "sag mir bescheid",
    "sag bescheid",
    "sagen sie mir bescheid",
    "gib mir bescheid",
    "geben sie mir bescheid",
    "lass mich wissen",
    "lassen sie mich wissen",
    "dis-moi si",
    "dites-moi si",
    "faites-moi savoir",
    "avísame si",
    "hazme saber",
    "fammi sapere",
    "告诉我",
    "告訴我",
    "お知らせください",
    "教えてください",
];

/// Whether the line is what models say before a file.
pub(crate) fn is_opening(line: &str) -> bool {
    let line = line.trim().to_lowercase().replace('’', "'");
    let ends = line.ends_with([':', '.', '!', '…']);
    ends && line.len() <= LONGEST && OPENINGS.iter().any(|opening| begins(&line, opening))
}

/// Whether the line is what models say behind a file.
pub(crate) fn is_closing(line: &str) -> bool {
    let line = line.trim().to_lowercase().replace('’', "'");
    let ends = line.ends_with(['.', '!', '?', ')', '…', '。', '！', '？']);
    ends && line.len() <= LONGEST && CLOSINGS.iter().any(|closing| line.contains(closing))
}

fn begins(line: &str, opening: &str) -> bool {
    line.strip_prefix(opening).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

/// Whether the line is the word DONE with something around it, as models decorate it.
pub(crate) fn is_end_word(line: &str) -> bool {
    let line = line.trim();
    let bare = line.trim_matches(|c: char| !c.is_alphanumeric());
    bare.eq_ignore_ascii_case("done") && bare.len() < line.len() && line.len() <= bare.len() + 8
}

/// Whether the line is a sentence of a language that people speak: words, an end, and no marks of code.
pub(crate) fn is_sentence(line: &str) -> bool {
    let line = line.trim();
    let ends = line.ends_with(['.', ':', '!', '?', '…', '。', '：', '！', '？']);
    let is_cjk =
        |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    let code =
        line.contains(['{', '}', '(', ')', ';', '=', '<', '>', '[', ']', '|', '\\', '$', '@', '_', '/']);
    let words = line.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
    let begins = line.chars().next().is_some_and(char::is_alphabetic);
    line.len() <= LONGEST && ends && begins && !code && (words >= 4 || line.chars().any(is_cjk))
}
