//! Sends a file to a write session over HTTP, as a program would that has the bytes at hand.
//!
//! Must never hold more than one block of the file.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::{Value, json};

use crate::{Error, Result};

/// A client of one server.
pub(super) struct Client {
    pub(super) address: SocketAddr,
}

impl Client {
    /// Writes a file of `bytes` bytes, all of them `block` again and again, and waits for its receipt.
    pub(super) fn send(&self, target: &str, bytes: u64, block: &[u8]) -> Result<()> {
        let options = json!({"target_file": target, "operation": "create", "max_bytes": bytes});
        let options = options.to_string();
        let begun = self.ask("POST", "/v1/write-sessions", options.len() as u64, &mut |stream| {
            stream.write_all(options.as_bytes())
        })?;
        let id = begun["session_id"].as_str().unwrap_or_default();
        let path = format!("/v1/write-sessions/{id}?offset=0");
        let sent = self.ask("PATCH", &path, bytes, &mut |stream| {
            let mut left = bytes;
            while left > 0 {
                let length = left.min(block.len() as u64);
                stream
                    .write_all(block.get(..usize::try_from(length).unwrap_or_default()).unwrap_or(block))?;
                left -= length;
            }
            Ok(())
        })?;
        if sent["offset"] != bytes {
            return Err(Error::Server(format!("of {bytes} bytes some are missing: {sent}")));
        }
        let path = format!("/v1/write-sessions/{id}/finalize");
        let done = self.ask("POST", &path, 0, &mut |_| Ok(()))?;
        if done["receipt"]["bytes"] == bytes {
            Ok(())
        } else {
            Err(Error::Server(format!("the file was not written: {done}")))
        }
    }

    fn ask(
        &self,
        method: &str,
        path: &str,
        length: u64,
        body: &mut dyn FnMut(&mut TcpStream) -> std::io::Result<()>,
    ) -> Result<Value> {
        let mut exchange = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(self.address)?;
            let host = self.address;
            write!(
                stream,
                "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n"
            )?;
            body(&mut stream)?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        let answer = exchange().map_err(|error| Error::Server(format!("{method} {path}: {error}")))?;
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
        serde_json::from_str(body)
            .map_err(|error| Error::Server(format!("{method} {path}: {error}: {answer}")))
    }
}
