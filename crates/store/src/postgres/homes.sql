CREATE TABLE engross_homes (
    owner text PRIMARY KEY,
    holder text NOT NULL,
    address text NOT NULL,
    until bigint NOT NULL
);
