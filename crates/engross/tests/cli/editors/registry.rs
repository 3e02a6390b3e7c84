//! The entry of the protocol's registry: `packaging/acp-registry/engross`, by the rules of that registry.

use serde_json::{Map, Value};

const ENTRY: &str = include_str!("../../../../../packaging/acp-registry/engross/agent.json");
const ICON: &str = include_str!("../../../../../packaging/acp-registry/engross/icon.svg");

/// What is wrong with an entry in the folder `folder`.
fn problems(entry: &str, folder: &str) -> Vec<String> {
    let Ok(Value::Object(entry)) = serde_json::from_str(entry) else {
        return vec!["it is no object".to_owned()];
    };
    let mut wrong = Vec::new();
    let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
    let is_id = text("id").starts_with(|letter: char| letter.is_ascii_lowercase())
        && text("id").bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !is_id || text("id") != folder {
        wrong.push("the id is not the folder's name in lower case".to_owned());
    }
    for name in ["name", "description", "version"] {
        if text(name).is_empty() {
            wrong.push(format!("{name} is missing"));
        }
    }
    let version = text("version");
    let numbers: Vec<&str> = version.split('.').collect();
    if numbers.len() != 3 || !numbers.iter().all(|number| number.parse::<u32>().is_ok()) {
        wrong.push("the version is none of three numbers".to_owned());
    }
    if entry.contains_key("icon") {
        wrong.push("the registry sets the icon's address".to_owned());
    }
    let none = Map::new();
    let ways = entry.get("distribution").and_then(Value::as_object).unwrap_or(&none);
    if ways.is_empty() {
        wrong.push("no way of distribution".to_owned());
    }
    for (way, value) in ways {
        if !["npx", "uvx", "binary"].contains(&way.as_str()) {
            wrong.push(format!("there is no way of distribution '{way}'"));
            continue;
        }
        let targets: Vec<&Value> = match way.as_str() {
            "binary" => value.as_object().map(|targets| targets.values().collect()).unwrap_or_default(),
            _ => vec![value],
        };
        for target in targets {
            let fields: &[&str] = if way == "binary" { &["archive", "cmd"] } else { &["package"] };
            let known = [fields, &["args", "env", "sha256"]].concat();
            let target = target.as_object().unwrap_or(&none);
            wrong.extend(
                fields
                    .iter()
                    .filter(|field| !target.contains_key(**field))
                    .map(|field| format!("{way} lacks {field}")),
            );
            wrong.extend(
                target
                    .keys()
                    .filter(|key| !known.contains(&key.as_str()))
                    .map(|key| format!("{way} has '{key}'")),
            );
            // A package of another version would be another agent than the entry says.
            if way != "binary"
                && !target.get("package").and_then(Value::as_str).unwrap_or_default().ends_with(version)
            {
                wrong.push(format!("the package of {way} is not of version {version}"));
            }
            if target.get("args").and_then(|args| args.as_array()?.first()?.as_str()) != Some("acp") {
                wrong.push(format!("{way} does not start the agent"));
            }
        }
    }
    wrong
}

/// What is wrong with an icon: the registry wants 16 by 16, in the colour of the text around it.
fn icon_problems(icon: &str) -> Vec<&'static str> {
    let mut wrong = Vec::new();
    if !icon.starts_with("<svg ")
        || !icon.contains("width=\"16\" height=\"16\"")
        || !icon.contains("viewBox=\"0 0 16 16\"")
    {
        wrong.push("it is no picture of 16 by 16");
    }
    let colours = ["fill=\"", "stroke=\""].iter().flat_map(|name| icon.split(name).skip(1));
    if colours
        .map(|rest| rest.split('"').next().unwrap_or_default())
        .any(|colour| !["none", "currentColor"].contains(&colour))
    {
        wrong.push("it has a colour of its own");
    }
    if !icon.contains("currentColor")
        || icon.contains("style")
        || icon.contains('#')
        || icon.contains("script")
    {
        wrong.push("it is not monochrome in currentColor alone");
    }
    wrong
}

#[test]
fn the_entry_and_its_icon_keep_the_rules() {
    assert_eq!(problems(ENTRY, "engross"), Vec::<String>::new());
    assert_eq!(icon_problems(ICON), Vec::<&str>::new());
    let entry: Value = serde_json::from_str(ENTRY).unwrap();
    assert_eq!(entry["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn an_entry_that_breaks_them_is_found_out() {
    let broken = |from: &str, to: &str| problems(&ENTRY.replace(from, to), "engross");
    for (from, to) in [
        ("\"id\": \"engross\"", "\"id\": \"Engross\""),
        (concat!("\"version\": \"", env!("CARGO_PKG_VERSION"), "\""), "\"version\": \"0.1\""),
        (concat!("engross@", env!("CARGO_PKG_VERSION")), "engross@0.0.9"),
        ("\"npx\"", "\"pipx\""),
        ("\"package\": \"engross@", "\"pack\": \"engross@"),
        ("[\"acp\"]", "[]"),
    ] {
        assert!(!broken(from, to).is_empty(), "{to}");
    }
    assert!(!icon_problems(&ICON.replace("currentColor", "#c00")).is_empty());
    assert!(!icon_problems(&ICON.replace("width=\"16\"", "width=\"32\"")).is_empty());
}
