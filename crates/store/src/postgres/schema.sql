CREATE TABLE engross_sessions (
    id bytea PRIMARY KEY CHECK (length(id) = 16),
    key text NOT NULL,
    head bigint NOT NULL,
    created_at bigint NOT NULL,
    changed_at bigint NOT NULL,
    wake_at bigint,
    fence bigint NOT NULL DEFAULT 0,
    holder text,
    leased_until bigint NOT NULL DEFAULT 0
);
CREATE INDEX engross_sessions_due ON engross_sessions (wake_at, id) WHERE wake_at IS NOT NULL;

CREATE TABLE engross_entries (
    session bytea NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL,
    at bigint NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (session, seq)
);

CREATE TABLE engross_snapshots (
    session bytea PRIMARY KEY,
    seq bigint NOT NULL,
    state bytea NOT NULL
);

CREATE TABLE engross_names (
    name text COLLATE "C" PRIMARY KEY,
    session bytea NOT NULL,
    value bytea NOT NULL
);

-- Writes what stands behind a head. Names are taken in their own order, so that two writers never wait for each other;
-- one that somebody else has taken in this moment ends the transaction, and the client asks again.
CREATE FUNCTION engross_put(
    p_session bytea, p_head bigint, p_kinds text[], p_ats bigint[], p_bodies bytea[],
    p_names text[], p_values bytea[], p_snapshot bytea
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    taken bigint;
BEGIN
    INSERT INTO engross_names (name, session, value)
        SELECT n.name, p_session, n.value FROM unnest(p_names, p_values) AS n (name, value)
        ORDER BY n.name COLLATE "C"
        ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS taken = ROW_COUNT;
    IF taken < cardinality(p_names) THEN
        RAISE EXCEPTION 'a name was taken in this moment' USING ERRCODE = 'ENG01';
    END IF;
    INSERT INTO engross_entries (session, seq, kind, at, body)
        SELECT p_session, p_head + e.number, e.kind, e.at, e.body
        FROM unnest(p_kinds, p_ats, p_bodies) WITH ORDINALITY AS e (kind, at, body, number);
    IF p_snapshot IS NOT NULL THEN
        INSERT INTO engross_snapshots (session, seq, state)
            VALUES (p_session, p_head + cardinality(p_kinds), p_snapshot)
            ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, state = excluded.state;
    END IF;
END $$;

-- Answers 'created', 'known' with the session, or 'conflict' with the head.
CREATE FUNCTION engross_create(
    p_session bytea, p_key text, p_at bigint, p_wake bigint, p_kinds text[], p_ats bigint[], p_bodies bytea[],
    p_names text[], p_values bytea[], p_snapshot bytea,
    OUT answer text, OUT number bigint, OUT other bytea
) LANGUAGE plpgsql AS $$
BEGIN
    SELECT n.session INTO other FROM engross_names n WHERE n.name = ANY (p_names)
        ORDER BY array_position(p_names, n.name) LIMIT 1;
    IF FOUND THEN
        answer := 'known';
        RETURN;
    END IF;
    INSERT INTO engross_sessions (id, key, head, created_at, changed_at, wake_at)
        VALUES (p_session, p_key, cardinality(p_kinds), p_at, coalesce(p_ats[cardinality(p_ats)], p_at), p_wake)
        ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
        SELECT s.head INTO number FROM engross_sessions s WHERE s.id = p_session;
        answer := 'conflict';
        RETURN;
    END IF;
    PERFORM engross_put(p_session, 0, p_kinds, p_ats, p_bodies, p_names, p_values, p_snapshot);
    answer := 'created';
END $$;

-- Answers 'done' with the new head, 'unknown', 'fenced' with the newest fence, 'conflict' with the head, or 'taken' with
-- the first name that is known and where it leads.
CREATE FUNCTION engross_append(
    p_session bytea, p_fence bigint, p_head bigint, p_kinds text[], p_ats bigint[], p_bodies bytea[],
    p_names text[], p_values bytea[], p_snapshot bytea, p_sets_wake boolean, p_wake bigint,
    OUT answer text, OUT number bigint, OUT name text, OUT other bytea
) LANGUAGE plpgsql AS $$
DECLARE
    found_head bigint;
    found_fence bigint;
BEGIN
    SELECT s.head, s.fence INTO found_head, found_fence FROM engross_sessions s WHERE s.id = p_session FOR UPDATE;
    IF NOT FOUND THEN
        answer := 'unknown';
        RETURN;
    END IF;
    IF p_fence <> found_fence THEN
        answer := 'fenced';
        number := found_fence;
        RETURN;
    END IF;
    IF p_head <> found_head THEN
        answer := 'conflict';
        number := found_head;
        RETURN;
    END IF;
    IF cardinality(p_names) > 0 THEN
        SELECT n.name, n.session INTO name, other FROM engross_names n WHERE n.name = ANY (p_names)
            ORDER BY array_position(p_names, n.name) LIMIT 1;
        IF FOUND THEN
            answer := 'taken';
            RETURN;
        END IF;
    END IF;
    PERFORM engross_put(p_session, p_head, p_kinds, p_ats, p_bodies, p_names, p_values, p_snapshot);
    number := p_head + cardinality(p_kinds);
    answer := 'done';
    IF cardinality(p_kinds) > 0 OR p_sets_wake THEN
        UPDATE engross_sessions s
            SET head = engross_append.number,
                changed_at = coalesce(p_ats[cardinality(p_ats)], s.changed_at),
                wake_at = CASE WHEN p_sets_wake THEN p_wake ELSE s.wake_at END
            WHERE s.id = p_session;
    END IF;
END $$;
