//! The pane in Word on this machine: installed, served, looked after, and taken away without a trace.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Stdio;

use crate::desk::{ENGROSS, TestBench};

/// Every path beneath the home of a test with its mode.
fn everything(bench: &TestBench) -> Vec<(PathBuf, u32)> {
    let mut open = vec![bench.path(".")];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let mode = std::fs::symlink_metadata(&path).unwrap().permissions().mode() & 0o777;
            if path.is_dir() {
                open.push(path.clone());
            }
            found.push((path, mode));
        }
    }
    found.sort();
    found
}

/// A `certutil` that notes how it is called, and ends as the file `verdict` says.
fn with_fake_certutil(bench: TestBench) -> TestBench {
    let folder = bench.path("programs");
    std::fs::create_dir(&folder).unwrap();
    let program = folder.join("certutil");
    let log = folder.join("calls");
    let script = format!(
        // As the real one it makes no folder.
        "#!/bin/sh\nprintf '%s\\n' \"$*\" >> '{}'\n[ -d \"${{2#sql:}}\" ] || {{ echo SEC_ERROR_BAD_DATABASE >&2; exit 255; }}\n[ ! -e '{}' ] || {{ echo 'no such database' >&2; exit 255; }}\n",
        log.display(),
        folder.join("broken").display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path =
        format!("{}:{}", folder.display(), std::env::var_os("PATH").unwrap_or_default().to_string_lossy());
    bench.with_variable("PATH", &path)
}

fn calls(bench: &TestBench) -> Vec<String> {
    let text = std::fs::read_to_string(bench.path("programs/calls")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn it_is_installed_and_taken_away_without_a_trace() {
    let bench = with_fake_certutil(TestBench::new());
    let before = everything(&bench);
    let installed = bench.run(&["word", "install", "--data", "data", "--json"]);
    assert_eq!(installed.code, Some(0), "{installed:?}");
    let said = installed.json();
    assert_eq!(
        (&said["address"], &said["trusted"]),
        (&"https://localhost:18789/word/".into(), &false.into())
    );
    assert!(calls(&bench).is_empty(), "nobody is told to trust anything unasked");
    let mode = |name: &str| {
        std::fs::metadata(bench.path(&format!("data/word/{name}"))).unwrap().permissions().mode() & 0o777
    };
    assert_eq!((mode("key.pem"), mode(""), mode("word.json")), (0o600, 0o700, 0o600));
    // One key is there, and it is the server's: that of the authority is nowhere.
    let keys: Vec<PathBuf> = everything(&bench)
        .into_iter()
        .map(|(path, _)| path)
        .filter(|path| {
            path.is_file() && String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains("PRIVATE KEY")
        })
        .collect();
    assert_eq!(keys.len(), 1, "{keys:?}");
    assert!(keys[0].ends_with("key.pem"));

    // Once more is the same; another port is another manifest, and the same certificate.
    let certificate = bench.bytes("data/word/chain.pem");
    let again = bench.run(&["word", "install", "--data", "data", "--port", "4433", "--json"]);
    assert_eq!(again.json()["address"], "https://localhost:4433/word/");
    assert_eq!(bench.bytes("data/word/chain.pem"), certificate);
    let manifest = String::from_utf8(bench.bytes("data/word/manifest.xml")).unwrap();
    assert!(manifest.contains("https://localhost:4433/word/") && !manifest.contains("18789"), "{manifest}");
    let renewed = bench.run(&["word", "install", "--data", "data", "--renew"]);
    assert_eq!(renewed.code, Some(0), "{renewed:?}");
    assert_ne!(bench.bytes("data/word/chain.pem"), certificate);
    assert!(renewed.stdout.contains("engross serve --word"), "{}", renewed.stdout);

    let gone = bench.run(&["word", "uninstall", "--data", "data"]);
    assert_eq!(gone.code, Some(0), "{gone:?}");
    std::fs::remove_dir(bench.path("data")).unwrap();
    assert_eq!(everything(&bench), before, "nothing is left");
    let twice = bench.run(&["word", "uninstall", "--data", "data"]);
    assert_eq!(twice.code, Some(0), "{twice:?}");
    assert!(twice.stdout.contains("Nothing"), "{}", twice.stdout);
}

#[test]
#[cfg(target_os = "linux")]
fn trust_is_given_on_request_and_taken_back_with_the_rest() {
    let bench = with_fake_certutil(TestBench::new());
    let installed = bench.run(&["word", "install", "--data", "data", "--trust", "--json"]);
    assert_eq!(installed.json()["trusted"], true, "{installed:?}");
    let store = bench.path(".pki/nssdb");
    assert_eq!(std::fs::metadata(&store).unwrap().permissions().mode() & 0o777, 0o700);
    let given = calls(&bench);
    assert!(matches!(&given[..], [one] if one.contains("-A -t C,, -n engross on this machine")), "{given:?}");
    // A new certificate: the old one is not trusted any more.
    let renewed = bench.run(&["word", "install", "--data", "data", "--renew", "--trust"]);
    assert_eq!(renewed.code, Some(0), "{renewed:?}");
    assert!(calls(&bench)[1].contains("-D -n engross on this machine"), "{:?}", calls(&bench));
    // What the system does not take back is told, and can be tried again.
    std::fs::write(bench.path("programs/broken"), "").unwrap();
    let refused = bench.run(&["word", "uninstall", "--data", "data", "--json"]);
    assert_eq!((refused.code, &refused.json()["removed"]), (Some(1), &false.into()), "{refused:?}");
    assert!(refused.stdout.contains("no such database"), "{}", refused.stdout);
    std::fs::remove_file(bench.path("programs/broken")).unwrap();
    let gone = bench.run(&["word", "uninstall", "--data", "data", "--json"]);
    assert_eq!((gone.code, &gone.json()["removed"]), (Some(0), &true.into()), "{gone:?}");
    assert!(!bench.path("data/word").exists());
}

#[test]
fn the_doctor_says_what_is_missing() {
    let bench = TestBench::new();
    let nothing = bench.run(&["word", "doctor", "--data", "data"]);
    assert_eq!(nothing.code, Some(1), "{nothing:?}");
    assert!(nothing.stdout.contains("engross word install"), "{}", nothing.stdout);
    assert!(!bench.path("data").exists(), "one who looks makes nothing");
    assert_eq!(bench.run(&["word", "install", "--data", "data"]).code, Some(0));
    let verdict = |name: &str| {
        let told = bench.run(&["word", "doctor", "--data", "data", "--json"]).json();
        let checks = told["checks"].as_array().unwrap().clone();
        let check = checks.into_iter().find(|check| check["name"] == name).unwrap();
        (check["verdict"].as_str().unwrap().to_owned(), check["message"].as_str().unwrap().to_owned())
    };
    assert_eq!(verdict("certificate").0, "good");
    assert_eq!(verdict("manifest").0, "good");
    let (trust, why) = verdict("trust");
    assert!(trust == "bad" && why.contains("--trust"), "{why}");
    bench.put("data/word/manifest.xml", b"<x/>");
    assert_eq!(verdict("manifest").0, "bad");
    std::fs::set_permissions(bench.path("data/word/key.pem"), std::fs::Permissions::from_mode(0o644))
        .unwrap();
    assert_eq!(verdict("certificate").0, "bad");
    bench.put("data/word/word.json", b"{");
    assert_eq!(bench.run(&["word", "doctor", "--data", "data", "--json"]).error().1, "CONFIG_INVALID");
}

#[test]
fn the_server_speaks_https_with_it_where_word_looks() {
    let bench = TestBench::new();
    let refused = bench.run(&["serve", "--word", "--data", "data"]);
    assert!(refused.code == Some(2) && refused.stderr.contains("WORD_NOT_INSTALLED"), "{refused:?}");
    assert_eq!(bench.run(&["word", "install", "--data", "data"]).code, Some(0));
    let mut child = bench
        .command(ENGROSS)
        .args(["serve", "--word", "--data", "data", "--listen", "127.0.0.1:0", "--model", "rules"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let listening = lines.find(|line| line.starts_with("Listening at "));
    assert!(
        listening.as_deref().is_some_and(|line| line.starts_with("Listening at https://")),
        "{listening:?}"
    );
    let address = listening.unwrap();
    let port =
        address.trim_start_matches("Listening at https://127.0.0.1:").split('/').next().unwrap().to_owned();
    // One who trusts the authority, and nobody else, may speak with it by the name that Word has.
    let fetch = |arguments: &[&str]| {
        let mut command = bench.command("curl");
        command.args(["-s", "--max-time", "10", "-o", "page.html", "-w", "%{http_code}"]).args(arguments);
        command.arg(format!("https://localhost:{port}/word/")).output()
    };
    if let Ok(trusted) = fetch(&["--cacert", "data/word/authority.pem"]) {
        assert_eq!(String::from_utf8_lossy(&trusted.stdout), "200");
        assert!(String::from_utf8(bench.bytes("page.html")).unwrap().contains("office.js"));
        assert_ne!(String::from_utf8_lossy(&fetch(&[]).unwrap().stdout), "200");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn the_pane_for_a_web_server_is_a_folder_of_files() {
    let bench = TestBench::new();
    let arguments = ["word", "export", "-o", "site", "--address", "https://pane.example/word", "--json"];
    if !cfg!(feature = "word-engine") {
        assert_eq!(bench.run(&arguments).error().1, "FEATURE_LEFT_OUT");
        assert!(!bench.path("site").exists());
    }
    std::fs::create_dir(bench.path("engine")).unwrap();
    bench.put("engine/engine-worker.js", b"worker");
    bench.put("engine/engross_wasm_bg.wasm", b"module");
    let made = bench.run(&[&arguments[..], &["--engine", "engine"]].concat());
    assert_eq!(made.code, Some(0), "{made:?}");
    let page = String::from_utf8(bench.bytes("site/index.html")).unwrap();
    let policy = page.find("http-equiv=\"Content-Security-Policy\"").unwrap();
    assert!(policy < page.find("<script").unwrap() && policy < page.find("<link").unwrap(), "{page}");
    assert!(page.contains("name=\"engross-server\" content=\"none\""), "{page}");
    assert!(page.contains("default-src 'none'") && page.contains("https://api.anthropic.com"), "{page}");
    // Nothing in it leads to the root of the server.
    assert!(!page.contains("=\"/"), "{page}");
    assert_eq!(bench.bytes("site/engross_wasm_bg.wasm"), b"module");
    let manifest = String::from_utf8(bench.bytes("site/manifest.xml")).unwrap();
    assert!(
        manifest.contains("\"https://pane.example/word/\"") && !manifest.contains("localhost"),
        "{manifest}"
    );
    for name in [
        "taskpane.js",
        "taskpane.css",
        "policy.js",
        "icon-80.png",
        "unified/manifest.json",
        "unified/icon-192.png",
    ] {
        assert!(bench.path(&format!("site/{name}")).is_file(), "{name}");
    }
    assert_eq!(
        bench.run(&["word", "export", "-o", "x", "--address", "http://pane.example", "--json"]).error().1,
        "USAGE"
    );
}
