//! A process that only computes reaches nothing, and takes no more than it may.

use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use engross_sandbox::Support;

fn start(what: &str, parent: u32) -> Child {
    Command::new(env!("CARGO_BIN_EXE_sandbox-confined"))
        .args([what, &parent.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// How it ended, and what it said.
fn run(what: &str) -> (ExitStatus, String, String) {
    let child = start(what, std::process::id());
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    (status, String::from_utf8_lossy(&stdout).into_owned(), String::from_utf8_lossy(&stderr).into_owned())
}

fn kernel_can() -> bool {
    Support::of_kernel().missing().is_none()
}

#[test]
fn it_reaches_nothing() {
    if !kernel_can() {
        return;
    }
    let (status, said, _) = run("reach");
    assert!(status.success(), "{status} {said}");
    assert_eq!(said, "tried 17, did []\n");
}

#[test]
fn it_takes_no_more_memory_time_or_stack_than_it_may() {
    if !kernel_can() {
        return;
    }
    let (status, said, last) = run("memory");
    assert_eq!((status.signal(), said.as_str()), (Some(6), "32 MiB true, 65 MiB false\n"), "{last}");
    assert!(last.contains("memory allocation of"), "{last}");
    let began = Instant::now();
    let (status, said, _) = run("time");
    assert_eq!((status.signal(), said.as_str()), (Some(24), "Ok(())\n"));
    assert!(began.elapsed() > Duration::from_millis(900), "{:?}", began.elapsed());
    let (status, _, last) = run("stack");
    assert!(matches!(status.signal(), Some(6 | 11)), "{status} {last}");
}

#[test]
fn it_can_tell_what_became_of_it() {
    if !kernel_can() {
        return;
    }
    let (status, said, last) = run("panic");
    assert!(status.success() && said == "caught true\n", "{status} {said} {last}");
    assert!(last.contains("on purpose"), "{last}");
    let (_, said, _) = run("about");
    let resident: u64 = said.trim().strip_prefix("resident ").unwrap().parse().unwrap();
    assert!((100 << 10..64 << 20).contains(&resident), "{resident}");
}

#[test]
fn it_serves_its_parent_alone_and_is_not_asked_to_end_by_others() {
    if !kernel_can() {
        return;
    }
    let mut of_another = start("about", 1);
    let mut said = String::new();
    of_another.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.starts_with("not entered"), "{said}");
    of_another.wait().unwrap();

    let mut child = start("wait", std::process::id());
    let mut first = [0; 6];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    for signal in ["-TERM", "-INT", "-HUP"] {
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    }
    std::thread::sleep(Duration::from_millis(100));
    assert!(child.try_wait().unwrap().is_none(), "it goes on");
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}
