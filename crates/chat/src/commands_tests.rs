use super::commands::{Command, TypedLine, completions, help, understand, unknown};

#[test]
fn lines_are_messages_unless_they_name_a_command() {
    let message = |line: &str| assert_eq!(understand(line), TypedLine::Message(line.to_owned()), "{line}");
    message("/etc/hosts should be mentioned");
    message("/ is the root");
    message("// a comment");
    message("/undo the last change, please");
    message("  /Path/x  ");
    message("first line\n/undo");
    message("/quit\nand more that was pasted");
    message("/usr\n/bin");
    assert_eq!(understand(" \t"), TypedLine::Nothing);
    assert_eq!(understand(" /undo "), TypedLine::Command(Command::Undo));
    assert_eq!(
        understand("/model ollama/llama3"),
        TypedLine::Command(Command::Model(Some("ollama/llama3".to_owned())))
    );
    assert_eq!(
        understand("/save my notes.md"),
        TypedLine::Command(Command::Save(Some("my notes.md".to_owned())))
    );
    assert_eq!(understand("/statsu"), TypedLine::Unknown("/statsu".to_owned()));
    assert!(unknown("/statsu").contains("/status is near"));
    assert!(!unknown("/frobnicate").contains("near"));
}

#[test]
fn every_command_of_the_help_is_one() {
    let help = help();
    let named: Vec<&str> =
        help.lines().filter_map(|line| line.strip_prefix("  /")?.split(' ').next()).collect();
    assert_eq!(named.len(), 13);
    for name in named {
        let name = format!("/{name}");
        assert!(matches!(understand(&name), TypedLine::Command(_)), "{name}");
        assert_eq!(completions(&name)[0], name);
    }
    assert_eq!(completions("/s"), ["/status", "/sessions", "/save"]);
}
