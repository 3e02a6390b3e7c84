//! A program in a pseudo-terminal, and the screen that a person would see.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use crate::desk::{ENGROSS, TestBench};

/// How long something may take to be seen.
const PATIENCE: Duration = Duration::from_secs(60);

/// Keys that are no letters.
pub const ENTER: &str = "\r";
pub const CTRL_C: &str = "\u{3}";
pub const UP: &str = "\u{1b}[A";
pub const LEFT: &str = "\u{1b}[D";
pub const ALT_ENTER: &str = "\u{1b}\r";

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}

pub struct Pty {
    child: Child,
    keyboard: File,
    /// The terminal's other side, to ask how it is set.
    terminal: File,
    screen: Arc<Mutex<vt100::Parser>>,
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl Pty {
    /// `engross chat` with `arguments` in the folder of `desk`, in a terminal of 100 to 40.
    pub fn chat(desk: &TestBench, arguments: &[&str]) -> Self {
        let pty = Self::start(desk, arguments, &[]);
        pty.sees("> ");
        pty
    }

    pub fn start(desk: &TestBench, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::reading(desk, arguments, variables, None)
    }

    /// The same with input from a pipe, if it is given: all of `typed`, and the end.
    pub fn piped(desk: &TestBench, arguments: &[&str], typed: &str) -> Self {
        Self::reading(desk, arguments, &[], Some(typed))
    }

    fn reading(
        desk: &TestBench,
        arguments: &[&str],
        variables: &[(&str, &str)],
        typed: Option<&str>,
    ) -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap().into_string().unwrap();
        let terminal = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let size = Winsize { ws_row: 40, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&controller, size).unwrap();
        let side = || Stdio::from(terminal.try_clone().unwrap());
        let mut child = desk
            .command(ENGROSS)
            .env("TERM", "xterm-256color")
            .envs(variables.iter().copied())
            .args(["chat", "--data", "data"])
            .args(arguments)
            .stdin(if typed.is_some() { Stdio::piped() } else { side() })
            .stdout(side())
            .stderr(side())
            .spawn()
            .unwrap();
        if let (Some(typed), Some(mut pipe)) = (typed, child.stdin.take()) {
            pipe.write_all(typed.as_bytes()).unwrap();
        }
        let keyboard = File::from(controller);
        let screen = Arc::new(Mutex::new(vt100::Parser::new(cells(40), cells(100), 1000)));
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let (mut output, seen, all) =
            (keyboard.try_clone().unwrap(), Arc::clone(&screen), Arc::clone(&bytes));
        std::thread::spawn(move || {
            let mut block = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut block) {
                seen.lock().unwrap().process(&block[..count]);
                all.lock().unwrap().extend_from_slice(&block[..count]);
            }
        });
        Self { child, keyboard, terminal, screen, bytes }
    }

    /// Types.
    pub fn keys(&self, keys: &str) {
        (&self.keyboard).write_all(keys.as_bytes()).unwrap();
    }

    /// Types a line and Enter.
    pub fn line(&self, line: &str) {
        self.keys(line);
        self.keys(ENTER);
    }

    /// The screen as text.
    pub fn screen(&self) -> String {
        self.screen.lock().unwrap().screen().contents()
    }

    /// All bytes that came.
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.lock().unwrap().clone()
    }

    /// Waits until the screen fits.
    #[track_caller]
    pub fn until(&self, what: &str, fits: impl Fn(&str) -> bool) -> String {
        let begin = Instant::now();
        loop {
            let screen = self.screen();
            if fits(&screen) {
                return screen;
            }
            if begin.elapsed() > PATIENCE {
                panic!("{what} is not seen:\n{screen}");
            }
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// Waits until the screen has a text.
    #[track_caller]
    pub fn sees(&self, text: &str) -> String {
        self.until(text, |screen| screen.contains(text))
    }

    /// Waits until nothing is being done: the last line says so.
    #[track_caller]
    pub fn rests(&self) -> String {
        self.until("rest", |screen| {
            screen.trim_end().lines().last().is_some_and(|line| line.contains("/help"))
        })
    }

    /// Another size; the program is told of it.
    pub fn resize(&self, rows: u16, columns: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        self.screen.lock().unwrap().set_size(cells(rows), cells(columns));
        tcsetwinsize(&self.keyboard, size).unwrap();
        self.signal("WINCH");
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = std::process::Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap();
        assert!(sent.success());
    }

    /// Whether the terminal is as a shell has it: lines are edited and shown by the system.
    pub fn is_restored(&self) -> bool {
        let modes = tcgetattr(&self.terminal).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }

    /// Waits for the end; the terminal has to be as it was.
    #[track_caller]
    pub fn ends(mut self) -> (Option<i32>, String) {
        let status = self.ended();
        std::thread::sleep(Duration::from_millis(50));
        assert!(self.is_restored(), "the terminal is as it was");
        let bytes = self.bytes();
        let text = String::from_utf8_lossy(&bytes);
        let (on, off) = (text.rfind("\u{1b}[?2004h"), text.rfind("\u{1b}[?2004l"));
        assert!(off >= on, "text that is pasted is no longer in brackets");
        (status.code(), self.screen())
    }

    #[track_caller]
    fn ended(&mut self) -> ExitStatus {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            if begin.elapsed() > PATIENCE {
                panic!("it does not end:\n{}", self.screen());
            }
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// Draws the screen as a picture for the guide, if a folder for pictures is named.
    pub fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("ENGROSS_TEST_PICTURES") else { return };
        let svg = super::picture::svg(self.screen.lock().unwrap().screen());
        std::fs::write(std::path::Path::new(&folder).join(format!("{name}.svg")), svg).unwrap();
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
