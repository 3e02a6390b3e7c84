//! A process that works on documents: it reads a job, does it, answers, and waits for the next.
//!
//! Must never begin before it has given up what it does not need.

use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};

use engross_documents::{DocumentJob, carry_out};
use engross_sandbox::{ConfinedLimits, Confinement};

use super::frames;
use super::worker_process::{STACK, WorkerAnswer};

/// The exit code of a worker that was asked for in a wrong way, or could not give up its rights.
const USELESS: u8 = 125;

/// Works until the one who asks is gone.
pub(super) fn run(arguments: &[String]) -> u8 {
    match worked(arguments) {
        Ok(()) => 0,
        Err(problem) => {
            // The one who started this reads it.
            let _ = writeln!(io::stderr(), "{problem}");
            USELESS
        }
    }
}

fn worked(arguments: &[String]) -> Result<(), String> {
    let numbers: Option<Vec<u64>> = arguments.iter().map(|argument| argument.parse().ok()).collect();
    let Some(&[memory, seconds, parent]) = numbers.as_deref() else {
        return Err("it is started by `engross serve` alone".to_owned());
    };
    let parent = u32::try_from(parent).map_err(|error| error.to_string())?;
    let confinement = Confinement::enter(parent, ConfinedLimits { memory, stack: STACK })?;
    let (mut stdin, mut stdout) = (io::stdin().lock(), io::stdout().lock());
    let told = |error: io::Error| error.to_string();
    while let Some((job, files)) = frames::read::<DocumentJob>(&mut stdin, u64::MAX).map_err(told)? {
        confinement.allow_seconds(seconds)?;
        let done = catch_unwind(AssertUnwindSafe(|| carry_out(job, files)));
        let Ok((reply, files)) = done else { return Err("the engine panicked".to_owned()) };
        let answer = WorkerAnswer { reply, resident: confinement.resident() };
        frames::write(&mut stdout, &answer, &files).map_err(told)?;
    }
    Ok(())
}
