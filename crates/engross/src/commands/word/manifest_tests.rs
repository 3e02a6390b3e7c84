//! The manifests for other addresses than that of the repository.

use super::manifest::{ID, PaneAddress};

/// All addresses in a manifest that lead to a machine of ours.
fn addresses(text: &str) -> Vec<String> {
    let ours = |url: &&str| {
        !url.contains("schemas.microsoft.com")
            && !url.contains("www.w3.org")
            && !url.contains("developer.microsoft.com")
    };
    text.split('"').filter(|part| part.contains("://")).filter(ours).map(str::to_owned).collect()
}

#[test]
fn another_port_stands_wherever_the_usual_one_did() {
    let address = PaneAddress::local(4433);
    for text in [address.xml(), address.json()] {
        assert!(text.contains(ID) && !text.contains("18789"), "{text}");
        let all = addresses(&text);
        assert!(
            all.len() >= 8 && all.iter().all(|url| url.starts_with("https://localhost:4433/")),
            "{all:?}"
        );
    }
    assert!(address.json().contains("\"localhost:4433\""));
    // The usual address gives the files of the repository, byte for byte.
    let usual = PaneAddress::local(18789);
    assert_eq!(usual.xml(), include_str!("../../../../../web/taskpane/manifest.xml"));
    assert_eq!(usual.json(), include_str!("../../../../../web/taskpane/manifest.json"));
}

#[test]
fn a_folder_of_a_web_server_has_pane_and_icons() {
    let address = PaneAddress::hosted("https://pane.example.org/tools/word").unwrap();
    assert_eq!(address.pane, "https://pane.example.org/tools/word/");
    for text in [address.xml(), address.json()] {
        let all = addresses(&text);
        assert!(
            !all.is_empty() && all.iter().all(|url| url.starts_with("https://pane.example.org/tools/word/")),
            "{all:?}"
        );
        assert!(!text.contains("localhost"), "{text}");
    }
    assert!(address.xml().contains("https://pane.example.org/tools/word/icon-16.png"));
    assert!(address.json().contains("\"pane.example.org\""));
    assert_eq!(PaneAddress::hosted("https://h:8443").unwrap().pane, "https://h:8443/");
}

#[test]
fn what_is_no_address_is_refused() {
    for wrong in [
        "",
        "http://pane.example/",
        "https://",
        "https:///x",
        "https://a b/",
        "https://a/\"><x",
        "https://a/?q",
        "https://a:x/",
        "https://a:99999/",
        "https://a..b/",
        "https://a//b/",
        "https://a/b:c",
        "javascript:alert(1)",
        "https://ex\u{e4}mple/",
    ] {
        let failure = PaneAddress::hosted(wrong).unwrap_err();
        assert_eq!(failure.code, "USAGE", "{wrong}");
    }
}
