/**
 * The statements of the projection. A batch is one statement, so rows and checkpoint are one transaction and one round
 * trip; nothing is written unless the checkpoint stood where the batch begins (`moved`).
 */
export const commitStatement = (schema: string): string => `
WITH moved AS (
  UPDATE ${schema}.checkpoints SET log_id = $2, position = $3
  WHERE name = $1 AND log_id = $4 AND position = $5 RETURNING 1
), cleared AS (
  DELETE FROM ${schema}.messages m USING unnest($6::text[], $7::int[]) AS c(session, revision)
  WHERE m.session = c.session AND m.revision <= c.revision AND EXISTS (SELECT FROM moved)
), written_sessions AS (
  INSERT INTO ${schema}.sessions (session, project, title, created_at, last_run, last_status, cost, message_count,
    has_open_text, folded_to, is_hidden)
  SELECT session, project, title, created_at, last_run, last_status, cost::numeric, message_count,
    has_open_text, folded_to, is_hidden
  FROM unnest($8::text[], $9::text[], $10::bytea[], $11::bigint[], $12::text[], $13::text[], $14::text[],
    $15::int[], $16::bool[], $17::int[], $18::bool[])
    AS s(session, project, title, created_at, last_run, last_status, cost, message_count, has_open_text, folded_to,
      is_hidden)
  WHERE EXISTS (SELECT FROM moved)
  ON CONFLICT (session) DO UPDATE SET title = EXCLUDED.title, last_run = EXCLUDED.last_run,
    last_status = EXCLUDED.last_status, cost = EXCLUDED.cost, message_count = EXCLUDED.message_count,
    has_open_text = EXCLUDED.has_open_text, folded_to = EXCLUDED.folded_to, is_hidden = EXCLUDED.is_hidden
), written_runs AS (
  INSERT INTO ${schema}.runs AS old (run_id, session, project, requested, status, mode, model, trigger, actor,
    created_at, started_at, ended_at, cost, input_tokens, output_tokens, error_code, error_message, error_retryable,
    last_event_id, warnings)
  SELECT run_id, session, project, requested, status, mode, model, trigger, actor, created_at, started_at, ended_at,
    cost::numeric, input_tokens, output_tokens, error_code, error_message, error_retryable, last_event_id, warnings
  FROM unnest($19::text[], $20::text[], $21::text[], $22::int[], $23::text[], $24::text[], $25::text[], $26::text[],
    $27::text[], $28::bigint[], $29::bigint[], $30::bigint[], $31::text[], $32::bigint[], $33::bigint[], $34::text[],
    $35::bytea[], $36::bool[], $37::int[], $38::bytea[])
    AS r(run_id, session, project, requested, status, mode, model, trigger, actor, created_at, started_at, ended_at,
      cost, input_tokens, output_tokens, error_code, error_message, error_retryable, last_event_id, warnings)
  WHERE EXISTS (SELECT FROM moved)
  ON CONFLICT (run_id) DO UPDATE SET status = EXCLUDED.status, started_at = EXCLUDED.started_at,
    ended_at = EXCLUDED.ended_at, cost = EXCLUDED.cost, input_tokens = EXCLUDED.input_tokens,
    output_tokens = EXCLUDED.output_tokens, error_code = EXCLUDED.error_code,
    error_message = EXCLUDED.error_message, error_retryable = EXCLUDED.error_retryable,
    last_event_id = EXCLUDED.last_event_id, warnings = EXCLUDED.warnings
  -- A request that came a second time, long after its run, is another revision and changes nothing.
  WHERE old.requested = EXCLUDED.requested
), written_messages AS (
  INSERT INTO ${schema}.messages (session, revision, contents)
  SELECT * FROM unnest($39::text[], $40::int[], $41::bytea[])
  WHERE EXISTS (SELECT FROM moved)
  ON CONFLICT (session, revision) DO NOTHING
)
SELECT count(*)::int AS moved FROM moved`;

/** API keys and parked streams change seldom: they are written beside the statement above, in the same transaction. */
export const issueKeysStatement = (schema: string): string => `
INSERT INTO ${schema}.api_keys (id, project, name, scopes, hash, webhook_secret, created_at)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
ON CONFLICT (id) DO NOTHING`;

export const revokeKeysStatement = (schema: string): string => `
UPDATE ${schema}.api_keys k SET revoked_at = r.at
FROM unnest($1::text[], $2::bigint[]) AS r(id, at) WHERE k.id = r.id AND k.revoked_at IS NULL`;

/** A row of an older revision, from events that come a second time, changes nothing. */
export const writeTasksStatement = (schema: string): string => `
INSERT INTO ${schema}.tasks AS old (task_id, session, project, created_at, given, timezone, message, message_is_file,
  requested, status, next_at, firings, last_fired_at, last_run, started_run, revision, actor)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::bytea[], $8::bool[],
  $9::int[], $10::text[], $11::bigint[], $12::text[], $13::bigint[], $14::text[], $15::text[], $16::int[], $17::text[])
ON CONFLICT (task_id) DO UPDATE SET status = EXCLUDED.status, next_at = EXCLUDED.next_at, firings = EXCLUDED.firings,
  last_fired_at = EXCLUDED.last_fired_at, last_run = EXCLUDED.last_run, started_run = EXCLUDED.started_run,
  revision = EXCLUDED.revision, actor = EXCLUDED.actor
WHERE old.revision <= EXCLUDED.revision`;

export const parkStatement = (schema: string): string => `
INSERT INTO ${schema}.parked_streams (stream, revision, reason)
SELECT * FROM unnest($1::text[], $2::int[], $3::text[])
ON CONFLICT (stream) DO UPDATE SET revision = EXCLUDED.revision, reason = EXCLUDED.reason`;

export const freeStatement = (schema: string): string =>
  `DELETE FROM ${schema}.parked_streams WHERE stream = ANY ($1)`;

/** Of these sessions no row is left. They come after the rows of the same batch. */
export const eraseStatements = (schema: string): readonly string[] =>
  ['messages', 'runs', 'tasks', 'sessions'].map(
    (table) => `DELETE FROM ${schema}.${table} WHERE session = ANY ($1::text[])`,
  );

/** Makes the row that `moved` updates, the first time. */
export const beginStatement = (schema: string): string => `
INSERT INTO ${schema}.checkpoints (name, log_id, position) VALUES ($1, $2, 0) ON CONFLICT (name) DO NOTHING`;

/** The runs that may still change and the newest of the others. */
export const loadRunsStatement = (schema: string): string => `
SELECT r.* FROM unnest($1::text[]) AS s(session) CROSS JOIN LATERAL (
  (SELECT * FROM ${schema}.runs WHERE session = s.session ORDER BY requested DESC LIMIT 64)
  UNION
  (SELECT * FROM ${schema}.runs WHERE session = s.session
    AND (status IN ('queued', 'running') OR (status = 'cancelled' AND last_event_id IS NULL)))
) r ORDER BY r.requested`;
