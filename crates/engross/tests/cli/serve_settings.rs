//! `[serve]`: every flag can be set in the file and in the environment, and what is misspelt keeps the server from starting.

use crate::desk::{ENGROSS, TestBench};
use crate::serve::Server;

const GUIDE: &str = include_str!("../../../../docs/guide/serve.md");

/// The table in the sources, as names.
fn rows() -> Vec<String> {
    let source = include_str!("../../../compose/src/settings/serve_rows.rs");
    let table = source.split("pub const ROWS").nth(1).unwrap().split("];").next().unwrap();
    table.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_flag_is_a_setting_and_every_setting_is_in_the_guide() {
    let help = TestBench::new().run(&["serve", "--help"]).stdout;
    let flags: Vec<String> = help
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("--")?.split([' ', '<']).next().map(str::to_owned))
        .collect();
    let rows = rows();
    assert!(rows.len() > 20 && flags.len() > 10, "{rows:?} {flags:?}");
    for flag in flags.iter().filter(|flag| !["config", "model", "help", "version"].contains(&flag.as_str())) {
        assert!(rows.contains(&flag.replace('-', "_")), "--{flag} cannot be set in the file");
    }
    for row in rows {
        assert!(GUIDE.contains(&format!("`{row}`")), "{row} is not in docs/guide/serve.md");
    }
}

#[test]
fn the_file_and_the_environment_set_what_flags_do() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::write(
        path.join("engross.toml"),
        "[serve]\ndata = \"here\"\ntoken = \"of-file\"\nmax_body_mib = 1\n",
    )
    .unwrap();
    let config = path.join("engross.toml");
    let start = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut all = vec!["--model", "rules", "--config", config.to_str().unwrap()];
        all.extend(arguments);
        Server::try_start_with(path, &all, variables)
    };
    let status = |server: &Server, token: &str, body: &[u8]| {
        let authorization = format!("Bearer {token}");
        server.send("POST", "/v1/responses", &[("authorization", &authorization)], body).unwrap().0
    };
    let server = start(&[], &[]).unwrap();
    assert_eq!(status(&server, "of-file", br#"{"input":"hi"}"#), 200);
    assert_eq!(status(&server, "other", br#"{"input":"hi"}"#), 401);
    assert_eq!(status(&server, "of-file", &vec![b' '; 2 << 20]), 413, "the bound of the file holds");
    drop(server);
    // The environment goes before the file, the flag before both.
    let server = start(&[], &[("ENGROSS_TOKEN", "of-environment")]).unwrap();
    assert_eq!(status(&server, "of-environment", br#"{"input":"hi"}"#), 200);
    drop(server);
    let server = start(&["--token", "of-flag"], &[("ENGROSS_TOKEN", "of-environment")]).unwrap();
    assert_eq!(status(&server, "of-flag", br#"{"input":"hi"}"#), 200);
}

#[test]
fn what_is_misspelt_keeps_the_server_from_starting() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("engross.toml");
    let start = |text: &str, variables: &[(&str, &str)]| {
        std::fs::write(&config, text).unwrap();
        let config = config.to_str().unwrap();
        Server::try_start_with(folder.path(), &["--model", "rules", "--config", config], variables)
            .err()
            .unwrap()
    };
    for (text, expected) in [
        ("[serve]\ntls_crt = \"x\"", "did you mean 'tls_cert'?"),
        ("[serve]\nmax_turns = 0", "a whole number from 1"),
        ("[serve]\nmax_turns = \"many\"", "a whole number from 1"),
        ("[serve]\nstrict_models = \"perhaps\"", "true or false"),
        ("[serve]\nlisten = \"here\"", "an address and a port"),
        ("[serve]\ncors = 3", "a list"),
        ("serve = 3", "[serve]"),
        ("[serve]\ntoken = \" \"", "token"),
        ("[serve]\ntls_cert = \"x.pem\"", "--tls-key"),
    ] {
        let said = start(text, &[]);
        assert!(said.contains(expected), "{text}: {said}");
    }
    let said = start("", &[("ENGROSS_SERVE_TLS_CRT", "x")]);
    assert!(said.contains("ENGROSS_SERVE_TLS_CRT") && said.contains("tls_cert"), "{said}");
    let said = start("", &[("ENGROSS_TOKEN", " ")]);
    assert!(said.contains("blank") || said.contains("text"), "{said}");
    assert!(!ENGROSS.is_empty());
}
