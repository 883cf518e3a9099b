/**
 * Bytes in memory as what an object is made of.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { ObjectSource } from "./object_store.ts";

/** SHA-256 of bytes, in lower-case hex. */
export async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  // Off this thread, on which calls are served.
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

/** Bytes that do not change while they are sent. */
export async function bytesSource(bytes: Uint8Array<ArrayBuffer>): Promise<ObjectSource> {
  return {
    bytes: bytes.length,
    sha256: await hashOf(bytes),
    read: (offset, length) => Promise.resolve(bytes.slice(offset, offset + length)),
  };
}
