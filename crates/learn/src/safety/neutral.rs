//! Makes a text harmless to show: one line of plain characters that cannot end a block, hide itself, or colour a terminal.

/// Makes `text` harmless to show inside Markdown, HTML comments, tables and terminals. Doing it twice changes nothing more.
#[must_use]
pub fn neutral(text: &str) -> String {
    let mut plain = visible(text);
    for (from, to) in [
        ("-->", "--&gt;"),
        ("--!>", "--!&gt;"),
        ("```", "'''"),
        ("~~~", "'''"),
        ("ACE:SKILLBOOK", "ACE SKILLBOOK"),
    ] {
        while plain.contains(from) {
            plain = plain.replace(from, to);
        }
    }
    let mut escaped = String::with_capacity(plain.len());
    let mut chars = plain.chars().peekable();
    while let Some(char) = chars.next() {
        let begins_a_tag = |next: &char| next.is_alphabetic() || matches!(next, '/' | '!' | '?');
        if char == '<' && chars.peek().is_some_and(begins_a_tag) {
            escaped.push_str("&lt;");
        } else {
            escaped.push(char);
        }
    }
    escaped
}

/// One line of what shows.
fn visible(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            // An ANSI sequence goes as a whole.
            '\u{1b}' | '\u{9b}' => {
                if char == '\u{9b}' || chars.next_if_eq(&'[').is_some() {
                    while chars.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)).is_some() {}
                    let _ = chars.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
                }
            }
            c if is_hidden(c) => {}
            c if c.is_whitespace() || c.is_control() => {
                if !plain.ends_with(' ') {
                    plain.push(' ');
                }
            }
            c => plain.push(c),
        }
    }
    plain.trim().to_owned()
}

/// Characters that do not show, or that turn the order of others.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' | '\0')
}
