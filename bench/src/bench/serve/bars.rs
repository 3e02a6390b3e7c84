//! What `engross serve` has to hold. The bars are those of the issue "sessions over HTTP".

use crate::{Error, Result};

/// The most that a figure may be.
pub(super) struct Bar {
    /// What is measured.
    pub(super) what: &'static str,
    pub(super) most: f64,
    /// Of the figure.
    pub(super) unit: &'static str,
}

/// New sessions, 16 clients or more: waits for the disk are shared.
pub(super) const TOGETHER: Bar = Bar { what: "CPU of a turn", most: 5.0, unit: "times the floor" };
/// One client, or one session: every turn waits for the disk alone.
pub(super) const ALONE: Bar = Bar { what: "CPU of a turn", most: 8.0, unit: "times the floor" };
/// 256 clients: nobody is forgotten.
pub(super) const SPREAD: Bar = Bar { what: "p99 of the latency", most: 20.0, unit: "times p50" };
/// One client: from the model's writing its content to its arrival at the client, p50.
pub(super) const DELAY: Bar = Bar { what: "the first streamed content", most: 2.0, unit: "ms" };
/// After 10,000 sessions.
pub(super) const MEMORY: Bar = Bar { what: "resident memory", most: 100.0, unit: "MiB" };
/// From the start of the process to the first answer of `/readyz`, with 10,000 sessions in the store.
pub(super) const READY: Bar = Bar { what: "the time until it is ready", most: 100.0, unit: "ms" };
/// "Independent", with room for the noise of a shared machine.
pub(super) const GROWTH: Bar = Bar { what: "CPU of a turn", most: 1.3, unit: "times that of the small case" };

/// What was missed so far.
#[derive(Default)]
pub(super) struct Bars {
    missed: Vec<String>,
}

impl Bars {
    pub(super) fn check(&mut self, bar: &Bar, where_: &str, figure: f64) {
        // What is no number is missed too.
        if !matches!(
            figure.partial_cmp(&bar.most),
            Some(std::cmp::Ordering::Less | std::cmp::Ordering::Equal)
        ) {
            self.missed
                .push(format!("{where_}: {} is {figure:.2} {}, and may be {}", bar.what, bar.unit, bar.most));
        }
    }

    pub(super) fn judge(self) -> Result<()> {
        if self.missed.is_empty() { Ok(()) } else { Err(Error::Missed(self.missed.join("; "))) }
    }
}
