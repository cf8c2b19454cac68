-- +goose Up

-- What was spent in a run or on a day, and what a person said about it. Adding up calls instead would cost more with each.
CREATE TABLE budget (
  scope      TEXT PRIMARY KEY,
  tokens     INTEGER NOT NULL DEFAULT 0,
  cost       INTEGER NOT NULL DEFAULT 0,
  unpriced   INTEGER NOT NULL DEFAULT 0,
  max_tokens INTEGER,
  max_cost   INTEGER,
  warned     INTEGER NOT NULL DEFAULT 0,
  cheaper    INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

ALTER TABLE call ADD COLUMN step TEXT NOT NULL DEFAULT '';
ALTER TABLE call ADD COLUMN cached_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call ADD COLUMN cost INTEGER;
ALTER TABLE call ADD COLUMN driver TEXT NOT NULL DEFAULT '';
ALTER TABLE call ADD COLUMN held_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE call ADD COLUMN held_cost INTEGER NOT NULL DEFAULT 0;

-- Reservations of calls under way. Few rows are ever in it.
CREATE INDEX call_held ON call (driver) WHERE outcome = 'open' AND held_tokens > 0;

INSERT INTO budget (scope, tokens, unpriced)
SELECT 'run/' || run, sum(input_tokens + output_tokens), sum(input_tokens + output_tokens)
FROM call WHERE outcome IN ('answered', 'failed') GROUP BY run;

INSERT INTO budget (scope, tokens, unpriced)
SELECT 'day/' || strftime('%Y-%m-%d', started / 1000000, 'unixepoch'), sum(input_tokens + output_tokens), sum(input_tokens + output_tokens)
FROM call WHERE outcome IN ('answered', 'failed') GROUP BY strftime('%Y-%m-%d', started / 1000000, 'unixepoch');
