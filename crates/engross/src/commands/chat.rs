//! `engross chat`: a conversation in the terminal, on a session that is kept, about one document or none.
//!
//! Must never send what was typed before it is durable, or change any file but the one it names.

mod document;
mod lines;
mod talk;
mod tell;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use engross_agent::session::{
    Models, RefusalKind, RequestError, SessionName, SessionView, Sessions, SessionsConfig,
    Settings as SessionSettings, Toolboxes, TurnRules,
};
use engross_agent::writing::Writer;
use engross_documents::Destination;
use engross_protocol::{Exit, Failure, IdSource, RandomIds, SystemClock};
use engross_store::Store;
use engross_store::files::Locks;
use tokio::sync::mpsc::unbounded_channel;

use super::CommandEnd;
use super::documents::open;
use crate::cli::ChatArgs;
use crate::compose::{model, sessions, writes};
use crate::failure::{of_delivery, usage};
use crate::output::note;
use crate::settings::{Environment, Flags, Settings};
use document::{ChatDocument, NoDocument, OneDocument};
use engross_http::canonical_key;
use talk::{Over, Talk};
use tell::{AnswerPrinter, Edits};

/// What stands before the names of sessions that begin here, in their canonical form.
const AGENT: &str = "agent:main:";

pub(crate) fn run(args: &ChatArgs, environment: &Environment) -> Result<CommandEnd, Failure> {
    if args.file.is_none() && (args.target.output.is_some() || args.target.in_place) {
        return Err(usage(
            "USAGE",
            "-o and --in-place say where edits go, so a document is needed: name its FILE",
        ));
    }
    let flags = Flags {
        config: args.config.clone(),
        author: args.author.clone(),
        model: args.model.clone(),
        untracked: args.untracked,
    };
    let settings = Settings::load(&flags, environment)?;
    let set = sessions::session_settings(&settings)?;
    let data = crate::compose::data::data_folder(args.data.as_deref())?;
    let document = document(args, &data)?;
    let key = match (&args.session, &document) {
        (Some(key), _) => {
            canonical_key(key).map_err(|error| usage("SESSION_KEY_INVALID", error.to_string()))?
        }
        (None, Some(document)) => format!("{AGENT}{}", document.name()),
        (None, None) => {
            let number = u128::from_be_bytes(RandomIds.next(engross_protocol::Clock::millis(&SystemClock)));
            format!("{AGENT}chat:{number:032x}")
        }
    };
    let models = Models::one(sessions::recalling(model::open(&settings, environment)?, &settings));
    let root = sessions::open_root(args.root.as_deref().unwrap_or(Path::new(".")))?;
    let writes = writes::open(root, Locks::new(), None)?;
    let writer = Writer::new(writes.clone(), None, settings.content_tools());
    let store: Arc<dyn Store> = Arc::new(sessions::open_file(&data)?);
    let ended = sessions::runtime()?.block_on(async {
        let parts = Parts { key, models, settings: set, writer, store: Arc::clone(&store) };
        let ended = tokio::select! {
            ended = chat(args, environment, document, parts) => ended,
            never = writes::look_after(&writes) => match never {},
        };
        let closed = store.close().await.map_err(|error| sessions::store_failure(&error));
        ended.and_then(|ended| closed.map(|()| ended))
    })?;
    Ok(match ended {
        Over::Quit(exit) => CommandEnd::With(exit),
        Over::Interrupted => CommandEnd::Interrupted("interrupted; what was done before stands"),
    })
}

/// The document, if one was named.
fn document(args: &ChatArgs, data: &Path) -> Result<Option<ChatDocument>, Failure> {
    let Some(path) = &args.file else { return Ok(None) };
    let (input, document) = open(path)?;
    // A chat goes on with its result, even when a person worked on that meanwhile.
    let target = match (&args.target.output, args.target.in_place) {
        (_, true) => path.clone(),
        (Some(output), false) => output.clone(),
        (None, false) => input.beside("redline"),
    };
    if !args.target.in_place {
        input.check(&Destination::NewFile(target.clone())).map_err(of_delivery)?;
    }
    ChatDocument::new(&input, document.source(), target, args.target.in_place, data).map(Some)
}

/// What a chat is made of.
struct Parts {
    key: String,
    models: Models,
    settings: SessionSettings,
    writer: Writer,
    store: Arc<dyn Store>,
}

async fn chat(
    args: &ChatArgs,
    environment: &Environment,
    document: Option<ChatDocument>,
    parts: Parts,
) -> Result<Over, Failure> {
    let Parts { key, models, settings, writer, store } = parts;
    let spec = models.get(None).info().spec;
    let (sender, edits) = unbounded_channel();
    let toolboxes: Arc<dyn Toolboxes> = match &document {
        Some(document) => Arc::new(OneDocument::new(document.workspace(), writer)),
        None => Arc::new(NoDocument::new(writer)),
    };
    let service = Sessions::new(SessionsConfig {
        store,
        models,
        rules: TurnRules::default(),
        settings,
        client_tools: Vec::new(),
        toolboxes,
        observers: vec![Arc::new(Edits::new(sender))],
        grace: Duration::from_secs(30),
        queue: 32,
        turns: 32,
        working: 32,
        node: Some(sessions::process_name()),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
    });
    let named = SessionName::Named(key.clone());
    let earlier = match service.get("", &named).await {
        Ok(view) => Some(view),
        Err(error) if error.code == "SESSION_UNKNOWN" => None,
        Err(error) => return Err(refusal(&error)),
    };
    if earlier.is_none()
        && let Some(document) = &document
    {
        document.must_be_new()?;
    }
    let teller = AnswerPrinter::new(environment.allows_colour());
    greet(args, &spec, &key, document.as_ref(), earlier.as_ref(), &teller);
    let mut talk = Talk::new(service.clone(), named, document, edits, teller)?;
    let over = talk.run().await;
    service.drain(Duration::ZERO).await;
    over
}

/// Says what this is about and how to come back to it, and how it ended last time.
fn greet(
    args: &ChatArgs,
    spec: &str,
    key: &str,
    document: Option<&ChatDocument>,
    earlier: Option<&SessionView>,
    teller: &AnswerPrinter,
) {
    let short = key.strip_prefix(AGENT).unwrap_or(key);
    let mut again = vec!["engross chat".to_owned()];
    again.extend(args.file.as_ref().map(|file: &PathBuf| file.display().to_string()));
    if document.is_none() || args.session.is_some() {
        again.push(format!("--session {short}"));
    }
    note(&format!("Model {spec}, session {short}. Go on later with: {}", again.join(" ")));
    if let Some(document) = document {
        note(&format!(
            "Edits go to {}; /undo takes back the last one, /help says more",
            document.shown().display()
        ));
    }
    if let Some(view) = earlier {
        teller.recall(&view.session.messages);
    }
}

/// A request that the session refused, as a failure of the command.
fn refusal(error: &RequestError) -> Failure {
    let exit = match error.kind {
        RefusalKind::Invalid => Exit::Usage,
        RefusalKind::Conflict | RefusalKind::NotFound | RefusalKind::Busy => Exit::Refused,
        RefusalKind::Unavailable => Exit::Io,
    };
    Failure::new(exit, error.code, error.to_string()).with_details((*error.details).clone())
}
