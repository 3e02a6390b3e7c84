//! One run from its place to its end: scope, agent, files, verdict.
//!
//! Must never begin before that is durable, leave a run without an end, or an agent behind.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::answer_text::AnswerText;
use super::attachments;
use super::claims::named_only;
use super::config::RunProvider;
use super::decide::{Action, ExportedFiles, Input};
use super::error::RunError;
use super::handle::Handle;
use super::journal::LoadedThread;
use super::log::RecordedToolCall;
use super::names::{Kind, name};
use super::notifications;
use super::receipts;
use super::request::{RunRequest, Target};
use super::run_queue::QueuedRun;
use super::service::{RETRY, Runs};
use super::state::Phase;
use super::steps::KeptSteps;
use crate::codes;
use crate::runner::{AgentEvent, How, RunningTurn, Turn};
use engross_artifacts::{Collection, Manifest, RunId, Scope, media_tokens};
use engross_protocol::shared;
use serde_json::json;

/// Whether an agent that refuses with this code may take the same thing a moment later, or from another process.
fn is_passing(code: &str) -> bool {
    let passing = [shared::SERVER_STOPPING, shared::SERVER_BUSY, shared::HOME_AWAY];
    passing.iter().any(|passing| passing.name == code) || code.starts_with("STORE_")
}

/// Whether the turn goes on elsewhere: the process that listens to it is about to end.
fn is_left(event: &AgentEvent) -> bool {
    let AgentEvent::Ended(end) = event else { return false };
    matches!(&end.how, How::Failed { code, .. } if code == shared::SERVER_STOPPING.name)
}

/// How long an agent has to confirm that it was asked to stop.
const CONFIRM: Duration = Duration::from_secs(5);

impl Runs {
    /// A run that has got its place.
    pub(super) async fn begin(self, waiting: QueuedRun) {
        let Ok(loaded) = self.thread_of(&waiting).await else {
            // The store is away; the run waits on.
            sleep(RETRY).await;
            self.give_back(waiting);
            return;
        };
        if self.has_to_wait(&loaded, &waiting).await {
            self.step_aside(waiting);
            return;
        }
        match self.step(&loaded, &waiting.run, Input::Admit, &AnswerText::default()).await {
            Ok(Action::Start(order)) => self.drive(loaded, waiting.principal, *order, None).await,
            Ok(_) => self.requeue(&loaded, &waiting.run).await,
            Err(_) => {
                // The store is away; the run waits on.
                sleep(RETRY).await;
                self.requeue(&loaded, &waiting.run).await;
            }
        }
    }

    /// Whether the agent of a run works with the environment of somebody who looks on, and nobody does.
    async fn has_to_wait(&self, loaded: &Arc<LoadedThread>, waiting: &QueuedRun) -> bool {
        if !self.inner.config.waits_for_viewer {
            return false;
        }
        let Some(thread) = self.open_at_last(loaded).await else { return false };
        let Some(order) = thread.next().filter(|order| order.face.run == waiting.run) else { return false };
        let provider = self.inner.config.provider(&order.face.provider);
        let takes =
            provider.and_then(|provider| provider.runner.as_ref()).is_some_and(|one| one.takes_environment());
        takes && self.inner.viewers.of(&waiting.principal, &waiting.thread).is_none()
    }

    async fn thread_of(&self, waiting: &QueuedRun) -> Result<Arc<LoadedThread>, RunError> {
        let found = name(Kind::Run, &waiting.principal, waiting.run.as_str())?;
        let row = self.find(&found).await?;
        let row = row.ok_or_else(|| RunError::Damaged { problem: "a run has no name".to_owned() })?;
        Ok(self.thread(row.session))
    }

    /// Waits a moment before something is tried again; `false` when this process is about to end.
    async fn waits_again(&self) -> bool {
        tokio::select! {
            () = sleep(RETRY) => true,
            () = self.inner.stopping.cancelled() => false,
        }
    }

    /// A run that a process before this one had begun.
    pub(super) async fn take_up(self, loaded: Arc<LoadedThread>, run: RunId) {
        // Until then the run is this process's still, or the next one's.
        while !self.clone().has_taken_up(&loaded, &run).await {
            if !self.waits_again().await {
                return;
            }
        }
    }

    /// Tries it once; `false` when it is to be tried again.
    async fn has_taken_up(self, loaded: &Arc<LoadedThread>, run: &RunId) -> bool {
        let Some(thread) = self.open_at_last(loaded).await else { return true };
        let principal = thread.principal.clone();
        let phase = thread.run(run).map(|run| run.phase.clone());
        drop(thread);
        match phase {
            Some(Phase::Exporting(_)) => self.export(loaded, run).await,
            Some(Phase::Running(active)) => {
                let provider = self.inner.config.provider(&active.order.face.provider).cloned();
                let resumed = match provider.and_then(|provider| provider.runner) {
                    Some(runner) if active.begun || runner.knows_turns() => {
                        match self
                            .turn(&principal, &active.order, active.deadline, active.agent_session.clone())
                            .await
                        {
                            Ok((turn, _)) => {
                                let resumed = runner.resume(turn, active.agent_session.clone()).await;
                                if resumed.as_ref().is_err_and(|error| is_passing(&error.code)) {
                                    return false;
                                }
                                resumed.ok().flatten()
                            }
                            Err(error) if is_passing(error.code()) => return false,
                            Err(_) => None,
                        }
                    }
                    _ => None,
                };
                self.settle(loaded, run, Input::Restarted(resumed.is_some()), &AnswerText::default()).await;
                if let Some(running) = resumed {
                    self.drive(Arc::clone(loaded), principal, active.order, Some(running)).await;
                }
            }
            _ => {}
        }
        true
    }

    /// Decides until it is stored; `None` when that cannot be any more, as the process is about to end.
    async fn settle(
        &self,
        loaded: &Arc<LoadedThread>,
        run: &RunId,
        mut input: Input,
        said: &AnswerText,
    ) -> Option<Action> {
        loop {
            match self.step(loaded, run, input.clone(), said).await {
                Ok(action) => return Some(action),
                Err(RunError::Store(engross_store::Error::Closed) | RunError::Damaged { .. }) => return None,
                Err(RunError::Store(error @ engross_store::Error::TooLarge { .. })) => {
                    // A list that no entry can hold is no list; the run must end all the same.
                    let (code, message) = (error.code().to_owned(), error.to_string());
                    input = match input {
                        Input::Exported(_) => Input::ExportFailed(code, message),
                        _ => Input::Lost(code, message),
                    };
                }
                Err(_) => sleep(RETRY).await,
            }
        }
    }

    /// The folder of a run, and what its agent is told.
    async fn turn(
        &self,
        principal: &str,
        order: &RunRequest,
        deadline: u64,
        conversation: Option<String>,
    ) -> Result<(Turn, Scope), RunError> {
        let face = order.face.clone();
        let workspace = self.inner.config.workspace.clone();
        let (inline, turn_id) = (order.inline.clone(), face.turn.clone());
        let made = tokio::task::spawn_blocking(move || {
            workspace.prepare(&face.session_key, &face.run, &[])?;
            let scope = workspace.open(&face.session_key, &face.run, None)?;
            let attachments = attachments::put(&scope, &turn_id, &inline)?;
            Ok::<_, RunError>((scope, attachments))
        });
        let (scope, attachments) = made.await.map_err(|_| RunError::Stopping)??;
        let face = &order.face;
        let directory = scope.directory().to_owned();
        let environment = [
            ("XWORKMATE_TASK_ARTIFACT_DIR", directory.as_str()),
            ("XWORKMATE_ARTIFACT_DIRECTORY", directory.as_str()),
            ("XWORKMATE_ARTIFACT_SCOPE", scope.name().as_str()),
            ("XWORKMATE_SESSION_KEY", face.session_key.as_str()),
            ("XWORKMATE_RUN_ID", face.run.as_str()),
        ];
        let turn = Turn {
            principal: principal.to_owned(),
            thread: face.thread.clone(),
            session_key: face.session_key.clone(),
            run: face.run.clone(),
            turn: face.turn.clone(),
            prompt: order.prompt.replace("$XWORKMATE_ARTIFACT_DIRECTORY", &directory),
            user_text: order.user_text.clone(),
            continues: order.continues,
            conversation: conversation.filter(|_| order.continues),
            directory: PathBuf::from(&directory),
            environment: environment
                .into_iter()
                .chain(hints(order))
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            attachments,
            model: face.model.clone(),
            permissions: order.permissions,
            sandbox: order.sandbox.clone(),
            viewer: self.inner.viewers.of(principal, &face.thread),
            deadline,
        };
        Ok((turn, scope))
    }

    async fn drive(
        self,
        loaded: Arc<LoadedThread>,
        principal: String,
        order: RunRequest,
        resumed: Option<RunningTurn>,
    ) {
        let run = order.face.run.clone();
        let handle = Arc::new(Handle::default());
        loaded.extra.put_handle(&run, Arc::clone(&handle));
        let Some(thread) = self.open_at_last(&loaded).await else { return };
        let deadline = match thread.run(&run).map(|run| &run.phase) {
            Some(Phase::Running(active)) => {
                if active.cancelling {
                    handle.cancelled.cancel();
                }
                active.deadline
            }
            _ => 0,
        };
        drop(thread);
        let until = Instant::now() + Duration::from_millis(deadline.saturating_sub(self.now()));
        let said = match resumed {
            Some(running) => self.listen(&loaded, &order, &handle, running, (deadline, until)).await,
            None => match self.call(&loaded, &principal, &order, &handle, until).await {
                Some(running) => self.listen(&loaded, &order, &handle, running, (deadline, until)).await,
                None => false,
            },
        };
        loaded.extra.drop_handle(&run);
        if said {
            self.export(&loaded, &run).await;
        }
        attachments::remove(&self.inner.config.workspace, &order.face).await;
    }

    /// Gives the run to its agent; `None` when it has ended by that.
    async fn call(
        &self,
        loaded: &Arc<LoadedThread>,
        principal: &str,
        order: &RunRequest,
        handle: &Handle,
        until: Instant,
    ) -> Option<RunningTurn> {
        let run = &order.face.run;
        let lost = |code: &str, message: String| Input::Lost(code.to_owned(), message);
        let provider = self.inner.config.provider(&order.face.provider);
        let Some(runner) = provider.and_then(|provider| provider.runner.clone()) else {
            let input = lost(codes::PROVIDER_UNAVAILABLE.name, unavailable(&order.face.provider, provider));
            self.settle(loaded, run, input, &AnswerText::default()).await;
            return None;
        };
        let deadline = self.now().saturating_add(millis(until.saturating_duration_since(Instant::now())));
        let conversation = self.open_at_last(loaded).await?.agent_session.clone();
        let input = loop {
            let (code, message) = match self.turn(principal, order, deadline, conversation.clone()).await {
                Err(error) => (error.code().to_owned(), error.to_string()),
                Ok((turn, _)) => {
                    tokio::select! {
                        biased;
                        () = handle.cancelled.cancelled() => break Input::Stopped,
                        () = sleep_until(until) => break lost(
                            codes::OPENCLAW_RUN_DEADLINE_EXCEEDED.name,
                            "the agent did not begin in the time that the run has".to_owned(),
                        ),
                        started = runner.start(turn) => match started {
                            Ok(running) => {
                                handle.set(Arc::clone(&running.control));
                                return Some(running);
                            }
                            Err(error) => (error.code, error.message),
                        },
                    }
                }
            };
            if !is_passing(&code) {
                break Input::Lost(code, message);
            }
            if !self.waits_again().await {
                // The next process begins it.
                return None;
            }
        };
        self.settle(loaded, run, input, &AnswerText::default()).await;
        None
    }

    /// Hears an agent until its turn ends; tells whether there are files to be listed.
    async fn listen(
        &self,
        loaded: &Arc<LoadedThread>,
        order: &RunRequest,
        handle: &Handle,
        mut running: RunningTurn,
        (deadline, mut until): (u64, Instant),
    ) -> bool {
        let run = &order.face.run;
        let gateway = order.face.target == Target::Gateway;
        let provider = self.inner.config.provider(&order.face.provider);
        let runner = provider.and_then(|provider| provider.runner.as_ref());
        let knows_turns = runner.is_some_and(|runner| runner.knows_turns());
        let (mut said, mut kept) = (AnswerText::default(), KeptSteps::default());
        let mut stop: Option<Instant> = None;
        loop {
            let question = self.question(loaded, run).await;
            let input = tokio::select! {
                biased;
                event = running.events.recv() => match event {
                    Some(event) if knows_turns && is_left(&event) => {
                        // The next process hears the turn that it has.
                        self.inner.stopping.cancelled().await;
                        return false;
                    }
                    Some(event) => match self.passing(loaded, order, (&mut said, &mut kept), event) {
                        Some(event) => Input::Event(event),
                        None => continue,
                    },
                    None if gateway => Input::Lost(codes::OPENCLAW_GATEWAY_LOST.name.to_owned(), "the gateway is gone: look whether it runs, then ask again".to_owned()),
                    None => Input::Lost(codes::AGENT_LOST.name.to_owned(), "the agent is gone before it was done: look at its own log, then ask again".to_owned()),
                },
                () = sleep_until(until) => {
                    let left = deadline.saturating_sub(self.now());
                    if left > 0 {
                        // The clock was set back, and it is the clock that counts.
                        until = Instant::now() + Duration::from_millis(left);
                        continue;
                    }
                    let _ = timeout(CONFIRM, running.control.cancel()).await;
                    Input::Deadline
                }
                // A gateway's run may go on wherever it is; an agent of this machine is stopped.
                () = handle.cancelled.cancelled(), if stop.is_none() && !gateway => {
                    stop = Some(Instant::now() + self.inner.config.grace);
                    continue;
                }
                () = sleep_until(stop.unwrap_or(until)), if stop.is_some() => Input::Stopped,
                () = sleep_until(question.as_ref().map_or(until, |(_, at)| *at)), if question.is_some() => {
                    Input::Answer(question.map(|(request, _)| request).unwrap_or_default(), None)
                }
            };
            match self.settle(loaded, run, input, &said).await {
                None => return false,
                Some(Action::Export) => return true,
                Some(Action::AnswerPermission(permission, option)) => {
                    running.control.answer(&permission, option.as_deref());
                }
                Some(_) => {}
            }
            let Some(thread) = self.open_at_last(loaded).await else { return false };
            if !matches!(thread.run(run).map(|run| &run.phase), Some(Phase::Running(_))) {
                return false;
            }
        }
    }

    /// The question that runs out first, and when.
    async fn question(&self, loaded: &Arc<LoadedThread>, run: &RunId) -> Option<(String, Instant)> {
        let thread = self.open_at_last(loaded).await?;
        let Some(Phase::Running(active)) = thread.run(run).map(|run| &run.phase) else { return None };
        let first = active.open.iter().min_by_key(|question| question.until)?;
        let left = first.until.saturating_sub(self.now());
        Some((first.request.clone(), Instant::now() + Duration::from_millis(left)))
    }

    /// Tells what passes by; gives back what has to be decided.
    fn passing(
        &self,
        loaded: &LoadedThread,
        order: &RunRequest,
        (said, kept): (&mut AnswerText, &mut KeptSteps),
        event: AgentEvent,
    ) -> Option<AgentEvent> {
        let face = &order.face;
        if let AgentEvent::Tool { id, .. } = &event {
            said.call(id);
        }
        if let Some(kept) = kept.take(&event) {
            return Some(kept);
        }
        let at = self.now();
        let tell = |kind: &str, event: &str, more| {
            loaded
                .extra
                .updates
                .passing(&face.run, |seq| notifications::update(face, seq, kind, event, more));
        };
        match event {
            AgentEvent::Text(text) => {
                said.hear(&text);
                tell("delta", "delta", json!({ "delta": text, "text": text }));
            }
            AgentEvent::Thought(text) => tell(
                "event",
                "thinking",
                json!({ "structuredEvent": { "type": "thinking", "text": text }, "eventType": "thinking" }),
            ),
            AgentEvent::Tool { id, title, kind, status } => {
                let call = RecordedToolCall { id, title, kind, status };
                tell("event", "tool_call", notifications::tool_call(&call, at));
            }
            AgentEvent::Plan(steps) => tell("event", "plan", notifications::plan(&steps, at)),
            AgentEvent::Warning(warning) => said.warn(warning),
            AgentEvent::Files(files) => said.name(files),
            event => return Some(event),
        }
        None
    }

    /// Takes what the answer names elsewhere, lists the files, and ends the run.
    pub(super) async fn export(&self, loaded: &Arc<LoadedThread>, run: &RunId) {
        let _freezing = self.inner.freezing.read().await;
        let Some(thread) = self.open_at_last(loaded).await else { return };
        let Some(Phase::Exporting(exporting)) = thread.run(run).map(|run| run.phase.clone()) else { return };
        drop(thread);
        let runs = self.clone();
        let face = exporting.face.clone();
        // A cancel reaches the work on the files by this.
        let handle = Arc::new(Handle::default());
        loaded.extra.put_handle(run, Arc::clone(&handle));
        let listed = tokio::task::spawn_blocking(move || {
            let face = &exporting.face;
            let config = &runs.inner.config;
            let stop = (&config.halt, &handle.unwanted);
            let hashing = config.hashing_until(&stop);
            let requirements = face.contract.requirements();
            let scope = config.workspace.open(&face.session_key, &face.run, None)?;
            let roots = config.provider(&face.provider).map(|provider| provider.sources.clone());
            let roots = roots.unwrap_or_default();
            let mut files = exporting.files.clone();
            files.extend(media_tokens(&exporting.text));
            let mut collected = None;
            if !roots.is_empty() && !files.is_empty() {
                collected = Some(scope.collect(&files, &roots, None, hashing)?);
            }
            let mut manifest = scope.manifest(&requirements, None, hashing)?;
            let mut lost = Vec::new();
            if face.target == Target::Gateway {
                lost = out_of_reach(&files, collected.as_ref(), &manifest);
                if let Some(file) = lost.first()
                    && manifest.count() == 0
                    && exporting.text.trim().is_empty()
                {
                    return Err(unreachable(file, collected.as_ref()));
                }
            }
            scope.freeze(&mut manifest, &requirements, hashing)?;
            manifest.warnings.extend(collected.into_iter().flat_map(|collected| collected.warnings));
            manifest.warnings.extend(exporting.warnings.iter().cloned());
            let mut named_only = named_only(&exporting.text, &exporting.known, &manifest);
            lost.retain(|path| !named_only.iter().any(|name| path.ends_with(name.as_str())));
            named_only.extend(lost);
            let merkle_root = receipts::root(&manifest);
            Ok::<_, RunError>((ExportedFiles { manifest, named_only, merkle_root }, scope))
        });
        let listed = listed.await;
        loaded.extra.drop_handle(run);
        let input = match listed {
            Ok(Ok((mut files, scope))) => {
                self.keep(&face, &mut files.manifest).await;
                // Where files are kept elsewhere, too, other machines need the whole list.
                let is_alone = self.inner.config.blobs.is_none();
                let shortened = tokio::task::spawn_blocking(move || {
                    if is_alone {
                        scope.shorten(&mut files.manifest)?;
                    }
                    Ok::<_, RunError>(files)
                });
                match shortened.await {
                    Ok(Ok(files)) => Input::Exported(Box::new(files)),
                    Ok(Err(error)) => Input::ExportFailed(error.code().to_owned(), error.to_string()),
                    Err(_) => return,
                }
            }
            // Somebody has ended the run already, or the next process takes it up.
            Ok(Err(RunError::Scope { code, .. }))
                if code.name == engross_artifacts::codes::ARTIFACT_LISTING_STOPPED.name =>
            {
                return;
            }
            Ok(Err(error)) => Input::ExportFailed(error.code().to_owned(), error.to_string()),
            Err(_) => return,
        };
        self.settle(loaded, run, input, &AnswerText::default()).await;
    }
}

/// The files that the answer of a gateway names and that are not among those of the run: a reader of the answer would look for
/// them. They are told as files of other agents are that are only named.
fn out_of_reach(named: &[String], collected: Option<&Collection>, manifest: &Manifest) -> Vec<String> {
    let is_here = |path: &String| {
        let was_taken = |taken: &Collection| taken.files.iter().any(|file| file.source == *path);
        let base = path.rsplit('/').next().unwrap_or_default();
        // A link elsewhere is no file of the gateway.
        path.contains("://")
            || collected.is_some_and(was_taken)
            || manifest.files.iter().any(|file| {
                let before = path.strip_suffix(&file.relative_path);
                before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
                    // The plugin of a gateway has collected it there.
                    || file.relative_path.starts_with("artifacts/") && file.label() == base
            })
    };
    let mut lost: Vec<String> = Vec::new();
    for path in named {
        if !is_here(path) && !lost.contains(path) {
            lost.push(path.clone());
        }
    }
    lost
}

/// Why a run that consists of a named file alone has failed.
fn unreachable(file: &str, collected: Option<&Collection>) -> RunError {
    let why = collected
        .and_then(|taken| taken.warnings.iter().find(|warning| warning.contains(file)))
        .map(|warning| format!(" ({warning})"))
        .unwrap_or_default();
    RunError::Scope {
        code: codes::OPENCLAW_ARTIFACT_UNREACHABLE,
        message: format!(
            "the answer names the file '{}', which cannot be had from the gateway{why}: let it be written to the folder of the task",
            file.chars().take(200).collect::<String>()
        ),
    }
}

/// What the client believes of the places of its thread, as it is passed on.
fn hints(order: &RunRequest) -> impl Iterator<Item = (&'static str, &str)> {
    let hints = [
        ("XWORKMATE_REMOTE_WORKING_DIRECTORY_HINT", order.hints.working_directory.as_deref()),
        ("XWORKMATE_REMOTE_WORKSPACE_HINT", order.hints.workspace.as_deref()),
    ];
    hints.into_iter().filter_map(|(name, hint)| Some((name, hint?)))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// What is said when a provider is not there.
fn unavailable(id: &crate::runner::ProviderId, provider: Option<&RunProvider>) -> String {
    match provider {
        Some(provider) if !provider.help.is_empty() => format!("{id} is not available: {}", provider.help),
        _ => format!("{id} is not available here: choose another provider"),
    }
}
