//! Computes the bytes of the file from the content.

use std::borrow::Cow;

use super::state::{Assembly, AssemblyBase, WriteWarning};
use crate::codes;
use crate::framing::unwrap;
use crate::patch::{PatchError, apply};

/// The bytes of the file, and what was done to the content that is not plain from the request. `target` is the file that is
/// there, `set_aside` the content before a patch of it.
///
/// # Errors
/// When the content is a patch that cannot be applied.
pub fn assemble<'a>(
    assembly: &Assembly,
    content: &'a [u8],
    target: Option<&[u8]>,
    set_aside: &[u8],
) -> Result<(Cow<'a, [u8]>, Vec<WriteWarning>), PatchError> {
    let mut changes = Vec::new();
    let unwrapped = if assembly.unwrap { unwrap(content) } else { None };
    let content = match unwrapped {
        None => content,
        Some(found) => {
            let line = found.introduction.map(|line| format!(", and the line before it: {line}"));
            let message = format!("the fence around the file was taken away{}", line.unwrap_or_default());
            changes.push(WriteWarning { code: codes::UNWRAPPED.name.to_owned(), message });
            &content[found.content]
        }
    };
    let target = target.unwrap_or_default();
    let file = match &assembly.base {
        AssemblyBase::Nothing => Cow::Borrowed(content),
        AssemblyBase::BehindTarget { newline } => {
            let joint: &[u8] =
                if *newline && target.last().is_some_and(|last| *last != b'\n') { b"\n" } else { b"" };
            Cow::Owned([target, joint, content].concat())
        }
        AssemblyBase::Target(spec) => Cow::Owned(apply(target, content, spec)?),
        AssemblyBase::SetAside(spec) => Cow::Owned(apply(set_aside, content, spec)?),
    };
    Ok((file, changes))
}
