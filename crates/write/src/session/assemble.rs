//! Computes the bytes of the file from the content.

use std::borrow::Cow;

use super::state::{Assembly, AssemblyBase, WriteWarning};
use crate::cleaning::clean;
use crate::codes;
use crate::patch::{LineEndStyle, PatchError, PatchSpec, apply, with_line_end};

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
    let cleaned = if assembly.unwrap { clean(content, assembly.kind) } else { None };
    let content = match cleaned {
        None => content,
        Some(cleaned) => {
            let message = format!("this was taken away: {}", cleaned.removed.join(", and "));
            changes.push(WriteWarning { code: codes::UNWRAPPED.name.to_owned(), message });
            content.get(cleaned.content).unwrap_or_default()
        }
    };
    if let AssemblyBase::Target(spec) | AssemblyBase::SetAside(spec) = &assembly.base
        && content.is_empty()
    {
        let message = format!("the new text is empty, so {} deleted", what_goes(spec));
        changes.push(WriteWarning { code: codes::PATCH_DELETES.name.to_owned(), message });
    }
    let target = target.unwrap_or_default();
    let file = match &assembly.base {
        AssemblyBase::Nothing => Cow::Borrowed(content),
        AssemblyBase::BehindTarget { newline } => {
            let joint: &[u8] =
                if *newline && target.last().is_some_and(|last| *last != b'\n') { b"\n" } else { b"" };
            let content = with_line_end(content, LineEndStyle::of(target));
            let joint = if joint.is_empty() || LineEndStyle::of(target) != LineEndStyle::CrLf {
                joint
            } else {
                b"\r\n"
            };
            Cow::Owned([target, joint, &content].concat())
        }
        AssemblyBase::Target(spec) => Cow::Owned(apply(target, content, spec)?),
        AssemblyBase::SetAside(spec) => Cow::Owned(apply(set_aside, content, spec)?),
    };
    Ok((file, changes))
}

/// What a patch without text takes away.
fn what_goes(spec: &PatchSpec) -> String {
    match spec {
        PatchSpec::ReplaceLines { start_line, end_line } if start_line == end_line => {
            format!("line {start_line} was")
        }
        PatchSpec::ReplaceLines { start_line, end_line } => format!("lines {start_line} to {end_line} were"),
        PatchSpec::ReplaceText { .. } | PatchSpec::ReplacePattern { .. } => "what was found was".to_owned(),
        PatchSpec::Prepend | PatchSpec::InsertAfterLine { .. } | PatchSpec::InsertBeforeLine { .. } => {
            "nothing was put in and nothing was".to_owned()
        }
    }
}
