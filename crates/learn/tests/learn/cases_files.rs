//! What must happen with files, by the number of the case.

use std::path::Path;

use engross_learn::Error;
use engross_learn::agents_md::{BlockWarning, MarkerMode};
use engross_learn::disk::{BookFile, folder_of, sync_files};
use engross_learn::run::{SessionOutcome, SkillCounts};

use super::home::{Home, LATER, outcomes, said, stumbling, transcript, user};

const INNER: &str = "## Learned Strategies\n\n- [a-00001] Stat a path\n";

fn sync(path: &Path) -> Result<engross_learn::disk::BlockSync, Error> {
    sync_files(&[path.to_owned()], Some(INNER), MarkerMode::Strict, false).map(|mut synced| synced.remove(0))
}

#[cfg(unix)]
#[test]
fn case_23_what_is_no_ordinary_file_is_not_opened() {
    let home = Home::new();
    let path = |name: &str| home.sessions().join(name);
    std::fs::create_dir(path("folder.jsonl")).unwrap();
    std::os::unix::fs::symlink(path("loop.jsonl"), path("loop.jsonl")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", path("zero.jsonl")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(path("pipe.jsonl")).status();
    assert!(made.is_ok_and(|status| status.success()));
    home.write("a.jsonl", stumbling("a"));
    home.write("sessions.json", "{}");
    home.write("old.jsonl.reset.2026-01-01", stumbling("old"));
    let report = home.learn();
    assert_eq!(
        outcomes(&report),
        [
            ("folder.jsonl", "failed"),
            ("loop.jsonl", "failed"),
            ("pipe.jsonl", "failed"),
            ("zero.jsonl", "failed"),
            ("a.jsonl", "learnt")
        ]
    );
}

#[test]
fn case_24_a_file_that_went_away_is_told() {
    let home = Home::new();
    let gone = home.sessions().join("gone.jsonl");
    let input = engross_learn::run::SessionSource::Files(vec![gone]);
    let report = home.learn_with(engross_learn::run::Reflector::Rules, &input).unwrap();
    assert!(
        matches!(&report.sessions[0].outcome, SessionOutcome::Failed { code, .. } if code == "READ_FAILED")
    );
}

#[test]
fn case_26_a_file_that_was_replaced_is_read_from_its_beginning() {
    let home = Home::new();
    home.write("a.jsonl", stumbling("a"));
    home.learn();
    let other = transcript("a", &[user("No more")]).replace("/w", "/elsewhere");
    home.write("a.jsonl", format!("{other}{}", super::home::entry("a", 1, &said("x"))));
    assert_eq!(outcomes(&home.learn()), [("a.jsonl", "learnt")]);
}

/// The same beginning, another course: only what stands before the place that was read to tells them apart.
#[test]
fn case_26_a_file_that_was_written_anew_behind_its_first_line_is_read_from_its_beginning() {
    let home = Home::new();
    home.write("a.jsonl", transcript("a", &[user("Old question"), said("Old answer")]));
    home.learn();
    let fresh = stumbling("a");
    home.write("new", fresh);
    std::fs::rename(home.sessions().join("new"), home.sessions().join("a.jsonl")).unwrap();
    assert_eq!(outcomes(&home.learn()), [("a.jsonl", "learnt")]);
    let book = home.book();
    assert_eq!(book.skills().next().unwrap().sources[0].trace, "a", "the whole session, not its end");
}

/// A file that was copied keeps its bytes under another number: nothing is new in it.
#[test]
fn case_26_a_copy_of_what_was_read_is_read_and_nothing_is_new() {
    let home = Home::new();
    home.write("a.jsonl", stumbling("a"));
    home.learn();
    std::fs::copy(home.sessions().join("a.jsonl"), home.sessions().join("copy")).unwrap();
    std::fs::rename(home.sessions().join("copy"), home.sessions().join("a.jsonl")).unwrap();
    let report = home.learn();
    assert_eq!(outcomes(&report), [("a.jsonl", "skipped")]);
    assert!(
        matches!(&report.sessions[0].outcome, SessionOutcome::Skipped { reason } if reason == "nothing is new")
    );
}

/// Permissions stop nobody who is root, so a file that fails at its first byte stands in for one.
#[cfg(target_os = "linux")]
#[test]
fn case_25_a_file_that_cannot_be_read_is_told_and_the_others_go_on() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    home.write("a.jsonl", stumbling("a"));
    std::os::unix::fs::symlink("/proc/self/mem", home.sessions().join("b.jsonl")).unwrap();
    home.write("c.jsonl", stumbling("c"));
    home.write("locked.jsonl", stumbling("d"));
    let locked = home.sessions().join("locked.jsonl");
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o000)).unwrap();
    let of_locked = if std::fs::File::open(&locked).is_ok() { "learnt" } else { "failed" };
    let report = home.learn();
    assert_eq!(
        outcomes(&report),
        [("a.jsonl", "learnt"), ("b.jsonl", "failed"), ("c.jsonl", "learnt"), ("locked.jsonl", of_locked)]
    );
    assert!(
        matches!(&report.sessions[1].outcome, SessionOutcome::Failed { code, .. } if code == "READ_FAILED")
    );
    assert!(home.book().count(engross_learn::skillbook::SkillStatus::Active) > 0);
}

#[test]
fn case_84_what_does_not_fit_stands_in_the_file_that_the_block_names() {
    let mut book = engross_learn::skillbook::Book::default();
    for number in 0..200 {
        book.apply(engross_learn::skillbook::journal::Record::Put(Box::new(
            engross_learn::skillbook::Skill {
                id: format!("a-{number:05}"),
                content: format!("Look at part{number} before touching piece{number} of the machine"),
                status: engross_learn::skillbook::SkillStatus::Active,
                is_pinned: number == 150,
                ..Default::default()
            },
        )));
    }
    let block = engross_learn::run::block(&book, 500, LATER, "ace_skillbook.md");
    let inner = block.inner.unwrap();
    assert!(block.shown > 10 && block.shown + block.left_out == 200, "{}", block.shown);
    assert!(inner.contains("a-00150"), "what matters most is shown");
    assert!(inner.contains(&format!("{} more lessons stand in ace_skillbook.md", block.left_out)));
    assert!(inner.len() < 500 * 4 + 1_000, "{}", inner.len());
    assert_eq!(
        engross_learn::skillbook::markdown(&book).matches("\n### a-").count(),
        200,
        "and there they are"
    );
}

#[test]
fn case_58_a_book_that_cannot_be_read_is_kept_aside_and_never_written_over() {
    let home = Home::new();
    home.write("a.jsonl", stumbling("a"));
    std::fs::create_dir_all(home.folder.path().join("workspace")).unwrap();
    std::fs::write(home.paths().json, "{\"skills\": {").unwrap();
    let error = BookFile::open(home.paths()).unwrap_err();
    let Error::Invalid { kept, .. } = error else { panic!("{error:?}") };
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "{\"skills\": {");
    assert_eq!(std::fs::read_to_string(home.paths().json).unwrap(), "{\"skills\": {");
}

#[test]
fn a_damaged_journal_is_refused_and_left() {
    let home = Home::new();
    home.write("a.jsonl", stumbling("a"));
    home.learn();
    let mut bytes = std::fs::read(home.paths().journal()).unwrap();
    bytes[3] = b'!';
    std::fs::write(home.paths().journal(), &bytes).unwrap();
    let error = BookFile::open(home.paths()).unwrap_err();
    assert!(matches!(error, Error::Damaged { line: 1, .. }), "{error:?}");
    assert_eq!(std::fs::read(home.paths().journal()).unwrap(), bytes);
}

#[test]
fn a_book_of_another_program_is_taken_over() {
    let home = Home::new();
    std::fs::create_dir_all(home.folder.path().join("workspace")).unwrap();
    let theirs = r#"{"skills":{"err-00007":{"id":"err-00007","section":"err","content":"Stat a path","helpful":3,"harmful":0,"neutral":0}},"sections":{"err":["err-00007"]},"next_id":7}"#;
    std::fs::write(home.paths().json, theirs).unwrap();
    home.write("a.jsonl", stumbling("a"));
    let report = home.learn();
    assert_eq!(report.before, SkillCounts { active: 1, ..SkillCounts::default() });
    assert_eq!(home.book().get("err-00007").unwrap().total().helpful, 3);
    assert!(home.book().get("tool_read-81311567").is_some());
}

#[test]
fn case_79_an_agents_id_leads_nowhere_else() {
    for id in ["../x", "", ".", "..", "a/b", "a\\b", "/etc", "a\0"] {
        assert!(matches!(folder_of(Path::new("/home"), id), Err(Error::AgentInvalid { .. })), "{id:?}");
    }
    assert_eq!(folder_of(Path::new("/h"), "main").unwrap(), Path::new("/h/agents/main/sessions"));
}

#[test]
fn case_81_an_unchanged_block_leaves_the_file_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("AGENTS.md");
    std::fs::write(&path, "# Mine\n").unwrap();
    assert!(sync(&path).unwrap().is_changed);
    let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
    assert!(!sync(&path).unwrap().is_changed);
    assert_eq!(std::fs::metadata(&path).unwrap().modified().unwrap(), modified);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[cfg(unix)]
#[test]
fn case_82_a_read_only_file_is_an_error_and_stays() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("AGENTS.md");
    std::fs::write(&path, "# Mine\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    assert!(matches!(sync(&path), Err(Error::WriteFailed { .. })));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# Mine\n");
}

#[cfg(unix)]
#[test]
fn mode_and_link_stay_and_a_file_is_written_once() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (real, link, hard) =
        (folder.path().join("AGENTS.md"), folder.path().join("CLAUDE.md"), folder.path().join("GEMINI.md"));
    std::fs::write(&real, "# Mine\n").unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("AGENTS.md", &link).unwrap();
    let paths = [link.clone(), real.clone(), hard];
    let synced = sync_files(&paths, Some(INNER), MarkerMode::Strict, false).unwrap();
    assert_eq!(synced.len(), 2, "the link and the file are one");
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(std::fs::read_to_string(&real).unwrap().matches("START").count(), 1);
}

#[test]
fn case_83_two_writers_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("AGENTS.md");
    std::fs::write(&path, "# Mine\n").unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = path.clone();
            scope.spawn(move || {
                for turn in 0..10 {
                    let inner = format!("writer {writer} turn {turn}\n");
                    sync_files(std::slice::from_ref(&path), Some(&inner), MarkerMode::Strict, false).unwrap();
                }
            });
        }
    });
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("# Mine\n\n<!-- ACE:SKILLBOOK:START -->"));
    assert_eq!((text.matches("START").count(), text.matches(":END").count()), (1, 1));
    let synced = sync(&path).unwrap();
    assert_eq!(synced.warnings, [], "no write was torn");
}

#[test]
fn case_85_a_persons_changes_inside_the_block_are_kept_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("AGENTS.md");
    sync(&path).unwrap();
    let edited = std::fs::read_to_string(&path).unwrap().replace("Stat a path", "My own words");
    std::fs::write(&path, edited).unwrap();
    let synced = sync(&path).unwrap();
    assert_eq!(synced.warnings, [BlockWarning::EditedInside]);
    assert!(std::fs::read_to_string(&synced.kept[0]).unwrap().contains("My own words"));
}

#[test]
fn a_dry_sync_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/AGENTS.md");
    let synced = sync_files(&[path], Some(INNER), MarkerMode::Strict, true).unwrap();
    assert!(synced[0].is_changed);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn a_pipe_and_a_link_that_leads_nowhere_are_no_instructions() {
    let home = Home::new();
    let (pipe, link) = (home.folder.path().join("AGENTS.md"), home.folder.path().join("CLAUDE.md"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::os::unix::fs::symlink("/nowhere/at/all.md", &link).unwrap();
    for path in [pipe, link.clone()] {
        assert!(sync_files(&[path], Some("x\n"), MarkerMode::Strict, false).is_err());
    }
    assert!(link.is_symlink(), "it is left as it was");
}

#[cfg(unix)]
#[test]
fn files_of_a_skillbook_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    home.write("a.jsonl", stumbling("a"));
    home.learn();
    for path in [home.paths().json, home.paths().journal(), home.paths().markdown()] {
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600,
            "{}",
            path.display()
        );
    }
}
