/**
 * Tokens of administration, by their hashes. A revoked one stays, so that the audit log's rows of it
 * can be told.
 *
 * @module
 */

/** SQL of schema version 28. */
export const adminTokens = `
CREATE TABLE admin_tokens (
  id TEXT PRIMARY KEY CHECK (id <> '' AND instr(id, char(0)) = 0),
  name TEXT NOT NULL CHECK (instr(name, char(0)) = 0),
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  role TEXT NOT NULL CHECK (role <> ''),
  project_id TEXT REFERENCES projects (id),
  expires_at INTEGER CHECK (expires_at >= 0),
  created_at INTEGER NOT NULL CHECK (created_at >= 0),
  last_used_at INTEGER CHECK (last_used_at >= 0),
  revoked_at INTEGER CHECK (revoked_at >= 0),
  CHECK ((role = 'member') = (project_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
`;
