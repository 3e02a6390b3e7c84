//! What is left of files whose writer is killed at any moment.
//!
//! The test starts its own binary again as a writer, which tells every write that was acknowledged, and kills it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use engross_store::files::{Ages, AppendFile, Precondition, Root};

use super::{path, staged, tree};

/// Names the root, and makes [`writer`] write.
const ROOT: &str = "ENGROSS_TEST_FILES_IN";

/// Numbers in a file.
const COUNT: u64 = 20_000;

fn bytes(number: u64) -> Vec<u8> {
    (0..COUNT + number % 7).flat_map(|_| number.to_le_bytes()).collect()
}

/// The number that `bytes` are made of, if they are whole.
fn number(found: &[u8]) -> Option<u64> {
    let number = u64::from_le_bytes(found.get(..8)?.try_into().ok()?);
    (found == bytes(number)).then_some(number)
}

#[test]
#[ignore = "the process that is killed: started by the test below"]
fn writer() {
    let Ok(root) = std::env::var(ROOT) else { return };
    let top = Root::open(Path::new(&root)).unwrap().top();
    let known = top.read(&path("written"), u64::MAX).unwrap();
    let first = known.map_or(0, |(found, _)| number(&found).unwrap());
    let spool = top.make_folder(&path("spool")).unwrap();
    let mut log = AppendFile::open(&top, &path("log")).unwrap();
    for number in first + 1.. {
        top.write(&path("written"), &bytes(number)[..], &Precondition::Any).unwrap();
        let mut file = spool.stage(&staged(&number.to_string())).unwrap();
        file.append(&bytes(number)).unwrap();
        file.commit(&top, &path("deep/er/staged"), &Precondition::Any).unwrap();
        log.append(format!("{number}\n").as_bytes()).unwrap();
        log.sync().unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nacknowledged {number}").and_then(|()| out.flush()).unwrap();
    }
}

#[test]
fn a_kill_leaves_old_or_new_bytes_and_residue_that_is_swept() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = 0;
    for millis in [0, 1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "disk::killed::writer", "--ignored", "--nocapture"])
            .env(ROOT, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut note = |line: String| {
            let number = line.strip_prefix("acknowledged ").map(|number| number.parse::<u64>().unwrap());
            acknowledged = number.unwrap_or(acknowledged);
            number.is_some()
        };
        assert!(lines.any(&mut note), "the writer has begun");
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        lines.for_each(|line| {
            note(line);
        });
        child.wait().unwrap();

        let top = Root::open(folder.path()).unwrap().top();
        let listing = top.list("", None, 99).unwrap();
        let listed: Vec<&str> = listing.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(listed, ["deep/er/staged", "log", "written"]);
        for name in ["written", "deep/er/staged"] {
            let (found, _) = top.read(&path(name), u64::MAX).unwrap().unwrap();
            let number = number(&found).unwrap_or_else(|| panic!("{name} is torn"));
            assert!(
                (acknowledged..=acknowledged + 1).contains(&number),
                "{name}: {number}, {acknowledged} known"
            );
        }
        let mut log = AppendFile::open(&top, &path("log")).unwrap();
        let last: u64 = String::from_utf8(log.last_line(20).unwrap().unwrap()).unwrap().parse().unwrap();
        assert!((acknowledged..=acknowledged + 1).contains(&last));
        top.sweep(u64::MAX, Ages::default()).unwrap();
        let left: Vec<String> = tree(folder.path()).into_keys().collect();
        assert_eq!(left, ["deep/", "deep/er/", "deep/er/staged", "log", "spool/", "written"]);
    }
    assert!(acknowledged > 12, "{acknowledged}");
}
