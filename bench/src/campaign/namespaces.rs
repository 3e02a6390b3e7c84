//! A network for each node: a namespace of its own, with a cable to a bridge at which the clients, the model and the way to the
//! database are. What goes over the cable can be dropped, by whom it is to and in either direction.
//!
//! Must never touch the network of anything but the nodes, and leaves nothing behind.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::process::{Command, Stdio};

use crate::Result;
use crate::faults::server::failed;
use crate::run_command;

/// From whom a node is cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Apart {
    /// The database.
    Database,
    /// The other nodes.
    Nodes,
    /// Everybody, also its clients; not the model, since what becomes of turns without one is another matter.
    All,
}

/// What does not arrive any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Loss {
    /// Neither what it says nor what it is told.
    Both,
    /// What it is told.
    Inbound,
    /// What it says.
    Outbound,
}

/// The bridge with its cables and namespaces; gone when dropped.
pub(super) struct Network {
    /// The number of this process, by which all names are its own.
    number: u32,
    nodes: usize,
}

impl Network {
    /// Lays it for so many nodes.
    pub(super) fn lay(nodes: usize) -> Result<Self> {
        let network = Self { number: std::process::id(), nodes };
        let bridge = network.bridge();
        ip(&["link", "add", &bridge, "type", "bridge"])?;
        ip(&["address", "add", &format!("{}/24", network.here()), "dev", &bridge])?;
        ip(&["link", "set", &bridge, "up"])?;
        for node in 0..nodes {
            let (name, cable) = (network.name(node), format!("{bridge}n{node}"));
            ip(&["netns", "add", &name])?;
            ip(&["link", "add", &cable, "type", "veth", "peer", "name", "eth0", "netns", &name])?;
            ip(&["link", "set", &cable, "master", &bridge, "up"])?;
            let address = format!("{}/24", network.address(node));
            ip(&["-n", &name, "address", "add", &address, "dev", "eth0"])?;
            ip(&["-n", &name, "link", "set", "lo", "up"])?;
            ip(&["-n", &name, "link", "set", "eth0", "up"])?;
        }
        Ok(network)
    }

    /// Where nodes reach who is in no namespace.
    pub(super) fn here(&self) -> IpAddr {
        self.at(1)
    }

    /// Where a node is.
    pub(super) fn address(&self, node: usize) -> IpAddr {
        self.at(u8::try_from(10 + node).unwrap_or(u8::MAX))
    }

    /// What starts a program as a process in the namespace of a node.
    pub(super) fn entry(&self, node: usize) -> Vec<String> {
        vec!["nsenter".to_owned(), format!("--net=/run/netns/{}", self.name(node))]
    }

    /// Has a node cut off; its way to the database leads to `port`, that to the model to another one. The beginning and the end of a connection are lost as all else.
    pub(super) fn part(&self, node: usize, apart: Apart, loss: Loss, port: u16, model: u16) -> Result<()> {
        let (mut heard, mut said) = (Vec::new(), Vec::new());
        match apart {
            Apart::Database => {
                heard.push(format!("ip saddr {} tcp sport {port} drop", self.here()));
                said.push(format!("ip daddr {} tcp dport {port} drop", self.here()));
            }
            Apart::Nodes => {
                for other in (0..self.nodes).filter(|other| *other != node) {
                    heard.push(format!("ip saddr {} drop", self.address(other)));
                    said.push(format!("ip daddr {} drop", self.address(other)));
                }
            }
            Apart::All => {
                heard.push(format!("iifname eth0 tcp sport != {model} drop"));
                said.push(format!("oifname eth0 tcp dport != {model} drop"));
            }
        }
        if loss == Loss::Outbound {
            heard.clear();
        }
        if loss == Loss::Inbound {
            said.clear();
        }
        self.nft(
            node,
            &format!(
                "table inet campaign {{\nchain heard {{ type filter hook input priority 0\n{}\n}}\n\
                 chain said {{ type filter hook output priority 0\n{}\n}}\n}}\n",
                heard.join("\n"),
                said.join("\n")
            ),
        )
    }

    /// Has everything arrive again.
    pub(super) fn join(&self, node: usize) -> Result<()> {
        self.nft(node, "delete table inet campaign\n")
    }

    fn nft(&self, node: usize, rules: &str) -> Result<()> {
        let entry = self.entry(node);
        let mut command = Command::new(&entry[0]);
        let child = command.args(&entry[1..]).args(["nft", "-f", "-"]).stdin(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| failed(format!("nsenter cannot be started: {error}")))?;
        let told = child.stdin.take().map(|mut input| input.write_all(rules.as_bytes()));
        match (told, child.wait()) {
            (Some(Ok(())), Ok(end)) if end.success() => Ok(()),
            (_, end) => Err(failed(format!("nft did not take these rules ({end:?}):\n{rules}"))),
        }
    }

    fn at(&self, last: u8) -> IpAddr {
        let third = u8::try_from(self.number % 250).unwrap_or(0);
        Ipv4Addr::new(10, 213, third, last).into()
    }

    fn bridge(&self) -> String {
        format!("eg{}", self.number)
    }

    fn name(&self, node: usize) -> String {
        format!("engross-{}-{node}", self.number)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for node in 0..self.nodes {
            let _ =
                Command::new("ip").args(["netns", "delete", &self.name(node)]).stderr(Stdio::null()).status();
        }
        let _ = Command::new("ip").args(["link", "delete", &self.bridge()]).stderr(Stdio::null()).status();
    }
}

fn ip(arguments: &[&str]) -> Result<()> {
    run_command(Command::new("ip").args(arguments))
}
