/**
 * Signing in at the console as the audit log tells of it: no operation, as nobody is known yet.
 *
 * @module
 */

export const SIGN_IN = { name: "console.sign_in", changes: "session" } as const;
export const SIGN_IN_REFUSED = { name: "console.sign_in_refused", changes: "session" } as const;
