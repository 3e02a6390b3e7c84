//! What is set for `engross serve`: one table for flags, the environment and `[serve]` of the settings file.
//!
//! Must never let a server start with a setting that was misspelt, or that means nothing.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use config::Value;

use super::environment::{Environment, PREFIX};
use super::layers::nearest;
use super::serve_rows::{ROWS, RowKind, ServeRow};
use super::value::{Error, Origin};

/// The table of what is set for one owner.
const OWNERS: &str = "owners";

/// What begins the names of its variables, behind that of all of ours.
const SERVE: &str = "SERVE_";

/// The variable of the token, which was there before the others.
const TOKEN: &str = "ENGROSS_TOKEN";

/// What was said of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
struct GivenSetting {
    values: Vec<String>,
    origin: Origin,
}

/// The settings of a server that were given; each other one is as its row says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServeSettings {
    rows: BTreeMap<&'static str, GivenSetting>,
    owners: BTreeMap<String, OwnerLimits>,
}

/// What is set for one owner; what is not holds for all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnerLimits {
    /// Days that its sessions are kept.
    keep_days: Option<u64>,
    /// Mebibytes that it may have.
    quota_mib: Option<u64>,
}

impl ServeSettings {
    /// Those of the file and of the environment, which goes before it.
    pub(super) fn load(table: Option<(&Value, &Path)>, environment: &Environment) -> Result<Self, Error> {
        let mut settings = Self::default();
        if let Some((table, file)) = table {
            settings.add_table(table, file)?;
        }
        for (name, value) in environment.own() {
            let Some(key) = name.strip_prefix(SERVE) else { continue };
            let origin = format!("{PREFIX}{name}");
            let row = find(&key.to_ascii_lowercase(), &origin)?;
            let values = match row.kind {
                RowKind::List => value.split(',').map(|part| part.trim().to_owned()).collect(),
                _ => vec![value.to_owned()],
            };
            settings.set(row, values, Origin::Given(origin))?;
        }
        // Also a blank one: one who sets it means the server to be locked.
        if let Some(token) = environment.given(TOKEN) {
            let given =
                GivenSetting { values: vec![token.to_owned()], origin: Origin::Given(TOKEN.to_owned()) };
            settings.rows.insert("token", given);
        }
        Ok(settings)
    }

    fn add_table(&mut self, table: &Value, file: &Path) -> Result<(), Error> {
        let origin = file.display().to_string();
        let wrong = |message: String| Error::Invalid { origin: origin.clone(), message };
        let table = table.clone().into_table();
        let table = table.map_err(|_| wrong("'serve' is no table; write `[serve]`".to_owned()))?;
        for (key, value) in table {
            if key == OWNERS {
                self.owners = owners(value).map_err(wrong)?;
                continue;
            }
            let row = find(&key, &origin)?;
            let refused = || wrong(format!("'serve.{key}' is not {}", wanted(row.kind)));
            let text = |value: Value| value.into_string().map_err(|_| refused());
            let values = match row.kind {
                RowKind::List => {
                    let list = value.into_array().map_err(|_| refused())?;
                    list.into_iter().map(text).collect::<Result<_, _>>()?
                }
                RowKind::Path => {
                    let folder = file.parent().unwrap_or(Path::new(""));
                    vec![folder.join(text(value)?).to_string_lossy().into_owned()]
                }
                _ => vec![text(value)?],
            };
            self.set(row, values, Origin::Given(origin.clone()))?;
        }
        Ok(())
    }

    /// Takes what a flag says, above all else; nothing where it was not given.
    pub fn add_flag(&mut self, key: &str, values: Vec<String>) -> Result<(), Error> {
        if values.is_empty() {
            return Ok(());
        }
        let origin = format!("--{}", key.replace('_', "-"));
        let row = find(key, &origin)?;
        self.set(row, values, Origin::Given(origin))
    }

    fn set(&mut self, row: &'static ServeRow, values: Vec<String>, origin: Origin) -> Result<(), Error> {
        // A blank token is told of where the others are that cannot be.
        let wrong = values.iter().find(|value| row.key != "token" && !fits(row.kind, value));
        if let Some(wrong) = wrong {
            let message = format!("'{}' is not {}: '{wrong}'", row.key, wanted(row.kind));
            return Err(Error::Invalid { origin: origin.to_string(), message });
        }
        self.rows.insert(row.key, GivenSetting { values, origin });
        Ok(())
    }

    /// A text that was given.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.rows.get(key)?.values.first().map(String::as_str)
    }

    /// A path that was given.
    pub fn path(&self, key: &str) -> Option<PathBuf> {
        self.text(key).map(PathBuf::from)
    }

    /// The texts of a list.
    pub fn list(&self, key: &str) -> Vec<String> {
        self.rows.get(key).map(|given| given.values.clone()).unwrap_or_default()
    }

    /// Whether a switch is on.
    pub fn switch(&self, key: &str) -> bool {
        self.text(key) == Some("true")
    }

    /// A number, or what holds without.
    pub fn number(&self, key: &str) -> u64 {
        let usual = ROWS.iter().find_map(|row| match row.kind {
            RowKind::Number(_, _, usual) if row.key == key => Some(usual),
            _ => None,
        });
        self.text(key).and_then(|text| text.parse().ok()).or(usual).unwrap_or_default()
    }

    /// Days that the sessions of an owner are kept; `None` for ever.
    pub fn keep_days(&self, owner: &str) -> Option<u64> {
        let own = self.owners.get(owner).and_then(|limits| limits.keep_days);
        Some(own.unwrap_or_else(|| self.number("keep_days"))).filter(|days| *days > 0)
    }

    /// The fewest days that sessions of anybody are kept; `None` where all are kept for ever.
    pub fn fewest_keep_days(&self) -> Option<u64> {
        let own = self.owners.values().filter_map(|limits| limits.keep_days);
        own.chain([self.number("keep_days")]).filter(|days| *days > 0).min()
    }

    /// Bytes that an owner may have; `None` for no bound.
    pub fn quota(&self, owner: &str) -> Option<u64> {
        let own = self.owners.get(owner).and_then(|limits| limits.quota_mib);
        let mib = own.unwrap_or_else(|| self.number("quota_mib"));
        Some(mib.saturating_mul(1 << 20)).filter(|bytes| *bytes > 0)
    }

    /// Where to listen.
    pub fn listen(&self) -> SocketAddr {
        let usual = SocketAddr::from(([127, 0, 0, 1], 18789));
        self.text("listen").and_then(|text| text.parse().ok()).unwrap_or(usual)
    }

    /// Where a setting was given.
    pub fn origin(&self, key: &str) -> Origin {
        self.rows.get(key).map_or(Origin::Default, |given| given.origin.clone())
    }

    /// The names of all that were given, and where.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &Origin)> {
        self.rows.iter().map(|(key, given)| (*key, &given.origin))
    }
}

/// The tables of `[serve.owners.NAME]`.
fn owners(value: Value) -> Result<BTreeMap<String, OwnerLimits>, String> {
    let table = value
        .into_table()
        .map_err(|_| "'serve.owners' is no table; write `[serve.owners.NAME]`".to_owned())?;
    let bounds = [("keep_days", 36_500), ("quota_mib", 1 << 30)];
    let mut owners = BTreeMap::new();
    for (name, value) in table {
        let limits: OwnerLimits = value.try_deserialize().map_err(|error| {
            format!("'serve.owners.{name}' cannot be read: {error}; there are keep_days and quota_mib")
        })?;
        for ((key, most), value) in bounds.into_iter().zip([limits.keep_days, limits.quota_mib]) {
            if value.is_some_and(|value| value > most) {
                return Err(format!("'serve.owners.{name}.{key}' is not a whole number from 0 to {most}"));
            }
        }
        owners.insert(name, limits);
    }
    Ok(owners)
}

fn find(key: &str, origin: &str) -> Result<&'static ServeRow, Error> {
    ROWS.iter().find(|row| row.key == key).ok_or_else(|| {
        let keys: Vec<&str> = ROWS.iter().map(|row| row.key).collect();
        let message = format!("there is no setting '{key}' of `serve`{}", nearest(key, &keys));
        Error::Invalid { origin: origin.to_owned(), message }
    })
}

fn fits(kind: RowKind, value: &str) -> bool {
    match kind {
        RowKind::Address => value.parse::<SocketAddr>().is_ok(),
        RowKind::Text | RowKind::Path | RowKind::List => !value.trim().is_empty(),
        RowKind::Switch => matches!(value, "true" | "false"),
        RowKind::Number(least, most, _) => {
            value.parse::<u64>().is_ok_and(|number| (least..=most).contains(&number))
        }
    }
}

fn wanted(kind: RowKind) -> String {
    match kind {
        RowKind::Address => "an address and a port such as 127.0.0.1:18789".to_owned(),
        RowKind::Text => "a text".to_owned(),
        RowKind::Path => "a path".to_owned(),
        RowKind::List => "a list of texts".to_owned(),
        RowKind::Switch => "true or false".to_owned(),
        RowKind::Number(least, most, _) => format!("a whole number from {least} to {most}"),
    }
}
