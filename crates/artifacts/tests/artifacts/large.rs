//! Files that are larger than memory should ever be.

use std::io::Read;

use engross_artifacts::{ArtifactQuery, ByteSpan};

use super::{TestBench, set_age};

/// A file of zeros that takes no room on the disk.
fn sparse(path: &std::path::Path, size: u64) {
    std::fs::File::create(path).unwrap().set_len(size).unwrap();
}

#[test]
fn v9_and_case_122_a_file_over_two_gibibytes_is_read_from_any_position() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    let size = (3 << 30) + 5;
    sparse(&desk.within(&scope, "big.bin"), size);
    // Its hash is known, so that the test need not read it whole; `cargo xtask bench scopes` does.
    let stamp = scope
        .folder()
        .tree()
        .stamp(&engross_store::files::DiskPath::parse("big.bin").unwrap())
        .unwrap()
        .unwrap();
    let sum = engross_artifacts::Sha256Sum::from_bytes([7; 32]);
    engross_artifacts::Hashes::put(&desk.hashes, &stamp, sum);
    let page = desk.page(&scope, Default::default());
    assert_eq!((page.artifacts[0].size_bytes, page.artifacts[0].sha256), (size, sum));
    let wanted = ArtifactQuery { artifact_ref: Some(&page.artifacts[0].artifact_ref), ..Default::default() };
    let mut stream =
        desk.open(&scope, wanted).unwrap().stream(ByteSpan { start: size - 3, end: size }).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, [0; 3]);
}

#[test]
fn large_files_do_not_change_the_order_of_the_list() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    for (name, size, age) in [("a", 1, 10), ("b", 20 << 20, 20), ("c", 2, 30), ("d", 30 << 20, 40)] {
        let path = desk.within(&scope, name);
        sparse(&path, size);
        set_age(&path, age);
    }
    assert_eq!(super::paths(&desk.manifest(&scope)), ["a", "b", "c", "d"]);
}
