//! Exports one scope and says how long it took: `scopes WORKSPACE AGAIN`, for `cargo xtask bench scopes`.
//!
//! The scope is `tasks/bench/r`. It is exported once with nothing known, then AGAIN times unchanged. Prints the number of files,
//! the milliseconds of the first export and the median of the others.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

use engross_artifacts::{
    ArtifactWorkspace, HashContext, Keys, MemoryHashes, PageRequest, Requirements, RunId, SessionKey, Signer,
    SigningKey,
};
use engross_protocol::{Clock, SystemClock};
use engross_store::files::Root;

#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(place), Some(again)) = (arguments.next(), arguments.next()) else {
        return Err("usage: scopes WORKSPACE AGAIN".into());
    };
    let again: usize = again.parse()?;
    let workspace = ArtifactWorkspace::new(Root::open(Path::new(&place))?.top(), &place);
    let (session, run) = (SessionKey::parse("bench")?, RunId::parse("r")?);
    workspace.prepare(&session, &run, &[])?;
    let hashes = MemoryHashes::new(100_000);
    let threads = NonZeroUsize::new(2).unwrap_or(NonZeroUsize::MIN);
    let with = HashContext { hashes: &hashes, clock: &SystemClock, threads, stop: None };
    let keys = Keys::new(vec![SigningKey::new("bench", vec![7; 32], None)?]);
    let export = || -> Result<(usize, f64), Box<dyn std::error::Error>> {
        let begun = Instant::now();
        let scope = workspace.open(&session, &run, None)?;
        let manifest = scope.manifest(&Requirements::new(["pdf"], []), None, with)?;
        let signer = Signer { keys: &keys, now: SystemClock.millis(), lifetime: 3_600_000 };
        let page =
            scope.page(&manifest, PageRequest { most: Some(64), ..PageRequest::default() }, signer, with)?;
        Ok((page.artifact_count, begun.elapsed().as_secs_f64() * 1000.0))
    };
    let (files, first) = export()?;
    let mut others = Vec::with_capacity(again);
    for _ in 0..again {
        others.push(export()?.1);
    }
    others.sort_by(f64::total_cmp);
    let median = others.get(others.len() / 2).copied().unwrap_or_default();
    println!("{files} {first:.3} {median:.3}");
    Ok(())
}
