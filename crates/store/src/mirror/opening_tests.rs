#![expect(
    clippy::disallowed_methods,
    reason = "a test does what programs and people do that know nothing of engross"
)]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use engross_protocol::{Clock, SystemClock, Timestamp};

use super::StandbyFiles;
use super::memory::MemoryFileTable;
use super::table::FileTable;
use super::test_cluster::{Cluster, Node, bytes, rel};
use crate::files::{FileMirror, Precondition, StagedName};

/// A clock that is ahead by so many hours.
#[derive(Default)]
struct LaterClock(AtomicU64);

impl Clock for LaterClock {
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    fn millis(&self) -> u64 {
        SystemClock.millis() + self.0.load(Ordering::Acquire) * 3_600_000
    }
}

/// Longer than the times of files may be beside that of the note.
const SLACK: Duration = Duration::from_millis(1_200);

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Whether this process is kept out by the modes of files; root is not.
fn modes_hold(cluster: &Cluster) -> bool {
    let path = cluster.folder.path().join("probe");
    std::fs::write(&path, b"probe").unwrap();
    set_mode(&path, 0o000);
    std::fs::read(&path).is_err()
}

fn names(node: &Node) -> Vec<String> {
    node.files().into_keys().collect()
}

#[test]
fn what_was_put_here_just_before_the_end_is_kept() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    ann.write("edited.md", b"before").unwrap();
    std::fs::write(ann.place.join("put.md"), b"put").unwrap();
    std::fs::write(ann.place.join("edited.md"), b"edited").unwrap();
    std::thread::sleep(SLACK);
    cluster.handle.block_on(ann.mirror.close());
    let again = cluster.open("a");
    let expected = [("edited.md".to_owned(), b"edited".to_vec()), ("put.md".to_owned(), b"put".to_vec())];
    assert_eq!(again.files(), BTreeMap::from(expected));
    assert_eq!(cluster.open("b").files(), again.files());
    assert!(cluster.aside("a").is_empty());
}

#[test]
fn what_an_empty_table_does_not_know_is_taken_in_and_what_another_one_does_not_know_is_set_aside() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    ann.write("contract.md", b"the last good copy").unwrap();
    std::thread::sleep(SLACK);
    cluster.handle.block_on(ann.mirror.close());
    let other = cluster.with_table(MemoryFileTable::default());
    let zoe = other.open("z");
    zoe.write("zoe.md", b"of another database").unwrap();
    let ann = other.open("a");
    assert_eq!((names(&ann), ann.mirror.set_aside), (vec!["zoe.md".to_owned()], 1));
    assert_eq!(other.aside("a").values().collect::<Vec<_>>(), [b"the last good copy"]);
    std::thread::sleep(SLACK);
    cluster.handle.block_on(ann.mirror.close());
    let empty = cluster.with_table(MemoryFileTable::default());
    let ann = empty.open("a");
    assert_eq!((names(&ann), ann.mirror.set_aside), (vec!["zoe.md".to_owned()], 0));
    assert_eq!(names(&empty.open("b")), ["zoe.md"]);
}

#[test]
fn what_a_table_that_was_put_back_does_not_know_is_set_aside() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    ann.write("old.md", b"old").unwrap();
    ann.write("changed.md", b"old").unwrap();
    let saved = cluster.table.rows.copy();
    ann.write("changed.md", b"newer").unwrap();
    ann.write("new.md", b"new").unwrap();
    std::thread::sleep(SLACK);
    cluster.handle.block_on(ann.mirror.close());
    let back = cluster.with_table(saved);
    let ann = back.open("a");
    assert_eq!((names(&ann), ann.mirror.set_aside), (vec!["changed.md".to_owned(), "old.md".to_owned()], 2));
    let mut aside: Vec<_> = back.aside("a").into_values().collect();
    aside.sort();
    assert_eq!(aside, [b"new".to_vec(), b"newer".to_vec()]);
}

#[test]
fn clusters_with_one_bucket_remove_nothing_of_each_other() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    ann.write("large.bin", &bytes(1, 100_000)).unwrap();
    let other = cluster.with_table(MemoryFileTable::default());
    let (mut parts, root, place) = other.parts("z");
    let clock = Arc::new(LaterClock::default());
    parts.clock = Arc::<LaterClock>::clone(&clock);
    let zoe = other.try_open_parts(parts, &root, place, StandbyFiles::default()).unwrap();
    zoe.write("other.bin", &bytes(2, 100_000)).unwrap();
    for hours in [2, 30, 60] {
        clock.0.store(hours, Ordering::Release);
        other.handle.block_on(zoe.mirror.keeping.collect()).unwrap();
    }
    assert_eq!(cluster.open("b").files(), ann.files());
    assert_eq!(other.open("y").files(), zoe.files());
}

#[test]
fn a_folder_is_taken_in_wholly_or_not_at_all() {
    let cluster = Cluster::new();
    let place = cluster.folder.path().join("a/root");
    std::fs::create_dir_all(&place).unwrap();
    for number in 0..600 {
        std::fs::write(place.join(format!("f{number}.md")), format!("{number}")).unwrap();
    }
    std::fs::write(place.join(".engross-staged-w1"), b"acknowledged").unwrap();
    cluster.table.passing.store(1, Ordering::Release);
    cluster.table.failing.store(1, Ordering::Release);
    assert!(cluster.try_open("a").is_err());
    // Nobody else has the first half for the whole.
    assert!(cluster.try_open("b").is_err());
    std::fs::write(place.join("f7.md"), b"edited meanwhile").unwrap();
    std::fs::remove_file(place.join("f8.md")).unwrap();
    let ann = cluster.open("a");
    assert_eq!((ann.files().len(), ann.mirror.set_aside), (600, 0));
    let bob = cluster.open("b");
    assert_eq!((bob.files(), bob.mirror.set_aside), (ann.files(), 0));
    assert_eq!(bob.files()["f7.md"], b"edited meanwhile");
    assert_eq!(bob.files()[".engross-staged-w1"], b"acknowledged");
    assert!(cluster.aside("a").is_empty());
}

#[test]
fn what_cannot_be_looked_at_is_not_taken_for_gone() {
    let cluster = Cluster::new();
    if !modes_hold(&cluster) {
        return;
    }
    let ann = cluster.open("a");
    std::fs::create_dir_all(ann.place.join("scope/out/sub")).unwrap();
    std::fs::write(ann.place.join("scope/out/sub/x"), b"result").unwrap();
    std::fs::write(ann.place.join("scope/out/y"), b"result").unwrap();
    assert!(ann.mirror.look_beneath("f/scope").unwrap());
    let kept = ann.files();
    set_mode(&ann.place.join("scope/out"), 0o600);
    // A task would be told as done with this.
    assert!(ann.mirror.look_beneath("f/scope").is_err());
    assert!(ann.mirror.look_beneath("f/scope/out").is_err());
    ann.mirror.is_kept(ann.mirror.changed(&[]));
    assert_eq!(cluster.open("b").files(), kept);
    set_mode(&ann.place.join("scope/out"), 0o700);
}

#[test]
fn unreadable_files_and_closed_folders_keep_nobody_from_opening() {
    let cluster = Cluster::new();
    if !modes_hold(&cluster) {
        return;
    }
    let ann = cluster.open("a");
    ann.write("changed.md", b"one").unwrap();
    ann.write("closed/changed.md", b"one").unwrap();
    ann.write("closed/removed.md", b"one").unwrap();
    ann.write("blind/inner/file.md", b"one").unwrap();
    std::thread::sleep(SLACK);
    cluster.handle.block_on(ann.mirror.close());
    let bob = cluster.open("b");
    bob.write("changed.md", b"two").unwrap();
    bob.write("closed/changed.md", b"two").unwrap();
    bob.root.top().remove(&rel("closed/removed.md"), &Precondition::Any).unwrap();
    bob.write("blind/inner/file.md", b"two").unwrap();
    std::thread::sleep(Duration::from_millis(20));
    std::fs::write(ann.place.join("by-hand.md"), b"by hand").unwrap();
    set_mode(&ann.place.join("by-hand.md"), 0o000);
    std::fs::create_dir(ann.place.join("module")).unwrap();
    std::fs::write(ann.place.join("module/by-hand.md"), b"by hand, too").unwrap();
    set_mode(&ann.place.join("changed.md"), 0o000);
    set_mode(&ann.place.join("module"), 0o555);
    set_mode(&ann.place.join("closed"), 0o555);
    set_mode(&ann.place.join("blind"), 0o000);
    let again = cluster.open("a");
    assert_eq!(again.files(), bob.files());
    let aside: Vec<_> = cluster.aside("a").into_values().collect();
    assert!(aside.contains(&b"by hand".to_vec()) && aside.contains(&b"by hand, too".to_vec()), "{aside:?}");
}

#[test]
fn a_file_that_takes_its_place_does_so_in_one_change_however_much_else_changed() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    let spool = ann.root.make_folder(&rel("spool")).unwrap();
    let mut staged = spool.stage(&StagedName::new("w1").unwrap()).unwrap();
    staged.append(b"acknowledged").unwrap();
    staged.sync().unwrap();
    for number in 0..900 {
        std::fs::write(ann.place.join(format!("t{number}.md")), b"unpacked").unwrap();
    }
    cluster.table.failing.store(5, Ordering::Release);
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(ann.mirror.look_beneath("f").unwrap()));
        std::thread::sleep(Duration::from_millis(300));
        staged.commit(&ann.root.top(), &rel("z-report.md"), &Precondition::Absent).unwrap();
    });
    let done = cluster.table.done.lock().unwrap();
    let of_both: Vec<_> = done
        .iter()
        .filter(|(put, remove)| {
            put.iter().any(|path| path == "f/z-report.md")
                || remove.iter().any(|path| path == "f/spool/.engross-staged-w1")
        })
        .collect();
    assert_eq!(of_both.len(), 1, "told in one change, kept in one change");
}

#[test]
fn who_hears_that_the_term_is_over_is_opened_anew() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    // The home is still this node's, and what it opened is not any more: a request to end it came late.
    cluster.handle.block_on(cluster.table.begin("ada", "a")).unwrap();
    assert!(ann.write("late.md", b"late").is_err());
    assert!(ann.mirror.keeping.parts.fence.has_refused());
}

#[test]
fn an_object_goes_a_day_after_nothing_needs_it() {
    let cluster = Cluster::new();
    let (mut parts, root, place) = cluster.parts("a");
    let clock = Arc::new(LaterClock::default());
    parts.clock = Arc::<LaterClock>::clone(&clock);
    let ann = cluster.try_open_parts(parts, &root, place, StandbyFiles::default()).unwrap();
    ann.write("a.bin", &bytes(1, 100_000)).unwrap();
    let before = cluster.table.rows.copy();
    ann.write("a.bin", &bytes(2, 100_000)).unwrap();
    let collect_at = |hours| {
        clock.0.store(hours, Ordering::Release);
        cluster.handle.block_on(ann.mirror.keeping.collect()).unwrap();
        let held = cluster.blobs.held_by(&super::parts::holder("ada", &cluster.id(), 1));
        cluster.handle.block_on(held.kept_before(u64::MAX)).unwrap().len()
    };
    assert_eq!((collect_at(40), collect_at(41)), (2, 2));
    // A failover has lost the last change.
    let back = cluster.with_table(before);
    assert_eq!(back.open("b").files()["a.bin"], bytes(1, 100_000));
    assert_eq!((collect_at(65), cluster.open("c").files()), (1, ann.files()));
}

#[test]
fn who_stands_by_follows_on_after_a_restart() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    ann.write("book.json", b"one").unwrap();
    ann.write("removed.md", b"a secret that goes").unwrap();
    let follow = || {
        let mut standby = StandbyFiles::default();
        let (parts, ..) = cluster.parts("b");
        let count = cluster.handle.block_on(standby.follow(&parts, &AtomicBool::new(false))).unwrap();
        (count, standby)
    };
    assert_eq!(follow().0, 2);
    ann.write("book.json", b"two").unwrap();
    ann.root.top().remove(&rel("removed.md"), &Precondition::Any).unwrap();
    assert_eq!(follow().0, 1);
    let (count, standby) = follow();
    assert_eq!(count, 0);
    std::fs::write(cluster.folder.path().join("b/root/by-hand.md"), b"by hand").unwrap();
    let bob = cluster.try_open_with("b", standby).unwrap();
    assert_eq!((bob.files(), bob.mirror.set_aside), (ann.files(), 1));
    assert_eq!(cluster.aside("b").values().collect::<Vec<_>>(), [b"by hand"]);
}

/// The node that opens the owner says so; those who stand by read the table no more for it.
#[test]
fn a_lost_object_is_not_looked_for_again_and_again() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    ann.write("a.bin", &bytes(1, 100_000)).unwrap();
    ann.write("b.md", b"b").unwrap();
    let held = cluster.blobs.held_by(&super::parts::holder("ada", &cluster.id(), 1));
    let all = cluster.handle.block_on(held.kept_before(u64::MAX)).unwrap();
    cluster.handle.block_on(held.remove(all)).unwrap();
    let mut standby = StandbyFiles::default();
    let (parts, ..) = cluster.parts("b");
    let before = cluster.table.read.load(Ordering::Acquire);
    let mut follow = || cluster.handle.block_on(standby.follow(&parts, &AtomicBool::new(false))).unwrap();
    assert_eq!((follow(), follow(), follow()), (1, 0, 0));
    assert_eq!(cluster.table.read.load(Ordering::Acquire) - before, 1);
}

/// A folder where a file is to be, and a file where a folder is to be.
#[test]
fn what_stands_in_the_way_is_left_to_the_opening_and_set_aside_by_it() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    ann.write("book.json", b"book").unwrap();
    ann.write("notes/plan.md", b"plan").unwrap();
    let place = cluster.folder.path().join("b/root");
    std::fs::create_dir_all(place.join("book.json")).unwrap();
    std::fs::write(place.join("book.json/mine.md"), b"mine").unwrap();
    std::fs::write(place.join("notes"), b"my notes").unwrap();
    let mut standby = StandbyFiles::default();
    let (parts, ..) = cluster.parts("b");
    cluster.handle.block_on(standby.follow(&parts, &AtomicBool::new(false))).unwrap();
    assert_eq!(std::fs::read(place.join("book.json/mine.md")).unwrap(), b"mine");
    assert_eq!(std::fs::read(place.join("notes")).unwrap(), b"my notes");
    let bob = cluster.try_open_with("b", standby).unwrap();
    assert_eq!((bob.files(), bob.mirror.set_aside), (ann.files(), 2));
    let mut aside: Vec<_> = cluster.aside("b").into_values().collect();
    aside.sort();
    assert_eq!(aside, [b"mine".to_vec(), b"my notes".to_vec()]);
}
