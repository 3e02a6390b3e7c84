//! Names as small integers: a namespace and a local name, interned.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// An interned name. Names of the [`Vocabulary`] have the number of their place in it, in every document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub(crate) u16);

impl Name {
    /// No name: text, comments, and names beyond the 65,534th distinct one of a document.
    pub const NONE: Self = Self(u16::MAX);

    /// The name at `index` of the vocabulary.
    #[must_use]
    pub const fn new(index: u16) -> Self {
        Self(index)
    }

    /// The place in the vocabulary, or beyond it.
    #[must_use]
    pub const fn index(self) -> u16 {
        self.0
    }
}

/// A place in [`Vocabulary::namespaces`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamespaceGroup(pub u16);

/// The names a caller wants as constants.
#[derive(Debug, Clone, Copy)]
pub struct Vocabulary {
    /// Groups of namespace URIs that mean the same, such as the strict and the transitional one of a format.
    pub namespaces: &'static [&'static [&'static str]],
    /// Names: the group's place in `namespaces`, and the local name. The empty URI is "no namespace".
    pub names: &'static [(NamespaceGroup, &'static str)],
}

/// Hash of Fowler, Noll and Vo over short byte strings: names are short, and the keys come from a bounded text.
#[derive(Default)]
pub(crate) struct ShortHasher(u64);

impl Hasher for ShortHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0.rotate_left(5) ^ u64::from(*byte)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }

    fn write_usize(&mut self, value: usize) {
        self.0 = (self.0.rotate_left(5) ^ value as u64).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn write_u16(&mut self, value: u16) {
        self.write_usize(usize::from(value));
    }
}

pub(crate) type ShortMap<K, V> = HashMap<K, V, BuildHasherDefault<ShortHasher>>;

/// The names of one document.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    entries: Vec<(u16, Box<str>)>,
    lookup: ShortMap<(u16, Box<[u8]>), Name>,
    uris: Vec<Box<str>>,
    /// Numbers of the namespaces that are in no group.
    others: ShortMap<Box<str>, u16>,
}

impl Names {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let uris = vocabulary.namespaces.iter().map(|group| (*group.first().unwrap_or(&"")).into()).collect();
        let mut names = Self {
            entries: Vec::with_capacity(vocabulary.names.len() + 64),
            lookup: ShortMap::default(),
            uris,
            others: ShortMap::default(),
        };
        names.lookup.reserve(vocabulary.names.len() + 64);
        for (group, local) in vocabulary.names {
            names.intern(group.0, local.as_bytes());
        }
        names
    }

    /// The number of a namespace URI: its group, or a number of its own. `None` beyond the 65,535th.
    pub(crate) fn namespace(&mut self, vocabulary: &Vocabulary, uri: &str) -> Option<u16> {
        let group = vocabulary.namespaces.iter().position(|group| group.contains(&uri));
        if let Some(group) = group {
            return u16::try_from(group).ok();
        }
        if let Some(known) = self.others.get(uri) {
            return Some(*known);
        }
        let at = u16::try_from(self.uris.len()).ok()?;
        self.uris.push(uri.into());
        self.others.insert(uri.into(), at);
        Some(at)
    }

    pub(crate) fn intern(&mut self, namespace: u16, local: &[u8]) -> Name {
        // The key is owned, so a look-up of a new name allocates; the parser's per-scope cache keeps that rare.
        let key = (namespace, Box::from(local));
        if let Some(name) = self.lookup.get(&key) {
            return *name;
        }
        let Ok(index) = u16::try_from(self.entries.len()) else { return Name::NONE };
        if index == u16::MAX {
            return Name::NONE;
        }
        self.entries.push((namespace, String::from_utf8_lossy(local).into()));
        self.lookup.insert(key, Name(index));
        Name(index)
    }

    /// Namespace number and local name.
    pub(crate) fn get(&self, name: Name) -> Option<(u16, &str)> {
        self.entries.get(usize::from(name.0)).map(|(namespace, local)| (*namespace, &**local))
    }

    pub(crate) fn uri(&self, namespace: u16) -> &str {
        self.uris.get(usize::from(namespace)).map_or("", |uri| uri)
    }
}
