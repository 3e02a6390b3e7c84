//! The floor under a write session: the bytes go once into a spool and once into the target, each made durable, and the
//! folder too.
//!
//! Must never look at the bytes.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;

use crate::{Error, Result};

const BLOCK: usize = 256 << 10;

/// Writes `source` to a spool in `folder`, and that to a target there.
pub(crate) fn run(source: &Path, folder: &Path) -> Result<()> {
    let failed = |error| Error::file(folder)(error);
    fs::create_dir_all(folder).map_err(failed)?;
    let (spool, target) = (folder.join("spool"), folder.join("target"));
    copy(source, &spool, File::sync_data).map_err(failed)?;
    copy(&spool, &target, File::sync_all).map_err(failed)?;
    open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
    fs::remove_dir_all(folder).map_err(failed)
}

fn copy(from: &Path, to: &Path, sync: fn(&File) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut from = open(from)?;
    let mut to = File::options().write(true).create(true).truncate(true).open(to)?;
    let mut block = vec![0; BLOCK];
    loop {
        match from.read(&mut block)? {
            0 => return sync(&to),
            count => to.write_all(block.get(..count).unwrap_or_default())?,
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a bench reads files of its own")]
fn open(path: &Path) -> std::io::Result<File> {
    File::open(path)
}
