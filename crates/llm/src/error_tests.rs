//! Tests of [`super::error`]: codes, their pages, and the failure that leaves the program.

use std::collections::BTreeSet;
use std::time::Duration;

use engross_protocol::{Exit, Failure};
use serde_json::json;

use crate::{Error, codes};

/// One of each.
fn all() -> Vec<Error> {
    let (provider, message) = ("openai", "why".to_owned());
    let wait = Some(Duration::from_secs(7));
    vec![
        Error::Auth { provider, status: 401, message: message.clone(), variable: "OPENAI_API_KEY" },
        Error::RateLimited { provider, retry_after: wait, message: message.clone() },
        Error::Unavailable { provider, retry_after: None, message: message.clone() },
        Error::BadRequest { provider, status: 404, message: message.clone() },
        Error::Truncated,
        Error::Protocol { provider, message: message.clone() },
        Error::Timeout { provider, waited: Duration::from_secs(120) },
        Error::Stream { provider, message: message.clone() },
        Error::UnknownModel { spec: "gpt".to_owned(), reason: "it names no provider".to_owned() },
        Error::NotOffered { name: "own".to_owned() },
        Error::KeyMissing { provider, variable: "OPENAI_API_KEY", problem: "is not set" },
        Error::ScriptInvalid { file: "a.json".to_owned(), line: 2, column: 3, message },
        Error::TooLarge { what: "bytes", limit: 9 },
    ]
}

#[test]
fn every_error_has_a_row_of_its_own() {
    let codes: BTreeSet<&str> = all().iter().map(Error::code).collect();
    assert_eq!(codes, codes::ALL.iter().map(|row| row.name).collect());
}

#[test]
fn messages_say_what_to_do() {
    let messages: Vec<String> = all().iter().map(Error::to_string).collect();
    assert_eq!(
        messages,
        [
            "openai refused the API key (HTTP 401: why); check OPENAI_API_KEY",
            "openai refuses more requests for now (HTTP 429: why); ask again in 7 s",
            "openai is not available (why); ask again later",
            "openai does not accept the request (HTTP 404: why); check the model's name and what is asked of it",
            "the model's answer was cut off before its end; ask again, nothing of it was used",
            "openai gave an answer that cannot be read (why); ask again, or check its address",
            "openai sent nothing for 120 s; ask again, or allow it more time",
            "openai failed while answering (why); ask again, nothing of the answer was used",
            "the model 'gpt' is not known: it names no provider; understood are openai/NAME, anthropic/NAME, \
             gemini/NAME, ollama/NAME, openai-compatible:URL#NAME, script:FILE and rules",
            "the model 'own' is not offered here any more, and no other was asked; choose another one",
            "openai needs an API key: OPENAI_API_KEY is not set; set it, or choose another model",
            "the script a.json is not valid (line 2, column 3): why; correct it there",
            "the model's answer is too large: more than 9 bytes; ask for less at once",
        ]
    );
}

#[test]
fn failures_carry_particulars() {
    let failures: Vec<Failure> = all().into_iter().map(Failure::from).collect();
    let usage = failures.iter().filter(|failure| failure.exit == Exit::Usage).map(|failure| failure.code);
    assert_eq!(usage.collect::<Vec<_>>(), ["MODEL_UNKNOWN", "MODEL_NOT_OFFERED"]);
    let details: Vec<_> = failures.into_iter().map(|failure| failure.details).collect();
    assert_eq!(details[0], json!({"status": 401}));
    assert_eq!(details[1], json!({"retryAfterSeconds": 7}));
    assert_eq!(details[4], json!({}));
    assert_eq!(details[11], json!({"line": 2, "column": 3}));
}

#[test]
fn statuses() {
    let code = |status| Error::from_status("a", "b", status, None, String::new()).code();
    for (status, expected) in [
        (300, "MODEL_BAD_REQUEST"),
        (400, "MODEL_BAD_REQUEST"),
        (401, "MODEL_AUTH"),
        (402, "MODEL_BAD_REQUEST"),
        (403, "MODEL_AUTH"),
        (429, "MODEL_RATE_LIMITED"),
        (500, "MODEL_UNAVAILABLE"),
        (529, "MODEL_UNAVAILABLE"),
        (999, "MODEL_UNAVAILABLE"),
    ] {
        assert_eq!(code(status), expected, "{status}");
    }
}
