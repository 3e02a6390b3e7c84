//! A zip archive of a few kilobytes that unpacks to as much as one likes, made without packing all of it.

use flate2::{Compress, Compression, Crc, FlushCompress};

const MEBIBYTE: usize = 1 << 20;

/// An archive with one file of `mebibytes` MiB of spaces. It is honest: sizes and checksum are right.
pub fn bomb(name: &str, mebibytes: usize) -> Vec<u8> {
    let spaces = vec![b' '; MEBIBYTE];
    let mut packer = Compress::new(Compression::default(), false);
    let mut block = Vec::with_capacity(MEBIBYTE);
    // After a full flush the packed bytes stand for themselves, so they may be repeated.
    packer.compress_vec(&spaces, &mut block, FlushCompress::Full).unwrap();
    let mut data = block.repeat(mebibytes);
    let mut end = Vec::with_capacity(64);
    Compress::new(Compression::default(), false).compress_vec(&[], &mut end, FlushCompress::Finish).unwrap();
    data.extend(end);

    let mut one = Crc::new();
    one.update(&spaces);
    let mut checksum = Crc::new();
    for _ in 0..mebibytes {
        checksum.combine(&one);
    }
    let mut archive = Vec::with_capacity(data.len() + 256);
    let about = [
        [20, 0, 0, 0, 8, 0, 0, 0, 33, 0].as_slice(),
        &checksum.sum().to_le_bytes(),
        &u32::try_from(data.len()).unwrap().to_le_bytes(),
        &u32::try_from(mebibytes * MEBIBYTE).unwrap().to_le_bytes(),
        &u16::try_from(name.len()).unwrap().to_le_bytes(),
        &[0, 0],
    ]
    .concat();
    archive.extend([b"PK\x03\x04".as_slice(), &about, name.as_bytes(), &data].concat());
    let directory_start = u32::try_from(archive.len()).unwrap();
    archive.extend([b"PK\x01\x02\x14\0".as_slice(), &about, &[0; 14], name.as_bytes()].concat());
    let directory_length = u32::try_from(archive.len()).unwrap() - directory_start;
    let sizes = [directory_length.to_le_bytes(), directory_start.to_le_bytes()].concat();
    archive.extend([b"PK\x05\x06\0\0\0\0\x01\0\x01\0".as_slice(), &sizes, &[0, 0]].concat());
    archive
}

#[test]
fn a_bomb_is_an_honest_archive() {
    let bytes = bomb("a.txt", 2);
    assert!(bytes.len() < 5000, "{}", bytes.len());
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut unpacked = Vec::new();
    std::io::Read::read_to_end(&mut archive.by_name("a.txt").unwrap(), &mut unpacked).unwrap();
    assert_eq!(unpacked, vec![b' '; 2 * MEBIBYTE]);
}
