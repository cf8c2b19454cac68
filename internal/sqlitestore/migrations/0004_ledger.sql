-- +goose Up

-- Who is changing what stands at a place outside. A row stays; driver is empty while nobody is.
CREATE TABLE claim (
  place  TEXT PRIMARY KEY,
  key    TEXT    NOT NULL,
  driver TEXT    NOT NULL,
  number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What was published, in the order it was written. status and body of a row change when a later one takes its place.
CREATE TABLE ledger (
  n       INTEGER PRIMARY KEY,
  id      TEXT    NOT NULL UNIQUE,
  feature TEXT    NOT NULL,
  target  TEXT    NOT NULL,
  key     TEXT    NOT NULL,
  status  TEXT    NOT NULL,
  at      INTEGER NOT NULL,
  body    TEXT    NOT NULL
) STRICT;
CREATE INDEX ledger_feature ON ledger (feature, target, status);

-- The name of this workspace among those that publish to the same target. One row, made when it is first needed.
CREATE TABLE identity (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  id  TEXT NOT NULL
) STRICT;
