/**
 * Video tasks, the outbox and the secrets of their webhooks, and the answers for
 * repeated requests; what a film's call buys.
 *
 * The CHECKs and the trigger say again what `domain/video_task.ts` decides. The
 * number of a task's row is its call's id, so that rows lie in order of creation.
 * Every read of a running server has an index, and most of those are partial and
 * hold few rows: what a task costs must not grow with the number of tasks. The one
 * of films holds all that adding up their bytes looks at, its own condition included.
 *
 * @module
 */

/** Largest amount that is ever stored, as in schema version 1. */
const MAX_E8 = "999999999999999999";

/** Compares one by one, which costs less than `IN` on every write. */
function oneOf(column: string, texts: readonly string[]): string {
  return texts.map((text) => `${column} = '${text}'`).join(" OR ");
}

/** A text column, which never holds U+0000: the runtime reads a text only up to it. */
function text(column: string, check = ""): string {
  const further = check === "" ? "" : ` AND ${check}`;
  return `${column} TEXT CHECK (instr(${column}, char(0)) = 0${further})`;
}

/** A text column that has a value in every row. */
function fullText(column: string, check = ""): string {
  const further = check === "" ? "" : ` AND ${check}`;
  return `${column} TEXT NOT NULL CHECK (instr(${column}, char(0)) = 0${further})`;
}

/** An integer column that has a value in every row, of at least `least`. */
function integer(column: string, least = 0): string {
  return `${column} INTEGER NOT NULL CHECK (${column} >= ${least})`;
}

/** `prefix` and 26 characters of base32. */
function isRandomId(prefix: string): string {
  const characters = prefix.length + 26;
  return `length(id) = ${characters} AND substr(id, 1, ${prefix.length}) = '${prefix}'
    AND substr(id, ${prefix.length + 1}) NOT GLOB '*[^a-z2-7]*'`;
}

const IS_OPEN = oneOf("status", ["queued", "in_progress"]);
const HAS_FILM = "status = 'completed' AND file_removed_at IS NULL";

/** SQL of schema version 2. */
export const videosWebhooksAnswers = `
ALTER TABLE calls ADD COLUMN video_size TEXT;

ALTER TABLE calls ADD COLUMN video_seconds INTEGER CHECK (
  (video_seconds IS NULL) = (video_size IS NULL)
  AND (video_seconds IS NULL OR (video_seconds >= 1 AND capability = 'videos'))
);

CREATE TABLE video_tasks (
  call_id INTEGER PRIMARY KEY REFERENCES calls (call_id),
  ${fullText("id", isRandomId("video_"))} UNIQUE,
  ${fullText("request_id", "request_id <> ''")},
  project_id TEXT NOT NULL REFERENCES projects (id),
  ${fullText("key_id")},
  ${fullText("model", "model <> ''")},
  ${fullText("prompt")},
  ${fullText("size", "size <> ''")},
  ${integer("seconds", 1)},
  wishes TEXT NOT NULL CHECK (json_valid(wishes) AND json_type(wishes) = 'object'),
  fields TEXT NOT NULL CHECK (json_valid(fields) AND json_type(fields) = 'object'),
  ${text("reference_type")},
  ${text("callback_url")},
  ${fullText("fingerprint", "fingerprint <> ''")},
  ${integer("created_at")},

  ${integer("revision", 1)},
  ${fullText("provider")},
  ${fullText("route")},
  status TEXT NOT NULL CHECK (${oneOf("status", ["queued", "in_progress", "completed", "failed"])}),
  progress INTEGER NOT NULL CHECK (progress BETWEEN 0 AND 100),
  ${integer("attempt")},
  ${integer("failures")},
  ${integer("restarts")},
  ${text("lease_boot_id")},
  lease_until INTEGER CHECK (lease_until >= 0),
  ${integer("not_before")},
  started_at INTEGER CHECK (started_at >= 0),
  ${text("job_id")},
  ${text("job_key_reference")},
  job_started_at INTEGER CHECK (job_started_at >= 0),
  is_id_used INTEGER NOT NULL CHECK (is_id_used IN (0, 1)),
  completed_at INTEGER CHECK (completed_at >= 0),
  expires_at INTEGER CHECK (expires_at >= 0),
  file_bytes INTEGER CHECK (file_bytes >= 1),
  ${text("file_sha256", "length(file_sha256) = 64")},
  file_has_thumbnail INTEGER CHECK (file_has_thumbnail IN (0, 1)),
  file_removed_at INTEGER CHECK (file_removed_at >= 0),
  ${text("error_code")},
  ${text("error_message")},
  cost_e8 INTEGER CHECK (cost_e8 BETWEEN 0 AND ${MAX_E8}),
  sale_e8 INTEGER CHECK (sale_e8 BETWEEN 0 AND ${MAX_E8}),

  CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
  CHECK ((status = 'completed') = (file_bytes IS NOT NULL)),
  CHECK ((file_bytes IS NULL) = (file_sha256 IS NULL)),
  CHECK ((file_bytes IS NULL) = (file_has_thumbnail IS NULL)),
  CHECK (status = 'completed' OR file_removed_at IS NULL),
  CHECK ((status = 'failed') = (error_code IS NOT NULL)),
  CHECK ((error_code IS NULL) = (error_message IS NULL)),
  CHECK (${IS_OPEN} OR lease_boot_id IS NULL),
  CHECK ((lease_boot_id IS NULL) = (lease_until IS NULL)),
  CHECK ((job_id IS NULL) = (job_started_at IS NULL)),
  CHECK (job_id IS NOT NULL OR job_key_reference IS NULL)
) STRICT;

CREATE TRIGGER video_tasks_go_forward BEFORE UPDATE ON video_tasks
WHEN NEW.revision <> OLD.revision + 1
  OR NEW.progress < OLD.progress
  OR NEW.attempt < OLD.attempt
  OR NEW.call_id <> OLD.call_id OR NEW.id <> OLD.id OR NEW.project_id <> OLD.project_id
  OR NOT (
    NEW.status = OLD.status
    OR (OLD.status = 'queued' AND (NEW.status = 'in_progress' OR NEW.status = 'failed'))
    OR (OLD.status = 'in_progress' AND (NEW.status = 'completed' OR NEW.status = 'failed'))
  )
BEGIN SELECT RAISE(ABORT, 'a video task never goes back'); END;

CREATE INDEX video_tasks_by_project ON video_tasks (project_id, call_id, status);
CREATE INDEX video_tasks_by_status ON video_tasks (status, call_id);
CREATE INDEX video_tasks_open ON video_tasks (call_id) WHERE ${IS_OPEN};
CREATE INDEX video_tasks_unused_ids ON video_tasks (project_id, fingerprint, created_at, call_id)
WHERE is_id_used = 0;
CREATE INDEX video_tasks_expiry ON video_tasks (expires_at, call_id)
WHERE ${HAS_FILM} AND expires_at IS NOT NULL;
CREATE INDEX video_tasks_films ON video_tasks
(completed_at, call_id, file_bytes, status, file_removed_at) WHERE ${HAS_FILM};

CREATE TABLE webhook_messages (
  ${fullText("id", isRandomId("evt_"))} PRIMARY KEY,
  ${fullText("project_id", "project_id <> ''")},
  event TEXT NOT NULL CHECK (${oneOf("event", ["video.completed", "video.failed"])}),
  ${fullText("video_id", "video_id <> ''")},
  ${fullText("url", "url <> ''")},
  ${integer("created_at")},
  ${integer("tries")},
  state TEXT NOT NULL CHECK (${oneOf("state", ["waiting", "delivered", "given_up"])}),
  ${integer("next_at")},
  ${text("last_error")}
) STRICT;

CREATE INDEX webhook_messages_waiting ON webhook_messages (next_at, id) WHERE state = 'waiting';
CREATE INDEX webhook_messages_by_project ON webhook_messages (project_id, next_at, id)
WHERE state = 'waiting';
CREATE INDEX webhook_messages_done ON webhook_messages (next_at) WHERE state <> 'waiting';

CREATE TABLE webhook_secrets (
  project_id TEXT PRIMARY KEY REFERENCES projects (id),
  ${fullText("secret", "secret <> ''")},
  ${integer("created_at")},
  ${text("previous_secret", "previous_secret <> ''")},
  previous_until INTEGER CHECK (previous_until >= 0),
  CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE stored_answers (
  ${fullText("project_id", "project_id <> ''")},
  ${fullText("path", "path <> ''")},
  ${fullText("key", "key <> ''")},
  ${fullText("fingerprint", "fingerprint <> ''")},
  status INTEGER NOT NULL CHECK (status BETWEEN 200 AND 599),
  ${fullText("body")},
  ${integer("created_at")},
  ${integer("expires_at")},
  ${text("video_id", "video_id <> ''")},
  PRIMARY KEY (project_id, path, key)
) STRICT;

CREATE INDEX stored_answers_expiry ON stored_answers (expires_at);
CREATE INDEX stored_answers_by_video ON stored_answers (video_id) WHERE video_id IS NOT NULL;
`;
