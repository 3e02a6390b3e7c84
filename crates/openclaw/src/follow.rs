//! Follows one gateway run to completion across reconnects.
//!
//! Must never give up a run because the line is lost, before the time for that is over; nor ask for an end that was told.

use std::pin::Pin;
use std::sync::Arc;

use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use super::connection::{Connection, RunSubscription};
use super::error::GatewayFault;
use super::plugin::{Plugin, deliver, prepare};
use super::turn::{Progress, RunStanding, last_words, standing};
use engross_tasks::runner::{AgentEvent, How, Turn, TurnEnd};

/// Messages of a history in which the end of a run is looked for.
const HISTORY: u32 = 50;

/// A run to be followed.
pub(super) struct RunFollower {
    pub(super) connection: Arc<Connection>,
    pub(super) turn: Turn,
    /// The run as the gateway calls it.
    pub(super) run: String,
    pub(super) plugin: Plugin,
    pub(super) listener: RunSubscription,
    pub(super) events: mpsc::Sender<AgentEvent>,
    /// Whether something of it may have been missed already.
    pub(super) unsure: bool,
}

/// The end of a run that had to be asked for.
struct FetchedEnd {
    end: TurnEnd,
    files: Vec<String>,
}

type EndQuery<'a> = Pin<Box<dyn Future<Output = Result<Option<FetchedEnd>, GatewayFault>> + Send + 'a>>;

impl RunFollower {
    /// Tells what happens until the run ends, nobody listens, or the gateway is out of reach for too long.
    pub(super) async fn follow(self) {
        let limits = self.connection.limits().clone();
        let mut progress = Progress::new(self.turn.session_key.as_str());
        let mut files = Vec::new();
        self.connection.begin();
        let mut line = self.connection.line();
        let (mut tries, mut is_up) = {
            let line = line.borrow_and_update();
            (line.tries, line.state.is_ok())
        };
        let (mut lost_at, mut is_degraded) = (Instant::now(), false);
        let mut pace = if self.unsure { limits.recovery } else { limits.silence };
        let mut ask_at = if self.unsure { Instant::now() } else { Instant::now() + pace };
        let mut asking: Option<EndQuery<'_>> = None;
        loop {
            tokio::select! {
                biased;
                () = self.events.closed() => return,
                told = self.listener.mailbox().next() => {
                    ask_at = Instant::now() + pace;
                    for event in progress.hear(&told) {
                        match event {
                            AgentEvent::Ended(end) => return self.end(end, files).await,
                            AgentEvent::Files(named) => files.extend(named),
                            event => self.tell(event).await,
                        }
                    }
                }
                changed = line.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    let now = line.borrow_and_update().clone();
                    let up = now.state.is_ok();
                    if up && (now.tries != tries || !is_up) {
                        // The end may have come while nobody heard.
                        pace = limits.recovery;
                        ask_at = Instant::now();
                    }
                    if !up && is_up {
                        lost_at = Instant::now();
                    }
                    if up == is_degraded {
                        is_degraded = !up;
                        let code = now.state.err().map(|_| GatewayFault::Closed.code().to_owned());
                        self.tell(AgentEvent::Degraded(code)).await;
                    }
                    (tries, is_up, asking) = (now.tries, up, None);
                }
                found = answer(&mut asking), if asking.is_some() => {
                    asking = None;
                    ask_at = Instant::now() + pace;
                    match found {
                        Ok(Some(found)) => {
                            files.extend(found.files);
                            return self.end(found.end, files).await;
                        }
                        Err(GatewayFault::Refused { message, is_passing: false, .. }) => {
                            let fault = GatewayFault::Wait { problem: message };
                            return self.end(TurnEnd { how: failed(&fault), text: None }, files).await;
                        }
                        // It is under way, or the line is lost, which is heard of by itself.
                        Ok(None) | Err(_) => {}
                    }
                }
                () = sleep_until(ask_at), if is_up && asking.is_none() => asking = Some(Box::pin(self.ask())),
                () = sleep_until(lost_at + limits.lost), if !is_up => return,
            }
        }
    }

    /// Asks how the run stands.
    async fn ask(&self) -> Result<Option<FetchedEnd>, GatewayFault> {
        let limit = self.connection.limits().request;
        let params = json!({ "runId": self.run, "timeoutMs": 1000 });
        let answer = self.connection.request("agent.wait", params, limit).await?;
        let RunStanding::Over(how, reply) = standing(&self.run, &answer) else { return Ok(None) };
        if !matches!(how, How::Completed | How::Unstated) {
            return Ok(Some(FetchedEnd { end: TurnEnd { how, text: reply }, files: Vec::new() }));
        }
        let params = json!({ "sessionKey": self.turn.session_key, "limit": HISTORY });
        let (said, files) = match self.connection.request("chat.history", params, limit).await {
            Ok(history) => last_words(&self.run, &history),
            Err(GatewayFault::Refused { is_passing: false, .. }) => (None, Vec::new()),
            Err(fault) => return Err(fault),
        };
        Ok(Some(FetchedEnd { end: TurnEnd { how, text: reply.or(said) }, files }))
    }

    /// Fetches the files of a run that was done, where they are not here, and tells its end.
    async fn end(&self, mut end: TurnEnd, named: Vec<String>) {
        if matches!(end.how, How::Completed | How::Unstated) {
            let fetched = tokio::select! {
                fetched = self.fetch(&named) => fetched,
                () = self.events.closed() => return,
            };
            match fetched {
                Ok(named) if named.is_empty() => {}
                Ok(named) => self.tell(AgentEvent::Files(named)).await,
                Err(fault) => end.how = failed(&fault),
            }
        }
        self.tell(AgentEvent::Ended(end)).await;
    }

    /// Fetches the files from a gateway with the plugin, and gives those of `named` back that did not come, which are all where there
    /// is no plugin. A line that breaks is waited for.
    async fn fetch(&self, named: &[String]) -> Result<Vec<String>, GatewayFault> {
        let limits = self.connection.limits();
        let until = Instant::now() + limits.lost;
        loop {
            match self.fetch_once(named).await {
                Err(GatewayFault::Closed | GatewayFault::Connect { .. }) if Instant::now() < until => {
                    sleep(limits.pause).await;
                }
                fetched => return fetched,
            }
        }
    }

    async fn fetch_once(&self, named: &[String]) -> Result<Vec<String>, GatewayFault> {
        let plugin = match &self.plugin {
            Plugin::Unknown => prepare(&self.connection, &self.turn).await?,
            known => known.clone(),
        };
        let Plugin::Made(prepared) = plugin else { return Ok(named.to_vec()) };
        deliver(&self.connection, &self.turn, &prepared, named).await
    }

    async fn tell(&self, event: AgentEvent) {
        let _ = self.events.send(event).await;
    }
}

async fn answer(asking: &mut Option<EndQuery<'_>>) -> Result<Option<FetchedEnd>, GatewayFault> {
    match asking {
        Some(asking) => asking.await,
        None => std::future::pending().await,
    }
}

fn failed(fault: &GatewayFault) -> How {
    How::Failed { code: fault.code().to_owned(), message: fault.to_string() }
}
