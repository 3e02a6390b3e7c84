//! See `engross_fuzz::resolve`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engross_fuzz::resolve(data));
