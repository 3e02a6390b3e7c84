//! Bytes in object storage that speaks S3: AWS, MinIO, Garage, Ceph and the like. The only file that knows `object_store`.
//!
//! An object is `PREFIX/HOLDER/AB/HASH`, or `PREFIX/sha256/AB/HASH` where no holder is named. It is made at once or not at all: small ones by one request that refuses to replace
//! (`If-None-Match: *`), large ones in parts that are put together once all bytes were hashed.

use std::io::{Cursor, Read};
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use engross_protocol::hex;
use futures_util::{StreamExt, TryStreamExt};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut};
use object_store::client::{HttpClient, HttpConnector};
use object_store::path::Path;
use object_store::{
    BackoffConfig, ClientOptions, Error as ObjectError, GetOptions, GetRange, MultipartUpload, ObjectStore,
    ObjectStoreExt, PutMode, PutOptions, PutPayload, RetryConfig,
};
use sha2::{Digest, Sha256};

use super::{BlobError, BlobStream, Blobs, PendingBlob};
use crate::Millis;

/// The folder of what no holder is named for: version 0.1.0 kept all there.
const SHARED: &str = "sha256";

/// The bytes that are sent at once. Objects up to this size are one request.
const PART: usize = 8 << 20;

/// How long the storage may take to take a connection, and to say something.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(60));

/// How long a request is tried again.
const RETRY: Duration = Duration::from_secs(30);

/// Blobs in object storage.
#[derive(Debug, Clone)]
pub struct ObjectBlobs {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    /// Whose these are; nothing where everyone's are together.
    holder: Option<String>,
    place: String,
    part: usize,
}

impl ObjectBlobs {
    /// The storage at `url`, `s3://BUCKET` or `s3://BUCKET/PREFIX`, with the settings that the AWS tools take from the
    /// environment: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_SESSION_TOKEN`, `AWS_REGION`, and `AWS_ENDPOINT_URL` for
    /// storage that is not Amazon's. Plain `http` is taken for an endpoint that says so. No request is made.
    ///
    /// # Errors
    /// [`BlobError::Unusable`].
    pub fn open(url: &str, settings: impl IntoIterator<Item = (String, String)>) -> Result<Self, BlobError> {
        let unusable = |problem: String| BlobError::Unusable { place: url.to_owned(), problem };
        let Some((bucket, prefix)) =
            url.strip_prefix("s3://").map(|rest| rest.split_once('/').unwrap_or((rest, "")))
        else {
            return Err(unusable("give an address such as s3://bucket/prefix".to_owned()));
        };
        if bucket.is_empty() || bucket.contains(['@', ':', '?']) {
            return Err(unusable("the name of the bucket is missing or is none".to_owned()));
        }
        let prefix =
            Path::parse(prefix.trim_end_matches('/')).map_err(|error| unusable(error.to_string()))?;
        let mut builder = AmazonS3Builder::new()
            .with_bucket_name(bucket)
            .with_conditional_put(S3ConditionalPut::ETagMatch)
            .with_retry(RetryConfig {
                backoff: BackoffConfig::default(),
                max_retries: 5,
                retry_timeout: RETRY,
            });
        let mut scheme = "https";
        for (name, value) in settings {
            // Names of other tools are none of ours.
            let Ok(key) = AmazonS3ConfigKey::from_str(&name.to_ascii_lowercase()) else { continue };
            if matches!(key, AmazonS3ConfigKey::Endpoint) && value.starts_with("http://") {
                scheme = "http";
                builder = builder.with_allow_http(true);
            }
            builder = builder.with_config(key, value);
        }
        let store = builder
            .with_http_connector(Connector { scheme })
            .build()
            .map_err(|error| unusable(error.to_string()))?;
        Ok(Self { store: Arc::new(store), prefix, holder: None, place: url.to_owned(), part: PART })
    }

    /// The same over another store, with parts of another size.
    #[cfg(test)]
    pub(crate) fn over(store: Arc<dyn ObjectStore>, part: usize) -> Self {
        Self { store, prefix: Path::from("kept"), holder: None, place: "test".to_owned(), part }
    }

    pub(super) fn path(&self, hash: &[u8; 32]) -> Path {
        self.path_in(self.holder.as_deref().unwrap_or(SHARED), hash)
    }

    fn path_in(&self, holder: &str, hash: &[u8; 32]) -> Path {
        let name = hex::encode(hash);
        let shelf = name.get(..2).unwrap_or_default().to_owned();
        self.prefix.clone().join(holder.to_owned()).join(shelf).join(name)
    }

    fn unavailable(&self, error: &ObjectError) -> BlobError {
        BlobError::Unavailable { place: self.place.clone(), problem: one_line(&error.to_string()) }
    }

    async fn keep(&self, hash: [u8; 32], size: u64, source: Box<dyn Read + Send>) -> Result<(), BlobError> {
        let path = self.path(&hash);
        match self.store.head(&path).await {
            Ok(known) if known.size == size => return Ok(()),
            Ok(_) | Err(ObjectError::NotFound { .. }) => {}
            Err(error) => return Err(self.unavailable(&error)),
        }
        let mut reading = Reading { source, digest: Sha256::new(), count: 0 };
        let (first, next) = piece(reading, self.part).await?;
        reading = next;
        if size <= self.part as u64 {
            reading.end(hash, size)?;
            let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
            return match self.store.put_opts(&path, PutPayload::from(first), options).await {
                Ok(_) | Err(ObjectError::AlreadyExists { .. }) => Ok(()),
                Err(error) => Err(self.unavailable(&error)),
            };
        }
        let mut upload = self.store.put_multipart(&path).await.map_err(|error| self.unavailable(&error))?;
        match self.send(&mut *upload, first, reading, hash, size).await {
            Ok(()) => Ok(()),
            Err(error) => {
                // Parts that nobody puts together are removed by the storage's own rules if this does not reach it.
                let _ = upload.abort().await;
                Err(error)
            }
        }
    }

    /// They are sent at once: to ask first whether they are there takes as long as to send what fits into a part.
    async fn keep_bytes(&self, hash: [u8; 32], bytes: Bytes) -> Result<(), BlobError> {
        if *Sha256::digest(&bytes) != hash {
            return Err(BlobError::Changed);
        }
        let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match self.store.put_opts(&self.path(&hash), PutPayload::from(bytes), options).await {
            Ok(_) | Err(ObjectError::AlreadyExists { .. }) => Ok(()),
            Err(error) => Err(self.unavailable(&error)),
        }
    }

    async fn send(
        &self,
        upload: &mut dyn MultipartUpload,
        first: Bytes,
        mut reading: Reading,
        hash: [u8; 32],
        size: u64,
    ) -> Result<(), BlobError> {
        let mut bytes = first;
        while !bytes.is_empty() {
            upload.put_part(PutPayload::from(bytes)).await.map_err(|error| self.unavailable(&error))?;
            (bytes, reading) = piece(reading, self.part).await?;
        }
        reading.end(hash, size)?;
        upload.complete().await.map(|_| ()).map_err(|error| self.unavailable(&error))
    }

    async fn fetch(&self, hash: [u8; 32], range: Range<u64>) -> Result<Option<BlobStream>, BlobError> {
        match self.fetch_at(&self.path(&hash), range.clone()).await? {
            None if self.holder.is_some() => self.fetch_at(&self.path_in(SHARED, &hash), range).await,
            found => Ok(found),
        }
    }

    async fn fetch_at(&self, path: &Path, range: Range<u64>) -> Result<Option<BlobStream>, BlobError> {
        if range.is_empty() {
            return match self.store.head(path).await {
                Ok(_) => Ok(Some(futures_util::stream::empty().boxed())),
                Err(ObjectError::NotFound { .. }) => Ok(None),
                Err(error) => Err(self.unavailable(&error)),
            };
        }
        let options = GetOptions { range: Some(GetRange::Bounded(range)), ..GetOptions::default() };
        match self.store.get_opts(path, options).await {
            Ok(found) => {
                let place = self.place.clone();
                let pieces = found.into_stream().map(move |piece| {
                    piece.map_err(|error| BlobError::Unavailable {
                        place: place.clone(),
                        problem: one_line(&error.to_string()),
                    })
                });
                Ok(Some(pieces.boxed()))
            }
            Err(ObjectError::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.unavailable(&error)),
        }
    }

    async fn old(&self, before: Millis) -> Result<Vec<[u8; 32]>, BlobError> {
        let Some(holder) = &self.holder else { return Ok(Vec::new()) };
        let mut listed = self.store.list(Some(&self.prefix.clone().join(holder.clone())));
        let mut found = Vec::new();
        while let Some(object) = listed.try_next().await.map_err(|error| self.unavailable(&error))? {
            let is_old = u64::try_from(object.last_modified.timestamp_millis()).is_ok_and(|at| at < before);
            let hash = object.location.filename().and_then(hex::decode::<32>);
            // What somebody else put there is theirs.
            if let Some(hash) = hash.filter(|hash| is_old && self.path(hash) == object.location) {
                found.push(hash);
            }
        }
        Ok(found)
    }

    async fn erase(&self, hashes: Vec<[u8; 32]>) -> Result<(), BlobError> {
        if self.holder.is_none() {
            return Ok(());
        }
        let paths: Vec<_> = hashes.iter().map(|hash| Ok(self.path(hash))).collect();
        let mut removed = self.store.delete_stream(futures_util::stream::iter(paths).boxed());
        while let Some(removed) = removed.next().await {
            match removed {
                Ok(_) | Err(ObjectError::NotFound { .. }) => {}
                Err(error) => return Err(self.unavailable(&error)),
            }
        }
        Ok(())
    }
}

impl Blobs for ObjectBlobs {
    fn held_by(&self, holder: &str) -> Arc<dyn Blobs> {
        Arc::new(Self { holder: Some(holder.to_owned()), ..self.clone() })
    }

    fn put(&self, hash: [u8; 32], size: u64, source: Box<dyn Read + Send>) -> PendingBlob<'_, ()> {
        Box::pin(self.keep(hash, size, source))
    }

    fn put_bytes(&self, hash: [u8; 32], bytes: Bytes) -> PendingBlob<'_, ()> {
        match bytes.len() <= self.part {
            true => Box::pin(self.keep_bytes(hash, bytes)),
            false => self.put(hash, bytes.len() as u64, Box::new(Cursor::new(bytes))),
        }
    }

    fn get(&self, hash: [u8; 32], range: Range<u64>) -> PendingBlob<'_, Option<BlobStream>> {
        Box::pin(self.fetch(hash, range))
    }

    fn kept_before(&self, before: Millis) -> PendingBlob<'_, Vec<[u8; 32]>> {
        Box::pin(self.old(before))
    }

    fn remove(&self, hashes: Vec<[u8; 32]>) -> PendingBlob<'_, ()> {
        Box::pin(self.erase(hashes))
    }
}

/// A source, and what was read of it.
struct Reading {
    source: Box<dyn Read + Send>,
    digest: Sha256,
    count: u64,
}

impl Reading {
    /// Whether what was read is all, and what was announced.
    fn end(mut self, hash: [u8; 32], size: u64) -> Result<(), BlobError> {
        let is_over = matches!(self.source.read(&mut [0]), Ok(0));
        let digest: [u8; 32] = self.digest.finalize().into();
        if is_over && self.count == size && digest == hash { Ok(()) } else { Err(BlobError::Changed) }
    }
}

/// The next `most` bytes; fewer at the end, none behind it.
async fn piece(mut reading: Reading, most: usize) -> Result<(Bytes, Reading), BlobError> {
    let unreadable = |problem: String| BlobError::Source { problem };
    let read = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        (&mut reading.source).take(most as u64).read_to_end(&mut bytes)?;
        reading.digest.update(&bytes);
        reading.count += bytes.len() as u64;
        Ok::<_, std::io::Error>((Bytes::from(bytes), reading))
    });
    match read.await {
        Ok(read) => read.map_err(|error| unreadable(error.to_string())),
        Err(_) => Err(unreadable("the program is about to stop".to_owned())),
    }
}

/// The beginning of what the storage said, on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}

/// Makes the client with this program's own transport security.
#[derive(Debug)]
struct Connector {
    scheme: &'static str,
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let failed =
            |source: Box<dyn std::error::Error + Send + Sync>| ObjectError::Generic { store: "S3", source };
        let tls = engross_tls::of_scheme(self.scheme).map_err(|error| failed(error.into()))?;
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .https_only(self.scheme == "https")
            .connect_timeout(PATIENCE.0)
            .read_timeout(PATIENCE.1)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .map_err(|error| failed(error.into()))?;
        Ok(HttpClient::new(client))
    }
}
