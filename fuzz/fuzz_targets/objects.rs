//! See `engross_fuzz::objects`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engross_fuzz::objects(data));
