//! The tests of whole sessions.
