//! How much a package may ask of the machine.

/// Bounds on a package. Sizes are in bytes. Every bound is checked against the directory when a package
/// is opened and again, against what really comes out, when a part is inflated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Size of the file itself. Word refuses documents above 512 MB.
    pub max_file_bytes: u64,
    /// Entries in the archive. Large real documents have some hundred.
    pub max_entries: usize,
    /// One part, inflated.
    pub max_part_bytes: u64,
    /// All parts together, inflated.
    pub max_total_bytes: u64,
    /// Inflated size divided by compressed size, for parts above [`Limits::RATIO_FREE_BYTES`].
    ///
    /// Repetitive WordprocessingML really shrinks that much: real documents reach 90, equal table rows
    /// 180, equal paragraphs 340, nothing but empty paragraphs 680. Deflate itself ends at 1032, which is
    /// where bombs live. So the default stands between the two.
    pub max_ratio: u64,
}

impl Limits {
    /// Parts up to this size may have any ratio: they cannot hurt.
    pub const RATIO_FREE_BYTES: u64 = 1 << 20;

    /// The most bytes that a part packed into `compressed` bytes may inflate to.
    pub(super) fn largest_part(&self, compressed: u64) -> u64 {
        let by_ratio = compressed.saturating_mul(self.max_ratio).max(Self::RATIO_FREE_BYTES);
        by_ratio.min(self.max_part_bytes)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_file_bytes: 512 << 20,
            max_entries: 10_000,
            max_part_bytes: 256 << 20,
            max_total_bytes: 512 << 20,
            max_ratio: 800,
        }
    }
}
