#![expect(clippy::disallowed_methods, reason = "the tests make settings files")]

use std::path::PathBuf;

use crate::settings::{
    AgentSetting, Environment, Error, Flags, Origin, ProgramSettings, SETTINGS, SandboxWhen,
};

/// Settings from a file with `text`, and the origins' name of that file.
fn load(text: &str, environment: &Environment, flags: Flags) -> (Result<ProgramSettings, String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    std::fs::write(&path, text).unwrap();
    let flags = Flags { config: Some(path.clone()), ..flags };
    let settings = ProgramSettings::load(&flags, environment).map_err(|error| error.to_string());
    (settings, path.display().to_string())
}

fn refused(text: &str) -> String {
    let (settings, path) = load(text, &Environment::default(), Flags::default());
    settings.unwrap_err().replace(&path, "FILE")
}

#[test]
fn each_source_goes_before_the_one_below_and_is_named() {
    let text = "author = \"File\"\nmodel = \"ollama/a\"\nmax_rounds = 4\nuntracked = false\n";
    let environment = Environment::from([("ENGROSS_MODEL", "ollama/b"), ("ENGROSS_MAX_ROUNDS", "5")]);
    let flags = Flags { model: Some("ollama/c".to_owned()), ..Flags::default() };
    let (settings, path) = load(text, &environment, flags);
    let settings = settings.unwrap();
    let given = |name: &str| Origin::Given(name.to_owned());
    assert_eq!((settings.author.value.as_str(), &settings.author.origin), ("File", &given(&path)));
    assert_eq!(
        (settings.model.value.as_deref(), &settings.model.origin),
        (Some("ollama/c"), &given("--model"))
    );
    assert_eq!((settings.max_rounds.value, &settings.max_rounds.origin), (5, &given("ENGROSS_MAX_ROUNDS")));
    assert_eq!((settings.untracked.value, &settings.untracked.origin), (false, &given(&path)));
    assert_eq!((settings.history_turns.value, &settings.history_turns.origin), (10, &Origin::Default));
    assert_eq!((settings.model_timeout.value, &settings.model_timeout.origin), (120, &Origin::Default));
}

#[test]
fn agents_are_tables_of_the_file() {
    let text = "[agents.mine]\ncommand = \"my 'agent x'\"\npass = [\"MY_*\"]\nset = { A = \"1\" }\nsandbox = true\nlogin = [\".mine/login\"]\n[agents.codex]\ncommand = \"/opt/codex\"\n";
    let (settings, _) = load(text, &Environment::default(), Flags::default());
    let agents = settings.unwrap().agents;
    let mine = AgentSetting {
        command: "my 'agent x'".to_owned(),
        pass: vec!["MY_*".to_owned()],
        set: [("A".to_owned(), "1".to_owned())].into(),
        sandbox: Some(true),
        login: vec![".mine/login".to_owned()],
        ..AgentSetting::default()
    };
    let codex = AgentSetting { command: "/opt/codex".to_owned(), ..AgentSetting::default() };
    assert_eq!(agents, [("codex".to_owned(), codex), ("mine".to_owned(), mine)].into());
    for wrong in ["agents = 3", "[agents.a]\npass = []", "[agents.a]\ncommand = \"a\"\ncolour = 1"] {
        assert!(refused(wrong).contains("'agents' is not understood"), "{}", refused(wrong));
    }
}

#[test]
fn the_sandbox_is_a_table_of_the_file() {
    let text = "[sandbox]\nmode = \"on\"\nnetwork = false\nmax_files = 10\n";
    let (settings, _) = load(text, &Environment::default(), Flags::default());
    let sandbox = settings.unwrap().sandbox;
    assert_eq!((sandbox.mode, sandbox.network, sandbox.max_files), (SandboxWhen::On, false, Some(10)));
    for wrong in ["sandbox = 3", "[sandbox]\nmode = \"perhaps\"", "[sandbox]\nwall = 1"] {
        assert!(refused(wrong).contains("'sandbox' is not understood"), "{}", refused(wrong));
    }
}

#[test]
fn what_is_wrong_in_the_file_is_named() {
    assert_eq!(refused("authr = \"A\""), "FILE: there is no setting 'authr'; did you mean 'author'?");
    assert_eq!(
        refused("[zzz]\nx = 1"),
        "FILE: there is no setting 'zzz'; there are author, model, slow_model, untracked, max_rounds, system_prompt, history_turns, \
         history_tokens, history_summary, client_tools, tool_json_fallback, tool_free_text, model_timeout, session_by_user, skillbook, skill_tokens, document_lessons, agents, sandbox, serve"
    );
    assert_eq!(refused("max_rounds = 0"), "FILE: 'max_rounds' is not a whole number from 1 to 100");
    assert_eq!(refused("max_rounds = -3"), "FILE: 'max_rounds' is not a whole number from 1 to 100");
    assert_eq!(refused("untracked = \"perhaps\""), "FILE: 'untracked' is not true or false");
    assert_eq!(refused("history_turns = 0"), "FILE: 'history_turns' is not a whole number from 1 to 1000");
    assert_eq!(refused("author = [1]"), "FILE: 'author' is not a text");
    assert!(refused("author = ").starts_with("FILE: the file is not valid TOML: "));
}

#[test]
fn a_file_that_the_settings_name_is_beside_them() {
    let (settings, path) = load("client_tools = \"tools.json\"", &Environment::default(), Flags::default());
    let beside = PathBuf::from(&path).with_file_name("tools.json");
    assert_eq!(settings.unwrap().client_tools.value, Some(beside));
    let environment = Environment::from([("ENGROSS_CLIENT_TOOLS", "tools.json")]);
    let (settings, _) = load("", &environment, Flags::default());
    assert_eq!(settings.unwrap().client_tools.value, Some(PathBuf::from("tools.json")));
}

#[test]
fn a_wrong_variable_is_named_and_a_blank_one_is_not_set() {
    let environment = Environment::from([("ENGROSS_MAX_ROUNDS", "many"), ("ENGROSS_AUTHOR", "  ")]);
    let (settings, _) = load("", &environment, Flags::default());
    assert_eq!(settings.unwrap_err(), "ENGROSS_MAX_ROUNDS: 'max_rounds' is not a whole number from 1 to 100");
    let environment = Environment::from([("ENGROSS_AUTHOR", "  ")]);
    let (settings, _) = load("", &environment, Flags::default());
    assert_eq!(settings.unwrap().author.value, "engross");
}

#[test]
fn a_settings_file_that_was_asked_for_must_be_there() {
    for (flags, environment) in [
        (Flags { config: Some(PathBuf::from("no such file")), ..Flags::default() }, Environment::default()),
        (Flags::default(), Environment::from([("ENGROSS_CONFIG", "no such file")])),
    ] {
        let error = ProgramSettings::load(&flags, &environment).unwrap_err();
        assert!(matches!(error, Error::File(error) if error.code() == "NOT_FOUND"));
    }
}

#[test]
fn keys_go_to_their_providers() {
    let environment =
        Environment::from([("OPENAI_API_KEY", "k"), ("GOOGLE_API_KEY", "g"), ("OLLAMA_HOST", "h:1")]);
    let (settings, _) = load("model_timeout = 7", &environment, Flags::default());
    let providers = settings.unwrap().providers(&environment);
    assert!(providers.openai_api_key.is_some() && providers.gemini_api_key.is_some());
    assert!(providers.anthropic_api_key.is_none() && providers.compatible_api_key.is_none());
    assert_eq!(providers.ollama_host.as_deref(), Some("h:1"));
    assert_eq!(providers.policy.idle_timeout.as_secs(), 7);
}

#[test]
fn misspelt_variables_are_found() {
    let environment = Environment::from([
        ("ENGROSS_MODLE", "x"),
        ("ENGROSS_MODEL", "x"),
        ("ENGROSS_LOG", "x"),
        ("ENGROSS_TEST_SOFFICE", "x"),
    ]);
    assert_eq!(environment.unknown(SETTINGS), ["ENGROSS_MODLE"]);
}
