//! See `engross_fuzz::comments`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engross_fuzz::comments(data));
