//! See `engross_fuzz::rounds`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engross_fuzz::rounds(data));
