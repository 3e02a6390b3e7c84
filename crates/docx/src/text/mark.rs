//! The marks that text of one line can have.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mark {
    Bold,
    Italic,
    Underline,
    Strike,
    Highlight,
    Subscript,
    Superscript,
    Code,
}
