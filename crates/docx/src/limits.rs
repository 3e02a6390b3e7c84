//! How much of a document is opened: the bounds of its container and of each of its parts.
//!
//! Must never know what is in a document.

use engross_xml::Limits as XmlLimits;

use crate::package::Limits as PackageLimits;

/// Bounds on what is opened.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Bounds on the container.
    pub package: PackageLimits,
    /// Bounds on each part.
    pub xml: XmlLimits,
}
