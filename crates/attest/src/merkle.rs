//! One hash for a list of files: the root of a Merkle tree as RFC 6962 builds it.
//!
//! Must never give two lists one root: leaves and nodes are hashed with different first bytes, and every length is in them.

use engross_protocol::hex;
use sha2::{Digest, Sha256};

/// What a leaf of the tree says: path, length, and the hash in 64 lower-case hexadecimal digits.
pub type Leaf<'a> = (&'a str, u64, &'a str);

/// Builds the tree over files, which come in the order of their paths.
#[derive(Debug, Default)]
pub struct MerkleTree {
    /// The roots of whole trees, the largest first; two of one size become one.
    trees: Vec<(u32, [u8; 32])>,
}

impl MerkleTree {
    /// Adds the next file.
    pub fn add(&mut self, file: Leaf<'_>) {
        self.trees.push((0, leaf(file)));
        while let [.., (left_size, left), (right_size, right)] = self.trees.as_slice()
            && left_size == right_size
        {
            let joined = (left_size + 1, node(left, right));
            self.trees.truncate(self.trees.len() - 2);
            self.trees.push(joined);
        }
    }

    /// The root, as 64 lower-case hexadecimal digits.
    #[must_use]
    pub fn root(&self) -> String {
        let roots = self.trees.iter().rev().map(|(_, root)| *root);
        let root = roots.reduce(|right, left| node(&left, &right));
        hex::encode(root.unwrap_or_else(|| Sha256::digest([]).into()))
    }
}

/// The root over files, which stand in the order of their paths; as 64 lower-case hexadecimal digits.
#[must_use]
pub fn merkle_root<'a>(files: impl IntoIterator<Item = Leaf<'a>>) -> String {
    let mut tree = MerkleTree::default();
    files.into_iter().for_each(|file| tree.add(file));
    tree.root()
}

fn leaf((path, size, sha256): Leaf<'_>) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update([0]);
    digest.update((path.len() as u64).to_be_bytes());
    digest.update(path);
    digest.update(size.to_be_bytes());
    digest.update(sha256);
    digest.finalize().into()
}

fn node(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update([1]);
    digest.update(left);
    digest.update(right);
    digest.finalize().into()
}
