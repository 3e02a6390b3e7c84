//! The process that only computes in the tests: it confines itself, and tries what it is told to.
//!
//! Must never do anything else.
#![expect(clippy::disallowed_methods, reason = "it attacks what it may not reach, by whatever way there is")]
#![expect(clippy::print_stdout, reason = "the test reads what came of it")]

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    use engross_sandbox::{ConfinedLimits, Confinement};

    let arguments: Vec<String> = std::env::args().collect();
    let (Some(what), Some(parent)) = (arguments.get(1), arguments.get(2).and_then(|pid| pid.parse().ok()))
    else {
        return ExitCode::from(99);
    };
    match Confinement::enter(parent, ConfinedLimits { memory: 64 << 20, stack: 1 << 20 }) {
        Ok(confinement) => attack::run(what, parent, &confinement),
        Err(problem) => println!("not entered: {problem}"),
    }
    ExitCode::SUCCESS
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    ExitCode::from(99)
}

#[cfg(target_os = "linux")]
mod attack {
    use std::fs::{File, OpenOptions};
    use std::hint::black_box;
    use std::net::{TcpListener, TcpStream, UdpSocket};
    use std::os::unix::net::UnixStream;
    use std::process::Command;

    use engross_sandbox::Confinement;
    use rustix::process::{Pid, Resource, Rlimit, setrlimit, test_kill_process};

    pub(crate) fn run(what: &str, parent: u32, confinement: &Confinement) {
        match what {
            "reach" => reach(parent),
            "memory" => memory(),
            "time" => {
                println!("{:?}", confinement.allow_seconds(1));
                let mut number = 0_u64;
                loop {
                    number = black_box(number.wrapping_add(1));
                }
            }
            "stack" => println!("{}", deep(0)),
            "panic" => {
                let caught = std::panic::catch_unwind(|| assert!(black_box(false), "on purpose"));
                println!("caught {}", caught.is_err());
            }
            "wait" => {
                println!("waits");
                let _ = std::io::Read::read(&mut std::io::stdin(), &mut [0]);
            }
            _ => println!("resident {}", confinement.resident()),
        }
    }

    /// Prints what succeeded.
    fn reach(parent: u32) {
        let parent = i32::try_from(parent).ok().and_then(Pid::from_raw);
        let unlimited = Rlimit { current: None, maximum: None };
        let attempts: [(&str, bool); 17] = [
            ("read a file", File::open("/etc/passwd").is_ok()),
            ("read a link to itself", File::open("/proc/self/exe").is_ok()),
            ("list a folder", std::fs::read_dir("/").is_ok()),
            ("look at a file", std::fs::metadata("/etc/passwd").is_ok()),
            ("make a file", File::create("/tmp/engross-confined").is_ok()),
            ("write a device", OpenOptions::new().write(true).open("/dev/null").is_ok()),
            ("remove a file", std::fs::remove_file("/tmp/engross-confined-none").is_ok_and(|()| true)),
            ("make a folder", std::fs::create_dir("/tmp/engross-confined-folder").is_ok()),
            ("change its folder", std::env::set_current_dir("/").is_ok()),
            ("listen", TcpListener::bind("127.0.0.1:0").is_ok()),
            (
                "connect",
                TcpStream::connect("127.0.0.1:9")
                    .is_err_and(|error| error.kind() != std::io::ErrorKind::PermissionDenied),
            ),
            ("send", UdpSocket::bind("127.0.0.1:0").is_ok()),
            ("pair", UnixStream::pair().is_ok()),
            ("run a program", Command::new("/bin/true").spawn().is_ok()),
            ("begin a thread", std::thread::Builder::new().spawn(|| {}).is_ok()),
            ("signal its parent", parent.is_some_and(|parent| test_kill_process(parent).is_ok())),
            ("raise a limit", setrlimit(Resource::Data, unlimited).is_ok()),
        ];
        let done: Vec<&str> = attempts.iter().filter(|(_, done)| *done).map(|(what, _)| *what).collect();
        println!("tried {}, did {done:?}", attempts.len());
    }

    fn memory() {
        let mut some: Vec<u8> = Vec::new();
        let fits = some.try_reserve_exact(32 << 20).is_ok();
        drop(some);
        let mut much: Vec<u8> = Vec::new();
        let is_much = much.try_reserve_exact(65 << 20).is_ok();
        println!("32 MiB {fits}, 65 MiB {is_much}");
        let mut pieces = Vec::new();
        loop {
            pieces.push(black_box(vec![1_u8; 1 << 20]));
        }
    }

    /// Nests until the stack ends.
    fn deep(depth: u64) -> u64 {
        let room = black_box([depth; 64]);
        if depth == u64::MAX { 0 } else { deep(depth + 1) + room[0] }
    }
}
