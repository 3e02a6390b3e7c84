CREATE TABLE engross_nodes (
    node text PRIMARY KEY,
    until bigint NOT NULL
);
