//! Reads and writes whole lines on two pipes: to an agent, or as one.
//!
//! Must never hold a line that is longer than the limit. [`Pipes`] never waits for an agent that does not read.

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Lines of the agent that wait for us. With the limit of a line this bounds what an agent can make us hold.
const WAITING_IN: usize = 4;
/// Lines of ours that wait for the agent.
const WAITING_OUT: usize = 32;

/// What comes from an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PipeMessage {
    /// A line, without its end.
    Line(Vec<u8>),
    /// A line that is too long. Nothing comes after it.
    TooLong,
    /// It has closed its output. Nothing comes after it.
    End,
}

/// An agent does not read what it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PipeClosed;

/// The pipes. Dropping it closes them.
pub(crate) struct Pipes {
    heard: mpsc::Receiver<PipeMessage>,
    say: mpsc::Sender<Vec<u8>>,
    _tasks: JoinSet<()>,
}

impl Pipes {
    /// Begins to read from `output` and to write to `input`. A line may have `limit` bytes.
    pub(crate) fn new(
        input: impl AsyncWrite + Unpin + Send + 'static,
        output: impl AsyncRead + Unpin + Send + 'static,
        limit: usize,
    ) -> Self {
        let (hear, heard) = mpsc::channel(WAITING_IN);
        let (say, said) = mpsc::channel(WAITING_OUT);
        let mut tasks = JoinSet::new();
        tasks.spawn(keep_reading(BufReader::new(output), limit, hear));
        tasks.spawn(keep_writing(input, said));
        Self { heard, say, _tasks: tasks }
    }

    /// What comes next. It loses nothing when it is given up before the end.
    pub(crate) async fn hear(&mut self) -> PipeMessage {
        self.heard.recv().await.unwrap_or(PipeMessage::End)
    }

    /// What has come already.
    pub(crate) fn heard(&mut self) -> Option<PipeMessage> {
        match self.heard.try_recv() {
            Ok(heard) => Some(heard),
            Err(mpsc::error::TryRecvError::Empty) => None,
            Err(mpsc::error::TryRecvError::Disconnected) => Some(PipeMessage::End),
        }
    }

    /// Sends a line. An agent that has closed its input is found out by its output.
    pub(crate) fn say(&self, line: Vec<u8>) -> Result<(), PipeClosed> {
        match self.say.try_send(line) {
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => Ok(()),
            Err(mpsc::error::TrySendError::Full(_)) => Err(PipeClosed),
        }
    }
}

/// Reads lines until the end, one that is too long, or nobody listens.
pub(crate) async fn keep_reading(
    mut output: impl AsyncBufRead + Unpin,
    limit: usize,
    hear: mpsc::Sender<PipeMessage>,
) {
    loop {
        let heard = read_line(&mut output, limit).await;
        let last = !matches!(heard, PipeMessage::Line(_));
        if hear.send(heard).await.is_err() || last {
            return;
        }
    }
}

/// The next line that is not empty.
async fn read_line(output: &mut (impl AsyncBufRead + Unpin), limit: usize) -> PipeMessage {
    let mut line = Vec::new();
    loop {
        let Ok(piece) = output.fill_buf().await else { return PipeMessage::End };
        if piece.is_empty() {
            // What has no end of line is no message.
            return PipeMessage::End;
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let part = piece.get(..end.unwrap_or(piece.len())).unwrap_or_default();
        if line.len() + part.len() > limit {
            return PipeMessage::TooLong;
        }
        line.extend_from_slice(part);
        let used = part.len() + usize::from(end.is_some());
        output.consume(used);
        if end.is_some() {
            if !line.trim_ascii().is_empty() {
                return PipeMessage::Line(line);
            }
            line.clear();
        }
    }
}

/// Writes lines until there are no more, or they cannot be written.
pub(crate) async fn keep_writing(mut input: impl AsyncWrite + Unpin, mut said: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = said.recv().await {
        if input.write_all(&line).await.is_err() || input.flush().await.is_err() {
            return;
        }
    }
}
