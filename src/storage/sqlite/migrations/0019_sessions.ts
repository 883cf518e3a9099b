/**
 * Whose the calls and answers are that are open: the session that wrote them. What is open from
 * before is of the session 0, which has ended.
 *
 * @module
 */

/** SQL of schema version 19. */
export const sessions = `
ALTER TABLE calls ADD COLUMN session_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE stored_responses ADD COLUMN session_id INTEGER NOT NULL DEFAULT 0;
INSERT INTO meta (name, value) VALUES ('last_session', '0');
`;
