//! `engross acp --setup`: chooses the model that answers, in a terminal that the editor opens.
//!
//! Must never ask for a key, print one or store one: keys stay in the environment.

use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Duration;

use engross_llm::{Limits, Message, Model, ModelSpec, Request, collect_within};
use engross_protocol::{Exit, Failure};
use toml_edit::{DocumentMut, value};

use crate::commands::CommandEnd;
use engross_compose::failure::usage;
use engross_compose::files::{by_path, read_optional_text};
use engross_compose::settings::{Environment, ProgramSettings};
use engross_compose::{model, sessions};

/// How long a model may take to say one word; one on this machine is loaded first.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often a question is put again.
const TRIES: usize = 5;

/// Where models come from: name, what stands before the model's name, the variable with the key.
const SOURCES: &[(&str, &str, Option<&str>)] = &[
    ("Anthropic", "anthropic/", Some("ANTHROPIC_API_KEY")),
    ("OpenAI", "openai/", Some("OPENAI_API_KEY")),
    ("Google Gemini", "gemini/", Some("GEMINI_API_KEY")),
    ("Ollama, on this machine", "ollama/", None),
    ("Another server that speaks chat completions (LM Studio, vLLM, llama.cpp)", "openai-compatible:", None),
    ("No language model: the embedded rules, a few patterns that work offline", "rules", None),
];

/// A terminal, or what stands in for one.
struct Dialogue<I, O> {
    input: I,
    output: O,
}

/// Asks, tries the model, and keeps the choice in the settings file.
pub(super) fn run(
    settings: &ProgramSettings,
    environment: &Environment,
    input: impl BufRead,
    output: impl Write,
) -> Result<CommandEnd, Failure> {
    let mut dialogue = Dialogue { input, output };
    let Some(file) = settings.file.as_ref().map(|file| file.path.clone()) else {
        return Err(usage("USAGE", "this platform has no folder for settings; name a file with --config"));
    };
    let now = settings.model.value.as_deref().unwrap_or("rules");
    dialogue.say(&format!("engross answers with the model {now} now. Which one is to answer?\n"))?;
    for (number, (name, ..)) in (1..).zip(SOURCES) {
        dialogue.say(&format!("  {number}  {name}"))?;
    }
    let (prefix, key) = dialogue.choose()?;
    let spec = dialogue.spec(prefix)?;
    dialogue.say(&format!("Trying {spec} …"))?;
    let tried = model::open_spec(&spec, settings, environment).and_then(|model| try_out(&*model));
    let exit = match tried {
        Ok(()) => {
            dialogue.say("It answers.")?;
            Exit::Done
        }
        Err(failure) => {
            dialogue.say(&format!("It does not answer: {} [{}]", failure.message, failure.code))?;
            if failure.code == "MODEL_KEY_MISSING"
                && let Some(key) = key
            {
                dialogue.say(&format!(
                    "Set {key} in the environment of the editor. In Zed: \
                     \"agent_servers\": {{\"engross\": {{\"env\": {{\"{key}\": \"…\"}}}}}}"
                ))?;
            }
            if !dialogue.agrees("Keep this choice all the same? [y/N]")? {
                dialogue.say("Nothing was changed.")?;
                return Ok(CommandEnd::With(Exit::Refused));
            }
            Exit::Refused
        }
    };
    keep(&file, &spec.to_string())?;
    dialogue.say(&format!("{} has it now. Begin a new thread in the editor.", file.display()))?;
    Ok(CommandEnd::With(exit))
}

impl<I: BufRead, O: Write> Dialogue<I, O> {
    fn say(&mut self, words: &str) -> Result<(), Failure> {
        let written = writeln!(self.output, "{words}").and_then(|()| self.output.flush());
        written.map_err(|error| Failure::new(Exit::Io, "OUTPUT_FAILED", format!("the terminal: {error}")))
    }

    fn ask(&mut self, question: &str) -> Result<String, Failure> {
        self.say(question)?;
        let mut line = String::new();
        match self.input.read_line(&mut line) {
            Ok(read) if read > 0 => Ok(line.trim().to_owned()),
            _ => Err(usage("USAGE", "the setup was broken off; nothing was changed")),
        }
    }

    fn agrees(&mut self, question: &str) -> Result<bool, Failure> {
        Ok(matches!(self.ask(question)?.to_ascii_lowercase().as_str(), "y" | "yes"))
    }

    /// What stands before the model's name, and the variable with its key.
    fn choose(&mut self) -> Result<(&'static str, Option<&'static str>), Failure> {
        for _ in 0..TRIES {
            let answer = self.ask("Number:")?;
            let chosen = answer.parse::<usize>().ok().and_then(|number| SOURCES.get(number.checked_sub(1)?));
            if let Some((_, prefix, key)) = chosen {
                return Ok((prefix, *key));
            }
            self.say(&format!("'{answer}' is none of the numbers 1 to {}.", SOURCES.len()))?;
        }
        Err(usage("USAGE", "no number was chosen; nothing was changed"))
    }

    fn spec(&mut self, prefix: &str) -> Result<ModelSpec, Failure> {
        for _ in 0..TRIES {
            let text = match prefix {
                "rules" => "rules".to_owned(),
                "openai-compatible:" => {
                    let address = self.ask("Its address, such as http://localhost:1234/v1:")?;
                    let name = self.ask("The server's name for the model:")?;
                    format!("{prefix}{address}#{name}")
                }
                _ => format!("{prefix}{}", self.ask("The provider's name for the model:")?),
            };
            match text.parse::<ModelSpec>() {
                Ok(spec) => return Ok(spec),
                Err(error) => self.say(&format!("{error}"))?,
            }
        }
        Err(usage("USAGE", "no model was named; nothing was changed"))
    }
}

/// Has a model say one word.
fn try_out(model: &dyn Model) -> Result<(), Failure> {
    if !model.info().language_model {
        return Ok(());
    }
    let messages = vec![Message::user("Answer with the one word: ready")];
    let request = Request { messages, ..Request::default() };
    sessions::runtime()?.block_on(async {
        let answer = collect_within(Limits::default(), model.answer(request), |_| {});
        match tokio::time::timeout(PATIENCE, answer).await {
            Ok(answer) => answer.map(drop).map_err(Failure::from),
            Err(_) => {
                Err(Failure::new(Exit::Model, "MODEL_TIMEOUT", "the model has said nothing for two minutes"))
            }
        }
    })
}

/// Puts the model into the settings file; all else in it stays.
fn keep(file: &Path, spec: &str) -> Result<(), Failure> {
    let text = read_optional_text(file)?.unwrap_or_default();
    let mut settings: DocumentMut = text.parse().map_err(|error| {
        usage("CONFIG_INVALID", format!("{}: the file is not valid TOML: {error}", file.display()))
    })?;
    settings["model"] = value(spec);
    if let Some(folder) = file.parent() {
        by_path::make_folder(folder)?;
    }
    by_path::write(file, settings.to_string().as_bytes(), None)?;
    Ok(())
}
