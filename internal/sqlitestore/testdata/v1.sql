-- A store as schema 1 left it: one run of two batches, a blob and an unwritten checkout. Never edit.
BEGIN TRANSACTION;
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
INSERT INTO "batch" VALUES(1,1,1,1767323045000000,X'0000000000000000000000000000000000000000000000000000000000000000',X'DCBB72407293757F0BE6EA04DE7D4988C8D18AD991886722B3E3E0FF26219EF1',NULL,'[{"type":"opened"}]',NULL);
INSERT INTO "batch" VALUES(1,2,2,1767323046000000,X'DCBB72407293757F0BE6EA04DE7D4988C8D18AD991886722B3E3E0FF26219EF1',X'338E4118EFDA1F474A5A70D523D13EC4DEB3D5797718AE3A5CF64D8AA078AA0B',X'2B89115740B9AB3662CBA102CD9993D575A6F3F11E9173D2C51FAAE1AB6F801E','[{"type":"opened"}]',X'720C0C63686170746572206F6E650A');
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
INSERT INTO "checkout" VALUES('one.md',1,'','',2,'sha256:2b89115740b9ab3662cba102cd9993d575a6f3f11e9173d2c51faae1ab6f801e','','working',0,0);
CREATE TABLE counter (
  name TEXT PRIMARY KEY,
  last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE definition (
  digest TEXT PRIMARY KEY,
  body   BLOB NOT NULL
) STRICT;
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
INSERT INTO "run" VALUES(1,'old-run',2,X'338E4118EFDA1F474A5A70D523D13EC4DEB3D5797718AE3A5CF64D8AA078AA0B',1767323046000000,0,'',1767323045000000,'novel','','an old book','running','{"project":"old"}','');
CREATE TABLE run_label (
  key   TEXT    NOT NULL,
  value TEXT    NOT NULL,
  run   INTEGER NOT NULL,
  PRIMARY KEY (key, value, run)
) STRICT, WITHOUT ROWID;
INSERT INTO "run_label" VALUES('project','old',1);
CREATE TABLE schema_version (
		id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL,
		is_applied INTEGER NOT NULL,
		tstamp TIMESTAMP DEFAULT (datetime('now'))
	);
INSERT INTO "schema_version" VALUES(1,0,1,'2026-11-15 02:50:21');
INSERT INTO "schema_version" VALUES(2,1,1,'2026-11-15 02:50:21');
CREATE INDEX run_line ON run (line);
CREATE INDEX run_status ON run (status);
CREATE INDEX run_line_status ON run (line, status);
CREATE UNIQUE INDEX batch_place ON batch (run, last);
CREATE INDEX ask_run ON ask (run);
CREATE INDEX ask_open ON ask (opened) WHERE open = 1;
CREATE INDEX checkout_run ON checkout (run);
CREATE INDEX call_run ON call (run);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('schema_version',2);
COMMIT;
