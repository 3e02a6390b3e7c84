//! Where results go, and what happens when they cannot.

use serde_json::json;

use crate::desk::{DATE, Desk, ENGROSS, example_argument, ran};

#[test]
fn in_place_replaces_the_document_with_the_same_bytes_as_elsewhere() {
    let desk = Desk::new();
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
    let desk = Desk::new();
    desk.put("out.docx", b"something else");
    desk.run(&["accept", "nda.docx", "-o", "out.docx"]);
    assert_eq!(desk.run(&["revisions", "out.docx", "--json"]).json(), json!({"revisions": []}));
}

#[test]
fn the_document_is_never_the_output() {
    let desk = Desk::new();
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
    let desk = Desk::new();
    std::fs::create_dir(desk.path("folder")).unwrap();
    for output in ["folder", "none/out.docx"] {
        let arguments = ["accept", "nda.docx", "-o", output, "--json"];
        assert_eq!(desk.refuses(&arguments), (5, "WRITE_FAILED".to_owned()), "{output}");
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_nothing_and_spoils_nothing() {
    let desk = Desk::new();
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
    let desk = Desk::new();
    let Some(mut nobody) = crate::bad_input::unprivileged(&desk) else { return };
    std::fs::create_dir(desk.path("closed")).unwrap();
    std::fs::set_permissions(desk.path("closed"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let ran = ran(nobody.args(["accept", "nda.docx", "-o", "closed/out.docx", "--json"]).output().unwrap());
    assert_eq!(ran.error(), (5, "WRITE_FAILED".to_owned()));
}
