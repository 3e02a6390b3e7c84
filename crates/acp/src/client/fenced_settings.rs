//! What a program has to be told when it is fenced in, where it gets no terminal of its own.
//!
//! Must never change anything but how it runs its commands.

use std::path::Path;

/// Programs that run commands in a terminal of their own unless their settings say otherwise: the variable that names a file of
/// settings above the person's, and what stands in it.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("gemini", "GEMINI_CLI_SYSTEM_SETTINGS_PATH", r#"{"tools":{"shell":{"enableInteractiveShell":false}}}"#),
    ("qwen", "QWEN_CODE_SYSTEM_SETTINGS_PATH", r#"{"tools":{"shell":{"enableInteractiveShell":false}}}"#),
];

/// The variable and the text of the file of a program by its name.
pub(super) fn of_program(program: &str) -> Option<(&'static str, &'static str)> {
    let name = Path::new(program).file_name()?.to_str()?;
    SETTINGS.iter().find(|(known, ..)| *known == name).map(|(_, variable, text)| (*variable, *text))
}
