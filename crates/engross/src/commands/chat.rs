//! `engross chat`: a conversation in the terminal, on a session that is kept, about one document or none.
//!
//! Must never send what was typed before it is durable, or change any file but the one it names.

mod desk;
mod lines;
mod talk;
mod tell;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use engross_agent::session::{
    Models, RefusalKind, RequestError, Rules, SessionKey, SessionView, Sessions, SessionsConfig,
    Settings as SessionSettings, Toolboxes,
};
use engross_agent::writing::Writer;
use engross_docx::{Limits, WordDocument};
use engross_protocol::{Exit, Failure, IdSource, RandomIds, SystemClock};
use engross_store::Store;
use engross_store::files::Locks;
use tokio::sync::mpsc::unbounded_channel;

use super::{Ended, model, sessions, writes};
use crate::cli::ChatArgs;
use crate::delivery::destination;
use crate::failure::{self, usage};
use crate::files::read_input;
use crate::output::note;
use crate::serve::canonical_key;
use crate::settings::{Environment, Flags, Settings};
use desk::{Desk, NoDocument, OneDocument};
use talk::{Over, Talk};
use tell::{Edits, Teller};

/// What stands before the names of sessions that begin here, in their canonical form.
const AGENT: &str = "agent:main:";

pub(super) fn run(args: &ChatArgs, environment: &Environment) -> Result<Ended, Failure> {
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
    let data = sessions::data_folder(args.data.as_deref())?;
    let desk = desk(args, &data)?;
    let key = match (&args.session, &desk) {
        (Some(key), _) => {
            canonical_key(key).map_err(|error| usage("SESSION_KEY_INVALID", error.to_string()))?
        }
        (None, Some(desk)) => format!("{AGENT}{}", desk.name()),
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
            ended = chat(args, environment, desk, parts) => ended,
            never = writes::look_after(&writes) => match never {},
        };
        let closed = store.close().await.map_err(|error| sessions::store_failure(&error));
        ended.and_then(|ended| closed.map(|()| ended))
    })?;
    Ok(match ended {
        Over::Quit(exit) => Ended::With(exit),
        Over::Interrupted => Ended::Interrupted("interrupted; what was done before stands"),
    })
}

/// The document, if one was named.
fn desk(args: &ChatArgs, data: &Path) -> Result<Option<Desk>, Failure> {
    let Some(path) = &args.file else { return Ok(None) };
    let (input, bytes) = read_input(path)?;
    WordDocument::open(bytes.clone(), &Limits::default())
        .map_err(|error| failure::of_document(path, &error))?;
    let target = destination(&input, &args.target, "redline")?;
    Desk::new(&input, bytes, &target, args.target.in_place, data).map(Some)
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
    desk: Option<Desk>,
    parts: Parts,
) -> Result<Over, Failure> {
    let Parts { key, models, settings, writer, store } = parts;
    let spec = models.get(None).info().spec;
    let (sender, edits) = unbounded_channel();
    let toolboxes: Arc<dyn Toolboxes> = match &desk {
        Some(desk) => Arc::new(OneDocument::new(desk.workspace(), writer)),
        None => Arc::new(NoDocument::new(writer)),
    };
    let service = Sessions::new(SessionsConfig {
        store,
        models,
        rules: Rules::default(),
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
    let named = SessionKey::Named(key.clone());
    let earlier = match service.look("", &named).await {
        Ok(view) => Some(view),
        Err(error) if error.code == "SESSION_UNKNOWN" => None,
        Err(error) => return Err(refusal(&error)),
    };
    if earlier.is_none()
        && let Some(desk) = &desk
    {
        desk.must_be_new()?;
    }
    let teller = Teller::new(environment.allows_colour());
    greet(args, &spec, &key, desk.as_ref(), earlier.as_ref(), &teller);
    let mut talk = Talk::new(service.clone(), named, desk, edits, teller)?;
    let over = talk.run().await;
    service.drain(Duration::ZERO).await;
    over
}

/// Says what this is about and how to come back to it, and how it ended last time.
fn greet(
    args: &ChatArgs,
    spec: &str,
    key: &str,
    desk: Option<&Desk>,
    earlier: Option<&SessionView>,
    teller: &Teller,
) {
    let short = key.strip_prefix(AGENT).unwrap_or(key);
    let mut again = vec!["engross chat".to_owned()];
    again.extend(args.file.as_ref().map(|file: &PathBuf| file.display().to_string()));
    if desk.is_none() || args.session.is_some() {
        again.push(format!("--session {short}"));
    }
    note(&format!("Model {spec}, session {short}. Go on later with: {}", again.join(" ")));
    if let Some(desk) = desk {
        note(&format!(
            "Edits go to {}; /undo takes back the last one, /help says more",
            desk.shown().display()
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
