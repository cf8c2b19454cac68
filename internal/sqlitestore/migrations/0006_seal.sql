-- +goose Up

-- Proof that the limits in the row were set by the person who uses it: a store may come from a stranger.
ALTER TABLE budget ADD COLUMN seal TEXT NOT NULL DEFAULT '';
