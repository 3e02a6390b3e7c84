//! Files that outlive the folder of their run.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use engross_artifacts::LinkQuery;
use engross_protocol::Clock;
use engross_store::blobs::{BlobError, BlobStream, Blobs, PendingBlob};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::Value;

use super::{TestBench, agent};

/// Keeps everything in memory, or refuses everything.
#[derive(Default, Clone)]
struct Shelf {
    kept: Arc<Mutex<BTreeMap<[u8; 32], Vec<u8>>>>,
    refuses: bool,
}

impl Blobs for Shelf {
    fn held_by(&self, _: &str) -> Arc<dyn Blobs> {
        Arc::new(self.clone())
    }

    fn kept_before(&self, _: u64) -> PendingBlob<'_, Vec<[u8; 32]>> {
        Box::pin(std::future::ready(Ok(self.kept.lock().unwrap().keys().copied().collect())))
    }

    fn remove(&self, hashes: Vec<[u8; 32]>) -> PendingBlob<'_, ()> {
        let refused = BlobError::Unavailable { place: "shelf".to_owned(), problem: "full".to_owned() };
        if self.refuses {
            return Box::pin(std::future::ready(Err(refused)));
        }
        self.kept.lock().unwrap().retain(|hash, _| !hashes.contains(hash));
        Box::pin(std::future::ready(Ok(())))
    }

    fn put(&self, hash: [u8; 32], size: u64, mut source: Box<dyn Read + Send>) -> PendingBlob<'_, ()> {
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes.len() as u64, size);
        let refused = BlobError::Unavailable { place: "shelf".to_owned(), problem: "full".to_owned() };
        let told = if self.refuses { Err(refused) } else { Ok(()) };
        self.kept.lock().unwrap().insert(hash, bytes);
        Box::pin(std::future::ready(told))
    }

    fn get(&self, hash: [u8; 32], range: Range<u64>) -> PendingBlob<'_, Option<BlobStream>> {
        let found = self.kept.lock().unwrap().get(&hash).map(|bytes| {
            let part = bytes[range.start as usize..range.end as usize].to_vec();
            stream::iter([Ok(part.into())]).boxed()
        });
        Box::pin(std::future::ready(Ok(found)))
    }
}

fn link(artifact: &Value) -> LinkQuery {
    let url = artifact["downloadUrl"].as_str().unwrap();
    let query = url.split_once('?').unwrap().1;
    let field = |name: &str| {
        let pair = query.split('&').find_map(|pair| pair.strip_prefix(&format!("{name}=")[..])).unwrap();
        percent_encoding::percent_decode_str(pair).decode_utf8().unwrap().into_owned()
    };
    LinkQuery {
        session_key: field("sessionKey"),
        run_id: field("runId"),
        relative_path: field("relativePath"),
        expires: field("expires"),
        sha256: Some(field("sha256")),
        sig: field("sig"),
    }
}

#[tokio::test]
async fn a_file_outlives_the_folder_of_its_run() {
    let shelf = Arc::new(Shelf::default());
    let mut bench = TestBench::new().await;
    bench.keep_in(Arc::clone(&shelf) as Arc<dyn Blobs>).await;
    let told = bench.call("session.start", agent("t", "write:out/a.md=kept say:done")).await;
    assert_eq!(told["status"], "completed", "{told}");
    std::fs::remove_dir_all(bench.scope(&told)).unwrap();
    bench.restart().await;
    let runs = bench.bridge.runs();
    let target =
        runs.config().keys.follow(&link(&told["artifacts"][0]), runs.config().clock.millis()).unwrap();
    let kept = runs.kept(&target).await.unwrap().unwrap();
    assert_eq!((kept.file.relative_path.as_str(), kept.file.size_bytes), ("out/a.md", 4));
    assert!(kept.is_there().await.unwrap());
    let bytes: Vec<bytes::Bytes> = kept.stream(1..4).await.unwrap().unwrap().try_collect().await.unwrap();
    assert_eq!(bytes.concat(), b"ept");
    let other = engross_artifacts::LinkTarget {
        path: engross_store::files::DiskPath::parse("out/b.md").unwrap(),
        ..target
    };
    assert!(runs.kept(&other).await.unwrap().is_none(), "only what the run delivered");
    shelf.kept.lock().unwrap().clear();
    assert!(!kept.is_there().await.unwrap());
}

#[tokio::test]
async fn storage_that_refuses_is_a_warning_and_no_failure() {
    let mut bench = TestBench::new().await;
    bench.keep_in(Arc::new(Shelf { refuses: true, ..Shelf::default() })).await;
    let told = bench.call("session.start", agent("t", "write:a.md=kept say:done")).await;
    assert_eq!((&told["status"], told["artifacts"].as_array().unwrap().len()), (&"completed".into(), 1));
    let warning = told["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("a.md: kept on this machine only: the object storage 'shelf'"), "{warning}");
}

#[tokio::test]
async fn files_elsewhere_go_with_the_runs_that_they_are_of() {
    let shelf = Arc::new(Shelf::default());
    let mut bench = TestBench::new().await;
    bench.keep_in(Arc::clone(&shelf) as Arc<dyn Blobs>).await;
    bench.call("session.start", agent("old", "write:a.md=same write:b.md=alone say:x")).await;
    bench.watch.forward(10_000);
    bench.call("session.start", agent("new", "write:c.md=same say:x")).await;
    let words = || -> Vec<Vec<u8>> { shelf.kept.lock().unwrap().values().cloned().collect() };
    assert_eq!(words().len(), 2);
    let before = bench.watch.millis() - 5_000;
    bench.bridge.runs().collect(before).await.unwrap();
    assert_eq!(words(), [b"same".to_vec()], "a newer run has it, too");
    // Once the runs are forgotten, there is nothing that could name it: it goes all the same.
    bench.watch.forward(10_000);
    let later = bench.watch.millis();
    bench.bridge.runs().forget(later).await.unwrap();
    bench.bridge.runs().collect(later).await.unwrap();
    assert_eq!(words(), Vec::<Vec<u8>>::new());
}

#[tokio::test]
async fn what_storage_does_not_remove_keeps_no_other_file() {
    let mut bench = TestBench::new().await;
    bench.keep_in(Arc::new(Shelf { refuses: true, ..Shelf::default() })).await;
    let old = bench.call("session.start", agent("old", "write:a.md=same say:x")).await;
    bench.watch.forward(10_000);
    bench.bridge.runs().collect(bench.watch.millis()).await.unwrap();
    assert!(!bench.scope(&old).exists());
}
