//! Tasks through the protocol: each acceptance case by its number, restarts, and who may see what.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
#![expect(clippy::expect_used, clippy::panic, reason = "the helpers of the tests say what is missing")]
#![expect(
    clippy::disallowed_methods,
    reason = "the tests look at the disk, and attack it, behind engross's back"
)]

mod a2a;
mod admission;
mod answers;
mod artifacts;
mod at_length;
mod blobs;
mod cancel;
mod isolation;
mod player;
mod reference;
mod requests;
mod restart;
mod results;
mod stream;
mod viewers;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use engross_artifacts::{ArtifactWorkspace, FrozenFiles, Keys, MemoryHashes, SigningKey};
use engross_protocol::{Clock, CountingIds, IdSource, SystemClock, Timestamp};
use engross_store::blobs::Blobs;
use engross_store::files::Root;
use engross_store::{SqliteStore, Store};
use engross_tasks::rpc::{Bridge, BridgeConfig, RpcCall, RpcFrame, RpcRequest};
use engross_tasks::runner::{Policy, ProviderId, TaskRunner};
use engross_tasks::runs::{Capacity, RunProvider, Runs, RunsConfig, Target};
pub(crate) use engross_testkit::task_requests::{agent, and, gateway, within};
use serde_json::{Value, json};
use tempfile::TempDir;

use self::player::Player;

/// Hours may pass at once.
pub(crate) struct Watch(AtomicU64);

impl Clock for Watch {
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    fn millis(&self) -> u64 {
        SystemClock.millis().wrapping_add(self.0.load(Ordering::SeqCst))
    }
}

impl Watch {
    pub(crate) fn back(&self, millis: u64) {
        self.0.fetch_sub(millis, Ordering::SeqCst);
    }

    pub(crate) fn forward(&self, millis: u64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

/// A bridge with an agent `codex`, a gateway `openclaw` and an agent `gemini` that is not there.
pub(crate) struct TestBench {
    folder: TempDir,
    pub(crate) agent: Arc<Player>,
    pub(crate) gateway: Arc<Player>,
    pub(crate) watch: Arc<Watch>,
    ids: Arc<dyn IdSource>,
    places: Capacity,
    permissions: Policy,
    blobs: Option<Arc<dyn Blobs>>,
    /// Whether agents and the gateway have their runs still after a restart.
    pub(crate) resumes: bool,
    /// How often they say after a restart that their home is away.
    pub(crate) away: usize,
    /// Whether it is the runner of a person, whose agents work with the environment of the one who looks on.
    is_runner: bool,
    pub(crate) bridge: Bridge,
}

impl TestBench {
    pub(crate) async fn new() -> Self {
        Self::with(Capacity::default(), Policy::Ask).await
    }

    pub(crate) async fn with(places: Capacity, permissions: Policy) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (agent, gateway) = (Arc::new(Player::default()), Arc::new(Player::default()));
        let watch = Arc::new(Watch(AtomicU64::new(0)));
        let ids: Arc<dyn IdSource> = Arc::new(CountingIds::default());
        let bridge = open(&folder, &agent, &gateway, &watch, &ids, places, permissions, &None, false).await;
        Self {
            folder,
            agent,
            gateway,
            watch,
            ids,
            places,
            permissions,
            blobs: None,
            resumes: false,
            away: 0,
            is_runner: false,
            bridge,
        }
    }

    /// Keeps the files of runs elsewhere, too, from now on.
    pub(crate) async fn keep_in(&mut self, blobs: Arc<dyn Blobs>) {
        self.blobs = Some(blobs);
        self.restart().await;
    }

    /// The runner of a person.
    pub(crate) async fn runner() -> Self {
        let mut bench = Self::new().await;
        bench.is_runner = true;
        bench.restart().await;
        bench
    }

    /// What a kill and a new start leave: the store and the disk.
    pub(crate) async fn restart(&mut self) {
        self.bridge.runs().drain(Duration::ZERO).await;
        self.bridge.runs().config().store.close().await.unwrap();
        let (resumes, takes_environment) = (self.resumes, self.is_runner);
        let away = || AtomicUsize::new(self.away);
        let player = || Arc::new(Player { resumes, away: away(), takes_environment, ..Player::default() });
        (self.agent, self.gateway) = (player(), player());
        let Self { folder, agent, gateway, watch, ids, places, permissions, blobs, .. } = self;
        self.bridge =
            open(folder, agent, gateway, watch, ids, *places, *permissions, blobs, takes_environment).await;
    }

    /// Where the folder of a run is.
    pub(crate) fn scope(&self, told: &Value) -> PathBuf {
        self.folder.path().join("work").join(told["artifactScope"].as_str().unwrap())
    }

    /// A call without a stream: the envelope.
    pub(crate) async fn envelope(&self, call: RpcCall, method: &str, params: Value) -> Value {
        let mut frames = self.bridge.open(call, request(method, params));
        loop {
            if let RpcFrame::Answer(envelope) = within(frames.recv()).await.expect("an answer") {
                return envelope;
            }
        }
    }

    /// The result of a call without a stream.
    pub(crate) async fn call(&self, method: &str, params: Value) -> Value {
        let envelope = self.envelope(call(), method, params).await;
        assert_eq!(envelope["error"], Value::Null, "{method}");
        envelope["result"].clone()
    }

    /// Code and number of a refusal.
    pub(crate) async fn refusal(&self, method: &str, params: Value) -> (i64, String) {
        let envelope = self.envelope(call(), method, params).await;
        let error = &envelope["error"];
        assert_eq!(envelope["ok"], json!(false), "{method}: {envelope}");
        (error["code"].as_i64().unwrap(), error["data"]["code"].as_str().unwrap().to_owned())
    }

    /// Asks until the task has ended.
    pub(crate) async fn end(&self, run: &Value) -> Value {
        self.call("xworkmate.tasks.get", json!({ "runId": run, "ifRevision": "0", "waitMs": 0 })).await;
        loop {
            let told = self.call("xworkmate.tasks.get", json!({ "runId": run })).await;
            if told["terminal"] == json!(true) {
                return told;
            }
            let known = told["revision"].clone();
            self.call("xworkmate.tasks.get", json!({ "runId": run, "ifRevision": known, "waitMs": 5000 }))
                .await;
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "whatever a bridge is made of in these tests")]
async fn open(
    folder: &TempDir,
    agent: &Arc<Player>,
    gateway: &Arc<Player>,
    watch: &Arc<Watch>,
    ids: &Arc<dyn IdSource>,
    places: Capacity,
    permissions: Policy,
    blobs: &Option<Arc<dyn Blobs>>,
    is_runner: bool,
) -> Bridge {
    let provider = |id: &str, target, runner: Option<Arc<dyn TaskRunner>>| RunProvider {
        id: ProviderId::new(id).unwrap(),
        label: id.to_owned(),
        target,
        category: "native",
        runner,
        help: format!("install {id}"),
        sources: Vec::new(),
    };
    let work = folder.path().join("work");
    let place = work.to_str().unwrap().to_owned();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.path().join("tasks.sqlite")).unwrap());
    let runs = Runs::new(RunsConfig {
        store,
        workspace: ArtifactWorkspace::new(Root::open(&work).unwrap().top(), &place)
            .with_frozen(FrozenFiles::new(Root::open(&folder.path().join("frozen")).unwrap().top())),
        place,
        keys: Keys::new(vec![SigningKey::new("k1", vec![7; 32], None).unwrap()]),
        hashes: Arc::new(MemoryHashes::new(1000)),
        blobs: blobs.clone(),
        threads: NonZeroUsize::MIN,
        providers: vec![
            provider("codex", Target::Agent, Some(Arc::clone(agent) as Arc<dyn TaskRunner>)),
            provider("gemini", Target::Agent, None),
            provider("openclaw", Target::Gateway, Some(Arc::clone(gateway) as Arc<dyn TaskRunner>)),
        ],
        gateway: places,
        waits_for_viewer: is_runner,
        grace: Duration::from_millis(50),
        halt: std::sync::atomic::AtomicBool::default(),
        signer: Some(Arc::new(engross_attest::SigningIdentity::from_seed(&[9; 32]).unwrap())),
        lifetime: 24 * 3_600_000,
        clock: Arc::clone(watch) as Arc<dyn Clock>,
        ids: Arc::clone(ids),
    });
    runs.recover().await.unwrap();
    Bridge::new(runs, BridgeConfig { version: "0".to_owned(), permissions })
}

pub(crate) fn call() -> RpcCall {
    RpcCall { base: "http://bridge".to_owned(), path: "/acp/rpc", ..RpcCall::default() }
}

pub(crate) fn streaming() -> RpcCall {
    RpcCall { stream: true, ..call() }
}

pub(crate) fn request(method: &str, params: Value) -> RpcRequest {
    let Value::Object(params) = params else { panic!("parameters are an object") };
    RpcRequest { id: Some(json!("1")), method: method.to_owned(), params }
}

/// How many of something a test tries; the variable `name` says so where it is set.
fn count(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}
