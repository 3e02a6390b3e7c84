//! How a command line becomes an exit code.
//!
//! Must never do the work of a command.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use engross_protocol::{Exit, Failure};

use crate::cli::{Cli, Command};
use crate::commands::CommandEnd;
#[cfg(feature = "acp")]
use crate::commands::acp;
#[cfg(feature = "mcp")]
use crate::commands::mcp;
use crate::commands::{
    agent_skill, apply, check, checkpoint, comments, compare, doctor, edit, html, markdown, package, read,
    resolve, review, revisions, verify,
};
#[cfg(feature = "server")]
use crate::commands::{agents_md, chat, keys, learn, serve, sessions, skills, task, transcript, word, write};
use crate::output::{Output, note};
use engross_compose::failure;
use engross_compose::settings::Environment;
#[cfg(feature = "otel")]
use engross_http::telemetry::Telemetry;

/// Exit code of a command that Ctrl-C ended: 128 and the signal's number, as shells have it.
const INTERRUPTED: u8 = 130;

/// Runs the command line.
pub(crate) fn run(arguments: Vec<OsString>) -> ExitCode {
    let environment = Environment::of_process();
    // Before anything else, and with no other thread: what is given up here is never had again.
    #[cfg(feature = "server")]
    if let Some(order) = environment.get(engross_sandbox::VARIABLE) {
        return ExitCode::from(engross_sandbox::supervise(order));
    }
    #[cfg(feature = "server")]
    if arguments.get(1).is_some_and(|command| command == engross_compose::isolation::COMMAND) {
        let rest: Vec<String> =
            arguments.iter().skip(2).map(|argument| argument.to_string_lossy().into_owned()).collect();
        return ExitCode::from(engross_compose::isolation::work(&rest));
    }
    let wants_json = arguments.iter().any(|argument| argument == "--json");
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, wants_json),
    };
    #[cfg(feature = "otel")]
    let telemetry = telemetry(&cli.command, &environment);
    // Who runs a server must see what goes wrong without having asked for it.
    let usual_filter = matches!(cli.command, Command::Serve(_)).then_some("engross=warn");
    start_log(
        environment.get("ENGROSS_LOG").or(usual_filter),
        #[cfg(feature = "otel")]
        telemetry.as_ref(),
    );
    let output = Output::new(cli.command.wants_json(), environment.allows_colour());
    let ended = match &cli.command {
        Command::Edit(args) => edit::run(args, &environment, output),
        Command::Read(args) => read::run(args, output),
        Command::Apply(args) => apply::run(args, &environment, output),
        Command::Accept(args) => resolve::accept(args, output),
        Command::Reject(args) => resolve::reject(args, output),
        Command::Compare(args) => compare::compare(args, &environment, output),
        Command::Diff(args) => compare::diff(args, output),
        Command::Merge(args) => compare::merge::merge(args, output),
        Command::Revisions(args) => revisions::run(args, output),
        Command::Comments(args) => comments::run(args, output),
        Command::Check(args) => check::run(args, output),
        Command::Review(args) => review::run(args, &environment, output),
        Command::Verify(args) => verify::run(args, output),
        Command::Checkpoint(args) => checkpoint::run(args, output),
        Command::ToMarkdown(args) => markdown::to_markdown(args, output),
        Command::ToHtml(args) => html::run(args, output),
        Command::FromMarkdown(args) => markdown::from_markdown(args, output),
        #[cfg(feature = "server")]
        Command::Write(args) => write::run(args, output),
        #[cfg(feature = "server")]
        Command::Chat(args) => chat::run(args, &environment),
        #[cfg(feature = "server")]
        Command::Serve(args) => serve::run(args, &environment),
        #[cfg(feature = "server")]
        Command::Sessions(args) => sessions::run(args, &environment, output),
        #[cfg(feature = "server")]
        Command::Keys(args) => keys::run(args, &environment, output),
        #[cfg(feature = "server")]
        Command::Task(args) => task::run(args, &environment, output),
        #[cfg(feature = "server")]
        Command::Learn(args) => learn::run(args, &environment, output),
        #[cfg(feature = "server")]
        Command::Transcript(args) => transcript::run(args, output),
        #[cfg(feature = "server")]
        Command::Skills(args) => skills::run(args, &environment, output),
        #[cfg(feature = "server")]
        Command::AgentsMd(args) => agents_md::run(args, &environment, output),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => mcp::run(args, &environment),
        #[cfg(feature = "acp")]
        Command::Acp(args) => acp::run(args, &environment),
        #[cfg(feature = "server")]
        Command::Word(args) => word::run(args, &environment, output),
        Command::AgentSkill(args) => agent_skill::run(args),
        Command::Doctor(args) => doctor::run(args, &environment, output),
        Command::Completions(args) => package::completions(args),
        Command::Man(args) => package::man(args),
        #[cfg(not(feature = "mcp"))]
        Command::Mcp(_) => Err(Failure::left_out("`engross mcp`", "mcp")),
        #[cfg(not(feature = "acp"))]
        Command::Acp(_) => Err(Failure::left_out("`engross acp`", "acp")),
        #[cfg(not(feature = "server"))]
        Command::Word(_) => Err(Failure::left_out("`engross word`", "server")),
        #[cfg(not(feature = "server"))]
        Command::Write(_) => Err(Failure::left_out("`engross write`", "server")),
        #[cfg(not(feature = "server"))]
        Command::Chat(_) => Err(Failure::left_out("`engross chat`", "server")),
        #[cfg(not(feature = "server"))]
        Command::Serve(_) => Err(Failure::left_out("`engross serve`", "server")),
        #[cfg(not(feature = "server"))]
        Command::Sessions(_) => Err(Failure::left_out("`engross sessions`", "server")),
        #[cfg(not(feature = "server"))]
        Command::Keys(_) => Err(Failure::left_out("`engross keys`", "server")),
        #[cfg(not(feature = "server"))]
        Command::Task(_) => Err(Failure::left_out("`engross task`", "server")),
        #[cfg(not(feature = "server"))]
        Command::Learn(_) => Err(Failure::left_out("`engross learn`", "server")),
        #[cfg(not(feature = "server"))]
        Command::Transcript(_) => Err(Failure::left_out("`engross transcript`", "server")),
        #[cfg(not(feature = "server"))]
        Command::Skills(_) => Err(Failure::left_out("`engross skills`", "server")),
        #[cfg(not(feature = "server"))]
        Command::AgentsMd(_) => Err(Failure::left_out("`engross agents-md`", "server")),
    };
    #[cfg(feature = "otel")]
    if let Some(telemetry) = telemetry {
        telemetry.finish();
    }
    match ended {
        Ok(CommandEnd::With(exit)) => ExitCode::from(exit as u8),
        Ok(CommandEnd::Interrupted(message)) => {
            output.failure(&Failure::new(Exit::Refused, "INTERRUPTED", message));
            ExitCode::from(INTERRUPTED)
        }
        Err(failure) => {
            output.failure(&failure);
            ExitCode::from(failure.exit as u8)
        }
    }
}

/// Help, version, or a command line that is wrong.
fn usage(error: &clap::Error, wants_json: bool) -> ExitCode {
    let text = error.render();
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let _ = error.print();
            ExitCode::SUCCESS
        }
        _ if wants_json => {
            let text = text.to_string();
            let message = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
            Output::new(true, false).failure(&failure::usage("USAGE", message));
            ExitCode::from(Exit::Usage as u8)
        }
        _ => {
            let _ = error.print();
            ExitCode::from(Exit::Usage as u8)
        }
    }
}

/// Sends logs to standard error, and spans to the one who was set for them.
fn start_log(filter: Option<&str>, #[cfg(feature = "otel")] telemetry: Option<&Telemetry>) {
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::util::SubscriberInitExt;
    use tracing_subscriber::{EnvFilter, Layer};
    let log = filter.and_then(|filter| match EnvFilter::try_new(filter) {
        Ok(filter) => {
            // Colours are for eyes: a file or another program gets none.
            let layer = tracing_subscriber::fmt::layer().with_ansi(std::io::stderr().is_terminal());
            Some(layer.with_writer(std::io::stderr).with_filter(filter))
        }
        Err(error) => {
            note(&format!("ENGROSS_LOG is not a log filter ({error}); nothing is logged"));
            None
        }
    });
    let is_wanted = log.is_some();
    let subscriber = tracing_subscriber::registry().with(log);
    #[cfg(feature = "otel")]
    let (is_wanted, subscriber) =
        (is_wanted || telemetry.is_some(), subscriber.with(telemetry.map(Telemetry::layer)));
    if is_wanted {
        let _ = subscriber.try_init();
    }
}

/// Sends spans of sessions, if somebody says where to.
#[cfg(feature = "otel")]
fn telemetry(command: &Command, environment: &Environment) -> Option<Telemetry> {
    use engross_compose::settings::COLLECTOR;
    let has_sessions = matches!(command, Command::Chat(_) | Command::Serve(_));
    let endpoint = environment.get(COLLECTOR).filter(|_| has_sessions)?;
    let started = Telemetry::start(endpoint);
    started.map_err(|problem| note(&format!("{COLLECTOR}: {problem}; no spans are sent"))).ok()
}
