//! A second opinion on written packages, from an independent zip library.

use std::io::{Cursor, Read};

use zip::ZipArchive;

/// Everything that must survive of an entry that did not change.
#[derive(Debug, PartialEq)]
struct Facts {
    name: Vec<u8>,
    local: Vec<u8>,
    compressed: Vec<u8>,
    descriptor_and_gap: Vec<u8>,
    extra: Option<Vec<u8>>,
    about: String,
}

/// What the library says about an entry that must hold even when its content changes.
fn about<R: Read>(file: &zip::read::ZipFile<'_, R>) -> String {
    let (time, mode, made_by) = (file.last_modified(), file.unix_mode(), file.version_made_by());
    let (method, comment, attributes) = (file.compression(), file.comment(), file.external_attributes());
    format!("{time:?} {mode:?} {made_by:?} {method:?} {comment:?} {attributes:?}")
}

fn facts(bytes: &[u8]) -> Vec<Facts> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let directory_start = usize::try_from(archive.central_directory_start()).unwrap();
    let starts: Vec<usize> = (0..archive.len())
        .map(|index| usize::try_from(archive.by_index_raw(index).unwrap().header_start()).unwrap())
        .chain([directory_start])
        .collect();
    (0..archive.len())
        .map(|index| {
            let mut file = archive.by_index_raw(index).unwrap();
            let mut compressed = Vec::new();
            file.read_to_end(&mut compressed).unwrap();
            let data_start = usize::try_from(file.data_start().unwrap()).unwrap();
            let data_end = data_start + compressed.len();
            let next = starts.iter().copied().filter(|&start| start >= data_end).min().unwrap();
            Facts {
                name: file.name_raw().to_vec(),
                local: bytes[starts[index]..data_start].to_vec(),
                compressed,
                descriptor_and_gap: bytes[data_end..next].to_vec(),
                extra: file.extra_data(),
                about: format!("{} {}", about(&file), file.crc32()),
            }
        })
        .collect()
}

/// Checks that `written` is `source` with other content in one part and nothing else.
pub(super) fn expect_only_changed(source: &[u8], written: &[u8], name: &str, content: &[u8]) {
    let (before, after) = (facts(source), facts(written));
    assert_eq!(before.len(), after.len());
    let mut position = None;
    for (index, (old, new)) in before.iter().zip(&after).enumerate() {
        if old.name == name.as_bytes() {
            assert_eq!(new.name, old.name);
            position = Some(index);
        } else {
            assert_eq!(new, old);
        }
    }
    let index = position.unwrap();
    let mut old = ZipArchive::new(Cursor::new(source)).unwrap();
    let mut new = ZipArchive::new(Cursor::new(written)).unwrap();
    assert_eq!(new.comment(), old.comment());
    let mut file = new.by_index(index).unwrap();
    let mut read = Vec::new();
    file.read_to_end(&mut read).unwrap();
    assert_eq!(read, content);
    assert_eq!(about(&file), about(&old.by_index(index).unwrap()));
}
