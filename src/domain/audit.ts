/**
 * The audit log: who changed what by administration, as it was and as it became.
 *
 * @module
 */

/**
 * The ways in which a change comes.
 * - `control_socket`: through a server's socket in its data dir, as the command line does.
 * - `admin_api`: over TCP, with the admin key or a token.
 * - `console`: by a page of the console.
 * - `in_process`: a command that opened the data dir itself, as no server had it.
 * - `catalogue_file`: the file of `serve --catalog`, at start or on SIGHUP.
 * - `first_run`: what an empty data dir begins with.
 */
export const AUDIT_CHANNELS = [
  "control_socket",
  "admin_api",
  "console",
  "in_process",
  "catalogue_file",
  "first_run",
] as const;

/** One of {@linkcode AUDIT_CHANNELS}. */
export type AuditChannel = typeof AUDIT_CHANNELS[number];

/** Who made a change, as far as it is known. */
export interface AuditActor {
  readonly channel: AuditChannel;
  /**
   * The user of the operating system, such as `alice (uid 1000)`: a claim of whoever may
   * open the socket or the data dir, checked by nobody. Of `admin_api` and `console` what he came in
   * with, such as `admin key` or `token tok_x3yk2qvu7w5a (anna)`.
   */
  readonly user: string | undefined;
  /** The peer's IP address, of `admin_api` and `console`; a reverse proxy's own behind one. */
  readonly address: string | undefined;
}

/** Fields as JSON holds them: amounts as decimal strings, no key, secret or hash. */
export type AuditFields = { readonly [field: string]: unknown };

/** One change, told with the entry that makes it. */
export interface AuditNote {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly actor: AuditActor;
  /** An operation's name, such as `keys.create`. */
  readonly operation: string;
  /** What was changed, such as `key:key_abc`: a kind, a colon and an id. */
  readonly subject: string;
  /** What differs, as it was; `undefined` for what was made. */
  readonly before: AuditFields | undefined;
  /** What differs, as it is now; `undefined` for what was deleted. */
  readonly after: AuditFields | undefined;
  /** The administrative request's, where there was one. */
  readonly requestId: string | undefined;
}

/** A note as it is stored. */
export interface AuditRow extends AuditNote {
  /** 1, 2, 3 …: no number is left out. */
  readonly seq: number;
}
