/**
 * What the lock file of a data dir says about the process that holds the lock.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** The lock file's content, as JSON. */
export interface LockOwner {
  readonly pid: number;
  /** Path of its control socket; `undefined` for a command, which serves nobody. */
  readonly socket: string | undefined;
  readonly kind: "server" | "cli";
}

/** More than any owner takes: a pid and a path. */
const MOST_BYTES = 16 * 1024;

/**
 * Who the lock file names, alive or not; `undefined` when it names nobody, or is a link or
 * no file at all: root reads it in folders where others lay what they like.
 *
 * @throws {Error} The system's, such as `EACCES`.
 */
export function readLockOwner(dataDir: string): LockOwner | undefined {
  const text = readOwnFile(`${dataDir}/lock`);
  return text === undefined ? undefined : parseOwner(text);
}

function readOwnFile(path: string): string | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code = "" } = error as { readonly code?: string };
    // A link is ELOOP, a socket ENXIO.
    if (["ENOENT", "ELOOP", "ENXIO"].includes(code)) return undefined;
    throw error;
  }
  try {
    if (!fstatSync(file).isFile()) return undefined;
    const buffer = Buffer.alloc(MOST_BYTES);
    return buffer.toString("utf8", 0, readSync(file, buffer, 0, MOST_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

function parseOwner(text: string): LockOwner | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Empty after a release, cut short by a crash: it names nobody.
    return undefined;
  }
  const { pid, socket, kind } = (value ?? {}) as { readonly [name: string]: unknown };
  if (typeof pid !== "number" || (kind !== "server" && kind !== "cli")) return undefined;
  return { pid, socket: typeof socket === "string" ? socket : undefined, kind };
}
