//! What packages put beside the program: completions and manual pages.

use std::process::Command;

use crate::desk::TestBench;

#[test]
fn each_shell_gets_completions_of_every_command() {
    let desk = TestBench::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = desk.run(&["completions", shell]);
        assert_eq!(ran.code, Some(0));
        for word in ["from-markdown", "agent-skill", "checkpoint", "--granularity"] {
            let word = if shell == "fish" { word.trim_start_matches('-') } else { word };
            assert!(ran.stdout.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(desk.run(&["completions", "abacus"]).code, Some(2));
    desk.put("engross.bash", desk.run(&["completions", "bash"]).stdout.as_bytes());
    let script = "set -e; . ./engross.bash; COMP_WORDS=(engross comp); COMP_CWORD=1; _engross engross comp engross; echo ${COMPREPLY[*]}";
    // What has no bash has no completions of bash.
    if let Ok(ran) = Command::new("bash").args(["-c", script]).current_dir(desk.path(".")).output() {
        assert_eq!(String::from_utf8_lossy(&ran.stdout).trim(), "compare completions", "{ran:?}");
    }
}

#[test]
fn the_manual_has_a_page_for_every_command_that_help_shows() {
    let desk = TestBench::new();
    let ran = desk.run(&["man", "--out", "pages"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""));
    let help = desk.run(&["--help"]).stdout;
    let commands = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let mut count = 0;
    for line in commands.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
        let command = line.split_whitespace().next().unwrap();
        if command != "help" {
            let page = String::from_utf8(desk.bytes(&format!("pages/engross-{command}.1"))).unwrap();
            assert!(page.contains(&format!(".TH engross-{command} 1")), "{page}");
            count += 1;
        }
    }
    assert!(count > 20, "{help}");
    assert!(desk.path("pages/engross-task-run.1").exists(), "those below have pages, too");
    assert_eq!(desk.bytes("pages/engross.1"), desk.run(&["man"]).stdout.into_bytes());
}
