//! One HTTP endpoint of a provider: sending a request, waiting, trying again, and reading the answer as it comes.
//!
//! Must never follow a redirect, use a proxy of the environment, repeat a request whose answer has begun, or put a key
//! into a message or a log line. Knows no provider's format.

mod policy;
mod refusal;

#[cfg(test)]
mod policy_tests;
#[cfg(test)]
mod refusal_tests;

use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, StreamExt};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url};
use secrecy::{ExposeSecret, SecretString};

pub use policy::{HttpPolicy, RetryCount};
pub(crate) use refusal::message_in;

use crate::Error;

/// A key, and where it comes from and goes to.
pub(crate) struct Key {
    /// The secret itself; none where the provider can do without.
    pub(crate) secret: Option<SecretString>,
    /// The environment variable to name in messages.
    pub(crate) variable: &'static str,
    /// The header that carries it.
    pub(crate) header: HeaderName,
    /// What stands before it in the header.
    pub(crate) prefix: &'static str,
}

/// Where requests go, and with what.
pub(crate) struct Endpoint {
    /// Who answers there.
    pub(crate) provider: &'static str,
    url: Url,
    headers: HeaderMap,
    key: Key,
    client: Client,
    policy: HttpPolicy,
    retries: RetryCount,
}

impl Endpoint {
    /// An endpoint that sends `headers` and the key with each request.
    pub(crate) fn new(
        provider: &'static str,
        url: Url,
        mut headers: HeaderMap,
        key: Key,
        policy: HttpPolicy,
    ) -> Result<Self, Error> {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(secret) = &key.secret {
            let mut value = HeaderValue::from_str(&format!("{}{}", key.prefix, secret.expose_secret()))
                .map_err(|_| Error::KeyMissing {
                    provider,
                    variable: key.variable,
                    problem: "holds characters that no key has",
                })?;
            value.set_sensitive(true);
            headers.insert(key.header.clone(), value);
        }
        let client = client(&url, policy).map_err(|message| Error::Unavailable {
            provider,
            retry_after: None,
            message,
        })?;
        Ok(Self { provider, url, headers, key, client, policy, retries: RetryCount::default() })
    }

    /// Has repetitions counted together with those of others.
    pub(crate) fn counting(mut self, retries: RetryCount) -> Self {
        self.retries = retries;
        self
    }

    /// Sends `body` until an answer begins, within the policy.
    pub(crate) async fn send(&self, body: Bytes) -> Result<Response, Error> {
        let mut failures = 0;
        loop {
            let error = match self.send_once(body.clone()).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            failures += 1;
            let Some(wait) = self.policy.wait_before_retry(failures, &error) else { return Err(error) };
            self.retries.add_one();
            tracing::warn!(
                provider = self.provider,
                code = error.code(),
                failures,
                wait_milliseconds = wait.as_millis(),
                "a model request failed and will be repeated"
            );
            tokio::time::sleep(wait).await;
        }
    }

    /// The bytes of an answer as they come. A connection that breaks is [`Error::Truncated`].
    pub(crate) fn bytes(self: Arc<Self>, response: Response) -> BoxStream<'static, Result<Bytes, Error>> {
        let bytes_left = self.policy.answer_bytes;
        stream::try_unfold((self, response, bytes_left), |(endpoint, mut response, bytes_left)| async move {
            let chunk = response
                .chunk()
                .await
                .map_err(|error| if error.is_timeout() { endpoint.timeout() } else { Error::Truncated })?;
            let Some(chunk) = chunk else { return Ok(None) };
            let bytes_left = bytes_left
                .checked_sub(chunk.len())
                .ok_or(Error::TooLarge { what: "bytes", limit: endpoint.policy.answer_bytes })?;
            Ok(Some((chunk, (endpoint, response, bytes_left))))
        })
        .boxed()
    }

    /// A failure of the provider's format.
    pub(crate) fn protocol(&self, message: impl Into<String>) -> Error {
        Error::Protocol { provider: self.provider, message: self.clean(&message.into()) }
    }

    /// Text from outside, made fit for a message: one line, bounded, without the key.
    pub(crate) fn clean(&self, text: &str) -> String {
        refusal::clean(text, self.key.secret.as_ref())
    }

    async fn send_once(&self, body: Bytes) -> Result<Response, Error> {
        let request = self.client.post(self.url.clone()).headers(self.headers.clone()).body(body);
        let response = request.send().await.map_err(|error| self.no_answer(&error))?;
        let status = response.status().as_u16();
        if !response.status().is_success() {
            let retry_after = policy::retry_after(response.headers());
            let explanation = refusal::explanation(response, self.policy.idle_timeout).await;
            let message = self.clean(&explanation);
            return Err(Error::from_status(self.provider, self.key.variable, status, retry_after, message));
        }
        let kind =
            response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.starts_with("application/json") || kind.starts_with("text/html") {
            let kind = kind.to_owned();
            let explanation = refusal::explanation(response, self.policy.idle_timeout).await;
            return Err(self.protocol(format!("it sent {kind} instead of a stream: {explanation}")));
        }
        Ok(response)
    }

    /// What it means that sending failed before an answer began.
    fn no_answer(&self, error: &reqwest::Error) -> Error {
        if error.is_timeout() && !error.is_connect() {
            return self.timeout();
        }
        let mut cause: &dyn std::error::Error = error;
        while let Some(deeper) = cause.source() {
            cause = deeper;
        }
        let message = format!("{} cannot be reached: {cause}", self.url.origin().ascii_serialization());
        Error::Unavailable { provider: self.provider, retry_after: None, message: self.clean(&message) }
    }

    fn timeout(&self) -> Error {
        Error::Timeout { provider: self.provider, waited: self.policy.idle_timeout }
    }
}

fn client(url: &Url, policy: HttpPolicy) -> Result<Client, String> {
    let tls = engross_tls::of_scheme(url.scheme()).map_err(|error| error.to_string())?;
    Client::builder()
        .tls_backend_preconfigured(tls)
        .connect_timeout(policy.connect_timeout)
        .read_timeout(policy.idle_timeout)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .no_proxy()
        .user_agent(concat!("engross/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| format!("no HTTP client can be made: {error}"))
}
