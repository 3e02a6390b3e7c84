//! A log that is nothing but a list of lines, to which everybody may append.

use engross_protocol::SessionId;
use engross_store::{Append, Millis, Name, NewEntry, NewSession, Store};

/// How often an append is tried while others append.
const TRIES: usize = 200;

/// A line of a list.
#[derive(Debug, Clone, Copy)]
pub struct ListLine<'a> {
    /// The kind of entry.
    pub kind: &'static str,
    /// When.
    pub at: Millis,
    /// What it says.
    pub text: &'a str,
    /// Whether the list holds it only once. Then every append reads the whole list.
    pub is_unique: bool,
}

/// Adds a line to the list of this name, which gets the id `id` if it is missing.
///
/// # Errors
/// As the store says.
pub async fn add_to_list(
    store: &dyn Store,
    id: SessionId,
    name: &Name,
    line: ListLine<'_>,
) -> Result<(), engross_store::Error> {
    let entry = || NewEntry { kind: line.kind, at: line.at, body: line.text.as_bytes().to_vec() };
    let mut tries = 0;
    loop {
        let new = NewSession {
            id,
            at: line.at,
            key: name.clone(),
            names: Vec::new(),
            entries: vec![entry()],
            snapshot: None,
            wake_at: None,
        };
        let (list, is_new) = store.create(new).await?;
        let is_there = || list.entries.iter().any(|entry| entry.body == line.text.as_bytes());
        if is_new || (line.is_unique && is_there()) {
            return Ok(());
        }
        let append = Append {
            session: list.id,
            fence: None,
            expected_head: list.head,
            entries: vec![entry()],
            names: Vec::new(),
            // Only the entries count; an empty snapshot keeps them from being read when the list grows.
            snapshot: (!line.is_unique).then(Vec::new),
            wake_at: None,
        };
        tries += 1;
        match store.append(append).await {
            Err(engross_store::Error::Conflict { .. }) if tries < TRIES => {}
            appended => return appended.map(|_| ()),
        }
    }
}
