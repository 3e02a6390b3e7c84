//! What the state machine of threads is asked, and what it answers.
//!
//! Must never hold a rule: which input leads to what is said by `machine`.

use engross_store::Millis;

use super::outcome::BridgeReading;
use super::record::Association;
use super::state::{Ask, ThreadEntry};

/// What is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// How long after its budget a run is given up, in milliseconds.
    pub grace: Millis,
    /// Tries in a row to hear of a run that may fail because of the connection.
    pub failures: u32,
    /// The shortest and the longest pause between two tries, in milliseconds.
    pub pause: (Millis, Millis),
    /// Whether the bridge carries out a request that is sent twice once.
    pub is_idempotent: bool,
}

impl Default for Rules {
    /// 5 minutes, no bound on tries but the deadline, 1 to 30 seconds, an idempotent bridge.
    fn default() -> Self {
        Self { grace: 300_000, failures: u32::MAX, pause: (1_000, 30_000), is_idempotent: true }
    }
}

/// Whether there is room for another run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotState {
    /// It can begin.
    Free,
    /// It must wait.
    Busy,
    /// Not even that.
    Full,
}

/// What has happened.
#[derive(Debug, Clone, PartialEq)]
pub enum ThreadInput {
    /// A person asks for something.
    Send(Ask, SlotState),
    /// There is room for a request that waits.
    Drain(SlotState),
    /// An update of the stream named the run.
    Named(Association),
    /// The answer came, or a snapshot.
    Answered(BridgeReading),
    /// The stream ended without an answer, or a try to hear of it has failed because of the connection: the code.
    Lost(String),
    /// The bridge refused the request or the look-up: code and message.
    Refused(String, String),
    /// Files were fetched: the run's files that are here, and how many could not be written.
    Fetched {
        /// Their paths, in order.
        paths: Vec<String>,
        /// How many could not be fetched or written.
        failed: usize,
    },
    /// The person stops it.
    Abort,
    /// The person puts it away.
    Archive,
    /// The person takes it back.
    Restore,
    /// Time has passed.
    Wake,
    /// The process begins: whatever it did before is over.
    Resume,
}

/// What to do once the entries are stored.
#[derive(Debug, Clone, PartialEq)]
pub enum ThreadAction {
    /// Send the request, after so many milliseconds; the same id is carried out once.
    Submit {
        /// Milliseconds.
        after: Millis,
    },
    /// Ask how the run stands, after so many milliseconds.
    Look {
        /// Milliseconds.
        after: Millis,
    },
    /// Fetch the files of the run.
    Fetch,
    /// Ask the bridge to stop the run; what it answers changes nothing here.
    Cancel(Option<Box<Association>>),
    /// Notify the bridge that the thread is put away; what it answers changes nothing here.
    Close,
    /// Ask for a slot for the request that waits.
    AskForSlot,
}

/// What an input leads to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ThreadStep {
    /// To be stored first, as one.
    pub entries: Vec<ThreadEntry>,
    /// To be done then.
    pub actions: Vec<ThreadAction>,
}
