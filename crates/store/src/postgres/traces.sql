CREATE TABLE engross_traces (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session text NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    type varchar(50) NOT NULL,
    tool varchar(255),
    call varchar(255),
    details jsonb NOT NULL,
    error jsonb
);

CREATE INDEX engross_traces_session ON engross_traces (session, seq);
CREATE INDEX engross_traces_at ON engross_traces (at);
