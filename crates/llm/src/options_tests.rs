//! What the table says of options is what stands in the bodies of requests.

use serde_json::{Value, json};

use crate::options::{OptionTreatment, Provider, asks_nothing, option_names, option_table, treatment, write};

fn body(provider: Provider, options: Value) -> Value {
    let mut body = json!({"model": "m"});
    write(&serde_json::from_value(options).unwrap(), provider, &mut body);
    body
}

#[test]
fn each_provider_gets_options_in_its_own_words() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let options = json!({
        "top_p": 0.5, "stop": "END", "seed": 3, "top_k": 7,
        "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}},
    });
    assert_eq!(
        body(Provider::OpenAi, options.clone()),
        json!({"model": "m", "top_p": 0.5, "stop": "END", "seed": 3, "response_format": options["response_format"]})
    );
    assert_eq!(body(Provider::Compatible, options.clone())["top_k"], 7);
    assert_eq!(
        body(Provider::Anthropic, options.clone()),
        json!({
            "model": "m", "top_p": 0.5, "stop_sequences": ["END"], "top_k": 7,
            "output_config": {"format": {"type": "json_schema", "schema": schema}},
        })
    );
    assert_eq!(
        body(Provider::Gemini, options)["generationConfig"],
        json!({
            "topP": 0.5, "stopSequences": ["END"], "seed": 3, "topK": 7,
            "responseMimeType": "application/json", "responseJsonSchema": schema,
        })
    );
}

#[test]
fn a_value_that_a_provider_cannot_take_is_refused() {
    let any_json = json!({"type": "json_object"});
    for (provider, expected) in [
        (Provider::OpenAi, OptionTreatment::Passed),
        (Provider::Gemini, OptionTreatment::Passed),
        (Provider::Anthropic, OptionTreatment::Refused),
        (Provider::Embedded, OptionTreatment::Refused),
    ] {
        assert_eq!(treatment(provider, "response_format", &any_json), expected, "{provider:?}");
    }
    assert!(asks_nothing("response_format", &json!({"type": "text"})) && asks_nothing("n", &json!(1)));
    assert!(!asks_nothing("n", &json!(2)) && !asks_nothing("seed", &json!(0)));
}

/// What is passed stands in the body, and nothing else does.
#[test]
fn the_table_tells_the_truth() {
    let providers =
        [Provider::OpenAi, Provider::Compatible, Provider::Anthropic, Provider::Gemini, Provider::Embedded];
    for name in option_names() {
        let value = match name {
            "response_format" => {
                json!({"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "object"}}})
            }
            "parallel_tool_calls" => json!(false),
            _ => json!("x"),
        };
        for provider in providers {
            let is_there = body(provider, json!({name: value})) != json!({"model": "m"});
            let is_passed = treatment(provider, name, &value) == OptionTreatment::Passed;
            assert_eq!(is_there, is_passed, "{name} {provider:?}");
        }
    }
}

#[test]
fn the_guide_shows_the_table() {
    let guide = include_str!("../../../docs/guide/models.md");
    assert!(guide.contains(&option_table()), "put this into docs/guide/models.md:\n{}", option_table());
}
