-- +goose Up

-- Folded states are a cache: dropping every row costs time, never truth.
CREATE TABLE fold (
  run      INTEGER PRIMARY KEY REFERENCES run (n),
  seq      INTEGER NOT NULL,
  revision TEXT    NOT NULL,
  state    BLOB    NOT NULL
) STRICT;

-- What a start must complete is found without reading every path. Few rows are ever in it.
CREATE INDEX checkout_unwritten ON checkout (path) WHERE written = 0;
