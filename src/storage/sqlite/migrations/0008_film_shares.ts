/**
 * How much of a film is paid for, where it was given up while it was made.
 *
 * @module
 */

/** SQL of schema version 8. */
export const filmShares = `
ALTER TABLE calls ADD COLUMN video_percent INTEGER CHECK (
  video_percent IS NULL
  OR (video_percent BETWEEN 1 AND 99 AND video_size IS NOT NULL AND state <> 'open')
);
`;
