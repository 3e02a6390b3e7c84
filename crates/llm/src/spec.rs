//! Which model is meant: the text of `--model`.
//!
//! Must never open anything; that is [`crate::open`].

use std::fmt;
use std::str::FromStr;

use crate::Error;
use crate::endpoint;

/// The name of a model, parsed from text such as `openai/gpt-5`; prints as that text again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSpec {
    /// `openai/NAME`
    OpenAi {
        /// The provider's name for the model.
        name: String,
    },
    /// `anthropic/NAME`
    Anthropic {
        /// The provider's name for the model.
        name: String,
    },
    /// `gemini/NAME`
    Gemini {
        /// The provider's name for the model.
        name: String,
    },
    /// `ollama/NAME`
    Ollama {
        /// The provider's name for the model.
        name: String,
    },
    /// `openai-compatible:URL#NAME`: any server that speaks chat completions beneath URL.
    Compatible {
        /// Base address: http or https, without credentials or query.
        url: String,
        /// The server's name for the model.
        name: String,
    },
    /// `script:FILE`: a recorded or hand-written dialogue.
    Script {
        /// The file, as it was named.
        file: String,
    },
    /// `rules`: the embedded patterns.
    Rules,
}

impl FromStr for ModelSpec {
    type Err = Error;

    fn from_str(spec: &str) -> Result<Self, Error> {
        let unknown = |reason: &str| Error::UnknownModel { spec: shown(spec), reason: reason.to_owned() };
        if spec == "rules" {
            return Ok(Self::Rules);
        }
        if let Some(file) = spec.strip_prefix("script:") {
            return if file.is_empty() {
                Err(unknown("the file is missing after 'script:'"))
            } else {
                Ok(Self::Script { file: file.to_owned() })
            };
        }
        if let Some(rest) = spec.strip_prefix("openai-compatible:") {
            // The URL may hold a password, so the text is not repeated.
            let unknown = |reason: &str| Error::UnknownModel {
                spec: "openai-compatible:…".to_owned(),
                reason: reason.to_owned(),
            };
            let (url, name) =
                rest.split_once('#').ok_or_else(|| unknown("'#NAME' is missing after the URL"))?;
            endpoint::base_url(url).map_err(unknown)?;
            return Ok(Self::Compatible { url: url.to_owned(), name: model_name(name).map_err(unknown)? });
        }
        let Some((provider, name)) = spec.split_once('/') else {
            return Err(unknown("it names no provider"));
        };
        let with_name: fn(String) -> Self = match provider {
            "openai" => |name| Self::OpenAi { name },
            "anthropic" => |name| Self::Anthropic { name },
            "gemini" => |name| Self::Gemini { name },
            "ollama" => |name| Self::Ollama { name },
            _ => return Err(unknown("there is no such provider")),
        };
        model_name(name).map(with_name).map_err(unknown)
    }
}

impl fmt::Display for ModelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OpenAi { name } => write!(f, "openai/{name}"),
            Self::Anthropic { name } => write!(f, "anthropic/{name}"),
            Self::Gemini { name } => write!(f, "gemini/{name}"),
            Self::Ollama { name } => write!(f, "ollama/{name}"),
            Self::Compatible { url, name } => write!(f, "openai-compatible:{url}#{name}"),
            Self::Script { file } => write!(f, "script:{file}"),
            Self::Rules => f.write_str("rules"),
        }
    }
}

fn model_name(name: &str) -> Result<String, &'static str> {
    if name.is_empty() {
        Err("the name of the model is missing")
    } else if name.len() > 256
        || name.chars().any(|character| character.is_whitespace() || character.is_control())
    {
        Err("no model has such a name")
    } else {
        Ok(name.to_owned())
    }
}

/// The spec as a message shows it: one short line, whatever was given.
fn shown(spec: &str) -> String {
    let mut line: String = spec.chars().filter(|character| !character.is_control()).take(120).collect();
    if line.len() < spec.len() {
        line.push('…');
    }
    line
}
