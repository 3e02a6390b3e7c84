//! `engross task verify`: whatever is altered of files, receipts, keys and times is found.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::altering::{Dice, alter, base64, in_base64, leaves};
use crate::desk::TestBench;
use crate::fake_agent;

/// A folder with the results of two runs.
fn made() -> (TestBench, String) {
    let desk = fake_agent::desk();
    for (thread, words) in [
        ("v1", "@ write one.md First.\n@ write two.md Second.\n@ write three.txt First.\n@ say Made one.md."),
        ("v2", "@ write one.md Anew.\n@ write four.json {}\n@ say Made one.md and four.json."),
    ] {
        let run =
            ["task", "run", words, "--agent", "fake", "--thread", thread, "--folder", "out", "--with-text"];
        let mut run = run.to_vec();
        run.extend(["--config", "engross.toml", "--data", "data", "--json"]);
        let ran = desk.run(&run);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let key = desk.run(&["task", "key", "--data", "data", "--json"]).json()["publicKey"]
        .as_str()
        .unwrap()
        .to_owned();
    (desk, key)
}

fn receipts(desk: &TestBench) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(desk.path("out/.xworkmate/receipts")).unwrap();
    let mut all: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

#[test]
fn every_alteration_is_found() {
    let (desk, key) = made();
    let [older, newest] = receipts(&desk).try_into().unwrap();
    let files = ["out/one.md", "out/four.json"];
    let verify = |more: &[&str]| {
        let mut all = vec!["task", "verify", "out", "--json"];
        all.extend(more);
        desk.run(&all)
    };
    assert_eq!(verify(&["--key", &key]).code, Some(0), "{:?}", verify(&["--key", &key]));
    let run = older.file_stem().unwrap().to_str().unwrap().to_owned();
    // What the first run made stands beside, as the second has made another file of that name.
    let first = verify(&["--run", &run]);
    assert!(
        first.code == Some(0) || first.json()["findings"][0].as_str().unwrap().contains("one.md"),
        "{first:?}"
    );

    let count = std::env::var("ENGROSS_ALTERATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(60);
    let (mut dice, mut tried) = (Dice(7), 0);
    let mut found = |what: &str| {
        for more in [&["--key", key.as_str()][..], &[]] {
            let got = verify(more);
            assert!(matches!(got.code, Some(1 | 2)), "{what}, and nobody has seen it: {got:?}");
        }
        tried += 1;
    };
    // Files: a bit, an end that is gone, more at the end, another file in its place, none at all.
    for _ in 0..count {
        let file = files[dice.below(files.len())];
        let whole = desk.bytes(file);
        let mut altered = whole.clone();
        let what = match dice.below(4) {
            0 => {
                let at = dice.below(altered.len());
                altered[at] ^= 1 << dice.below(8);
                "a bit"
            }
            1 => {
                altered.truncate(dice.below(altered.len()));
                "a cut"
            }
            2 => {
                altered.push(b'\n');
                "an addition"
            }
            _ => {
                altered = desk.bytes(files.iter().copied().find(|other| *other != file).unwrap());
                "another file"
            }
        };
        desk.put(file, &altered);
        found(what);
        desk.put(file, &whole);
    }
    std::fs::rename(desk.path("out/one.md"), desk.path("out/away.md")).unwrap();
    found("a file that is gone");
    std::fs::rename(desk.path("out/away.md"), desk.path("out/one.md")).unwrap();

    // The receipt: bits, and every field of it, the signed ones with the signature as it was.
    let whole = std::fs::read(&newest).unwrap();
    for _ in 0..count {
        let mut altered = whole.clone();
        let at = dice.below(altered.len());
        altered[at] ^= 1 << dice.below(8);
        std::fs::write(&newest, &altered).unwrap();
        found("a bit of the receipt");
    }
    let receipt: Value = serde_json::from_slice(&whole).unwrap();
    for field in &leaves(&receipt) {
        let mut altered = receipt.clone();
        alter(altered.pointer_mut(field).unwrap());
        std::fs::write(&newest, format!("{altered}\n")).unwrap();
        found(field);
    }
    // The signed statement itself, its times among it.
    let payload = receipt.pointer("/envelope/payload").unwrap().as_str().unwrap();
    let statement: Value = serde_json::from_slice(&base64(payload)).unwrap();
    let all = leaves(&statement);
    assert!(all.iter().any(|field| field == "/endedAt") && all.len() > 12, "{all:?}");
    for field in &all {
        let mut altered = statement.clone();
        alter(altered.pointer_mut(field).unwrap());
        let mut forged = receipt.clone();
        forged["envelope"]["payload"] = json!(in_base64(altered.to_string().as_bytes()));
        std::fs::write(&newest, format!("{forged}\n")).unwrap();
        found(field);
    }
    // One file hidden behind another: where a file lies here is not signed.
    let mut hidden = receipt.clone();
    let at = |path: &str| {
        receipt["files"].as_array().unwrap().iter().position(|file| file["path"] == path).unwrap()
    };
    hidden["files"][at("one.md")]["here"] = json!("four.json");
    std::fs::write(&newest, format!("{hidden}\n")).unwrap();
    desk.put("out/one.md", b"something else");
    found("a file behind another");
    // Nor behind a copy of what it was, under any other name.
    desk.put("out/copy.md", b"Anew.");
    hidden["files"][at("one.md")]["here"] = json!("copy.md");
    std::fs::write(&newest, format!("{hidden}\n")).unwrap();
    found("a file behind its copy");
    desk.put("out/one.md", b"Anew.");
    // The receipt of another run under this one's name.
    std::fs::write(&newest, std::fs::read(&older).unwrap()).unwrap();
    found("another run's receipt");
    std::fs::write(&newest, &whole).unwrap();
    assert_eq!(verify(&["--key", &key]).code, Some(0));
    assert_eq!(verify(&["--key", &"2".repeat(64)]).code, Some(1), "another key");
    assert!(tried > 2 * count, "{tried}");
}

/// A file whose name a person had taken lies beside it, and the person's is not called the run's.
#[test]
fn what_lies_beside_is_told_apart() {
    let desk = fake_agent::desk();
    std::fs::create_dir(desk.path("out")).unwrap();
    desk.put("out/one.md", b"A person's.");
    let words = "@ write one.md The run's.\n@ say Made one.md.";
    let run = [
        "task",
        "run",
        words,
        "--agent",
        "fake",
        "--thread",
        "v",
        "--folder",
        "out",
        "--config",
        "engross.toml",
    ];
    assert_eq!(desk.run(&[&run[..], &["--data", "data", "--json"]].concat()).code, Some(0));
    let verified = desk.run(&["task", "verify", "out", "--json"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert_eq!(verified.json()["elsewhere"], json!([{"path": "one.md", "here": "one.v2.md"}]));
    let shown = desk.run(&["task", "verify", "out"]).stdout;
    assert!(
        shown.contains("one.v2.md is what this run made as one.md; one.md itself was not looked at"),
        "{shown}"
    );
    desk.put("out/one.v2.md", b"Another's.");
    assert_eq!(desk.run(&["task", "verify", "out"]).code, Some(1));
}

#[test]
fn a_folder_that_is_not_there_is_not_made() {
    let desk = TestBench::new();
    assert_eq!(desk.refuses(&["task", "verify", "nowhere", "--json"]), (2, "NOT_FOUND".to_owned()));
    assert!(!desk.path("nowhere").exists());
}
