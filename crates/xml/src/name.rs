//! Names as small integers: a namespace and a local name, interned.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, OnceLock};

/// An interned name. Names of the [`Vocabulary`] have the number of their place in it, in every document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QName(pub(crate) u16);

impl QName {
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

/// The names a caller wants as constants. Made once, as a `static`: its documents share the table of its names.
#[derive(Debug)]
pub struct Vocabulary {
    namespaces: &'static [&'static [&'static str]],
    names: &'static [(NamespaceGroup, &'static str)],
    table: OnceLock<Arc<Table>>,
}

impl Vocabulary {
    /// `namespaces` are groups of URIs that mean the same, such as the strict and the transitional one of a format; the empty
    /// URI is "no namespace". `names` are places of groups in it with local names, each once.
    #[must_use]
    pub const fn new(
        namespaces: &'static [&'static [&'static str]],
        names: &'static [(NamespaceGroup, &'static str)],
    ) -> Self {
        Self { namespaces, names, table: OnceLock::new() }
    }

    /// The URIs of each group.
    #[must_use]
    pub const fn namespaces(&self) -> &'static [&'static [&'static str]] {
        self.namespaces
    }

    /// The names, in their order.
    #[must_use]
    pub const fn names(&self) -> &'static [(NamespaceGroup, &'static str)] {
        self.names
    }

    fn table(&self) -> Arc<Table> {
        let make = || {
            let mut table = Table::default();
            for (group, local) in self.names {
                table.add(0, group.0, local.as_bytes());
            }
            Arc::new(table)
        };
        Arc::clone(self.table.get_or_init(make))
    }
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

/// Names with their numbers.
#[derive(Debug, Clone, Default)]
struct Table {
    entries: Vec<(u16, Box<str>)>,
    /// By namespace, then by local name.
    lookup: Vec<ShortMap<Box<[u8]>, QName>>,
}

impl Table {
    fn find(&self, namespace: u16, local: &[u8]) -> Option<QName> {
        self.lookup.get(usize::from(namespace))?.get(local).copied()
    }

    /// Gives a new name the next number, of which `before` are taken already.
    fn add(&mut self, before: usize, namespace: u16, local: &[u8]) -> QName {
        let Ok(index) = u16::try_from(before + self.entries.len()) else { return QName::NONE };
        if index == u16::MAX {
            return QName::NONE;
        }
        self.entries.push((namespace, String::from_utf8_lossy(local).into()));
        let place = usize::from(namespace);
        if self.lookup.len() <= place {
            self.lookup.resize_with(place + 1, ShortMap::default);
        }
        if let Some(names) = self.lookup.get_mut(place) {
            names.insert(local.into(), QName(index));
        }
        QName(index)
    }
}

/// The names of one document.
#[derive(Debug, Clone)]
pub(crate) struct Names {
    /// Those of the vocabulary.
    known: Arc<Table>,
    /// Those that only the document has.
    own: Table,
    uris: Vec<Box<str>>,
    /// How many namespaces are groups of the vocabulary; these come first.
    pub(crate) groups: usize,
    /// Numbers of the URIs that were read.
    pub(crate) numbers: ShortMap<Box<str>, u16>,
}

impl Names {
    pub(crate) fn new(vocabulary: &Vocabulary) -> Self {
        let uris = vocabulary.namespaces.iter().map(|group| (*group.first().unwrap_or(&"")).into()).collect();
        let groups = vocabulary.namespaces.len();
        Self { known: vocabulary.table(), own: Table::default(), uris, groups, numbers: ShortMap::default() }
    }

    /// The number of a namespace URI: its group, or a number of its own. `None` beyond the 65,535th.
    pub(crate) fn namespace(&mut self, vocabulary: &Vocabulary, uri: &str) -> Option<u16> {
        let group = vocabulary.namespaces.iter().position(|group| group.contains(&uri));
        match group {
            Some(group) => {
                let number = u16::try_from(group).ok()?;
                self.numbers.insert(uri.into(), number);
                Some(number)
            }
            None => self.number_of_other(uri),
        }
    }

    /// The number of a namespace that is in no group.
    pub(crate) fn number_of_other(&mut self, uri: &str) -> Option<u16> {
        if let Some(known) = self.numbers.get(uri) {
            return Some(*known);
        }
        let at = u16::try_from(self.uris.len()).ok()?;
        self.uris.push(uri.into());
        self.numbers.insert(uri.into(), at);
        Some(at)
    }

    /// Whether a name is one of the vocabulary.
    pub(crate) fn is_known(&self, name: QName) -> bool {
        usize::from(name.0) < self.known.entries.len()
    }

    pub(crate) fn intern(&mut self, namespace: u16, local: &[u8]) -> QName {
        let found = self.known.find(namespace, local).or_else(|| self.own.find(namespace, local));
        found.unwrap_or_else(|| self.own.add(self.known.entries.len(), namespace, local))
    }

    /// Namespace number and local name.
    pub(crate) fn get(&self, name: QName) -> Option<(u16, &str)> {
        let place = usize::from(name.0);
        let known = self.known.entries.len();
        let entry = place
            .checked_sub(known)
            .map_or_else(|| self.known.entries.get(place), |own| self.own.entries.get(own));
        entry.map(|(namespace, local)| (*namespace, &**local))
    }

    pub(crate) fn uri(&self, namespace: u16) -> &str {
        self.uris.get(usize::from(namespace)).map_or("", |uri| uri)
    }
}
