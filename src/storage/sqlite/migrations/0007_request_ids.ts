/**
 * The key behind which request ids hide the number of their call: made here, once
 * per data dir, so that a backup that is restored still finds its calls by their ids.
 *
 * @module
 */

/** SQL of schema version 7. */
export const requestIds = `
INSERT INTO meta (name, value) VALUES ('request_id_key', lower(hex(randomblob(16))));
`;
