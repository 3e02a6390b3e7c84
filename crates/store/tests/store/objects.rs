//! Bytes in object storage over the wire.

use std::io::Cursor;

use engross_store::blobs::{BlobError, Blobs, ObjectBlobs};
use engross_testkit::object_storage::ObjectStorage;
use futures_util::TryStreamExt;
use sha2::{Digest, Sha256};

fn blobs(storage: &ObjectStorage, bucket: &str) -> ObjectBlobs {
    let settings = storage.environment().map(|(name, value)| (name.to_owned(), value));
    ObjectBlobs::open(&format!("s3://{bucket}/tasks"), settings).unwrap()
}

#[tokio::test]
async fn blobs_go_over_the_wire_and_come_back() {
    let Some(storage) = ObjectStorage::start() else { return };
    let place = |bucket| blobs(&storage, bucket);
    let blobs = place("bucket");
    let large: Vec<u8> = (0..20_000_000_u32).map(|at| (at % 251) as u8).collect();
    for bytes in [&b""[..], b"small", &large] {
        let hash: [u8; 32] = Sha256::digest(bytes).into();
        let size = bytes.len() as u64;
        let put = |read: &[u8]| blobs.put(hash, size, Box::new(Cursor::new(read.to_vec())));
        if !bytes.is_empty() {
            let mut wrong = bytes.to_vec();
            wrong[0] ^= 1;
            assert_eq!(put(&wrong).await, Err(BlobError::Changed));
            assert!(blobs.get(hash, 0..size).await.unwrap().is_none(), "nothing was kept");
        }
        // Two at once: both are content.
        let (one, other) = tokio::join!(put(bytes), put(bytes));
        assert_eq!((one, other), (Ok(()), Ok(())));
        let stream = blobs.get(hash, 0..size).await.unwrap().unwrap();
        assert_eq!(stream.try_collect::<Vec<_>>().await.unwrap().concat(), bytes);
        if size > 3 {
            let stream = blobs.get(hash, 1..size - 2).await.unwrap().unwrap();
            assert_eq!(stream.try_collect::<Vec<_>>().await.unwrap().concat(), bytes[1..bytes.len() - 2]);
        }
    }
    let held = blobs.held_by("0a");
    let hash: [u8; 32] = Sha256::digest(b"small").into();
    held.put(hash, 5, Box::new(Cursor::new(b"small".to_vec()))).await.unwrap();
    assert_eq!(held.kept_before(u64::MAX).await.unwrap(), [hash]);
    assert_eq!(held.kept_before(1).await.unwrap(), Vec::<[u8; 32]>::new());
    held.remove(vec![hash, [7; 32]]).await.unwrap();
    assert_eq!(held.kept_before(u64::MAX).await.unwrap(), Vec::<[u8; 32]>::new());
    assert!(blobs.get(hash, 0..5).await.unwrap().is_some(), "what has no holder stays");
    let nowhere = place("no-such-bucket").put([0; 32], 1, Box::new(Cursor::new(b"x".to_vec()))).await;
    assert!(nowhere.is_err(), "a bucket that is not there");
}
