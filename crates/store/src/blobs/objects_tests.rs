//! Bytes in, bytes out, with a store in memory; `tests/store/objects.rs` does it over the wire.

use std::io::{Cursor, Read};
use std::ops::Range;
use std::sync::Arc;

use futures_util::TryStreamExt;
use object_store::memory::InMemory;
use object_store::{ObjectStore, ObjectStoreExt};
use sha2::{Digest, Sha256};

use super::{BlobError, Blobs, ObjectBlobs};

fn hash(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

async fn got(blobs: &ObjectBlobs, hash: [u8; 32], range: Range<u64>) -> Option<Vec<u8>> {
    let stream = blobs.get(hash, range).await.unwrap()?;
    let pieces: Vec<bytes::Bytes> = stream.try_collect().await.unwrap();
    Some(pieces.concat())
}

async fn put(blobs: &ObjectBlobs, announced: &[u8], read: &[u8]) -> Result<(), BlobError> {
    blobs.put(hash(announced), announced.len() as u64, Box::new(Cursor::new(read.to_vec()))).await
}

#[tokio::test]
async fn bytes_of_any_size_come_back_from_any_position() {
    let blobs = ObjectBlobs::over(Arc::new(InMemory::new()), 10);
    for size in [0, 1, 9, 10, 11, 20, 35] {
        let bytes: Vec<u8> = (0..size).collect();
        put(&blobs, &bytes, &bytes).await.unwrap();
        put(&blobs, &bytes, b"not read again").await.unwrap();
        let size = u64::from(size);
        assert_eq!(got(&blobs, hash(&bytes), 0..size).await.as_deref(), Some(&bytes[..]));
        if size > 2 {
            assert_eq!(
                got(&blobs, hash(&bytes), 1..size - 1).await.as_deref(),
                Some(&bytes[1..bytes.len() - 1])
            );
        }
    }
    assert_eq!(got(&blobs, hash(b"unknown"), 0..1).await, None);
    assert_eq!(got(&blobs, hash(b"unknown"), 0..0).await, None);
}

#[tokio::test]
async fn bytes_in_memory_are_kept_as_any_others_and_without_threads_that_block() {
    let blobs = ObjectBlobs::over(Arc::new(InMemory::new()), 10);
    for size in [0, 1, 10, 11, 35] {
        let bytes: Vec<u8> = (100..100 + size).collect();
        let whole = 0..u64::from(size);
        for _ in 0..2 {
            blobs.put_bytes(hash(&bytes), bytes.clone().into()).await.unwrap();
        }
        assert_eq!(got(&blobs, hash(&bytes), whole).await.as_deref(), Some(&bytes[..]));
        let other = blobs.put_bytes(hash(b"other"), bytes.into()).await;
        assert_eq!(other, Err(BlobError::Changed));
    }
    assert_eq!(got(&blobs, hash(b"other"), 0..1).await, None);
    // A runtime with one thread for what blocks, which is busy: as when many wait for storage.
    let (release, held) = std::sync::mpsc::channel::<()>();
    let busy = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(1)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let holding = tokio::task::spawn_blocking(move || held.recv());
            let put = blobs.put_bytes(hash(b"small"), "small".into());
            let put = tokio::time::timeout(std::time::Duration::from_secs(5), put).await;
            drop(release);
            let _ = holding.await;
            put
        })
    });
    assert_eq!(busy.join().unwrap().unwrap(), Ok(()));
}

struct Torn(u8);

impl Read for Torn {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(1).ok_or_else(|| std::io::Error::other("torn"))?;
        buffer.fill(7);
        Ok(buffer.len())
    }
}

#[tokio::test]
async fn what_is_not_what_was_announced_is_not_kept() {
    let memory = Arc::new(InMemory::new());
    let blobs = ObjectBlobs::over(Arc::clone(&memory) as Arc<dyn ObjectStore>, 10);
    let long = [b'x'; 35];
    for (announced, read) in [
        (&b"abc"[..], &b"abd"[..]),
        (b"abc", b"ab"),
        (b"abc", b"abcd"),
        (&long, &long[..34]),
        (&long, &[b'x'; 36]),
        (&long, &[b'y'; 35]),
    ] {
        assert_eq!(
            put(&blobs, announced, read).await,
            Err(BlobError::Changed),
            "{} {}",
            announced.len(),
            read.len()
        );
        assert_eq!(got(&blobs, hash(announced), 0..announced.len() as u64).await, None);
    }
    let torn = blobs.put(hash(&long), 35, Box::new(Torn(2))).await;
    assert_eq!(torn, Err(BlobError::Source { problem: "torn".to_owned() }));
    let left: Vec<_> = memory.list(None).try_collect().await.unwrap();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn each_holder_has_and_removes_its_own() {
    let memory = Arc::new(InMemory::new());
    let shared = ObjectBlobs::over(Arc::clone(&memory) as Arc<dyn ObjectStore>, 10);
    let (one, other) = (shared.held_by("1a"), shared.held_by("2b"));
    let keep = async |blobs: &dyn Blobs, bytes: &'static [u8]| {
        blobs.put(hash(bytes), bytes.len() as u64, Box::new(Cursor::new(bytes))).await.unwrap();
    };
    let is_there =
        async |blobs: &dyn Blobs, bytes: &[u8]| blobs.get(hash(bytes), 0..0).await.unwrap().is_some();
    keep(&shared, b"earlier").await;
    keep(&*one, b"both").await;
    keep(&*other, b"both").await;
    keep(&*one, b"own").await;
    assert!(is_there(&*one, b"earlier").await, "what was kept before there were holders can be had");
    assert!(!is_there(&*other, b"own").await);
    // The names of objects alone do not make them blobs.
    memory.put(&"kept/1a/notes.txt".into(), b"x".to_vec().into()).await.unwrap();
    assert_eq!(one.kept_before(0).await.unwrap(), Vec::<[u8; 32]>::new());
    let mut kept = one.kept_before(u64::MAX).await.unwrap();
    kept.sort_unstable();
    let mut own = vec![hash(b"both"), hash(b"own")];
    own.sort_unstable();
    assert_eq!(kept, own);
    kept.extend([hash(b"earlier"), hash(b"never kept")]);
    one.remove(kept.clone()).await.unwrap();
    shared.remove(kept).await.unwrap();
    assert_eq!(shared.kept_before(u64::MAX).await.unwrap(), Vec::<[u8; 32]>::new());
    assert!(is_there(&*other, b"both").await && is_there(&shared, b"earlier").await);
    assert!(!is_there(&*one, b"both").await && !is_there(&*one, b"own").await);
}

#[test]
fn an_address_must_be_one() {
    for wrong in ["", "bucket", "s3://", "http://bucket/x", "s3://key:secret@bucket/x", "s3:///x"] {
        let error = ObjectBlobs::open(wrong, []).unwrap_err();
        assert_eq!(error.code(), "BLOBS_UNUSABLE", "{wrong}");
    }
    let settings = [
        ("AWS_REGION", "eu-1"),
        ("AWS_ACCESS_KEY_ID", "id"),
        ("AWS_SECRET_ACCESS_KEY", "hidden"),
        ("AWS_PAGER", "less"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let blobs = ObjectBlobs::open("s3://bucket/deep/er/", settings).unwrap();
    assert_eq!(blobs.path(&[0xab; 32]).as_ref(), format!("deep/er/sha256/ab/{}", "ab".repeat(32)));
    assert!(!format!("{blobs:?}").contains("hidden"));
}
