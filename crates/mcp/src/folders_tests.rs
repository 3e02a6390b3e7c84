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

/// Names that models write anew: composed otherwise, with other capitals, blanks, quotes and dashes.
#[test]
fn a_name_that_looks_the_same_means_the_only_one_that_does() {
    let folder = tempfile::tempdir().unwrap();
    let deals = folder.path().join("Vertra\u{308}ge");
    std::fs::create_dir(&deals).unwrap();
    for name in ["Müller\u{a0}–\u{202f}Ada’s Entwurf.docx", "a.docx"] {
        std::fs::write(deals.join(name), b"x").unwrap();
    }
    let folders = folders(&[folder.path()]);
    let meant = |text: &str| folders.meant(folders.locate(text).unwrap()).path.as_str().to_owned();
    for text in ["Verträge/Müller - Ada's Entwurf.docx", "verträge/Mu\u{308}ller – Ada’s entwurf.DOCX"]
    {
        assert_eq!(meant(text), "Vertra\u{308}ge/Müller\u{a0}–\u{202f}Ada’s Entwurf.docx", "{text}");
    }
    assert_eq!(meant("Verträge/b.docx"), "Verträge/b.docx");
    if cfg!(target_os = "linux") {
        std::fs::write(deals.join("A.docx"), b"x").unwrap();
        assert_eq!(meant("Verträge/A.DOCX"), "Verträge/A.DOCX", "two look like it");
    }
}

#[test]
fn documents_of_folders_are_found_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "2024/leases/Office lease.docx",
        "2024/~$Office lease.docx",
        "2024/a.txt",
        ".hidden/b.docx",
        "node_modules/c.docx",
        "nda.docx",
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, b"x").unwrap();
    }
    let folders = folders(&[folder.path()]);
    for text in [".", "./", &folder.path().display().to_string()] {
        let list = folders.listing(text).unwrap();
        assert!(
            list.contains("2 Word documents:\nnda.docx\n2024/leases/Office lease.docx\n"),
            "{text}: {list}"
        );
    }
    assert!(folders.listing("2024/").unwrap().contains("1 Word document:\n2024/leases/Office lease.docx\n"));
    assert!(folders.listing("nda.docx").is_none() && folders.listing("none").is_none());
    assert!(folders.listing("..").is_none() && folders.listing("/").is_none());
    let top = engross_store::files::Root::open(folder.path()).unwrap().top();
    let workspaces = AllowedFolders::Workspaces(top);
    assert!(workspaces.listing("2024").unwrap().contains("\n2024/leases/Office lease.docx\n"));
    assert!(workspaces.listing("2024/leases").unwrap().contains("\n2024/leases/Office lease.docx\n"));
    for text in [".", "", "/", "..", ".hidden", "none", "nda.docx"] {
        assert!(workspaces.listing(text).is_none(), "{text}");
    }
    let missing = folders.missing(&folders.locate("lease.docx").unwrap()).message;
    assert!(missing.contains("there are: 2024/leases/Office lease.docx, nda.docx"), "{missing}");
}
