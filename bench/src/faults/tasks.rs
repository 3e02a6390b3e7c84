//! Servers and agents are killed while tasks run, clients lose their streams and send everything again: each task that was
//! accepted has one run with one end, and the files of that run only.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use engross_protocol::hex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::disk::Disk;
use super::server::{Server, failed};
use super::{Dice, Trial};
use crate::{Error, Result, root};

/// Clients that hand in tasks at once.
const CLIENTS: u64 = 4;

/// How long the tasks that are left may take to end.
const PATIENCE: Duration = Duration::from_secs(120);

/// Ends that a kill explains.
const KILLED: [&str; 6] = [
    "ACP_BRIDGE_RESTART",
    "AGENT_EXITED",
    "AGENT_LOST",
    "AGENT_START_FAILED",
    "AGENT_PROTOCOL",
    "SERVER_STOPPING",
];

/// A task as a client handed it in, and the run it was told, if any.
#[derive(Debug, Clone)]
struct FakeRequest {
    key: String,
    run: Option<String>,
    /// The whole answer, if one came.
    end: Option<Value>,
}

pub(super) fn run(trial: &Trial<'_>) -> Result<String> {
    let kills = if trial.quick { 15 } else { 100 };
    settings(trial.folder)?;
    let asked = Mutex::new(Vec::<FakeRequest>::new());
    let mut dice = Dice(11);
    let mut agents_killed = 0;
    for round in 0..kills {
        let mut server = Server::start_as_set(trial.folder)?;
        let address = server.address;
        std::thread::scope(|scope| {
            for client in 0..CLIENTS {
                let (asked, mut dice) = (&asked, Dice(dice.below(1 << 40)));
                scope.spawn(move || hand_in(address, &format!("r{round}-{client}"), asked, &mut dice));
            }
            std::thread::sleep(Duration::from_millis(20 + dice.below(700)));
            // Agents die before their server, with it, or not at all.
            if dice.below(2) == 0 {
                agents_killed += kill_agents(server.process());
                std::thread::sleep(Duration::from_millis(dice.below(60)));
            }
            server.kill();
        });
    }
    let server = Server::start_as_set(trial.folder)?;
    let asked = asked.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let figures = verify(server.address, &asked)?;
    Ok(format!("{kills} kills of the server, {agents_killed} of agents: {figures}"))
}

/// A disk that is full, and later not: what was delivered stays, what failed says so, and everything can be done then.
pub(super) fn on_a_full_disk(trial: &Trial<'_>) -> Result<String> {
    let Some(disk) = Disk::mount(trial.folder, "3m") else {
        return Ok("skipped: no small disk can be mounted here".to_owned());
    };
    settings(trial.folder)?;
    let server = Server::start_as_set(trial.folder)?;
    let size = 100_000;
    let (mut delivered, mut refused) = (Vec::new(), BTreeMap::<String, usize>::new());
    for number in 0..200 {
        let key = format!("d{number}");
        let told_of = hear(server.address, &start_with(&key, &long(&key, size)), false, None);
        let told_of = told_of.into_iter().next().unwrap_or_default();
        let end = &told_of["result"];
        if end["success"] == true {
            is_right(&key, &long(&key, size), end)?;
            delivered.push((key, told(end)));
            continue;
        }
        let code = end["code"].as_str().or(told_of["error"]["data"]["code"].as_str());
        let code = code.ok_or_else(|| failed(format!("{key} is told {told_of}")))?;
        *refused.entry(code.to_owned()).or_default() += 1;
        if refused.values().sum::<usize>() >= 12 {
            break;
        }
    }
    if refused.values().sum::<usize>() < 12 || delivered.is_empty() {
        return Err(failed(format!(
            "{} tasks were delivered, and refused were {refused:?}",
            delivered.len()
        )));
    }
    if !disk.resize("64m") {
        return Err(failed("the disk cannot be made larger"));
    }
    drop(server);
    let server = Server::start_as_set(trial.folder)?;
    for (key, before) in &delivered {
        let now = snapshot(server.address, key)?;
        if told(&now) != *before {
            return Err(failed(format!("{key} was delivered as {before}, and is now {now}")));
        }
    }
    for number in 0..12 {
        let key = format!("again{number}");
        let (_, end) = ask(server.address, &start_with(&key, &long(&key, size)), false, None);
        is_right(&key, &long(&key, size), &end.unwrap_or_default())?;
    }
    let codes: Vec<String> = refused.iter().map(|(code, count)| format!("{count} {code}")).collect();
    Ok(format!(
        "{} tasks of 100 kB delivered, then refused: {}; with room again all are done, lost 0",
        delivered.len(),
        codes.join(", ")
    ))
}

fn long(key: &str, size: usize) -> String {
    format!("{key} ").repeat(size / (key.len() + 1)).trim_end().to_owned()
}

/// The settings of a server that knows this program as an agent.
fn settings(folder: &Path) -> Result<()> {
    // The one that was just built: the one that runs may have been replaced by it.
    let program = root().join("target/ci").join(format!("engross-bench{}", std::env::consts::EXE_SUFFIX));
    write(
        &folder.join("config.toml"),
        &format!("[agents.fake]\ncommand = \"'{}' acp-agent\"\n", program.display()),
    )
}

/// Hands in tasks until the server is gone. Every third answer is not waited for: its stream is dropped, and it is sent again.
fn hand_in(server: SocketAddr, name: &str, asked: &Mutex<Vec<FakeRequest>>, dice: &mut Dice) {
    for number in 0.. {
        let mut task = FakeRequest { key: format!("{name}-{number}"), run: None, end: None };
        if dice.below(3) == 0 {
            let patience = Duration::from_millis(dice.below(150));
            task.run = ask(server, &start(&task.key), true, Some(patience)).0;
        }
        let (run, end) = ask(server, &start(&task.key), number % 2 == 0, None);
        task.run = task.run.or(run);
        let is_over = end.is_none();
        task.end = end;
        asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(task);
        if is_over {
            return;
        }
    }
}

fn start(key: &str) -> Value {
    start_with(key, &content(key))
}

fn start_with(key: &str, content: &str) -> Value {
    let prompt = format!("@ write {key}.md {content}\n@ say {key} is written.");
    json!({"jsonrpc": "2.0", "id": "1", "method": "session.start", "params": {
        "sessionId": key, "threadId": key, "taskPrompt": prompt, "idempotencyKey": key,
        "routing": {"explicitExecutionTarget": "agent", "explicitProviderId": "fake"},
        "requiredArtifactExtensions": ["md"],
    }})
}

fn content(key: &str) -> String {
    format!("The file of {key}.")
}

fn verify(server: SocketAddr, asked: &[FakeRequest]) -> Result<String> {
    let (mut counts, mut runs) = (BTreeMap::<String, usize>::new(), BTreeSet::new());
    let mut unheard = 0;
    for task in asked {
        let known = snapshot(server, &task.key)?;
        if known["status"] == "not_found" {
            if task.run.is_some() || task.end.is_some() {
                return Err(failed(format!("{task:?} was accepted and is lost")));
            }
            unheard += 1;
        }
        // Sent again, whatever became of it: it has the run it had, or begins now.
        let (run, end) = ask(server, &start(&task.key), false, None);
        let end = end.ok_or_else(|| failed(format!("{task:?} is not answered: {run:?}")))?;
        let run = end["runId"].as_str().unwrap_or_default().to_owned();
        if task.run.as_ref().is_some_and(|before| *before != run) {
            return Err(failed(format!("{task:?} has another run now: {run}")));
        }
        if let Some(before) = &task.end
            && told(before) != told(&end)
        {
            return Err(failed(format!("{} ended as {}, and now as {}", task.key, told(before), told(&end))));
        }
        let since = Instant::now();
        let mut last = snapshot(server, &task.key)?;
        while last["terminal"] != true {
            if since.elapsed() > PATIENCE {
                return Err(failed(format!("{} does not end: {last}", task.key)));
            }
            std::thread::sleep(Duration::from_millis(50));
            last = snapshot(server, &task.key)?;
        }
        if last["runId"] != run.as_str() {
            return Err(failed(format!("{} has two runs: {run} and {}", task.key, last["runId"])));
        }
        check(&task.key, &last)?;
        let code = last["code"].as_str().unwrap_or("success").to_owned();
        *counts.entry(code).or_default() += 1;
        if !runs.insert(run) {
            return Err(failed(format!("{} shares its run with another task", task.key)));
        }
    }
    let counts: Vec<String> = counts.iter().map(|(code, count)| format!("{count} {code}")).collect();
    Ok(format!(
        "{} tasks ({}), {unheard} of which nothing had been heard; lost 0, doubled 0, foreign files 0",
        asked.len(),
        counts.join(", ")
    ))
}

/// A success has its own file and no other; a failure has one of the codes that a kill explains, and lists nothing.
fn check(key: &str, end: &Value) -> Result<()> {
    if end["success"] == true {
        return is_right(key, &content(key), end);
    }
    let is_explained = end["code"].as_str().is_some_and(|code| KILLED.contains(&code));
    let is_empty = end["artifacts"].as_array().is_none_or(Vec::is_empty);
    if is_explained && is_empty { Ok(()) } else { Err(failed(format!("{key} ended as {end}"))) }
}

/// A success with this one file.
fn is_right(key: &str, content: &str, end: &Value) -> Result<()> {
    let files: Vec<(&str, &str)> = end["artifacts"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|file| {
            (file["relativePath"].as_str().unwrap_or_default(), file["sha256"].as_str().unwrap_or_default())
        })
        .collect();
    let sum = hex::encode(Sha256::digest(content));
    let name = format!("{key}.md");
    let is_right = end["success"] == true && files == [(name.as_str(), sum.as_str())];
    if is_right { Ok(()) } else { Err(failed(format!("{key} ended as {end}"))) }
}

/// What must never change of an end.
fn told(end: &Value) -> Value {
    let hashes: Vec<&Value> =
        end["artifacts"].as_array().into_iter().flatten().map(|file| &file["sha256"]).collect();
    json!([end["runId"], end["status"], end["success"], end["code"], end["output"], hashes])
}

fn snapshot(server: SocketAddr, thread: &str) -> Result<Value> {
    let request =
        json!({"jsonrpc": "2.0", "id": "1", "method": "xworkmate.tasks.get", "params": {"threadId": thread}});
    ask(server, &request, false, None)
        .1
        .ok_or_else(|| failed(format!("the task {thread} cannot be asked for")))
}

/// Sends a request. Gives the run that is named in whatever came, and the answer if a whole one did. With `patience` the
/// connection is dropped after that time.
fn ask(
    server: SocketAddr,
    request: &Value,
    stream: bool,
    patience: Option<Duration>,
) -> (Option<String>, Option<Value>) {
    let envelopes = hear(server, request, stream, patience);
    let run = envelopes.iter().find_map(|envelope| {
        let told = [&envelope["result"]["runId"], &envelope["params"]["runId"]];
        told.into_iter().find_map(|run| run.as_str().map(str::to_owned))
    });
    let answer =
        envelopes.into_iter().find(|envelope| envelope["id"] == "1" && envelope["result"].is_object());
    (run, answer.map(|mut envelope| envelope["result"].take()))
}

/// Sends a request; gives the envelopes that came whole.
fn hear(server: SocketAddr, request: &Value, stream: bool, patience: Option<Duration>) -> Vec<Value> {
    let body = request.to_string();
    let accept = if stream { "text/event-stream" } else { "application/json" };
    let head = format!(
        "POST /acp/rpc HTTP/1.1\r\nhost: {server}\r\nconnection: close\r\naccept: {accept}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut heard = Vec::new();
    if let Ok(mut socket) = TcpStream::connect(server)
        && socket.write_all((head + &body).as_bytes()).is_ok()
    {
        let until = Instant::now() + patience.unwrap_or(Duration::from_secs(90));
        let mut piece = [0; 4096];
        while let Some(left) = until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            let _ = socket.set_read_timeout(Some(left));
            match socket.read(&mut piece) {
                Ok(count @ 1..) => heard.extend_from_slice(piece.get(..count).unwrap_or_default()),
                _ => break,
            }
        }
    }
    let heard = String::from_utf8_lossy(&heard);
    let body = heard.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
    body.lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ").unwrap_or(line)).ok())
        .collect()
}

/// Kills the processes that the server has started; how many.
fn kill_agents(server: u32) -> usize {
    let Ok(folders) = std::fs::read_dir("/proc") else { return 0 };
    let parents: Vec<(u32, u32)> = folders
        .flatten()
        .filter_map(|entry| {
            let process: u32 = entry.file_name().to_str()?.parse().ok()?;
            Some((process, parent(process)?))
        })
        .collect();
    let mut doomed = vec![server];
    let mut killed = 0;
    while let Some(next) = doomed.pop() {
        for (process, _) in parents.iter().filter(|(_, parent)| *parent == next) {
            doomed.push(*process);
            let mut kill = std::process::Command::new("kill");
            let done = kill.args(["-9", &process.to_string()]).stderr(std::process::Stdio::null()).status();
            killed += usize::from(done.is_ok_and(|status| status.success()));
        }
    }
    killed
}

#[expect(clippy::disallowed_methods, reason = "a chore reads what the system says of a process")]
fn parent(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[expect(clippy::disallowed_methods, reason = "a chore writes the settings of what it tries")]
fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(Error::file(path))
}
