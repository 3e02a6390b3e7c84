//! What goes through a connection: its bytes, the body of a request, the body of an answer.
//!
//! Must never buffer, nor change a byte.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Sleep, sleep};

use super::leftover::Leftover;
use super::open::{ConnectionState, Phase};

/// A socket that fails once its client has taken nothing for too long, and that notes when a head begins.
pub(super) struct TimedStream<S> {
    stream: S,
    state: Arc<ConnectionState>,
    unread: Duration,
    /// When a client that takes nothing has taken nothing for too long.
    stalled: Option<Pin<Box<Sleep>>>,
    _permit: OwnedSemaphorePermit,
}

impl<S> TimedStream<S> {
    pub(super) fn new(
        stream: S,
        state: Arc<ConnectionState>,
        unread: Duration,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        Self { stream, state, unread, stalled: None, _permit: permit }
    }

    /// The outcome of a write, or the end of patience.
    fn judge<T>(&mut self, written: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let unread = self.unread;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(unread)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read its answer")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.state.leave(Phase::Idle, Phase::Head);
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.judge(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(context);
        self.judge(shut, context)
    }
}

/// The body of a request on its way in.
pub(super) struct ReceivedBody {
    /// None once it was dropped.
    body: Option<Incoming>,
    state: Arc<ConnectionState>,
    leftover: Leftover,
}

impl ReceivedBody {
    pub(super) fn new(body: Incoming, state: Arc<ConnectionState>, leftover: Leftover) -> Self {
        state.enter(if body.is_end_stream() { Phase::Busy } else { Phase::Receiving });
        Self { body: Some(body), state, leftover }
    }

    pub(super) fn into_body(self) -> Body {
        Body::new(self)
    }
}

impl HttpBody for ReceivedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(context));
        if frame.is_none() || self.is_end_stream() {
            self.state.leave(Phase::Receiving, Phase::Busy);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Incoming::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(SizeHint::default, Incoming::size_hint)
    }
}

impl Drop for ReceivedBody {
    fn drop(&mut self) {
        if let Some(body) = self.body.take().filter(|body| !body.is_end_stream()) {
            self.leftover.keep(body);
        }
        self.state.leave(Phase::Receiving, Phase::Busy);
    }
}

/// The body of an answer on its way out. With its end the connection waits for the next request.
pub(super) struct SentBody {
    body: Body,
    state: Arc<ConnectionState>,
    /// Whether the connection speaks something else behind it, and waits for no request any more.
    is_upgrade: bool,
}

impl SentBody {
    pub(super) fn new(body: Body, state: Arc<ConnectionState>, is_upgrade: bool) -> Self {
        Self { body, state, is_upgrade }
    }
}

impl HttpBody for SentBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for SentBody {
    fn drop(&mut self) {
        if !self.is_upgrade {
            self.state.enter(Phase::Idle);
        }
    }
}
