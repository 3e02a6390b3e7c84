//! The files of a package and its archives: the same files give the same bytes.
//!
//! Must never take a date, an owner or an order from the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Write};

use flate2::{Compression, GzBuilder};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::{Error, Result};

/// A file of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackedFile {
    pub(super) is_program: bool,
    pub(super) bytes: Vec<u8>,
}

impl PackedFile {
    /// What its owner and others may do with it.
    pub(super) fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

/// The files of a package by their paths, `/` between the parts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PackageTree {
    files: BTreeMap<String, PackedFile>,
}

impl PackageTree {
    /// Adds a file that is read.
    pub(super) fn file(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.to_owned(), PackedFile { is_program: false, bytes: bytes.into() });
    }

    /// Adds a file that is run.
    pub(super) fn program(&mut self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.to_owned(), PackedFile { is_program: true, bytes: bytes.into() });
    }

    /// All files, in the order of their paths.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &PackedFile)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// How much they hold.
    pub(super) fn bytes(&self) -> usize {
        self.files.values().map(|file| file.bytes.len()).sum()
    }

    /// A tape archive, each path after `prefix`; folders come before what is in them.
    pub(super) fn tar(&self, prefix: &str, epoch: u64) -> Result<Vec<u8>> {
        let mut archive = tar::Builder::new(Vec::new());
        let mut folders = BTreeSet::new();
        for (path, file) in self.files() {
            let path = format!("{prefix}{path}");
            for (end, _) in path.match_indices('/') {
                let folder = path.get(..=end).unwrap_or_default();
                if folders.insert(folder.to_owned()) {
                    let mut header = header(0o755, 0, epoch);
                    header.set_entry_type(tar::EntryType::Directory);
                    archive.append_data(&mut header, folder, &[][..]).map_err(in_memory)?;
                }
            }
            let mut header = header(file.mode(), file.bytes.len() as u64, epoch);
            archive.append_data(&mut header, &path, file.bytes.as_slice()).map_err(in_memory)?;
        }
        archive.into_inner().map_err(in_memory)
    }

    /// The same, compressed.
    pub(super) fn tar_gz(&self, prefix: &str, epoch: u64) -> Result<Vec<u8>> {
        gzip(&self.tar(prefix, epoch)?)
    }

    /// A zip; all its files have the date that the format begins with.
    pub(super) fn zip(&self) -> Result<Vec<u8>> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default());
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        for (path, file) in self.files() {
            archive.start_file(path, options.unix_permissions(file.mode()))?;
            archive.write_all(&file.bytes).map_err(in_memory)?;
        }
        Ok(archive.finish()?.into_inner())
    }
}

/// Compresses, without a name or a date.
pub(super) fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut writer = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    writer.write_all(bytes).and_then(|()| writer.finish()).map_err(in_memory)
}

fn header(mode: u32, size: u64, epoch: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_mode(mode);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(epoch);
    header.set_size(size);
    header
}

fn in_memory(source: std::io::Error) -> Error {
    Error::File { path: "an archive".into(), source }
}
