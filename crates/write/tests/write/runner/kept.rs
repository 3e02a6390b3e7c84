//! What files were before others took their place.

use std::sync::{Arc, Mutex};

use engross_store::files::RelPath;
use engross_write::WriteFailure;
use engross_write::patch::PatchSpec;
use engross_write::runner::FileKeeper;
use engross_write::session::{BeginOptions, State, WriteOperation};

use super::desk::{TestBench, problem};

/// Keeps files in memory, or cannot.
#[derive(Default)]
struct MemoryKeeper {
    kept: Mutex<Vec<(String, String)>>,
    is_full: bool,
}

impl FileKeeper for MemoryKeeper {
    fn keep(&self, path: &RelPath, bytes: &[u8]) -> Result<Option<String>, WriteFailure> {
        if self.is_full {
            return Err(WriteFailure { code: "NO_SPACE".to_owned(), message: "no room".to_owned() });
        }
        let mut kept = self.kept.lock().unwrap();
        kept.push((path.to_string(), String::from_utf8(bytes.to_vec()).unwrap()));
        Ok(Some(kept.len().to_string()))
    }
}

#[test]
fn every_file_that_is_changed_is_kept_as_it_was() {
    let keeper = Arc::new(MemoryKeeper::default());
    let desk = TestBench::keeping(keeper.clone());
    let created = desk.write("a.txt", WriteOperation::Create, "one\n").unwrap().receipt.unwrap();
    assert_eq!((created.checkpoint, created.diff), (None, None));
    let replaced = desk.write("a.txt", WriteOperation::Overwrite, "two\n").unwrap().receipt.unwrap();
    let appended = desk.write("a.txt", WriteOperation::Append, "three\n").unwrap().receipt.unwrap();
    let patch = PatchSpec::ReplaceLines { start_line: 2, end_line: 2 };
    let options = BeginOptions { patch: Some(patch), ..BeginOptions::new("a.txt", WriteOperation::Patch) };
    let id = desk.sessions.begin(&options).unwrap().id;
    desk.send(id, "3\n").unwrap();
    let patched = desk.sessions.finalise(id).unwrap().receipt.unwrap();
    let ids = [&replaced, &appended, &patched].map(|receipt| receipt.checkpoint.clone().unwrap());
    assert_eq!(ids, ["1", "2", "3"]);
    let kept: Vec<String> = keeper.kept.lock().unwrap().iter().map(|(_, text)| text.clone()).collect();
    assert_eq!(kept, ["one\n", "two\n", "two\nthree\n"]);
    assert_eq!(patched.diff.as_deref(), Some("@@ -1,2 +1,2 @@\n two\n-three\n+3\n"));
}

#[test]
fn what_cannot_be_kept_is_not_replaced() {
    let desk = TestBench::keeping(Arc::new(MemoryKeeper { is_full: true, ..MemoryKeeper::default() }));
    desk.put("a.txt", "old\n");
    let view = desk.write("a.txt", WriteOperation::Overwrite, "new\n").unwrap();
    assert_eq!((view.state, problem(&view)), (State::Failed, Some("NO_SPACE")));
    assert_eq!(desk.read("a.txt").as_deref(), Some("old\n"));
}
