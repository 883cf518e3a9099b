/**
 * Tables of accounts, the catalogue, calls, the ledger, their sums and the audit log.
 *
 * What is written here all engines have that speak PostgreSQL's protocol. Texts are compared by their
 * bytes, as SQLite and the program do. `node_sessions` is the fence of whoever writes: a batch counts
 * its session's `batch_no` on, so that no batch is written twice, nor any by a session that has ended:
 * `closed` by itself, or `dead`, as others took it for. It shows that it lives in `node_beats`, apart,
 * so that no beat waits for a long batch.
 *
 * @module
 */

/** One statement each; those of {@linkcode WORK_TABLES} refer to them. */
export const ACCOUNT_TABLES: readonly string[] = [
  `CREATE TABLE cluster_meta (
  name text COLLATE "C" PRIMARY KEY,
  value text COLLATE "C" NOT NULL
)`,
  `CREATE TABLE node_sessions (
  session_id bigint PRIMARY KEY CHECK (session_id >= 0),
  node text COLLATE "C" NOT NULL,
  label text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL CHECK (state = 'live' OR state = 'closed' OR state = 'dead'),
  batch_no bigint NOT NULL CHECK (batch_no >= 0)
)`,
  `CREATE INDEX live_sessions ON node_sessions (session_id) WHERE state = 'live'`,
  `CREATE TABLE node_beats (
  session_id bigint PRIMARY KEY REFERENCES node_sessions (session_id),
  beat_no bigint NOT NULL CHECK (beat_no >= 0)
)`,
  `CREATE TABLE projects (
  id text COLLATE "C" PRIMARY KEY CHECK (id <> ''),
  unlimited bigint NOT NULL CHECK (unlimited IN (0, 1)),
  disabled bigint NOT NULL CHECK (disabled IN (0, 1)),
  models text COLLATE "C" NOT NULL CHECK (json_typeof(models::json) = 'array'),
  limits text COLLATE "C" NOT NULL CHECK (json_typeof(limits::json) = 'object'),
  created_at bigint NOT NULL CHECK (created_at >= 0),
  avail_e8 bigint NOT NULL DEFAULT 0 CHECK (avail_e8 BETWEEN 0 AND 999999999999999999),
  held_e8 bigint NOT NULL DEFAULT 0 CHECK (held_e8 BETWEEN 0 AND 999999999999999999),
  budgets text COLLATE "C" NOT NULL DEFAULT '{}' CHECK (json_typeof(budgets::json) = 'object'),
  quotas text COLLATE "C" NOT NULL DEFAULT '{}'
CHECK (json_typeof(quotas::json) = 'object'),
  CHECK (avail_e8 + held_e8 <= 999999999999999999)
)`,
  `CREATE TABLE keys (
  id text COLLATE "C" PRIMARY KEY CHECK (id <> ''),
  project_id text COLLATE "C" NOT NULL REFERENCES projects (id),
  name text COLLATE "C" NOT NULL,
  prefix text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL UNIQUE CHECK (length(hash) = 64),
  models text COLLATE "C" CHECK (json_typeof(models::json) = 'array'),
  limits text COLLATE "C" NOT NULL CHECK (json_typeof(limits::json) = 'object'),
  expires_at bigint CHECK (expires_at >= 0),
  disabled bigint NOT NULL CHECK (disabled IN (0, 1)),
  created_at bigint NOT NULL CHECK (created_at >= 0),
  budgets text COLLATE "C" NOT NULL DEFAULT '{}' CHECK (json_typeof(budgets::json) = 'object'),
  earlier text COLLATE "C" CHECK (json_typeof(earlier::json) <> '')
)`,
  `CREATE TABLE price_versions (
  version bigint PRIMARY KEY CHECK (version >= 1),
  route_id text COLLATE "C" NOT NULL CHECK (route_id <> ''),
  currency text COLLATE "C" NOT NULL CHECK (currency <> ''),
  cost text COLLATE "C" CHECK (json_typeof(cost::json) <> ''),
  sale text COLLATE "C" CHECK (json_typeof(sale::json) <> ''),
  created_at bigint NOT NULL CHECK (created_at >= 0),
  checksum bigint NOT NULL
)`,
  `CREATE INDEX price_versions_by_route ON price_versions (route_id, version)`,
  `CREATE TABLE providers (
  id text COLLATE "C" PRIMARY KEY CHECK (id <> ''),
  position bigint NOT NULL UNIQUE CHECK (position >= 0),
  document text COLLATE "C" NOT NULL CHECK (json_typeof(document::json) <> '')
)`,
  `CREATE TABLE models (
  id text COLLATE "C" PRIMARY KEY CHECK (id <> ''),
  position bigint NOT NULL UNIQUE CHECK (position >= 0),
  kind text COLLATE "C" NOT NULL,
  document text COLLATE "C" NOT NULL CHECK (json_typeof(document::json) <> '')
)`,
  `CREATE TABLE routes (
  id text COLLATE "C" PRIMARY KEY CHECK (id <> ''),
  position bigint NOT NULL UNIQUE CHECK (position >= 0),
  model_id text COLLATE "C" NOT NULL REFERENCES models (id),
  provider_id text COLLATE "C" NOT NULL REFERENCES providers (id),
  price_version bigint NOT NULL REFERENCES price_versions (version),
  enabled bigint NOT NULL CHECK (enabled IN (0, 1)),
  maintenance bigint NOT NULL CHECK (maintenance IN (0, 1)),
  written_enabled bigint NOT NULL CHECK (written_enabled IN (0, 1)),
  written_maintenance bigint NOT NULL CHECK (written_maintenance IN (0, 1)),
  document text COLLATE "C" NOT NULL CHECK (json_typeof(document::json) <> ''),
  switched_off text COLLATE "C"
  CHECK (json_typeof(switched_off::json) = 'object')
)`,
  `CREATE TABLE calls (
  call_id bigint PRIMARY KEY CHECK (call_id >= 1),
  request_id text COLLATE "C" NOT NULL CHECK (request_id <> ''),
  project_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  capability text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  route text COLLATE "C" NOT NULL,
  price_version bigint NOT NULL CHECK (price_version >= 0),
  held_e8 bigint NOT NULL CHECK (held_e8 BETWEEN 0 AND 999999999999999999),
  unlimited bigint NOT NULL CHECK (unlimited IN (0, 1)),
  stream bigint NOT NULL CHECK (stream IN (0, 1)),
  opened_at bigint NOT NULL CHECK (opened_at >= 0),
  state text COLLATE "C" NOT NULL CHECK (state = 'open' OR state = 'settled' OR state = 'released'),
  result text COLLATE "C",
  closed_at bigint CHECK (closed_at >= 0),
  first_byte_ms bigint CHECK (first_byte_ms >= 0),
  attempts bigint NOT NULL CHECK (attempts >= 0),
  prompt_tokens bigint NOT NULL CHECK (prompt_tokens >= 0),
  completion_tokens bigint NOT NULL CHECK (completion_tokens >= 0),
  cached_tokens bigint NOT NULL CHECK (cached_tokens >= 0),
  cache_write_tokens bigint NOT NULL CHECK (cache_write_tokens >= 0),
  reasoning_tokens bigint NOT NULL CHECK (reasoning_tokens >= 0),
  usage_source text COLLATE "C",
  images bigint NOT NULL CHECK (images >= 0),
  cost_e8 bigint NOT NULL CHECK (cost_e8 BETWEEN 0 AND 999999999999999999),
  sale_e8 bigint NOT NULL CHECK (sale_e8 BETWEEN 0 AND 999999999999999999),
  charged_e8 bigint NOT NULL CHECK (charged_e8 >= 0),
  loss_e8 bigint NOT NULL CHECK (loss_e8 BETWEEN 0 AND 999999999999999999),
  error_code text COLLATE "C",
  checksum bigint NOT NULL,
  video_size text COLLATE "C",
  video_seconds bigint CHECK (
  (video_seconds IS NULL) = (video_size IS NULL)
  AND (video_seconds IS NULL OR video_seconds >= 1)
),
  video_percent bigint CHECK (
  video_percent IS NULL
  OR (video_percent BETWEEN 1 AND 99 AND video_size IS NOT NULL AND state <> 'open')
),
  session_id bigint NOT NULL DEFAULT 0,
  further text COLLATE "C" CHECK (json_typeof(further::json) = 'object'),
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
)`,
  `CREATE INDEX calls_open ON calls (call_id) WHERE state = 'open'`,
  `CREATE TABLE ledger (
  book bigint NOT NULL CHECK (book >= 0),
  seq bigint NOT NULL CHECK (seq >= 1),
  project_id text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind = 'credit' OR kind = 'settle' OR kind = 'release' OR kind = 'loss'),
  amount_e8 bigint NOT NULL CHECK (amount_e8 BETWEEN 0 AND 999999999999999999),
  balance_after_e8 bigint NOT NULL CHECK (balance_after_e8 BETWEEN 0 AND 999999999999999999),
  call_id bigint,
  reference text COLLATE "C",
  at bigint NOT NULL CHECK (at >= 0),
  checksum bigint NOT NULL,
  CHECK ((kind = 'credit') = (call_id IS NULL)),
  CHECK (kind = 'credit' OR reference IS NULL),
  CHECK (kind <> 'release' OR amount_e8 = 0),
  CHECK (kind <> 'loss' OR amount_e8 > 0),
  PRIMARY KEY (book, seq)
)`,
  `CREATE UNIQUE INDEX ledger_references ON ledger (project_id, reference)
WHERE reference IS NOT NULL`,
  `CREATE TABLE usage_hourly (
  hour bigint NOT NULL CHECK (hour >= 0),
  project_id text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  route text COLLATE "C" NOT NULL,
  calls bigint NOT NULL CHECK (calls >= 1),
  prompt_tokens bigint NOT NULL CHECK (prompt_tokens >= 0),
  completion_tokens bigint NOT NULL CHECK (completion_tokens >= 0),
  cost_e8 bigint NOT NULL CHECK (cost_e8 >= 0),
  sale_e8 bigint NOT NULL CHECK (sale_e8 >= 0),
  charged_e8 bigint NOT NULL CHECK (charged_e8 >= 0),
  loss_e8 bigint NOT NULL CHECK (loss_e8 >= 0),
  PRIMARY KEY (hour, project_id, model, provider, route)
)`,
  `CREATE TABLE spend_hourly (
  hour bigint NOT NULL CHECK (hour >= 0),
  project_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  spent_e8 bigint NOT NULL CHECK (spent_e8 >= 0),
  PRIMARY KEY (hour, project_id, key_id)
)`,
  `CREATE TABLE spend_states (
  scope text COLLATE "C" NOT NULL CHECK (scope = 'project' OR scope = 'key'),
  subject_id text COLLATE "C" NOT NULL CHECK (subject_id <> ''),
  document text COLLATE "C" NOT NULL CHECK (json_typeof(document::json) = 'object'),
  PRIMARY KEY (scope, subject_id)
)`,
  `CREATE TABLE audit (
  seq bigint PRIMARY KEY CHECK (seq >= 1),
  at bigint NOT NULL CHECK (at >= 0),
  channel text COLLATE "C" NOT NULL CHECK (channel <> ''),
  "user" text COLLATE "C" CHECK ("user" <> ''),
  address text COLLATE "C" CHECK (address <> ''),
  operation text COLLATE "C" NOT NULL CHECK (operation <> ''),
  subject text COLLATE "C" NOT NULL CHECK (subject LIKE '_%:%'),
  before text COLLATE "C" CHECK (json_typeof(before::json) = 'object'),
  after text COLLATE "C" CHECK (json_typeof(after::json) = 'object'),
  request_id text COLLATE "C" CHECK (request_id <> ''),
  previous bigint NOT NULL,
  checksum bigint NOT NULL,
  CHECK (before IS NOT NULL OR after IS NOT NULL)
)`,
  `CREATE INDEX keys_by_project ON keys (project_id, created_at, id)`,
  `CREATE INDEX keys_by_creation ON keys (created_at, id)`,
  `CREATE INDEX audit_by_operation ON audit (operation, seq)`,
  `CREATE INDEX audit_by_subject ON audit (subject, seq)`,
  `CREATE INDEX audit_by_subject_id ON audit (substr(subject, strpos(subject, ':') + 1), seq)`,
  `CREATE TABLE audit_parts (
  subject text COLLATE "C" NOT NULL CHECK (subject <> ''),
  seq bigint NOT NULL,
  PRIMARY KEY (subject, seq)
)`,
  `CREATE INDEX calls_further ON calls (closed_at, call_id)
WHERE further IS NOT NULL AND closed_at IS NOT NULL`,
  `CREATE TABLE detail_hourly (
  hour bigint NOT NULL CHECK (hour >= 0),
  project_id text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  capability text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  route text COLLATE "C" NOT NULL,
  calls bigint NOT NULL CHECK (calls >= 1),
  prompt_tokens bigint NOT NULL CHECK (prompt_tokens >= 0),
  completion_tokens bigint NOT NULL CHECK (completion_tokens >= 0),
  cost_e8 bigint NOT NULL CHECK (cost_e8 >= 0),
  sale_e8 bigint NOT NULL CHECK (sale_e8 >= 0),
  charged_e8 bigint NOT NULL CHECK (charged_e8 >= 0),
  loss_e8 bigint NOT NULL CHECK (loss_e8 >= 0),
  failed_calls bigint NOT NULL CHECK (failed_calls >= 0),
  cached_tokens bigint NOT NULL CHECK (cached_tokens >= 0),
  reasoning_tokens bigint NOT NULL CHECK (reasoning_tokens >= 0),
  images bigint NOT NULL CHECK (images >= 0),
  characters bigint NOT NULL CHECK (characters >= 0),
  audio_seconds bigint NOT NULL CHECK (audio_seconds >= 0),
  searches bigint NOT NULL CHECK (searches >= 0),
  films bigint NOT NULL CHECK (films >= 0),
  film_seconds bigint NOT NULL CHECK (film_seconds >= 0),
  PRIMARY KEY (hour, project_id, key_id, capability, model, provider, route)
)`,
  `CREATE TABLE admin_tokens (
  id text COLLATE "C" PRIMARY KEY CHECK (id <> ''),
  name text COLLATE "C" NOT NULL,
  prefix text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL UNIQUE CHECK (length(hash) = 64),
  role text COLLATE "C" NOT NULL CHECK (role <> ''),
  project_id text COLLATE "C" REFERENCES projects (id),
  expires_at bigint CHECK (expires_at >= 0),
  created_at bigint NOT NULL CHECK (created_at >= 0),
  last_used_at bigint CHECK (last_used_at >= 0),
  revoked_at bigint CHECK (revoked_at >= 0),
  CHECK ((role = 'member') = (project_id IS NOT NULL))
)`,
];
