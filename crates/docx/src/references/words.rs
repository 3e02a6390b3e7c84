//! Words of a paragraph as a place for an edit.
//!
//! Must never look at a document.

use std::ops::Range;

use engross_xml::NodeId;

use crate::model::{FieldContext, View};

/// Words of a paragraph, as a view shows them.
#[derive(Debug, Clone)]
pub(crate) struct Words {
    pub(crate) paragraph: NodeId,
    pub(crate) fields: Option<FieldContext>,
    pub(crate) view: View,
    /// In bytes of the paragraph's text.
    pub(crate) range: Range<usize>,
}
