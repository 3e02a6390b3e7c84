//! Gives turns to the processes of one agent.
//!
//! Must never begin a conversation anew that is to go on, nor tell the end of a turn before its processes are at rest.

use std::ffi::OsString;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use engross_store::files::Root;
use tokio::sync::{OwnedMutexGuard, mpsc};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::acp::{Client, Prompt, Session, TurnChannels};
use super::confinement::{confine, is_usual};
use super::conversations::{Conversation, ConversationLock, Conversations, IdleProcess, take};
use super::error::{AgentFault, shown};
use super::limits::Limits;
use super::process::{Launch, find_program, seen_by};
use super::provider::{AgentProvider, Host, StartMode};
use super::warm_pool::WarmPool;
use engross_tasks::runner::{
    AgentError, AgentEvent, CancelReceipt, Control, Health, RunnerFuture, RunningTurn, TaskRunner, Turn,
    TurnEnd,
};

/// Events that wait for their listener.
const EVENTS: usize = 256;

/// An agent that is reached over ACP. Clones share its processes; when the last one is dropped they end.
#[derive(Clone)]
pub struct AcpRunner {
    inner: Arc<Inner>,
}

struct Inner {
    provider: AgentProvider,
    limits: Limits,
    host: Host,
    started: AtomicU64,
    conversations: Mutex<Conversations>,
    warm: Mutex<WarmPool>,
    tasks: Mutex<JoinSet<()>>,
    health: tokio::sync::Mutex<Option<(Instant, Health)>>,
}

/// A process that has the session of a turn open.
struct ReadyProcess {
    client: Client,
    session: Session,
    /// Whether the names of the run are in its environment.
    knows_run: bool,
}

impl AcpRunner {
    pub(super) fn new(provider: AgentProvider, host: Host, limits: Limits) -> Self {
        let seen: Vec<_> = seen_by(&provider.pass, &host.environment).collect();
        let is_fenced = is_usual(&provider, host.sandbox.as_ref(), &seen);
        // A fence is made for one run, so that nobody waits behind it before.
        let start = if is_fenced { StartMode::PerRun } else { provider.start };
        let most = if start == StartMode::Warm { provider.warm } else { 0 };
        Self {
            inner: Arc::new(Inner {
                provider,
                limits,
                host,
                started: AtomicU64::new(0),
                conversations: Mutex::default(),
                warm: Mutex::new(WarmPool::new(most)),
                tasks: Mutex::default(),
                health: tokio::sync::Mutex::default(),
            }),
        }
    }

    /// Which agent it is.
    #[must_use]
    pub fn provider(&self) -> &AgentProvider {
        &self.inner.provider
    }

    /// Starts processes in the background until as many are ready as were asked for.
    pub fn warm_up(&self) {
        self.inner.warm_up();
    }

    /// Whether it has conversations that a next turn may go on with, which end with the runner where the agent cannot take them up.
    #[must_use]
    pub fn has_conversations(&self) -> bool {
        !lock(&self.inner.conversations).are_none()
    }

    /// Ends all processes, and waits until they are gone. Turns that are under way end without a word.
    pub async fn shut_down(&self) {
        let mut tasks = std::mem::take(&mut *lock(&self.inner.tasks));
        tasks.shutdown().await;
        lock(&self.inner.warm).close();
        lock(&self.inner.conversations).clear();
    }

    async fn begin(&self, turn: Turn) -> Result<RunningTurn, AgentFault> {
        let inner = &self.inner;
        let folder = Root::open(&turn.directory)
            .map_err(|error| AgentFault::Start { problem: format!("the folder of the run: {error}") })?;
        let slot = inner.slot(&turn.principal, &turn.thread);
        let mut conversation = Arc::clone(&slot).lock_owned().await;
        let mut ready = inner.ready(&mut conversation, &turn).await?;
        if let Some(model) = &turn.model {
            ready.client.set_model(&mut ready.session, model, inner.limits.session).await?;
        }
        conversation.session = Some(ready.session.id().to_owned());

        let (events, heard) = mpsc::channel(EVENTS);
        let (answer, answers) = mpsc::unbounded_channel();
        let cancelled = CancellationToken::new();
        let run = turn.run.as_str().to_owned();
        let control = Arc::new(TurnControl { cancelled: cancelled.clone(), answer, run });
        let left = Duration::from_millis(turn.deadline.saturating_sub(inner.host.clock.millis()));
        let deadline = Instant::now() + left;
        let weak = Arc::downgrade(inner);
        let limits = inner.limits.clone();
        inner.spawn(async move {
            let ReadyProcess { mut client, session, knows_run } = ready;
            let prompt = Prompt { turn: &turn, folder: folder.top(), tell_environment: !knows_run, deadline };
            let signals = TurnChannels { events: events.clone(), cancelled, answers };
            let before = client.watched();
            let over = client.prompt(&session, prompt, signals, &limits).await;
            if let Some(gap) = client.gap() {
                let warning = format!("the agent was not wholly fenced in: {gap}");
                let _ = events.send(AgentEvent::Warning(warning)).await;
            }
            match weak.upgrade() {
                Some(inner) if over.usable && inner.keeps(&client) => {
                    client.end_orphans(&before);
                    inner.keep(conversation, &slot, (client, session), &turn);
                }
                // What it left running could still write.
                _ => client.stop().await,
            }
            let _ = events.send(AgentEvent::Ended(TurnEnd { how: over.how, text: None })).await;
        });
        Ok(RunningTurn { events: heard, control })
    }
}

impl Inner {
    fn slot(&self, principal: &str, thread: &str) -> ConversationLock {
        lock(&self.conversations).slot(principal, thread, self.limits.conversations)
    }

    /// A process with the session of `turn`.
    async fn ready(
        self: &Arc<Self>,
        conversation: &mut Conversation,
        turn: &Turn,
    ) -> Result<ReadyProcess, AgentFault> {
        let kept = conversation.kept.take();
        let environment = self.environment(Some(turn));
        if let Some(kept) = &kept {
            lock(&self.conversations).release(kept.number);
        }
        if !turn.continues {
            if let Some(kept) = kept {
                self.spawn(kept.client.stop());
            }
            conversation.session = None;
            let (mut client, knows_run) = self.process(turn).await?;
            let session = client.open(&turn.directory).await?;
            return Ok(ReadyProcess { client, session, knows_run });
        }
        let unknown = || AgentFault::Continuation {
            reason: "it was not had with this server, or too long ago".to_owned(),
        };
        // The journal knows it also when this process has not seen it.
        let id = conversation.session.clone().or_else(|| turn.conversation.clone()).ok_or_else(unknown)?;
        // A process keeps the environment it began in. Who looks on with another one gets another process, unless the
        // conversation would be lost with the old one.
        let (kept, other) = match kept {
            Some(kept) if kept.environment != environment && kept.client.takes_up() => (None, Some(kept)),
            kept => (kept, None),
        };
        if let Some(other) = other {
            other.client.stop().await;
        }
        if let Some(kept) = kept
            && let Some(ready) = self.resume(kept, turn).await
        {
            return Ok(ready);
        }
        let (mut client, knows_run) = self.process(turn).await?;
        let session = client.take_up(&id, &turn.directory).await?;
        Ok(ReadyProcess { client, session, knows_run })
    }

    /// The kept process with its session in the folder of `turn`; `None` when it is no good any more.
    async fn resume(self: &Arc<Self>, kept: IdleProcess, turn: &Turn) -> Option<ReadyProcess> {
        let IdleProcess { mut client, session, folder, .. } = kept;
        if !client.is_usable() {
            self.spawn(client.stop());
            return None;
        }
        // One that cannot move a session keeps the folder that it began in, and is told where to write instead.
        if folder == turn.directory || !client.takes_up() {
            return Some(ReadyProcess { client, session, knows_run: false });
        }
        match client.take_up(session.id(), &turn.directory).await {
            Ok(session) => Some(ReadyProcess { client, session, knows_run: false }),
            // Some know a session only in the folder that it began in. It is still open here.
            Err(AgentFault::Continuation { .. }) => Some(ReadyProcess { client, session, knows_run: false }),
            Err(_) => {
                self.spawn(client.stop());
                None
            }
        }
    }

    /// A process that has been greeted, and whether it has the names of the run in its environment.
    async fn process(self: &Arc<Self>, turn: &Turn) -> Result<(Client, bool), AgentFault> {
        if self.is_per_run(turn) {
            let launch = self.launch(&turn.directory, Some(turn))?;
            return Ok((Client::start(&launch, &self.limits).await?, true));
        }
        if self.environment(Some(turn)) != self.environment(None) {
            // Those that wait know our environment.
            let launch = self.launch_for(&self.host.folder, None, &self.environment(Some(turn)))?;
            return Ok((Client::start(&launch, &self.limits).await?, false));
        }
        let warm = lock(&self.warm).take();
        let client = match warm {
            Some(client) => client,
            None => Client::start(&self.launch(&self.host.folder, None)?, &self.limits).await?,
        };
        self.warm_up();
        Ok((client, false))
    }

    /// Whether a process is started for `turn` alone.
    fn is_per_run(&self, turn: &Turn) -> bool {
        let is_fenced =
            || is_usual(&self.provider, self.host.sandbox.as_ref(), &self.environment(Some(turn)));
        self.provider.start == StartMode::PerRun || turn.sandbox.is_binding() || is_fenced()
    }

    /// The environment of which an agent sees a part: that of the one who asked for the turn, else ours.
    fn environment(&self, turn: Option<&Turn>) -> Vec<(OsString, OsString)> {
        let viewer = turn.and_then(|turn| turn.viewer.as_ref());
        let given = match viewer {
            Some(viewer) => viewer.0.iter().map(|(name, value)| (name.into(), value.into())).collect(),
            None => self.host.environment.clone(),
        };
        let mut seen: Vec<_> = seen_by(&self.provider.pass, &given).collect();
        seen.sort_unstable();
        seen
    }

    fn launch(&self, folder: &Path, turn: Option<&Turn>) -> Result<Launch, AgentFault> {
        self.launch_for(folder, turn, &self.environment(turn))
    }

    fn launch_for(
        &self,
        folder: &Path,
        turn: Option<&Turn>,
        parent: &[(OsString, OsString)],
    ) -> Result<Launch, AgentFault> {
        let provider = &self.provider;
        let host = self.host.sandbox.as_ref();
        let confinement = confine(provider, host, parent, folder, turn)?;
        let environment = turn.map(|turn| turn.environment.as_slice()).unwrap_or_default();
        let program = find_program(&provider.program, parent).ok_or_else(|| self.missing())?;
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        Ok(Launch {
            program,
            arguments: provider.arguments.clone(),
            folder: folder.to_owned(),
            parent: confinement.parent,
            pass: provider.pass.clone(),
            // What is set for the agent counts more than what is made for its sandbox.
            set: confinement.set.iter().chain(&provider.set).chain(environment).cloned().collect(),
            mark: format!("{}.{}.{number}", self.host.owner, provider.id),
            supervised: confinement.supervised,
            gap: confinement.gap,
        })
    }

    fn program(&self) -> Option<std::path::PathBuf> {
        find_program(&self.provider.program, &self.host.environment)
    }

    fn missing(&self) -> AgentFault {
        AgentFault::Missing { program: shown(&self.provider.program), help: self.provider.install.clone() }
    }

    fn warm_up(self: &Arc<Self>) {
        while lock(&self.warm).claim() {
            let Ok(launch) = self.launch(&self.host.folder, None) else {
                lock(&self.warm).fill(None);
                return;
            };
            let (weak, limits) = (Arc::downgrade(self), self.limits.clone());
            self.spawn(async move {
                let client = Client::start(&launch, &limits).await.ok();
                let rest = match weak.upgrade() {
                    Some(inner) => lock(&inner.warm).fill(client),
                    None => client,
                };
                if let Some(rest) = rest {
                    rest.stop().await;
                }
            });
        }
    }

    /// Whether a process is kept for the next turn: where a new one would take long, or would not know the conversation.
    fn keeps(&self, client: &Client) -> bool {
        let is_wanted = self.provider.start == StartMode::Warm || !client.takes_up();
        self.limits.kept > 0 && is_wanted && !client.is_fenced()
    }

    fn keep(
        self: &Arc<Self>,
        mut conversation: OwnedMutexGuard<Conversation>,
        slot: &ConversationLock,
        (client, session): (Client, Session),
        turn: &Turn,
    ) {
        let (folder, environment) = (&turn.directory, self.environment(Some(turn)));
        let number = lock(&self.conversations).number();
        let folder = folder.to_owned();
        conversation.kept = Some(IdleProcess { client, session, folder, environment, number });
        drop(conversation);
        let over = lock(&self.conversations).keep(number, slot, self.limits.kept);
        for (number, slot) in over {
            if let Some(client) = take(&slot, number) {
                self.spawn(client.stop());
            }
        }
        let (weak, slot, time) = (Arc::downgrade(self), Arc::downgrade(slot), self.limits.kept_for);
        self.spawn(async move {
            sleep(time).await;
            let Some((inner, slot)) = weak.upgrade().zip(slot.upgrade()) else { return };
            let client = take(&slot, number);
            lock(&inner.conversations).release(number);
            drop(inner);
            if let Some(client) = client {
                client.stop().await;
            }
        });
    }

    /// Does `work` in the background, at most until everything is shut down.
    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = lock(&self.tasks);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(work);
    }

    /// Starts a process to see whether it works. It becomes the warm one.
    async fn probe(self: &Arc<Self>) -> Health {
        let failing = |fault: &AgentFault| Health::Failing { message: fault.to_string() };
        let launch = match self.launch(&self.host.folder, None) {
            Ok(launch) => launch,
            Err(fault) => return failing(&fault),
        };
        let limit = self.limits.probe;
        match timeout(limit, Client::start(&launch, &self.limits)).await {
            Ok(Ok(client)) => {
                // The warm one if there is room, else it has served.
                let claimed = lock(&self.warm).claim();
                let rest = if claimed { lock(&self.warm).fill(Some(client)) } else { Some(client) };
                if let Some(rest) = rest {
                    self.spawn(rest.stop());
                }
                Health::Ready
            }
            Ok(Err(fault)) => failing(&fault),
            Err(_) => failing(&AgentFault::Slow { method: "initialize", limit, said: String::new() }),
        }
    }
}

impl TaskRunner for AcpRunner {
    fn takes_environment(&self) -> bool {
        true
    }

    fn health(&self) -> RunnerFuture<'_, Health> {
        Box::pin(async {
            let inner = &self.inner;
            if inner.program().is_none() {
                return Health::Missing { help: inner.provider.install.clone() };
            }
            if lock(&inner.warm).is_one_ready() {
                return Health::Ready;
            }
            // A caller that asks meanwhile waits for the same answer.
            let mut known = inner.health.lock().await;
            if let Some((at, health)) = &*known
                && at.elapsed() < inner.limits.health
            {
                return health.clone();
            }
            let health = inner.probe().await;
            *known = Some((Instant::now(), health.clone()));
            health
        })
    }

    fn start(&self, turn: Turn) -> RunnerFuture<'_, Result<RunningTurn, AgentError>> {
        Box::pin(async move {
            let begun = self.begin(turn).await;
            if let Err(fault) = &begun
                && matches!(
                    fault,
                    AgentFault::Start { .. } | AgentFault::Slow { .. } | AgentFault::Protocol { .. }
                )
                && let Ok(mut known) = self.inner.health.try_lock()
            {
                *known = Some((Instant::now(), Health::Failing { message: fault.to_string() }));
            }
            Ok(begun?)
        })
    }

    fn close(&self, principal: &str, thread: &str) -> RunnerFuture<'_, ()> {
        let slot = lock(&self.inner.conversations).forget(principal, thread);
        Box::pin(async move {
            let Some(slot) = slot else { return };
            // A turn that is under way ends first.
            let kept = slot.lock().await.kept.take();
            if let Some(kept) = kept {
                lock(&self.inner.conversations).release(kept.number);
                kept.client.stop().await;
            }
        })
    }
}

/// How a turn of a process is influenced.
struct TurnControl {
    cancelled: CancellationToken,
    answer: mpsc::UnboundedSender<(String, Option<String>)>,
    run: String,
}

impl Control for TurnControl {
    fn cancel(&self) -> RunnerFuture<'_, Result<CancelReceipt, AgentError>> {
        let aborted = !self.answer.is_closed();
        self.cancelled.cancel();
        let runs = if aborted { vec![self.run.clone()] } else { Vec::new() };
        Box::pin(std::future::ready(Ok(CancelReceipt { method: "session/cancel", aborted, runs })))
    }

    fn answer(&self, permission: &str, option: Option<&str>) {
        // Without a turn there is nobody to hear it.
        let _ = self.answer.send((permission.to_owned(), option.map(str::to_owned)));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
