//! A person's own model: where its key goes, that it goes nowhere else, and that it is gone when it was to be forgotten.
#![expect(clippy::disallowed_methods, reason = "the tests look at what is on the disk, and make programs")]

use std::path::Path;
use std::time::{Duration, Instant};

use engross_agent::session::OwnModels as _;
use engross_http::{BroughtModel, OwnModelPlace as _};
use engross_llm::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};

use super::own_model::{OwnModelKeeper, OwnModelTable};
use super::secret_store::{SecretStore, StoreKind};
use crate::settings::{Environment, Flags, ProgramSettings};

const KEY: &str = "sk-ant-secret-4711";

fn settings(environment: &Environment) -> ProgramSettings {
    // A file of its own, so that nothing of the machine's counts.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, "").unwrap();
    ProgramSettings::load(&Flags { config: Some(path), ..Flags::default() }, environment).unwrap()
}

fn keeper_of(
    data: &Path,
    store: Option<SecretStore>,
    environment: &Environment,
) -> (OwnModelKeeper, OwnModelTable) {
    let table = OwnModelTable::default();
    let settings = settings(environment);
    let keeper = OwnModelKeeper::with_store("ada", data, table.clone(), store, &settings, environment);
    (keeper, table)
}

fn keeper(data: &Path, store: Option<SecretStore>) -> (OwnModelKeeper, OwnModelTable) {
    keeper_of(data, store, &Environment::default())
}

fn brought(key: Option<&str>, remember: bool) -> BroughtModel {
    let key = key.map(SecretString::from);
    BroughtModel { provider: "anthropic".to_owned(), name: "claude".to_owned(), key, remember }
}

fn answering(table: &OwnModelTable) -> Option<String> {
    table.of("ada").map(|model| model.info().spec)
}

fn remembered(shown: &Value) -> &Value {
    &shown["model"]["remembered"]
}

/// Whether anything beneath a folder holds the key.
fn holds_key(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).contains(KEY)
    })
}

#[test]
fn a_key_is_in_memory_unless_its_owner_says_remember() {
    let data = tempfile::tempdir().unwrap();
    let (keeper_now, table) = keeper(data.path(), None);
    assert_eq!(answering(&table), None);
    let shown = keeper_now.take(brought(Some(KEY), false)).unwrap();
    assert_eq!(answering(&table).as_deref(), Some("anthropic/claude"));
    assert!(table.of("").is_none() && table.of("eve").is_none(), "nobody else has it");
    let expected = json!({"provider": "anthropic", "name": "claude", "remembered": null, "hasKey": true});
    assert_eq!((&shown["model"], shown.to_string().contains(KEY)), (&expected, false));
    assert_eq!(std::fs::read_dir(data.path()).unwrap().count(), 0);
    // Its home stays at this node, or the owner would have to give it again.
    assert!(!keeper_now.is_found_elsewhere());
    keeper_now.leave();
    assert_eq!(answering(&table), None);
    assert_eq!(keeper(data.path(), None).0.show().unwrap()["model"], Value::Null, "it ended with the server");
}

#[test]
fn a_key_that_is_remembered_is_in_a_file_for_its_owner_alone_where_the_system_has_no_store() {
    let data = tempfile::tempdir().unwrap();
    let (first, _) = keeper(data.path(), None);
    let shown = first.take(brought(Some(&format!(" {KEY}\n")), true)).unwrap();
    assert_eq!((remembered(&shown), &shown["remembersIn"]), (&json!("file"), &json!("file")));
    let file = data.path().join("own-model.json");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
    let (second, table) = keeper(data.path(), None);
    assert_eq!(answering(&table).as_deref(), Some("anthropic/claude"));
    assert!(!second.show().unwrap().to_string().contains(KEY));
    // Another model of the provider takes the key that is there, and it is remembered no longer unless it is said again.
    let other = BroughtModel { name: "claude-2".to_owned(), ..brought(None, false) };
    assert_eq!(remembered(&second.take(other).unwrap()), &Value::Null);
    assert_eq!((answering(&table).as_deref(), file.exists()), (Some("anthropic/claude-2"), false));
    second.take(brought(None, true)).unwrap();
    assert!(holds_key(data.path()) && second.is_found_elsewhere());
    assert_eq!(second.forget().unwrap()["model"], Value::Null);
    assert_eq!((answering(&table), file.exists()), (None, false));
    // A key of one provider is never sent to another.
    second.take(brought(Some(KEY), false)).unwrap();
    let other = BroughtModel { provider: "openai".to_owned(), ..brought(None, false) };
    assert!(second.take(other).unwrap_err().to_string().contains("`key` is missing"));
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_read_or_that_is_no_such_file_is_not_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let data = tempfile::tempdir().unwrap();
    let file = data.path().join("own-model.json");
    keeper(data.path(), None).0.take(brought(Some(KEY), true)).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let (open, table) = keeper(data.path(), None);
    assert_eq!((answering(&table), &open.show().unwrap()["model"]), (None, &Value::Null));
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    for wrong in ["", "{", "{\"version\": 1}", "[]"] {
        std::fs::write(&file, wrong).unwrap();
        assert_eq!(answering(&keeper(data.path(), None).1), None, "{wrong}");
    }
    // Giving the key again mends it.
    keeper(data.path(), None).0.take(brought(Some(KEY), true)).unwrap();
    assert!(answering(&keeper(data.path(), None).1).is_some());
}

#[test]
fn what_is_no_model_and_what_is_no_key_is_refused_and_nothing_changes() {
    let data = tempfile::tempdir().unwrap();
    let (keeper, table) = keeper(data.path(), None);
    keeper.take(brought(Some(KEY), true)).unwrap();
    let with = |provider: &str, name: &str, key: &str| BroughtModel {
        provider: provider.to_owned(),
        name: name.to_owned(),
        ..brought(Some(key), true)
    };
    for wrong in [
        with("ollama", "qwen", KEY),
        with("openai-compatible:http://127.0.0.1:1#", "x", KEY),
        with("script:", "x", KEY),
        with("openai", "", KEY),
        with("openai", "a b", KEY),
        with("openai", "gpt", ""),
        with("openai", "gpt", "short"),
        with("openai", "gpt", "key with blanks"),
        with("openai", "gpt", "key\" -w \"other"),
        with("openai", "gpt", "schlüssel-1234"),
        with("openai", "gpt", &"k".repeat(5_000)),
    ] {
        let (provider, name) = (wrong.provider.clone(), wrong.name.clone());
        let refused = keeper.take(wrong).unwrap_err().to_string();
        assert!(!refused.contains(KEY) && !refused.contains("schl"), "{provider}/{name}: {refused}");
        assert_eq!(answering(&table).as_deref(), Some("anthropic/claude"), "{provider}/{name}");
    }
    assert!(holds_key(data.path()));
}

#[test]
fn a_server_may_take_no_keys() {
    let data = tempfile::tempdir().unwrap();
    keeper(data.path(), None).0.take(brought(Some(KEY), true)).unwrap();
    let environment = Environment::from([("ENGROSS_SERVE_NO_OWN_KEYS", "true")]);
    let (closed, table) = keeper_of(data.path(), None, &environment);
    assert_eq!(closed.show().unwrap()["allowed"], json!(false));
    assert!(closed.take(brought(Some(KEY), false)).is_err());
    assert_eq!(answering(&table), None, "nor one that it was given before");
    // It can be forgotten all the same.
    closed.forget().unwrap();
    assert!(!holds_key(data.path()));
}

/// A program that keeps secrets in a folder as `secret-tool` keeps them elsewhere. `locked` in that folder locks it.
#[cfg(unix)]
fn tool(folder: &Path, body: &str) -> SecretStore {
    use std::os::unix::fs::PermissionsExt as _;
    let program = folder.join("tool");
    let kept = folder.display();
    std::fs::write(&program, format!("#!/bin/sh\nK='{kept}'\necho \"$@\" >> \"$K/told\"\n{body}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    SecretStore::by(StoreKind::SecretService, program).within(Duration::from_secs(20))
}

#[cfg(unix)]
const SERVICE: &str = r#"
[ -e "$K/locked" ] && exit 1
case "$1" in
  store) cat > "$K/secret" ;;
  lookup) cat "$K/secret" ;;
  clear) rm -f "$K/secret" ;;
esac"#;

#[cfg(unix)]
#[test]
fn the_store_of_the_system_has_the_key_and_no_file_has_it() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = || Some(tool(folder.path(), SERVICE));
    let (first, _) = keeper(data.path(), store());
    let shown = first.take(brought(Some(KEY), true)).unwrap();
    assert_eq!(
        (remembered(&shown), &shown["remembersIn"]),
        (&json!("secret-service"), &json!("secret-service"))
    );
    assert!(!holds_key(data.path()));
    let told = std::fs::read_to_string(folder.path().join("told")).unwrap();
    assert!(told.contains("store --label") && !told.contains(KEY), "{told}");
    // While it is locked the model is known and does not answer; unlocked, it does.
    std::fs::write(folder.path().join("locked"), "").unwrap();
    let (second, table) = keeper(data.path(), store());
    let shown = second.show().unwrap();
    assert_eq!((answering(&table), &shown["model"]["hasKey"]), (None, &json!(false)));
    let stuck = second.forget().unwrap_err().to_string();
    assert!(stuck.contains("has not forgotten the key") && stuck.contains("own-model-"), "{stuck}");
    std::fs::remove_file(folder.path().join("locked")).unwrap();
    assert_eq!(second.show().unwrap()["model"]["hasKey"], json!(true));
    assert_eq!(answering(&table).as_deref(), Some("anthropic/claude"));
    // A server without the program says so instead of keeping an entry that nobody looks for.
    let (without, table) = keeper(data.path(), None);
    assert_eq!((answering(&table), without.forget().is_err()), (None, true));
    second.forget().unwrap();
    assert!(!folder.path().join("secret").exists() && !data.path().join("own-model.json").exists());
}

#[cfg(unix)]
#[test]
fn a_store_that_does_not_take_the_key_leaves_it_to_the_file() {
    for body in [
        "exit 1",
        // It says that it has taken it, and has not.
        "cat > /dev/null",
        "cat > /dev/null; echo another",
        "[ \"$1\" = store ] && cat > /dev/null || yes",
    ] {
        let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let store = tool(folder.path(), body).within(Duration::from_millis(500));
        let shown = keeper(data.path(), Some(store)).0.take(brought(Some(KEY), true)).unwrap();
        assert_eq!((remembered(&shown), holds_key(data.path())), (&json!("file"), true), "{body}");
    }
}

#[cfg(unix)]
#[test]
fn a_store_that_never_answers_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = tool(folder.path(), "sleep 300").within(Duration::from_millis(200));
    let began = Instant::now();
    assert!(!store.keep("a", &SecretString::from(KEY)));
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

/// The form of the keychain's commands; what a Mac makes of them was not tried.
#[cfg(unix)]
#[test]
fn the_keychain_is_told_the_key_where_nobody_sees_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("security");
    let kept = folder.path().display();
    let body = r#"
case "$1" in
  -i) sed -n 's/^add-generic-password -U -a "a" -s "engross" -w "\(.*\)"$/\1/p' > "$K/secret" ;;
  find-generic-password) [ -s "$K/secret" ] && cat "$K/secret" ;;
  delete-generic-password) [ -e "$K/secret" ] && rm "$K/secret" ;;
esac"#;
    std::fs::write(&program, format!("#!/bin/sh\nK='{kept}'\necho \"$@\" >> \"$K/told\"\n{body}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let store = SecretStore::by(StoreKind::Keychain, program);
    assert!(store.keep("a", &SecretString::from(KEY)));
    assert_eq!(store.find("a").unwrap().expose_secret(), KEY);
    assert!(store.forget("a") && store.forget("a") && store.find("a").is_none());
    assert!(!std::fs::read_to_string(folder.path().join("told")).unwrap().contains(KEY));
}
