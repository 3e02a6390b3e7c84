//! Bytes in object storage over the wire: `moto_server`, which plays S3. `ENGROSS_TEST_MOTO` names the program where it is not
//! on the path; where `ENGROSS_REQUIRE` holds `moto` it must be there.

use std::io::{Cursor, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use engross_store::blobs::{BlobError, Blobs, ObjectBlobs};
use futures_util::TryStreamExt;
use sha2::{Digest, Sha256};

struct Moto {
    server: Child,
    port: u16,
}

impl Moto {
    fn start() -> Option<Self> {
        let program = setting("ENGROSS_TEST_MOTO").unwrap_or_else(|| "moto_server".to_owned());
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let started = Command::new(&program)
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(server) = started else {
            let required = setting("ENGROSS_REQUIRE").unwrap_or_default();
            assert!(
                !required.split(',').any(|part| part.trim() == "moto"),
                "moto is required, but not there"
            );
            let mut error = std::io::stderr();
            writeln!(error, "skipped: moto_server is not there; pip install 'moto[server]'").unwrap();
            return None;
        };
        let moto = Self { server, port };
        let since = Instant::now();
        while moto.ask("PUT /bucket").is_none_or(|answer| !answer.contains(" 200 ")) {
            assert!(since.elapsed() < Duration::from_secs(60), "the server does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(moto)
    }

    fn ask(&self, line: &str) -> Option<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let host = format!("host: 127.0.0.1:{}", self.port);
        write!(stream, "{line} HTTP/1.1\r\n{host}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        Some(answer)
    }

    fn blobs(&self, bucket: &str) -> ObjectBlobs {
        let endpoint = format!("http://127.0.0.1:{}", self.port);
        let settings = [
            ("AWS_ENDPOINT_URL", endpoint.as_str()),
            ("AWS_ACCESS_KEY_ID", "id"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
        ];
        let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
        ObjectBlobs::open(&format!("s3://{bucket}/tasks"), settings).unwrap()
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "a test's own setting")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[tokio::test]
async fn blobs_go_over_the_wire_and_come_back() {
    let Some(moto) = Moto::start() else { return };
    let blobs = moto.blobs("bucket");
    let large: Vec<u8> = (0..20_000_000_u32).map(|at| (at % 251) as u8).collect();
    for bytes in [&b""[..], b"small", &large] {
        let hash: [u8; 32] = Sha256::digest(bytes).into();
        let size = bytes.len() as u64;
        let put = |read: &[u8]| blobs.put(hash, size, Box::new(Cursor::new(read.to_vec())));
        if !bytes.is_empty() {
            let mut wrong = bytes.to_vec();
            wrong[0] ^= 1;
            assert_eq!(put(&wrong).await, Err(BlobError::Changed));
            assert!(blobs.get(hash, 0..size).await.unwrap().is_none(), "nothing was kept");
        }
        // Two at once: both are content.
        let (one, other) = tokio::join!(put(bytes), put(bytes));
        assert_eq!((one, other), (Ok(()), Ok(())));
        let stream = blobs.get(hash, 0..size).await.unwrap().unwrap();
        assert_eq!(stream.try_collect::<Vec<_>>().await.unwrap().concat(), bytes);
        if size > 3 {
            let stream = blobs.get(hash, 1..size - 2).await.unwrap().unwrap();
            assert_eq!(stream.try_collect::<Vec<_>>().await.unwrap().concat(), bytes[1..bytes.len() - 2]);
        }
    }
    let held = blobs.held_by("0a");
    let hash: [u8; 32] = Sha256::digest(b"small").into();
    held.put(hash, 5, Box::new(Cursor::new(b"small".to_vec()))).await.unwrap();
    assert_eq!(held.kept_before(u64::MAX).await.unwrap(), [hash]);
    assert_eq!(held.kept_before(1).await.unwrap(), Vec::<[u8; 32]>::new());
    held.remove(vec![hash, [7; 32]]).await.unwrap();
    assert_eq!(held.kept_before(u64::MAX).await.unwrap(), Vec::<[u8; 32]>::new());
    assert!(blobs.get(hash, 0..5).await.unwrap().is_some(), "what has no holder stays");
    let nowhere = moto.blobs("no-such-bucket").put([0; 32], 1, Box::new(Cursor::new(b"x".to_vec()))).await;
    assert!(nowhere.is_err(), "a bucket that is not there");
}
