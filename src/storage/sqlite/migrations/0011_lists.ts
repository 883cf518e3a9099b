/**
 * An index for every order in which administration lists what may be many: keys by
 * creation, and the audit log by operation and by subject, newest first.
 *
 * @module
 */

/** SQL of schema version 11. */
export const lists = `
DROP INDEX keys_by_project;

CREATE INDEX keys_by_project ON keys (project_id, created_at, id);

CREATE INDEX keys_by_creation ON keys (created_at, id);

CREATE INDEX audit_by_operation ON audit (operation, seq);

CREATE INDEX audit_by_subject ON audit (subject, seq);

CREATE INDEX audit_by_subject_id ON audit (substr(subject, instr(subject, ':') + 1), seq);
`;
