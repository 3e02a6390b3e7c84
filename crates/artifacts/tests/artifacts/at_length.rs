//! Names that are made to lead astray. `ENGROSS_HOSTILE_NAMES` says how many; `cargo xtask tasks-at-length` tries 100,000.

use engross_artifacts::{ArtifactQuery, ArtifactScope, RunId, SessionKey, expected_dirs, segment};
use engross_store::files::DiskPath;
use serde_json::json;

use super::TestBench;
use crate::count;

const PIECES: [&str; 40] = [
    "..",
    ".",
    "/",
    "\\",
    "//",
    "a",
    "b.md",
    "CON",
    "nul.txt",
    "C:",
    "~",
    "%2e%2e",
    "%2f",
    "\0",
    "\n",
    "\r",
    "\u{202e}",
    "\u{200b}",
    "\u{ff0e}\u{ff0e}",
    "\u{2215}",
    "é",
    "e\u{301}",
    "ﬁ",
    "日本",
    " ",
    ".git",
    ".xworkmate",
    "node_modules",
    "artifact-ignore.md",
    "tasks",
    "tasks/other/r",
    "-rf",
    "*",
    "?",
    "$HOME",
    "`id`",
    "aux",
    "trailing.",
    "trailing ",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
];

struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn name(&mut self) -> String {
        let count = 1 + self.below(6);
        let glue = ["", "/", "\\"][self.below(3)];
        (0..count).map(|_| PIECES[self.below(PIECES.len())]).collect::<Vec<_>>().join(glue)
    }
}

#[test]
fn at_length_no_name_leads_out_of_its_scope() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&desk.scope("other", "r"), "b.md", "foreign");
    desk.put(&scope, "a/b.md", "ours");
    let mut dice = Dice(5);
    for _ in 0..count("ENGROSS_HOSTILE_NAMES", 2_000) {
        let name = dice.name();
        let part = segment(&name);
        assert!(
            !part.is_empty() && part.len() <= 255 && !part.contains(['/', '\\', '\0']),
            "{name:?} → {part:?}"
        );
        assert!(!matches!(part.as_str(), "." | ".."), "{name:?}");
        if let (Ok(session), Ok(run)) = (SessionKey::parse(&name), RunId::parse("r")) {
            let scope = ArtifactScope::of(&session, &run);
            assert_eq!(scope.as_str().split('/').count(), 3, "{name:?} → {scope:?}");
            assert!(
                !scope.as_str().contains("..") || !scope.as_str().split('/').any(|part| part == ".."),
                "{name:?}"
            );
        }
        if let Ok(dirs) = expected_dirs(&[json!(name)]) {
            for status in scope.expected(&dirs).unwrap() {
                let told = serde_json::to_value(&status).unwrap();
                let path = told["relativePath"].as_str().unwrap();
                assert!(
                    !path.starts_with('/') && !path.split('/').any(|part| part == ".."),
                    "{name:?} → {path:?}"
                );
            }
        }
        for asked in [name.clone(), format!("../{name}"), format!("{name}/b.md")] {
            let wanted = ArtifactQuery {
                artifact_scope: Some(scope.name().as_str()),
                relative_path: Some(&asked),
                artifact_ref: None,
            };
            if let Ok(open) = desk.open(&scope, wanted) {
                let mut text = String::new();
                std::io::Read::read_to_string(&mut open.stream_all().unwrap(), &mut text).unwrap();
                assert_eq!(text, "ours", "{asked:?} leads out");
            }
        }
        if let Ok(path) = DiskPath::parse(&name) {
            assert!(path.components().all(|part| part != ".."), "{name:?}");
        }
    }
}
