/**
 * Sessions of people at the console.
 *
 * @module
 */

/** For how long somebody is signed in there: a working day. */
export const SESSION_MS = 12 * 3_600_000;
