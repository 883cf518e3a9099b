/**
 * Signs a file as minisign does, with a key given from outside.
 *
 * @module
 * @see https://jedisct1.github.io/minisign/
 */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

/** A key that can sign. */
export interface SigningKey {
  /** Eight bytes that name it. */
  readonly id: Uint8Array<ArrayBuffer>;
  readonly key: CryptoKey;
}

/** Where a release finds its key: the text of minisign's secret key file, or the path of one. */
export const KEY_VARIABLES = {
  text: "TOLLGATE_RELEASE_KEY",
  file: "TOLLGATE_RELEASE_KEY_FILE",
} as const;

/** "Ed", no key derivation, "B2"; salt and its limits; id, seed, public key, checksum. */
const SECRET_LENGTH = 158;
const ID_AT = 54;
const SEED_AT = ID_AT + 8;

/** What precedes an Ed25519 seed in PKCS #8. */
const PKCS8_HEAD = "302e020100300506032b657004220420";

/**
 * Reads what `minisign -G -W` wrote.
 *
 * @throws {Error} for another text, and for a key that a password protects.
 */
export async function readSigningKey(text: string): Promise<SigningKey> {
  const line = text.trim().split("\n").at(-1)?.trim() ?? "";
  const bytes = Buffer.from(line, "base64");
  if (bytes.length !== SECRET_LENGTH || bytes.toString("latin1", 0, 2) !== "Ed") {
    throw new Error(
      "Cannot sign: the key is no secret key of minisign's. Make one: minisign -G -W",
    );
  }
  if (bytes[2] !== 0 || bytes[3] !== 0) {
    throw new Error(
      "Cannot sign: a password protects the key. Take a copy without one: minisign -C -W -s FILE",
    );
  }
  const seed = bytes.subarray(SEED_AT, SEED_AT + 32);
  const pkcs8 = Buffer.concat([Buffer.from(PKCS8_HEAD, "hex"), seed]);
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
  return { id: new Uint8Array(bytes.subarray(ID_AT, SEED_AT)), key };
}

/**
 * The `.minisig` file of some bytes: their BLAKE2b is signed, and then the signature together with
 * a comment that can be believed.
 */
export async function minisign(
  bytes: Uint8Array,
  { id, key }: SigningKey,
  { trusted }: { readonly trusted: string },
): Promise<string> {
  const digest = createHash("blake2b512").update(bytes).digest();
  const sign = async (data: Uint8Array<ArrayBuffer>) =>
    Buffer.from(await crypto.subtle.sign("Ed25519", key, data));
  const signature = await sign(new Uint8Array(digest));
  const global = await sign(new Uint8Array(Buffer.concat([signature, Buffer.from(trusted)])));
  const head = Buffer.concat([Buffer.from("ED"), id, signature]);
  return `untrusted comment: signature of a release of Tollgate
${head.toString("base64")}
trusted comment: ${trusted}
${global.toString("base64")}
`;
}
