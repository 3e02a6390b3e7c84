//! A conversation in the terminal, on a session that is kept, about one document or none: `engross chat`.
//!
//! Must never send what was typed before it is durable, or change any file but the one it names and those that its model writes;
//! know a command line.

mod approvals;
mod attachments;
mod commands;
mod conversation;
mod document;
mod lines;
mod requests;
mod talk;
mod tell;
mod terminal;
mod written;

#[cfg(test)]
mod attachments_tests;
#[cfg(test)]
mod commands_tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engross_agent::session::{Observer, SessionView, Toolboxes};
use engross_agent::workspace::Approver;
use engross_agent::writing::Writer;
use engross_documents::Destination;
use engross_protocol::{Clock, Failure, IdSource, RandomIds, SystemClock, hex};
use engross_store::Store;
use engross_store::files::{Folder, Locks, RelPath};
use engross_write::runner::{Reviewer, WriteService};
use sha2::{Digest, Sha256};
use tokio::sync::mpsc::unbounded_channel;

use approvals::Approvals;
use conversation::Conversation;
use document::{ChatDocument, NoDocument, OneDocument};
use engross_compose::console::note;
use engross_compose::data::{data_folder, open_document};
use engross_compose::failure::{of_delivery, usage};
use engross_compose::files::by_path;
use engross_compose::preferences::Preferences;
use engross_compose::sessions::SessionParts;
use engross_compose::settings::{Environment, Flags, ProgramSettings};
use engross_compose::{model, sessions, writes};
use engross_http::canonical_key;
use requests::AGENT;
pub use talk::Over;
use talk::Talk;
use tell::{AnswerPrinter, Outcomes};
use terminal::{StoredResults, Terminal, TerminalParts};
use written::WrittenFiles;

/// The file in the folder for data with what was typed at terminals.
const HISTORY: &str = "chat-history";

/// The folder there with unfinished content, a folder for each root.
const SPOOL: &str = "chat-writes";

/// What a chat is about, and where it happens.
#[derive(Debug, Clone, Default)]
pub struct ChatOptions {
    /// The document to talk about.
    pub file: Option<PathBuf>,
    /// Where its edits go, if not beside it.
    pub output: Option<PathBuf>,
    /// Whether they go into the document itself.
    pub in_place: bool,
    /// The folder whose text files the model may write; the current one without.
    pub root: Option<PathBuf>,
    /// The session to begin or to go on with; the document's own without.
    pub session: Option<String>,
    /// Whose document it is, where lessons are learnt from documents.
    pub client: Option<String>,
    /// Whether edits and files are made without asking.
    pub auto: bool,
    /// The folder for sessions and checkpoints; the platform's without.
    pub data: Option<PathBuf>,
    /// What was said above all other settings.
    pub flags: Flags,
}

/// Holds a conversation until its person ends it.
///
/// # Errors
///
/// The document cannot be read or its result not be written, the settings or the key are wrong, or the store fails.
pub fn run(args: &ChatOptions, environment: &Environment) -> Result<Over, Failure> {
    if args.file.is_none() && (args.output.is_some() || args.in_place) {
        return Err(usage(
            "USAGE",
            "-o and --in-place say where edits go, so a document is needed: name its FILE",
        ));
    }
    let settings = ProgramSettings::load(&args.flags, environment)?;
    let set = sessions::session_settings(&settings)?;
    let data = data_folder(args.data.as_deref())?;
    let document = document(args, &data)?;
    let key = match (&args.session, &document) {
        (Some(key), _) => {
            canonical_key(key).map_err(|error| usage("SESSION_KEY_INVALID", error.to_string()))?
        }
        (None, Some(document)) => format!("{AGENT}{}", document.name()),
        (None, None) => {
            let number = u128::from_be_bytes(RandomIds.next(SystemClock.millis()));
            format!("{AGENT}chat:{number:032x}")
        }
    };
    let model = sessions::recalling(model::open(&settings, environment)?, &settings);
    let preferences =
        Preferences::of(&settings).zip(document.as_ref().map(|document| document.shown().to_owned()));
    let kind = Preferences::kind(args.client.as_deref(), args.file.as_deref().unwrap_or(Path::new(".")));
    let model = match &preferences {
        Some((preferences, shown)) => {
            tell_observed(preferences, shown);
            preferences.recalling(model, &kind, &settings)
        }
        None => model,
    };
    let author = settings.author.value.clone();
    let before = preferences.as_ref().and_then(|(_, shown)| by_path::read(shown, u64::MAX).ok());
    let place = args.root.as_deref().unwrap_or(Path::new("."));
    let root = sessions::open_root(place)?;
    let (proposer, proposals) = unbounded_channel();
    // In a script, nobody is there to be asked.
    let approvals = terminal::is_there(environment).then(|| Approvals::new(proposer, args.auto));
    let reviewer = approvals.clone().map(|approvals| Arc::new(approvals) as Arc<dyn Reviewer>);
    let folder = by_path::absolute(place);
    let files = WrittenFiles { root: root.clone(), data: data.clone(), folder: folder.clone() };
    let keeper = Arc::new(writes::FolderKeeper { data: data.clone(), folder });
    let writes = writes::open(
        root.clone(),
        Locks::new(),
        spool(&data, place)?,
        (keeper, writes::Typesetter::default()),
        reviewer,
        &(Arc::new(SystemClock) as Arc<dyn Clock>),
    )?;
    let writer = Writer::new(writes.clone(), None, settings.content_tools());
    let approver = approvals.clone().map(|approvals| Arc::new(approvals) as Arc<dyn Approver>);
    let toolboxes: Arc<dyn Toolboxes> = match &document {
        Some(document) => Arc::new(OneDocument::new(document.workspace(), writer, approver)),
        None => Arc::new(NoDocument::new(writer)),
    };
    let store: Arc<dyn Store> = Arc::new(sessions::open_file(&data)?);
    let parts = |observer: Arc<dyn Observer>| {
        let store = Arc::clone(&store);
        let parts = SessionParts { settings: set, store, toolboxes, observers: vec![observer] };
        Conversation::new(parts, model, key, document)
    };
    let ended = sessions::runtime()?.block_on(async {
        let chat = async {
            match approvals {
                None => {
                    let (sender, outcomes) = unbounded_channel();
                    let conversation = parts(Arc::new(Outcomes::new(sender)));
                    let teller = AnswerPrinter::new(environment.allows_colour());
                    begin(args, &conversation, &teller).await?;
                    Talk::new(conversation, outcomes, teller, files)?.run().await
                }
                Some(approvals) => {
                    let (sender, results) = unbounded_channel();
                    let conversation = parts(Arc::new(StoredResults(sender)));
                    begin(args, &conversation, &AnswerPrinter::new(environment.allows_colour())).await?;
                    let parts = TerminalParts {
                        conversation,
                        approvals,
                        proposals,
                        results,
                        root,
                        files,
                        history: data.join(HISTORY),
                        settings,
                        environment: environment.clone(),
                    };
                    Terminal::new(parts)?.run().await
                }
            }
        };
        let ended = tokio::select! {
            ended = chat => ended,
            never = writes::look_after(&writes) => match never {},
        };
        forget_written(&writes);
        let closed = store.close().await.map_err(|error| sessions::store_failure(&error));
        ended.and_then(|ended| closed.map(|()| ended))
    })?;
    if let Some((preferences, shown)) = &preferences
        && let Ok((now, _)) = by_path::read(shown, u64::MAX)
        && before.is_none_or(|(before, _)| before != now)
    {
        preferences.record(shown, &[author], &kind);
    }
    Ok(ended)
}

/// Looks at what a person made of the document that this chat goes on with.
fn tell_observed(preferences: &Preferences, shown: &Path) {
    match preferences.observe(Some(shown)) {
        Ok(observed) if observed.effects.is_empty() => {}
        Ok(observed) => note(&format!(
            "{} of earlier changes were learnt from; see engross skills review --folder",
            observed.effects.len()
        )),
        Err(failure) => note(&format!("Earlier changes are not learnt from: {}", failure.message)),
    }
}

/// Where unfinished content of files beneath the folder `root` is kept: in the folder for data, so that nothing is left among a
/// person's own files.
fn spool(data: &Path, root: &Path) -> Result<Folder, Failure> {
    let name = hex::encode(Sha256::digest(by_path::absolute(root).as_os_str().as_encoded_bytes()));
    let name = name.get(..16).unwrap_or(&name);
    Ok(sessions::open_root(data)?.make_folder(&RelPath::parse(&format!("{SPOOL}/{name}"))?)?)
}

/// Of a file that is written nothing has to be kept.
fn forget_written(writes: &WriteService) {
    let sessions = writes.sessions();
    for view in sessions.list() {
        if view.receipt.is_some() {
            // What cannot be removed now is swept later.
            let _ = sessions.forget(view.id);
        }
    }
}

/// The document, if one was named.
fn document(args: &ChatOptions, data: &Path) -> Result<Option<ChatDocument>, Failure> {
    let Some(path) = &args.file else { return Ok(None) };
    let (input, document) = open_document(path)?;
    // A chat goes on with its result, even when a person worked on that meanwhile.
    let target = match (&args.output, args.in_place) {
        (_, true) => path.clone(),
        (Some(output), false) => output.clone(),
        (None, false) => input.beside("redline"),
    };
    if !args.in_place {
        input.check_document(&Destination::NewFile(target.clone())).map_err(of_delivery)?;
    }
    ChatDocument::new(&input, document.source(), target, args.in_place, data).map(Some)
}

/// Says what the chat is about, once it is clear that it may begin.
async fn begin(
    args: &ChatOptions,
    conversation: &Conversation,
    teller: &AnswerPrinter,
) -> Result<(), Failure> {
    let earlier = conversation.view().await?;
    if earlier.is_none()
        && let Some(document) = &conversation.document
    {
        document.must_be_new()?;
    }
    greet(args, conversation, earlier.as_ref(), teller);
    Ok(())
}

/// Says what this is about and how to come back to it, and how it ended last time.
fn greet(
    args: &ChatOptions,
    conversation: &Conversation,
    earlier: Option<&SessionView>,
    teller: &AnswerPrinter,
) {
    let (spec, short) = (&conversation.spec, conversation.short_key());
    let document = conversation.document.as_ref();
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
        let writing =
            view.session.turn.iter().filter_map(|turn| turn.writing.as_ref()).map(|writing| &writing.file);
        for file in view.session.left.keys().chain(writing) {
            note(&format!("{file} is incomplete; say \"go on\" to have the rest of it"));
        }
    }
}
