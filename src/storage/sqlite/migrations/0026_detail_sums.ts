/**
 * Hourly sums with the key, the endpoint and what is bought besides tokens. From now on they are
 * written with the other sums; what those cover already is added afterwards, the newest calls first,
 * a few at a time: `detail_backfill_seq` is the last ledger row whose call is still to be added, 0 for
 * none, and `detail_whole_since` the time (milliseconds) from which on nothing is missing.
 *
 * @module
 */

const COVERED =
  "coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = 'usage_covers_ledger_seq'), 0)";

/** SQL of schema version 26. */
export const detailSums = `
CREATE TABLE detail_hourly (
  hour INTEGER NOT NULL CHECK (hour >= 0),
  project_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  capability TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  route TEXT NOT NULL,
  calls INTEGER NOT NULL CHECK (calls >= 1),
  prompt_tokens INTEGER NOT NULL CHECK (prompt_tokens >= 0),
  completion_tokens INTEGER NOT NULL CHECK (completion_tokens >= 0),
  cost_e8 INTEGER NOT NULL CHECK (cost_e8 >= 0),
  sale_e8 INTEGER NOT NULL CHECK (sale_e8 >= 0),
  charged_e8 INTEGER NOT NULL CHECK (charged_e8 >= 0),
  loss_e8 INTEGER NOT NULL CHECK (loss_e8 >= 0),
  failed_calls INTEGER NOT NULL CHECK (failed_calls >= 0),
  cached_tokens INTEGER NOT NULL CHECK (cached_tokens >= 0),
  reasoning_tokens INTEGER NOT NULL CHECK (reasoning_tokens >= 0),
  images INTEGER NOT NULL CHECK (images >= 0),
  characters INTEGER NOT NULL CHECK (characters >= 0),
  audio_seconds INTEGER NOT NULL CHECK (audio_seconds >= 0),
  searches INTEGER NOT NULL CHECK (searches >= 0),
  films INTEGER NOT NULL CHECK (films >= 0),
  film_seconds INTEGER NOT NULL CHECK (film_seconds >= 0),
  PRIMARY KEY (hour, project_id, key_id, capability, model, provider, route)
) STRICT, WITHOUT ROWID;

INSERT INTO meta (name, value) VALUES ('detail_backfill_seq', CAST(${COVERED} AS TEXT));

INSERT INTO meta (name, value) VALUES ('detail_whole_since', CAST(coalesce(
  (SELECT at FROM ledger WHERE seq = ${COVERED}), (SELECT max(before_at) FROM checkpoints), 0
) AS TEXT));
`;
