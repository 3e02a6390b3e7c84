//! Tests of [`super::spec`].

use crate::{Error, ModelSpec};

#[test]
fn specs_are_read_and_printed() {
    let name = |name: &str| name.to_owned();
    for (text, expected) in [
        ("rules", ModelSpec::Rules),
        ("openai/gpt-5", ModelSpec::OpenAi { name: name("gpt-5") }),
        ("openai/ft:gpt/x#1", ModelSpec::OpenAi { name: name("ft:gpt/x#1") }),
        ("anthropic/claude", ModelSpec::Anthropic { name: name("claude") }),
        ("gemini/models/x", ModelSpec::Gemini { name: name("models/x") }),
        ("ollama/llama3:8b", ModelSpec::Ollama { name: name("llama3:8b") }),
        (
            "openai-compatible:http://[::1]:8000/v1#maker/model",
            ModelSpec::Compatible { url: name("http://[::1]:8000/v1"), name: name("maker/model") },
        ),
        ("script:a b/c.json", ModelSpec::Script { file: name("a b/c.json") }),
        (r"script:C:\talk#1.json", ModelSpec::Script { file: name(r"C:\talk#1.json") }),
    ] {
        let spec: ModelSpec = text.parse().unwrap();
        assert_eq!(spec, expected);
        assert_eq!(spec.to_string(), text);
    }
}

#[test]
fn anything_else_is_unknown() {
    for (text, expected) in [
        ("", "it names no provider"),
        ("gpt-5", "it names no provider"),
        ("Rules", "it names no provider"),
        ("rules/x", "there is no such provider"),
        ("agent:codex", "it names no provider"),
        ("agent:/usr/bin/codex", "there is no such provider"),
        ("OpenAI/gpt-5", "there is no such provider"),
        ("openai/", "the name of the model is missing"),
        ("openai/a b", "no model has such a name"),
        ("gemini/a\nb", "no model has such a name"),
        ("script:", "the file is missing after 'script:'"),
        ("openai-compatible:http://host", "'#NAME' is missing after the URL"),
        ("openai-compatible:http://host#", "the name of the model is missing"),
        ("openai-compatible:host#a", "its address is not a URL such as https://host/v1"),
    ] {
        let Err(Error::UnknownModel { reason, .. }) = text.parse::<ModelSpec>() else { panic!("{text}") };
        assert_eq!(reason, expected, "{text}");
    }
}

#[test]
fn messages_stay_short_and_hold_no_password() {
    let long = format!("{}\n", "ä".repeat(500)).parse::<ModelSpec>().unwrap_err().to_string();
    assert!(long.chars().count() < 400 && !long.contains('\n'), "{long}");
    for text in ["http://me:password@host#a", "http://me:password@host", "http://me:password@host#"] {
        let error = format!("openai-compatible:{text}").parse::<ModelSpec>().unwrap_err().to_string();
        assert!(!error.contains("password"), "{error}");
    }
}
