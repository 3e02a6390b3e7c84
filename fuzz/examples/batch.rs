//! Tries batches that a fuzz target printed, one file of JSON each: what became of each operation, and whether the laws hold.
//!
//! Must never be needed by a test: `cargo run --example batch -- FILE…` is for who looks into a finding.

fn main() {
    for file in std::env::args().skip(1) {
        let text = std::fs::read(&file).expect("the file can be read");
        let batch: serde_json::Value = serde_json::from_slice(&text).expect("the file is JSON");
        for result in engross_fuzz::outcomes(&batch) {
            println!(
                "{} {} {:?} {:?} {:?}",
                result.index, result.op, result.status, result.code, result.message
            );
        }
        let held = std::panic::catch_unwind(|| engross_fuzz::hold(&batch)).is_ok();
        println!("{file}: the laws {}", if held { "hold" } else { "are broken" });
    }
}
