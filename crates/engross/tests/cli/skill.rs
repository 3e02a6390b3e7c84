//! The skill for agents: its commands run as they stand, one after the other in one folder.

use std::path::Path;

use crate::desk::{ENGROSS, TestBench, ran};

const SKILL: &str = include_str!("../../../../skills/engross/SKILL.md");

/// What stands in the fences of a language.
fn fenced(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    SKILL.split(&fence).skip(1).filter_map(|part| part.split("```").next()).collect()
}

#[test]
fn the_format_is_that_of_agent_skills() {
    let head = SKILL.split("---\n").nth(1).unwrap();
    let field =
        |name: &str| head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).unwrap();
    assert_eq!(field("name"), "engross");
    assert!(field("description").len() <= 1024);
    assert!(SKILL.lines().count() <= 150);
}

#[cfg(unix)]
#[test]
fn every_example_does_what_it_says() {
    let desk = TestBench::new();
    let [operations] = fenced("json")[..] else { panic!("there is one file of operations") };
    desk.put("edits.json", operations.as_bytes());
    let place = Path::new(ENGROSS).parent().unwrap();
    let mut count = 0;
    for line in fenced("sh").iter().flat_map(|block| block.lines()) {
        let mut shell = desk.command("sh");
        let path = format!("{}:{}", place.display(), std::env::var("PATH").unwrap());
        let said = ran(shell.env("PATH", path).args(["-c", line]).output().unwrap());
        assert_eq!(said.code, Some(0), "{line}: {said:?}");
        count += 1;
    }
    assert!(count >= 12, "{count}");
    let text = desk.run(&["read", "nda.redline.docx"]).stdout;
    assert!(
        text.contains("five (5) years")
            && text.contains("return all samples")
            && text.contains("sixty (60) days")
    );
    assert!(!desk.run(&["read", "nda.docx"]).stdout.contains("five (5) years"));
}

#[test]
fn it_is_written_where_agents_look() {
    let desk = TestBench::new();
    for (arguments, place) in [
        (&["agent-skill", "install"][..], ".agents/skills/engross"),
        (&["agent-skill", "install", "--agent", "claude-code"], ".claude/skills/engross"),
        (&["agent-skill", "install", "--agent", "codex", "--project"], ".codex/skills/engross"),
    ] {
        for _ in 0..2 {
            assert_eq!(desk.run(arguments).code, Some(0));
        }
        assert_eq!(desk.bytes(&format!("{place}/SKILL.md")), SKILL.as_bytes());
        assert!(desk.path(&format!("{place}/references/operations.md")).exists());
    }
    assert_eq!(desk.run(&["agent-skill", "print"]).stdout, SKILL);
    assert!(
        desk.run(&["agent-skill", "install", "--agent", "clippy"]).stderr.contains("known are claude-code")
    );
}
