//! `cargo xtask campaign`: several nodes on one database, clients that never give up, and one fault after the other, for as long as
//! wanted; at the end everything that was promised is held against what is there.
//!
//! Must never let a fault pass for one that did not happen, nor judge before all is healed.

mod board;
mod cluster;
#[cfg(test)]
mod cluster_tests;
mod journal;
mod ledger;
mod memory;
mod namespaces;
mod proxy;
mod speaking;
mod working;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use engross_testkit::scripted::ModelServer;
use serde_json::json;

use self::board::Board;
use self::cluster::{Cluster, Surroundings};
use self::journal::FaultJournal;
use self::ledger::Ledger;
use self::namespaces::{Apart, Loss};
use self::proxy::Link;
use self::speaking::Client;
use self::working::Worker;
use crate::faults::server::failed;
use crate::faults::{Dice, anew};
use crate::{Error, Result, root, say};

/// How the campaign is run.
#[derive(Args)]
pub(crate) struct CampaignArguments {
    /// How many faults.
    #[arg(long, default_value_t = 2_000)]
    faults: usize,
    /// How many nodes.
    #[arg(long, default_value_t = 3)]
    nodes: usize,
    /// How many clients.
    #[arg(long, default_value_t = 6)]
    clients: u64,
    /// How many clients besides write files, edit documents and give tasks, in turn.
    #[arg(long, default_value_t = 3)]
    workers: u64,
    /// How many owners those are. Each has a home, and there are more than work where there are more owners than workers.
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    owners: u64,
    /// How long a client rests between two turns, in milliseconds.
    #[arg(long, default_value_t = 0)]
    rest: u64,
    /// Which faults, and when.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The longest pause between two faults, in milliseconds.
    #[arg(long, default_value_t = 1_400)]
    pause: u64,
    /// Only faults whose name holds this.
    #[arg(long)]
    only: Option<String>,
    /// Puts the shared folders on a disk in memory, which is full every now and then. Needs the right to mount.
    #[arg(long)]
    disk: bool,
    /// Limits the memory of nodes every now and then, so that the system kills them. Needs control groups.
    #[arg(long)]
    memory: bool,
    /// Gives each node a network of its own, and cuts it off from the database, from other nodes or from all. Needs the right to
    /// make namespaces, `ip` and `nft`.
    #[arg(long)]
    namespaces: bool,
    /// Gives each node folders of its own and all of them object storage, which is away every now and then, as are disks of nodes that
    /// died. Needs `moto_server`.
    #[arg(long, conflicts_with = "disk")]
    local_folders: bool,
    /// In place of faults: each node in turn is drained, and started again as this program. `cargo build --profile ci --package engross
    /// --features engross/full,engross/rehearsal` makes one that is a migration and a kind of entry ahead.
    #[arg(long)]
    upgrade: Option<PathBuf>,
    /// In place of faults: nothing fails for so many minutes, and what the nodes use must not grow.
    #[arg(long)]
    soak: Option<u64>,
    /// The program that is tried; the one of the profile `ci` if none is named.
    #[arg(long)]
    engine: Option<PathBuf>,
}

/// What may fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Kill,
    DiskLost,
    Drain,
    Freeze,
    Cut,
    Silence,
    Slow,
    Clock,
    Connections,
    Restart,
    Failover,
    Disk,
    Storage,
    Memory,
    ApartFromDatabase,
    ApartFromNodes,
    ApartFromAll,
    OneWay,
}

impl Kind {
    /// Whether it can happen with what is put around the nodes.
    fn can_happen(self, arguments: &CampaignArguments, has_clock: bool) -> bool {
        match self {
            Self::Clock => has_clock,
            Self::Disk => arguments.disk,
            Self::Storage | Self::DiskLost => arguments.local_folders,
            Self::Memory => arguments.memory,
            Self::ApartFromDatabase | Self::ApartFromNodes | Self::ApartFromAll | Self::OneWay => {
                arguments.namespaces
            }
            _ => true,
        }
    }
}

/// Each kind with its name, and how often it comes beside the others.
const KINDS: [(Kind, &str, u64); 18] = [
    (Kind::Kill, "node killed", 20),
    (Kind::DiskLost, "node killed, its disk lost", 12),
    (Kind::Drain, "node drained", 5),
    (Kind::Freeze, "node frozen", 10),
    (Kind::Cut, "network cut", 15),
    (Kind::Silence, "network silent", 10),
    (Kind::Slow, "network slow", 10),
    (Kind::Clock, "clock set", 15),
    (Kind::Connections, "connections ended", 10),
    (Kind::Restart, "database killed", 4),
    (Kind::Failover, "database failed over", 1),
    (Kind::Disk, "disk full", 6),
    (Kind::Storage, "object storage away", 8),
    (Kind::Memory, "memory limited", 8),
    (Kind::ApartFromDatabase, "apart from database", 8),
    (Kind::ApartFromNodes, "apart from nodes", 8),
    (Kind::ApartFromAll, "apart from all", 8),
    (Kind::OneWay, "apart one way", 8),
];

/// What has to be put right, and when.
struct Repair {
    due: Instant,
    node: usize,
    kind: Kind,
}

/// In place of the number of a node, what is of all.
const EVERYBODY: usize = usize::MAX;

/// How long clients speak to a cluster between two upgrades of nodes.
const BETWEEN_UPGRADES: Duration = Duration::from_secs(8);

/// How often it is looked what nodes use.
const BETWEEN_LOOKS: Duration = Duration::from_secs(15);

/// Runs a campaign and prints its figures.
pub(crate) fn run(arguments: &CampaignArguments) -> Result<()> {
    let ci = root().join("target/ci").join(format!("engross{}", std::env::consts::EXE_SUFFIX));
    let engine = arguments.engine.clone().unwrap_or(ci);
    let model = ModelServer::start(json!({
        "record": false,
        "turns": [{
            "times": 0, "when": {"last_role": "user", "contains": "please look up"},
            "text": "a moment", "tool_calls": [{"name": "look_up"}]
        }],
        "default": {"echo": "heard: ", "delay_ms": 25}
    }));
    let model_address = model.url().trim_start_matches("http://").parse();
    let model_address =
        model_address.map_err(|error| failed(format!("the model has no address: {error}")))?;
    // Two campaigns at once have nothing to do with each other.
    let (disk, memory, network) = (arguments.disk, arguments.memory, arguments.namespaces);
    let around = Surroundings { disk, memory, network, storage: arguments.local_folders };
    let folder = anew(&format!("campaign-{}", std::process::id()))?;
    let owners = usize::try_from(arguments.owners).unwrap_or(1);
    let size = (arguments.nodes, owners);
    let Some(mut cluster) = Cluster::start(&folder, &engine, model_address, size, around)? else {
        return Err(failed("there is no Postgres: install it"));
    };
    let callers = cluster.callers.clone();
    let addresses: Vec<SocketAddr> = cluster.nodes.iter().map(|node| node.address).collect();
    let (ledger, over) = (Ledger::default(), AtomicBool::new(false));
    let board = Board::of(addresses.len());
    let mut journal = FaultJournal::begin(&folder)?;
    let begun = Instant::now();
    let done = std::thread::scope(|scope| {
        for number in 0..arguments.clients {
            let rest = Duration::from_millis(arguments.rest);
            let client =
                Client { number, rest, nodes: &addresses, ledger: &ledger, board: &board, over: &over };
            scope.spawn(move || client.speak());
        }
        for number in 0..arguments.workers {
            let rest = Duration::from_millis(arguments.rest);
            let caller = &callers[usize::try_from(number).unwrap_or(0) % callers.len()];
            let worker = Worker {
                number,
                caller,
                rest,
                nodes: &addresses,
                ledger: &ledger,
                board: &board,
                over: &over,
            };
            scope.spawn(move || worker.work());
        }
        let done = match (&arguments.upgrade, arguments.soak) {
            (Some(next), _) => upgrade(&mut cluster, next, &board, &ledger),
            (None, Some(minutes)) => soak(&mut cluster, minutes, &ledger),
            (None, None) => fail(&mut cluster, arguments, &board, &ledger, &mut journal),
        };
        over.store(true, Ordering::Relaxed);
        done
    });
    // What could not be done may be the doing of a node that is no more.
    let done = with_deaths(&mut cluster, done)?;
    let weights: Vec<String> = cluster
        .nodes
        .iter()
        .map(cluster::Node::weight)
        .map(|(mib, files)| format!("{mib} MiB and {files} files open"))
        .collect();
    let seconds = begun.elapsed().as_secs();
    let counts: Vec<String> = done.iter().map(|(name, count)| format!("{name} {count}")).collect();
    say(&format!(
        "{} faults in {seconds} s on {} nodes: {}",
        done.values().sum::<usize>(),
        arguments.nodes,
        counts.join(", ")
    ));
    say(&format!("{} homes were given to nodes that had fewer", cluster.homes_given()));
    say(&format!(
        "what failed when: {0}/faults.log; what each node said: {0}/node-*/said-*.log",
        folder.display()
    ));
    look(&mut cluster, &ledger);
    let judged = ledger.judge(&addresses);
    // Also whom the judge's questions have killed.
    for line in with_deaths(&mut cluster, judged)? {
        say(&line);
    }
    say(&cluster.database.faults()?);
    say(&format!("nodes at the end: {}", weights.join(", ")));
    say("every node ran for as long as it was to, and none panicked");
    drop(cluster);
    let shared = folder.join("shared");
    std::fs::remove_dir_all(&shared).map_err(Error::file(&shared))
}

/// An error if a node has ended by itself, or has panicked, however well the rest went.
fn with_deaths<T>(cluster: &mut Cluster, done: Result<T>) -> Result<T> {
    let mut ended = cluster.dead();
    ended.extend(cluster.panics());
    if ended.is_empty() {
        return done;
    }
    ended.extend(done.err().map(|error| error.to_string()));
    Err(failed(ended.join("\n")))
}

/// Notes as a broken promise each node that ended by itself.
fn look(cluster: &mut Cluster, ledger: &Ledger) {
    for death in cluster.dead() {
        ledger.broke(death);
    }
}

/// Has one thing fail after the other, and heals all of them at the end. Tells how often each has.
fn fail(
    cluster: &mut Cluster,
    arguments: &CampaignArguments,
    board: &Board,
    ledger: &Ledger,
    journal: &mut FaultJournal,
) -> Result<BTreeMap<&'static str, usize>> {
    let mut dice = Dice(arguments.seed);
    let mut done: BTreeMap<&'static str, usize> = BTreeMap::new();
    let mut repairs: Vec<Repair> = Vec::new();
    let wanted: Vec<(Kind, &'static str, u64)> = KINDS
        .into_iter()
        .filter(|(_, name, _)| name.contains(arguments.only.as_deref().unwrap_or_default()))
        .filter(|(kind, ..)| kind.can_happen(arguments, cluster.nodes[0].has_clock()))
        .collect();
    let all: u64 = wanted.iter().map(|(.., often)| often).sum();
    let (mut told, mut killed) = (Instant::now(), 0);
    while done.values().sum::<usize>() < arguments.faults && !ledger.is_broken() {
        heal(cluster, board, &mut repairs, Instant::now(), &mut killed)?;
        look(cluster, ledger);
        let mut drawn = dice.below(all);
        let Some((kind, name, _)) = wanted.iter().copied().find(|(.., often)| {
            let is_it = drawn < *often;
            drawn = drawn.saturating_sub(*often);
            is_it
        }) else {
            return Err(failed("no fault has this name"));
        };
        let node = usize::try_from(dice.below(cluster.nodes.len() as u64)).unwrap_or(0);
        // The disk and the storage are everybody's.
        let node = if matches!(kind, Kind::Disk | Kind::Storage) { EVERYBODY } else { node };
        let is_free = repairs.iter().all(|repair| repair.node != node);
        if is_free || matches!(kind, Kind::Connections | Kind::Clock) {
            let whom = if node == EVERYBODY { String::new() } else { format!(", node {node}") };
            let struck = strike(cluster, board, &mut dice, (kind, name), node)?;
            let lasting =
                struck.map_or_else(String::new, |after| format!(", for {:.1} s", after.as_secs_f64()));
            journal.note(&format!("{name}{whom}{lasting}"))?;
            if let Some(after) = struck {
                repairs.push(Repair { due: Instant::now() + after, node, kind });
            }
            *done.entry(name).or_default() += 1;
        }
        if told.elapsed() > Duration::from_secs(60) {
            told = Instant::now();
            say(&format!("{} faults so far", done.values().sum::<usize>()));
        }
        std::thread::sleep(Duration::from_millis(dice.below(arguments.pause)));
    }
    heal(cluster, board, &mut repairs, Instant::now() + Duration::from_secs(3_600), &mut killed)?;
    for node in &cluster.nodes {
        node.set_clock(0)?;
    }
    if arguments.memory {
        say(&format!("of the nodes whose memory was limited the system killed {killed}"));
    }
    Ok(done)
}

/// Replaces one node after the other by the program `next`, while clients go on.
fn upgrade(
    cluster: &mut Cluster,
    next: &Path,
    board: &Board,
    ledger: &Ledger,
) -> Result<BTreeMap<&'static str, usize>> {
    std::thread::sleep(BETWEEN_UPGRADES);
    say(&format!("before: {}", ledger.so_far()));
    cluster.use_engine(next);
    for node in 0..cluster.nodes.len() {
        board.node(node, "node upgraded");
        cluster.nodes[node].drain()?;
        cluster.start_node(node)?;
        std::thread::sleep(BETWEEN_UPGRADES);
        say(&format!("{} of {} upgraded: {}", node + 1, cluster.nodes.len(), ledger.so_far()));
    }
    Ok(BTreeMap::from([("node upgraded", cluster.nodes.len())]))
}

/// Has nothing fail, and looks every now and then what the nodes use. Fails when that has grown by more than a tenth from the second
/// quarter of the time to the last: in the first one, they fill what they keep.
fn soak(cluster: &mut Cluster, minutes: u64, ledger: &Ledger) -> Result<BTreeMap<&'static str, usize>> {
    let begun = Instant::now();
    let mut seen: Vec<Vec<(u64, usize)>> = Vec::new();
    while begun.elapsed() < Duration::from_secs(60 * minutes) && !ledger.is_broken() {
        std::thread::sleep(BETWEEN_LOOKS);
        look(cluster, ledger);
        seen.push(cluster.nodes.iter().map(cluster::Node::weight).collect());
        if seen.len().is_multiple_of(20) {
            say(&format!("{} s: {}", begun.elapsed().as_secs(), ledger.so_far()));
        }
    }
    let mut grown = Vec::new();
    for node in 0..cluster.nodes.len() {
        let of_quarter = |quarter: usize| {
            let looks = &seen[seen.len() * quarter / 4..(seen.len() * (quarter + 1) / 4).max(1)];
            let (mut memory, mut files): (Vec<u64>, Vec<usize>) = looks.iter().map(|look| look[node]).unzip();
            memory.sort_unstable();
            files.sort_unstable();
            (memory[memory.len() / 2], files[files.len() / 2])
        };
        let quarters: Vec<(u64, usize)> = (0..4).map(of_quarter).collect();
        say(&format!("node {node}, MiB and open files in each quarter of the time: {quarters:?}"));
        let ((memory, files), (later, more)) = (quarters[1], quarters[3]);
        if later * 10 > memory * 11 || more * 10 > files * 11 {
            grown.push(node.to_string());
        }
    }
    match grown.is_empty() {
        true => Ok(BTreeMap::new()),
        false => Err(failed(format!("these nodes have grown: {}", grown.join(", ")))),
    }
}

/// Has one thing fail. Tells after what time it is to be put right, if it is not by itself.
fn strike(
    cluster: &mut Cluster,
    board: &Board,
    dice: &mut Dice,
    (kind, name): (Kind, &'static str),
    node: usize,
) -> Result<Option<Duration>> {
    let soon = |dice: &mut Dice, most| Some(Duration::from_millis(100 + dice.below(most)));
    if !matches!(kind, Kind::Connections | Kind::Restart | Kind::Failover | Kind::Disk | Kind::Storage) {
        board.node(node, name);
    }
    match kind {
        Kind::Kill => {
            cluster.nodes[node].kill();
            return Ok(soon(dice, 3_000));
        }
        Kind::DiskLost => {
            cluster.nodes[node].kill();
            cluster.nodes[node].lose_disk()?;
            return Ok(soon(dice, 3_000));
        }
        Kind::Drain => {
            cluster.nodes[node].drain()?;
            return Ok(soon(dice, 1_000));
        }
        Kind::Freeze => {
            cluster.nodes[node].freeze(true)?;
            // Some of them beyond the life of a lease.
            return Ok(soon(dice, 8_000));
        }
        Kind::Cut => {
            cluster.nodes[node].link(Link::Cut);
            return Ok(soon(dice, 2_000));
        }
        Kind::Silence => {
            cluster.nodes[node].link(Link::Silent);
            return Ok(soon(dice, 8_000));
        }
        Kind::Slow => {
            cluster.nodes[node].link(Link::Slow(Duration::from_millis(20 + dice.below(180))));
            return Ok(soon(dice, 3_000));
        }
        Kind::Clock => {
            let most = [5, 60, 3_600, 90_000][usize::try_from(dice.below(4)).unwrap_or(0)];
            let seconds = i64::try_from(dice.below(2 * most)).unwrap_or(0) - i64::try_from(most).unwrap_or(0);
            cluster.nodes[node].set_clock(seconds)?;
        }
        Kind::Connections => {
            board.database(Some(name));
            let done = cluster.database.end_connections();
            board.database(None);
            done?;
        }
        Kind::Restart => {
            board.database(Some(name));
            cluster.database.restart(Duration::from_millis(dice.below(1_500)));
            board.database(None);
        }
        Kind::Failover => {
            board.database(Some(name));
            let done = cluster.database.fail_over();
            board.database(None);
            done?;
        }
        Kind::Disk => {
            board.disk(true);
            cluster.fill(true)?;
            return Ok(soon(dice, 6_000));
        }
        Kind::Storage => {
            board.database(Some(name));
            let link = if dice.below(2) == 0 { Link::Cut } else { Link::Silent };
            cluster.link_storage(link);
            return Ok(soon(dice, 6_000));
        }
        Kind::Memory => {
            cluster.nodes[node].tighten(dice.below(1_024))?;
            return Ok(soon(dice, 8_000));
        }
        Kind::ApartFromDatabase => {
            cluster.part(node, Apart::Database, Loss::Both)?;
            return Ok(soon(dice, 8_000));
        }
        Kind::ApartFromNodes => {
            cluster.part(node, Apart::Nodes, Loss::Both)?;
            return Ok(soon(dice, 8_000));
        }
        Kind::ApartFromAll => {
            cluster.part(node, Apart::All, Loss::Both)?;
            return Ok(soon(dice, 8_000));
        }
        Kind::OneWay => {
            let apart =
                [Apart::Database, Apart::Nodes, Apart::All][usize::try_from(dice.below(3)).unwrap_or(0)];
            let loss = [Loss::Inbound, Loss::Outbound][usize::try_from(dice.below(2)).unwrap_or(0)];
            cluster.part(node, apart, loss)?;
            return Ok(soon(dice, 8_000));
        }
    }
    Ok(None)
}

/// Puts right what is due by `now`.
fn heal(
    cluster: &mut Cluster,
    board: &Board,
    repairs: &mut Vec<Repair>,
    now: Instant,
    killed: &mut usize,
) -> Result<()> {
    let due: Vec<Repair> = repairs.extract_if(.., |repair| repair.due <= now).collect();
    for Repair { node, kind, .. } in due {
        match kind {
            Kind::Kill | Kind::DiskLost | Kind::Drain => cluster.start_node(node)?,
            Kind::Freeze => cluster.nodes[node].freeze(false)?,
            Kind::Disk => {
                cluster.fill(false)?;
                board.disk(false);
            }
            Kind::Storage => {
                cluster.link_storage(Link::Open);
                board.database(None);
            }
            Kind::Memory => {
                if cluster.nodes[node].loosen()? {
                    *killed += 1;
                    cluster.start_node(node)?;
                }
            }
            Kind::ApartFromDatabase | Kind::ApartFromNodes | Kind::ApartFromAll | Kind::OneWay => {
                cluster.join(node)?;
            }
            _ => cluster.nodes[node].link(Link::Open),
        }
    }
    Ok(())
}
