use super::stderr_tail::StderrTail;

#[test]
fn the_last_line_is_told_without_secrets_and_control_characters() {
    let words = StderrTail::new(vec!["sk-123456".to_owned()]);
    assert_eq!(words.in_brackets(), "");
    words.add(b"first\nkey sk-123456 is \x1b[31mwrong\xff\n\n  \n");
    assert_eq!(words.line(), "key *** is  [31mwrong\u{fffd}");
    assert_eq!(words.in_brackets(), " (it last said: key *** is  [31mwrong\u{fffd})");
}

#[test]
fn only_the_end_is_kept() {
    let words = StderrTail::new(Vec::new());
    for _ in 0..100 {
        words.add(&[b'x'; 1000]);
    }
    words.add(b"\nthe end");
    assert_eq!(words.line(), "the end");
    words.add(&[b'y'; 20_000]);
    assert_eq!(words.line(), format!("{}…", "y".repeat(300)));
}
