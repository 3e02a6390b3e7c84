//! The folders where a gateway's tools leave files that an answer names.
//!
//! Must never name a folder that is not there, or make one.

use std::path::Path;

use engross_store::files::Root;

use engross_artifacts::{SourceKind, SourceRoot};

/// The folders among `media` and `temporary` that are there. Only files beneath them that an answer names are taken.
#[must_use]
pub fn media_sources<P: AsRef<Path>>(media: &[P], temporary: &[P]) -> Vec<SourceRoot> {
    let of =
        |kind, paths: &[P]| paths.iter().filter_map(|path| source(kind, path.as_ref())).collect::<Vec<_>>();
    let mut all = of(SourceKind::Media, media);
    all.extend(of(SourceKind::Temporary, temporary));
    all
}

fn source(kind: SourceKind, path: &Path) -> Option<SourceRoot> {
    let real = path.canonicalize().ok().filter(|real| real.is_dir())?;
    let mut places = vec![path.to_str()?.to_owned(), real.to_str()?.to_owned()];
    places.dedup();
    Some(SourceRoot { kind, places, folder: Root::open(&real).ok()?.top() })
}
