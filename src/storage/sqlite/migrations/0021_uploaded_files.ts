/**
 * Files that projects have uploaded, or that were made for them.
 *
 * @module
 */

/** SQL of schema version 21. */
export const uploadedFiles = `
CREATE TABLE uploaded_files (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE CHECK (length(id) = 31 AND id GLOB 'file-*'),
  project_id TEXT NOT NULL REFERENCES projects (id),
  purpose TEXT NOT NULL,
  filename TEXT NOT NULL,
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  created_at INTEGER NOT NULL,
  expires_at INTEGER CHECK (expires_at > created_at)
) STRICT;
CREATE INDEX uploaded_files_by_project ON uploaded_files (project_id, place, bytes);
CREATE INDEX uploaded_files_by_purpose ON uploaded_files (project_id, purpose, place);
CREATE INDEX uploaded_files_expiry ON uploaded_files (expires_at)
  WHERE expires_at IS NOT NULL;
`;
