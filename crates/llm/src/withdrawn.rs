//! Stands for a model that was chosen and is not on offer any more.
//!
//! Must never answer: what was meant for one model is read by no other.

use std::future::ready;

use futures_util::stream::{self, BoxStream, StreamExt};

use crate::{Error, Event, Model, ModelInfo, Request};

/// A model that answers every request with [`Error::NotOffered`].
#[derive(Debug, Clone)]
pub struct WithdrawnModel {
    /// The name by which it was chosen.
    pub name: String,
}

impl Model for WithdrawnModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { spec: self.name.clone(), language_model: true }
    }

    fn answer(&self, _: Request) -> BoxStream<'static, Result<Event, Error>> {
        stream::once(ready(Err(Error::NotOffered { name: self.name.clone() }))).boxed()
    }
}
