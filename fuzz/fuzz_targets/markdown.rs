//! See `engross_fuzz::markdown`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engross_fuzz::markdown(data));
