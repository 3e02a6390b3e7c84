#![expect(clippy::disallowed_methods, reason = "the tests look at the files that are read and written")]

use std::path::Path;

use crate::folders::AllowedFolders;

fn folders(paths: &[&Path]) -> AllowedFolders {
    AllowedFolders::open(&paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>()).unwrap()
}

fn located(folders: &AllowedFolders, text: &str) -> Result<String, String> {
    folders
        .locate(text)
        .map(|place| place.path.as_str().to_owned())
        .map_err(|failure| format!("{}: {}", failure.code, failure.message))
}

#[test]
fn every_spelling_of_a_path_beneath_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    let folders = folders(&[folder.path()]);
    let shown = real.display();
    for text in [
        "deals/nda 1.docx".to_owned(),
        "./deals//x/../nda 1.docx".to_owned(),
        format!("{shown}/deals/nda 1.docx"),
        format!("{shown}/../{}/deals/nda 1.docx", real.file_name().unwrap().display()),
        format!("file://{shown}/deals/nda%201.docx"),
        format!("FILE://localhost{shown}/deals/nda%201.docx"),
        " deals/nda 1.docx ".to_owned(),
    ] {
        assert_eq!(located(&folders, &text).as_deref(), Ok("deals/nda 1.docx"), "{text}");
    }
}

#[test]
fn nothing_leads_out() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("served");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(folder.path().join("secret.docx"), b"x").unwrap();
    let folders = folders(&[&inner]);
    let shown = inner.display();
    for text in [
        "../secret.docx".to_owned(),
        "a/../../secret.docx".to_owned(),
        "/etc/passwd".to_owned(),
        format!("{shown}/../secret.docx"),
        format!("{shown}-other/secret.docx"),
        format!("file://{shown}/../secret.docx"),
        "file:///etc/passwd".to_owned(),
        "file://server/share/secret.docx".to_owned(),
        "//server/share/secret.docx".to_owned(),
        "\\\\server\\share\\secret.docx".to_owned(),
        "C:\\secret.docx".to_owned(),
        "c:secret.docx".to_owned(),
    ] {
        let refused = located(&folders, &text).unwrap_err();
        assert!(refused.starts_with("PATH_OUTSIDE_ROOT"), "{text}: {refused}");
        assert!(refused.contains(&shown.to_string()), "{text}: {refused}");
    }
    for text in ["", "  ", "a\u{0}b.docx", "deals/"] {
        located(&folders, text).unwrap_err();
    }
}

#[test]
fn of_folders_in_one_another_the_innermost() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let folders = folders(&[folder.path(), &inner]);
    assert_eq!(located(&folders, &inner.join("a.docx").display().to_string()).as_deref(), Ok("a.docx"));
    assert_eq!(
        located(&folders, &folder.path().join("b.docx").display().to_string()).as_deref(),
        Ok("b.docx")
    );
}

#[test]
fn a_whole_machine_or_home_is_not_served_by_accident() {
    let folder = tempfile::tempdir().unwrap();
    let home = Some(folder.path());
    for wide in [Path::new("/"), folder.path()] {
        assert_eq!(AllowedFolders::usual(wide, home).unwrap_err().code, "FOLDER_TOO_WIDE");
    }
    let deals = folder.path().join("deals");
    std::fs::create_dir(&deals).unwrap();
    assert!(AllowedFolders::usual(&deals, home).is_ok());
    assert!(AllowedFolders::open(&[folder.path().join("none")]).is_err());
}
