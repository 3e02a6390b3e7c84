//! `engross doctor`: what this installation would do, and why.
//!
//! Must never show a key, and never ask a provider anything.

use std::fmt::Write as _;

use engross_documents::change::printable;
use engross_llm::ModelSpec;
use engross_protocol::{Exit, Failure};
use serde::Serialize;
use serde_json::{Value, json};

use super::CommandEnd;
use crate::cli::DoctorArgs;
use crate::output::Output;
use engross_compose::files::check_folder;
#[cfg(feature = "server")]
use engross_compose::settings::SandboxWhen;
use engross_compose::settings::{
    ADDRESSES, COLLECTOR, Environment, Flags, KEYS, Origin, ProgramSettings, SETTINGS,
};

#[derive(Serialize)]
struct Answer {
    version: &'static str,
    config: Config,
    settings: Vec<Row>,
    providers: Vec<Row>,
    model: Value,
    checks: Vec<Check>,
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Config {
    path: Option<String>,
    exists: bool,
}

/// A value and where it came from.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    value: Value,
    origin: String,
}

/// Something that must hold.
#[derive(Serialize)]
struct Check {
    name: &'static str,
    ok: bool,
    message: String,
}

/// An optional program.
#[derive(Serialize)]
struct Part {
    name: &'static str,
    path: Option<String>,
    purpose: &'static str,
}

pub(crate) fn run(
    args: &DoctorArgs,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let flags = Flags { config: args.common.config.clone(), ..Flags::default() };
    let settings = ProgramSettings::load(&flags, environment)?;
    let given = settings.model.value.as_deref().unwrap_or("rules");
    let (model, model_check) = model("model", given, &settings, environment);
    let mut checks = vec![model_check];
    if let Some(slow) = &settings.slow_model.value {
        checks.push(self::model("slow model", slow, &settings, environment).1);
    }
    #[cfg(feature = "server")]
    if settings.client_tools.value.is_some() {
        checks.push(client_tools(&settings));
    }
    #[cfg(feature = "server")]
    checks.push(sandbox(&settings));
    checks.extend([temporary_folder(), variables(environment), telemetry(environment)]);
    let answer = Answer {
        version: env!("CARGO_PKG_VERSION"),
        config: Config {
            path: settings.file.as_ref().map(|file| file.path.display().to_string()),
            exists: settings.file.as_ref().is_some_and(|file| file.exists),
        },
        settings: rows(&settings),
        providers: KEYS.iter().chain(ADDRESSES).map(|name| provider(name, environment)).collect(),
        model,
        checks,
        parts: vec![Part {
            name: "soffice",
            path: environment.find_program("soffice").map(|path| path.display().to_string()),
            purpose: "LibreOffice: the tests compare with it",
        }],
    };
    output.answer(&answer, || text(&answer))?;
    let is_well = answer.checks.iter().all(|check| check.ok);
    Ok(CommandEnd::With(if is_well { Exit::Done } else { Exit::Refused }))
}

fn rows(settings: &ProgramSettings) -> Vec<Row> {
    let row = |name, value: Value, origin: &Origin| Row { name, value, origin: origin.to_string() };
    let mut rows = vec![
        row("author", json!(settings.author.value), &settings.author.origin),
        row("model", json!(settings.model.value), &settings.model.origin),
        row("slow_model", json!(settings.slow_model.value), &settings.slow_model.origin),
        row("untracked", json!(settings.untracked.value), &settings.untracked.origin),
        row("max_rounds", json!(settings.max_rounds.value), &settings.max_rounds.origin),
        row("system_prompt", json!(settings.system_prompt.value), &settings.system_prompt.origin),
        row("history_turns", json!(settings.history_turns.value), &settings.history_turns.origin),
        row("history_tokens", json!(settings.history_tokens.value), &settings.history_tokens.origin),
        row("history_summary", json!(settings.history_summary.value), &settings.history_summary.origin),
        row("client_tools", json!(settings.client_tools.value), &settings.client_tools.origin),
        row(
            "tool_json_fallback",
            json!(settings.tool_json_fallback.value),
            &settings.tool_json_fallback.origin,
        ),
        row("tool_free_text", json!(settings.tool_free_text.value), &settings.tool_free_text.origin),
        row("agents", json!(settings.agents.keys().collect::<Vec<_>>()), &settings.agents_origin()),
        row("session_by_user", json!(settings.session_by_user.value), &settings.session_by_user.origin),
        row("model_timeout", json!(settings.model_timeout.value), &settings.model_timeout.origin),
        row("skillbook", json!(settings.skillbook.value), &settings.skillbook.origin),
        row("skill_tokens", json!(settings.skill_tokens.value), &settings.skill_tokens.origin),
        row("document_lessons", json!(settings.document_lessons.value), &settings.document_lessons.origin),
    ];
    // Of a server's settings those that were given; the token and addresses with passwords are nobody's business here.
    let given = settings.serve.given().map(|(key, origin)| row(key, json!("set"), origin));
    rows.extend(given);
    rows
}

fn provider(name: &'static str, environment: &Environment) -> Row {
    let shown = match environment.get(name) {
        None => "not set",
        // An address can hold a password, too.
        Some(value) if ADDRESSES.contains(&name) && !value.contains('@') => value,
        Some(_) => "set",
    };
    let origin = if shown == "not set" { Origin::Default.to_string() } else { name.to_owned() };
    Row { name, value: json!(shown), origin }
}

/// A model, and whether it can be opened. Nothing is sent.
fn model(
    name: &'static str,
    given: &str,
    settings: &ProgramSettings,
    environment: &Environment,
) -> (Value, Check) {
    let opened = given
        .parse()
        .map_err(Failure::from)
        .and_then(|spec: ModelSpec| engross_compose::model::open_spec(&spec, settings, environment));
    match opened {
        Ok(model) => {
            let info = model.info();
            let message = if info.language_model {
                format!("{} can be asked", info.spec)
            } else {
                format!("{} works offline and is not a language model", info.spec)
            };
            let shown = json!({"spec": info.spec, "languageModel": info.language_model, "ready": true});
            (shown, Check { name, ok: true, message })
        }
        Err(failure) => {
            let shown = json!({"spec": given, "ready": false, "code": failure.code});
            (shown, Check { name, ok: false, message: failure.message })
        }
    }
}

/// Whether the tools of clients can be read.
#[cfg(feature = "server")]
fn client_tools(settings: &ProgramSettings) -> Check {
    let name = "client tools";
    match engross_compose::sessions::client_tools(settings) {
        Ok(tools) => Check { name, ok: true, message: format!("{} are declared", tools.len()) },
        Err(failure) => Check { name, ok: false, message: failure.message },
    }
}

fn temporary_folder() -> Check {
    let name = "temporary folder";
    let folder = std::env::temp_dir();
    match check_folder(&folder) {
        Ok(()) => Check { name, ok: true, message: format!("{} can be written", folder.display()) },
        Err(error) => Check { name, ok: false, message: error.to_string() },
    }
}

/// Whether agents of other makers can be fenced in.
#[cfg(feature = "server")]
fn sandbox(settings: &ProgramSettings) -> Check {
    let name = "sandbox of agents";
    let support = engross_sandbox::Support::of_kernel();
    let must = settings.sandbox.mode == SandboxWhen::On;
    match (support.missing(), support.gap(), settings.sandbox.mode) {
        (Some(problem), ..) => {
            let then = if must { "no agent is started" } else { "agents run without one" };
            Check { name, ok: !must, message: format!("not available, so {then}: {problem}") }
        }
        (None, _, SandboxWhen::Off) => {
            let message = format!(
                "Landlock {} and seccomp are there; off by the settings, on for a task with --sandbox on",
                support.landlock
            );
            Check { name, ok: true, message }
        }
        (None, Some(gap), _) => Check { name, ok: true, message: format!("on, but {gap}") },
        (None, None, when) => {
            let who = match when {
                SandboxWhen::On => "for all agents",
                _ => "for agents whose login files are known and do not renew themselves",
            };
            let message = format!("on {who}: Landlock {} and seccomp", support.landlock);
            Check { name, ok: true, message }
        }
    }
}

/// A misspelt variable would otherwise go unnoticed.
fn variables(environment: &Environment) -> Check {
    let unknown = environment.unknown(SETTINGS);
    let message = if unknown.is_empty() {
        "no unknown ENGROSS_ variable is set".to_owned()
    } else {
        format!("unknown variables are set and ignored: {}", unknown.join(", "))
    };
    Check { name: "environment", ok: unknown.is_empty(), message }
}

/// Whether spans are sent, and where to.
#[cfg(feature = "otel")]
fn telemetry(environment: &Environment) -> Check {
    let name = "telemetry";
    match environment.get(COLLECTOR).map(engross_http::telemetry::address) {
        None => Check { name, ok: true, message: format!("{COLLECTOR} is not set, so no spans are sent") },
        Some(Ok(address)) => {
            // Behind the path there may be a key.
            let shown = address.split('?').next().unwrap_or_default();
            Check { name, ok: true, message: format!("spans are sent to {shown}") }
        }
        Some(Err(problem)) => Check { name, ok: false, message: format!("{COLLECTOR}: {problem}") },
    }
}

/// Whether a variable that others may have set for all programs means nothing to this one.
#[cfg(not(feature = "otel"))]
fn telemetry(environment: &Environment) -> Check {
    let ignored = environment.get(COLLECTOR).map(|_| format!("{COLLECTOR} is set and ignored: "));
    let message = format!("{}built without otel", ignored.unwrap_or_default());
    Check { name: "telemetry", ok: true, message }
}

/// A value on one line.
fn shown(text: &str) -> String {
    let shown: String = printable(text).chars().take(100).collect();
    if text.chars().nth(100).is_some() { format!("{shown}…") } else { shown }
}

fn text(answer: &Answer) -> String {
    let mut out = format!("engross {}\n\n", answer.version);
    let path = answer.config.path.as_deref().unwrap_or("no folder for settings on this platform");
    let exists = if answer.config.exists { "" } else { " (does not exist)" };
    let _ = writeln!(out, "Settings file: {path}{exists}\n");
    for (title, rows) in [("Settings", &answer.settings), ("Providers", &answer.providers)] {
        let _ = writeln!(out, "{title}");
        for row in rows {
            let value = match &row.value {
                Value::Null => "–".to_owned(),
                Value::String(text) => shown(text),
                other => other.to_string(),
            };
            let _ = writeln!(out, "  {:<26} {value:<24} {}", row.name, row.origin);
        }
        out.push('\n');
    }
    out.push_str("Checks\n");
    for check in &answer.checks {
        let _ =
            writeln!(out, "  {:<26} {:<5} {}", check.name, if check.ok { "ok" } else { "NO" }, check.message);
    }
    out.push_str("\nOptional parts\n");
    for part in &answer.parts {
        let path = part.path.as_deref().unwrap_or("not found");
        let _ = writeln!(out, "  {:<26} {path}  ({})", part.name, part.purpose);
    }
    out
}
