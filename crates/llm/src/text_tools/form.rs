//! What is looked for in the text of a model: calls of the tools on offer.
//!
//! Must never know a form: the files of forms do.

use serde_json::Value;

use super::literal::NoValue;

/// A call that a model has printed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PrintedCall {
    pub(super) name: String,
    pub(super) arguments: Value,
}

/// Calls at the beginning of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FoundCalls<'a> {
    pub(super) calls: Vec<PrintedCall>,
    /// The text behind them.
    pub(super) rest: &'a str,
    /// Whether the form is never anything but a call. Of others, such as JSON, it depends on whether more text follows.
    pub(super) is_certain: bool,
}

pub(super) type FoundResult<'a> = Result<FoundCalls<'a>, NoValue>;

/// Before the name of a tool.
pub(super) const SPACES: [&str; 3] = ["functions.", "tools.", "default_api."];

/// Finds calls in a text.
pub(super) struct CallForms<'n> {
    pub(super) names: &'n [String],
    /// Whether no more text comes.
    pub(super) is_whole: bool,
}

impl CallForms<'_> {
    /// Nothing more can be said as long as more may come.
    pub(super) fn more<T>(&self) -> Result<T, NoValue> {
        Err(if self.is_whole { NoValue::Invalid } else { NoValue::More })
    }

    /// Why there is no value, once it is known whether more may come.
    pub(super) fn settled(&self, no: NoValue) -> NoValue {
        if self.is_whole { NoValue::Invalid } else { no }
    }

    /// Whether `text` begins with `mark`, or may with more.
    pub(super) fn begins(&self, text: &str, mark: &str) -> bool {
        text.starts_with(mark) || (!self.is_whole && mark.starts_with(text))
    }

    /// The tool of that name, with or without a namespace.
    pub(super) fn known(&self, name: &str) -> Option<String> {
        let bare = SPACES.iter().find_map(|space| name.strip_prefix(space)).unwrap_or(name);
        self.names.iter().find(|known| *known == bare).cloned()
    }
}
