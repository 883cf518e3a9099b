/**
 * Places that a service of ours does not see, or sees as empty: `ProtectHome` and `PrivateTmp`.
 *
 * @module
 */

const HIDDEN = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"];

/** The hidden folder that an absolute path is in, if it is in one. */
export function hiddenPlace(path: string): string | undefined {
  return HIDDEN.find((folder) => path === folder || path.startsWith(`${folder}/`));
}
