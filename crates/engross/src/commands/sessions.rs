//! `engross sessions`: what is stored of conversations, for the one who looks after a server.
//!
//! Must never change a session, but delete it whole.

use std::path::Path;
use std::sync::Arc;

use engross_agent::session::{
    CopyOutcome, SessionName, StoredSession, copy_stored, delete_stored, find_stored, read_stored,
    stored_sessions,
};
use engross_documents::change::printable_lines;
use engross_http::{DEFAULT_OWNER, canonical_key, exports};
use engross_llm::Message;
use engross_protocol::{Clock as _, Exit, Failure, SessionId, SystemClock, Timestamp};
use engross_store::Store;
use serde_json::{Value, json};

use super::CommandEnd;
use crate::cli::{DeleteSessionsArgs, SessionPlaceArgs, SessionsArgs, SessionsCommand};
use crate::output::{Output, note, print};
use engross_compose::data::data_path;
use engross_compose::failure::usage;
use engross_compose::files;
use engross_compose::owner::{name_problem, principal_of};
use engross_compose::server::open_store;
use engross_compose::sessions::{process_name, runtime, store_failure};
use engross_compose::settings::{Environment, Flags, ProgramSettings, ServeSettings};

/// Milliseconds of a day.
const DAY: u64 = 24 * 60 * 60_000;

/// Entries that are written at once.
const PAGE: usize = 256;

pub(crate) fn run(
    args: &SessionsArgs,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    runtime()?.block_on(async {
        let opened = OpenedStore::open(args.command.place(), environment).await?;
        let ended = opened.carry_out(&args.command, output).await;
        opened.store.close().await.map_err(|error| store_failure(&error))?;
        ended.map(CommandEnd::With)
    })
}

/// The store of a server, and what else keeps something of its sessions.
struct OpenedStore {
    store: Arc<dyn Store>,
    settings: ServeSettings,
}

impl OpenedStore {
    async fn open(place: &SessionPlaceArgs, environment: &Environment) -> Result<Self, Failure> {
        let flags = Flags { config: place.config.clone(), ..Flags::default() };
        let settings = ProgramSettings::load(&flags, environment)?.serve;
        let data = data_path(place.data.as_deref().or(settings.path("data").as_deref()))?;
        let name = place.store.as_deref().or(settings.text("store")).unwrap_or("sqlite");
        if name == "memory" {
            return Err(usage(
                "USAGE",
                "a store in memory is gone with its server; name another one with --store",
            ));
        }
        if name == "sqlite" && !data.join(engross_compose::sessions::FILE).is_file() {
            let message =
                format!("there are no sessions in {}; name the server's folder with --data", data.display());
            return Err(Failure::new(Exit::Usage, "NOT_FOUND", message));
        }
        Ok(Self { store: open_store(name, &data).await?, settings })
    }

    async fn carry_out(&self, command: &SessionsCommand, output: Output) -> Result<Exit, Failure> {
        match command {
            SessionsCommand::List(args) => {
                let found = self.of_owner(args.owner.as_deref()).await?;
                let rows: Vec<Value> = found.iter().map(row).collect();
                output.answer(&json!({"sessions": rows}), || found.iter().map(line).collect())?;
            }
            SessionsCommand::Show(args) => {
                let id = self.find(&args.session, &args.owner).await?;
                self.show(id, output).await?;
            }
            SessionsCommand::Export(args) => {
                let id = self.find(&args.session, &args.owner).await?;
                self.export(id).await?;
            }
            SessionsCommand::Delete(args) => return self.delete(args, output).await,
            SessionsCommand::Copy(args) => {
                return self.copy(&args.to, args.owner.as_deref(), output).await;
            }
        }
        Ok(Exit::Done)
    }

    async fn of_owner(&self, owner: Option<&str>) -> Result<Vec<StoredSession>, Failure> {
        let principal = owner.map(checked).transpose()?;
        stored_sessions(&*self.store, principal).await.map_err(|error| failure(&error))
    }

    async fn find(&self, session: &str, owner: &str) -> Result<SessionId, Failure> {
        let key = canonical_key(session).map_err(|error| usage("USAGE", error.to_string()))?;
        let key = SessionName::Named(key);
        find_stored(&*self.store, checked(owner)?, &key).await.map_err(|error| failure(&error))
    }

    async fn show(&self, id: SessionId, output: Output) -> Result<(), Failure> {
        let state = read_stored(&*self.store, id).await.map_err(|error| failure(&error))?;
        let state = state.unwrap_or_default();
        let shown = json!({"id": id, "key": state.key, "turns": state.turns, "messages": state.messages});
        output.answer(&shown, || {
            state.messages.iter().map(|message| printable_lines(&spoken(message)) + "\n").collect()
        })
    }

    async fn export(&self, id: SessionId) -> Result<(), Failure> {
        let mut after = 0;
        loop {
            let page = self.store.entries(id, after, PAGE).await.map_err(|error| store_failure(&error))?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.seq;
            for entry in page {
                let event: Value = serde_json::from_slice(&entry.body).unwrap_or(Value::Null);
                let at = Timestamp::from_millis(entry.at).to_string();
                print(&format!("{}\n", json!({"seq": entry.seq, "at": at, "entry": event})))?;
            }
        }
    }

    async fn delete(&self, args: &DeleteSessionsArgs, output: Output) -> Result<Exit, Failure> {
        let mut ids = Vec::new();
        for session in &args.sessions {
            ids.push(self.find(session, &args.owner).await?);
        }
        let now = SystemClock.millis();
        if let Some(days) = args.older_than {
            let found = self.of_owner(Some(&args.owner)).await?;
            let age = days.saturating_mul(DAY);
            ids.extend(found.iter().filter(|one| now.saturating_sub(one.changed) >= age).map(|one| one.id));
        }
        let holder = process_name();
        let (mut deleted, mut left) = (Vec::new(), Vec::new());
        for id in ids {
            match delete_stored(&*self.store, id, (&holder, now)).await {
                Ok(_) => {
                    self.erase(id).await?;
                    deleted.push(id.to_string());
                }
                Err(error) => {
                    note(&format!("{id} stays: {} [{}]", error.message, error.code));
                    left.push(id.to_string());
                }
            }
        }
        output
            .answer(&json!({"deleted": deleted, "left": left}), || format!("{} deleted\n", deleted.len()))?;
        Ok(if left.is_empty() { Exit::Done } else { Exit::Refused })
    }

    /// Takes away what was made of a session besides, as the settings say where that is.
    async fn erase(&self, id: SessionId) -> Result<(), Failure> {
        if let Some(folder) = self.settings.path("transcripts") {
            files::by_path::remove(&folder.join(format!("{id}.jsonl")))?;
        }
        if let Some(url) = self.settings.text("traces") {
            exports::erase_traces(url, id).await?;
        }
        Ok(())
    }

    async fn copy(&self, to: &str, owner: Option<&str>, output: Output) -> Result<Exit, Failure> {
        let is_address = to.starts_with("postgres://") || to.starts_with("postgresql://");
        let (name, folder) = if is_address { (to, Path::new("")) } else { ("sqlite", Path::new(to)) };
        if !is_address {
            files::make_private_folder(folder)?;
        }
        let target = open_store(name, folder).await?;
        let mut found = self.of_owner(owner).await?;
        // The oldest first, so that what is listed by age stays in its order.
        found.reverse();
        let holder = process_name();
        let (mut copied, mut known, mut left) = (0, 0, Vec::new());
        for one in &found {
            let now = SystemClock.millis();
            match copy_stored(&*self.store, &*target, one.id, (&holder, now)).await {
                Ok(CopyOutcome::Copied) => copied += 1,
                Ok(CopyOutcome::Known) => known += 1,
                Err(error) => {
                    note(&format!("{} is not copied: {} [{}]", one.id, error.message, error.code));
                    left.push(json!({"id": one.id, "code": error.code}));
                }
            }
        }
        target.close().await.map_err(|error| store_failure(&error))?;
        output.answer(&json!({"copied": copied, "known": known, "left": left}), || {
            format!("{copied} copied, {known} were there, {} left\n", left.len())
        })?;
        Ok(if left.is_empty() { Exit::Done } else { Exit::Refused })
    }
}

/// The owner in the words of sessions.
fn checked(owner: &str) -> Result<&str, Failure> {
    match name_problem(owner) {
        Some(problem) => Err(usage("USAGE", format!("the owner cannot be called so: {problem}"))),
        None => Ok(principal_of(owner)),
    }
}

fn failure(error: &engross_agent::session::RequestError) -> Failure {
    Failure::new(Exit::Refused, error.code, error.message.clone())
}

fn owner_of(session: &StoredSession) -> &str {
    if session.principal.is_empty() { DEFAULT_OWNER } else { &session.principal }
}

fn row(session: &StoredSession) -> Value {
    let at = |millis| Timestamp::from_millis(millis).to_string();
    json!({"id": session.id, "key": session.key, "owner": owner_of(session), "created": at(session.created),
        "changed": at(session.changed), "entries": session.entries})
}

fn line(session: &StoredSession) -> String {
    let changed = Timestamp::from_millis(session.changed);
    let text = format!("{changed}  {}  {}  {}", session.id, owner_of(session), session.key);
    printable_lines(&text) + "\n"
}

fn spoken(message: &Message) -> String {
    match message {
        Message::User { content, attachments } => {
            let carried = attachments.iter().map(|attachment| format!(" {}", attachment.told()));
            format!("user: {content}{}", carried.collect::<String>())
        }
        Message::Assistant { content, tool_calls, .. } => {
            let calls = tool_calls.iter().map(|call| format!("\n  calls {} {}", call.name, call.arguments));
            format!("assistant: {content}{}", calls.collect::<String>())
        }
        Message::Tool { name, content, .. } => format!("{name}: {content}"),
    }
}
