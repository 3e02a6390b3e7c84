//! Where results go, and what happens when they cannot.

use serde_json::json;

use crate::desk::{DATE, ENGROSS, TestBench, example_argument, ran};

#[test]
fn in_place_replaces_the_document_with_the_same_bytes_as_elsewhere() {
    let desk = TestBench::new();
    let ops = example_argument("operations/nda.json");
    let report = desk.run(&["apply", "nda.docx", &ops, "--date", DATE, "-o", "out.docx", "--json"]).json();
    assert_eq!(report["output"], "out.docx");
    let report = desk.run(&["apply", "nda.docx", &ops, "--date", DATE, "--in-place", "--json"]).json();
    assert_eq!(report["output"], "nda.docx");
    assert_eq!(desk.sha256("nda.docx"), desk.sha256("out.docx"));
    assert_eq!(desk.names(), ["nda.docx", "out.docx"]);
}

#[test]
fn an_existing_output_is_replaced() {
    let desk = TestBench::new();
    desk.put("out.docx", b"something else");
    desk.run(&["accept", "nda.docx", "-o", "out.docx"]);
    assert_eq!(desk.run(&["revisions", "out.docx", "--json"]).json(), json!({"revisions": []}));
}

#[test]
fn the_document_is_never_the_output() {
    let desk = TestBench::new();
    let ops = example_argument("operations/nda.json");
    for output in ["nda.docx", "./nda.docx", desk.path("nda.docx").to_str().unwrap()] {
        for command in [
            vec!["apply", "nda.docx", &ops],
            vec!["edit", "nda.docx", "delete paragraph 4"],
            vec!["accept", "nda.docx"],
        ] {
            let arguments = [command, vec!["-o", output, "--json"]].concat();
            assert_eq!(desk.refuses(&arguments), (2, "OUTPUT_IS_INPUT".to_owned()), "{arguments:?}");
        }
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(desk.path("nda.docx"), desk.path("soft.docx")).unwrap();
        std::fs::hard_link(desk.path("nda.docx"), desk.path("hard.docx")).unwrap();
        for output in ["soft.docx", "hard.docx"] {
            let arguments = ["accept", "nda.docx", "-o", output, "--json"];
            assert_eq!(desk.refuses(&arguments), (2, "OUTPUT_IS_INPUT".to_owned()), "{output}");
        }
    }
}

#[test]
fn what_cannot_be_written_leaves_nothing() {
    let desk = TestBench::new();
    std::fs::create_dir(desk.path("folder")).unwrap();
    for output in ["folder", "none/out.docx"] {
        let arguments = ["accept", "nda.docx", "-o", output, "--json"];
        assert_eq!(desk.refuses(&arguments), (5, "WRITE_FAILED".to_owned()), "{output}");
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_and_spoils_nothing() {
    let desk = TestBench::new();
    let ops = example_argument("operations/nda.json");
    let before = desk.files();
    // The shell lets no process write a file beyond a few blocks.
    // In place, it is the checkpoint before that finds no room.
    for (last, code) in [(["-o", "out.docx"], "[DISK_FULL]"), (["--in-place", "--json"], "[NO_SPACE]")] {
        let limited = desk
            .command("sh")
            .args(["-c", "ulimit -f 2; exec \"$0\" \"$@\"", ENGROSS, "apply", "nda.docx", &ops])
            .args(last)
            .output()
            .unwrap();
        let ran = ran(limited);
        assert_eq!(ran.code, Some(5), "{ran:?}");
        assert!(ran.stderr.contains(code), "{ran:?}");
        assert_eq!(desk.files(), before);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_may_not_be_written_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let desk = TestBench::new();
    let Some(mut nobody) = crate::bad_input::unprivileged(&desk) else { return };
    std::fs::create_dir(desk.path("closed")).unwrap();
    std::fs::set_permissions(desk.path("closed"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let ran = ran(nobody.args(["accept", "nda.docx", "-o", "closed/out.docx", "--json"]).output().unwrap());
    assert_eq!(ran.error(), (5, "WRITE_FAILED".to_owned()));
}

#[cfg(unix)]
mod owners {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    use super::*;
    use crate::desk::Ran;

    const IN_PLACE: [&[&str]; 4] = [
        &["apply", "nda.docx", "ops.json", "--in-place"],
        &["edit", "nda.docx", "delete paragraph 4", "--model", "rules", "--in-place"],
        &["accept", "nda.docx", "--in-place"],
        &["checkpoint", "nda.docx", "restore", "1"],
    ];

    fn desk() -> TestBench {
        let desk = TestBench::new();
        let operation = json!([{"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"}]);
        desk.put("ops.json", operation.to_string().as_bytes());
        desk
    }

    fn state(desk: &TestBench, name: &str) -> (u32, u32, u32) {
        let metadata = std::fs::metadata(desk.path(name)).unwrap();
        (metadata.uid(), metadata.gid(), metadata.mode() & 0o7777)
    }

    fn done(ran: &Ran) {
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }

    #[test]
    fn in_place_keeps_owner_group_and_mode() {
        let desk = desk();
        // Only root may give files away.
        if chown(desk.path("nda.docx"), Some(1234), Some(4321)).is_err() {
            return;
        }
        std::fs::set_permissions(desk.path("nda.docx"), std::fs::Permissions::from_mode(0o640)).unwrap();
        for arguments in IN_PLACE {
            let before = desk.sha256("nda.docx");
            done(&desk.run(arguments));
            assert_eq!(state(&desk, "nda.docx"), (1234, 4321, 0o640), "{arguments:?}");
            assert_ne!(desk.sha256("nda.docx"), before, "{arguments:?}");
        }
        // A file that -o replaces keeps its own.
        desk.put("out.docx", b"something else");
        chown(desk.path("out.docx"), Some(1), Some(2)).unwrap();
        done(&desk.run(&["accept", "nda.docx", "-o", "out.docx"]));
        assert_eq!(state(&desk, "out.docx").0, 1);
        assert_eq!(state(&desk, "out.docx").1, 2);
    }

    /// The owner cannot be kept, nor a group of others: then its members have the rights of all others, and no more.
    #[test]
    fn without_the_right_to_give_files_away_nobody_gets_a_right() {
        let desk = desk();
        let Some(mut nobody) = crate::bad_input::unprivileged(&desk) else { return };
        if chown(desk.path("nda.docx"), Some(0), Some(0)).is_err() {
            return;
        }
        std::fs::set_permissions(desk.path(""), std::fs::Permissions::from_mode(0o777)).unwrap();
        std::fs::set_permissions(desk.path("nda.docx"), std::fs::Permissions::from_mode(0o6664)).unwrap();
        done(&ran(nobody.args(IN_PLACE[0]).output().unwrap()));
        assert_eq!(state(&desk, "nda.docx"), (65534, 65534, 0o644));
    }

    #[test]
    fn in_place_replaces_what_a_link_leads_to_and_leaves_other_names_their_bytes() {
        let desk = desk();
        std::fs::create_dir(desk.path("real")).unwrap();
        std::fs::rename(desk.path("nda.docx"), desk.path("real/nda.docx")).unwrap();
        symlink("real/nda.docx", desk.path("nda.docx")).unwrap();
        std::fs::hard_link(desk.path("real/nda.docx"), desk.path("hard.docx")).unwrap();
        let before = desk.bytes("hard.docx");
        done(&desk.run(IN_PLACE[0]));
        assert!(desk.path("nda.docx").is_symlink());
        assert_ne!(desk.bytes("real/nda.docx"), before);
        assert_eq!(desk.bytes("hard.docx"), before);
        // The checkpoint belongs to the file, by whichever name.
        let listed = desk.run(&["checkpoint", "real/nda.docx", "--json"]).json();
        assert_eq!(listed["checkpoints"].as_array().unwrap().len(), 1);
    }
}
