/**
 * The first schema: accounts, catalogue, calls, ledger and hourly usage.
 *
 * The CHECKs say again what the writer decides, so that no code and no hand can
 * store a state that the state machine does not know. The indexes of `calls` and
 * `ledger` are partial and hold few rows (open calls, references): what a call
 * costs must not grow with the number of calls. Texts never hold U+0000: the
 * runtime reads a text only up to it.
 *
 * @module
 */

/** Largest amount that is ever stored, `MAX_AMOUNT_E8`: sums of two stay inside 64 bits. */
const MAX_E8 = "999999999999999999";

/**
 * Compares one by one: for `IN` with more than two texts SQLite builds a
 * temporary index on every insert, which costs more than the insert.
 */
function oneOf(column: string, texts: readonly string[]): string {
  return texts.map((text) => `${column} = '${text}'`).join(" OR ");
}

/** SQL of schema version 1. */
export const accountsCallsLedger = `
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  id TEXT PRIMARY KEY CHECK (id <> '' AND instr(id, char(0)) = 0),
  unlimited INTEGER NOT NULL CHECK (unlimited IN (0, 1)),
  disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
  models TEXT NOT NULL CHECK (json_valid(models) AND json_type(models) = 'array'),
  limits TEXT NOT NULL CHECK (json_valid(limits) AND json_type(limits) = 'object'),
  created_at INTEGER NOT NULL CHECK (created_at >= 0),
  avail_e8 INTEGER NOT NULL DEFAULT 0 CHECK (avail_e8 BETWEEN 0 AND ${MAX_E8}),
  held_e8 INTEGER NOT NULL DEFAULT 0 CHECK (held_e8 BETWEEN 0 AND ${MAX_E8}),
  CHECK (avail_e8 + held_e8 <= ${MAX_E8})
) STRICT, WITHOUT ROWID;

CREATE TABLE keys (
  id TEXT PRIMARY KEY CHECK (id <> '' AND instr(id, char(0)) = 0),
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL CHECK (instr(name, char(0)) = 0),
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  models TEXT CHECK (models IS NULL OR (json_valid(models) AND json_type(models) = 'array')),
  limits TEXT NOT NULL CHECK (json_valid(limits) AND json_type(limits) = 'object'),
  expires_at INTEGER CHECK (expires_at >= 0),
  disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
  created_at INTEGER NOT NULL CHECK (created_at >= 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX keys_by_project ON keys (project_id);

CREATE TABLE price_versions (
  version INTEGER PRIMARY KEY CHECK (version >= 1),
  route_id TEXT NOT NULL CHECK (route_id <> ''),
  currency TEXT NOT NULL CHECK (currency <> ''),
  cost TEXT CHECK (cost IS NULL OR json_valid(cost)),
  sale TEXT CHECK (sale IS NULL OR json_valid(sale)),
  created_at INTEGER NOT NULL CHECK (created_at >= 0),
  checksum INTEGER NOT NULL
) STRICT;

CREATE INDEX price_versions_by_route ON price_versions (route_id, version);

CREATE TRIGGER price_versions_keep_rows BEFORE DELETE ON price_versions
BEGIN SELECT RAISE(ABORT, 'price versions are append-only'); END;

CREATE TRIGGER price_versions_keep_columns BEFORE UPDATE ON price_versions
BEGIN SELECT RAISE(ABORT, 'price versions are append-only'); END;

CREATE TABLE providers (
  id TEXT PRIMARY KEY CHECK (id <> '' AND instr(id, char(0)) = 0),
  position INTEGER NOT NULL UNIQUE CHECK (position >= 0),
  document TEXT NOT NULL CHECK (json_valid(document))
) STRICT, WITHOUT ROWID;

CREATE TABLE models (
  id TEXT PRIMARY KEY CHECK (id <> '' AND instr(id, char(0)) = 0),
  position INTEGER NOT NULL UNIQUE CHECK (position >= 0),
  kind TEXT NOT NULL CHECK (${oneOf("kind", ["chat", "embedding", "video"])}),
  document TEXT NOT NULL CHECK (json_valid(document))
) STRICT, WITHOUT ROWID;

CREATE TABLE routes (
  id TEXT PRIMARY KEY CHECK (id <> '' AND instr(id, char(0)) = 0),
  position INTEGER NOT NULL UNIQUE CHECK (position >= 0),
  model_id TEXT NOT NULL REFERENCES models (id),
  provider_id TEXT NOT NULL REFERENCES providers (id),
  price_version INTEGER NOT NULL REFERENCES price_versions (version),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  maintenance INTEGER NOT NULL CHECK (maintenance IN (0, 1)),
  written_enabled INTEGER NOT NULL CHECK (written_enabled IN (0, 1)),
  written_maintenance INTEGER NOT NULL CHECK (written_maintenance IN (0, 1)),
  document TEXT NOT NULL CHECK (json_valid(document))
) STRICT, WITHOUT ROWID;

CREATE TABLE calls (
  call_id INTEGER PRIMARY KEY CHECK (call_id >= 1),
  request_id TEXT NOT NULL CHECK (request_id <> ''),
  project_id TEXT NOT NULL,
  key_id TEXT NOT NULL,
  capability TEXT NOT NULL CHECK (${
  oneOf("capability", ["chat", "responses", "embeddings", "videos"])
}),
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  route TEXT NOT NULL,
  price_version INTEGER NOT NULL CHECK (price_version >= 0),
  held_e8 INTEGER NOT NULL CHECK (held_e8 BETWEEN 0 AND ${MAX_E8}),
  unlimited INTEGER NOT NULL CHECK (unlimited IN (0, 1)),
  stream INTEGER NOT NULL CHECK (stream IN (0, 1)),
  opened_at INTEGER NOT NULL CHECK (opened_at >= 0),
  state TEXT NOT NULL CHECK (${oneOf("state", ["open", "settled", "released"])}),
  result TEXT CHECK (${
  oneOf("result", ["completed", "client_aborted", "upstream_failed", "refused", "gateway_stopped"])
}),
  closed_at INTEGER CHECK (closed_at >= 0),
  first_byte_ms INTEGER CHECK (first_byte_ms >= 0),
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  prompt_tokens INTEGER NOT NULL CHECK (prompt_tokens >= 0),
  completion_tokens INTEGER NOT NULL CHECK (completion_tokens >= 0),
  cached_tokens INTEGER NOT NULL CHECK (cached_tokens >= 0),
  cache_write_tokens INTEGER NOT NULL CHECK (cache_write_tokens >= 0),
  reasoning_tokens INTEGER NOT NULL CHECK (reasoning_tokens >= 0),
  usage_source TEXT CHECK (${oneOf("usage_source", ["reported", "estimated", "none"])}),
  images INTEGER NOT NULL CHECK (images >= 0),
  cost_e8 INTEGER NOT NULL CHECK (cost_e8 BETWEEN 0 AND ${MAX_E8}),
  sale_e8 INTEGER NOT NULL CHECK (sale_e8 BETWEEN 0 AND ${MAX_E8}),
  charged_e8 INTEGER NOT NULL CHECK (charged_e8 >= 0),
  loss_e8 INTEGER NOT NULL CHECK (loss_e8 BETWEEN 0 AND ${MAX_E8}),
  error_code TEXT,
  checksum INTEGER NOT NULL,
  CHECK ((state = 'open') = (closed_at IS NULL)),
  CHECK ((state = 'open') = (result IS NULL)),
  CHECK ((state = 'open') = (usage_source IS NULL)),
  CHECK (charged_e8 <= held_e8),
  CHECK (state = 'settled' OR charged_e8 = 0),
  CHECK (unlimited = 0 OR (held_e8 = 0 AND charged_e8 = 0)),
  CHECK (
    state <> 'open' OR (attempts = 0 AND cost_e8 = 0 AND sale_e8 = 0 AND loss_e8 = 0
      AND first_byte_ms IS NULL AND error_code IS NULL)
  )
) STRICT;

CREATE INDEX calls_open ON calls (call_id) WHERE state = 'open';

CREATE TABLE ledger (
  seq INTEGER PRIMARY KEY CHECK (seq >= 1),
  project_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (${oneOf("kind", ["credit", "settle", "release", "loss"])}),
  amount_e8 INTEGER NOT NULL CHECK (amount_e8 BETWEEN 0 AND ${MAX_E8}),
  balance_after_e8 INTEGER NOT NULL CHECK (balance_after_e8 BETWEEN 0 AND ${MAX_E8}),
  call_id INTEGER,
  reference TEXT,
  at INTEGER NOT NULL CHECK (at >= 0),
  checksum INTEGER NOT NULL,
  CHECK ((kind = 'credit') = (call_id IS NULL)),
  CHECK (kind = 'credit' OR reference IS NULL),
  CHECK (kind <> 'release' OR amount_e8 = 0),
  CHECK (kind <> 'loss' OR amount_e8 > 0)
) STRICT;

CREATE UNIQUE INDEX ledger_references ON ledger (project_id, reference)
WHERE reference IS NOT NULL;

CREATE TRIGGER ledger_keeps_rows BEFORE DELETE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TRIGGER ledger_keeps_columns BEFORE UPDATE ON ledger
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TABLE usage_hourly (
  hour INTEGER NOT NULL CHECK (hour >= 0),
  project_id TEXT NOT NULL,
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
  PRIMARY KEY (hour, project_id, model, provider, route)
) STRICT, WITHOUT ROWID;
`;
