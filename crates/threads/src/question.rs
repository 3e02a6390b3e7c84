//! A question of an agent, and which of its options a person means.
//!
//! Must never choose for the person.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use engross_tasks::runner::PermissionOption;

/// A question that is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ThreadQuestion {
    /// Its id.
    pub request_id: String,
    /// What the agent is about to do, in its words.
    #[serde(skip)]
    pub title: String,
    /// The answers that it takes.
    #[serde(default)]
    pub options: Vec<PermissionOption>,
}

impl ThreadQuestion {
    /// The question of an update or of a list; `None` when that is none.
    #[must_use]
    pub fn of(told: &Value) -> Option<Self> {
        let question: Self = serde_json::from_value(told.clone()).ok()?;
        let title = told["toolCall"]["title"].as_str().unwrap_or("something").to_owned();
        Some(Self { title, ..question })
    }

    /// The option that a person means: by its number from 1, its id, its name, or its kind if only one has that.
    #[must_use]
    pub fn option(&self, meant: &str) -> Option<&PermissionOption> {
        let meant = meant.trim();
        let by_number =
            meant.parse::<usize>().ok().and_then(|number| self.options.get(number.checked_sub(1)?));
        let by_name = || {
            self.options.iter().find(|option| option.id == meant || option.name.eq_ignore_ascii_case(meant))
        };
        let by_kind = || {
            let mut of_kind = self.options.iter().filter(|option| option.kind == meant);
            of_kind.next().filter(|_| of_kind.next().is_none())
        };
        by_number.or_else(by_name).or_else(by_kind)
    }
}
