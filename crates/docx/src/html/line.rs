//! A paragraph under way: which elements are open around what comes next.
//!
//! Must never write one.

use super::appearance::ParagraphAppearance;
use super::markup::Wrapper;
use crate::model::FieldContext;

/// A paragraph under way.
pub(super) struct Line {
    pub(super) appearance: ParagraphAppearance,
    pub(super) fields: FieldContext,
    /// Numbers of the comments that are open.
    pub(super) comments: Vec<usize>,
    /// The elements around what comes next.
    pub(super) stack: Vec<Wrapper>,
    /// How many of these are links.
    pub(super) links: usize,
    /// The elements of the fields that are open, if they are known.
    pub(super) field: Option<Vec<Wrapper>>,
}

impl Line {
    pub(super) fn new(
        appearance: ParagraphAppearance,
        fields: FieldContext,
        comments: Vec<usize>,
        outer: Vec<Wrapper>,
    ) -> Self {
        Self { appearance, fields, comments, stack: outer, links: 0, field: None }
    }

    /// Whether a link may stand here.
    pub(super) fn may_link(&self) -> bool {
        self.links == 0
    }
}
