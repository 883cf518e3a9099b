/**
 * How large a film may be.
 *
 * @module
 */

/** The largest film that is taken from an upstream: 2 GiB, hours of what such engines make. */
export const MAX_CONTENT_BYTES = 2 * 1024 ** 3;
