//! The model `script:FILE`: a recorded or hand-written dialogue, answered in process.
//!
//! Must never read a file or a clock, so that the same script and conversation give the same answer to the byte. The
//! JSON is described in [`format`].
//!
//! ```json
//! {"turns": [{"when": {"last_role": "user", "contains": "title"}, "times": 1,
//!             "text": "I change it.", "tool_calls": [{"name": "apply_redlines", "args": {"operations": []}}]},
//!            {"when": {"last_role": "tool"}, "times": 0, "text": "Done."}],
//!  "default": {"text": "ok"}}
//! ```

mod format;
mod play;

#[cfg(test)]
mod format_tests;
#[cfg(test)]
mod play_tests;

pub use play::ScriptModel;
