/**
 * Checks a signature of minisign's.
 *
 * @module
 * @see https://jedisct1.github.io/minisign/
 */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { CommandFailure } from "../base/failure.ts";

/** A key that signatures are checked with. */
export interface PublicKey {
  /** Eight bytes that name it. */
  readonly id: Uint8Array<ArrayBuffer>;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const ID_BYTES = 8;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/**
 * Reads a public key: the one line of it, or the file that minisign wrote.
 *
 * @throws {CommandFailure} For any other text.
 */
export function readPublicKey(text: string): PublicKey {
  const bytes = Buffer.from(text.trim().split("\n").at(-1)!.trim(), "base64");
  if (bytes.length !== 2 + ID_BYTES + KEY_BYTES || bytes.toString("latin1", 0, 2) !== "Ed") {
    throw new CommandFailure(
      "The public key is none of minisign's: give the line that begins with RW, or the file it is in",
    );
  }
  return { id: part(bytes, 2, ID_BYTES), bytes: part(bytes, 2 + ID_BYTES, KEY_BYTES) };
}

/**
 * Checks that `signature`, the text of a `.minisig` file, is that key's for `content`.
 *
 * @throws {CommandFailure} When it is not.
 */
export async function checkSignature(
  content: Uint8Array<ArrayBuffer>,
  signature: string,
  { id, bytes }: PublicKey,
): Promise<void> {
  const [, head = "", comment = "", tail = ""] = signature.split("\n");
  const line = Buffer.from(head, "base64");
  const trusted = /^trusted comment: (.*?)\r?$/.exec(comment)?.[1];
  const algorithm = line.toString("latin1", 0, 2);
  const isWhole = line.length === 2 + ID_BYTES + SIGNATURE_BYTES && trusted !== undefined &&
    (algorithm === "ED" || algorithm === "Ed");
  if (!isWhole) throw new CommandFailure("The signature of the release cannot be read");
  if (!line.subarray(2, 2 + ID_BYTES).equals(id)) {
    throw new CommandFailure(
      `The release is signed with the key ${name(line.subarray(2, 2 + ID_BYTES))}, and not with ` +
        `${name(id)}, which was given`,
    );
  }
  const key = await crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
  const verify = (claim: Uint8Array, data: Uint8Array) =>
    crypto.subtle.verify("Ed25519", key, new Uint8Array(claim), new Uint8Array(data));
  const own = line.subarray(2 + ID_BYTES);
  const digest = createHash("blake2b512").update(content).digest();
  const global = Buffer.from(tail, "base64");
  const isGood = await verify(own, algorithm === "ED" ? digest : content) &&
    await verify(global, Buffer.concat([own, Buffer.from(trusted)]));
  if (!isGood) {
    throw new CommandFailure(
      "The signature of the release is wrong: somebody changed it on its way. Nothing was changed",
    );
  }
}

/** As minisign prints it. */
function name(id: Uint8Array): string {
  return Buffer.from(id).reverse().toString("hex").toUpperCase();
}

function part(bytes: Uint8Array, from: number, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes.subarray(from, from + length));
}
