//! See `engross_fuzz::document_read`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| engross_fuzz::document_read(data));
