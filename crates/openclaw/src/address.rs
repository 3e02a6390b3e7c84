//! The address of a gateway.
//!
//! Must never let a token leave this machine without TLS.

use std::net::IpAddr;

use reqwest::Url;

use super::error::{GatewayFault, shown};

/// The port of a gateway.
const PORT: u16 = 18_789;

/// Where a gateway is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    /// As a WebSocket is asked for.
    pub(super) url: String,
    /// A name, or an IP address without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// Whether TLS is spoken.
    pub(super) is_secure: bool,
    /// Whether it is this machine.
    pub(super) is_here: bool,
}

impl Address {
    /// Reads an address. `http` and `https` are taken for `ws` and `wss`.
    pub(super) fn parse(text: &str) -> Result<Self, GatewayFault> {
        let wrong = |problem| GatewayFault::Address { url: shown(text), problem };
        let text = text.trim();
        let spelled = match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => format!("ws://{rest}"),
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => format!("wss://{rest}"),
            _ => text.to_owned(),
        };
        let url = Url::parse(&spelled).map_err(|_| wrong("write it like ws://127.0.0.1:18789"))?;
        let is_secure = match url.scheme() {
            "ws" => false,
            "wss" => true,
            _ => return Err(wrong("it must begin with ws:// or wss://")),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("leave out the name before @ and give the token by itself"));
        }
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        if host.is_empty() {
            return Err(wrong("it names no host"));
        }
        let is_here = host.eq_ignore_ascii_case("localhost")
            || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        if !is_secure && !is_here {
            return Err(wrong(
                "without TLS the token could be read on the way: use wss://, or a tunnel to this machine",
            ));
        }
        // A URL leaves out the port that is usual for its scheme, and an address without any means the gateway's own.
        let named = spelled.split_once("://").is_some_and(|(_, rest)| {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
            authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok())
        });
        let usual = if is_secure { 443 } else { PORT };
        let port = if named { url.port_or_known_default().unwrap_or(usual) } else { usual };
        let mut url = url;
        url.set_fragment(None);
        url.set_port(Some(port)).map_err(|()| wrong("its port cannot be used"))?;
        Ok(Self { url: url.into(), host, port, is_secure, is_here })
    }
}
