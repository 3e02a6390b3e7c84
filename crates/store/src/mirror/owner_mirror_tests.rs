#![expect(clippy::disallowed_methods, reason = "a test does what programs do that know nothing of engross")]

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::StandbyFiles;
use super::test_cluster::{Cluster, Node, bytes, rel};
use crate::files::{AppendFile, FileError, FileMirror, Precondition, StagedFile, StagedName};

#[test]
fn another_node_has_what_was_told() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    ann.write("notes/plan.md", b"one").unwrap();
    ann.write("notes/plan.md", b"two").unwrap();
    ann.write("large.bin", &bytes(3, 9_000_000)).unwrap();
    ann.write("gone.md", b"gone").unwrap();
    assert!(ann.root.top().remove(&rel("gone.md"), &Precondition::Any).unwrap());
    ann.root.make_folder(&rel("empty/inner")).unwrap();
    ann.root.make_folder(&rel("old")).unwrap();
    ann.write("old/in/it.md", b"it").unwrap();
    ann.root.top().remove_folder(&rel("old")).unwrap();
    let bob = cluster.open("b");
    assert_eq!(bob.mirror.fetched, 2);
    assert_eq!(bob.files(), ann.files());
    assert_eq!(bob.files().keys().collect::<Vec<_>>(), ["large.bin", "notes/plan.md"]);
    assert!(bob.place.join("empty/inner").is_dir() && !bob.place.join("old").exists());
    // The first one has lost it, and hears so.
    assert!(matches!(ann.write("late.md", b"late"), Err(FileError::HomeLost { .. })));
    assert!(!ann.mirror.keeps_up());
    assert!(matches!(ann.write("later.md", b"late"), Err(FileError::HomeLost { .. })));
    let again = cluster.open("b");
    assert_eq!((again.mirror.fetched, again.files().len()), (0, 2));
}

#[test]
fn a_file_that_is_being_written_goes_on_at_another_node() {
    let cluster = Cluster::new();
    let (name, content) = (StagedName::new("w1").unwrap(), bytes(5, 700_000));
    let mut length = 0;
    let mut nodes: Vec<Node> = Vec::new();
    for (at, piece) in content.chunks(23_000).enumerate() {
        if at % 7 == 0 {
            nodes.push(cluster.open(&format!("n{at}")));
        }
        let top = nodes.last().unwrap().root.make_folder(&rel("spool")).unwrap();
        let mut staged: StagedFile = match top.staged(&name).unwrap() {
            Some(staged) => staged,
            None => top.stage(&name).unwrap(),
        };
        assert_eq!(staged.len(), length);
        staged.append(b"what is never acknowledged").unwrap();
        staged.sync().unwrap();
        staged.truncate(length).unwrap();
        staged.append(piece).unwrap();
        staged.sync().unwrap();
        length = staged.len();
    }
    let node = nodes.last().unwrap();
    let staged = node.root.make_folder(&rel("spool")).unwrap().staged(&name).unwrap().unwrap();
    staged.commit(&node.root.top(), &rel("done.md"), &Precondition::Absent).unwrap();
    let last = cluster.open("last");
    assert_eq!(last.files(), BTreeMap::from([("done.md".to_owned(), content)]));
}

#[test]
fn what_programs_write_themselves_is_kept() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    std::fs::create_dir_all(ann.place.join("scope/out")).unwrap();
    std::fs::create_dir_all(ann.place.join(".owners/else")).unwrap();
    std::fs::write(ann.place.join("scope/out/re\u{a0}port: 1.txt"), b"first").unwrap();
    std::fs::write(ann.place.join(".owners/else/other.txt"), b"another owner's").unwrap();
    ann.root.folder(&rel("scope")).unwrap().unwrap().keep_what_others_changed().unwrap();
    // In place, as many programs do.
    let path = ann.place.join("scope/out/re\u{a0}port: 1.txt");
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().write_all(b"FIRST and more").unwrap();
    ann.root.folder(&rel("scope")).unwrap().unwrap().keep_what_others_changed().unwrap();
    let bob = cluster.open("b");
    let expected = BTreeMap::from([("scope/out/re\u{a0}port: 1.txt".to_owned(), b"FIRST and more".to_vec())]);
    assert_eq!(bob.files(), expected);
}

/// As `rm -rf` and `tar` do: the next file has the number of a removed one, and its size and time.
#[test]
fn a_file_that_looks_like_a_removed_one_is_kept_with_its_own_bytes() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    let at = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    let put = |name: &str, bytes: &[u8]| {
        let mut file = std::fs::File::create(ann.place.join(name)).unwrap();
        file.write_all(bytes).unwrap();
        file.set_modified(at).unwrap();
    };
    put("a", b"AAAA");
    put("b", b"BBBB");
    let look = || ann.mirror.look_beneath("f").unwrap();
    assert!(look());
    // The same number for sure, whatever the system does with those that are free.
    std::fs::rename(ann.place.join("b"), ann.place.join("c")).unwrap();
    let mut file = std::fs::OpenOptions::new().write(true).open(ann.place.join("c")).unwrap();
    file.write_all(b"CCCC").unwrap();
    file.set_modified(at).unwrap();
    assert!(look());
    assert_eq!(cluster.open("b").files(), ann.files());
}

#[test]
fn lines_that_are_added_are_kept() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    let mut log = AppendFile::open(&ann.root.top(), &rel("log.jsonl")).unwrap();
    for number in 0..300 {
        log.append(format!("{{\"number\": {number}, \"text\": \"{}\"}}\n", "x".repeat(400)).as_bytes())
            .unwrap();
        log.sync().unwrap();
    }
    let bob = cluster.open("b");
    assert_eq!(bob.files(), ann.files());
    let mut log = AppendFile::open(&bob.root.top(), &rel("log.jsonl")).unwrap();
    assert!(String::from_utf8(log.last_line(10_000).unwrap().unwrap()).unwrap().contains("\"number\": 299"));
}

#[test]
fn a_table_that_is_away_is_waited_for() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    cluster.table.failing.store(3, Ordering::Release);
    ann.write("a.md", b"kept all the same").unwrap();
    assert_eq!(cluster.table.failing.load(Ordering::Acquire), 0);
    // For longer: nothing more is begun, and what was begun is kept in the end.
    cluster.table.failing.store(15, Ordering::Release);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| ann.write("b.md", b"slow"));
        std::thread::sleep(Duration::from_millis(2_500));
        assert!(matches!(ann.write("c.md", b"refused"), Err(FileError::HomeLost { .. })));
        waiting.join().unwrap().unwrap();
    });
    // Who was refused is to be opened anew, now that this can be done.
    assert!(ann.mirror.keeping.parts.fence.has_refused());
    ann.write("d.md", b"again").unwrap();
    assert_eq!(cluster.open("b").files().keys().collect::<Vec<_>>(), ["a.md", "b.md", "d.md"]);
}

#[test]
fn a_folder_with_files_is_taken_in_once() {
    let cluster = Cluster::new();
    let place = cluster.folder.path().join("a/root");
    std::fs::create_dir_all(place.join("old")).unwrap();
    std::fs::write(place.join("old/contract.docx"), bytes(9, 100_000)).unwrap();
    let ann = cluster.open("a");
    assert_eq!(ann.files().len(), 1);
    // Another node's own old files are nobody's any more, but not lost.
    let other = cluster.folder.path().join("b/root");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("mine.txt"), b"mine").unwrap();
    let bob = cluster.open("b");
    assert_eq!((bob.files(), bob.mirror.set_aside), (ann.files(), 1));
    let aside = cluster.aside("b");
    assert_eq!(aside.values().collect::<Vec<_>>(), [b"mine"]);
}

#[test]
fn what_was_removed_elsewhere_is_removed_here_and_what_is_new_here_is_set_aside() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    ann.write("removed.md", b"a secret that goes").unwrap();
    ann.write("stays.md", b"stays").unwrap();
    std::thread::sleep(Duration::from_millis(1_200));
    cluster.handle.block_on(ann.mirror.close());
    let bob = cluster.open("b");
    bob.root.top().remove(&rel("removed.md"), &Precondition::Any).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    std::fs::write(ann.place.join("by-hand.md"), b"by hand").unwrap();
    let again = cluster.open("a");
    assert_eq!(again.files().keys().collect::<Vec<_>>(), ["stays.md"]);
    assert_eq!(cluster.aside("a").values().collect::<Vec<_>>(), [b"by hand"]);
}

#[test]
fn objects_that_nothing_needs_are_removed_and_no_others() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    ann.write("a.bin", &bytes(1, 100_000)).unwrap();
    ann.write("b.bin", &bytes(2, 100_000)).unwrap();
    let bob = cluster.open("b");
    bob.write("a.bin", &bytes(3, 100_000)).unwrap();
    // Young objects stay.
    cluster.handle.block_on(bob.mirror.keeping.collect()).unwrap();
    let held = |term| cluster.blobs.held_by(&super::parts::holder("ada", &cluster.id(), term));
    let count = |term| cluster.handle.block_on(held(term).kept_before(u64::MAX)).unwrap().len();
    assert_eq!((count(1), count(2)), (2, 1));
    // Who has lost the files removes nothing.
    assert!(cluster.handle.block_on(ann.mirror.keeping.collect()).is_err());
    assert_eq!(cluster.open("c").files(), bob.files());
}

#[test]
fn a_lost_object_is_said_and_loses_nothing_more() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    ann.write("a.bin", &bytes(1, 100_000)).unwrap();
    let held = cluster.blobs.held_by(&super::parts::holder("ada", &cluster.id(), 1));
    let all = cluster.handle.block_on(held.kept_before(u64::MAX)).unwrap();
    cluster.handle.block_on(held.remove(all)).unwrap();
    let failed = cluster.try_open("b").err().unwrap();
    assert_eq!(failed.code(), "BLOB_MISSING");
    assert!(failed.to_string().contains("a.bin"), "{failed}");
    // The node that has the file still has it.
    assert_eq!(cluster.open("a").files().len(), 1);
}

#[test]
fn who_stands_by_has_nearly_all_and_sets_nothing_aside() {
    let cluster = Cluster::new();
    let ann = cluster.open("a");
    for number in 0..20_u8 {
        ann.write(&format!("f{number}.bin"), &bytes(u64::from(number) + 1, 50_000)).unwrap();
    }
    let mut standby = StandbyFiles::default();
    let mut follow = |stop: bool| {
        let (parts, ..) = cluster.parts("b");
        cluster.handle.block_on(standby.follow(&parts, &AtomicBool::new(stop))).unwrap()
    };
    assert_eq!(follow(true), 0, "the files are wanted in this moment");
    assert_eq!(follow(false), 20);
    assert_eq!(follow(false), 0);
    ann.write("f3.bin", b"another one").unwrap();
    ann.write("f4.bin", b"another one, too").unwrap();
    assert_eq!(follow(false), 2);
    ann.write("f5.bin", b"the last one").unwrap();
    ann.root.top().remove(&rel("f6.bin"), &Precondition::Any).unwrap();
    let by_hand = cluster.folder.path().join("b/root/by-hand.md");
    std::fs::write(by_hand, b"by hand").unwrap();
    let bob = cluster.try_open_with("b", standby).unwrap();
    assert_eq!((bob.mirror.fetched, bob.mirror.set_aside), (1, 1));
    assert_eq!(bob.files(), ann.files());
    assert_eq!(cluster.aside("b").values().collect::<Vec<_>>(), [b"by hand"]);
}

/// A node does what comes, dies at any moment, and another one goes on: it has all that was told as done, and nothing else.
#[test]
fn whatever_happens_the_next_node_has_what_was_told() {
    for seed in 1..=6_u64 {
        let cluster = Cluster::new();
        let mut told: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let mut node = cluster.open("n0");
        let dice = bytes(seed * 7_919, 600);
        for (step, roll) in dice.chunks(4).enumerate() {
            let [kind, name, size, more] = *roll else { break };
            let path = format!("d{}/f{}", name % 3, name % 5);
            let length = usize::from(size) * if more % 9 == 0 { 9_000 } else { 60 };
            let content = bytes(u64::from(more) + step as u64, length);
            match kind % 16 {
                0..=5 => {
                    node.write(&path, &content).unwrap();
                    told.insert(path, content);
                }
                6..=7 => {
                    let there = node.root.top().remove(&rel(&path), &Precondition::Any).unwrap();
                    assert_eq!(told.remove(&path).is_some(), there, "seed {seed}, step {step}");
                }
                8..=9 => {
                    let name = StagedName::new(format!("s{step}")).unwrap();
                    let mut staged = node.root.top().stage(&name).unwrap();
                    for piece in content.chunks(1 + length / 3) {
                        staged.append(piece).unwrap();
                        staged.sync().unwrap();
                    }
                    staged.commit(&node.root.top(), &rel(&path), &Precondition::Any).unwrap();
                    told.insert(path, content);
                }
                10 => {
                    let folder = format!("d{}", name % 3);
                    node.root.top().remove_folder(&rel(&folder)).unwrap();
                    told.retain(|path, _| !path.starts_with(&format!("{folder}/")));
                }
                11 => {
                    std::fs::create_dir_all(node.place.join("by/others")).unwrap();
                    std::fs::write(node.place.join(format!("by/others/{}", name % 3)), &content).unwrap();
                    let folder = node.root.folder(&rel("by")).unwrap().unwrap();
                    folder.keep_what_others_changed().unwrap();
                    told.insert(format!("by/others/{}", name % 3), content);
                }
                12 => cluster.table.failing.store(u32::from(more % 3), Ordering::Release),
                13 => {
                    // Unfinished when the node dies.
                    let name = StagedName::new(format!("u{step}")).unwrap();
                    node.root.top().stage(&name).unwrap().append(&content).unwrap();
                    told.insert(format!(".engross-staged-u{step}"), Vec::new());
                }
                _ => {
                    if more % 2 == 0 {
                        cluster.handle.block_on(node.mirror.close());
                    }
                    cluster.table.failing.store(0, Ordering::Release);
                    let next = cluster.open(&format!("n{}", name % 3));
                    let mut found = next.files();
                    // What was added to an unfinished file and never made durable may be there or not.
                    for (path, bytes) in &mut found {
                        if path.starts_with(".engross-staged-u") {
                            bytes.clear();
                        }
                    }
                    assert_eq!(found.keys().collect::<Vec<_>>(), told.keys().collect::<Vec<_>>());
                    assert!(found == told, "seed {seed}, step {step}");
                    node = next;
                }
            }
        }
    }
}
