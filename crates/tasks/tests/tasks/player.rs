//! An agent that plays what the prompt says, one word after another:
//! `say:TEXT`, `write:PATH=TEXT`, `ask`, `hold`, `fail:CODE`, `die`, `deaf` (ignores a cancel), `mute` (does not confirm one),
//! `tool:ID`, `plan:STEP`, `seen:NAME` (a variable of the viewer), `degrade`, `unstated`, `refuse:CODE`, `done`.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use engross_tasks::runner::{
    AgentError, AgentEvent, CancelReceipt, Control, Health, How, PermissionOption, RunnerFuture, RunningTurn,
    TaskRunner, Turn, TurnEnd,
};
use tokio::sync::{Notify, mpsc};

#[derive(Default)]
pub struct Player {
    /// The turns it was given.
    pub turns: Mutex<Vec<Turn>>,
    /// Answers to its questions.
    pub answers: Arc<Mutex<Vec<Option<String>>>>,
    /// How often it was asked to stop.
    pub cancels: Arc<Mutex<Vec<String>>>,
    /// Lets everything that holds go on.
    pub go: Arc<Notify>,
    /// What was written to the disk before the agent was given it.
    pub closed: Mutex<Vec<String>>,
    /// Whether it has a run still that another process had begun.
    pub resumes: bool,
    /// How often it says that its home is away before it goes on with such a run.
    pub away: AtomicUsize,
    /// Whether its process is about to end, so that it says of each turn that it goes on elsewhere.
    pub is_leaving: AtomicBool,
    /// Whether it is given the environment of the one who asks.
    pub takes_environment: bool,
    /// Whether it cannot be given turns.
    pub is_broken: AtomicBool,
}

impl Player {
    pub fn prompts(&self) -> Vec<String> {
        self.turns.lock().unwrap().iter().map(|turn| turn.prompt.clone()).collect()
    }

    /// Waits until it was given so many turns.
    pub async fn given(&self, count: usize) {
        super::within(async {
            while self.turns.lock().unwrap().len() < count {
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            }
        })
        .await;
    }
}

struct Stop {
    run: String,
    stopped: Arc<Notify>,
    deaf: bool,
    mute: bool,
    answered: Arc<Notify>,
    answers: Arc<Mutex<Vec<Option<String>>>>,
    cancels: Arc<Mutex<Vec<String>>>,
}

impl Control for Stop {
    fn cancel(&self) -> RunnerFuture<'_, Result<CancelReceipt, AgentError>> {
        self.cancels.lock().unwrap().push(self.run.clone());
        if !self.deaf {
            self.stopped.notify_one();
        }
        let receipt =
            CancelReceipt { method: "chat.abort", aborted: !self.deaf, runs: vec![self.run.clone()] };
        let answer = if self.mute { Err(AgentError::new("NO", "no receipt")) } else { Ok(receipt) };
        Box::pin(std::future::ready(answer))
    }

    fn answer(&self, _permission: &str, option: Option<&str>) {
        self.answers.lock().unwrap().push(option.map(str::to_owned));
        self.answered.notify_one();
    }
}

impl TaskRunner for Player {
    fn health(&self) -> RunnerFuture<'_, Health> {
        let broken = self.is_broken.load(Ordering::SeqCst);
        let message = "it does not start".to_owned();
        Box::pin(std::future::ready(if broken { Health::Failing { message } } else { Health::Ready }))
    }

    fn takes_environment(&self) -> bool {
        self.takes_environment
    }

    fn knows_turns(&self) -> bool {
        self.resumes
    }

    fn start(&self, mut turn: Turn) -> RunnerFuture<'_, Result<RunningTurn, AgentError>> {
        self.turns.lock().unwrap().push(turn.clone());
        if self.is_leaving.load(Ordering::SeqCst) {
            turn.prompt = "say:half fail:SERVER_STOPPING".to_owned();
        }
        if let Some(code) = turn.prompt.strip_prefix("refuse:") {
            return Box::pin(std::future::ready(Err(AgentError::new(code, "it will not"))));
        }
        let (sender, events) = mpsc::channel(16);
        let stopped = Arc::new(Notify::new());
        let answered = Arc::new(Notify::new());
        let control = Stop {
            run: turn.run.as_str().to_owned(),
            stopped: Arc::clone(&stopped),
            deaf: turn.prompt.contains("deaf"),
            mute: turn.prompt.contains("mute"),
            answered: Arc::clone(&answered),
            answers: Arc::clone(&self.answers),
            cancels: Arc::clone(&self.cancels),
        };
        let go = Arc::clone(&self.go);
        tokio::spawn(async move {
            tokio::select! {
                () = play(&turn, &sender, &go, &answered) => {}
                () = stopped.notified() => {
                    let _ = sender.send(AgentEvent::Ended(TurnEnd { how: How::Cancelled, text: None })).await;
                }
                () = sender.closed() => {}
            }
        });
        Box::pin(std::future::ready(Ok(RunningTurn { events, control: Arc::new(control) })))
    }

    fn resume(
        &self,
        turn: Turn,
        _agent_session: Option<String>,
    ) -> RunnerFuture<'_, Result<Option<RunningTurn>, AgentError>> {
        let less = |away: usize| away.checked_sub(1);
        if self.away.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok() {
            return Box::pin(std::future::ready(Err(AgentError::new("HOME_AWAY", "the home is away"))));
        }
        Box::pin(async move { if self.resumes { self.start(turn).await.map(Some) } else { Ok(None) } })
    }

    fn close(&self, _principal: &str, thread: &str) -> RunnerFuture<'_, ()> {
        self.closed.lock().unwrap().push(thread.to_owned());
        Box::pin(std::future::ready(()))
    }
}

async fn play(turn: &Turn, sender: &mpsc::Sender<AgentEvent>, go: &Notify, answered: &Notify) {
    let tell = |event| async { drop(sender.send(event).await) };
    tell(AgentEvent::Started { agent_session: Some(format!("of {}", turn.thread)) }).await;
    let mut how = How::Completed;
    for word in turn.prompt.split_whitespace() {
        let (verb, rest) = word.split_once(':').unwrap_or((word, ""));
        match verb {
            "say" => tell(AgentEvent::Text(rest.to_owned())).await,
            "write" => {
                let (path, text) = rest.split_once('=').unwrap();
                let path = turn.directory.join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            "many" => {
                for number in 0..rest.parse().unwrap() {
                    let folder = turn.directory.join(format!("folder-{}", number / 100));
                    std::fs::create_dir_all(&folder).unwrap();
                    std::fs::write(folder.join(format!("file-{number}.txt")), number.to_string()).unwrap();
                }
            }
            "words" => tell(AgentEvent::Text("word \u{1}\"".repeat(rest.parse().unwrap()))).await,
            "sparse" => {
                let file = std::fs::File::create(turn.directory.join("sparse.bin")).unwrap();
                file.set_len(rest.parse().unwrap()).unwrap();
            }
            "png" => std::fs::write(turn.directory.join(rest), b"\x89PNG\r\n\x1a\nIEND").unwrap(),
            "warn" => tell(AgentEvent::Warning(rest.to_owned())).await,
            "plan" => {
                let step = engross_tasks::runner::PlanStep {
                    content: rest.to_owned(),
                    status: "pending".to_owned(),
                };
                tell(AgentEvent::Plan(vec![step])).await;
            }
            "tool" => {
                for status in ["pending", "in_progress", "completed"] {
                    let (id, title) = (rest.to_owned(), format!("use {rest}"));
                    tell(AgentEvent::Tool { id, title, kind: "read".to_owned(), status: status.to_owned() })
                        .await;
                }
            }
            "seen" => {
                let viewer = turn.viewer.as_ref().map(|viewer| viewer.0.clone()).unwrap_or_default();
                let found = viewer.iter().find(|(name, _)| name == rest);
                tell(AgentEvent::Text(found.map(|(_, value)| value.clone()).unwrap_or_default())).await;
            }
            "env" => {
                let found = turn.environment.iter().find(|(name, _)| name == rest);
                tell(AgentEvent::Text(found.map(|(_, value)| value.clone()).unwrap_or_default())).await;
            }
            "ask" => {
                let options = [("yes", "allow_once"), ("no", "reject_once")];
                let options = options.map(|(id, kind)| PermissionOption {
                    id: id.to_owned(),
                    kind: kind.to_owned(),
                    name: id.to_owned(),
                });
                let tool = "run tests".to_owned();
                tell(AgentEvent::Permission { id: "q".to_owned(), tool, options: options.to_vec() }).await;
                answered.notified().await;
            }
            "hold" => go.notified().await,
            "degrade" => tell(AgentEvent::Degraded(Some("OPENCLAW_GATEWAY_SOCKET_CLOSED".to_owned()))).await,
            "fail" => how = How::Failed { code: rest.to_owned(), message: "it failed".to_owned() },
            "unstated" => how = How::Unstated,
            "die" => return,
            _ => {}
        }
    }
    tell(AgentEvent::Ended(TurnEnd { how, text: None })).await;
}
