//! Files that go along with a task: copied into the thread's folder first, so that the task can be sent again as it was.
//!
//! Must never send what was not named.

use std::path::{Path, PathBuf};

use engross_artifacts::segment;
use engross_protocol::{Clock as _, Failure, SystemClock};
use engross_store::files::{Folder, Precondition, RelPath};

use engross_compose::failure::usage;
use engross_compose::files;

/// Where they are in the thread's folder.
const FOLDER: &str = ".xworkmate/sent";

/// The most bytes of one file, and of all (contracts/tasks.md §1.6).
const MOST: (usize, usize) = (10 << 20, 25 << 20);

/// Copies them; gives their paths in the folder.
pub(super) fn keep(folder: &Folder, named: &[PathBuf]) -> Result<Vec<String>, Failure> {
    let mut kept = Vec::with_capacity(named.len());
    let mut total = 0;
    let moment = SystemClock.millis();
    for (number, path) in (1..).zip(named) {
        let bytes = files::read_bytes(path, MOST.0 as u64 + 1)?;
        total += bytes.len();
        if bytes.len() > MOST.0 {
            return Err(too_large("OPENCLAW_ATTACHMENT_FILE_TOO_LARGE", path, "has more than 10 MiB"));
        }
        if total > MOST.1 {
            return Err(too_large(
                "OPENCLAW_ATTACHMENT_TOTAL_TOO_LARGE",
                path,
                "is one too many: all have more than 25 MiB",
            ));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let place = format!("{FOLDER}/{moment}-{number:02}");
        let path = RelPath::parse(&format!("{place}/{name}"))
            .or_else(|_| RelPath::parse(&format!("{place}/{}", segment(&name))))?;
        folder.write_private(&path, bytes.as_slice(), &Precondition::Any)?;
        kept.push(path.as_str().to_owned());
    }
    Ok(kept)
}

fn too_large(code: &'static str, path: &Path, problem: &str) -> Failure {
    usage(code, format!("'{}' {problem}: leave it out, or name a part of it", path.display()))
}
