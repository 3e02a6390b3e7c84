use proptest::prelude::*;

use super::command_line::split;

#[test]
fn words_are_parted_as_people_expect() {
    let table: &[(&str, &[&str])] = &[
        ("gemini --acp", &["gemini", "--acp"]),
        ("  a\t b\n", &["a", "b"]),
        (r#"a "b c" 'd "e"' f\ g"#, &["a", "b c", "d \"e\"", "f g"]),
        (r#"a "" ''"#, &["a", "", ""]),
        (r#"a"b"'c'"#, &["abc"]),
        (r#"a "x\"y" 'x\y'"#, &["a", "x\"y", r"x\y"]),
        ("a $HOME *.txt ; rm", &["a", "$HOME", "*.txt", ";", "rm"]),
    ];
    for (line, words) in table {
        assert_eq!(split(line).unwrap(), *words, "{line}");
    }
}

#[test]
fn what_is_no_command_is_refused() {
    for line in ["", "   ", "''", "\"\" a", "a 'b", "a \"b", "a \\"] {
        assert_eq!(split(line).unwrap_err().code(), "AGENT_COMMAND_INVALID", "{line:?}");
    }
}

proptest! {
    #[test]
    fn quoted_words_come_back(words in prop::collection::vec("[^']{1,8}", 1..6)) {
        let line: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        prop_assert_eq!(split(&line.join(" ")).unwrap(), words);
    }
}
