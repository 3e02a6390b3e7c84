//! None of the ways out leads out; and without a fence they do, so that the judge is known to see.

use std::time::Duration;

use engross_sandbox::{Quota, Support};

use super::attempts::{ATTEMPTS, Attempt};
use super::fixture::{World, kernel_can};

/// Longer than a daemon of an attempt waits before it writes.
const LATE: Duration = Duration::from_millis(2500);

#[test]
fn nothing_gets_out() {
    if !kernel_can() {
        return;
    }
    let mut worlds = Vec::new();
    let mut out = Vec::new();
    let tried = tried();
    for attempt in &tried {
        let mut world = World::new();
        let fence = Some(world.fence());
        let (code, said) = world.python(attempt.code, fence, Quota::default());
        let harm = world.harm();
        if !harm.is_empty() {
            out.push(format!("{}: {harm:?} (exit {code}) {said}", attempt.name));
        }
        worlds.push((attempt.name, world));
    }
    std::thread::sleep(LATE);
    for (name, mut world) in worlds {
        let harm = world.harm();
        if !harm.is_empty() {
            out.push(format!("{name}, later: {harm:?}"));
        }
        world.clean_up();
    }
    assert!(tried.len() >= 40);
    assert!(out.is_empty(), "{} of {} ways lead out:\n{}", out.len(), tried.len(), out.join("\n"));
    println!("0 of {} ways lead out", tried.len());
}

/// All of them, but for those that this account cannot be kept from: that is said.
#[expect(clippy::print_stderr, reason = "what was not tried is to be seen")]
fn tried() -> Vec<&'static Attempt> {
    let is_viewed = Support::of_kernel().mounts;
    let (tried, left): (Vec<_>, Vec<_>) =
        ATTEMPTS.iter().partition(|attempt| is_viewed || !attempt.needs_view);
    if !left.is_empty() {
        eprintln!("{} ways were NOT TRIED, as this account may have no namespaces", left.len());
    }
    tried
}

/// Where no control group can be made, those who stay behind are found one by one.
#[test]
fn nothing_stays_behind_without_a_control_group() {
    let mut left = Vec::new();
    let staying = ATTEMPTS.iter().filter(|attempt| {
        (attempt.code.contains("LATE") || attempt.code.contains("fork")) && !attempt.code.contains("VICTIM")
    });
    for attempt in staying {
        let mut world = World::new();
        world.grouped = false;
        let fence = kernel_can().then(|| world.fence());
        let (code, said) = world.python(attempt.code, fence, Quota::default());
        let harm = world.harm();
        if !harm.is_empty() {
            left.push(format!("{}: {harm:?} (exit {code}) {said}", attempt.name));
        }
        world.clean_up();
    }
    assert!(left.is_empty(), "{}", left.join("\n"));
}

/// Fifty times each: `cargo test -p engross-sandbox -- --ignored forks`.
#[test]
#[ignore = "takes minutes; for changes of how things end"]
fn who_forks_without_end_never_wins() {
    let forkers = ATTEMPTS.iter().filter(|attempt| attempt.name.contains("never stop"));
    for attempt in forkers {
        for grouped in [true, false] {
            let mut longest = Duration::ZERO;
            for round in 0..50 {
                let mut world = World::new();
                world.grouped = grouped;
                let fence = kernel_can().then(|| world.fence());
                let began = std::time::Instant::now();
                let (code, said) = world.python(attempt.code, fence, Quota::default());
                longest = longest.max(began.elapsed());
                let harm = world.harm();
                assert!(harm.is_empty(), "{}, {round}: {harm:?} (exit {code}) {said}", attempt.name);
            }
            println!("{} (grouped: {grouped}): 50 of 50 ended, the longest in {longest:?}", attempt.name);
        }
    }
}

#[test]
fn without_a_fence_they_come_through() {
    let mut missed = Vec::new();
    let through = ATTEMPTS.iter().filter(|attempt| attempt.comes_through);
    for attempt in through {
        // What is done after the end is the affair of the one who watches, with or without a fence.
        if attempt.code.contains("LATE") || attempt.code.contains("300") {
            continue;
        }
        let mut world = World::new();
        let (code, said) = world.python(attempt.code, None, Quota::default());
        if world.harm().is_empty() {
            missed.push(format!("{} (exit {code}) {said}", attempt.name));
        }
        world.clean_up();
    }
    assert!(missed.is_empty(), "the judge sees nothing of:\n{}", missed.join("\n"));
}

#[test]
fn a_file_of_ones_own_can_be_made_and_run() {
    if !kernel_can() {
        return;
    }
    let world = World::new();
    let code = "
open(SCOPE + '/a', 'w').write('1')
os.mkdir(SCOPE + '/d'); os.rename(SCOPE + '/a', SCOPE + '/d/a'); os.link(SCOPE + '/d/a', SCOPE + '/d/b')
os.symlink('a', SCOPE + '/d/c'); open(TOP + '/home/x', 'w').write('1')
open(SCOPE + '/tool', 'w').write('#!/bin/sh\\necho ran > made\\n'); os.chmod(SCOPE + '/tool', 0o755)
assert subprocess.run(['./tool']).returncode == 0 and open('made').read() == 'ran\\n'
os.utime(SCOPE + '/tool', (1, 1)); os.chown(SCOPE + '/tool', os.getuid(), os.getgid()); os.chmod('tool', 0o700)
os.setpriority(os.PRIO_PROCESS, 0, 5); os.sched_setaffinity(0, os.sched_getaffinity(0))
open('/dev/null', 'w').write('x'); assert open(OUT + '/kept').read() == 'as it was'
a, z = socket.socketpair(); a.send(b'x'); assert z.recv(1) == b'x'
s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); c = socket.create_connection(s.getsockname())
d = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
p = subprocess.Popen(['sleep', '100']); p.kill(); p.wait()
import tempfile; tempfile.NamedTemporaryFile().write(b'x')
sys.exit(7)
";
    let (exit, said) = world.python(code, Some(world.fence()), Quota::default());
    assert_eq!(exit, 7, "{said}");
}

#[test]
fn without_a_network_there_is_none() {
    if !kernel_can() {
        return;
    }
    let world = World::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let datagrams = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let (tcp, udp) = (listener.local_addr().unwrap().port(), datagrams.local_addr().unwrap().port());
    for (family, kind, port) in [("AF_INET", "SOCK_STREAM", tcp), ("AF_INET", "SOCK_DGRAM", udp)] {
        let code = format!(
            "\ntry:\n    s = socket.socket(socket.{family}, socket.{kind}); s.connect(('127.0.0.1', {port})); s.send(b'x')\n    sys.exit(1)\nexcept OSError:\n    sys.exit(3)"
        );
        let with = world.fence();
        assert_eq!(world.python(&code, Some(with.clone()), Quota::default()).0, 1);
        let without = engross_sandbox::FenceRules { network: false, ..with };
        assert_eq!(world.python(&code, Some(without), Quota::default()).0, 3);
    }
    let code = "\nfor family in range(1, 46):\n    for kind in (1, 2, 3, 5):\n        try:\n            socket.socket(family, kind); sys.exit(1)\n        except OSError:\n            pass\nsys.exit(3)";
    let without = engross_sandbox::FenceRules { network: false, ..world.fence() };
    assert_eq!(world.python(code, Some(without), Quota::default()).0, 3);
}
