//! The statements, each one round trip. Tables and functions are in `schema.sql`.

use tokio_postgres::types::Type;

use super::asking::Statement;

pub(super) const CREATE: Statement = Statement {
    text: "SELECT answer, number, other FROM engross_create($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    given: &[
        Type::BYTEA,
        Type::TEXT,
        Type::INT8,
        Type::INT8,
        Type::TEXT_ARRAY,
        Type::INT8_ARRAY,
        Type::BYTEA_ARRAY,
        Type::TEXT_ARRAY,
        Type::BYTEA_ARRAY,
        Type::BYTEA,
    ],
};
pub(super) const APPEND: Statement = Statement {
    text: "SELECT answer, number, name, other FROM engross_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    given: &[
        Type::BYTEA,
        Type::INT8,
        Type::INT8,
        Type::TEXT_ARRAY,
        Type::INT8_ARRAY,
        Type::BYTEA_ARRAY,
        Type::TEXT_ARRAY,
        Type::BYTEA_ARRAY,
        Type::BYTEA,
        Type::BOOL,
        Type::INT8,
    ],
};
pub(super) const BY_NAME: Statement = Statement {
    text: "
    SELECT s.id, s.key, s.head, s.created_at, s.wake_at, p.seq, p.state
    FROM engross_names n JOIN engross_sessions s ON s.id = n.session
    LEFT JOIN engross_snapshots p ON p.session = s.id
    WHERE n.name = $1",
    given: &[Type::TEXT],
};
pub(super) const BY_ID: Statement = Statement {
    text: "
    SELECT s.id, s.key, s.head, s.created_at, s.wake_at, p.seq, p.state
    FROM engross_sessions s LEFT JOIN engross_snapshots p ON p.session = s.id
    WHERE s.id = $1",
    given: &[Type::BYTEA],
};
pub(super) const ENTRIES: Statement = Statement {
    text: "
    SELECT seq, kind, at, body FROM engross_entries
    WHERE session = $1 AND seq > $2 AND seq <= $3 ORDER BY seq LIMIT $4",
    given: &[Type::BYTEA, Type::INT8, Type::INT8, Type::INT8],
};
pub(super) const EXISTS: Statement =
    Statement { text: "SELECT EXISTS (SELECT 1 FROM engross_sessions WHERE id = $1)", given: &[Type::BYTEA] };
pub(super) const LEASE: Statement = Statement {
    text: "
    WITH taken AS (
        UPDATE engross_sessions
        SET fence = CASE WHEN holder = $2 AND leased_until > $3 THEN fence ELSE fence + 1 END,
            holder = $2, leased_until = $4
        WHERE id = $1 AND (leased_until <= $3 OR holder = $2 OR leased_until > $5)
        RETURNING fence
    )
    SELECT EXISTS (SELECT 1 FROM engross_sessions WHERE id = $1), (SELECT fence FROM taken),
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
    given: &[Type::BYTEA, Type::TEXT, Type::INT8, Type::INT8, Type::INT8],
};
pub(super) const RENEW: Statement = Statement {
    text: "
    WITH kept AS (
        UPDATE engross_sessions s SET leased_until = $5
        FROM unnest($1::bytea[], $2::bigint[]) AS own (id, fence)
        WHERE s.id = own.id AND s.fence = own.fence AND s.holder = $3 AND s.leased_until > $4
        RETURNING s.id
    )
    SELECT clock.millis, kept.id
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS millis) AS clock
    LEFT JOIN kept ON true",
    given: &[Type::BYTEA_ARRAY, Type::INT8_ARRAY, Type::TEXT, Type::INT8, Type::INT8],
};
pub(super) const RELEASE: Statement = Statement {
    text: "
    WITH freed AS (
        UPDATE engross_sessions SET holder = NULL, leased_until = 0 WHERE id = $1 AND fence = $2
    )
    SELECT EXISTS (SELECT 1 FROM engross_sessions WHERE id = $1)",
    given: &[Type::BYTEA, Type::INT8],
};
pub(super) const DELETE: Statement = Statement {
    text: "
    WITH names AS (DELETE FROM engross_names WHERE session = $1),
        entries AS (DELETE FROM engross_entries WHERE session = $1),
        snapshots AS (DELETE FROM engross_snapshots WHERE session = $1),
        sessions AS (DELETE FROM engross_sessions WHERE id = $1 RETURNING 1)
    SELECT EXISTS (SELECT 1 FROM sessions)",
    given: &[Type::BYTEA],
};
pub(super) const DUE: Statement = Statement {
    text: "
    SELECT clock.millis, due.id
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS millis) AS clock
    LEFT JOIN LATERAL (
        SELECT id, wake_at FROM engross_sessions WHERE wake_at <= $1 ORDER BY wake_at, id LIMIT $2
    ) AS due ON true
    ORDER BY due.wake_at, due.id",
    given: &[Type::INT8, Type::INT8],
};
pub(super) const CLOCK: Statement =
    Statement { text: "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint", given: &[] };
pub(super) const LIST: Statement = Statement {
    text: "
    SELECT id, key, head, created_at, changed_at, wake_at FROM engross_sessions
    WHERE id < $1 ORDER BY id DESC LIMIT $2",
    given: &[Type::BYTEA, Type::INT8],
};
pub(super) const LIST_GROUP: Statement = Statement {
    text: "
    SELECT id, key, head, created_at, changed_at, wake_at FROM engross_sessions
    WHERE split_part(key, E'\\x01', 2) = $3 AND id < $1 ORDER BY id DESC LIMIT $2",
    given: &[Type::BYTEA, Type::INT8, Type::TEXT],
};
pub(super) const UNCHANGED: Statement = Statement {
    text: "
    SELECT id, key, head, created_at, changed_at, wake_at FROM engross_sessions
    WHERE id > $1 AND id < $2 AND changed_at <= $3 ORDER BY id LIMIT $4",
    given: &[Type::BYTEA, Type::BYTEA, Type::INT8, Type::INT8],
};
/// Nobody waits for anybody: whose row another transaction has is not idle.
pub(super) const DELETE_IDLE: Statement = Statement {
    text: "
    WITH idle AS (
        SELECT s.id FROM unnest($1::bytea[], $2::bigint[]) AS own (id, head)
        JOIN engross_sessions s ON s.id = own.id AND s.head = own.head
        WHERE s.leased_until <= $3 OR s.leased_until > $4
        FOR UPDATE OF s SKIP LOCKED
    ),
        names AS (DELETE FROM engross_names n USING idle WHERE n.session = idle.id),
        entries AS (DELETE FROM engross_entries e USING idle WHERE e.session = idle.id),
        snapshots AS (DELETE FROM engross_snapshots p USING idle WHERE p.session = idle.id),
        sessions AS (DELETE FROM engross_sessions s USING idle WHERE s.id = idle.id RETURNING s.id)
    SELECT id FROM sessions",
    given: &[Type::BYTEA_ARRAY, Type::INT8_ARRAY, Type::INT8, Type::INT8],
};
pub(super) const GROUP_SIZE: Statement = Statement {
    text: "
    SELECT coalesce(sum(
        coalesce((SELECT sum(length(e.body)) FROM engross_entries e WHERE e.session = s.id), 0)
        + coalesce((SELECT length(p.state) FROM engross_snapshots p WHERE p.session = s.id), 0)), 0)::bigint
    FROM engross_sessions s WHERE split_part(s.key, E'\\x01', 2) = $1",
    given: &[Type::TEXT],
};
pub(super) const SIZE: Statement = Statement {
    text: "
    SELECT coalesce((SELECT sum(length(e.body)) FROM engross_entries e WHERE e.session = s.id), 0)::bigint
        + coalesce((SELECT length(p.state) FROM engross_snapshots p WHERE p.session = s.id), 0)::bigint
    FROM engross_sessions s WHERE s.id = $1",
    given: &[Type::BYTEA],
};
pub(super) const VALUE: Statement =
    Statement { text: "SELECT session, value FROM engross_names WHERE name = $1", given: &[Type::TEXT] };
pub(super) const NAMES: Statement = Statement {
    text: "SELECT name, value FROM engross_names WHERE session = $1 ORDER BY name",
    given: &[Type::BYTEA],
};

pub(super) const VERSION: Statement = Statement { text: "SELECT version FROM engross_schema", given: &[] };
