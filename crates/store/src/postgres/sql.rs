//! The statements, each one round trip. Tables and functions are in `schema.sql`.

pub(super) const CREATE: &str =
    "SELECT answer, number, other FROM engross_create($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
pub(super) const APPEND: &str =
    "SELECT answer, number, name, other FROM engross_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
pub(super) const BY_NAME: &str = "
    SELECT s.id, s.key, s.head, s.created_at, s.wake_at, p.seq, p.state
    FROM engross_names n JOIN engross_sessions s ON s.id = n.session
    LEFT JOIN engross_snapshots p ON p.session = s.id
    WHERE n.name = $1";
pub(super) const BY_ID: &str = "
    SELECT s.id, s.key, s.head, s.created_at, s.wake_at, p.seq, p.state
    FROM engross_sessions s LEFT JOIN engross_snapshots p ON p.session = s.id
    WHERE s.id = $1";
pub(super) const ENTRIES: &str = "
    SELECT seq, kind, at, body FROM engross_entries
    WHERE session = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4";
pub(super) const EXISTS: &str = "SELECT EXISTS (SELECT 1 FROM engross_sessions WHERE id = $1)";
pub(super) const LEASE: &str = "
    WITH taken AS (
        UPDATE engross_sessions
        SET fence = CASE WHEN holder = $2 AND leased_until > $3 THEN fence ELSE fence + 1 END,
            holder = $2, leased_until = $4
        WHERE id = $1 AND (leased_until <= $3 OR holder = $2 OR leased_until > $5)
        RETURNING fence
    )
    SELECT EXISTS (SELECT 1 FROM engross_sessions WHERE id = $1), (SELECT fence FROM taken),
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
pub(super) const RELEASE: &str = "
    WITH freed AS (
        UPDATE engross_sessions SET holder = NULL, leased_until = 0 WHERE id = $1 AND fence = $2
    )
    SELECT EXISTS (SELECT 1 FROM engross_sessions WHERE id = $1)";
pub(super) const DELETE: &str = "
    WITH names AS (DELETE FROM engross_names WHERE session = $1),
        entries AS (DELETE FROM engross_entries WHERE session = $1),
        snapshots AS (DELETE FROM engross_snapshots WHERE session = $1),
        sessions AS (DELETE FROM engross_sessions WHERE id = $1 RETURNING 1)
    SELECT EXISTS (SELECT 1 FROM sessions)";
pub(super) const DUE: &str = "
    SELECT clock.millis, due.id
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS millis) AS clock
    LEFT JOIN LATERAL (
        SELECT id, wake_at FROM engross_sessions WHERE wake_at <= $1 ORDER BY wake_at, id LIMIT $2
    ) AS due ON true
    ORDER BY due.wake_at, due.id";
pub(super) const CLOCK: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint";
pub(super) const LIST: &str = "
    SELECT id, key, head, created_at, changed_at, wake_at FROM engross_sessions
    WHERE id < $1 ORDER BY id DESC LIMIT $2";
pub(super) const SIZE: &str = "
    SELECT coalesce((SELECT sum(length(e.body)) FROM engross_entries e WHERE e.session = s.id), 0)::bigint
        + coalesce((SELECT length(p.state) FROM engross_snapshots p WHERE p.session = s.id), 0)::bigint
    FROM engross_sessions s WHERE s.id = $1";
pub(super) const VALUE: &str = "SELECT session, value FROM engross_names WHERE name = $1";
pub(super) const NAMES: &str = "SELECT name, value FROM engross_names WHERE session = $1 ORDER BY name";

pub(super) const VERSION: &str = "SELECT version FROM engross_schema";
