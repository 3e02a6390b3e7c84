//! A server as a process: started, asked what it has used, killed.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::{Error, Result};

/// A server; killed when dropped.
pub(in crate::bench) struct Server {
    child: Child,
    /// Where it listens.
    pub(in crate::bench) address: SocketAddr,
}

impl Server {
    /// Starts a server that says where it listens on its standard error.
    pub(in crate::bench) fn start(command: &mut Command) -> Result<Self> {
        let shown = format!("{command:?}").replace('"', "");
        let failed = |how: String| Error::Command { command: shown.clone(), how };
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(format!("could not be started: {error}")))?;
        let Some(errors) = child.stderr.take() else { return Err(failed("says nothing".to_owned())) };
        let mut lines = BufReader::new(errors);
        let mut said = String::new();
        let address = loop {
            let mut line = String::new();
            let read = lines.read_line(&mut line).unwrap_or(0);
            let address = line.strip_prefix("Listening at http://").and_then(|rest| rest.split('/').next());
            if let Some(address) = address.and_then(|address| address.parse().ok()) {
                break address;
            }
            if read == 0 {
                let _ = child.wait();
                return Err(failed(format!("does not listen: {said}")));
            }
            said.push_str(&line);
        };
        // A pipe that nobody empties would stop it.
        std::thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        Ok(Self { child, address })
    }

    /// CPU time of all its threads so far, in the kernel too. Those that have ended are not counted; its threads live as
    /// long as it does.
    pub(in crate::bench) fn cpu(&self) -> Result<Duration> {
        let tasks = Path::new("/proc").join(self.child.id().to_string()).join("task");
        let mut nanoseconds = 0;
        for task in fs::read_dir(&tasks).map_err(Error::file(&tasks))? {
            let path = task.map_err(Error::file(&tasks))?.path().join("schedstat");
            let first = |text: String| text.split(' ').next().and_then(|number| number.parse::<u64>().ok());
            nanoseconds += read(&path).ok().and_then(first).unwrap_or(0);
        }
        Ok(Duration::from_nanos(nanoseconds))
    }

    /// CPU time of the whole process so far, ended threads too, in steps of 10 ms.
    pub(in crate::bench) fn ticks(&self) -> Result<Duration> {
        let path = Path::new("/proc").join(self.child.id().to_string()).join("stat");
        let text = read(&path)?;
        // The name of the program stands in brackets and may hold anything; user and system time are the 12th and 13th behind it.
        let behind = text.rsplit_once(')').map(|(_, rest)| rest).unwrap_or_default();
        let ticks = behind.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok());
        Ok(Duration::from_millis(10 * ticks.sum::<u64>()))
    }

    /// Resident memory in MiB.
    pub(in crate::bench) fn memory(&self) -> Result<f64> {
        self.status("VmRSS:")
    }

    /// A size that the system tells of the process, in MiB.
    pub(in crate::bench) fn status(&self, name: &str) -> Result<f64> {
        let path = Path::new("/proc").join(self.child.id().to_string()).join("status");
        let status = read(&path)?;
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<f64>().ok());
        kibibytes
            .map(|kibibytes| kibibytes / 1024.0)
            .ok_or_else(|| Error::Server("the system tells no memory of the server".to_owned()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "a chore reads what the system tells of a process")]
fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(Error::file(path))
}
