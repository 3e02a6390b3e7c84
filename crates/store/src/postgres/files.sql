CREATE TABLE engross_files_terms (
    owner text PRIMARY KEY,
    id text NOT NULL,
    term bigint NOT NULL,
    changes bigint NOT NULL DEFAULT 0,
    is_whole boolean NOT NULL DEFAULT false
);
CREATE TABLE engross_files_objects (
    owner text NOT NULL,
    term bigint NOT NULL,
    PRIMARY KEY (owner, term)
);
CREATE TABLE engross_files (
    owner text NOT NULL,
    -- An index has no room for long paths: this is the SHA-256 of the path.
    digest bytea NOT NULL,
    path text NOT NULL,
    is_folder boolean NOT NULL,
    mode bigint NOT NULL,
    modified bigint NOT NULL,
    parts text NOT NULL,
    tail bytea NOT NULL,
    changed bigint NOT NULL,
    PRIMARY KEY (owner, digest)
);
CREATE INDEX engross_files_changed ON engross_files (owner, changed);
