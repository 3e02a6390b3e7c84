//! See `engross_fuzz::xml_parse`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engross_fuzz::xml_parse(data));
