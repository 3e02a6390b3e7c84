//! The sum is the same wherever it is made.

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::digest::Digest;

#[test]
fn the_sum_is_that_of_all_bytes_at_any_time() {
    let bytes: Vec<u8> = (0..5_000_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for size in [997, 64 << 10, 300_001, 5_000_000] {
        let mut digest = Digest::default();
        let mut length = 0;
        for (number, piece) in bytes.chunks(size).enumerate() {
            digest.update(piece, None);
            length += piece.len();
            if number % (1 + 2_000_000 / size) == 0 {
                assert_eq!(
                    digest.sum().unwrap().finalize(),
                    Sha256::digest(&bytes[..length]),
                    "{size}, {length}"
                );
            }
        }
        assert_eq!(digest.sum().unwrap().finalize(), Sha256::digest(&bytes), "{size}");
    }
}

#[test]
fn what_is_shared_is_summed_in_its_place() {
    let source = Bytes::from((0..3_000_000u32).map(|at| ((at * 7) >> 3) as u8).collect::<Vec<u8>>());
    let other = Bytes::from(vec![1; 100_000]);
    let mut digest = Digest::default();
    let (mut at, mut step) = (0, 1);
    while at < source.len() {
        let end = (at + step).min(source.len());
        let of = if step % 3 == 0 { Some(&other) } else { Some(&source) };
        digest.update(source.get(at..end).unwrap_or_default(), of);
        (at, step) = (end, step * 2 % 200_003 + 1);
    }
    let sum = digest.sum().map(Sha256::finalize);
    assert_eq!(sum, Some(Sha256::digest(&source)));
}
