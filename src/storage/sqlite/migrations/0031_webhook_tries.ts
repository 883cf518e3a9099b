/**
 * What became of a webhook's tries, the last ones, and when it was had sent again; and lists of
 * messages, of all projects or of one, newest first, and of a film's.
 *
 * @module
 */

/** SQL of schema version 31. */
export const webhookTries = `
ALTER TABLE webhook_messages ADD COLUMN round_from INTEGER NOT NULL DEFAULT 0
  CHECK (round_from >= 0);
ALTER TABLE webhook_messages ADD COLUMN last_tries TEXT NOT NULL DEFAULT '[]'
  CHECK (json_valid(last_tries) AND json_type(last_tries) = 'array');

CREATE INDEX webhook_messages_listed ON webhook_messages (created_at, id, state);
CREATE INDEX webhook_messages_of_project ON webhook_messages (project_id, created_at, id, state);
CREATE INDEX webhook_messages_by_video ON webhook_messages (video_id);
`;
