-- +goose Up

-- What SQL clients read of runs, one JSON object per row. A projection: every row can be written anew from the journal,
-- and each commits with the events it follows from.
CREATE TABLE reader_row (
  run  INTEGER NOT NULL REFERENCES run (n),
  tab  TEXT    NOT NULL,
  key  TEXT    NOT NULL,
  body TEXT    NOT NULL
) STRICT;
CREATE UNIQUE INDEX reader_row_place ON reader_row (run, tab, key);

-- Runs that were written before there were rows. The next program that opens the store writes them.
CREATE TABLE reader_due (run INTEGER PRIMARY KEY REFERENCES run (n)) STRICT;
INSERT INTO reader_due (run) SELECT n FROM run WHERE line = 'task';

-- The tables of plans. Columns are a promise: they are added to, and never change their meaning.

CREATE VIEW plans AS
SELECT r.id AS plan_id,
  json_extract(p.body, '$.root_task_id') AS root_task_id,
  json_extract(p.body, '$.title') AS title,
  json_extract(p.body, '$.top_task') AS top_task,
  json_extract(s.body, '$.status') AS status,
  json_extract(p.body, '$.constraints') AS constraints,
  json_extract(p.body, '$.created_at') AS created_at
FROM run r
JOIN reader_row p ON p.run = r.n AND p.tab = 'plan'
LEFT JOIN reader_row s ON s.run = p.run AND s.tab = 'plan_state' AND s.key = p.key
WHERE r.line = 'task';

-- What the plan says of a task and where the task stands are rows of their own: the one is large and rarely changes,
-- the other is small and changes with every step.
CREATE VIEW task_nodes AS
SELECT n.key AS task_id,
  r.id AS plan_id,
  json_extract(n.body, '$.node_type') AS node_type,
  json_extract(n.body, '$.title') AS title,
  json_extract(n.body, '$.goal_statement') AS goal_statement,
  json_extract(n.body, '$.rationale') AS rationale,
  json_extract(n.body, '$.owner_agent_id') AS owner_agent_id,
  json_extract(n.body, '$.priority') AS priority,
  json_extract(n.body, '$.tags') AS tags,
  coalesce(json_extract(s.body, '$.status'), json_extract(n.body, '$.status')) AS status,
  json_extract(s.body, '$.blocked_reason') AS blocked_reason,
  coalesce(json_extract(s.body, '$.attempt_count'), 0) AS attempt_count,
  json_extract(s.body, '$.active_artifact_id') AS active_artifact_id,
  json_extract(s.body, '$.approved_artifact_id') AS approved_artifact_id,
  json_extract(n.body, '$.estimated_person_days') AS estimated_person_days,
  json_extract(n.body, '$.deliverable_spec') AS deliverable_spec,
  json_extract(n.body, '$.acceptance_criteria') AS acceptance_criteria,
  json_extract(n.body, '$.review_target_task_id') AS review_target_task_id,
  json_extract(n.body, '$.review_output_spec') AS review_output_spec,
  json_extract(n.body, '$.root_acceptance_criteria') AS root_acceptance_criteria,
  json_extract(n.body, '$.final_deliverable_spec') AS final_deliverable_spec
FROM run r
JOIN reader_row n ON n.run = r.n AND n.tab = 'task_node'
LEFT JOIN reader_row s ON s.run = n.run AND s.tab = 'task_state' AND s.key = n.key
WHERE r.line = 'task';

CREATE VIEW task_edges AS
SELECT json_extract(e.body, '$.edge_id') AS edge_id,
  r.id AS plan_id,
  json_extract(e.body, '$.from_task_id') AS from_task_id,
  json_extract(e.body, '$.to_task_id') AS to_task_id,
  json_extract(e.body, '$.edge_type') AS edge_type,
  json_extract(e.body, '$.metadata') AS metadata
FROM run r
JOIN reader_row e ON e.run = r.n AND e.tab = 'task_edge'
WHERE r.line = 'task';

CREATE VIEW artifacts AS
SELECT a.key AS artifact_id,
  json_extract(a.body, '$.task_id') AS task_id,
  json_extract(a.body, '$.version') AS version,
  json_extract(a.body, '$.path') AS path,
  json_extract(a.body, '$.format') AS format,
  json_extract(a.body, '$.sha256') AS sha256,
  json_extract(a.body, '$.created_at') AS created_at,
  r.id AS plan_id
FROM run r
JOIN reader_row a ON a.run = r.n AND a.tab = 'artifact'
WHERE r.line = 'task';

CREATE VIEW reviews AS
SELECT v.key AS review_id,
  json_extract(v.body, '$.check_task_id') AS check_task_id,
  json_extract(v.body, '$.review_target_task_id') AS review_target_task_id,
  json_extract(v.body, '$.reviewed_artifact_id') AS reviewed_artifact_id,
  json_extract(v.body, '$.verdict') AS verdict,
  json_extract(v.body, '$.total_score') AS total_score,
  json_extract(v.body, '$.acceptance_results') AS acceptance_results,
  json_extract(v.body, '$.summary') AS summary,
  json_extract(v.body, '$.reviewer') AS reviewer,
  json_extract(v.body, '$.created_at') AS created_at,
  json_extract(v.body, '$.idempotency_key') AS idempotency_key,
  r.id AS plan_id
FROM run r
JOIN reader_row v ON v.run = r.n AND v.tab = 'review'
WHERE r.line = 'task';

-- Events are read from the journal itself.
CREATE VIEW task_events AS
SELECT r.id AS plan_id,
  b.first + e.key AS event_id,
  coalesce(json_extract(e.value, '$.fact.node'), json_extract(e.value, '$.fact.version.node'),
    json_extract(e.value, '$.fact.review.node'), json_extract(e.value, '$.fact.ask.node')) AS task_id,
  json_extract(e.value, '$.type') AS event_type,
  json_extract(e.value, '$.fact') AS payload,
  trim(json_extract(e.value, '$.by.kind') || ' ' || coalesce(json_extract(e.value, '$.by.name'), '')) AS actor,
  -- six digits always, as in the other tables, so that times as text stand in their order
  substr(rtrim(json_extract(e.value, '$.at'), 'Z') || CASE WHEN instr(json_extract(e.value, '$.at'), '.') > 0 THEN '' ELSE '.' END || '000000',
    1, 26) || 'Z' AS created_at
FROM run r
JOIN batch b ON b.run = r.n
JOIN json_each(b.events) e
WHERE r.line = 'task';
