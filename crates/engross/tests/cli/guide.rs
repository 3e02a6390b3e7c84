//! The guide says what the program does: every command and flag is in `docs/guide/commands.md`, every example works.

use crate::desk::TestBench;

const GUIDE: &str = include_str!("../../../../docs/guide/commands.md");

const TASKS: &str = include_str!("../../../../docs/guide/tasks.md");

const COMMANDS: [&str; 21] = [
    "edit",
    "read",
    "review",
    "apply",
    "accept",
    "reject",
    "revisions",
    "comments",
    "check",
    "merge",
    "write",
    "to-markdown",
    "to-html",
    "from-markdown",
    "checkpoint",
    "compare",
    "diff",
    "doctor",
    "verify",
    "completions",
    "man",
];

/// The names of the flags that a help text lists.
fn flags(help: &str) -> impl Iterator<Item = &str> {
    help.lines()
        .map(str::trim_start)
        .filter(|line| line.starts_with('-'))
        .filter_map(|line| line.split([' ', ',']).find(|word| word.starts_with("--")))
}

#[test]
fn the_guide_names_every_command_and_flag() {
    let desk = TestBench::new();
    for command in COMMANDS {
        let help = desk.run(&[command, "--help"]);
        assert_eq!(help.code, Some(0));
        assert!(help.stdout.contains("Example"), "{command} --help has examples");
        assert!(
            GUIDE.contains(&format!("## engross {command}")) || GUIDE.contains(&format!("and {command}")),
            "{command}"
        );
        for flag in flags(&help.stdout).filter(|flag| !["--help", "--version"].contains(flag)) {
            assert!(GUIDE.contains(&format!("`{flag}")), "{flag} of {command} is not in the guide");
        }
    }
}

#[test]
fn the_guide_of_tasks_names_every_command_and_flag() {
    let desk = TestBench::new();
    for command in [
        "run", "get", "watch", "cancel", "answer", "archive", "restore", "list", "sync", "export", "import",
        "retry", "logs", "open", "verify", "key",
    ] {
        let help = desk.run(&["task", command, "--help"]);
        assert_eq!(help.code, Some(0));
        assert!(TASKS.contains(&format!("engross task {command}")), "{command}");
        for flag in flags(&help.stdout) {
            let is_known = [TASKS, GUIDE].iter().any(|guide| guide.contains(&format!("`{flag}")));
            assert!(is_known || TASKS.contains(flag), "{flag} of task {command} is not in the guide");
        }
    }
}

#[test]
fn the_guide_of_clients_of_agents_names_every_flag() {
    let desk = TestBench::new();
    let guide = include_str!("../../../../docs/guide/mcp.md");
    for command in [&["mcp"][..], &["mcp", "install"], &["mcp", "uninstall"], &["agent-skill", "install"]] {
        let help = desk.run(&[command, &["--help"]].concat());
        assert_eq!(help.code, Some(0));
        for flag in flags(&help.stdout).filter(|flag| !["--help", "--version"].contains(flag)) {
            assert!(guide.contains(flag), "{flag} of {command:?} is not in the guide");
        }
    }
}

#[cfg(feature = "acp")]
#[test]
fn the_guide_of_editors_names_every_flag() {
    let help = TestBench::new().run(&["acp", "--help"]);
    let guide = include_str!("../../../../docs/guide/acp.md");
    for flag in flags(&help.stdout).filter(|flag| !["--help", "--version"].contains(flag)) {
        assert!(guide.contains(flag), "{flag} is not in the guide");
    }
}

#[test]
fn help_version_and_nothing() {
    let desk = TestBench::new();
    let version = desk.run(&["--version"]);
    assert_eq!((version.code, version.stdout), (Some(0), format!("engross {}\n", env!("CARGO_PKG_VERSION"))));
    let help = desk.run(&["--help"]);
    assert!(COMMANDS.iter().chain(&["task"]).all(|command| help.stdout.contains(command)), "{help:?}");
    assert_eq!(desk.run(&[]).code, Some(2));
    assert_eq!(desk.run(&["contrast", "a", "b"]).code, Some(2));
    assert_eq!(desk.run(&["accept", "nda.docx", "--kind", "colour"]).code, Some(2));
}

#[test]
fn the_settings_of_the_guide_can_be_used() {
    let desk = TestBench::new();
    let toml = GUIDE.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    desk.put("config.toml", toml.as_bytes());
    let report = desk.run(&["doctor", "--config", "config.toml", "--json"]).json();
    let settings = report["settings"].as_array().unwrap();
    assert!(settings.iter().all(|setting| setting["origin"] == "config.toml"), "{report:#}");
}

#[test]
fn the_operations_of_the_guide_are_valid() {
    let desk = TestBench::new();
    let guide = include_str!("../../../../docs/guide/editing.md");
    let examples: Vec<&str> =
        guide.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(examples.len(), 20);
    for example in examples {
        desk.put("ops.json", example.as_bytes());
        let ran = desk.run(&["apply", "nda.docx", "ops.json", "--dry-run", "--json"]);
        let report = ran.json();
        let statuses: Vec<&serde_json::Value> =
            report["operations"].as_array().unwrap().iter().map(|operation| &operation["status"]).collect();
        // The example agreement is no form, and has fewer clauses than a long one.
        let wanted = match example {
            form if form.contains("fill_control") => "CONTROL_NOT_FOUND",
            long if long.contains("P85") => "TARGET_NOT_FOUND",
            _ => "applied",
        };
        let ended = |wanted: &str| report["operations"].to_string().contains(&format!("\"{wanted}\""));
        assert!(ended(wanted), "{example}{report:#}");
        let unread = statuses.iter().find(|status| **status == "failed");
        assert_eq!(unread, None, "{example}{report:#}");
    }
}
