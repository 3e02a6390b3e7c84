//! What clients and registries read of the repository is valid, says the version of the workspace, and names what is there.
//!
//! Files that are made for a release (`server.json`, the manifest of `.mcpb`) are checked where they are made.
#![expect(clippy::disallowed_methods, reason = "reads files of the repository")]

use serde_json::Value;
use xtask::root;

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn json_of(path: &str) -> Value {
    serde_json::from_str(&text(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Fails unless an object has these fields, and no other than these and the optional ones.
fn has_fields(path: &str, value: &Value, needed: &[&str], optional: &[&str]) {
    let fields = value.as_object().unwrap_or_else(|| panic!("{path} holds no object"));
    for name in needed {
        assert!(fields.get(*name).is_some_and(|value| value != ""), "{path} lacks {name}");
    }
    for name in fields.keys() {
        assert!(needed.contains(&name.as_str()) || optional.contains(&name.as_str()), "{path} has {name}");
    }
}

/// Whether a name is of small letters, digits and single hyphens.
fn is_kebab(name: &str) -> bool {
    !name.is_empty()
        && name.split('-').all(|part| {
            !part.is_empty()
                && part.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
        })
}

/// The entry of a server that is started by a command.
fn is_server(path: &str, servers: &Value) {
    for (name, server) in servers.as_object().unwrap_or_else(|| panic!("{path} has no servers")) {
        assert!(is_kebab(name), "{path}: {name}");
        has_fields(path, server, &["command", "args"], &["env", "cwd"]);
        assert!(server["args"].as_array().unwrap().iter().all(Value::is_string), "{path}");
    }
}

#[test]
fn every_version_is_that_of_the_workspace() {
    let version = env!("CARGO_PKG_VERSION");
    let mut versions = vec![
        (".claude-plugin/plugin.json", json_of(".claude-plugin/plugin.json")["version"].clone()),
        ("gemini-extension.json", json_of("gemini-extension.json")["version"].clone()),
        (
            ".claude-plugin/marketplace.json",
            json_of(".claude-plugin/marketplace.json")["plugins"][0]["version"].clone(),
        ),
        ("web/engine/package.json", json_of("web/engine/package.json")["version"].clone()),
    ];
    let agent = "packaging/acp-registry/engross/agent.json";
    if root().join(agent).exists() {
        versions.push((agent, json_of(agent)["version"].clone()));
    }
    for (path, found) in versions {
        assert_eq!(found, version, "{path}: `cargo xtask version {version}` sets all of them");
    }
    let python = text("bindings/python/Cargo.toml");
    assert!(python.contains(&format!("\nversion = \"{version}\"\n")), "bindings/python/Cargo.toml");
}

#[test]
fn the_plugin_and_its_marketplace_are_valid() {
    let path = ".claude-plugin/plugin.json";
    let plugin = json_of(path);
    let optional = [
        "author",
        "homepage",
        "repository",
        "license",
        "keywords",
        "mcpServers",
        "skills",
        "commands",
        "agents",
        "hooks",
    ];
    has_fields(path, &plugin, &["name", "version", "description"], &optional);
    assert!(is_kebab(plugin["name"].as_str().unwrap()));
    is_server(path, &plugin["mcpServers"]);
    assert!(plugin["author"]["name"].is_string());
    let path = ".claude-plugin/marketplace.json";
    let marketplace = json_of(path);
    has_fields(path, &marketplace, &["name", "owner", "plugins"], &["metadata", "$schema"]);
    assert!(is_kebab(marketplace["name"].as_str().unwrap()) && marketplace["owner"]["name"].is_string());
    for listed in marketplace["plugins"].as_array().unwrap() {
        let optional = [
            "description",
            "version",
            "author",
            "license",
            "category",
            "keywords",
            "homepage",
            "repository",
            "tags",
        ];
        has_fields(path, listed, &["name", "source"], &optional);
        let source = listed["source"].as_str().unwrap();
        assert!(source.starts_with("./") && root().join(source).join(".claude-plugin/plugin.json").exists());
        assert_eq!(listed["name"], plugin["name"]);
        assert_eq!(listed["description"], plugin["description"]);
    }
}

#[test]
fn the_extension_of_gemini_is_valid() {
    let path = "gemini-extension.json";
    let extension = json_of(path);
    has_fields(
        path,
        &extension,
        &["name", "version"],
        &["description", "mcpServers", "contextFileName", "excludeTools"],
    );
    assert!(is_kebab(extension["name"].as_str().unwrap()));
    is_server(path, &extension["mcpServers"]);
}

#[test]
fn every_skill_is_valid_and_its_references_are_there() {
    let mut count = 0;
    for folder in std::fs::read_dir(root().join("skills")).unwrap() {
        let folder = folder.unwrap();
        let name = folder.file_name().into_string().unwrap();
        let path = format!("skills/{name}/SKILL.md");
        let skill = text(&path);
        let (head, body) = skill.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap();
        for line in head.lines() {
            let (field, value) = line.split_once(": ").unwrap_or_else(|| panic!("{path}: {line}"));
            let longest = match field {
                "name" => 64,
                "description" => 1024,
                "compatibility" => 500,
                "license" | "metadata" | "allowed-tools" => usize::MAX,
                _ => panic!("{path}: {field} is no field of a skill"),
            };
            assert!(value.chars().count() <= longest && !value.is_empty(), "{path}: {field}");
            assert!(
                !value.contains(['<', '>']) && !value.contains(": "),
                "{path}: {field} is no plain text of YAML"
            );
        }
        let named = head.lines().find_map(|line| line.strip_prefix("name: "));
        assert_eq!(named, Some(name.as_str()), "a skill has the name of its folder");
        assert!(is_kebab(&name) && head.contains("\ndescription: "), "{path}");
        assert!(body.lines().count() < 500 && body.split_whitespace().count() < 3500, "{path} is too long");
        for link in body.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if !link.contains("://") && !link.starts_with('#') {
                let file = link.split('#').next().unwrap();
                assert!(folder.path().join(file).exists(), "{path} refers to {file}");
            }
        }
        count += 1;
    }
    assert!(count > 0);
}

#[test]
fn the_agent_of_the_registry_is_valid() {
    let folder = root().join("packaging/acp-registry");
    let Ok(agents) = std::fs::read_dir(&folder) else { return };
    for agent in agents {
        let id = agent.unwrap().file_name().into_string().unwrap();
        let path = format!("packaging/acp-registry/{id}/agent.json");
        let agent = json_of(&path);
        let optional = ["license", "repository", "website", "authors", "icon"];
        has_fields(&path, &agent, &["id", "name", "version", "description", "distribution"], &optional);
        assert_eq!(agent["id"], id, "an agent has the id of its folder");
        assert!(is_kebab(&id));
        let distribution = agent["distribution"].as_object().unwrap();
        assert!(!distribution.is_empty(), "{path}");
        for (kind, how) in distribution {
            match kind.as_str() {
                "npx" | "uvx" => {
                    has_fields(&path, how, &["package"], &["args", "env"]);
                    let separator = if kind == "npx" { "engross@" } else { "engross==" };
                    let wanted = format!("{separator}{}", env!("CARGO_PKG_VERSION"));
                    assert_eq!(how["package"], wanted, "{path}: {kind}");
                }
                "binary" => {
                    for system in ["darwin", "linux", "windows"] {
                        let covered =
                            how.as_object().unwrap().keys().any(|platform| platform.starts_with(system));
                        assert!(covered, "{path}: a binary distribution must cover {system}");
                    }
                }
                other => panic!("{path}: {other} is no way to distribute"),
            }
        }
        let icon = text(&format!("packaging/acp-registry/{id}/icon.svg"));
        assert!(
            icon.contains("currentColor") && icon.contains("viewBox=\"0 0 16 16\""),
            "16 × 16, of one colour"
        );
    }
}

/// Every page of the guide is in `llms.txt`, and every address in it is there.
#[test]
fn the_list_for_agents_is_complete() {
    let list = text("llms.txt");
    assert!(list.starts_with("# engross\n\n> "), "a title, then what it is");
    for target in list.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(root().join(target).exists(), "llms.txt names {target}");
    }
    for folder in ["docs/guide", "docs/guide/clients", "docs/protocol"] {
        for page in std::fs::read_dir(root().join(folder)).unwrap() {
            let name = page.unwrap().file_name().into_string().unwrap();
            let path = format!("{folder}/{name}");
            assert!(!name.ends_with(".md") || list.contains(&format!("({path})")), "llms.txt lacks {path}");
        }
    }
}
