//! Addresses of providers: reading base URLs and adding paths to them.
//!
//! Must never accept a URL with credentials or a query: URLs are shown and logged, keys are not.

use reqwest::Url;

/// Reads a base URL.
///
/// # Errors
/// What is wrong with it, in words that do not repeat it.
pub(crate) fn base_url(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text.trim()).map_err(|_| "its address is not a URL such as https://host/v1")?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err("its address must begin with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("its address must not hold credentials; set the key in its environment variable");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("its address must not have a query or fragment");
    }
    Ok(url)
}

/// Adds path segments. `version` is one of them that the base may already end with, as in `https://host/v1`.
pub(crate) fn join(mut base: Url, version: Option<&str>, segments: &[&str]) -> Url {
    let has_version = version.is_some()
        && base.path_segments().and_then(|mut all| all.rfind(|it| !it.is_empty())) == version;
    // Cannot fail: `base_url` lets only http(s) pass, and those have path segments.
    if let Ok(mut path) = base.path_segments_mut() {
        path.pop_if_empty();
        path.extend(version.filter(|_| !has_version));
        path.extend(segments);
    }
    base
}

/// The base URL that `OLLAMA_HOST` means: as Ollama itself reads it, scheme and port may be missing, and an address to
/// listen on everywhere stands for this machine.
///
/// # Errors
/// As [`base_url`].
pub(crate) fn ollama_base_url(host: &str) -> Result<Url, &'static str> {
    let host = host.trim();
    let (scheme, authority) = host.split_once("://").unwrap_or(("http", host));
    let mut url = base_url(&format!("{scheme}://{authority}"))?;
    let port = authority.split('/').next().and_then(|it| it.rsplit_once(':')).map(|(_, port)| port);
    let has_port = port.is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    if !has_port && !host.contains("://") {
        url.set_port(Some(11434)).map_err(|()| "its address cannot have a port")?;
    }
    if matches!(url.host_str(), Some("0.0.0.0" | "[::]")) {
        url.set_host(Some("127.0.0.1")).map_err(|_| "its address is not a URL such as https://host/v1")?;
    }
    Ok(url)
}
