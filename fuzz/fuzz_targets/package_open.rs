//! See `engross_fuzz::package_open`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engross_fuzz::package_open(data));
