//! How often the operations that the fuzzer makes are done: `cargo run --example kinds -- 20000`.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::collections::BTreeMap;

use engross_docx::ops::Status;

fn main() {
    let rounds: u64 = std::env::args().nth(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(20_000);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut byte = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32).to_le_bytes()[0]
    };
    let mut kinds: BTreeMap<String, (u64, u64, BTreeMap<String, u64>)> = BTreeMap::new();
    for _ in 0..rounds {
        let data: Vec<u8> = (0..24).map(|_| byte()).collect();
        let batch = engross_fuzz::batch(&data);
        engross_fuzz::apply(&data);
        for result in engross_fuzz::outcomes(&batch) {
            let kind = kinds.entry(result.op.clone()).or_default();
            kind.0 += 1;
            match result.status {
                Status::Applied => kind.1 += 1,
                _ => {
                    *kind
                        .2
                        .entry(result.code.unwrap_or_else(|| format!("{:?}", result.status)))
                        .or_default() += 1
                }
            }
        }
    }
    for (kind, (all, applied, others)) in kinds {
        println!("{kind:28} {applied:6} of {all:6}  {others:?}");
    }
}
