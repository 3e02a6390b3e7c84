//! The container of a document: a zip archive and the names of its parts.
//!
//! Knows zip and how OPC compares names, nothing of XML: relationships and content types are read by the
//! layers above. No I/O, no clock: bytes in, bytes out, the same bytes for the same calls. What was not
//! changed is written as it came, byte for byte (`docs/errors/` explains every refusal).

mod bytes;
mod directory;
mod error;
mod inflate;
mod limits;
mod name;
mod sniff;
mod write;

#[cfg(test)]
mod corpus_tests;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod package_oracle;
#[cfg(test)]
mod package_tests;
#[cfg(test)]
mod sniff_tests;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod write_tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use directory::{Directory, Entry};
use inflate::DeclaredSize;
use write::{AddedPart, Parts};

pub use error::Error;
pub use limits::Limits;

/// A document as a set of named parts.
///
/// Cloning is cheap: clones share the source bytes.
#[derive(Clone)]
pub struct Package {
    source: Arc<Vec<u8>>,
    limits: Limits,
    directory: Arc<Directory>,
    /// One for each entry of the directory; `None` where the part is as in the source.
    replacements: Vec<Option<Vec<u8>>>,
    /// Entries of the directory that are gone.
    removed: BTreeSet<usize>,
    added: Vec<AddedPart>,
    /// By normalised name (`name::key`).
    index: BTreeMap<String, PartLocation>,
}

/// Where a part is kept: in an entry of the source or in an added one.
#[derive(Debug, Clone, Copy)]
enum PartLocation {
    Source(usize),
    Added(usize),
}

impl Package {
    /// Opens a package: checks its directory and the names of its parts, inflates nothing.
    ///
    /// # Errors
    /// Every code of [`Error`] but `PART_NOT_FOUND`.
    pub fn open(bytes: Vec<u8>, limits: &Limits) -> Result<Self, Error> {
        let (size, limit) = (bytes.len() as u64, limits.max_file_bytes);
        if size > limit {
            return Err(Error::bomb(format!("the file has {size} bytes, and the limit is {limit}")));
        }
        sniff::refuse_other_formats(&bytes)?;
        let directory = directory::read(&bytes, limits)?;
        let mut index = BTreeMap::new();
        for (position, entry) in directory.entries.iter().enumerate().filter(|(_, entry)| !entry.is_folder) {
            if index.insert(name::key(&entry.name), PartLocation::Source(position)).is_some() {
                let reason = "the file has two parts of this name";
                return Err(Error::PartNameInvalid { name: error::shown(&entry.name), reason });
            }
        }
        Ok(Self {
            replacements: vec![None; directory.entries.len()],
            removed: BTreeSet::new(),
            source: Arc::new(bytes),
            limits: limits.clone(),
            directory: Arc::new(directory),
            added: Vec::new(),
            index,
        })
    }

    /// The bytes that were opened.
    #[must_use]
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    /// The source cut where its entries begin, gaps and directory with what is around them: ranges that follow each other
    /// and cover it whole. An entry that two files of a document have in common is the same bytes in both.
    #[must_use]
    pub fn pieces(&self) -> Vec<Range<usize>> {
        let starts = self.directory.entries.iter().map(|entry| entry.place.start);
        let ends = self.directory.entries.iter().map(|entry| entry.place.end);
        let mut cuts: Vec<usize> = starts.chain(ends).chain([0, self.source.len()]).collect();
        cuts.retain(|cut| *cut <= self.source.len());
        cuts.sort_unstable();
        cuts.dedup();
        cuts.windows(2).filter_map(|pair| Some(*pair.first()?..*pair.get(1)?)).collect()
    }

    /// The names of all parts as the archive has them, in the order of its directory, then added ones.
    /// Folder entries are not parts.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let entries = self.directory.entries.iter().enumerate();
        let entries =
            entries.filter(|(position, entry)| !entry.is_folder && !self.removed.contains(position));
        entries
            .map(|(_, entry)| entry.name.as_str())
            .chain(self.added.iter().map(|added| added.name.as_str()))
    }

    /// Whether there is a part of this name. Names compare as OPC says: ASCII letters without case, a
    /// leading `/` ignored; a backslash counts as `/`.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.index.contains_key(&name::key(name))
    }

    /// The bytes of a part, with what [`Package::set_part`] changed. Replaced and stored parts are
    /// borrowed; a deflated part is inflated at each call, so keep what you got.
    ///
    /// # Errors
    /// `PART_NOT_FOUND`; `ZIP_DAMAGED` when the part does not inflate to the size and checksum stated in
    /// the directory; `ZIP_BOMB` when it goes on beyond the limits.
    pub fn part(&self, name: &str) -> Result<Cow<'_, [u8]>, Error> {
        let not_found = || Error::PartNotFound { name: error::shown(name) };
        match self.index.get(&name::key(name)).ok_or_else(not_found)? {
            PartLocation::Added(position) => {
                let added = self.added.get(*position).ok_or_else(not_found)?;
                Ok(Cow::Borrowed(&added.bytes))
            }
            PartLocation::Source(position) => match self.replacements.get(*position) {
                Some(Some(bytes)) => Ok(Cow::Borrowed(bytes)),
                _ => self.original(self.directory.entries.get(*position).ok_or_else(not_found)?),
            },
        }
    }

    /// The bytes that a part had when the package was opened; none when it had no such part, or one that cannot be read.
    pub(crate) fn source_part(&self, name: &str) -> Option<Cow<'_, [u8]>> {
        let key = name::key(name);
        let mut entries = self.directory.entries.iter().filter(|entry| !entry.is_folder);
        entries.find(|entry| name::key(&entry.name) == key).and_then(|entry| self.original(entry).ok())
    }

    /// Size and checksum of a part, as the directory states them.
    pub(crate) fn fingerprint(&self, name: &str) -> Option<(u64, u32)> {
        let of = |bytes: &[u8]| (bytes.len() as u64, inflate::checksum(bytes));
        match self.index.get(&name::key(name))? {
            PartLocation::Added(position) => self.added.get(*position).map(|added| of(&added.bytes)),
            PartLocation::Source(position) => match self.replacements.get(*position) {
                Some(Some(bytes)) => Some(of(bytes)),
                _ => self.directory.entries.get(*position).map(|entry| (entry.size, entry.crc)),
            },
        }
    }

    /// Replaces the bytes of a part, or adds a part at the end. Setting the bytes that the source has
    /// undoes a change. A new name that no package may use is refused by [`Package::write`].
    pub fn set_part(&mut self, name: &str, bytes: Vec<u8>) {
        let key = name::key(name);
        match self.index.get(&key) {
            Some(&PartLocation::Source(position)) => {
                let entry = self.directory.entries.get(position);
                let is_original = entry.is_some_and(|entry| self.is_original(entry, &bytes));
                if let Some(replacement) = self.replacements.get_mut(position) {
                    *replacement = (!is_original).then_some(bytes);
                }
            }
            Some(&PartLocation::Added(position)) => {
                if let Some(added) = self.added.get_mut(position) {
                    added.bytes = bytes;
                }
            }
            None => {
                self.index.insert(key, PartLocation::Added(self.added.len()));
                let name = name::with_slashes(name).trim_start_matches('/').to_owned();
                self.added.push(AddedPart { name, bytes });
            }
        }
    }

    /// Takes a part away, if it is there.
    pub fn remove_part(&mut self, name: &str) {
        match self.index.remove(&name::key(name)) {
            Some(PartLocation::Source(position)) => {
                self.removed.insert(position);
            }
            Some(PartLocation::Added(position)) => {
                self.added.remove(position);
                for place in self.index.values_mut() {
                    if let PartLocation::Added(other) = place
                        && *other > position
                    {
                        *other -= 1;
                    }
                }
            }
            None => {}
        }
    }

    /// Whether any part differs from the source.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        !self.added.is_empty() || !self.removed.is_empty() || self.replacements.iter().any(Option::is_some)
    }

    /// The bytes of the package. Without changes these are the source bytes. Otherwise every entry that
    /// did not change is copied as it is (headers, compressed bytes, descriptor, order), changed ones are
    /// packed anew under their own headers, and added ones follow. The same changes give the same bytes.
    ///
    /// # Errors
    /// `PART_NAME_INVALID` for an added part; `ZIP_UNSUPPORTED` when the result would need zip64.
    pub fn write(&self) -> Result<Vec<u8>, Error> {
        if !self.is_changed() {
            return Ok(self.source.to_vec());
        }
        write::write(&Parts {
            source: &self.source,
            directory: &self.directory,
            replacements: &self.replacements,
            removed: &self.removed,
            added: &self.added,
        })
    }

    /// The bytes of an entry as the source has them.
    fn original(&self, entry: &Entry) -> Result<Cow<'_, [u8]>, Error> {
        let data = self.source.get(entry.data.clone()).unwrap_or_default();
        let declared = DeclaredSize { name: &entry.name, size: entry.size, crc: entry.crc };
        if entry.is_stored {
            inflate::verify(data, data.len() as u64, &declared)?;
            return Ok(Cow::Borrowed(data));
        }
        inflate::inflate(data, &declared, &self.limits).map(Cow::Owned)
    }

    /// Whether the bytes are those of the source. Inflates only when size and checksum agree already.
    fn is_original(&self, entry: &Entry, bytes: &[u8]) -> bool {
        entry.size == bytes.len() as u64
            && entry.crc == inflate::checksum(bytes)
            && self.original(entry).is_ok_and(|original| *original == *bytes)
    }
}

impl fmt::Debug for Package {
    /// Names only: the bytes are megabytes and the user's.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.names().collect();
        formatter.debug_struct("Package").field("names", &names).field("changed", &self.is_changed()).finish()
    }
}
