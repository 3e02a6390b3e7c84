-- What many sessions need: deletion and listing must not look through what is not asked for.
CREATE INDEX engross_names_session ON engross_names (session);
-- The group of a key, as in Name::group.
CREATE INDEX engross_sessions_group ON engross_sessions (split_part(key, E'\x01', 2), id);
