//! One turn of an agent, or several, as JSON lines: for trying an agent out, and for the tests with real ones.
//!
//! `agent_turn [--warm] [--pass NAME]… [--set NAME=VALUE]… [--allow|--deny] [--cancel-after MS] [--model M] [--thread NAME] --dir FOLDER
//! --prompt TEXT… (--known ID | --command LINE | --gateway URL [--token TOKEN])`. Each prompt is a turn of one conversation, in a folder `run-N` of its own.

#![expect(clippy::print_stdout, reason = "this is a program")]

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engross_acp::client::{AgentProvider, AgentRegistry, Host, Limits, StartMode};
use engross_artifacts::{RunId, SessionKey};
use engross_openclaw::{GatewayConfig, GatewayLimits, GatewayRunner};
use engross_protocol::{Clock, SystemClock};
use engross_tasks::runner::{AgentEvent, Policy, ProviderId, TaskRunner, Turn};
use serde_json::{Value, json};

/// How long a turn may take.
const TURN: u64 = 180_000;

/// Who is given the turns.
enum Who {
    Agent(Box<AgentProvider>),
    /// A gateway: its address and its token.
    Gateway(String, Option<String>),
}

struct Options {
    who: Who,
    folder: PathBuf,
    prompts: Vec<String>,
    policy: Policy,
    cancel_after: Option<Duration>,
    model: Option<String>,
    thread: String,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (mut provider, mut folder, mut cancel_after, mut model) = (None, None, None, None);
    let (mut prompts, mut pass, mut set) = (Vec::new(), Vec::new(), Vec::new());
    let (mut policy, mut warm) = (Policy::Allow, false);
    let (mut gateway, mut token, mut thread) = (None, None, "thread".to_owned());
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
        match name.as_str() {
            "--warm" => warm = true,
            "--allow" => policy = Policy::Allow,
            "--deny" => policy = Policy::Deny,
            "--pass" => pass.push(value()?),
            "--set" => {
                let value = value()?;
                let (name, value) = value.split_once('=').ok_or("--set needs NAME=VALUE")?;
                set.push((name.to_owned(), value.to_owned()));
            }
            "--cancel-after" => cancel_after = Some(Duration::from_millis(value()?.parse()?)),
            "--model" => model = Some(value()?),
            "--dir" => folder = Some(PathBuf::from(value()?)),
            "--prompt" => prompts.push(value()?),
            "--known" => {
                let id = value()?;
                let known = AgentProvider::known().into_iter().find(|one| one.id.as_str() == id);
                provider = Some(known.ok_or(format!("{id} is not known"))?);
            }
            "--thread" => thread = value()?,
            "--gateway" => gateway = Some(value()?),
            "--token" => token = Some(value()?),
            "--command" => {
                provider = Some(AgentProvider::from_command(ProviderId::new("command")?, &value()?)?);
            }
            other => return Err(format!("{other} is not an option").into()),
        }
    }
    let who = match (gateway, provider) {
        (Some(url), None) => Who::Gateway(url, token),
        (None, Some(mut provider)) => {
            provider.pass.extend(pass);
            provider.set.extend(set);
            if warm {
                (provider.start, provider.warm) = (StartMode::Warm, 1);
            }
            Who::Agent(Box::new(provider))
        }
        _ => return Err("one of --known, --command and --gateway is needed".into()),
    };
    let folder = folder.ok_or("--dir is missing")?;
    Ok(Options { who, folder, prompts, policy, cancel_after, model, thread })
}

fn say(line: &Value) {
    println!("{line}");
}

fn told(event: &AgentEvent) -> Value {
    match event {
        AgentEvent::Started { agent_session } => json!({ "event": "started", "session": agent_session }),
        AgentEvent::Text(text) => json!({ "event": "text", "text": text }),
        AgentEvent::Thought(text) => json!({ "event": "thought", "text": text }),
        AgentEvent::Tool { id, title, kind, status } => {
            json!({ "event": "tool", "id": id, "title": title, "kind": kind, "status": status })
        }
        AgentEvent::Files(files) => json!({ "event": "files", "files": files }),
        AgentEvent::Ended(end) => json!({ "event": "ended", "how": format!("{:?}", end.how) }),
        other => json!({ "event": "other", "what": format!("{other:?}") }),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(turns(options))
}

async fn turns(options: Options) -> Result<(), Box<dyn Error>> {
    let folder = options.folder.canonicalize()?;
    let idle = folder.join("idle");
    std::fs::create_dir_all(&idle)?;
    let (mut agents, runner): (Option<AgentRegistry>, Arc<dyn TaskRunner>) = match options.who {
        Who::Gateway(url, token) => {
            let token = token.map(Into::into);
            let config = GatewayConfig { url, token, identity: idle, clock: Arc::new(SystemClock) };
            (None, Arc::new(GatewayRunner::new(config, GatewayLimits::default())?))
        }
        Who::Agent(provider) => {
            let host = Host {
                sandbox: None,
                environment: std::env::vars_os().collect(),
                folder: idle,
                owner: format!("agent-turn-{}", std::process::id()),
                clock: Arc::new(SystemClock),
            };
            let agents = AgentRegistry::new(vec![*provider], &host, &Limits::default());
            let runner = agents.runners().first().ok_or("there is no agent")?.clone();
            (Some(agents), Arc::new(runner))
        }
    };
    let begun = Instant::now();
    let health = runner.health().await;
    say(&json!({ "event": "health", "health": format!("{health:?}"), "ms": millis(begun) }));
    for (number, prompt) in options.prompts.iter().enumerate() {
        let directory = folder.join(format!("run-{}", number + 1));
        std::fs::create_dir_all(&directory)?;
        let turn = Turn {
            principal: "you".to_owned(),
            thread: options.thread.clone(),
            session_key: SessionKey::parse(&format!("agent:main:{}", options.thread))?,
            run: RunId::parse(&format!("run-{}", number + 1))?,
            turn: format!("turn-{}-{}", options.thread, number + 1),
            prompt: prompt.clone(),
            user_text: prompt.clone(),
            continues: number > 0,
            conversation: None,
            environment: vec![(
                "XWORKMATE_ARTIFACT_DIRECTORY".to_owned(),
                directory.to_string_lossy().into_owned(),
            )],
            directory,
            attachments: Vec::new(),
            model: options.model.clone(),
            sandbox: engross_tasks::sandbox_request::SandboxRequest::default(),
            permissions: options.policy,
            viewer: None,
            deadline: SystemClock.millis() + TURN,
        };
        let begun = Instant::now();
        let mut running = match runner.start(turn).await {
            Ok(running) => running,
            Err(error) => {
                say(
                    &json!({ "event": "refused", "code": error.code, "message": error.message, "ms": millis(begun) }),
                );
                break;
            }
        };
        say(&json!({ "event": "begun", "ms": millis(begun) }));
        let mut cancel = options.cancel_after.map(|after| Box::pin(tokio::time::sleep(after)));
        loop {
            let event = tokio::select! {
                event = running.events.recv() => event,
                () = async { match &mut cancel { Some(at) => at.await, None => std::future::pending().await } } => {
                    let receipt = running.control.cancel().await?;
                    say(&json!({ "event": "cancelling", "aborted": receipt.aborted, "ms": millis(begun) }));
                    cancel = None;
                    continue;
                }
            };
            let Some(event) = event else { break };
            let mut line = told(&event);
            line["ms"] = json!(millis(begun));
            say(&line);
        }
    }
    if let Some(agents) = agents.take() {
        agents.shut_down().await;
    }
    Ok(())
}

fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
