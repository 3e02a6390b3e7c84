#![expect(clippy::disallowed_methods, reason = "the tests look at the files that are read and written")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{ClientFolders, McpClient, ServerStart, print_server, with_server, without_server};

fn start(client: &McpClient) -> ServerStart {
    let roots = vec!["/home/ada/My contracts".to_owned()];
    client.start("/opt/engross".to_owned(), &roots).unwrap()
}

fn folders() -> ClientFolders {
    let at = PathBuf::from;
    ClientFolders {
        home: at("~"),
        config: at("~/.config"),
        applications: at("~/APPLICATIONS"),
        project: at("."),
    }
}

/// What each client gets, as one page; `ENGROSS_WRITE_GOLDEN=1` writes it.
#[test]
fn the_block_of_each_client() {
    let mut page = String::new();
    for client in McpClient::all() {
        let own = client.settings(&folders(), false).unwrap();
        let project = client.settings(&folders(), true).map(|path| path.display().to_string());
        let _ = writeln!(page, "== {} ({})", client.name, client.title);
        let _ = writeln!(page, "{}\nproject: {}", own.display(), project.as_deref().unwrap_or("-"));
        let usual = client.start("engross".to_owned(), &[]);
        let _ = writeln!(
            page,
            "without a folder: {}",
            usual.map_or("refused".to_owned(), |usual| usual.arguments.join(" "))
        );
        page.push_str(&print_server(client, &start(client)).unwrap());
        page.push('\n');
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients.txt");
    if std::env::var_os("ENGROSS_WRITE_GOLDEN").is_some() {
        std::fs::write(&golden, &page).unwrap();
    }
    assert_eq!(page, std::fs::read_to_string(golden).unwrap());
    assert!(McpClient::all().len() >= 10);
    assert!(McpClient::all().is_sorted_by_key(|client| client.name));
}

/// Settings that a person has, with comments, other servers, odd layout.
fn persons(client: &McpClient) -> &'static str {
    match client.name {
        "codex" => {
            "# mine\nmodel = \"o9\"   # the good one\n\n[mcp_servers.other] # keep\ncommand = 'x'\nargs = [ 'a',  'b' ]\n\n[tui]\ntheme = \"dark\"\n"
        }
        "opencode" => {
            "{\n    // mine\n    \"theme\": \"dark\",\n    \"mcp\": {\n        \"other\": { \"type\": \"local\",   \"command\": [\"x\"] }, /* keep */\n    }\n}"
        }
        "vscode" => {
            "{\n\t// mine\n\t\"inputs\": [],\n\t\"servers\": {\n\t\t\"other\": { \"command\":   \"x\" } // keep\n\t}\n}\n"
        }
        "zed" => {
            "// Zed settings\n//\n{\n  \"theme\": \"One Dark\", // mine\n  \"context_servers\": {},\n  /* keep */\n  \"vim_mode\": true,\n}\n"
        }
        _ => {
            "{\n  // mine\n  \"a\": 1,\n  \"mcpServers\": {\n    \"other\": { \"command\":   \"x\" } // keep\n  },\n  \"b\": [1,2,  3]\n}\n"
        }
    }
}

#[test]
fn only_our_entry_changes_and_twice_is_once() {
    for client in McpClient::all() {
        for before in [persons(client), "", &persons(client).replace('\n', "\r\n")] {
            let after = with_server(client, before, &start(client)).unwrap();
            assert_ne!(after, before);
            assert_eq!(with_server(client, &after, &start(client)).unwrap(), after, "{}", client.name);
            // Every line that was there is there, in order: but for a comma, nothing else came into it.
            let mut lines = after.lines();
            for line in before.lines() {
                let is_it = |other: &str| {
                    other == line || (line != other && other.replace(',', "") == line.replace(',', ""))
                };
                let opened = line.replace("{},", "{");
                assert!(
                    lines.any(|other| is_it(other) || other == opened),
                    "{}: {line:?} of\n{before}\nis not in\n{after}",
                    client.name
                );
            }
            let gone = without_server(client, &after).unwrap();
            assert!(!gone.contains("/opt/engross"), "{gone}");
            assert!(gone.contains("keep") == before.contains("keep"), "{gone}");
            assert_eq!(without_server(client, &gone).unwrap(), gone);
        }
    }
}

#[test]
fn what_a_person_added_to_our_entry_stays() {
    let client = McpClient::named("cline").unwrap();
    let before = "{\"mcpServers\": {\"engross\": {\"command\": \"old\", \"args\": [], \"autoApprove\": [\"read_document\"]}}}";
    let after = with_server(client, before, &start(client)).unwrap();
    assert!(
        after.contains("autoApprove") && after.contains("/opt/engross") && !after.contains("old"),
        "{after}"
    );
    let client = McpClient::named("codex").unwrap();
    let before = "[mcp_servers.engross]\ncommand = \"old\"\nstartup_timeout_sec = 20 # slow disk\n";
    let after = with_server(client, before, &start(client)).unwrap();
    assert!(after.contains("startup_timeout_sec = 20 # slow disk") && !after.contains("old"), "{after}");
}

#[test]
fn settings_that_cannot_be_read_stay_as_they_are() {
    for client in McpClient::all() {
        for broken in [
            "{\"mcpServers\": ",
            "[1, 2]",
            "mcp_servers = 3",
            "{\"mcpServers\": 3, \"servers\": 3, \"mcp\": 3, \"context_servers\": 3}",
        ] {
            with_server(client, broken, &start(client)).unwrap_err();
        }
    }
}
