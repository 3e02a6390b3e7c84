//! The framing engine alone, beside a floor that copies the bytes, counts line ends and checks UTF-8. An example of the crate
//! runs both and prints a table.

use std::process::{Command, Stdio};

use crate::run_command;
use crate::{Error, Result, root, say};

/// With chunks of 64 KiB, the least part of the floor's speed.
const WHOLE: f64 = 0.5;
/// With chunks of 4 bytes, the least speed in MB/s.
const SPLIT: f64 = 150.0;

/// Runs the example, shows its table, and notes what is missed.
pub(super) fn run(missed: &mut Vec<String>) -> Result<()> {
    let build = ["build", "--release", "--package", "engross-write", "--example", "throughput"];
    run_command(Command::new(env!("CARGO")).args(build).current_dir(root()))?;
    let program = root().join(format!("target/release/examples/throughput{}", std::env::consts::EXE_SUFFIX));
    let mut command = Command::new(program);
    let shown = format!("{command:?}").replace('"', "");
    let failed = |how: String| Error::Command { command: shown.clone(), how };
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| failed(format!("could not be started: {error}")))?;
    if !output.status.success() {
        return Err(failed(format!("ended with {}", output.status)));
    }
    let table = String::from_utf8_lossy(&output.stdout);
    say(table.trim_end());
    let mut judged = 0;
    for row in table.lines() {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, text, chunk, engine, _, ratio, _] = cells[..] else { continue };
        let (Ok(engine), Ok(ratio)) = (engine.parse::<f64>(), ratio.parse::<f64>()) else { continue };
        judged += usize::from(matches!(chunk, "4" | "65536"));
        match chunk {
            "4" if engine < SPLIT => {
                missed.push(format!("{text} by 4 bytes: {engine:.0} MB/s, and {SPLIT} is the least"));
            }
            "65536" if ratio < WHOLE => {
                missed.push(format!("{text} by 64 KiB: {ratio:.2} of the floor, and {WHOLE} is the least"));
            }
            _ => {}
        }
    }
    if judged < 6 { Err(failed("printed no table".to_owned())) } else { Ok(()) }
}

/// Text of so many bytes.
pub(super) fn prose(bytes: u64) -> Vec<u8> {
    const TEXT: &str = "The seller shall deliver the goods, unless the parties have agreed otherwise, within thirty \
                        days.\n\n## Delivery — Lieferung\n\nPlain words follow here, as they do in most documents;\n\
                        and a `name` in between. Größe zählt nicht.\n";
    let bytes = usize::try_from(bytes).unwrap_or_default();
    let mut text = TEXT.repeat(bytes / TEXT.len());
    text.push_str(&" ".repeat(bytes - text.len()));
    text.into_bytes()
}
