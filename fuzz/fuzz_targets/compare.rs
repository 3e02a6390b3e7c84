//! See `engross_fuzz::compare`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engross_fuzz::compare(data));
