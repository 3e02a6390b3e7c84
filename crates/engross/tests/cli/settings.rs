//! Settings and `engross doctor`

use serde_json::{Value, json};

use crate::desk::TestBench;

fn row(report: &Value, list: &str, name: &str) -> Value {
    report[list].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap().clone()
}

#[test]
fn doctor_tells_each_value_and_where_it_came_from() {
    let desk = TestBench::new()
        .with_variable("ENGROSS_MAX_ROUNDS", "9")
        .with_variable("OPENAI_API_KEY", "sk-very-secret")
        .with_variable("OPENAI_BASE_URL", "http://127.0.0.1:1/v1");
    std::fs::create_dir_all(desk.path("settings/engross")).unwrap();
    desk.put("settings/engross/config.toml", b"author = \"Ada\"\n");
    let ran = desk.run(&["doctor", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let report = ran.json();
    let file = report["config"]["path"].as_str().unwrap();
    // Elsewhere the platform has another folder for settings.
    #[cfg(target_os = "linux")]
    {
        assert_eq!(file, desk.path("settings/engross/config.toml").to_str().unwrap());
        assert_eq!(
            row(&report, "settings", "author"),
            json!({"name": "author", "value": "Ada", "origin": file})
        );
    }
    assert_eq!(
        row(&report, "settings", "max_rounds"),
        json!({"name": "max_rounds", "value": 9, "origin": "ENGROSS_MAX_ROUNDS"})
    );
    assert_eq!(
        row(&report, "settings", "model"),
        json!({"name": "model", "value": null, "origin": "default"})
    );
    assert_eq!(
        row(&report, "providers", "OPENAI_API_KEY"),
        json!({"name": "OPENAI_API_KEY", "value": "set", "origin": "OPENAI_API_KEY"})
    );
    assert_eq!(row(&report, "providers", "OPENAI_BASE_URL")["value"], "http://127.0.0.1:1/v1");
    assert_eq!(report["model"], json!({"spec": "rules", "languageModel": false, "ready": true}));
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    let text = desk.run(&["doctor"]);
    assert!(
        !ran.stdout.contains("very-secret") && !text.stdout.contains("very-secret"),
        "keys are never shown"
    );
    assert!(text.stdout.contains("ENGROSS_MAX_ROUNDS"), "{text:?}");
}

#[test]
fn doctor_finds_what_is_wrong() {
    let desk =
        TestBench::new().with_variable("ENGROSS_MODLE", "x").with_variable("ENGROSS_MODEL", "openai/gpt-5");
    let ran = desk.run(&["doctor", "--json"]);
    assert_eq!(ran.code, Some(1));
    let report = ran.json();
    assert_eq!(report["model"], json!({"spec": "openai/gpt-5", "ready": false, "code": "MODEL_KEY_MISSING"}));
    let wrong: Vec<Value> = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["ok"] == false)
        .map(|check| check["name"].clone())
        .collect();
    assert_eq!(wrong, ["model", "environment"]);
}

#[test]
fn doctor_tries_what_sessions_need() {
    let desk = TestBench::new();
    let doctor = |config: &str| {
        desk.put("config.toml", config.as_bytes());
        let ran = desk.run(&["doctor", "--config", "config.toml", "--json"]);
        let checks = ran.json()["checks"].as_array().unwrap().clone();
        let names = checks.iter().filter(|check| check["ok"] == false).map(|check| check["name"].clone());
        (ran.code, names.collect::<Vec<Value>>())
    };
    desk.put("tools.json", br#"[{"function": {"name": "navigate"}}]"#);
    let well = "slow_model = \"rules\"\nclient_tools = \"tools.json\"\nsystem_prompt = \"One\\nTwo\"\n";
    assert_eq!(doctor(well), (Some(0), Vec::new()));
    let shown = desk.run(&["doctor", "--config", "config.toml"]).stdout;
    assert!(shown.contains("One⏎Two"), "on one line: {shown}");
    let wrong = "slow_model = \"openai/x\"\nclient_tools = \"config.toml\"\n";
    assert_eq!(doctor(wrong), (Some(1), vec![json!("slow model"), json!("client tools")]));
    for tools in ["{}", r#"[{"function": {}}]"#, r#"[{"type": "retrieval"}]"#] {
        desk.put("tools.json", tools.as_bytes());
        assert_eq!(doctor(well), (Some(1), vec![json!("client tools")]), "{tools}");
    }
    let serve = desk.run(&["serve", "--config", "config.toml", "--data", "data", "--listen", "127.0.0.1:0"]);
    assert!(serve.code == Some(2) && serve.stderr.contains("[CONFIG_INVALID]"), "{serve:?}");
}

#[test]
fn doctor_tells_what_becomes_of_telemetry() {
    let doctor = |endpoint: &str| {
        let ran = TestBench::new()
            .with_variable("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
            .run(&["doctor", "--json"]);
        let check = row(&ran.json(), "checks", "telemetry");
        (ran.code, check["ok"].clone(), check["message"].as_str().unwrap().to_owned())
    };
    #[cfg(not(feature = "otel"))]
    {
        let ignored = "OTEL_EXPORTER_OTLP_ENDPOINT is set and ignored: built without otel";
        assert_eq!(doctor("http://host:4318"), (Some(0), json!(true), ignored.to_owned()));
        assert_eq!(doctor(" "), (Some(0), json!(true), "built without otel".to_owned()));
    }
    #[cfg(feature = "otel")]
    {
        let sent = "spans are sent to http://host:4318/v1/traces";
        assert_eq!(doctor("http://host:4318/?key=k"), (Some(0), json!(true), sent.to_owned()));
        let none = "OTEL_EXPORTER_OTLP_ENDPOINT is not set, so no spans are sent";
        assert_eq!(doctor(" "), (Some(0), json!(true), none.to_owned()));
        let (code, ok, message) = doctor("https://user:secret@host");
        assert_eq!((code, ok), (Some(1), json!(false)));
        assert!(!message.contains("secret"), "{message}");
    }
}

#[test]
fn settings_that_cannot_be_used_are_refused() {
    let desk = TestBench::new();
    desk.put("config.toml", b"modell = \"rules\"\n");
    let ran = desk.run(&["edit", "nda.docx", "delete paragraph 4", "--config", "config.toml", "--json"]);
    assert_eq!(ran.error(), (2, "CONFIG_INVALID".to_owned()));
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("did you mean 'model'?"));
    assert_eq!(desk.refuses(&["doctor", "--config", "none.toml", "--json"]), (5, "NOT_FOUND".to_owned()));
    desk.put("config.toml", b"model = \"rules\"\nauthor = \"Ada\"\n");
    let ran = desk.run(&["edit", "nda.docx", "delete paragraph 56", "--config", "config.toml"]);
    assert!(!ran.stderr.contains("No model"), "{ran:?}");
    let revisions = desk.run(&["revisions", "nda.redline.docx"]);
    assert!(revisions.stdout.contains("Ada, "), "{revisions:?}");
}

#[test]
fn logs_only_when_asked_for() {
    let desk = TestBench::new().with_variable("ENGROSS_LOG", "not=a=filter");
    let ran = desk.run(&["revisions", "nda.docx"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.starts_with("ENGROSS_LOG is not a log filter"), "{ran:?}");
}
