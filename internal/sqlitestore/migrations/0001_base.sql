-- +goose Up

-- A run. n is the order of creation and what other tables refer to; a run is never deleted.
-- Columns that change with every step come first, those that lists show come after.
CREATE TABLE run (
  n          INTEGER PRIMARY KEY,
  id         TEXT    NOT NULL UNIQUE,
  seq        INTEGER NOT NULL,
  hash       BLOB    NOT NULL,
  updated    INTEGER NOT NULL,
  epoch      INTEGER NOT NULL,
  driver     TEXT    NOT NULL,
  created    INTEGER NOT NULL,
  line       TEXT    NOT NULL,
  definition TEXT    NOT NULL,
  title      TEXT    NOT NULL,
  status     TEXT    NOT NULL,
  labels     TEXT    NOT NULL,
  summary    TEXT    NOT NULL
) STRICT;
CREATE INDEX run_line ON run (line);
CREATE INDEX run_status ON run (status);
CREATE INDEX run_line_status ON run (line, status);

CREATE TABLE run_label (
  key   TEXT    NOT NULL,
  value TEXT    NOT NULL,
  run   INTEGER NOT NULL,
  PRIMARY KEY (key, value, run)
) STRICT, WITHOUT ROWID;

-- The journal, append-only. bytes is last, so that loading events does not read the pages it overflows to.
CREATE TABLE batch (
  run     INTEGER NOT NULL,
  first   INTEGER NOT NULL,
  last    INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  prev    BLOB    NOT NULL,
  hash    BLOB    NOT NULL,
  digests BLOB,
  events  TEXT    NOT NULL,
  bytes   BLOB
) STRICT;
CREATE UNIQUE INDEX batch_place ON batch (run, last);

CREATE TABLE definition (
  digest TEXT PRIMARY KEY,
  body   BLOB NOT NULL
) STRICT;

CREATE TABLE ask (
  id      TEXT PRIMARY KEY,
  run     INTEGER NOT NULL REFERENCES run (n),
  node    TEXT    NOT NULL,
  kind    TEXT    NOT NULL,
  title   TEXT    NOT NULL,
  version TEXT    NOT NULL,
  digest  TEXT    NOT NULL,
  opened  INTEGER NOT NULL,
  open    INTEGER NOT NULL,
  body    TEXT    NOT NULL
) STRICT;
CREATE INDEX ask_run ON ask (run);
CREATE INDEX ask_open ON ask (opened) WHERE open = 1;

CREATE TABLE checkout (
  path    TEXT PRIMARY KEY,
  run     INTEGER NOT NULL REFERENCES run (n),
  node    TEXT    NOT NULL,
  version TEXT    NOT NULL,
  seq     INTEGER NOT NULL,
  digest  TEXT    NOT NULL,
  before  TEXT    NOT NULL,
  role    TEXT    NOT NULL,
  written INTEGER NOT NULL,
  removed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX checkout_run ON checkout (run);

CREATE TABLE call (
  id            INTEGER PRIMARY KEY,
  run           TEXT    NOT NULL,
  node          TEXT    NOT NULL,
  attempt       TEXT    NOT NULL,
  slot          TEXT    NOT NULL,
  take          INTEGER NOT NULL,
  agent         TEXT    NOT NULL,
  key           TEXT    NOT NULL,
  provider      TEXT    NOT NULL,
  model         TEXT    NOT NULL,
  started       INTEGER NOT NULL,
  ended         INTEGER,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  duration_ns   INTEGER NOT NULL,
  outcome       TEXT    NOT NULL,
  error         TEXT    NOT NULL
) STRICT;
CREATE INDEX call_run ON call (run);

CREATE TABLE reply (
  key           TEXT PRIMARY KEY,
  provider      TEXT    NOT NULL,
  model         TEXT    NOT NULL,
  finish        TEXT    NOT NULL,
  input_tokens  INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  duration_ns   INTEGER NOT NULL,
  at            INTEGER NOT NULL,
  content       BLOB    NOT NULL
) STRICT;

CREATE TABLE counter (
  name TEXT PRIMARY KEY,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
