//! The settings of a server: a row each.

/// What a setting can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// An address and a port.
    Address,
    /// A text.
    Text,
    /// A file or folder; in the settings file one beside it.
    Path,
    /// Several texts; in the environment with commas.
    List,
    /// True or false.
    Switch,
    /// A whole number: the least, the most, and what holds without.
    Number(u64, u64, u64),
}

/// One setting.
#[derive(Debug, Clone, Copy)]
pub struct ServeRow {
    /// Its name in the file; with `-` for `_` its flag, in capitals behind `ENGROSS_SERVE_` its variable.
    pub key: &'static str,
    /// What it can be.
    pub kind: RowKind,
}

const fn row(key: &'static str, kind: RowKind) -> ServeRow {
    ServeRow { key, kind }
}

/// A bound, which has no flag.
const fn limit(key: &'static str, (least, most, usual): (u64, u64, u64)) -> ServeRow {
    ServeRow { key, kind: RowKind::Number(least, most, usual) }
}

/// All settings.
pub const ROWS: &[ServeRow] = &[
    row("listen", RowKind::Address),
    row("data", RowKind::Path),
    row("root", RowKind::Path),
    row("store", RowKind::Text),
    row("transcripts", RowKind::Path),
    row("traces", RowKind::Text),
    row("node_address", RowKind::Text),
    row("local_folders", RowKind::Switch),
    row("blobs", RowKind::Text),
    row("token", RowKind::Text),
    row("tls_cert", RowKind::Path),
    row("tls_key", RowKind::Path),
    row("word", RowKind::Switch),
    row("cors", RowKind::List),
    row("strict_models", RowKind::Switch),
    row("no_own_keys", RowKind::Switch),
    row("access_log", RowKind::Path),
    row("keep_days", RowKind::Number(0, 36_500, 0)),
    row("quota_mib", RowKind::Number(0, 1 << 30, 0)),
    row("isolate_documents", RowKind::Switch),
    limit("document_memory_mib", (16, 65_536, 512)),
    limit("document_seconds", (1, 3_600, 30)),
    limit("document_workers", (1, 256, 4)),
    limit("max_connections", (16, 65_536, 4_096)),
    limit("head_seconds", (1, 600, 15)),
    limit("idle_seconds", (1, 3_600, 75)),
    limit("unread_seconds", (1, 3_600, 60)),
    limit("max_body_mib", (1, 1_024, 20)),
    limit("max_bodies_mib", (1, 65_536, 128)),
    limit("body_idle_seconds", (1, 600, 30)),
    limit("body_seconds", (1, 3_600, 300)),
    limit("heartbeat_seconds", (1, 300, 15)),
    limit("max_waiting", (1, 10_000, 32)),
    limit("max_turns", (1, 100_000, 4_096)),
    limit("max_working", (1, 100_000, 1_024)),
    limit("grace_seconds", (0, 3_600, 30)),
    limit("drain_seconds", (0, 3_600, 20)),
];
