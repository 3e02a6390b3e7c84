//! The sum is the same wherever it is made.

use sha2::{Digest as _, Sha256};

use super::digest::Digest;

#[test]
fn the_sum_is_that_of_all_bytes_at_any_time() {
    let bytes: Vec<u8> = (0..5_000_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    for size in [997, 64 << 10, 300_001, 5_000_000] {
        let mut digest = Digest::default();
        let mut length = 0;
        for (number, piece) in bytes.chunks(size).enumerate() {
            digest.update(piece);
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
