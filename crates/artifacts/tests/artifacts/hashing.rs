//! Hashing once, and only what can be trusted to stay.

use std::io::{Seek, SeekFrom, Write};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};

use engross_artifacts::{HashContext, MemoryHashes, Requirements};
use engross_protocol::{SystemClock, hex};
use sha2::{Digest, Sha256};

use super::{TestBench, set_age};

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[test]
fn v11_an_unchanged_file_is_not_read_again() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    for number in 0..64 {
        desk.put(&scope, &format!("{number}"), vec![number; 1000]);
    }
    let first = desk.manifest(&scope);
    assert_eq!(desk.hashes.computed(), 64);
    assert_eq!(desk.manifest(&scope), first);
    assert_eq!(desk.hashes.computed(), 0, "nothing changed");
    std::thread::sleep(std::time::Duration::from_millis(20));
    desk.put(&scope, "7", vec![0; 1000]);
    let second = desk.manifest(&scope);
    assert_eq!(desk.hashes.computed(), 1, "one changed");
    let changed = second.files.iter().find(|file| file.relative_path == "7").unwrap();
    assert_eq!(changed.sha256.to_string(), sha256(&[0; 1000]));
    assert_ne!(second.revision, first.revision);
}

#[test]
fn v11_reading_does_not_hash_again() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "a", "a");
    let page = desk.page(&scope, Default::default());
    desk.hashes.computed();
    let wanted = engross_artifacts::ArtifactQuery {
        artifact_ref: Some(&page.artifacts[0].artifact_ref),
        ..Default::default()
    };
    assert!(desk.open(&scope, wanted).is_ok());
    assert_eq!(desk.hashes.computed(), 0);
}

#[test]
fn a_file_whose_time_is_set_back_is_read_again() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    let path = desk.put(&scope, "a", "one");
    let at = std::fs::metadata(&path).unwrap().modified().unwrap();
    desk.manifest(&scope);
    std::thread::sleep(std::time::Duration::from_millis(20));
    let mut file = std::fs::File::options().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start(0)).unwrap();
    file.write_all(b"two").unwrap();
    file.set_modified(at).unwrap();
    assert_eq!(desk.manifest(&scope).files[0].sha256.to_string(), sha256(b"two"), "same length, same time");
}

/// Writes that follow each other faster than the file system's clock ticks are all seen.
#[test]
fn a_file_that_was_written_just_now_is_read_again() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    let hashes = MemoryHashes::new(100);
    let with = HashContext { hashes: &hashes, clock: &SystemClock, threads: NonZeroUsize::MIN, stop: None };
    for number in 0..300_u32 {
        let text = number.to_le_bytes();
        desk.put(&scope, "a", text);
        let manifest = scope.manifest(&Requirements::default(), None, with).unwrap();
        assert_eq!(manifest.files[0].sha256.to_string(), sha256(&text), "write {number}");
    }
}

#[test]
fn a_file_that_changes_all_the_time_is_left_out_with_a_warning() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "calm", "calm");
    let path = desk.put(&scope, "restless", vec![1; 8 << 20]);
    let stop = AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            let mut file = std::fs::File::options().write(true).open(&path).unwrap();
            let mut number = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                number += 1;
                file.seek(SeekFrom::Start(number % 4096)).unwrap();
                file.write_all(&number.to_le_bytes()).unwrap();
                std::thread::sleep(std::time::Duration::from_micros(50));
            }
        });
        let manifest = desk.manifest(&scope);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(super::paths(&manifest), ["calm"]);
        assert_eq!(manifest.warnings.len(), 1, "{:?}", manifest.warnings);
    });
    assert_eq!(desk.manifest(&scope).files.len(), 2, "once it is calm it is there");
}

#[test]
fn hashes_are_right_for_any_number_of_threads() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    for number in 0..200_usize {
        let path =
            desk.put(&scope, &format!("{}/{}/{number}", number % 5, number % 3), vec![1; number * 997]);
        set_age(&path, i64::try_from(number).unwrap());
    }
    for threads in [1, 2, 7, 300] {
        let hashes = MemoryHashes::new(1000);
        let threads = NonZeroUsize::new(threads).unwrap();
        let with = HashContext { hashes: &hashes, clock: &desk.clock, threads, stop: None };
        let manifest = scope.manifest(&Requirements::default(), None, with).unwrap();
        assert_eq!(manifest.files.len(), 200);
        for (number, file) in manifest.files.iter().enumerate() {
            assert_eq!((file.label(), file.size_bytes), (&*number.to_string(), number as u64 * 997));
            assert_eq!(file.sha256.to_string(), sha256(&vec![1; number * 997]));
        }
    }
}
