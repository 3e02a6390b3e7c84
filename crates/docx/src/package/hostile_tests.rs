//! Arbitrary and damaged bytes: never a panic, never a package that cannot be written and read again.

use proptest::prelude::*;

use super::testing::{Archive, sample};
use super::{Limits, Package};

fn small_limits() -> Limits {
    Limits { max_part_bytes: 4 << 20, max_total_bytes: 8 << 20, ..Limits::default() }
}

/// Opens, reads everything, changes one part and adds one, writes, opens again.
fn exercise(bytes: &[u8]) {
    let Ok(package) = Package::open(bytes.to_vec(), &small_limits()) else { return };
    assert_eq!(package.write().unwrap(), bytes);
    let readable: Vec<&str> = package.names().filter(|name| package.part(name).is_ok()).collect();
    let mut changed = package.clone();
    if let Some(first) = package.names().next() {
        changed.set_part(first, b"changed".to_vec());
    }
    changed.set_part("added.xml", b"added".to_vec());
    let Ok(written) = changed.write() else { return };
    let again = Package::open(written, &small_limits()).unwrap();
    assert_eq!(*again.part("added.xml").unwrap(), *b"added");
    for (position, name) in package.names().enumerate() {
        if position == 0 {
            assert_eq!(*again.part(name).unwrap(), *b"changed");
        } else if readable.contains(&name) {
            assert_eq!(again.part(name).unwrap(), package.part(name).unwrap());
        }
    }
}

fn archives() -> impl Strategy<Value = Vec<u8>> {
    let zip64 = |mut archive: Archive| {
        archive.entries.iter_mut().for_each(|entry| entry.zip64 = true);
        archive
    };
    prop_oneof![
        Just(sample().build()),
        Just(Archive { stub: b"stub".to_vec(), offsets_skip_stub: true, ..sample() }.build()),
        Just(Archive { zip64_end: true, ..zip64(sample()) }.build()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        exercise(&bytes);
    }

    #[test]
    fn arbitrary_bytes_with_an_end_record(
        start in prop::collection::vec(any::<u8>(), 0..200),
        end in prop::collection::vec(any::<u8>(), 18..60),
    ) {
        exercise(&[&b"PK\x03\x04"[..], &start, b"PK\x05\x06", &end].concat());
    }

    #[test]
    fn flipped_bytes(bytes in archives(), flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = bytes;
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        exercise(&bytes);
    }

    #[test]
    fn cut_and_doubled_bytes(bytes in archives(), from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>()) {
        let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
        exercise(&[&bytes[..from], &bytes[to..]].concat());
    }
}

#[test]
fn every_byte_of_the_directory_may_be_wrong() {
    for archive in [sample(), Archive { zip64_end: true, ..sample() }] {
        let bytes = archive.build();
        let directory = memchr::memmem::find(&bytes, b"PK\x01\x02").unwrap();
        for at in directory..bytes.len() {
            for value in [0, 1, 0x7F, 0x80, 0xFF] {
                let mut wrong = bytes.clone();
                wrong[at] = value;
                exercise(&wrong);
            }
        }
    }
}
